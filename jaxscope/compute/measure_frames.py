"""What the compute side hands over about what lies between two cursors: sizes before, after, of what was removed.

Sizes are of true samples, never of the bins of a picture; what is not known is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measures:
    """Sizes of some channels over a span, each (n_channels,), in the units of the channels; NaN where nothing is known.

    ``first`` and ``last`` are the samples at its ends, ``deviation`` is the root mean square about the mean.
    """

    first: FloatArray
    last: FloatArray
    rms: FloatArray
    deviation: FloatArray
    peak_to_peak: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasureFrame:
    """What lies between two cursors, from the samples themselves; ``after`` is ``before`` where nothing filters.

    ``removed`` is of the samples before minus those after, so 0 where nothing filters.
    """

    revision: int
    recording_id: str
    start_s: float
    stop_s: float
    channels: tuple[int, ...]
    before: Measures
    after: Measures
    removed: Measures
    filtered: tuple[bool, ...]
