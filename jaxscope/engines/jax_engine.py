"""Programs that run on a device: chunks that stay in cache go in, results come out while the next is worked on.

Each segment's first sample is taken off in float64 before anything is rounded, and its steady answer is put back at
the end: in float32 a channel that sits at 175,940 µV keeps its 25 µV of signal.

Invariant: chunking is invisible; results are those of the whole within rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import jax
import numpy as np
import numpy.typing as npt

from jaxscope import arena
from jaxscope.dsp.block_fir import LANES, new_samples
from jaxscope.engines import compiled, host_fft, host_transforms, staging
from jaxscope.engines.base import AbstractProgram
from jaxscope.engines.devices import find_device
from jaxscope.engines.edges import pad_length, padded, paddings, part_gain
from jaxscope.engines.fused_view import fused_view
from jaxscope.engines.host_stream import is_by_calls, pays_on_host, stream_on_host
from jaxscope.engines.kernels import BACKWARDS, BLOCKS, KERNELS, bucket, filled_taps, kernel_of, save_unit
from jaxscope.engines.mixing_host import checked_matrix
from jaxscope.engines.precision import coefficients_held_by
from jaxscope.engines.row_groups import rounds_of, row_groups, stretch_count
from jaxscope.engines.segments import Rows
from jaxscope.engines.settling import NEVER, memory
from jaxscope.engines.staging import CHUNK_BYTES, Stage, Weights, bucket_samples, chunk_samples
from jaxscope.engines.streaming import Flow, collect, run_chunks, with_rows
from jaxscope.engines.windows import Envelopes
from jaxscope.filters.coefficients import ChainDesign, RunningMedian, Taps
from jaxscope.side_by_side import n_threads, side_by_side

Array = npt.NDArray[Any]

#: samples up to which a call costs less than compiling one for fewer channels ever saves
SMALL_CALL = 1 << 16
#: chunks, and halos, that a core must have before a signal is cut in time for it
FEWEST_CHUNKS = 4


class JaxProgram(AbstractProgram):
    """A chain compiled by jax; the subclasses say which kernels."""

    method: ClassVar[str]
    sections_by: ClassVar[str] = "block"
    taps_by: ClassVar[str] = "toeplitz"
    #: whether parts that can run backwards in time do so, instead of forwards over the signal turned round
    turns: ClassVar[bool] = True

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
        #: by whether time runs backwards
        self._weights: dict[bool, list[Any]] = {}
        self._placed: dict[bool, Weights] = {}
        self._spectra: dict[int, host_transforms.Spectra] = {}
        self._starts: list[tuple[Array, Array]] | None = None

    # -- coefficients ----------------------------------------------------------------------------------------------
    def _kinds(self, *, backwards: bool) -> tuple[str, ...]:
        return tuple(BACKWARDS.get(kind, kind) for kind in self.kinds) if backwards else self.kinds

    def _host_weights(self, *, backwards: bool = False) -> list[Any]:
        if backwards not in self._weights:
            pairs = zip(self._kinds(backwards=backwards), self._parts, strict=True)
            with coefficients_held_by(self.dtype):
                self._weights[backwards] = [KERNELS[kind].weights(column, self.dtype) for kind, column in pairs]
        return self._weights[backwards]

    def _native_weights(self, numbers: Sequence[int], *, backwards: bool) -> list[Any]:
        """Return the weights of some parts as the host itself takes them."""
        for k in [k for k in numbers if self.kinds[k] == "overlap-save" and k not in self._spectra]:
            self._spectra[k] = host_transforms.spectra_of(self._parts[k], self.dtype)
        others = self._host_weights(backwards=backwards) if any(k not in self._spectra for k in numbers) else []
        return [self._spectra[k] if k in self._spectra else others[k] for k in numbers]

    def placed_weights(self, *, backwards: bool = False) -> tuple[Any, ...]:
        """Return the weights of every part, on the device; those for time running backwards too."""
        if backwards not in self._placed:
            host = self._host_weights(backwards=backwards)
            self._placed[backwards] = Weights(host, self.jax_device, at_once=self.device != "cpu:0")
        return self._placed[backwards].take()

    def gains(self) -> Array:
        """Return the gain of the whole chain for a constant, (n_channels,); NaN where there is none."""
        product = np.ones(1)
        for _, gains in self._steady():
            product = product * gains
        return np.broadcast_to(product, (self.n_channels,)).astype(np.float64)

    def started_causal(self, first: Array, rows: Rows) -> list[dict[str, Array]]:
        """Return what a segment with the samples ``first`` starts from: offset and level, then states."""
        return self._begin(first, rows)

    def weights_for(self, rows: Rows, padded_rows: int, *, backwards: bool = False) -> tuple[Any, ...]:
        """Return the weights of every part for some rows, the last of them repeated up to ``padded_rows``."""
        every = self.placed_weights(backwards=backwards)
        if len(rows) == self.n_channels or not any(self.by_row):
            return every
        index = np.concatenate([rows, np.repeat(rows[-1:], padded_rows - len(rows))])
        return tuple(
            jax.tree.map(lambda leaf: leaf[index], weight) if by_row else placed
            for weight, placed, by_row in zip(self._host_weights(backwards=backwards), every, self.by_row, strict=True)
        )

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
        level, known = np.array(first, dtype=np.float64), np.ones(len(rows), dtype=bool)
        levels: list[Array] = []
        for k in numbers:
            gains = self._steady()[k][1]
            gains = gains[rows] if len(gains) > 1 else gains
            known &= ~np.isnan(gains) | (level == 0.0)
            levels.append(level)
            with np.errstate(over="ignore"):  # a level beyond float64 is infinite, as in SciPy
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
        numbers, states = range(len(self.kinds)), [part["state"] for part in parts[1:]]
        states = self._stream(
            Flow(x=x, y=y, numbers=numbers, rows=rows, states=states, offset=head["offset"], level=head["level"])
        )
        return y, [head, *({"state": state} for state in states)]

    def _halo(self, numbers: Sequence[int]) -> int:
        """Return after how many samples the parts ``numbers`` have forgotten their start, to below rounding."""
        return min(sum(max(memory(part) for part in self._parts[k]) for k in numbers), NEVER)

    def _stream(self, flow: Flow) -> list[Array]:
        """Filter a flow and return the states after it; channels, or stretches of time, go side by side."""
        n_rows, n_samples = flow.x.shape
        if [self.kinds[k] for k in flow.numbers] == ["overlap-save"] and self._is_native(flow):
            return [host_fft.stream(flow, self._native_weights(flow.numbers, backwards=False)[0], self.dtype)]
        rounds = rounds_of(flow.x.size) if self._is_native(flow) else 1
        length, groups, may_cut = self._shares(n_rows, n_samples, rounds)
        self.placed_weights(backwards=flow.backwards)  # before threads ask for them
        if may_cut:
            halo = self._halo(flow.numbers)
            if n_samples >= FEWEST_CHUNKS * halo * n_threads():
                return self._in_stretches(flow, length, halo)
        if len(groups) == 1:
            return self._stream_rows(flow, length, self._padded_rows(n_rows, length), alone=False)
        size = groups[0].stop - groups[0].start
        ends = side_by_side(
            lambda own: self._stream_rows(flow.of_rows(own), length, size, alone=self.backend == "cpu"), groups
        )
        return [np.concatenate(column) for column in zip(*ends, strict=True)]

    def _shares(self, n_rows: int, n_samples: int, rounds: int) -> tuple[int, list[slice], bool]:
        """Return the samples of a chunk, the groups of rows, and whether there are cores left for stretches of time."""
        is_cpu = self.backend == "cpu"
        total = n_rows * n_samples if is_cpu else 0
        shared = row_groups(n_rows, n_rows, total, rounds)[0]
        length, at_once = self._chunk(shared.stop - shared.start, n_samples)
        groups = row_groups(n_rows, min(at_once, shared.stop - shared.start), total, rounds)
        may_cut = n_samples >= FEWEST_CHUNKS * min(length, staging.LONGEST_CHUNK) * n_threads()
        return length, groups, is_cpu and n_rows < n_threads() and may_cut

    def _in_stretches(self, flow: Flow, length: int, halo: int) -> list[Array]:
        """Run stretches of time side by side, each from the states that a halo leaves."""
        padded_rows = self._padded_rows(len(flow.rows), length)

        def run(share: tuple[Flow | None, Flow]) -> list[Array]:
            early, own = share
            if early is not None:
                own = replace(own, states=self._stream_rows(early, length, padded_rows, alone=True))
            return self._stream_rows(own, length, padded_rows, alone=True)

        return side_by_side(run, flow.stretches(stretch_count(flow.x.shape[1], halo, n_threads()), halo))[-1]

    def _stream_rows(self, flow: Flow, length: int, padded_rows: int, *, alone: bool) -> list[Array]:
        """Filter a flow in chunks of (``padded_rows``, ``length``), ``alone`` on one core where others are busy."""
        by_row = tuple(self.by_row[k] for k in flow.numbers)
        kinds = tuple(self._kinds(backwards=flow.backwards)[k] for k in flow.numbers)
        if self._is_native(flow):
            native = self._native_weights(flow.numbers, backwards=flow.backwards)
            return stream_on_host(flow, length, kinds, by_row, native, self.dtype)
        placed = self.weights_for(flow.rows, padded_rows, backwards=flow.backwards)
        weights = tuple(placed[k] for k in flow.numbers)
        compiled_advance = compiled.advance_alone if alone else compiled.advance
        is_checked = any(kind in BLOCKS for kind in kinds)
        # one chunk that needs no change is read where it lies
        as_it_is = (
            flow.x.dtype == self.dtype
            and flow.x.shape == (padded_rows, length)
            and flow.x.flags.c_contiguous
            and is_checked
            and not flow.offset.any()
        )

        def advance(chunk: Any, carried: Any, n_valid: Any) -> Any:
            return self.noted(compiled_advance(chunk, carried, n_valid, weights, kinds=kinds, by_row=by_row))

        carried = tuple(self._place(with_rows(state, padded_rows)) for state in flow.states)
        with Stage(padded_rows, length, self.dtype, checks=not is_checked) as stage:

            def fill(x: Array, offset: Array) -> Any:
                return self._place(x if as_it_is else stage.fill(x, offset, at_end=flow.backwards))

            return run_chunks(flow, length, carried, fill, advance, collect)

    def _is_native(self, flow: Flow) -> bool:
        kinds = [self._kinds(backwards=flow.backwards)[k] for k in flow.numbers]
        is_native = pays_on_host(self.device, kinds, flow.x.size)
        self.ran_on = self.ran_on or (self.device,) * is_native
        return is_native

    def noted(self, out: Any) -> Any:
        """Note which devices hold a first result, and return it."""
        if not self.ran_on:
            self.ran_on = tuple(sorted(f"{device.platform}:{device.id}" for device in out[0].devices()))
        return out

    def _padded_rows(self, n_rows: int, length: int) -> int:
        """Return how many rows a compiled call has: short runs between gaps share one shape."""
        if n_rows == self.n_channels or self.n_channels * length <= SMALL_CALL:
            return self.n_channels
        return min(bucket(n_rows), self.n_channels)

    def _place(self, values: Array) -> Any:
        """Return ``values`` on the device; a CPU's first device takes them as they are, which is quicker."""
        return values if self.device == "cpu:0" else jax.device_put(values, self.jax_device, may_alias=True)

    def _chunk(self, n_rows: int, n_samples: int) -> tuple[int, int]:
        """Return how many samples and how many channels go to the device at a time."""
        window = max((own[0].window for own in self._parts if isinstance(own[0], RunningMedian)), default=1)
        itemsize, all_of_it = self.dtype().itemsize, bucket_samples(n_samples)
        length = min(chunk_samples(n_rows, itemsize, window, by_calls=is_by_calls(self.device, self.kinds)), all_of_it)
        sizes = [
            filled_taps(column[0], save_unit(len(column[0].values))).size
            for column, kind in zip(self._parts, self.kinds, strict=True)
            if kind == "overlap-save" and isinstance(column[0], Taps)
        ]
        if sizes:  # whole pairs of pieces, or a single one
            piece = new_samples(max(sizes))
            whole = max(length // (2 * piece), 1) * 2 * piece if n_samples > piece else min(all_of_it, piece)
            length = min(bucket_samples(whole), all_of_it) if any(map(BLOCKS.__contains__, self.kinds)) else whole
        at_once = max(4 * CHUNK_BYTES // (length * itemsize * window), 1)
        return length, at_once // LANES * LANES or at_once

    def view(
        self, x: Array, first_sample: int, bin_size: int, cut: slice, montage: npt.ArrayLike | None = None
    ) -> Envelopes:
        """Mix, filter, cut and take envelopes in one compiled call; see ``AbstractProgram.view``."""
        if montage is None:
            return fused_view(self, self._checked(x), first_sample, bin_size, cut)
        x = np.asarray(x, dtype=None if np.asarray(x).dtype == np.float32 else np.float64)
        weights = checked_matrix(montage, self.n_channels, x.shape[0])
        return fused_view(self, x, first_sample, bin_size, cut, weights)

    # -- zero phase --------------------------------------------------------------------------------------------------
    def _both_ways(self, x: Array, rows: Rows) -> Array:
        if not x.size:
            return np.zeros(x.shape, dtype=self.dtype)
        x = x if x.dtype == np.float64 else x.astype(self.dtype, copy=False)  # padding is made in its precision
        # what is constant in a signal goes from part to part beside it, in float64
        constant = np.zeros(len(rows))
        for k in range(len(self.kinds)):
            x, constant = self._part_both_ways(k, x, constant, rows)
        return np.add(x, constant[:, np.newaxis].astype(self.dtype), out=x) if constant.any() else x

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
            begun, nothing = [start[0]["state"]], np.zeros(len(rows))
            way = Flow(x=joined, y=y, numbers=[k], rows=rows, states=begun, offset=head["offset"], level=nothing)
            self._stream(way)
            return y[:, 2 * edge :], head["level"] + gains * constant
        if kind == "gustafsson":
            return self._gustafsson(k, x, rows), constant
        left, right = paddings(x, edge, kind)
        head, *start = self._steady_start([k], np.asarray(left[:, 0] if edge else x[:, 0], np.float64), rows)
        nothing = np.zeros(len(rows))
        y = arena.empty(x.shape, self.dtype)
        tail = np.empty(right.shape, dtype=self.dtype)
        begun, offset = [start[0]["state"]], head["offset"]
        forth = Flow(x=x, y=y, numbers=[k], rows=rows, states=begun, offset=offset, level=nothing)
        states = self._stream(replace(forth, x=left, y=None))
        states = self._stream(replace(forth, states=states))
        self._stream(replace(forth, x=right, y=tail, states=states))
        # y lacks the constant head["level"]; the way back takes off its own first sample as well
        last = np.asarray(tail[:, -1] if edge else y[:, -1], dtype=np.float64)
        back, *start = self._steady_start([k], last, rows)
        turns = self.turns and self.kinds[k] in BACKWARDS
        order = slice(None) if turns else slice(None, None, -1)
        way_back = replace(forth, x=tail[:, order], y=None, offset=back["offset"], backwards=turns)
        states = self._stream(replace(way_back, states=[start[0]["state"]]))
        constant = back["level"] + gains * head["level"] + gains**2 * constant
        # the last part adds it on its way
        level, left_over = (constant, nothing) if k == len(self.kinds) - 1 else (nothing, constant)
        self._stream(replace(way_back, x=y[:, order], y=y[:, order], states=states, level=level))
        return y, left_over

    def _gustafsson(self, k: int, x: Array, rows: Rows) -> Array:
        from jaxscope.engines.scipy_reference import finite_copy, gustafsson

        column = self._parts[k]
        y = arena.empty(x.shape, self.dtype)
        for number, (row, samples) in enumerate(zip(rows, finite_copy(x), strict=True)):
            y[number] = gustafsson(column[int(row) if len(column) > 1 else 0], samples)
        return y


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
