"""Where axes have their marks, and what the marks say.

Steps are 1, 2 or 5 times a power of ten; on the time axis from ten seconds on they follow the clock (30 s, 1 min,
2 min, 5 min). Marks stand on whole multiples of the step, so they move with the recording and never jump while panning.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

#: Steps of the time axis from ten seconds on; each is at most 2.5 times the one before, so one fits any spacing.
CLOCK_STEPS_S = (10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400)
#: How far marks of the time axis are apart.
LEAST_PX = 60.0
MINUS = "\u2212"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticks:
    """Marks of one axis: the step, where the labelled marks are, what they say, and the small marks between."""

    step: float
    major: tuple[float, ...]
    labels: tuple[str, ...]
    minor: tuple[float, ...]


def nice_step(least: float) -> float:
    """Return the smallest 1, 2 or 5 times a power of ten that is not below ``least`` (> 0).

    Examples
    --------
    >>> nice_step(0.3), nice_step(2.0), nice_step(51.0)
    (0.5, 2.0, 100.0)
    """
    exponent = math.floor(math.log10(least))
    for power in (exponent - 1, exponent, exponent + 1):
        for factor in (1, 2, 5):
            step = float(f"{factor}e{power}")
            if step >= least * (1 - 1e-12):
                return step
    return float(f"1e{exponent + 2}")


def nice_below(most: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that is not above ``most`` (> 0): the value of a scale bar."""
    exponent = math.floor(math.log10(most))
    powers = (exponent - 1, exponent, exponent + 1)
    candidates = [float(f"{factor}e{power}") for power in powers for factor in (1, 2, 5)]
    return max(step for step in candidates if step <= most * (1 + 1e-12))


def time_step(least_s: float) -> float:
    """Return the smallest step of the time axis that is not below ``least_s`` (> 0)."""
    if least_s <= CLOCK_STEPS_S[0]:
        return nice_step(least_s)
    for step in CLOCK_STEPS_S:
        if step >= least_s:
            return float(step)
    return 86400.0 * nice_step(least_s / 86400.0)


def time_ticks(start_s: float, stop_s: float, width_px: float, *, least_px: float = LEAST_PX) -> Ticks:
    """Return the marks of a time axis from ``start_s`` to ``stop_s`` that is ``width_px`` wide."""
    span_s = stop_s - start_s
    if span_s <= 0 or width_px <= 0:
        return Ticks(step=1.0, major=(), labels=(), minor=())
    step = time_step(span_s * least_px / width_px)
    major = multiples(start_s, stop_s, step)
    return Ticks(
        step=step,
        major=major,
        labels=tuple(time_label(value, step) for value in major),
        minor=_between(start_s, stop_s, step),
    )


def value_ticks(low: float, high: float, count: int) -> Ticks:
    """Return about ``count`` marks of a value axis (never more than ``count + 1``)."""
    if not (high > low) or count < 1:
        return Ticks(step=1.0, major=(), labels=(), minor=())
    step = nice_step((high - low) / count)
    major = multiples(low, high, step)
    return Ticks(
        step=step,
        major=major,
        labels=tuple(value_label(value, step) for value in major),
        minor=_between(low, high, step),
    )


def log_ticks(low: float, high: float) -> Ticks:
    """Return the marks of a logarithmic axis: 1, 2 and 5 times powers of ten are labelled, the rest are small."""
    major: list[float] = []
    minor: list[float] = []
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for factor in range(1, 10):
            value = float(f"{factor}e{power}")
            if low <= value <= high:
                (major if factor in (1, 2, 5) else minor).append(value)
    return Ticks(step=10.0, major=tuple(major), labels=tuple(f"{value:g}" for value in major), minor=tuple(minor))


def multiples(low: float, high: float, step: float) -> tuple[float, ...]:
    """Return the whole multiples of ``step`` from ``low`` to ``high``, ends included."""
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return tuple(number * step for number in range(first, last + 1))


def decimals_of(step: float) -> int:
    """Return how many decimals tell neighbouring marks apart."""
    return max(0, -math.floor(math.log10(step) + 1e-9))


def value_label(value: float, step: float) -> str:
    """Return a value with the decimals of its step and a real minus sign."""
    text = f"{abs(value):.{decimals_of(step)}f}"
    return MINUS + text if value < 0 and float(text) != 0 else text


def time_label(second: float, step: float) -> str:
    """Return ``m:ss``, from an hour on ``h:mm:ss``, with the decimals of the step.

    Examples
    --------
    >>> time_label(34.0, 1.0), time_label(95.5, 0.5), time_label(3725.0, 5.0)
    ('0:34', '1:35.5', '1:02:05')
    """
    decimals = decimals_of(step)
    units = round(abs(second) * 10**decimals)
    whole, fraction = divmod(units, 10**decimals)
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
    if decimals:
        text += f".{fraction:0{decimals}d}"
    return MINUS + text if second < 0 and units else text


def _between(low: float, high: float, step: float) -> tuple[float, ...]:
    """Return the small marks: five, four or two parts to a step, whichever divides it into round values."""
    leading = round(step / 10.0 ** math.floor(math.log10(step) + 1e-9), 6)
    parts = {1.0: 5, 2.0: 4, 5.0: 5, 3.0: 3, 6.0: 6}.get(leading, 2)
    small = step / parts
    first = math.ceil(low / small - 1e-9)
    last = math.floor(high / small + 1e-9)
    return tuple(number * small for number in range(first, last + 1) if number % parts)
