"""How numbers are written, read, limited and stepped in fields, sliders and cells.

Written numbers use the real minus sign; both minus signs are read. A step of a logarithmic number is a factor, so that
it feels the same at 0.1 Hz and at 10 kHz.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, isfinite, log10

from jaxscope.errors import JaxscopeError

MINUS = "\u2212"


def parse_plain(text: str) -> float:
    """Return the number that a text stands for, or raise JaxscopeError with the sentence to show."""
    try:
        value = float(text.strip().replace(MINUS, "-"))
    except ValueError:
        raise JaxscopeError(f'Can\'t read "{text}"', hint="type a number") from None
    if not isfinite(value):
        raise JaxscopeError(f"{text.strip()} is not a finite number", hint="type a number")
    return value


def write_number(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, plain between 0.001 and 100 000, with a real minus sign.

    Zeros after the point are kept up to ``digits``: 40.0, 8.00, 0.50.
    """
    if value == 0:
        return "0"
    size = abs(value)
    if size < 1e-3 or size >= 1e6:
        mantissa, _, power = f"{value:.{max(0, digits - 1)}e}".partition("e")
        return f"{mantissa}e{int(power)}".replace("-", MINUS)
    places = max(0, digits - 1 - floor(log10(size)))
    return f"{value:.{places}f}".replace("-", MINUS)


def write_exact(value: float, digits: int = 3) -> str:
    """Return a number with ``digits`` significant digits (one less below 1), and as many more as it has, up to 7.

    40.0, 8.00, 0.50, 0.125.
    """
    short = write_number(value, digits if abs(value) >= 1 or value == 0 else digits - 1)
    if float(short.replace(MINUS, "-")) == value:
        return short
    for more in range(digits, 8):
        longer = write_number(value, more)
        if float(longer.replace(MINUS, "-")) == value:
            return longer
    return write_number(value, max(digits, 5))


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRange:
    """Limits, step and digits of a number. ``step`` is a factor minus one where ``log``."""

    low: float | None = None
    high: float | None = None
    step: float | None = None
    log: bool = False
    whole: bool = False
    digits: int = 3
    default: float | None = None

    def write(self, value: float) -> str:
        """Return the number as the field shows it."""
        return f"{round(value)}".replace("-", MINUS) if self.whole else write_exact(value, self.digits)

    def rounded(self, value: float) -> float:
        """Return the number as it can be, whole where it must be."""
        return float(round(value)) if self.whole and abs(value) < 2**53 else value

    def hold(self, value: float) -> float:
        """Return the nearest number inside the limits."""
        if self.low is not None:
            value = max(self.low, value)
        if self.high is not None:
            value = min(self.high, value)
        return self.rounded(value)

    def complaint(self, value: float, unit: str = "") -> str | None:
        """Return a sentence where the number is outside the limits."""
        unit = f" {unit}" if unit else ""
        if self.low is not None and value < self.low:
            return f"{self.write(value)}{unit} is below {self.write(self.low)}{unit}"
        if self.high is not None and value > self.high:
            return f"{self.write(value)}{unit} is above {self.write(self.high)}{unit}"
        return None

    def step_from(self, value: float, steps: float) -> float:
        """Return the number that many steps away, on tidy digits."""
        if self.whole:
            size = max(1.0, self.step or 1.0)
            moved = steps * size
            return value + (moved if abs(moved) >= 1 else (1.0 if steps > 0 else -1.0))
        if self.log and value > 0:
            raw = value * (1 + (self.step or 0.05)) ** steps
            return _tidy(raw, 4 if abs(steps) < 1 else 3)
        size = self.step or _natural_step(value)
        return _tidy(value + steps * size, 12)


def _natural_step(value: float) -> float:
    return 10.0 ** (floor(log10(abs(value))) - 1) if value else 0.1


def _tidy(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
