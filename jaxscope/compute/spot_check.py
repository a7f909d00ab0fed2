"""What a batch wrote against SciPy in float64: the first, middle and last two seconds of at most three channels.

The samples are caught while they are written. The reference is read and filtered with all the context it needs, so it
knows nothing of blocks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jaxscope.compute.batch_plan import BatchGroup
from jaxscope.compute.plan import context_of
from jaxscope.compute.stream import Block
from jaxscope.data.timeline import Segment
from jaxscope.filters.coefficients import ChainDesign

FloatArray = npt.NDArray[np.float64]
SECONDS = 2.0
CHANNELS = 3
#: Longest read for a reference, in samples; beyond it a spot is not measured.
LONGEST = 20_000_000
#: Context that is read in any case, so that a short recording is compared from its true start.
WORTHWHILE = 500_000


@dataclass(slots=True, kw_only=True, eq=False)
class Spot:
    """Samples of one channel that are caught while they are written."""

    group: BatchGroup
    row: int
    segment: Segment
    first_sample: int
    values: FloatArray

    @property
    def stop_sample(self) -> int:
        """End of the spot, half-open."""
        return self.first_sample + self.values.size


class SpotCheck:
    """Catches spots, and compares them when everything has been written."""

    def __init__(self, groups: Sequence[BatchGroup]) -> None:
        self._spots: list[Spot] = []
        filtered = [
            (group, row)
            for group in groups
            for row, design in enumerate(group.source.designs)
            if design is not None and design.parts and group.n_samples
        ]
        step = max(1, math.ceil(len(filtered) / CHANNELS))
        for group, row in filtered[::step][:CHANNELS]:
            self._spots.extend(_spots_of(group, row))

    def catch(self, group: BatchGroup, block: Block) -> None:
        """Look at a block that is written."""
        stop = block.first_sample + block.after.shape[1]
        for spot in self._spots:
            if spot.group is group and spot.first_sample < stop and block.first_sample < spot.stop_sample:
                first, last = max(spot.first_sample, block.first_sample), min(spot.stop_sample, stop)
                spot.values[first - spot.first_sample : last - spot.first_sample] = block.after[
                    spot.row, first - block.first_sample : last - block.first_sample
                ]

    def largest_error(self) -> float | None:
        """Return the largest difference in units of the channels; None where nothing could be compared."""
        worst: float | None = None
        for spot in self._spots:
            error = _error_of(spot)
            if error is not None:
                worst = error if worst is None else max(worst, error)
        return worst


def _spots_of(group: BatchGroup, row: int) -> list[Spot]:
    length = max(1, round(SECONDS * group.source.rate_hz))
    middle = (group.first_sample + group.stop_sample - length) // 2
    spots: list[Spot] = []
    for wanted in sorted({group.first_sample, max(group.first_sample, middle), group.stop_sample - length}):
        for segment in group.source.segments():
            first = max(wanted, segment.first_sample, group.first_sample)
            stop = min(wanted + length, segment.stop_sample, group.stop_sample)
            if first < stop:
                values = np.full(stop - first, np.nan)
                spots.append(Spot(group=group, row=row, segment=segment, first_sample=first, values=values))
                break
    return spots


def _error_of(spot: Spot) -> float | None:
    from jaxscope.engines.scipy_stretch import reference_stretch

    design = spot.group.source.designs[spot.row]
    if design is None:
        return None
    first, stop = _span_for_reference(spot, design)
    if stop - first > LONGEST:
        return None
    x = spot.group.source.recording.read(first, stop, [spot.group.source.channels[spot.row]])
    seen = spot.group.source.bad.of_rows([spot.row]).masked(x, first)
    own = reference_stretch(seen[0], design, spot.first_sample - first, spot.stop_sample - first)
    known = np.isfinite(own)
    if not np.array_equal(known, np.isfinite(spot.values)):
        return math.inf
    return float(np.abs(own[known] - spot.values[known]).max()) if known.any() else None


def _span_for_reference(spot: Spot, design: ChainDesign) -> tuple[int, int]:
    context = max(context_of(design), WORTHWHILE)
    first = max(spot.segment.first_sample, spot.first_sample - context)
    after = context if design.phase == "zero" else 0
    return first, min(spot.segment.stop_sample, spot.stop_sample + after)
