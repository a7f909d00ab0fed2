"""The rows that many traces cover in columns, by a program that was compiled while nobody waited, else not at all.

Points and columns are filled up to a few numbers of them, so few programs serve all windows. Nothing is compiled here
in front of a hand: who asks for a shape that has no program yet is told so, and the program is made after the frame.

Invariant: a program is in the table only when it has run.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
#: Numbers of points, columns and traces.
Key = tuple[int, int, int]
#: Points inside a column, at most.
MOST_POINTS = 3
#: Programs that are kept in mind; more shapes than any window has.
MOST_PROGRAMS = 256
_LEAST_COLUMNS, _COLUMNS = 64, 128

_LOCK = threading.Lock()
_ready: set[Key] = set()
_wanted: dict[Key, None] = {}


def quick_column_rows(
    top: Array, bottom: Array, borders: Array, points: Array, share: Array, sizes: tuple[int, int, int]
) -> tuple[Array, Array] | None:
    """Return where runs of pixels begin and end; None where no program for it has been compiled.

    Parameters
    ----------
    top, bottom : ndarray of float32, shape (n_traces, n_points)
        Heights of the two ends of each bin; the same array where they are the same.
    borders : ndarray of intp, shape (2, n_columns + 1)
        The points before and after the left border of each column; -1 where there is none.
    points : ndarray of intp, shape (MOST_POINTS, n_columns)
        Points inside each column; -1 where there are fewer.
    share, sizes
        As ``engines.column_rows.column_rows``.
    """
    n_columns, (n_traces, n_points) = points.shape[1], top.shape
    key = _filled(n_points + 1), _filled_columns(n_columns), n_traces
    if key not in _ready:
        with _LOCK:
            _wanted[key] = None
        return None
    from jaxscope.engines.column_rows import column_rows

    upper = _table(top, key[0])
    lower = upper if bottom is top else _table(bottom, key[0])
    more = key[1] - n_columns
    # the last point is NaN: it is in the place of those that are not there
    borders, points = (np.pad(own, ((0, 0), (0, more)), constant_values=-1) % key[0] for own in (borders, points))
    begin, end = column_rows(upper, lower, borders, points, np.pad(share, (0, more)), sizes)
    return begin[:n_columns], end[:n_columns]


def compile_wanted() -> bool:
    """Make the program that was asked for last and is not there; return whether there was one to be made."""
    with _LOCK:
        key = _wanted.popitem()[0] if _wanted else None
    if key is None:
        return False
    if key not in _ready and len(_ready) < MOST_PROGRAMS:
        from jaxscope.engines.column_rows import column_rows

        n_points, n_columns, n_traces = key
        table, nothing = np.full((n_points, n_traces), np.nan, np.float32), np.zeros((2, n_columns + 1), np.intp)
        points = np.zeros((MOST_POINTS, n_columns), np.intp)
        column_rows(table, table, nothing, points, np.zeros(n_columns + 1, np.float32), (1, 1, n_columns))
        _ready.add(key)
    return True


def _filled(count: int) -> int:
    return 1 << max(count - 1, 1).bit_length()


def _filled_columns(count: int) -> int:
    return _LEAST_COLUMNS if count <= _LEAST_COLUMNS else -(-count // _COLUMNS) * _COLUMNS


def _table(heights: Array, n_points: int) -> Array:
    """Return heights with points first, filled up; the last point of all is NaN."""
    table = np.empty((n_points, heights.shape[0]), np.float32)
    table[: heights.shape[1]] = heights.T
    table[-1] = np.nan
    return table
