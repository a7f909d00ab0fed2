"""What a sweep has found: a picture for some of its values, and what each value keeps of the bands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jaxscope.session.analysis import Band

if TYPE_CHECKING:
    from jaxscope.compute.sweep_job import SweepRequest

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SweepFrame:
    """What came of a request.

    ``pictures`` (n_pictured, n_points) is After of ``picture_s`` seconds for the values whose numbers ``pictured``
    holds, ``before`` (n_points,) the same of Before. ``kept`` (n_bands, n_values) is the share of the power of each
    band that After has. NaN is a value that no filter can have here. ``problem`` says why there is nothing.
    """

    request: SweepRequest
    took_ms: float
    problem: str = ""
    channel: str = ""
    unit: str = ""
    picture_s: float = 0.0
    pictured: tuple[int, ...] = ()
    pictures: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    before: FloatArray = field(default_factory=lambda: np.zeros(0))
    bands: tuple[Band, ...] = ()
    kept: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
