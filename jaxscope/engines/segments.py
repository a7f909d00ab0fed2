"""Where a signal has to start again: the finite runs of each channel, grouped so that equal runs are one call.

Invariant: the groups of ``runs_by_channels`` cover each finite sample exactly once and no other sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A half-open span of samples in which the channels ``rows`` hold no NaN."""

    start: int
    stop: int
    rows: Rows


def finite_runs(mask: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the half-open spans in which ``mask``, shape (n_samples,), is False."""
    edges = np.flatnonzero(np.diff(np.concatenate(([True], mask, [True])).astype(np.int8)))
    return [(int(first), int(stop)) for first, stop in edges.reshape(-1, 2)]


def runs_by_channels(x: Array) -> Iterator[Run]:
    """Yield the finite runs of ``x``, shape (n_channels, n_samples), in order of time within each channel.

    Channels with the same gaps share one ``Run``, since recordings mostly have gaps on all channels at once.
    """
    mask = np.isnan(x)
    groups: dict[bytes, list[int]] = {}
    for row in range(mask.shape[0]):
        groups.setdefault(np.packbits(mask[row]).tobytes(), []).append(row)
    for rows in groups.values():
        for start, stop in finite_runs(mask[rows[0]]):
            yield Run(start=start, stop=stop, rows=np.array(rows, dtype=np.intp))
