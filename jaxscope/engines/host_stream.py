"""The way of a flow that the host works out itself: chunk after chunk, from the samples to their place.

Where the device is the host, a compiled program has nothing that NumPy lacks for products of matrices, and costs a
buffer on each side and a share of threads that other streams need. Short signals stay with compiled programs, whose
calls are fewer.

Invariant: results are those of the compiled program within rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import numpy as np
import numpy.typing as npt

from jaxscope.dsp import host_blocks
from jaxscope.dsp.block_iir import block_multiple
from jaxscope.dsp.block_matrices import BLOCK
from jaxscope.engines.segments import Rows
from jaxscope.engines.staging import Stage
from jaxscope.engines.streaming import Flow, raise_unless_finite

Array = npt.NDArray[Any]

#: what the host does as well: (samples, state, count of them, weights, place for the result, scratch) → state
HOST_KERNELS: dict[str, Any] = {
    "block": host_blocks.block_filter,
    "block-backwards": partial(host_blocks.block_filter, backwards=True),
    "toeplitz": host_blocks.fir_toeplitz,
}
#: the device that is the host
HOST = "cpu:0"
#: samples of all channels together from which it is surely quicker
LEAST_SAMPLES = 1 << 12
#: channels up to which blocks in float32 are compiled: measured, a compiled program is quicker on one and equal on two
FEW_CHANNELS = 2


def pays_on_host(device: str, kinds: Sequence[str], n_samples: int, *, n_channels: int, dtype: npt.DTypeLike) -> bool:
    """Return whether the host does kernels ``kinds`` itself for a program of ``n_channels`` on a device."""
    if device != HOST or n_samples < LEAST_SAMPLES or any(kind not in HOST_KERNELS for kind in kinds):
        return False
    is_block = any(kind.startswith("block") for kind in kinds)
    return not (is_block and n_channels <= FEW_CHANNELS and np.dtype(dtype) == np.float32)


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
    states = [np.array(state) for state in flow.states]
    level = flow.level[:, np.newaxis].astype(dtype) if flow.level.any() else None
    scratch = [host_blocks.Scratch() for _ in kinds]
    # a block filter's state keeps every NaN that went in
    is_checked = any(kind.startswith("block") for kind in kinds)
    with Stage(n_rows, length, dtype, checks=not is_checked) as stage:
        for start in range(0, n, length):
            place = flow.place(start, min(start + length, n))
            count = place.stop - place.start
            x: Any = _filled(stage.fill(flow.x[:, place], flow.offset, at_end=flow.backwards), count, flow.backwards)
            y = None if flow.y is None else flow.y[:, place]
            for k, kind in enumerate(kinds):
                is_last = k == len(kinds) - 1
                out = y if is_last and (y is None or x.shape == y.shape) else scratch[k].room("out", x.shape, x.dtype)
                states[k] = HOST_KERNELS[kind](x, states[k], count, own[k], out, scratch[k])
                x = out
            if y is not None:
                _finish(y, x[:, x.shape[1] - count :] if flow.backwards else x[:, :count], level)
    raise_unless_finite(states, flow.x)
    return states


def _filled(buffer: Array, count: int, backwards: bool) -> Array:  # noqa: FBT001
    """Return the part of a buffer that has ``count`` samples, in whole groups of blocks."""
    needed = block_multiple(-(-count // BLOCK)) * BLOCK
    return buffer[:, buffer.shape[1] - needed :] if backwards else buffer[:, :needed]


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
