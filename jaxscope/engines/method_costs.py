"""What each method costs, as measured: the small model from which ``auto`` chooses.

A file holds nanoseconds per sample on a grid of sizes (sections or taps), channels and samples, for each kind of part
and precision. Between the points of the grid the logarithms are interpolated; outside of it the nearest point counts.
``resources/methods.json`` is for the kind of processor that this was made on; a file in the user's cache directory,
written by ``jaxscope bench --calibrate``, takes its place on the machine that it was measured on.

Invariant: the same kind of part, size, shape, precision and platform always cost the same in one process.
"""

from __future__ import annotations

import json
import warnings
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from platformdirs import user_cache_path

from jaxscope.resource_files import resource_path

FILE_FORMAT, FILE_VERSION = "jaxscope-methods", 1
FILE_NAME = "methods.json"
#: nanoseconds that stand for what is so slow that it was not measured
TOO_SLOW_NS = 1e6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CostTable:
    """Costs of one kind of part in one precision.

    ``axes`` are sizes, channels and samples; ``ns`` has an array over them for each method.
    """

    axes: tuple[tuple[int, ...], ...]
    ns: Mapping[str, npt.NDArray[np.float64]]

    def at(self, *point: int) -> dict[str, float]:
        """Return nanoseconds per sample of each method for a size, a number of channels and one of samples."""
        brackets = [_bracket(axis, value) for axis, value in zip(self.axes, point, strict=True)]
        found: dict[str, float] = {}
        for method, values in self.ns.items():
            total = 0.0
            for corner in product(*brackets):
                weight = float(np.prod([share for _, share in corner]))
                total += weight * float(np.log(values[tuple(index for index, _ in corner)]))
            found[method] = float(np.exp(total))
        return found


def _bracket(axis: tuple[int, ...], value: int) -> tuple[tuple[int, float], tuple[int, float]]:
    """Return the two points of an axis around a value, with the weight of each in logarithms."""
    clipped = min(max(value, axis[0]), axis[-1])
    low = min(bisect_right(axis, clipped) - 1, len(axis) - 1)
    high = min(low + 1, len(axis) - 1)
    if low == high:
        return (low, 1.0), (high, 0.0)
    share = float(np.log(clipped / axis[low]) / np.log(axis[high] / axis[low]))
    return (low, 1.0 - share), (high, share)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Costs:
    """All tables of one platform, and what they were measured on."""

    device: str
    tables: Mapping[str, CostTable]

    def of(self, kind: str, precision: str, size: int, n_channels: int, n_samples: int) -> dict[str, float]:
        """Return nanoseconds per sample of each method; empty where the kind was not measured."""
        table = self.tables.get(table_name(kind, precision))
        return {} if table is None else table.at(size, n_channels, n_samples)


def table_name(kind: str, precision: str) -> str:
    """Return how a table is called in the file."""
    return f"{kind}, {precision}"


def decoded(content: Mapping[str, Any]) -> dict[str, Costs]:
    """Return costs by platform from what a file holds.

    Raises
    ------
    ValueError
        Where it is not such a file.
    """
    if content.get("format") != FILE_FORMAT or content.get("version") != FILE_VERSION:
        raise ValueError(f"it is not a {FILE_FORMAT} file of version {FILE_VERSION}")
    found: dict[str, Costs] = {}
    for platform, told in content["platforms"].items():
        tables: dict[str, CostTable] = {}
        for name, table in told["tables"].items():
            axes = tuple(tuple(map(int, table[axis])) for axis in ("sizes", "channels", "samples"))
            shape = tuple(map(len, axes))
            values = {method: np.array(numbers, dtype=np.float64) for method, numbers in table["ns"].items()}
            if any(numbers.shape != shape or not (numbers > 0).all() for numbers in values.values()):
                raise ValueError(f"the table {name!r} is not {shape} numbers above 0")
            tables[name] = CostTable(axes=axes, ns=values)
        found[platform] = Costs(device=str(told["device"]), tables=tables)
    return found


def own_file() -> Path:
    """Return where measurements of this machine are kept."""
    return user_cache_path("jaxscope", appauthor=False) / FILE_NAME


def costs_of(platform: str) -> Costs | None:
    """Return what methods cost on a platform: as measured on this machine, else on ours; None where nobody has."""
    own = _read(own_file())
    return own.get(platform) or _read(resource_path(FILE_NAME)).get(platform)


@cache
def _read(path: Path) -> dict[str, Costs]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    try:
        return decoded(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        warnings.warn(
            f"the measurements in {path} are not used, {error}; run jaxscope bench --calibrate",
            RuntimeWarning,
            stacklevel=2,
        )
        return {}


def forget() -> None:
    """Read the files again when they are next needed."""
    _read.cache_clear()
