"""Times as a person types them: seconds, minutes and hours, h:mm:ss, time of day, sample numbers, steps from here.

What cannot be read, or lies outside of the recording, raises with a sentence that says what is wrong with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from jaxscope.data.timeline import Timeline
from jaxscope.display.ticks import MINUS
from jaxscope.errors import JaxscopeError

#: Words after a number, and what they are in seconds; those of samples are told apart.
UNITS_S = {
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
}
SAMPLE_WORDS = frozenset({"sample", "samples", "smp"})
EXAMPLES = "90, 1:30, 2 min, 14:05:30 clock, 5120 samples, +10"
_NUMBER = re.compile(r"([0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?)\s*([a-z]*)")
_CLOCK = re.compile(r"(?:([0-9]+):)?([0-9]+):([0-9]+(?:\.[0-9]*)?)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What a typed time is about: the recording, and where one is in it."""

    now_s: float
    total_s: float | None
    start: datetime | None
    #: the rate in Hz by which samples are counted, and the timeline that knows the gaps
    rate_hz: float | None
    timeline: Timeline | None
    #: whether plain h:mm:ss is a time of day, as on the axis
    is_clock: bool


def time_of(text: str, times: Times) -> float:
    """Return the second that a text means.

    Raises
    ------
    JaxscopeError
        With what is wrong.
    """
    words = " ".join(text.strip().lower().replace(MINUS, "-").replace(",", ".").split())
    if not words:
        raise JaxscopeError("Type a time", hint=f"such as {EXAMPLES}")
    sign = {"+": 1.0, "-": -1.0}.get(words[0])
    second = times.now_s + sign * _span_of(words[1:].strip(), text, times) if sign else _absolute(words, text, times)
    if second < 0 or (times.total_s is not None and second > times.total_s):
        end = "" if times.total_s is None else f" to {_clock_words(times.total_s)}"
        raise JaxscopeError(f"{_clock_words(second)} is outside of the recording", hint=f"it goes from 0:00{end}")
    return second


def _absolute(words: str, text: str, times: Times) -> float:
    is_clock = times.is_clock
    for word in ("clock", "at", "@"):
        if words.startswith(word) or words.endswith(word):
            words, is_clock = words.removeprefix(word).removesuffix(word).strip(), True
    if ":" in words and is_clock:
        return _of_day(words, text, times)
    return _span_of(words, text, times)


def _span_of(words: str, text: str, times: Times) -> float:
    if ":" in words:
        found = _CLOCK.fullmatch(words)
        if found is None:
            raise JaxscopeError(f"Can't read “{text.strip()}”", hint="write h:mm:ss or m:ss")
        hours, minutes, seconds = int(found[1] or 0), int(found[2]), float(found[3])
        if seconds >= 60 or (found[1] is not None and minutes >= 60):
            part = f"{found[3]} seconds" if seconds >= 60 else f"{minutes} minutes"
            raise JaxscopeError(f"There are no {part} in h:mm:ss", hint="write the whole as seconds, or carry over")
        return 3600.0 * hours + 60.0 * minutes + seconds
    for word in sorted(SAMPLE_WORDS, key=len, reverse=True):
        if words.startswith(word):
            words = f"{words.removeprefix(word).strip()} {word}"
            break
    found = _NUMBER.fullmatch(words)
    if found is None:
        raise JaxscopeError(f"Can't read “{text.strip()}” as a time", hint=f"write it like {EXAMPLES}")
    number, unit = float(found[1]), found[2]
    if unit in SAMPLE_WORDS:
        return _of_sample(number, times)
    if unit not in UNITS_S:
        raise JaxscopeError(f"“{unit}” is no unit of time", hint="use s, ms, min, h or samples")
    return number * UNITS_S[unit]


def _of_sample(number: float, times: Times) -> float:
    if times.rate_hz is None or times.timeline is None:
        raise JaxscopeError("This recording has no sampling rate to count samples by", hint="type seconds")
    if number != int(number):
        raise JaxscopeError(f"{number:g} is no whole sample", hint="type a whole number of samples")
    return times.timeline.second_of(int(number), times.rate_hz)


def _of_day(words: str, text: str, times: Times) -> float:
    if times.start is None:
        raise JaxscopeError("This recording does not tell when it began", hint="type the time since its start")
    parts = words.split(":")
    try:
        moment = time.fromisoformat(":".join(part.zfill(2) for part in parts))
    except ValueError:
        raise JaxscopeError(f"“{text.strip()}” is no time of day", hint="write hh:mm:ss, up to 23:59:59") from None
    at = datetime.combine(times.start.date(), moment, times.start.tzinfo)
    if at < times.start:
        at += timedelta(days=1)
    return (at - times.start).total_seconds()


def _clock_words(second: float) -> str:
    sign, second = (MINUS, -second) if second < 0 else ("", second)
    hours, rest = divmod(second, 3600)
    minutes, seconds = divmod(rest, 60)
    tail = f"{seconds:06.3f}".rstrip("0").rstrip(".")
    return f"{sign}{int(hours)}:{int(minutes):02d}:{tail}" if hours >= 1 else f"{sign}{int(minutes)}:{tail}"
