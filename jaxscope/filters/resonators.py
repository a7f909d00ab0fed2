"""Filters about one frequency: notch, peak, comb, all-pass and the two shelves.

Notch, peak and comb are those of SciPy (Orfanidis, Introduction to Signal Processing, chapter 11): ``q`` is the
frequency over the width at -3 dB. Peak with a gain, all-pass and shelves follow Bristow-Johnson's audio EQ cookbook.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import Row, Sections
from jaxscope.filters.spec import AbstractFilterSpec, check_below_nyquist, knob
from jaxscope.filters.values import shown

MAX_COMB_SAMPLES = 4096
#: part by which a comb frequency may miss fs / N before it is refused
COMB_TOLERANCE = 1e-9


def frequency_knob(default_hz: float) -> Any:
    """Declare the field of one frequency."""
    return knob(default_hz, low=1e-9, unit="Hz", log=True, step=0.02, label="Frequency", reach=(0.01, math.inf))


def q_knob(default: float) -> Any:
    """Declare the field of a quality factor."""
    return knob(default, low=1e-3, high=1e6, log=True, step=0.05, label="Q", reach=(0.3, 300.0))


def gain_knob(default_db: float | None, *, optional: bool = False) -> Any:
    """Declare the field of a gain in decibel."""
    return knob(
        default_db, low=-200.0, high=200.0, step=0.5, unit="dB", label="Gain", kind="number", optional=optional,
        reach=(-24.0, 24.0),
    )  # fmt: skip


class AbstractResonatorSpec(AbstractFilterSpec):
    """A filter with one frequency and a quality factor."""

    __slots__ = ()

    frequency_hz: float
    q: float

    def check(self, rate_hz: float) -> None:
        check_below_nyquist("frequency_hz", self.frequency_hz, rate_hz)


def _check_width(spec: AbstractResonatorSpec, rate_hz: float) -> None:
    width_hz = spec.frequency_hz / spec.q
    if width_hz >= rate_hz / 2:
        least = 2 * spec.frequency_hz / rate_hz
        raise SpecError(
            "q",
            f"a width of {shown(width_hz)} Hz (frequency / q) is not below fs/2 = {shown(rate_hz / 2)} Hz",
            hint=f"choose a q above {shown(least)}",
        )


def _width_gain(spec: AbstractResonatorSpec, rate_hz: float) -> tuple[float, float]:
    """Return the tangent of half the width, and the gain 1 / (1 + tangent)."""
    beta = math.tan(math.pi * spec.frequency_hz / spec.q / rate_hz)
    return beta, 1 / (1 + beta)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notch(AbstractResonatorSpec):
    """Takes out one frequency; 0 dB elsewhere (``scipy.signal.iirnotch``)."""

    family: ClassVar[str] = "notch"
    title: ClassVar[str] = "Notch"
    summary: ClassVar[str] = "Takes out one frequency, such as the mains"

    frequency_hz: float = frequency_knob(50.0)
    q: float = q_knob(30.0)

    def check(self, rate_hz: float) -> None:
        check_below_nyquist("frequency_hz", self.frequency_hz, rate_hz)
        _check_width(self, rate_hz)

    def design(self, rate_hz: float) -> Sections:
        self.check(rate_hz)
        _, gain = _width_gain(self, rate_hz)
        middle = -2 * math.cos(2 * math.pi * self.frequency_hz / rate_hz)
        return Sections(((gain, gain * middle, gain, 1.0, gain * middle, 2 * gain - 1),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak(AbstractResonatorSpec):
    """Keeps one frequency (``scipy.signal.iirpeak``) or, with a gain, lifts or lowers it (cookbook)."""

    family: ClassVar[str] = "peak"
    title: ClassVar[str] = "Peak"
    summary: ClassVar[str] = "Keeps one frequency; with a gain, lifts or lowers it and keeps the rest"

    frequency_hz: float = frequency_knob(10.0)
    q: float = q_knob(3.0)
    gain_db: float | None = gain_knob(None, optional=True)

    def check(self, rate_hz: float) -> None:
        check_below_nyquist("frequency_hz", self.frequency_hz, rate_hz)
        if self.gain_db is None:
            _check_width(self, rate_hz)

    def design(self, rate_hz: float) -> Sections:
        self.check(rate_hz)
        angle = 2 * math.pi * self.frequency_hz / rate_hz
        if self.gain_db is None:
            beta, gain = _width_gain(self, rate_hz)
            top = beta * gain
            return Sections(((top, 0.0, -top, 1.0, -2 * gain * math.cos(angle), 2 * gain - 1),))
        alpha, amplitude = math.sin(angle) / (2 * self.q), 10 ** (self.gain_db / 40)
        middle = -2 * math.cos(angle)
        up, down = alpha * amplitude, alpha / amplitude
        return Sections(((1 + up, middle, 1 - up, 1 + down, middle, 1 - down),))


@dataclass(frozen=True, slots=True, kw_only=True)
class AllPass(AbstractResonatorSpec):
    """Leaves every level as it is and turns the phase by 180 degrees at one frequency (cookbook)."""

    family: ClassVar[str] = "allpass"
    title: ClassVar[str] = "All-pass"
    summary: ClassVar[str] = "Changes the phase about one frequency, no level"

    frequency_hz: float = frequency_knob(10.0)
    q: float = q_knob(0.7071067811865476)

    def design(self, rate_hz: float) -> Sections:
        self.check(rate_hz)
        angle = 2 * math.pi * self.frequency_hz / rate_hz
        alpha, middle = math.sin(angle) / (2 * self.q), -2 * math.cos(angle)
        return Sections(((1 - alpha, middle, 1 + alpha, 1 + alpha, middle, 1 - alpha),))


def _shelf(angle: float, q: float, gain_db: float, side: float) -> Sections:
    """Return a shelf below the angle (``side`` 1) or above it (-1)."""
    amplitude, cosine = 10 ** (gain_db / 40), math.cos(angle)
    root = math.sin(angle) / q * math.sqrt(amplitude)
    more, less = amplitude + 1, amplitude - 1
    numerator = (
        amplitude * (more - side * less * cosine + root),
        2 * side * amplitude * (less - side * more * cosine),
        amplitude * (more - side * less * cosine - root),
    )
    denominator = (
        more + side * less * cosine + root,
        -2 * side * (less + side * more * cosine),
        more + side * less * cosine - root,
    )
    return Sections(((*numerator, *denominator),))


class AbstractShelfSpec(AbstractResonatorSpec):
    """A shelf: one side of a frequency lifted or lowered."""

    __slots__ = ()

    gain_db: float
    _side: ClassVar[float]

    def design(self, rate_hz: float) -> Sections:
        self.check(rate_hz)
        return _shelf(2 * math.pi * self.frequency_hz / rate_hz, self.q, self.gain_db, self._side)


@dataclass(frozen=True, slots=True, kw_only=True)
class LowShelf(AbstractShelfSpec):
    """Lifts or lowers everything below a frequency (cookbook)."""

    family: ClassVar[str] = "low_shelf"
    title: ClassVar[str] = "Low shelf"
    summary: ClassVar[str] = "Lifts or lowers everything below a frequency"
    _side: ClassVar[float] = 1.0

    frequency_hz: float = frequency_knob(5.0)
    q: float = q_knob(0.7071067811865476)
    gain_db: float = gain_knob(6.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class HighShelf(AbstractShelfSpec):
    """Lifts or lowers everything above a frequency (cookbook)."""

    family: ClassVar[str] = "high_shelf"
    title: ClassVar[str] = "High shelf"
    summary: ClassVar[str] = "Lifts or lowers everything above a frequency"
    _side: ClassVar[float] = -1.0

    frequency_hz: float = frequency_knob(20.0)
    q: float = q_knob(0.7071067811865476)
    gain_db: float = gain_knob(6.0)


#: |sin| of an angle below which a zero's middle coefficient is rounded with care
NEAR_REAL = 0.2
SCALES = tuple(1 + step * 2.0**-26 for step in range(64))


def _circle(samples: int, *, halfway: bool) -> tuple[list[int], list[float]]:
    """Return the roots of z^n = 1 (or -1 if ``halfway``): the upper ones as k of e^(j pi k / n), and the real ones."""
    pairs, reals = [], []
    for k in range(samples // 2 + 1):
        step = 2 * k + (1 if halfway else 0)
        if step in (0, samples):
            reals.append(1.0 if step == 0 else -1.0)
        elif step < samples:
            pairs.append(step)
    return pairs, reals


def _zero_quadratic(step: int, samples: int) -> tuple[float, float, float]:
    """Return s (1 - 2 cos(w) q + q²) for w = pi step / samples, its zeros on w to far below rounding.

    Near 0 and fs/2 one unit in the last place of the middle coefficient moves a zero by more than a sharp notch
    allows. Scaled by an s a little above 1 the coefficient rounds otherwise: the best of 64 is taken.
    """
    sign, near = (1.0, step) if 2 * step > samples else (-1.0, samples - step)
    angle = math.pi * (samples - near) / samples
    if math.sin(angle) > NEAR_REAL:
        return 1.0, sign * 2 * math.cos(angle), 1.0
    short = 4 * math.sin(angle / 2) ** 2
    high = 2 - short
    middle = Fraction(high) + (Fraction(2) - Fraction(high) - Fraction(short))
    best = min(SCALES, key=lambda scale: abs(float(Fraction(scale * high) - Fraction(scale) * middle)))
    return best, sign * best * high, best


def _real_quadratic(reals: list[float], radius: float) -> list[tuple[float, float, float]]:
    if not reals:
        return []
    first, second = reals[0] * radius, (reals[1] * radius if len(reals) == 2 else 0.0)
    return [(1.0, -(first + second), first * second)]


def _zeros(samples: int, *, halfway: bool) -> list[tuple[float, float, float]]:
    pairs, reals = _circle(samples, halfway=halfway)
    return [_zero_quadratic(step, samples) for step in pairs] + _real_quadratic(reals, 1.0)


def _poles(samples: int, radius: float, *, halfway: bool) -> list[tuple[float, float, float]]:
    pairs, reals = _circle(samples, halfway=halfway)
    rows = [(1.0, -2 * radius * math.cos(math.pi * step / samples), radius * radius) for step in pairs]
    return rows + _real_quadratic(reals, radius)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comb(AbstractResonatorSpec):
    """Takes out, or keeps, a frequency and all its multiples (``scipy.signal.iircomb``).

    The notches lie at 0, f, 2f …; so do the peaks (SciPy's ``pass_zero=True`` for them). The recursion over N = fs / f
    samples is run as its N / 2 sections, which have its response to rounding.
    """

    family: ClassVar[str] = "comb"
    title: ClassVar[str] = "Comb"
    summary: ClassVar[str] = "Takes out, or keeps, a frequency and all its multiples"

    frequency_hz: float = frequency_knob(50.0)
    q: float = q_knob(30.0)
    kind: Literal["notch", "peak"] = knob("notch", choices=("notch", "peak"))

    def check(self, rate_hz: float) -> None:
        check_below_nyquist("frequency_hz", self.frequency_hz, rate_hz)
        samples = round(rate_hz / self.frequency_hz)
        if samples > MAX_COMB_SAMPLES:
            raise SpecError(
                "frequency_hz",
                f"a comb at {shown(self.frequency_hz)} Hz reaches back {samples} samples",
                hint=f"choose {shown(rate_hz / MAX_COMB_SAMPLES)} Hz or more",
            )
        if abs(rate_hz / samples - self.frequency_hz) > COMB_TOLERANCE * self.frequency_hz:
            whole = int(rate_hz / self.frequency_hz)
            raise SpecError(
                "frequency_hz",
                f"{shown(self.frequency_hz)} Hz does not divide fs = {shown(rate_hz)} Hz, so its multiples would drift",
                hint=f"choose {shown(rate_hz / (whole + 1))} Hz or {shown(rate_hz / whole)} Hz",
            )
        _check_width(self, rate_hz)

    def design(self, rate_hz: float) -> Sections:
        self.check(rate_hz)
        samples = round(rate_hz / self.frequency_hz)
        beta = math.tan(math.pi * samples * self.frequency_hz / self.q / rate_hz / 2)
        feedback = (1 - beta) / (1 + beta)
        gain = 1 / (1 + beta) if self.kind == "notch" else beta / (1 + beta)
        zeros = _zeros(samples, halfway=self.kind == "peak")
        poles = _poles(samples, abs(feedback) ** (1 / samples), halfway=feedback < 0)
        gain /= math.prod(zero[0] for zero in zeros)
        rows: list[Row] = [(*zero, *pole) for zero, pole in zip(zeros, poles, strict=True)]
        b0, b1, b2, *a = rows[0]
        rows[0] = (b0 * gain, b1 * gain, b2 * gain, a[0], a[1], a[2])
        return Sections(tuple(rows))
