"""Traces as columns of an image, in numpy: the way to paint very many lanes.

For each device column a trace covers a run of pixels: its extremes inside the column, joined to the neighbours at the
column's borders. Where runs begin and end is counted and summed down the columns, so the cost hardly grows with the
number of traces. Points come first and traces second in all tables, so that a step along the time axis is one run of
memory; the picture holds numbers of colours, a quarter of the bytes of the colours themselves. A column picture lies
exactly under its smooth one: both come from ``scene.prepare``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from jaxscope.compute.column_rows import MOST_POINTS, quick_column_rows
from jaxscope.gui.painting.scene import Bundle, Stroke

Table = npt.NDArray[np.float32]
Pixels = npt.NDArray[np.uint8]
Rows = npt.NDArray[np.intp]
Counts = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
#: Several counts side by side.
_WORD = np.dtype(np.uint64)
#: Points in one column up to which they are taken one after the other, which is quicker than reducing them.
_FEW_POINTS = 4
#: Values that are worked on at a time, and columns at least. With fewer values the many short calls take more time than
#: a small cache saves, with more than one thread they wait for one another.
_CACHE_VALUES, _LEAST_COLUMNS = 131_072, 32


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Columns:
    """How columns lie to the points of traces: ``near`` them, all told from the first of those on.

    ``after`` (n_columns + 1,): the first point at or after each border; ``previous``, ``following``: the points on
    either side of it, and how far it lies on its way from one to the other; ``is_outside``: no trace crosses it.
    """

    near: slice
    after: Rows
    previous: Rows
    following: Rows
    share: npt.NDArray[np.float32]
    is_outside: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, x: npt.NDArray[np.float64], left: int, right: int) -> _Columns:
        """Return how columns lie to points at ``x``, of which there is one at least."""
        borders = np.arange(left, right + 1)
        after = np.searchsorted(x, borders, side="left")
        # the points that these columns hold, and one on either side
        near = slice(max(0, int(after[0]) - 1), int(after[-1]) + 1)
        is_outside = (after == 0) | (after == len(x))
        x, after = x[near], after - near.start
        following = np.minimum(after, len(x) - 1)
        previous = np.maximum(following - 1, 0)
        span = x[following] - x[previous]
        share = np.divide(borders - x[previous], span, out=np.zeros(len(borders)), where=span > 0)
        return cls(
            near=near, after=after, previous=previous, following=following, share=share.astype(np.float32),
            is_outside=is_outside,
        )  # fmt: skip


def column_runs(bundle: Bundle, left: int, right: int) -> tuple[Table, Table]:
    """Return tops and bottoms of traces in columns, shape (right - left, n_lines); NaN is nothing."""
    if len(bundle.x) == 0:
        nothing = np.full((right - left, len(bundle.top)), np.nan, np.float32)
        return nothing, nothing
    columns = _Columns.of(bundle.x, left, right)
    near, after = columns.near, columns.after
    top_y = np.ascontiguousarray(bundle.top[:, near].T, dtype=np.float32)
    is_thin = bundle.is_exact
    bottom_y = top_y if is_thin else np.ascontiguousarray(bundle.bottom[:, near].T, dtype=np.float32)
    # where the middle of a bin is crossed, so that two neighbouring columns meet
    middle = top_y if is_thin else np.float32(0.5) * (top_y + bottom_y)
    edge = _crossings(middle, columns)
    top, bottom = np.fmin(edge[:-1], edge[1:]), np.fmax(edge[:-1], edge[1:])
    _widen(top, top_y, after, np.fmin)
    _widen(bottom, bottom_y, after, np.fmax)
    return top, bottom


def _crossings(middle: Table, columns: _Columns) -> Table:
    """Return where the lines through the middles cross the borders of columns."""
    weight = columns.share[:, None]
    edge = middle[columns.previous]
    edge *= 1 - weight
    edge += middle[columns.following] * weight
    edge[columns.is_outside] = np.nan
    return edge


def _quick_places(bundle: Bundle, left: int, right: int, sizes: tuple[int, int, int]) -> tuple[Rows, Rows] | None:
    """Return the numbers of pixels where traces begin and end in columns; None where no program finds them."""
    if len(bundle.x) == 0:
        return None
    columns = _Columns.of(bundle.x, left, right)
    counts = columns.after[1:] - columns.after[:-1]
    if int(counts.max(initial=0)) > MOST_POINTS:
        return None
    borders = np.where(columns.is_outside, -1, np.stack((columns.previous, columns.following)))
    numbers = np.arange(MOST_POINTS)[:, None]
    points = np.where(numbers < counts, columns.after[:-1] + numbers, -1)
    top = bundle.top[:, columns.near]
    bottom = top if bundle.is_exact else bundle.bottom[:, columns.near]
    return quick_column_rows(top, bottom, borders, points, columns.share, sizes)


def _widen(extreme: Table, values: Table, after: npt.NDArray[np.intp], how: np.ufunc) -> None:
    """Take the points inside each column into its extreme, in place."""
    counts = after[1:] - after[:-1]
    most = int(counts.max(initial=0))
    if most > _FEW_POINTS:
        has_points = counts > 0
        starts, stop = after[:-1][has_points], int(after[1:][has_points][-1])
        extreme[has_points] = how(extreme[has_points], how.reduceat(values[:stop], starts, axis=0))
        return
    for number in range(most):
        has_point = counts > number
        if has_point.all():
            how(extreme, values[after[:-1] + number], out=extreme)
        else:
            extreme[has_point] = how(extreme[has_point], values[after[:-1][has_point] + number])


def paint_columns(
    pixels: Pixels, stroke: Stroke, thickness: int, number: int, give_way: Callable[[], None] = lambda: None
) -> None:
    """Set the pixels that a stroke covers, in an image of shape (height, width), to the number of its colour.

    ``give_way`` is called between parts of it.
    """
    height = pixels.shape[0]
    left = max(0, stroke.pane.left_px)
    right = min(pixels.shape[1], stroke.pane.left_px + stroke.pane.width_px)
    if right <= left or not stroke.bundles:
        return
    # few bits hold the number of traces, and less memory is less time; columns are filled up to whole words
    count = np.uint8 if sum(len(bundle.top) for bundle in stroke.bundles) < 256 else np.uint16
    words = -(-(right - left) // _WORD.itemsize) * _WORD.itemsize
    begun, ended = np.zeros((2, height + 1, words), count)

    low, high = height, 0
    for bundle in stroke.bundles:
        for begin, end in _places(bundle, slice(left, right), thickness, (height, words)):
            low, high = min(low, int(begin.min()) // words), max(high, int(end.max()) // words)
            np.add.at(begun.reshape(-1), begin.reshape(-1), count(1))
            np.add.at(ended.reshape(-1), end.reshape(-1), count(1))
            give_way()
    if high <= low:
        return
    inside = _covered(begun[low:high], ended[low:high])
    _fill(pixels[low:high, left:right], inside[:, : right - left], number)


def _covered(begun: Counts, ended: Counts) -> npt.NDArray[np.bool_]:
    """Return which pixels lie under a trace, from how many begin and how many end there.

    The counts of several columns are summed as one word: never have more ended than begun, so no column borrows from
    the next one. Threads that take turns for each row of a picture would wait for each other longer than they add.
    Both tables are worked on in place.
    """
    sums = begun.view(_WORD)
    sums -= ended.view(_WORD)
    np.cumsum(sums, axis=0, out=sums)
    return begun > 0


def _places(bundle: Bundle, columns: slice, thickness: int, size: tuple[int, int]) -> Iterator[tuple[Rows, Rows]]:
    """Yield where traces begin and end in some columns after others, as numbers of pixels in tables of a size."""
    height, width = size
    left, right = columns.start, columns.stop
    found = _quick_places(bundle, left, right, (height, thickness, width))
    if found is not None:
        yield found
        return
    step = max(_LEAST_COLUMNS, _CACHE_VALUES // len(bundle.top))
    for first in range(left, right, step):
        top, bottom = column_runs(bundle, first, min(first + step, right))
        rows = _rows(top, 0, height), _rows(bottom, thickness, height)
        for own in rows:
            own *= width
            own += np.arange(first - left, first - left + own.shape[0])[:, None]
        yield rows


def _rows(y: Table, below: int, height: int) -> Rows:
    """Return the pixel rows ``below`` heights, held inside of an image; what is not there begins and ends under it.

    The table is worked on in place.
    """
    np.floor(y, out=y)
    if below:
        y += below
    # a NaN becomes the height here, so it ends where it begins
    np.fmin(y, height, out=y)
    np.fmax(y, 0, out=y)
    return y.astype(np.intp)


def _fill(pixels: Pixels, inside: npt.NDArray[np.bool_], number: int) -> None:
    """Set pixels to a number where ``inside``; by arithmetic, for numpy's conditional copies take ten times as long."""
    change = np.subtract(np.uint8(number), pixels)
    change *= inside.view(np.uint8)
    pixels += change


def paint_column_strokes(
    image: QImage,
    strokes: Sequence[Stroke],
    thickness: int,
    breathe: Callable[[], None] = lambda: None,
    give_way: Callable[[], None] = lambda: None,
) -> None:
    """Paint strokes, from the back, into an image of numbered colours; colours that it lacks are added to its table.

    ``breathe`` is called between them, ``give_way`` between their parts.
    """
    stride = image.bytesPerLine()
    pixels = np.frombuffer(image.bits(), np.uint8).reshape(image.height(), stride)[:, : image.width()]
    table = list(image.colorTable())
    for place, stroke in enumerate(strokes):
        if place:
            breathe()
        colour = stroke.colour
        if colour not in table:
            table.append(colour)
        paint_columns(pixels, stroke, thickness, table.index(colour), give_way)
    image.setColorTable(table)
