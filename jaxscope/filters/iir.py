"""The five classical families: Butterworth, Chebyshev 1 and 2, elliptic, Bessel.

All go the same way: an analog low-pass prototype (kept by shape, not by edge), moved to the band with edges warped for
the bilinear transform, mapped to the z-plane and paired to sections. No polynomial is ever formed, so low cutoffs at
high rates and high orders keep their digits. Prototypes: Parks and Burrus, Digital Filter Design, chapter 7; the
elliptic and Bessel ones are SciPy's.
"""

from __future__ import annotations

import cmath
import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import Sections
from jaxscope.filters.roots import (
    Roots,
    bilinear,
    to_bandpass,
    to_bandstop,
    to_highpass,
    to_lowpass,
    to_sections,
    upper,
)
from jaxscope.filters.spec import AbstractFilterSpec, Band, check_below_nyquist, knob
from jaxscope.filters.values import shown

BANDS: tuple[str, ...] = get_args(Band)
PAIRED = ("bandpass", "bandstop")
MAX_ORDER = 32
LOWEST_HZ = 1e-9
#: below this part of the rate a corner is more likely a slip of the unit than meant
SUSPECT_PART = 1e-4

_DOUBLED_RATE = 4.0


def cutoff_knob() -> Any:
    """Declare the field of one edge or two, in Hz."""
    return knob(
        40.0, low=LOWEST_HZ, unit="Hz", log=True, step=0.05, label="Cutoff", kind="edges", reach=(0.01, math.inf)
    )


def edges_for_band(cutoff_hz: float | tuple[float, float], band: str) -> float | tuple[float, float]:
    """Return edges as ``band`` needs them: one, or two an octave below and above."""
    if band in PAIRED:
        return cutoff_hz if isinstance(cutoff_hz, tuple) else (cutoff_hz / 2, cutoff_hz)
    if isinstance(cutoff_hz, tuple):
        return cutoff_hz[0] if band == "highpass" else cutoff_hz[1]
    return cutoff_hz


def check_edges(band: str, cutoff_hz: float | tuple[float, float]) -> None:
    """Raise SpecError where the edges are not as many as the band has, or not in order."""
    if band in PAIRED:
        if not isinstance(cutoff_hz, tuple):
            raise SpecError(
                "cutoff_hz", f"a {band} has two edges, not {shown(cutoff_hz)}", hint="give [low, high] in Hz"
            )
        low_hz, high_hz = cutoff_hz
        if high_hz <= low_hz:
            raise SpecError(
                "cutoff_hz", f"the upper edge must be above {shown(low_hz)} Hz", hint=f"it is {shown(high_hz)} Hz"
            )
    elif isinstance(cutoff_hz, tuple):
        raise SpecError("cutoff_hz", f"a {band} has one edge, not two", hint="give one cutoff in Hz")


class AbstractBandSpec(AbstractFilterSpec):
    """A filter with a band and its edges in Hz: what the recursive and the windowed designs share.

    The families declare both fields, so that each keeps its own order of fields.
    """

    __slots__ = ()

    band: Band
    cutoff_hz: float | tuple[float, float]

    def validate(self) -> None:
        check_edges(self.band, self.cutoff_hz)

    @property
    def edges_hz(self) -> tuple[float, ...]:
        """The edges as a tuple of one or two."""
        return self.cutoff_hz if isinstance(self.cutoff_hz, tuple) else (self.cutoff_hz,)

    def check(self, rate_hz: float) -> None:
        for edge_hz in self.edges_hz:
            check_below_nyquist("cutoff_hz", edge_hz, rate_hz)

    def warnings(self, rate_hz: float) -> tuple[str, ...]:
        return tuple(
            f"{shown(edge_hz)} Hz is below fs / 10 000 (fs = {shown(rate_hz)} Hz); make sure that it is meant in Hz"
            for edge_hz in self.edges_hz
            if edge_hz < SUSPECT_PART * rate_hz
        )

    def with_value(self, name: str, value: Any) -> AbstractFilterSpec:
        if name == "band" and value in BANDS:
            changes: dict[str, Any] = {"band": value, "cutoff_hz": edges_for_band(self.cutoff_hz, value)}
            return replace(self, **changes)
        return AbstractFilterSpec.with_value(self, name, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class AbstractClassicalSpec(AbstractBandSpec):
    """A family that is an analog low-pass prototype moved to a band."""

    band: Band = knob("lowpass", choices=BANDS)  # noqa: RUF009
    order: int = knob(4, low=1, high=MAX_ORDER, step=1)
    cutoff_hz: float | tuple[float, float] = cutoff_knob()

    @abstractmethod
    def prototype(self) -> Roots:
        """Return the analog low-pass of edge 1 rad/s, roots by half."""

    def design(self, rate_hz: float) -> Sections:
        self.check(rate_hz)
        return to_sections(bilinear(self._moved(rate_hz), _DOUBLED_RATE))

    def _moved(self, rate_hz: float) -> Roots:
        warped = [_DOUBLED_RATE * math.tan(math.pi * edge_hz / rate_hz) for edge_hz in self.edges_hz]
        prototype = self.prototype()
        match self.band:
            case "lowpass":
                return to_lowpass(prototype, warped[0])
            case "highpass":
                return to_highpass(prototype, warped[0])
            case "bandpass":
                return to_bandpass(prototype, warped[0], warped[1])
            case "bandstop":
                return to_bandstop(prototype, warped[0], warped[1])


def _angles(order: int) -> list[float]:
    """Angles of the Butterworth poles in the second quadrant, the real axis last where the order is odd."""
    return [math.pi * (order + 1 + 2 * k) / (2 * order) for k in range((order + 1) // 2)]


def _on_circle(angle: float, order: int, index: int) -> complex:
    if 2 * index + 1 == order:
        return complex(-1.0)
    return complex(math.cos(angle), math.sin(angle))


def _product_of_negatives(half: tuple[complex, ...]) -> float:
    result = 1.0
    for root in half:
        result *= -root.real if root.imag == 0 else abs(root) ** 2
    return result


@lru_cache(maxsize=256)
def butterworth_prototype(order: int) -> Roots:
    """Return the poles evenly spaced on the left half of the unit circle."""
    poles = tuple(_on_circle(angle, order, k) for k, angle in enumerate(_angles(order)))
    return Roots((), poles, 1.0)


@lru_cache(maxsize=256)
def chebyshev1_prototype(order: int, ripple_db: float) -> Roots:
    """Return the poles on the ellipse of a Chebyshev filter with ripple in the pass band."""
    epsilon = math.sqrt(math.expm1(0.1 * math.log(10) * ripple_db))
    mu = math.asinh(1 / epsilon) / order
    circle = butterworth_prototype(order).poles
    poles = tuple(complex(math.sinh(mu) * pole.real, math.cosh(mu) * pole.imag) for pole in circle)
    gain = _product_of_negatives(poles)
    if order % 2 == 0:
        gain /= math.sqrt(1 + epsilon * epsilon)
    return Roots((), poles, gain)


@lru_cache(maxsize=256)
def chebyshev2_prototype(order: int, attenuation_db: float) -> Roots:
    """Return zeros on the imaginary axis and poles for a Chebyshev filter with ripple in the stop band."""
    epsilon = 1 / math.sqrt(math.expm1(0.1 * math.log(10) * attenuation_db))
    mu = math.asinh(1 / epsilon) / order
    circle = butterworth_prototype(order).poles
    poles = tuple(upper(1 / complex(math.sinh(mu) * pole.real, math.cosh(mu) * pole.imag)) for pole in circle)
    zeros = tuple(complex(0.0, 1 / math.cos(math.pi * (2 * k + 1) / (2 * order))) for k in range(order // 2))
    return Roots(zeros, poles, _product_of_negatives(poles) / _product_of_negatives(zeros))


def _half(roots: Any) -> tuple[complex, ...]:
    """Return the upper half of a complete, conjugate set of analog roots."""
    cleaned = (complex(root) for root in np.atleast_1d(roots))
    real_part = 1e-13
    return tuple(
        complex(root.real, 0.0) if abs(root.imag) <= real_part * abs(root) else root
        for root in cleaned
        if root.imag >= -real_part * abs(root)
    )


@lru_cache(maxsize=256)
def elliptic_prototype(order: int, ripple_db: float, attenuation_db: float) -> Roots:
    """Return SciPy's ``ellipap`` by half; SpecError where its solver finds none."""
    from scipy.signal import ellipap

    try:
        zeros, poles, gain = ellipap(order, ripple_db, attenuation_db)
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise SpecError(
            "attenuation_db",
            f"no elliptic filter of order {order} has {ripple_db:g} dB ripple and {attenuation_db:g} dB attenuation",
            hint="change the order, the ripple or the attenuation",
        ) from error
    roots = Roots(_half(zeros), _half(poles), float(gain))
    if not all(map(cmath.isfinite, (*roots.zeros, *roots.poles))):
        raise SpecError("order", f"order {order} is too high for these ripples", hint="choose a lower order")
    return roots


@lru_cache(maxsize=256)
def bessel_prototype(order: int, norm: Literal["phase", "delay", "mag"]) -> Roots:
    """Return SciPy's ``besselap`` by half."""
    from scipy.signal import besselap

    zeros, poles, gain = besselap(order, norm=norm)
    return Roots(_half(zeros), _half(poles), float(gain))


@dataclass(frozen=True, slots=True, kw_only=True)
class Butterworth(AbstractClassicalSpec):
    """As flat as can be in the pass band, -3.01 dB at the cutoff (``scipy.signal.butter``)."""

    family: ClassVar[str] = "butterworth"
    title: ClassVar[str] = "Butterworth"
    summary: ClassVar[str] = "Flat in the band, gentle edge"

    def prototype(self) -> Roots:
        return butterworth_prototype(self.order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chebyshev1(AbstractClassicalSpec):
    """Steeper, with ripple in the pass band, which ends where the ripple is left (``scipy.signal.cheby1``)."""

    family: ClassVar[str] = "chebyshev1"
    title: ClassVar[str] = "Chebyshev I"
    summary: ClassVar[str] = "Steeper edge, ripple in the band"

    ripple_db: float = knob(0.5, low=1e-6, high=60.0, step=0.1, unit="dB", log=True, reach=(0.01, 6.0))

    def prototype(self) -> Roots:
        return chebyshev1_prototype(self.order, self.ripple_db)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chebyshev2(AbstractClassicalSpec):
    """Flat pass band, ripple in the stop band, which begins at the cutoff (``scipy.signal.cheby2``)."""

    family: ClassVar[str] = "chebyshev2"
    title: ClassVar[str] = "Chebyshev II"
    summary: ClassVar[str] = "Flat in the band, the cutoff is where the attenuation is reached"

    attenuation_db: float = knob(40.0, low=0.1, high=400.0, step=1.0, unit="dB", label="Stop", reach=(10.0, 120.0))

    def prototype(self) -> Roots:
        return chebyshev2_prototype(self.order, self.attenuation_db)


@dataclass(frozen=True, slots=True, kw_only=True)
class Elliptic(AbstractClassicalSpec):
    """Steepest edge for an order, ripple on both sides (``scipy.signal.ellip``)."""

    family: ClassVar[str] = "elliptic"
    title: ClassVar[str] = "Elliptic"
    summary: ClassVar[str] = "Steepest edge, ripple inside and outside the band"

    ripple_db: float = knob(0.5, low=1e-6, high=60.0, step=0.1, unit="dB", log=True, reach=(0.01, 6.0))
    attenuation_db: float = knob(40.0, low=0.1, high=400.0, step=1.0, unit="dB", label="Stop", reach=(10.0, 120.0))

    def validate(self) -> None:
        check_edges(self.band, self.cutoff_hz)
        if self.attenuation_db <= self.ripple_db:
            raise SpecError(
                "attenuation_db",
                f"the attenuation must be above the ripple of {shown(self.ripple_db)} dB",
                hint=f"it is {shown(self.attenuation_db)} dB",
            )

    def prototype(self) -> Roots:
        return elliptic_prototype(self.order, self.ripple_db, self.attenuation_db)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bessel(AbstractClassicalSpec):
    """Keeps the shape of waves: nearly constant delay in the band (``scipy.signal.bessel``)."""

    family: ClassVar[str] = "bessel"
    title: ClassVar[str] = "Bessel"
    summary: ClassVar[str] = "Keeps the shape of waves, gentle edge"

    order: int = knob(4, low=1, high=25, step=1)
    norm: Literal["phase", "delay", "mag"] = knob("phase", choices=("phase", "delay", "mag"))

    def prototype(self) -> Roots:
        return bessel_prototype(self.order, self.norm)
