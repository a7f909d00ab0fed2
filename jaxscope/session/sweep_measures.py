"""What a sweep measures of each value: the power that a band keeps, the RMS, or the height from lowest to highest.

Each is a share of what Before has, so one axis serves all and the number says the same for any unit. A list that is
None is the usual one for the kind of channel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from jaxscope.errors import SpecError
from jaxscope.filters.spec import FilterChain

MeasureKind = Literal["band", "rms", "height"]
MOST_MEASURES = 8
_MAINS_HZ = (45.0, 65.0)
#: how far a band about the mains reaches to both sides
_HUM_REACH_HZ = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepMeasure:
    """One measure; ``unwanted`` is a band whose power should go, which is said as "left" and not as "kept"."""

    kind: MeasureKind
    name: str
    low_hz: float = 0.0
    high_hz: float = 0.0
    unwanted: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(MeasureKind):
            hint = f"it must be one of {', '.join(get_args(MeasureKind))}"
            raise SpecError("measures", f"a measure is of the kind {self.kind!r}", hint=hint)
        if not self.name.strip():
            raise SpecError("measures", "a measure has no name", hint="name it")
        if self.kind == "band" and not (0 <= self.low_hz < self.high_hz < math.inf):
            hint = "give a lower limit from 0 on and an upper one above it"
            raise SpecError("measures", f"{self.name} reaches from {self.low_hz:g} to {self.high_hz:g} Hz", hint=hint)

    @property
    def words(self) -> str:
        """What stands at its curve.

        Examples
        --------
        >>> hum(50.0).words
        'Hum left, 49–51 Hz'
        """
        name = f"{self.name[:1].upper()}{self.name[1:]} {'left' if self.unwanted else 'kept'}"
        return f"{name}, {self.low_hz:g}\u2013{self.high_hz:g} Hz" if self.kind == "band" else name


RMS = SweepMeasure(kind="rms", name="RMS")
HEIGHT = SweepMeasure(kind="height", name="Height")


def band_measure(name: str, low_hz: float, high_hz: float) -> SweepMeasure:
    """Return the power of a band that is wanted."""
    return SweepMeasure(kind="band", name=name, low_hz=low_hz, high_hz=high_hz)


def hum(mains_hz: float) -> SweepMeasure:
    """Return the power about a frequency of the mains."""
    low_hz, high_hz = mains_hz - _HUM_REACH_HZ, mains_hz + _HUM_REACH_HZ
    return SweepMeasure(kind="band", name="Hum", low_hz=low_hz, high_hz=high_hz, unwanted=True)


def mains_of(chain: FilterChain) -> float:
    """Return the frequency of the mains that a chain fights: that of its notch, 50 Hz where it has none."""
    for stage in chain.stages:
        found = getattr(stage.spec, "frequency_hz", None)
        if isinstance(found, int | float) and _MAINS_HZ[0] <= found <= _MAINS_HZ[1]:
            return float(found)
    return 50.0


def usual_measures(kind: str, mains_hz: float) -> tuple[SweepMeasure, ...]:
    """Return what is measured of a kind of channel where nobody has chosen."""
    if kind == "eeg":
        return (band_measure("alpha", 8.0, 12.5), band_measure("beta", 16.0, 25.0), hum(mains_hz))
    return (HEIGHT, RMS, hum(mains_hz))
