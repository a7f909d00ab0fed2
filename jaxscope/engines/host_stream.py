"""The way of a flow that the host works out itself: chunk after chunk, from the samples to their place.

Where the device is the host, a compiled program has nothing that NumPy lacks for products of matrices, and costs a
buffer on each side and a share of threads that other streams need. Short signals stay with compiled programs, whose
calls are fewer.

Invariant: results are those of the compiled program within rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import jax
import numpy as np
import numpy.typing as npt

from jaxscope.dsp import host_blocks, host_iir, long_cascades
from jaxscope.dsp.block_iir import block_multiple
from jaxscope.dsp.block_matrices import BLOCK
from jaxscope.engines import host_fft
from jaxscope.engines.kernels import BLOCKS
from jaxscope.engines.precision import held_by
from jaxscope.engines.segments import Rows
from jaxscope.engines.staging import Stage
from jaxscope.engines.streaming import Flow, raise_unless_finite

Array = npt.NDArray[Any]

#: what the host does as well: (samples, state, count of them, weights, place for the result, scratch) → state
HOST_KERNELS: dict[str, Any] = {
    "block": host_iir.block_filter,
    "block-backwards": partial(host_iir.block_filter, backwards=True),
    "long block": long_cascades.host_cascade_filter,
    "long block-backwards": partial(long_cascades.host_cascade_filter, backwards=True),
    "toeplitz": host_blocks.fir_toeplitz,
    "overlap-save": host_fft.overlap_save,
}
#: the device that is the host
HOST = "cpu:0"
#: samples of all channels together from which it is surely quicker
LEAST_SAMPLES = 1 << 12
#: kernels that are quicker from the first sample on
ALWAYS = ("overlap-save",)


def pays_on_host(device: str, kinds: Sequence[str], n_samples: int) -> bool:
    """Return whether the host does kernels ``kinds`` itself, on a device, for ``n_samples`` of all channels."""
    is_enough = n_samples >= LEAST_SAMPLES or all(kind in ALWAYS for kind in kinds)
    return device == HOST and is_enough and all(kind in HOST_KERNELS for kind in kinds)


def is_by_calls(device: str, kinds: Sequence[str]) -> bool:
    """Return whether the host works a chunk of kernels ``kinds`` out by many calls, on a device."""
    return device == HOST and all(kind in BLOCKS for kind in kinds)


def stream_on_host(
    flow: Flow,
    length: int,
    kinds: Sequence[str],
    by_row: Sequence[bool],
    weights: Sequence[Any],
    dtype: npt.DTypeLike,
) -> list[Array]:
    """Filter a flow in chunks of ``length`` samples and return the states after it.

    Raises
    ------
    NotFiniteError
        Where a sample is not finite.
    """
    n_rows, n = flow.x.shape
    own = [_of_rows(weight, flow.rows) if rows else weight for weight, rows in zip(weights, by_row, strict=True)]
    parts = [_Part(*each) for each in zip(kinds, own, map(np.array, flow.states), strict=True)]
    level = flow.level[:, np.newaxis].astype(dtype) if flow.level.any() else None
    # a block filter takes samples from where they lie, and its state keeps every NaN that went in
    is_straight = kinds[0] in BLOCKS and np.can_cast(flow.x.dtype, dtype, "safe")
    offset = {"offset": flow.offset.astype(dtype)} if is_straight and flow.offset.any() else {}
    with ExitStack() as stack:
        stage = stack.enter_context(Stage(n_rows, length, dtype, checks=not any(kind in BLOCKS for kind in kinds)))
        for part in parts:
            part.scratch = stack.enter_context(host_blocks.Scratch())
        for start in range(0, n, length):
            place = flow.place(start, min(start + length, n))
            x, count = flow.x[:, place], place.stop - place.start
            if not is_straight:
                x = _filled(stage.fill(x, flow.offset, at_end=flow.backwards), count, flow.backwards)
            y = None if flow.y is None else flow.y[:, place]
            done = parts[0].filtered(x, count, y, is_last=len(parts) == 1, backwards=flow.backwards, **offset)
            for part in parts[1:]:
                done = part.filtered(done, count, y, is_last=part is parts[-1], backwards=flow.backwards)
            if y is not None and done is not None:
                _finish(y, _valid(done, count, flow.backwards), level)
    states = [part.state for part in parts]
    raise_unless_finite(states, flow.x)
    if offset and not all(np.isfinite(state).all() for state in states):
        _raise_unless_held(flow, length, offset["offset"])
    return states


@dataclass(slots=True)
class _Part:
    """A part of a chain on its way through a flow."""

    kind: str
    weights: Any
    state: Array
    scratch: host_blocks.Scratch = field(default_factory=host_blocks.Scratch)

    def filtered(
        self, x: Any, count: int, y: Array | None, *, is_last: bool, backwards: bool, **more: Any
    ) -> Array | None:
        """Filter ``count`` valid samples to ``y``, or to whole groups of blocks where these do not go there."""
        out = y
        if not is_last or (y is not None and self.kind not in BLOCKS and x.shape != y.shape):
            # transforms spread all that stands in a piece, so old memory behind the samples would come in with it
            width = _whole(count) if self.kind in BLOCKS else x.shape[1]
            out = self.scratch.room("out", (x.shape[0], width), self.state.dtype)
            if self.kind in BLOCKS:  # they leave what is not valid as it is
                _idle(out, count, backwards)[...] = 0
        self.state = HOST_KERNELS[self.kind](x, self.state, count, self.weights, out, self.scratch, **more)
        return out


def _raise_unless_held(flow: Flow, length: int, offset: Array) -> None:
    """Raise where a sample less its offset is beyond the precision, rather than what a filter has made of it."""
    with held_by(offset.dtype):
        for start in range(0, flow.x.shape[1], length):
            np.subtract(flow.x[:, start : start + length], offset[:, np.newaxis], dtype=offset.dtype)


def _whole(count: int) -> int:
    """Return how many samples whole groups of blocks have, at or above ``count``."""
    return block_multiple(-(-count // BLOCK)) * BLOCK


def _valid(values: Array, count: int, backwards: bool) -> Array:  # noqa: FBT001
    return values[:, values.shape[1] - count :] if backwards else values[:, :count]


def _idle(values: Array, count: int, backwards: bool) -> Array:  # noqa: FBT001
    return values[:, : values.shape[1] - count] if backwards else values[:, count:]


def _filled(buffer: Array, count: int, backwards: bool) -> Array:  # noqa: FBT001
    """Return the part of a buffer that has ``count`` samples, in whole groups of blocks."""
    return _valid(buffer, _whole(count), backwards)


def _finish(y: Array, done: Array, level: Array | None) -> None:
    """Write what is done, plus the steady level, to its place, where it does not lie there already."""
    if level is not None:
        np.add(done, level, out=y)
    elif done.ctypes.data != y.ctypes.data:
        y[...] = done


def _of_rows(weight: Any, rows: Rows) -> Any:
    """Return the weights of some rows; rows that follow each other need no copy."""
    first, last = int(rows[0]), int(rows[-1])
    index = slice(first, last + 1) if last - first == len(rows) - 1 and (np.diff(rows) == 1).all() else rows
    return jax.tree.map(lambda leaf: leaf[index], weight)
