"""Long filters of finite length on the host: samples go from where they lie to where they belong.

Signals are shared out over cores by channels and, as such a filter forgets at once, by time. Where what is read and
what is written share memory, each piece is read before what it needs is overwritten.

Invariant: as ``block_fir.fir_overlap_save``; where the samples lie with the last one first, so do the results, at the
same speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from jaxscope.dsp.host_blocks import Scratch
from jaxscope.engines.base import NotFiniteError
from jaxscope.engines.host_transforms import Factors, Plan, Spectra, filter_in_place, plan, room
from jaxscope.engines.precision import beyond, held_by
from jaxscope.engines.segments import Rows
from jaxscope.engines.streaming import Flow
from jaxscope.side_by_side import n_threads, side_by_side

Array = npt.NDArray[Any]

#: samples of a share at least: below, threads cost more than they save
LEAST_SHARED = 1 << 16
#: shares for each core at most, so that one that is held up takes fewer; and the samples from which that is worth while
SHARES, MANY_SHARED = 4, 1 << 19


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """What is filtered, in the order of memory: ``x`` less ``offset`` to ``y`` plus ``level``, (n_rows, n_samples).

    ``backwards``: the last sample is the first of the filter. ``rows`` are the channels.
    """

    x: Array
    y: Array
    offset: Array | None
    level: Array | None
    rows: Rows
    backwards: bool

    def place(self, start: int, stop: int, count: int | None = None) -> slice:
        """Return where those of ``count`` that the filter meets from ``start`` to ``stop`` lie in memory."""
        count = self.x.shape[1] if count is None else count
        return slice(count - stop, count - start) if self.backwards else slice(start, stop)

    def part(self, rows: slice, start: int, stop: int) -> _Way:
        """Return the part of it in some rows, which the filter meets from ``start`` to ``stop``."""
        place = self.place(start, stop)
        return _Way(
            x=self.x[rows, place],
            y=self.y[rows, place],
            offset=None if self.offset is None else self.offset[rows],
            level=None if self.level is None else self.level[rows],
            rows=self.rows[rows],
            backwards=self.backwards,
        )


def stream(flow: Flow, spectra: Spectra, dtype: npt.DTypeLike) -> Array:
    """Filter a flow and return the state after it, (n_rows, n_before).

    Raises
    ------
    NotFiniteError
        Where a sample is not finite.
    UsageError
        Where finite ones are too large for the precision.
    """
    turned = flow.x.strides[1] < 0 and (flow.y is None or flow.y.strides[1] < 0)
    order = slice(None, None, -1) if turned else slice(None)
    x = flow.x[:, order]
    own_dtype = np.dtype(dtype)
    state = np.asarray(flow.states[0])
    with held_by(own_dtype):
        flow.offset.astype(own_dtype)  # it comes back with the steady level, however little is left beside it
    way = _Way(
        x=x,
        y=x if flow.y is None else flow.y[:, order],
        offset=flow.offset if flow.offset.any() else None,
        level=flow.level.astype(own_dtype) if flow.level.any() else None,
        rows=flow.rows,
        backwards=turned,
    )
    after = _last(way, state, x.shape[1], state.shape[1])
    if flow.y is not None:
        _run(way, state, spectra)
    elif not np.isfinite(x).all():
        raise NotFiniteError
    return after


def overlap_save(x: Array, past: Array, n_valid: int, spectra: Spectra, out: Array | None, scratch: Scratch) -> Array:
    """Filter a chunk; arguments and results as ``host_blocks.fir_toeplitz``, of any ``n_samples``."""
    way = _Way(x=x, y=x if out is None else out, offset=None, level=None, rows=np.arange(len(x)), backwards=False)
    after = _last(way, past, n_valid, past.shape[1])
    if out is not None:
        with np.errstate(all="ignore"):  # what is not finite is found in the samples, or has come from before
            n_rows, n_samples = x.shape
            cut = plan(n_rows, n_samples, spectra.reach, past.dtype.itemsize)
            _filter(way, past[:, past.shape[1] - spectra.reach :], spectra, cut)
    return after


def _last(way: _Way, state: Array, stop: int, count: int) -> Array:
    """Return the ``count`` samples that the filter meets before the one number ``stop``, in its order."""
    own = min(stop, count)
    found = np.empty((state.shape[0], count), dtype=state.dtype)
    found[:, : count - own] = state[:, state.shape[1] - (count - own) :]
    order = slice(None, None, -1) if way.backwards else slice(None)
    with held_by(state.dtype):
        _move(way.x[:, way.place(stop - own, stop)][:, order], way.offset, found[:, count - own :])
    return found


def _move(x: Array, offset: Array | None, out: Array) -> None:
    """Write ``x − offset``, worked out in the wider of both precisions."""
    if offset is None:
        np.copyto(out, x, casting="same_kind")
        return
    own = offset.reshape(-1, *(1,) * (x.ndim - 1))
    if x.dtype.itemsize < out.dtype.itemsize:  # a difference of float32 would lose what float64 is asked for
        np.copyto(out, x)
        np.subtract(out, own, out=out)
    else:  # it is a sample of x, so nothing is lost
        np.subtract(x, own.astype(x.dtype), out=out, casting="same_kind")


def _run(way: _Way, state: Array, spectra: Spectra) -> None:
    """Filter in shares: rows, or where these are few, stretches of time."""
    n_rows, n_samples = way.x.shape
    cut = plan(n_rows, n_samples, spectra.reach, state.dtype.itemsize)
    # what precedes each is copied first, as others may overwrite it
    shares = [
        (way.part(rows, first, stop), _last(way, state, first, spectra.reach)[rows])
        for rows, first, stop in _shares(n_rows, n_samples, cut.pieces * cut.new)
    ]

    def work(share: tuple[_Way, Array]) -> bool:
        with np.errstate(all="ignore"):  # what is not finite is found in what comes out
            return _filter(*share, spectra, cut)

    done = side_by_side(work, shares) if len(shares) > 1 else [work(shares[0])]
    if not all(done):
        if np.isfinite(way.x).all():
            raise beyond(state.dtype)
        raise NotFiniteError


def _shares(n_rows: int, n_samples: int, step: int) -> list[tuple[slice, int, int]]:
    """Return rows, first sample and the one after the last of each share; stretches are multiples of ``step``."""
    for_each = n_rows * n_samples // n_threads()
    if for_each < LEAST_SHARED or n_threads() == 1:
        return [(slice(0, n_rows), 0, n_samples)]
    wanted = n_threads() * min(max(for_each // MANY_SHARED, 1), SHARES)
    if n_rows >= wanted:
        return [(slice(top, bottom), 0, n_samples) for top, bottom in _even_cuts(n_rows, wanted)]
    n_steps = -(-n_samples // step)
    cuts = _even_cuts(n_steps, min(wanted, n_steps))
    return [(slice(0, n_rows), first * step, min(last * step, n_samples)) for first, last in cuts]


def _even_cuts(count: int, n_parts: int) -> list[tuple[int, int]]:
    return list(pairwise(count * k // n_parts for k in range(n_parts + 1)))


def _filter(way: _Way, past: Array, spectra: Spectra, cut: Plan) -> bool:
    """Filter all rows on this thread, group after group, and return whether all that came out is finite."""
    n_rows, n_samples = way.x.shape
    order = slice(None, None, -1) if way.backwards else slice(None)
    is_finite = True
    for top in range(0, n_rows, cut.rows):
        own = way.part(slice(top, top + cut.rows), 0, n_samples)
        factors = spectra.of(cut.length, own.rows, backwards=way.backwards)
        is_finite &= _Rows(own, past[top : top + cut.rows, order], cut).filter(factors)
    return is_finite


class _Rows:
    """Some rows on their way through groups of pieces; what all groups have in common is worked out once.

    ``before`` (n_rows, reach), in the order of memory, precedes the first piece.
    """

    def __init__(self, way: _Way, before: Array, cut: Plan) -> None:
        self._way, self._cut, self._before = way, cut, before
        n_rows, n_samples = way.x.shape
        self._reach = before.shape[1]
        self._n_pieces = -(-n_samples // cut.new)
        self._whole, self._rest = divmod(n_samples, cut.new)
        self._overwrites = np.may_share_memory(way.x, way.y)
        # pieces from the second one on, as they lie in x, and what whole ones become
        self._seen = self._y = way.x[:, np.newaxis, :0]
        if self._whole > 1:
            x = way.x[:, way.place(cut.new - self._reach, self._whole * cut.new)]
            row, sample = x.strides
            shape, strides = (n_rows, self._whole - 1, cut.length), (row, cut.new * sample, sample)
            self._seen = self._in_order(as_strided(x, shape, strides))
        if self._whole:
            y = way.y[:, way.place(0, self._whole * cut.new)]
            self._y = self._in_order(y.reshape(n_rows, self._whole, cut.new))

    def _in_order(self, pieces: Array) -> Array:
        return pieces[:, ::-1] if self._way.backwards else pieces

    def _place(self, start: int, stop: int) -> slice:
        """Return where what the filter meets of a piece from ``start`` to ``stop`` lies in it."""
        return self._way.place(start, stop, self._cut.length)

    def filter(self, factors: Factors) -> bool:
        """Filter them, and return whether all that came out is finite."""
        step, n_rows = self._cut.pieces, len(self._way.rows)
        late, is_finite = self._place(self._reach, self._cut.length), True
        memory = pieces = room((n_rows, step, self._cut.length), self._before.dtype)
        for first in range(0, self._n_pieces, step):
            count = min(step, self._n_pieces - first)
            if first == 0 or count < step:
                memory = memory[: n_rows * count * self._cut.length + 1]
                pieces = memory[:-1].reshape(n_rows, count, self._cut.length)
            self._fill(first, pieces)
            if self._overwrites and first + count < self._n_pieces:
                self._before = pieces[:, -1, self._place(self._cut.new, self._cut.length)].copy()
            filter_in_place(memory, pieces, factors)
            # a sample that is not finite leaves nothing of its piece finite
            is_finite = is_finite and bool(np.isfinite(pieces[..., -1]).all())
            self._collect(first, pieces[..., late])
        return is_finite

    def _fill(self, first: int, pieces: Array) -> None:
        """Lay out the pieces from number ``first`` on, each with the samples before it."""
        way, reach, new = self._way, self._reach, self._cut.new
        begun = first + 1 if self._overwrites or first == 0 else first
        stop = min(first + pieces.shape[1], self._whole)
        if begun < stop:
            _move(self._seen[:, begun - 1 : stop - 1], way.offset, pieces[:, begun - first : stop - first])
        if begun > first:
            head = min(new, way.x.shape[1] - first * new)
            pieces[:, 0, self._place(0, reach)] = self._before
            x = way.x[:, way.place(first * new, first * new + head)]
            _move(x, way.offset, pieces[:, 0, self._place(reach, reach + head)])
        if self._rest and first + pieces.shape[1] == self._n_pieces:
            if self._whole >= begun:
                x = way.x[:, way.place(self._whole * new - reach, way.x.shape[1])]
                _move(x, way.offset, pieces[:, -1, self._place(0, reach + self._rest)])
            pieces[:, -1, self._place(reach + self._rest, self._cut.length)] = 0

    def _collect(self, first: int, done: Array) -> None:
        """Write results, (n_rows, n_pieces, new), plus the steady level, to their place."""
        way, new = self._way, self._cut.new
        stop = min(first + done.shape[1], self._whole)
        if first < stop:
            _put(self._y[:, first:stop], done[:, : stop - first], way.level)
        if self._rest and first + done.shape[1] == self._n_pieces:
            y = way.y[:, way.place(self._whole * new, way.x.shape[1])]
            _put(y, done[:, -1, way.place(0, self._rest, new)], way.level)


def _put(y: Array, done: Array, level: Array | None) -> None:
    if level is None:
        y[...] = done
    else:
        np.add(done, level.reshape(-1, *(1,) * (done.ndim - 1)), out=y)
