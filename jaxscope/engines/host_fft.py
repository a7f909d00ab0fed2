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
from jaxscope.engines.host_transforms import Plan, Spectra, filter_in_place, plan, room
from jaxscope.engines.precision import beyond, held_by
from jaxscope.engines.segments import Rows
from jaxscope.engines.streaming import Flow
from jaxscope.side_by_side import n_threads, side_by_side

Array = npt.NDArray[Any]

#: samples of all channels together from which cores share the work
LEAST_SHARED = 1 << 16
#: shares for each core, so that one that is held up takes fewer of them
SHARES = 4


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
    wanted = SHARES * n_threads()
    if n_rows * n_samples < LEAST_SHARED or n_threads() == 1:
        return [(slice(0, n_rows), 0, n_samples)]
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
    reach, step = past.shape[1], cut.pieces * cut.new
    order = slice(None, None, -1) if way.backwards else slice(None)
    early, late = way.place(cut.new, cut.length, cut.length), way.place(reach, cut.length, cut.length)
    is_finite = True
    for top in range(0, n_rows, cut.rows):
        own = way.part(slice(top, top + cut.rows), 0, n_samples)
        before = past[top : top + cut.rows, order]
        factors = spectra.of(cut.length, own.rows, backwards=way.backwards)
        for first in range(0, n_samples, step):
            stop = min(first + step, n_samples)
            shape = len(own.rows), -(-(stop - first) // cut.new), cut.length
            memory = room(shape, past.dtype)
            pieces = memory[:-1].reshape(shape)
            _fill(own, first, stop, before, pieces)
            if stop < n_samples:
                before = pieces[:, -1, early].copy()
            filter_in_place(memory, pieces, factors)
            # a sample that is not finite leaves nothing of its piece finite
            is_finite = is_finite and bool(np.isfinite(pieces[..., -1]).all())
            _collect(own, first, stop, pieces[..., late])
    return is_finite


def _fill(way: _Way, first: int, stop: int, before: Array, pieces: Array) -> None:
    """Lay out samples ``first`` to ``stop``, as the filter meets them, and those before each piece."""
    n_rows, _, length = pieces.shape
    reach = before.shape[1]
    new = length - reach
    whole, rest = divmod(stop - first, new)
    pieces[:, 0, way.place(0, reach, length)] = before
    head = min(new, stop - first)
    _move(way.x[:, way.place(first, first + head)], way.offset, pieces[:, 0, way.place(reach, reach + head, length)])
    if whole > 1:
        seen = way.x[:, way.place(first + new - reach, first + whole * new)]
        row, sample = seen.strides
        windows = as_strided(seen, (n_rows, whole - 1, length), (row, new * sample, sample))
        _move(windows[:, ::-1] if way.backwards else windows, way.offset, pieces[:, 1:whole])
    if rest and whole:
        seen = way.x[:, way.place(first + whole * new - reach, stop)]
        _move(seen, way.offset, pieces[:, whole, way.place(0, reach + rest, length)])
    if rest:
        pieces[:, whole, way.place(reach + rest, length, length)] = 0


def _collect(way: _Way, first: int, stop: int, done: Array) -> None:
    """Write results, (n_rows, n_pieces, new), plus the steady level, to their place."""
    n_rows, _, new = done.shape
    whole, rest = divmod(stop - first, new)
    if whole:
        y = way.y[:, way.place(first, first + whole * new)].reshape(n_rows, whole, new)
        _put(y[:, ::-1] if way.backwards else y, done[:, :whole], way.level)
    if rest:
        _put(way.y[:, way.place(stop - rest, stop)], done[:, whole, way.place(0, rest, new)], way.level)


def _put(y: Array, done: Array, level: Array | None) -> None:
    if level is None:
        y[...] = done
    else:
        np.add(done, level.reshape(-1, *(1,) * (done.ndim - 1)), out=y)
