"""A recursive filter on the host itself: what ``block_iir`` compiles, straight from the samples to their place.

On a CPU a compiled program takes its samples from a buffer and leaves them in another one, and each of its products is
shared out among threads that other streams keep busy. Here samples are copied once, to where those of a block stand
beside the state before it, so one product over both writes the results where they belong. States go from product to
product without a copy: each writes its columns into the rows of the next one. All views are found once for a stream; a
chunk is then a list of calls.

Invariants: as ``block_iir``; numbers too small for their precision become 0 in states, as in a compiled program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.dsp.block_iir import block_multiple
from jaxscope.dsp.block_matrices import GROUP, BlockMatrices
from jaxscope.dsp.host_blocks import Scratch, pieces, product

Array = npt.NDArray[Any]
#: a function that writes into one of its arguments, and these
Step = tuple[Callable[..., Any], tuple[Any, ...]]

#: blocks of a channel below which results of all channels are worked out in one go, and copied to their place
FEW_BLOCKS = 48


def block_filter(
    x: Array,
    state: Array,
    n_valid: int,
    matrices: BlockMatrices,
    out: Array | None,
    scratch: Scratch,
    *,
    offset: Array | None = None,
    backwards: bool = False,
) -> Array:
    """Filter samples of all channels, with one cascade or one for each channel.

    Parameters
    ----------
    x : (n_channels, n_samples)
        In the precision of the matrices; samples that are not valid are ignored.
    state : (n_channels, n)
    n_valid : int
        How many samples count: the first ones, or backwards the last ones.
    matrices : BlockMatrices
        With a leading axis for channels, or without.
    out : (n_channels, n_samples) or None
        Where the results of valid samples go, if anywhere; ``x`` will do.
    scratch : Scratch
        Of one stream at a time.
    offset : (n_channels,) or None
        What is taken off the samples first, in their precision.
    backwards : bool
        Whether time runs from the last sample to the first; then the matrices are ``turned``.

    Returns
    -------
    (n_channels, n)
        The state after the valid samples.
    """
    n_channels = len(x)
    n_blocks = block_multiple(-(-n_valid // matrices.drive.shape[-2]))
    # the matrices of each channel are many: they are held, so nothing else has their identity
    kept = id(matrices.drive) if matrices.drive.ndim > 2 else (matrices.drive.shape, matrices.drive.dtype.char)
    run: _BlockRun = scratch.made(
        (n_channels, n_blocks, backwards, kept),
        lambda: _BlockRun(n_channels, n_blocks, matrices, scratch, backwards=backwards),
    )
    run.take(matrices)

    def valid(values: Array) -> Array:
        return values[:, values.shape[1] - n_valid :] if backwards else values[:, :n_valid]

    with np.errstate(all="ignore"):  # what is not finite is found in the state
        after = run.filter(valid(x), offset, state, None if out is None else valid(out))
    after[np.abs(after) < np.finfo(after.dtype).tiny] = 0
    return after


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """Items in order of place: blocks of samples, or groups of items; ``table`` (n_channels, n_items, width).

    Columns ``source`` times ``matrix`` are what an item leaves in a state of 0; ``state``: columns of the state before.
    """

    table: Array
    source: slice
    state: slice
    matrix: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    """How states run over some items: ``matrix`` from (start, what each leaves) to (before each, after the last).

    Columns: ``start`` and ``left`` of what goes in, ``before`` and ``after`` of what comes out, in order of place.
    """

    matrix: Array
    start: slice
    left: slice
    before: slice
    after: slice


def _level(matrix: Array, n_items: int, n: int, *, backwards: bool) -> _Level:
    """Return how states of ``n`` numbers run over ``n_items``, from the matrix for the most items."""
    width = n_items * n
    size = width + n
    if backwards:
        turned = matrix[..., -size:, -size:]
        return _Level(matrix=turned, start=slice(width, size), left=slice(width), before=slice(n, size), after=slice(n))
    matrix = matrix[..., :size, :size]
    return _Level(matrix=matrix, start=slice(n), left=slice(n, size), before=slice(width), after=slice(width, size))


class _BlockRun:
    """What all chunks of ``n_blocks`` blocks share: rows, and the calls that work on them.

    Where all channels have the same matrices, it has some of its own, which hold the numbers of those it was told to
    ``take``: to find all views again for each filter that is tuned takes longer than to copy a few numbers.
    """

    def __init__(
        self, n_channels: int, n_blocks: int, matrices: BlockMatrices, scratch: Scratch, *, backwards: bool
    ) -> None:
        self._block, self._n = matrices.drive.shape[-2:]
        self._taken: BlockMatrices | None = None
        if matrices.drive.ndim == 2:
            drive, *levels = map(np.empty_like, (matrices.drive, *matrices.levels))
            matrices = matrices._replace(drive=drive, levels=tuple(levels))
        matrices = self._matrices = matrices._replace(respond=np.empty_like(matrices.respond))
        self._scratch, self._backwards = scratch, backwards
        self._own = slice(self._block) if backwards else slice(self._n, None)
        self._past = slice(self._block, None) if backwards else slice(self._n)
        self._joined = self._room("joined", (n_channels, n_blocks, self._block + self._n))
        self._start = self._room("start", (n_channels, self._n))
        self._end = self._room("end", (n_channels, self._n))
        self._found = self._room("found", (n_channels, n_blocks if n_blocks < FEW_BLOCKS else 1, self._block))
        rows = _Rows(table=self._joined, source=self._own, state=self._past, matrix=matrices.drive)
        self._steps = self._over(rows, matrices.levels)

    def take(self, matrices: BlockMatrices) -> None:
        """Take the numbers of matrices of the same shapes, where they are not those it has."""
        if self._taken is not None and self._taken.drive is matrices.drive:
            return
        own = self._matrices
        self._taken, self._matrices = matrices, own._replace(powers=matrices.powers)
        past, samples = matrices.respond[..., self._block :, :], matrices.respond[..., : self._block, :]
        # the state stands on the side of the past, as in a level
        parts = (samples, past) if self._backwards else (past, samples)
        np.concatenate(parts, axis=-2, out=own.respond)
        for held, new in zip((own.drive, *own.levels), (matrices.drive, *matrices.levels), strict=True):
            if held is not new:
                np.copyto(held, new)

    def _room(self, name: str, shape: tuple[int, ...]) -> Array:
        return self._scratch.room(name, shape, self._matrices.drive.dtype)

    # -- what is done for each chunk --------------------------------------------------------------------------------
    def _over(self, rows: _Rows, levels: tuple[Array, ...]) -> list[Step]:
        """Return the steps that put the state before each item in its place, and that after the last to ``_end``."""
        n_channels, n_items, _ = rows.table.shape
        n = self._n
        if not levels:
            return self._one_by_one(rows)
        if n_items * n < levels[0].shape[-1]:
            return self._all_at_once(rows, _level(levels[0], n_items, n, backwards=self._backwards))
        level = _level(levels[0], GROUP, n, backwards=self._backwards)
        groups = self._room(f"groups {len(levels)}", (n_channels, n_items // GROUP, level.matrix.shape[-1]))
        of_place = [slice(place * n, (place + 1) * n) for place in range(GROUP)]
        steps: list[Step] = []
        for place, columns in enumerate(of_place):
            left = groups[..., level.left][..., columns]
            steps += _products(rows.table[:, place::GROUP, rows.source], rows.matrix, left)
        crossing = level.matrix[..., level.left, level.after]
        steps += self._over(_Rows(table=groups, source=level.left, state=level.start, matrix=crossing), levels[1:])
        for place, columns in enumerate(of_place):
            target = rows.table[:, place::GROUP, rows.state]
            # the columns that a state depends on: of the start, and of what comes before it in time
            seen = slice(columns.stop, None) if self._backwards else slice(columns.stop)
            if place == (GROUP - 1 if self._backwards else 0):
                steps.append(_copied(groups[..., seen], target))
            else:
                matrix = level.matrix[..., level.before][..., seen, columns]
                steps += _products(groups[..., seen], matrix, target)
        return steps

    def _all_at_once(self, rows: _Rows, level: _Level) -> list[Step]:
        """Return the steps over a few items, which one product does."""
        n_channels, n_items, _ = rows.table.shape
        by_item = n_channels, n_items, self._n
        every, found = (self._room(name, (n_channels, 1, level.matrix.shape[-1])) for name in ("all", "found"))
        return [
            *_products(rows.table[..., rows.source], rows.matrix, every[:, 0, level.left].reshape(by_item)),
            (np.copyto, (every[:, 0, level.start], self._start)),
            *_products(every, level.matrix, found),
            (np.copyto, (rows.table[..., rows.state], found[:, 0, level.before].reshape(by_item))),
            (np.copyto, (self._end, found[:, 0, level.after])),
        ]

    def _one_by_one(self, rows: _Rows) -> list[Step]:
        """Return the steps over the groups of the last level of all, which are few."""
        n_channels, n_items, _ = rows.table.shape
        ends = self._room("ends", (n_channels, n_items, self._n))
        crossing = self._matrices.levels[-1]
        level = _level(crossing, GROUP, self._n, backwards=self._backwards)
        cross = level.matrix[..., level.start, level.after]
        steps = _products(rows.table[..., rows.source], rows.matrix, ends)
        state = self._start
        for place in reversed(range(n_items)) if self._backwards else range(n_items):
            steps.append((np.copyto, (rows.table[:, place, rows.state], state)))
            steps.append((_advance, (state, cross, ends[:, place])))
            state = ends[:, place]
        return [*steps, (np.copyto, (self._end, state))]

    # -- a chunk ---------------------------------------------------------------------------------------------------
    def filter(self, x: Array, offset: Array | None, state: Array, out: Array | None) -> Array:
        """Filter a chunk; as ``block_filter``, the samples being the valid ones alone."""
        self._fill(x, offset)
        np.copyto(self._start, state)
        for function, arguments in self._steps:
            function(*arguments)
        if out is not None:
            self._respond_to(out)
        return self._state_after(x.shape[1])

    def _places(self, count: int) -> tuple[slice, int, slice]:
        """Return where the whole blocks among ``count`` valid samples lie, the block of the rest, and its place there.

        Whoever has no rest does not look at the block, which may be none.
        """
        n_blocks = self._joined.shape[1]
        whole, rest = divmod(count, self._block)
        if self._backwards:
            return slice(n_blocks - whole, n_blocks), n_blocks - whole - 1, slice(self._block - rest, self._block)
        return slice(whole), whole, slice(rest)

    def _parts(self, values: Array) -> tuple[Array, Array]:
        """Return the samples of whole blocks, (n_channels, whole, block), and the rest."""
        whole, rest = divmod(values.shape[1], self._block)
        cut = rest if self._backwards else whole * self._block
        early, late = values[:, :cut], values[:, cut:]
        blocks, others = (late, early) if self._backwards else (early, late)
        return blocks.reshape(len(values), whole, self._block), others

    def _fill(self, x: Array, offset: Array | None) -> None:
        """Write ``x − offset`` beside the states, and zeros where there is nothing."""
        blocks, others = self._parts(x)
        whole, number, rest = self._places(x.shape[1])
        samples = self._joined[..., self._own]
        function, arguments = _copied(blocks, samples[:, whole])
        function(*arguments)
        if others.shape[1]:
            samples[:, number, rest] = others
        if offset is not None:
            # whole rows are one run of memory; what becomes of old states does not matter
            rows = self._joined.reshape(len(x), -1)
            np.subtract(rows, offset[:, np.newaxis], out=rows)
        if blocks.shape[1] < samples.shape[1]:
            samples[:, number, slice(rest.start) if self._backwards else slice(rest.stop, None)] = 0
            samples[:, slice(number) if self._backwards else slice(number + 1, None)] = 0

    def _respond_to(self, out: Array) -> None:
        """Write the results of the valid samples."""
        count = out.shape[1]
        n_channels, n_blocks, _ = self._joined.shape
        whole, number, rest = self._places(count)
        if n_blocks < FEW_BLOCKS:
            flat = product(self._joined, self._matrices.respond, self._found).reshape(n_channels, -1)
            np.copyto(out, flat[:, flat.shape[1] - count :] if self._backwards else flat[:, :count])
            return
        blocks, others = self._parts(out)
        product(self._joined[:, whole], self._matrices.respond, blocks)
        if others.shape[1]:
            last = product(self._joined[:, number : number + 1], self._matrices.respond, self._found)
            others[...] = last[:, 0, rest]

    def _state_after(self, count: int) -> Array:
        """Return the state after ``count`` samples: that at its block's start, advanced by the rest of the block."""
        whole, rest = divmod(count, self._block)
        if whole == self._joined.shape[1]:
            return self._end.copy()
        _, number, place = self._places(count)
        state = self._joined[:, number, self._past]
        if rest == 0:
            return state.copy()
        drive = self._matrices.drive[..., :rest, :] if self._backwards else self._matrices.drive[..., -rest:, :]
        samples = self._joined[:, number, self._own][:, place]
        return _moved(state, self._matrices.powers[..., rest, :, :]) + _moved(samples, drive)


def _products(rows: Array, matrix: Array, out: Array) -> list[Step]:
    """Return the steps of ``product``."""
    return [(np.matmul, arguments) for arguments in pieces(rows, matrix, out)]


def _copied(source: Array, target: Array) -> Step:
    """Return the step that copies short rows, (…, count), of one precision.

    Measured: each row as one item of so many bytes is moved several times quicker than number by number.
    """
    size = source.dtype.itemsize
    if source.dtype != target.dtype or source.strides[-1] != size or not source.size:
        return np.copyto, (target, source)
    item = f"V{source.shape[-1] * size}"
    return np.copyto, (target.view(item), source.view(item))


def _moved(rows: Array, matrix: Array) -> Array:
    """Return one row of each channel times its matrix."""
    return np.asarray(np.matmul(rows[:, np.newaxis], matrix)[:, 0])


def _advance(state: Array, cross: Array, left: Array) -> None:
    """Move a state on: ``left``, what is left by what it crosses, becomes the next one."""
    np.add(_moved(state, cross), left, out=left)
