"""What a sweep has found: a picture for some of its values, and what each value keeps of what is measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jaxscope.session.sweep_measures import SweepMeasure

if TYPE_CHECKING:
    from jaxscope.compute.sweep_job import SweepRequest

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SweepFrame:
    """What came of a request.

    ``pictures`` (n_pictured, n_points) is After of ``picture_s`` seconds of ``channel`` for the values whose numbers
    ``pictured`` holds, ``before`` (n_points,) the same of Before. ``kept`` (n_measures, n_values) is the share of each
    measure that After has, the mean of ``n_channels`` channels. NaN is a value that no filter can have here. ``calls``
    is how often the program ran. ``problem`` says why there is nothing.
    """

    request: SweepRequest
    took_ms: float
    problem: str = ""
    channel: str = ""
    unit: str = ""
    n_channels: int = 0
    calls: int = 0
    picture_s: float = 0.0
    pictured: tuple[int, ...] = ()
    pictures: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    before: FloatArray = field(default_factory=lambda: np.zeros(0))
    measures: tuple[SweepMeasure, ...] = ()
    kept: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
