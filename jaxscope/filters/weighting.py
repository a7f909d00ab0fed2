"""The weighting curves of acoustics: A and C (IEC 61672-1) and K (ITU-R BS.1770).

A and C are given as analog filters. A plain bilinear transform is several decibel too low near half the rate, so only
the low corners go that way; the double pole at 12.2 kHz becomes a section whose squared magnitude meets the analog
one at 0, at half and at the whole of fs/2 (the method of Vicanek, Matched Second Order Digital Filters, 2016). K is the
analog pair behind the published 48 kHz coefficients, moved by the bilinear transform; at 48 kHz it is those numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import Row, Sections
from jaxscope.filters.spec import AbstractFilterSpec, knob
from jaxscope.filters.values import shown

#: corners in Hz, from the equations of IEC 61672-1:2013, annex E
CORNERS_HZ = (20.598997057568145, 107.65264864304628, 737.8622307362899, 12194.21714799801)
REFERENCE_HZ = 1000.0
LOWEST_RATE_HZ = {"A": 4000.0, "C": 4000.0, "K": 8000.0}

_K_SHELF = (1681.974450955533, 3.999843853973347, 0.7071752369554196)
_K_HIGH_PASS = (38.13547087602444, 0.5003270373238773)
_K_SHELF_SLOPE = 0.4996667741545416


def analog_gain(curve: str, frequency_hz: float) -> float:
    """Return the magnitude of the analog A or C curve, 1 at 1 kHz. Source: IEC 61672-1:2013, annex E."""
    return _raw_gain(curve, frequency_hz) / _raw_gain(curve, REFERENCE_HZ)


def _raw_gain(curve: str, frequency_hz: float) -> float:
    f1, f2, f3, f4 = CORNERS_HZ
    squared = frequency_hz * frequency_hz
    gain = squared / ((squared + f1 * f1) * (squared + f4 * f4))
    if curve == "A":
        gain *= squared / math.sqrt((squared + f2 * f2) * (squared + f3 * f3))
    return gain


def _high_pass(corner_hz: float, rate_hz: float) -> tuple[float, float]:
    """Return b0 (b1 is -b0) and a1 of a first-order high-pass, right at its corner."""
    warped = math.tan(math.pi * corner_hz / rate_hz)
    return 1 / (1 + warped), (warped - 1) / (warped + 1)


def _pair(first_hz: float, second_hz: float, rate_hz: float) -> Row:
    """Return two first-order high-passes as one section."""
    (b_first, a_first), (b_second, a_second) = _high_pass(first_hz, rate_hz), _high_pass(second_hz, rate_hz)
    gain = b_first * b_second
    return (gain, -2 * gain, gain, 1.0, a_first + a_second, a_first * a_second)


def _double_low_pass(corner_hz: float, rate_hz: float) -> Row:
    """Return a section for a double real pole, its magnitude right at 0, fs/4 and fs/2."""
    pole = math.exp(-2 * math.pi * corner_hz / rate_hz)
    targets = [(1 + (part * rate_hz / corner_hz) ** 2) ** -2 for part in (0.0, 0.25, 0.5)]
    # |1 - p e^-jw|^4 at w = 0, pi/2, pi: what the numerator's squared magnitude must be there, divided by the target
    denominators = [(1 - pole) ** 4, (1 + pole * pole) ** 2, (1 + pole) ** 4]
    at_zero, at_half, at_end = (target * below for target, below in zip(targets, denominators, strict=True))
    # b0 + b1 + b2, b0 - b1 + b2 and (b0 - b2)^2 + b1^2 are known: solve for the minimum-phase triple
    total, alternating = math.sqrt(at_zero), math.sqrt(at_end)
    b1 = (total - alternating) / 2
    outer = (total + alternating) / 2
    spread = math.sqrt(max(at_half - b1 * b1, 0.0))
    return ((outer + spread) / 2, b1, (outer - spread) / 2, 1.0, -2 * pole, pole * pole)


def _magnitude(rows: tuple[Row, ...], angle: float) -> float:
    turn = complex(math.cos(angle), -math.sin(angle))
    result = 1.0
    for b0, b1, b2, _, a1, a2 in rows:
        result *= abs((b0 + b1 * turn + b2 * turn * turn) / (1 + a1 * turn + a2 * turn * turn))
    return result


def _k_rows(rate_hz: float) -> tuple[Row, ...]:
    corner_hz, gain_db, q = _K_SHELF
    warped, high = math.tan(math.pi * corner_hz / rate_hz), 10 ** (gain_db / 20)
    middle = high**_K_SHELF_SLOPE
    a0 = 1 + warped / q + warped * warped
    shelf = (
        (high + middle * warped / q + warped * warped) / a0,
        2 * (warped * warped - high) / a0,
        (high - middle * warped / q + warped * warped) / a0,
        1.0,
        2 * (warped * warped - 1) / a0,
        (1 - warped / q + warped * warped) / a0,
    )
    corner_hz, q = _K_HIGH_PASS
    warped = math.tan(math.pi * corner_hz / rate_hz)
    a0 = 1 + warped / q + warped * warped
    high_pass = (1.0, -2.0, 1.0, 1.0, 2 * (warped * warped - 1) / a0, (1 - warped / q + warped * warped) / a0)
    return (shelf, high_pass)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighting(AbstractFilterSpec):
    """Weights a sound as a sound level meter (A, C) or a loudness meter (K) does."""

    family: ClassVar[str] = "weighting"
    title: ClassVar[str] = "Weighting"
    summary: ClassVar[str] = "Weights a sound as a level meter does: A, C, or K for loudness"

    curve: Literal["A", "C", "K"] = knob("A", choices=("A", "C", "K"))

    def check(self, rate_hz: float) -> None:
        lowest_hz = LOWEST_RATE_HZ[self.curve]
        if rate_hz < lowest_hz:
            raise SpecError(
                "curve",
                f"{self.curve}-weighting has no meaning at {shown(rate_hz)} Hz",
                hint=f"it needs a rate of {shown(lowest_hz)} Hz or more",
            )

    def design(self, rate_hz: float) -> Sections:
        self.check(rate_hz)
        if self.curve == "K":
            return Sections(_k_rows(rate_hz))
        f1, f2, f3, f4 = CORNERS_HZ
        middle = (_pair(f2, f3, rate_hz),) if self.curve == "A" else ()
        rows: tuple[Row, ...] = (_pair(f1, f1, rate_hz), *middle, _double_low_pass(f4, rate_hz))
        gain = analog_gain(self.curve, REFERENCE_HZ) / _magnitude(rows, 2 * math.pi * REFERENCE_HZ / rate_hz)
        b0, b1, b2, *a = rows[0]
        return Sections(((b0 * gain, b1 * gain, b2 * gain, a[0], a[1], a[2]), *rows[1:]))
