"""Numbers in the eight characters that an EDF header has for them.

A range must be rounded outward, for a limit that is rounded inward cuts off the peaks. Plain decimals are preferred;
an exponent is written only where plain decimals would waste much of the digital range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

_WIDTH = 8
#: How much wider than with an exponent a range in plain decimals may be.
_PLAIN_WASTE = Decimal("1.3")
#: Narrower ranges have digital steps that a float cannot hold.
_LEAST_WIDTH = Decimal("1E-290")


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalRange:
    """Limits as they stand in the header; ``low`` and ``high`` are what these texts say."""

    low_text: str
    high_text: str

    @property
    def low(self) -> float:
        """The physical minimum."""
        return float(self.low_text)

    @property
    def high(self) -> float:
        """The physical maximum."""
        return float(self.high_text)

    @property
    def has_exponent(self) -> bool:
        """Whether a limit is written with an exponent, which not all programs read."""
        return "E" in self.low_text + self.high_text


def fit_range(low: float, high: float) -> PhysicalRange:
    """Return limits of at most 8 characters that enclose a range as closely as they can.

    Parameters
    ----------
    low, high : float
        Least and greatest value, in any order of magnitude; may be equal.

    Examples
    --------
    >>> fit_range(-1234.56789, 1234.56789)
    PhysicalRange(low_text='-1234.57', high_text='1234.568')
    """
    if low == high == 0:
        return PhysicalRange(low_text="-1", high_text="1")  # zero is then exactly a digital value
    least = Decimal(low)
    most = max(Decimal(high), least + _LEAST_WIDTH)
    scientific = _widened(_scientific(least, ROUND_FLOOR), _scientific(most, ROUND_CEILING), _scientific)
    plain_low, plain_high = _plain(least, ROUND_FLOOR), _plain(most, ROUND_CEILING)
    if plain_low is not None and plain_high is not None:
        plain = _widened(plain_low, plain_high, _plain)
        if plain is not None and (scientific is None or _width(plain) <= _PLAIN_WASTE * _width(scientific)):
            return plain
    if scientific is None:
        raise ValueError(f"no range of eight characters encloses {low} to {high}")
    return scientific


def decimal_text(value: Fraction) -> str | None:
    """Return a positive fraction exactly in at most 8 characters, or None where it does not fit."""
    text = _strip(format(Decimal(value.numerator) / Decimal(value.denominator), "f"))
    return text if len(text) <= _WIDTH and Fraction(text) == value else None


def rounded_text(value: Fraction) -> str:
    """Return a positive fraction in at most 8 characters, rounded to the nearest."""
    whole = len(str(int(value)))
    digits = max(0, _WIDTH - 1 - (whole if value >= 1 else 0))
    return _strip(format(round(Decimal(value.numerator) / Decimal(value.denominator), digits), "f"))


def _plain(value: Decimal, rounding: str) -> str | None:
    """Round to the most digits that fit without an exponent; None where even whole numbers do not."""
    for digits in range(_WIDTH - 1, -1, -1):
        rounded = value.quantize(Decimal(1).scaleb(-digits), rounding=rounding, context=Context(prec=400))
        text = _strip(format(rounded, "f"))
        if len(text) <= _WIDTH:
            return text
    return None


def _scientific(value: Decimal, rounding: str) -> str | None:
    """Round to the most digits that fit with an exponent."""
    if value == 0:
        return "0"
    for digits in range(_WIDTH - 3, 0, -1):
        rounded = Context(prec=digits, rounding=rounding).plus(value)
        exponent = rounded.adjusted()
        mantissa = _strip(format(rounded.scaleb(-exponent), "f"))
        text = f"{mantissa}E{exponent}"
        if len(text) <= _WIDTH:
            return text
    return None


def _widened(low: str | None, high: str | None, write: Callable[[Decimal, str], str | None]) -> PhysicalRange | None:
    """Make sure that a range has a width: move the upper limit by the smallest step that can be written."""
    if low is None or high is None:
        return None
    if float(low) < float(high):
        return PhysicalRange(low_text=low, high_text=high)
    value = Decimal(high)
    step = max(abs(value), Decimal(1) if value == 0 else abs(value)) * Decimal("1E-7")
    while step <= max(abs(value), Decimal(1)) * 2:
        text = write(value + step, ROUND_CEILING)
        if text is not None and float(text) > float(low):
            return PhysicalRange(low_text=low, high_text=text)
        step *= 10
    return None


def _width(limits: PhysicalRange) -> Decimal:
    return Decimal(limits.high_text) - Decimal(limits.low_text)


def _strip(text: str) -> str:
    """Remove what a decimal text does not need: zeros at its end, and at its front where room is short."""
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if len(text) > _WIDTH and text.startswith(("0.", "-0.")):
        text = text.replace("0.", ".", 1)
    return "0" if text in ("", "-0") else text
