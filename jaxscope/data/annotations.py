"""Events on the time axis, and gaps in it. Seconds count from the first sample of the recording."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """Something that was noted at a time. ``duration_s`` is None where the file does not tell it."""

    onset_s: float
    duration_s: float | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Time in which nothing was recorded, half-open, in seconds."""

    start_s: float
    stop_s: float
