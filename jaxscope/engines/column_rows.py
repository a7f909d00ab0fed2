"""The rows of pixels that many traces cover in columns of a picture, in one compiled pass over tables of heights.

Numpy takes some forty passes over tables of all columns and traces for the same; here each number is looked at once.
On the CPU, whatever device filters: heights are there, and so is the picture.

Invariant: the rows are those of ``gui.painting.columns``, but for heights that rounding moves across a pixel's border.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from jaxscope.engines.compiled import count_trace

Array = npt.NDArray[Any]


def _at(table: Any, points: Any) -> Any:
    return table.at[points].get(mode="promise_in_bounds")


@jax.jit
def _column_rows(top: Any, bottom: Any, borders: Any, points: Any, share: Any, sizes: Any) -> tuple[Any, Any]:
    count_trace(f"column rows {top.shape} {points.shape}")
    height, thickness, stride = sizes
    middle = jnp.float32(0.5) * (top + bottom)
    weight = share[:, None]
    edge = _at(middle, borders[0]) * (1 - weight) + _at(middle, borders[1]) * weight
    first, second = edge[:-1], edge[1:]
    # a comparison with NaN is false: what is NaN gives way, and what is NaN alone ends where it begins
    highest = jnp.where((first < second) | jnp.isnan(second), first, second)
    lowest = jnp.where((first > second) | jnp.isnan(second), first, second)
    for point in points:
        upper, lower = _at(top, point), _at(bottom, point)
        highest = jnp.where((upper < highest) | jnp.isnan(highest), upper, highest)
        lowest = jnp.where((lower > lowest) | jnp.isnan(lowest), lower, lowest)
    column = jnp.arange(highest.shape[0], dtype=jnp.int32)[:, None]

    def places(y: Any, below: Any) -> Any:
        row = jnp.floor(y) + below
        row = jnp.where(row < height, row, height)
        return jnp.maximum(row, 0).astype(jnp.int32) * stride.astype(jnp.int32) + column

    return places(highest, jnp.float32(0)), places(lowest, thickness)


def column_rows(
    top: Array, bottom: Array, borders: Array, points: Array, share: Array, sizes: tuple[int, int, int]
) -> tuple[Array, Array]:
    """Return where runs of pixels begin and end, as numbers of pixels in a picture that is ``stride`` pixels wide.

    Parameters
    ----------
    top, bottom : ndarray of float32, shape (n_points, n_traces)
        Heights of the two ends of each bin, in pixels downwards; NaN is a break.
    borders : ndarray of intp, shape (2, n_columns + 1)
        The points before and after the left border of each column.
    points : ndarray of intp, shape (n, n_columns)
        Points inside each column; one that is NaN where there are fewer.
    share : ndarray of float32, shape (n_columns + 1,)
        How far each border lies on the way between its two points.
    sizes : (height, thickness, stride)
        Of the picture, of traces, and of a row of the picture; in pixels.

    Returns
    -------
    begin, end : ndarray of int32, shape (n_columns, n_traces)
        A run that begins where it ends is none. Where there is nothing both lie in row ``height``.
    """
    numbers = tuple(map(np.float32, sizes))
    with jax.default_device(jax.local_devices(backend="cpu")[0]):
        begin, end = _column_rows(top, bottom, borders, points, share, numbers)
    return np.asarray(begin), np.asarray(end)
