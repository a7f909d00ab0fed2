"""Numbers beside the traces: values with unit and sign, times, durations, with no digit that says nothing."""

from __future__ import annotations

import math

from jaxscope.display.ticks import MINUS
from jaxscope.gui.views.traces_values import Value

_DECIMALS_FOR_THREE_DIGITS = 2


def signed(value: float, decimals: int) -> str:
    """Return a number with its sign, a real minus; one that is 0 in these decimals has none."""
    text = f"{abs(value):.{decimals}f}"
    if not float(text):
        return text
    return (MINUS if value < 0 else "+") + text


def decimals_for(size: float) -> int:
    """Return the decimals that give three digits to a number of this size, 0 to 6."""
    if size <= 0 or not math.isfinite(size):
        return 1
    return min(6, max(0, _DECIMALS_FOR_THREE_DIGITS - math.floor(math.log10(size))))


def value_text(value: Value | None, unit: str, units_per_lane: float) -> str:
    """Return what a trace holds: one value, or a range where a bin holds several samples."""
    if value is None:
        return "no data"
    decimals = decimals_for(units_per_lane)
    low, high = signed(value.low, decimals), signed(value.high, decimals)
    words = low if low == high else f"{low} … {high}"
    return f"{words} {unit}" if unit else words


def size_text(size: float, unit: str) -> str:
    """Return a size with three digits, such as ``"8.12 µV"``; words where there is none."""
    if not math.isfinite(size):
        return "no data"
    if 0 < size < 1e-4 or size >= 1e6:
        mantissa, _, power = f"{size:.1e}".partition("e")
        number = f"{mantissa} × 10{superscript(int(power))}"
    else:
        number = f"{size:.{min(decimals_for(size), 4)}f}"
    return f"{number} {unit}" if unit else number


def signed_size(size: float, unit: str) -> str:
    """Return a size with its sign and three digits, such as ``"+8.12 µV"``; words where there is none."""
    if not math.isfinite(size):
        return "no data"
    return (MINUS if size < 0 else "+") + size_text(abs(size), unit)


def superscript(number: int) -> str:
    """Return a whole number in raised digits."""
    raised = str(number).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
    return raised


def clock(second: float, decimals: int = 0) -> str:
    """Return ``mm:ss``, from an hour on ``h:mm:ss``."""
    units = round(abs(second) * 10**decimals)
    whole, fraction = divmod(units, 10**decimals)
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"
    if decimals:
        text += f".{fraction:0{decimals}d}"
    return (MINUS if second < 0 and units else "") + text


def span_text(seconds: float) -> str:
    """Return a duration in the unit that suits it: ``"0.27 s"``, ``"12 ms"``, ``"4 min 05 s"``."""
    if math.isinf(seconds):
        return "for ever"
    if seconds < 0.1:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
