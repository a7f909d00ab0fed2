"""The sampling rates that an HDF5 file of any tree tells, and which of them is that of a dataset.

Invariant: what stands nearest to a dataset tells its rate: at itself, in the groups above it, then times as long as it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from jaxscope.data.span import Span
from jaxscope.readers.base import OpenOptions
from jaxscope.readers.hdf5_file import HdfGrid, Rows
from jaxscope.readers.matlab import RATE_NAMES, plain_name, rate_of_times, times_words


def attributes_of(item: Any, names: frozenset[str]) -> Iterator[Any]:
    """Yield the attributes that are called like one of these; no other is read."""
    attributes = item.attrs
    for name in attributes if len(attributes) else ():
        if plain_name(name) in names:
            yield attributes[name]


def number_of(value: Any) -> float | None:
    """Return the one finite number that a value is, None where it is none."""
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "iuf":
        return None
    number = float(array.reshape(-1)[0])
    return number if isfinite(number) else None


def rate_told(dataset: Any, path: str, groups: dict[str, float | None], numbers: Mapping[str, float]) -> float | None:
    """Return the rate that is told nearest to a dataset: by itself, by a group above (kept there), by a number.

    Numbers that stand in none of the groups above tell it where they are all the same.
    """
    folder = path.rpartition("/")[0]
    rate = _rate_at(dataset)
    if rate is None:
        if folder not in groups:
            groups[folder] = _rate_above(dataset)
        rate = groups[folder]
    if rate is None:
        every = set(numbers.values())
        rate = next((numbers[above] for above in _folders(path) if above in numbers), None)
        rate = every.pop() if rate is None and len(every) == 1 else rate
    return rate


def _folders(path: str) -> Iterator[str]:
    """Yield the groups above what lies at a path, the nearest first, the file itself as an empty text."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def _rate_at(item: Any) -> float | None:
    told = (number_of(value) for value in attributes_of(item, RATE_NAMES))
    return next((number for number in told if number is not None and number > 0), None)


def _rate_above(item: Any) -> float | None:
    rate = None
    while rate is None and item.name not in ("/", None):
        item = item.parent
        rate = _rate_at(item)
    return rate


def rate_taken(rows: Rows, times: Sequence[Rows], options: OpenOptions, warnings: list[str]) -> float | None:
    """Return the rate of a dataset without one: as given, or that of the nearest times as many as its samples."""
    nearness = {folder: number for number, folder in enumerate(_folders(rows.path))}
    for time in sorted(times, key=lambda time: nearness.get(time.path.rpartition("/")[0], len(nearness))):
        rate = _rate_of_time(time) if time.n_samples == rows.n_samples else None
        if rate is not None:
            warnings += times_words(time.path, rate, options)
            return options.rate_hz or rate
    return options.rate_hz


def _rate_of_time(rows: Rows) -> float | None:
    grid = HdfGrid(dataset=rows.open(), is_last_time=rows.is_last_time, name=rows.path)
    if rows.n_samples < 3:
        return None
    first = grid.read(Span(0, 3), [0])[0]
    last = grid.read(Span(rows.n_samples - 2, rows.n_samples), [0])[0]
    return rate_of_times(first, last, rows.n_samples)
