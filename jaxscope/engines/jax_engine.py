"""Programs that run on a device: chunks that stay in cache go in, results come out while the next is worked on.

Each segment's first sample is taken off in float64 before anything is rounded, and its steady answer is put back at
the end: in float32 a channel that sits at 175,940 µV keeps its 25 µV of signal.

Invariant: chunking is invisible; results are those of the whole within rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import jax
import numpy as np
import numpy.typing as npt

from jaxscope.dsp.block_fir import new_samples
from jaxscope.engines import arena, compiled
from jaxscope.engines.base import AbstractProgram, NotFiniteError
from jaxscope.engines.devices import find_device
from jaxscope.engines.edges import pad_length, padded, part_gain
from jaxscope.engines.fused_view import fused_view
from jaxscope.engines.kernels import KERNELS, bucket, filled_taps, kernel_of, save_unit
from jaxscope.engines.mixing_host import checked_matrix
from jaxscope.engines.row_groups import row_groups, side_by_side
from jaxscope.engines.segments import Rows
from jaxscope.engines.staging import Stage, bucket_samples
from jaxscope.engines.windows import Envelopes
from jaxscope.filters.coefficients import ChainDesign, RunningMedian, Taps

Array = npt.NDArray[Any]

#: bytes of one chunk: half of what stays in cache, as there is an input and an output
CHUNK_BYTES = 2 << 20
#: limits of a chunk, in samples
SHORTEST_CHUNK, LONGEST_CHUNK = 4096, 1 << 18
#: samples up to which a call costs less than compiling one for fewer channels ever saves
SMALL_CALL = 1 << 16


def chunk_samples(n_channels: int, itemsize: int, window: int) -> int:
    """Return how many samples of ``n_channels`` make a chunk; a running median of ``window`` multiplies them."""
    wanted = CHUNK_BYTES // (max(n_channels, 1) * itemsize * max(window, 1))
    wanted = min(max(wanted, SHORTEST_CHUNK), LONGEST_CHUNK)
    return bucket_samples(1 << (wanted.bit_length() - 1))


class JaxProgram(AbstractProgram):
    """A chain compiled by jax; the subclasses say which kernels."""

    method: ClassVar[str]
    sections_by: ClassVar[str] = "block"
    taps_by: ClassVar[str] = "toeplitz"

    def __init__(
        self, designs: Sequence[ChainDesign], *, n_channels: int, device: str, precision: str, reason: str
    ) -> None:
        full, self.jax_device = find_device(device)
        super().__init__(designs, n_channels=n_channels, device=full, precision=precision, reason=reason)
        self._parts = [list(column) for column in zip(*(design.parts for design in self.designs), strict=True)]
        self.kinds = tuple(
            kernel_of(column[0], sections_by=self.sections_by, taps_by=self.taps_by) for column in self._parts
        )
        self.by_row = tuple(len(column) > 1 for column in self._parts)
        self._weights: list[Any] | None = None
        self._placed: list[Any] | None = None
        self._starts: list[tuple[Array, Array]] | None = None

    # -- coefficients ----------------------------------------------------------------------------------------------
    def _host_weights(self) -> list[Any]:
        if self._weights is None:
            self._weights = [
                KERNELS[kind].weights(column, self.dtype) for kind, column in zip(self.kinds, self._parts, strict=True)
            ]
        return self._weights

    def placed_weights(self) -> tuple[Any, ...]:
        """Return the weights of every part, on the device."""
        return tuple(self._weights_for(self.all_rows(), self.n_channels))

    def gains(self) -> Array:
        """Return the gain of the whole chain for a constant, (n_channels,); NaN where there is none."""
        product = np.ones(1)
        for _, gains in self._steady():
            product = product * gains
        return np.broadcast_to(product, (self.n_channels,)).astype(np.float64)

    def started_causal(self, first: Array, rows: Rows) -> list[dict[str, Array]]:
        """Return what a segment with the samples ``first`` starts from: offset and level, then states."""
        return self._begin(first, rows)

    def _weights_for(self, rows: Rows, padded_rows: int) -> list[Any]:
        if self._placed is None:
            self._placed = [jax.device_put(weight, self.jax_device) for weight in self._host_weights()]
        if len(rows) == self.n_channels or not any(self.by_row):
            return self._placed
        index = np.concatenate([rows, np.repeat(rows[-1:], padded_rows - len(rows))])
        return [
            jax.tree.map(lambda leaf: leaf[index], weight) if by_row else placed
            for weight, placed, by_row in zip(self._host_weights(), self._placed, self.by_row, strict=True)
        ]

    def _steady(self) -> list[tuple[Array, Array]]:
        """Return for each part the steady states for 1, (1 or n_channels, …), and the gains (NaN: none)."""
        if self._starts is None:
            self._starts = []
            for kind, column in zip(self.kinds, self._parts, strict=True):
                gains = [part_gain(part) for part in column]
                states = np.stack([KERNELS[kind].steady(part) for part in column])
                self._starts.append((states, np.array([np.nan if gain is None else gain for gain in gains])))
        return self._starts

    # -- starts ----------------------------------------------------------------------------------------------------
    def _begin(self, first: Array, rows: Rows) -> list[dict[str, Array]]:
        if self.structure.initial != "steady":
            nothing = np.zeros(len(rows))
            return [{"offset": nothing, "level": nothing}, *({"state": state} for state in self._rest(rows))]
        return self._steady_start(range(len(self.kinds)), np.where(np.isfinite(first), first, 0.0), rows)

    def _rest(self, rows: Rows) -> list[Array]:
        return [np.zeros((len(rows), *states.shape[1:]), dtype=self.dtype) for states, _ in self._steady()]

    def _steady_start(self, numbers: Sequence[int], first: Array, rows: Rows) -> list[dict[str, Array]]:
        """Return offset and level, then the state of each of the parts ``numbers``.

        The samples less the first one start from rest, which is exact where a steady state exists. A pole at z = 1
        that sees the offset has none: then nothing is taken off, and what precedes it starts from its own steady state.
        """
        level = np.array(first, dtype=np.float64)
        known = np.ones(len(rows), dtype=bool)
        levels: list[Array] = []
        for k in numbers:
            gains = self._steady()[k][1]
            gains = gains[rows] if len(gains) > 1 else gains
            known &= ~np.isnan(gains) | (level == 0.0)
            levels.append(level)
            level = np.where(level == 0.0, 0.0, level * np.where(np.isnan(gains), 0.0, gains))
        if known.all():
            rest = self._rest(rows)
            return [{"offset": np.array(first), "level": level}, *({"state": rest[k]} for k in numbers)]
        parts = [{"offset": np.where(known, first, 0.0), "level": np.where(known, level, 0.0)}]
        for k, own in zip(numbers, levels, strict=True):
            steady = self._steady()[k][0]
            steady = steady[rows] if len(steady) > 1 else np.broadcast_to(steady, (len(rows), *steady.shape[1:]))
            factor = np.where(known, 0.0, own).reshape(-1, *(1,) * (steady.ndim - 1))
            parts.append({"state": (steady * factor).astype(self.dtype)})
        return parts

    # -- running ---------------------------------------------------------------------------------------------------
    def _advance(self, x: Array, parts: list[dict[str, Array]], rows: Rows) -> tuple[Array, list[dict[str, Array]]]:
        y = arena.empty(x.shape, self.dtype)
        head = parts[0]
        states = self._stream(
            x, y, range(len(self.kinds)), rows, [part["state"] for part in parts[1:]], head["offset"], head["level"]
        )
        return y, [head, *({"state": state} for state in states)]

    def _stream(
        self,
        x: Array,
        y: Array | None,
        numbers: Sequence[int],
        rows: Rows,
        states: Sequence[Any],
        offset: Array,
        level: Array,
    ) -> list[Array]:
        """Filter ``x − offset``, write it plus ``level`` to ``y`` chunk by chunk (None: nowhere), return the states.

        Groups of channels go side by side where that pays.
        """
        shared = row_groups(len(rows), len(rows), x.size if self.backend == "cpu" else 0)[0]
        length, at_once = self._chunk(shared.stop - shared.start, x.shape[1])
        groups = row_groups(len(rows), min(at_once, shared.stop - shared.start), 0)
        self.placed_weights()  # before threads ask for them

        def part_of(own: slice) -> list[Array]:
            return self._stream_rows(
                x[own], None if y is None else y[own], numbers, rows[own], [state[own] for state in states],
                offset[own], level[own], length, groups,
            )  # fmt: skip

        if len(groups) == 1:
            return part_of(groups[0])
        ends = side_by_side(part_of, groups)
        return [np.concatenate(column) for column in zip(*ends, strict=True)]

    def _stream_rows(
        self,
        x: Array,
        y: Array | None,
        numbers: Sequence[int],
        rows: Rows,
        states: Sequence[Any],
        offset: Array,
        level: Array,
        length: int,
        groups: Sequence[slice],
    ) -> list[Array]:
        n_rows = len(rows)
        padded_rows = self._padded_rows(n_rows, groups, length)
        placed = self._weights_for(rows, padded_rows)
        weights = tuple(placed[k] for k in numbers)
        kinds, by_row = tuple(self.kinds[k] for k in numbers), tuple(self.by_row[k] for k in numbers)
        advance = compiled.advance if len(groups) == 1 or self.backend != "cpu" else compiled.advance_alone
        carried: Any = tuple(self._place(_with_rows(state, padded_rows)) for state in states)
        pending: tuple[int, int, Any] | None = None
        # one chunk that needs no change is read where it lies
        as_it_is = (
            x.shape == (padded_rows, length)
            and x.dtype == self.dtype
            and x.flags.c_contiguous
            and "block" in kinds
            and not np.count_nonzero(offset)
        )
        with Stage(padded_rows, length, self.dtype, checks="block" not in kinds) as stage:
            for start in range(0, x.shape[1], length):
                stop = min(start + length, x.shape[1])
                chunk = self._place(x if as_it_is else stage.fill(x[:, start:stop], offset))
                out, carried = advance(chunk, carried, np.int32(stop - start), weights, kinds=kinds, by_row=by_row)
                if y is None:
                    jax.block_until_ready(carried)  # nobody collects, and the stage is filled again
                elif pending is not None:
                    _collect(y, *pending, level)
                pending = (start, stop, out)
            if y is not None and pending is not None:
                _collect(y, *pending, level)
            after = [np.asarray(state)[:n_rows] for state in carried]
        # a block filter's state keeps every NaN that went in, so its samples need no pass of their own
        if not all(np.isfinite(state).all() for state in after) and not np.isfinite(x).all():
            raise NotFiniteError
        return after

    def _padded_rows(self, n_rows: int, groups: Sequence[slice], length: int) -> int:
        """Return how many rows a compiled call has: groups share one shape, and so do short runs between gaps."""
        if len(groups) > 1:
            size: int = groups[0].stop - groups[0].start
            return size
        if n_rows == self.n_channels or self.n_channels * length <= SMALL_CALL:
            return self.n_channels
        return min(bucket(n_rows), self.n_channels)

    def _place(self, values: Array) -> Any:
        """Return ``values`` on the device; a CPU's first device takes them as they are, which is quicker."""
        return values if self.device == "cpu:0" else jax.device_put(values, self.jax_device, may_alias=True)

    def _chunk(self, n_rows: int, n_samples: int) -> tuple[int, int]:
        """Return how many samples and how many channels go to the device at a time."""
        windows = [column[0].window for column in self._parts if isinstance(column[0], RunningMedian)]
        itemsize = self.dtype().itemsize
        length = chunk_samples(n_rows, itemsize, max(windows, default=1))
        pieces = [
            new_samples(filled_taps(column[0], save_unit(len(column[0].values))).size)
            for column, kind in zip(self._parts, self.kinds, strict=True)
            if kind == "overlap-save" and isinstance(column[0], Taps)
        ]
        if pieces:  # whole pieces
            piece = max(pieces)
            length = piece << max(length // piece, 1).bit_length() - 1
            length = bucket_samples(length) if "block" in self.kinds else length
        length = min(length, bucket_samples(n_samples))
        return length, max(4 * CHUNK_BYTES // (length * itemsize * max(windows, default=1)), 1)

    def view(
        self, x: Array, first_sample: int, bin_size: int, cut: slice, montage: npt.ArrayLike | None = None
    ) -> Envelopes:
        """Mix, filter, cut and take envelopes in one compiled call; see ``AbstractProgram.view``."""
        if montage is None:
            return fused_view(self, self._checked(x), first_sample, bin_size, cut)
        x = np.asarray(x)
        x = x if x.dtype == np.float32 else x.astype(np.float64, copy=False)
        weights = checked_matrix(montage, self.n_channels, x.shape[0])
        return fused_view(self, x, first_sample, bin_size, cut, weights)

    # -- zero phase --------------------------------------------------------------------------------------------------
    def _both_ways(self, x: Array, rows: Rows) -> Array:
        if x.shape[1] == 0:
            return np.zeros(x.shape, dtype=self.dtype)
        x = x if x.dtype == np.float64 else x.astype(self.dtype, copy=False)  # padding is made in its precision
        # what is constant in a signal goes from part to part beside it, in float64
        constant = np.zeros(len(rows))
        for k in range(len(self.kinds)):
            x, constant = self._part_both_ways(k, x, constant, rows)
        return np.add(x, constant[:, np.newaxis].astype(self.dtype), dtype=self.dtype) if constant.any() else x

    def _part_both_ways(self, k: int, x: Array, constant: Array, rows: Rows) -> tuple[Array, Array]:
        """Return what a part makes of ``x + constant``, as samples and a constant."""
        kind = self.structure.padding_kind
        gains = np.broadcast_to(self._steady()[k][1], self.n_channels)[rows]
        if np.isnan(gains).any() or kind == "gustafsson":
            x, constant, gains = x + constant[:, np.newaxis], np.zeros(len(rows)), np.nan_to_num(gains)
        edges = [pad_length(d.parts[k], kind, self.structure.padding_samples, x.shape[1]) for d in self.designs]
        of_rows = np.broadcast_to(np.array(edges), self.n_channels)[rows]
        y = arena.empty(x.shape, self.dtype)
        left_over = np.empty(len(rows))
        # rows with other zero coefficients have other paddings
        for edge in sorted(set(of_rows.tolist())):
            some = np.flatnonzero(of_rows == edge)
            if len(some) == len(rows):
                return self._edged_both_ways(k, x, constant, gains, rows, edge)
            y[some], left_over[some] = self._edged_both_ways(k, x[some], constant[some], gains[some], rows[some], edge)
        return y, left_over

    def _edged_both_ways(
        self, k: int, x: Array, constant: Array, gains: Array, rows: Rows, edge: int
    ) -> tuple[Array, Array]:
        part, kind = self._parts[k][0], self.structure.padding_kind
        if isinstance(part, RunningMedian) or (isinstance(part, Taps) and part.runs_once):
            joined = padded(x, edge, kind)
            head, *start = self._steady_start([k], np.asarray(joined[:, 0], np.float64), rows)
            y = arena.empty(joined.shape, self.dtype)
            self._stream(joined, y, [k], rows, [start[0]["state"]], head["offset"], np.zeros(len(rows)))
            return y[:, 2 * edge :], head["level"] + gains * constant
        if kind == "gustafsson":
            return self._gustafsson(k, x, rows), constant
        left, right = _paddings(x, edge, kind)
        head, *start = self._steady_start([k], np.asarray(left[:, 0] if edge else x[:, 0], np.float64), rows)
        nothing = np.zeros(len(rows))
        y = arena.empty(x.shape, self.dtype)
        tail = np.empty(right.shape, dtype=self.dtype)
        states = self._stream(left, None, [k], rows, [start[0]["state"]], head["offset"], nothing)
        states = self._stream(x, y, [k], rows, states, head["offset"], nothing)
        self._stream(right, tail, [k], rows, states, head["offset"], nothing)
        # y lacks the constant head["level"]; the way back takes off its own first sample as well
        last = np.asarray(tail[:, -1] if edge else y[:, -1], dtype=np.float64)
        back, *start = self._steady_start([k], last, rows)
        states = self._stream(tail[:, ::-1], None, [k], rows, [start[0]["state"]], back["offset"], nothing)
        backwards = y[:, ::-1]
        self._stream(backwards, backwards, [k], rows, states, back["offset"], nothing)
        return y, back["level"] + gains * head["level"] + gains**2 * constant

    def _gustafsson(self, k: int, x: Array, rows: Rows) -> Array:
        from jaxscope.engines.scipy_reference import gustafsson

        column = self._parts[k]
        y = arena.empty(x.shape, self.dtype)
        for number, row in enumerate(rows):
            part = column[int(row) if len(column) > 1 else 0]
            y[number] = gustafsson(part, np.asarray(x[number], dtype=np.float64))
        return y


def _with_rows(state: Array, n_rows: int) -> Array:
    """Return a state with rows of zeros added up to ``n_rows``."""
    missing = n_rows - state.shape[0]
    return np.pad(state, ((0, missing), *((0, 0),) * (state.ndim - 1))) if missing else state


def _collect(y: Array, start: int, stop: int, out: Any, level: Array) -> None:
    """Wait for a chunk and write it, plus the steady level, to its place."""
    done = np.asarray(out)[: y.shape[0], : stop - start]
    if np.any(level):
        np.add(done, level[:, np.newaxis].astype(y.dtype), out=y[:, start:stop])
    else:
        y[:, start:stop] = done


def _paddings(x: Array, edge: int, kind: str) -> tuple[Array, Array]:
    """Return what precedes and what follows ``x`` in its padded form."""
    reach = min(edge + 1, x.shape[1])
    left = padded(x[:, :reach], edge, kind)[:, :edge]
    right = padded(x[:, -reach:], edge, kind)
    return left, right[:, right.shape[1] - edge :]


class BlockProgram(JaxProgram):
    """Sections as block state space, taps as banded products."""

    method: ClassVar[str] = "block"


class ToeplitzProgram(JaxProgram):
    """Taps as banded products."""

    method: ClassVar[str] = "toeplitz"


class OverlapSaveProgram(JaxProgram):
    """Taps over the Fourier transform, piece by piece."""

    method: ClassVar[str] = "overlap-save"
    taps_by: ClassVar[str] = "overlap-save"


class ScanProgram(JaxProgram):
    """Sections sample after sample: the reference within jax."""

    method: ClassVar[str] = "scan"
    sections_by: ClassVar[str] = "scan"
