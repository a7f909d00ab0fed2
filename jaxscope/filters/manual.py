"""Filters given as numbers: sections, b / a, zeros with poles and gain, taps.

Numbers are kept as they were typed; ``design`` normalises by a0, pairs roots to sections and finds what is only a
finite response. A filter that is unstable is representable here: who runs it decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import LARGEST, Realisation, Row, Sections, Taps
from jaxscope.filters.roots import Roots, to_sections
from jaxscope.filters.spec import AbstractFilterSpec, knob
from jaxscope.filters.stability import NEGLIGIBLE
from jaxscope.filters.values import shown

#: numerators longer than this run as taps before an all-pole cascade, for roots of such degrees lose their meaning
MAX_ROOTED = 65
MAX_DENOMINATOR = 129
#: numbers beyond this lie outside all use, and their squares and products would leave the range of float64
MOST = 1e50
CONJUGATE_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionsSpec(AbstractFilterSpec):
    """Second-order sections, rows of b0 b1 b2 a0 a1 a2."""

    family: ClassVar[str] = "sections"
    title: ClassVar[str] = "Sections"
    summary: ClassVar[str] = "Second-order sections, given as numbers"

    rows: tuple[Row, ...] = knob(((1.0, 0.0, 0.0, 1.0, 0.0, 0.0),), kind="rows", low=-MOST, high=MOST)

    def validate(self) -> None:
        if not self.rows:
            raise SpecError("rows", "there are no sections", hint="give at least one row of b0 b1 b2 a0 a1 a2")
        Sections(self.rows)

    def design(self, rate_hz: float) -> Sections:
        return Sections(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class TapsSpec(AbstractFilterSpec):
    """An impulse response of finite length."""

    family: ClassVar[str] = "taps"
    title: ClassVar[str] = "Taps"
    summary: ClassVar[str] = "A finite impulse response, given as numbers"

    values: tuple[float, ...] = knob((1.0,), low=-MOST, high=MOST)

    def validate(self) -> None:
        Taps(self.values)

    def design(self, rate_hz: float) -> Taps:
        return Taps(self.values)


def _stripped(values: tuple[float, ...]) -> tuple[float, ...]:
    """Return the values without zeros at the end."""
    last = len(values)
    while last > 1 and values[last - 1] == 0:
        last -= 1
    return values[:last]


def _half_roots(field: str, coefficients: tuple[float, ...]) -> tuple[complex, ...]:
    """Return the roots in z of a polynomial in z⁻¹, by half; its first coefficient is not 0."""
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            found = np.roots(coefficients)
    except (FloatingPointError, np.linalg.LinAlgError) as error:
        raise SpecError(
            field, f"the numbers of {field} are too far apart to find roots", hint="give sections"
        ) from error
    # np.roots drops roots at the origin only where trailing zeros are left, and these are stripped
    return tuple(complex(root) for root in found.astype(complex) if root.imag >= 0)


@lru_cache(maxsize=256)
def _poles(a: tuple[float, ...]) -> tuple[complex, ...]:
    return _half_roots("a", _stripped(a))


@lru_cache(maxsize=256)
def _zeros(b: tuple[float, ...]) -> tuple[complex, ...]:
    return _half_roots("b", b)


def _with_delay(sections: Sections, delay: int) -> Sections:
    """Return the cascade later by ``delay`` samples: as rows of z⁻¹ and z⁻² in front."""
    rows: list[Row] = [(0.0, 0.0, 1.0, 1.0, 0.0, 0.0)] * (delay // 2)
    if delay % 2:
        rows.append((0.0, 1.0, 0.0, 1.0, 0.0, 0.0))
    return Sections((*rows, *sections.rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferFunction(AbstractFilterSpec):
    """One polynomial over another, both in falling powers of z (rising powers of z⁻¹), as ``lfilter`` takes them."""

    family: ClassVar[str] = "transfer_function"
    title: ClassVar[str] = "b / a"
    summary: ClassVar[str] = "One polynomial over another, given as numbers; run as sections"

    b: tuple[float, ...] = knob((1.0,), label="b", low=-MOST, high=MOST)
    a: tuple[float, ...] = knob((1.0,), label="a", low=-MOST, high=MOST)

    def validate(self) -> None:
        for name, values in (("b", self.b), ("a", self.a)):
            if not values:
                raise SpecError(name, f"{name} is empty", hint="give at least one number")
        if self.a[0] == 0:
            raise SpecError("a", "a0 is 0", hint="give an a that does not begin with 0")
        if any(abs(value) > LARGEST * abs(self.a[0]) for value in (*self.a, *self.b)):
            raise SpecError("a", f"a0 = {self.a[0]:g} is too small to divide by", hint="give a larger a0")
        if len(_stripped(self.a)) > MAX_DENOMINATOR:
            raise SpecError("a", f"a has {len(self.a)} numbers", hint=f"give {MAX_DENOMINATOR} or fewer, or sections")

    def normalised(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return b and a divided by a0, zeros at their ends left out."""
        a0 = self.a[0]
        b = _stripped(tuple(value / a0 for value in self.b))
        return b, _stripped(tuple(value / a0 for value in self.a))

    def pole_radius(self) -> float:
        """Return the radius of the outermost root of ``a``, 0 where there is none."""
        return max((abs(pole) for pole in _poles(self.normalised()[1])), default=0.0)

    def warnings(self, rate_hz: float) -> tuple[str, ...]:
        radius = self.pole_radius()
        if radius < 1:
            return ()
        return (f"unstable as b / a: the outermost pole is at radius {radius:.10g}; give the filter as sections",)

    def design(self, rate_hz: float) -> Sections | Taps:
        b, a = self.normalised()
        if len(a) == 1:
            return Taps(b)
        least = NEGLIGIBLE * max(map(abs, b))
        delay = next((place for place, value in enumerate(b) if abs(value) > least), None)
        if delay is None:
            return to_sections(Roots((), _poles(a), 0.0))
        roots = Roots(_zeros(b[delay:]), _poles(a), b[delay])
        return _with_delay(to_sections(roots), delay)

    def parts(self, rate_hz: float) -> tuple[Realisation, ...]:
        b, a = self.normalised()
        if len(a) > 1 and len(b) > MAX_ROOTED:
            return (Taps(b), to_sections(Roots((), _poles(a), 1.0)))
        return (self.design(rate_hz),)


def _by_half(field: str, points: tuple[tuple[float, float], ...]) -> tuple[complex, ...]:
    """Return the upper half of a set of points; SpecError where one has no conjugate."""
    reals = [complex(re) for re, im in points if im == 0]
    above = [complex(re, im) for re, im in points if im > 0]
    below = [complex(re, im) for re, im in points if im < 0]
    half = []
    for root in above:
        mate = min(below, key=lambda other: abs(other.conjugate() - root), default=None)
        if mate is None or abs(mate.conjugate() - root) > CONJUGATE_TOLERANCE * max(abs(root), 1.0):
            raise _lonely(field, root)
        below.remove(mate)
        half.append((root + mate.conjugate()) / 2)
    if below:
        raise _lonely(field, below[0])
    return (*half, *reals)


def _lonely(field: str, root: complex) -> SpecError:
    sign = "+" if root.imag > 0 else "−"
    text = f"{shown(root.real)} {sign} {shown(abs(root.imag))}j"
    return SpecError(field, f"{text} has no conjugate", hint="give complex roots in pairs")


@dataclass(frozen=True, slots=True, kw_only=True)
class ZerosPolesGain(AbstractFilterSpec):
    """Zeros and poles of the z-plane as [re, im], and a gain, read as ``scipy.signal.zpk2sos`` does.

    Where there are fewer zeros than poles, zeros at the origin are added, so nothing is delayed.
    """

    family: ClassVar[str] = "zpk"
    title: ClassVar[str] = "Zeros and poles"
    summary: ClassVar[str] = "Zeros, poles and gain, given as numbers"

    zeros: tuple[tuple[float, float], ...] = knob((), kind="points", low=-MOST, high=MOST)
    poles: tuple[tuple[float, float], ...] = knob((), kind="points", low=-MOST, high=MOST)
    gain: float = knob(1.0, low=-MOST, high=MOST)

    def validate(self) -> None:
        for name, points in (("zeros", self.zeros), ("poles", self.poles)):
            if len(points) > 2 * MAX_DENOMINATOR:
                raise SpecError(name, f"there are {len(points)} {name}", hint=f"give {2 * MAX_DENOMINATOR} or fewer")
            _by_half(name, points)

    def roots(self) -> Roots:
        """Return zeros and poles by half."""
        return Roots(_by_half("zeros", self.zeros), _by_half("poles", self.poles), self.gain)

    def design(self, rate_hz: float) -> Sections | Taps:
        if not self.zeros and not self.poles:
            return Taps((self.gain,))
        return to_sections(self.roots())
