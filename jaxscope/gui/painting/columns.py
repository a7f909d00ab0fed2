"""Traces as columns of an image, in numpy: the way to paint very many lanes.

For each device column a trace covers a run of pixels: its extremes inside the column, joined to the neighbours at the
column's borders. Run ends are scattered as +1 and -1 and summed down the columns, so the cost hardly grows with the
number of traces. A column picture lies exactly under its smooth one: both come from ``scene.prepare``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.gui.painting.scene import Line, Stroke

FloatArray = npt.NDArray[np.float64]
Pixels = npt.NDArray[np.uint32]


def column_runs(lines: Sequence[Line], left: int, right: int) -> tuple[FloatArray, FloatArray]:
    """Return tops and bottoms, shape (n_lines, right - left), of traces that share their positions; NaN is nothing."""
    x = lines[0].x
    top_y = np.stack([line.top for line in lines])
    bottom_y = top_y if all(line.is_exact for line in lines) else np.stack([line.bottom for line in lines])
    if len(x) == 0:
        nothing = np.full((len(lines), right - left), np.nan)
        return nothing, nothing
    borders = np.arange(left, right + 1)
    after = np.searchsorted(x, borders, side="left")
    following = np.minimum(after, len(x) - 1)
    previous = np.maximum(following - 1, 0)
    span = x[following] - x[previous]
    share = np.divide(borders - x[previous], span, out=np.zeros(len(borders)), where=span > 0)
    share[(after == 0) | (after == len(x))] = np.nan
    # where the middle of a bin is crossed, so that two neighbouring columns meet
    middle = top_y if bottom_y is top_y else 0.5 * (top_y + bottom_y)
    edge = middle[:, previous] * (1 - share) + middle[:, following] * share
    top, bottom = np.fmin(edge[:, :-1], edge[:, 1:]), np.fmax(edge[:, :-1], edge[:, 1:])
    has_points = after[1:] > after[:-1]
    if has_points.any():
        starts = after[:-1][has_points]
        stop = int(after[1:][has_points][-1])
        top[:, has_points] = np.fmin(top[:, has_points], np.fmin.reduceat(top_y[:, :stop], starts, axis=1))
        bottom[:, has_points] = np.fmax(bottom[:, has_points], np.fmax.reduceat(bottom_y[:, :stop], starts, axis=1))
    return top, bottom


def paint_columns(pixels: Pixels, stroke: Stroke, thickness: int) -> None:
    """Paint a stroke into an image, shape (height, width), as opaque 0xFFRRGGBB values."""
    height = pixels.shape[0]
    left = max(0, stroke.pane.left_px)
    right = min(pixels.shape[1], stroke.pane.left_px + stroke.pane.width_px)
    if right <= left or not stroke.lines:
        return
    groups: dict[int, list[Line]] = {}
    for line in stroke.lines:
        groups.setdefault(id(line.x), []).append(line)
    runs = [column_runs(lines, left, right) for lines in groups.values()]
    first = _rows(np.concatenate([top for top, _ in runs]), height)
    last = _rows(np.concatenate([bottom for _, bottom in runs]), height)
    column = np.broadcast_to(np.arange(right - left), first.shape)
    is_drawn = (first > -2) & (last > -2) & (last + thickness > 0) & (first < height)
    if not is_drawn.any():
        return
    begin = np.clip(first[is_drawn], 0, height)
    end = np.clip(last[is_drawn] + thickness, 0, height)
    low, high = int(begin.min()), int(end.max())
    shape = (high - low + 1, right - left)
    where = column[is_drawn]
    # 16 bits hold any number of traces that a screen can show, and half of the memory is half of the time
    counts = np.zeros(shape[0] * shape[1], np.int16)
    np.add.at(counts, (begin - low) * shape[1] + where, np.int16(1))
    np.subtract.at(counts, (end - low) * shape[1] + where, np.int16(1))
    edges = counts.reshape(shape)
    for row in range(1, high - low):
        edges[row] += edges[row - 1]
    _fill(pixels[low:high, left:right], edges[:-1] > 0, stroke.colour)


def _fill(pixels: Pixels, inside: npt.NDArray[np.bool_], colour: int) -> None:
    """Set pixels to a colour where ``inside``; by masks, for numpy's conditional copies take four times as long."""
    mask = inside.astype(np.uint32)
    mask -= np.uint32(1)
    pixels &= mask
    np.invert(mask, out=mask)
    mask &= np.uint32(colour)
    pixels |= mask


def _rows(y: FloatArray, height: int) -> npt.NDArray[np.intp]:
    """Return pixel rows; -2 marks what is not there, and far positions are held just outside the image."""
    held = np.clip(np.floor(y), -1, height)
    return np.where(np.isnan(held), -2, held).astype(np.intp)
