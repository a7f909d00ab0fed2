"""Gain and delay."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import Taps
from jaxscope.filters.resonators import gain_knob
from jaxscope.filters.spec import AbstractFilterSpec, knob


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain(AbstractFilterSpec):
    """Multiplies by ``gain``, or by ``gain_db`` in decibel; one of the two. -1 turns the polarity."""

    family: ClassVar[str] = "gain"
    title: ClassVar[str] = "Gain"
    summary: ClassVar[str] = "Multiplies by a number; -1 turns the polarity"

    gain: float | None = knob(None, low=-1e50, high=1e50, step=0.1, label="Factor", kind="number", optional=True)
    gain_db: float | None = gain_knob(None, optional=True)

    def validate(self) -> None:
        if self.gain is not None and self.gain_db is not None:
            raise SpecError("gain_db", "gain and gain_db are both given", hint="give one of the two")
        if self.gain is None and self.gain_db is None:
            object.__setattr__(self, "gain", 1.0)

    @property
    def factor(self) -> float:
        """The number that a sample is multiplied by."""
        if self.gain_db is not None:
            return float(10 ** (self.gain_db / 20))
        return 1.0 if self.gain is None else self.gain

    def design(self, rate_hz: float) -> Taps:
        return Taps((self.factor,))

    def with_value(self, name: str, value: Any) -> AbstractFilterSpec:
        other = {"gain": "gain_db", "gain_db": "gain"}.get(name)
        if other is not None and value is not None:
            return replace(self, **{name: value, other: None})
        return AbstractFilterSpec.with_value(self, name, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay(AbstractFilterSpec):
    """Shows every sample ``samples`` later."""

    family: ClassVar[str] = "delay"
    title: ClassVar[str] = "Delay"
    summary: ClassVar[str] = "Shifts by a whole number of samples"

    samples: int = knob(1, low=0, high=100_000, step=1, unit="samples", label="Delay", reach=(0, 500))

    def design(self, rate_hz: float) -> Taps:
        return Taps((0.0,) * self.samples + (1.0,))
