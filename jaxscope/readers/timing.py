"""Channels of one recording that begin at different times or pause by themselves.

A recording has one axis of time, which begins with its earliest sample. What every channel lacks is a gap of the
recording; a channel whose gaps are others carries its own, and a late start is a gap from 0 s on. Nothing is filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jaxscope.data.annotations import Gap
from jaxscope.data.recording import Channel
from jaxscope.data.timeline import Timeline

#: A start within this part of a sample is the start of the recording.
_SAME_START = 1e-2
#: How far a rate may be off a whole number for having been worked out from a period.
_ROUNDING = 1e-12


def plain_rate(rate_hz: float) -> float:
    """Return a rate without the rounding of the period that it was worked out from.

    Examples
    --------
    >>> plain_rate(25000.000000000004), plain_rate(403.2258064516129)
    (25000.0, 403.2258064516129)
    """
    return float(round(rate_hz)) if abs(rate_hz - round(rate_hz)) <= _ROUNDING * abs(rate_hz) else rate_hz


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Continuous samples of a channel, from ``start_s`` on."""

    start_s: float
    n_samples: int


def gaps_of(runs: Sequence[Run], rate_hz: float) -> tuple[Gap, ...]:
    """Return the gaps before and between runs, which are in order; none where a run follows within a sample."""
    gaps = []
    stop_s = 0.0
    for run in runs:
        if run.start_s - stop_s > _SAME_START / rate_hz:
            gaps.append(Gap(start_s=stop_s, stop_s=run.start_s))
            stop_s = run.start_s
        stop_s += run.n_samples / rate_hz
    return tuple(gaps)


def place_channels(
    channels: Sequence[Channel], gaps: Sequence[tuple[Gap, ...]]
) -> tuple[tuple[Channel, ...], tuple[Gap, ...], float | None]:
    """Return channels with their own gaps where these differ, the gaps that all share, and the duration.

    Parameters
    ----------
    channels : sequence of Channel
    gaps : sequence of tuple of Gap
        One tuple a channel.

    Returns
    -------
    tuple of Channel
    tuple of Gap
    float or None
        None where no channel has a rate.
    """
    shared = shared_gaps(list(gaps))
    placed = tuple(
        replace(channel, gaps=None if own == shared else own) for channel, own in zip(channels, gaps, strict=True)
    )
    stops = [
        Timeline(gaps=own).stop_s(channel.rate_hz, channel.n_samples)
        for channel, own in zip(channels, gaps, strict=True)
        if channel.rate_hz is not None
    ]
    return placed, shared, max(stops) if stops else None


def shared_gaps(gaps: Sequence[tuple[Gap, ...]]) -> tuple[Gap, ...]:
    """Return the time that lies in a gap of every channel."""
    if not gaps:
        return ()
    common = gaps[0]
    for other in gaps[1:]:
        if other == common:
            continue
        common = _intersect(common, other)
    return common


def _intersect(left: tuple[Gap, ...], right: tuple[Gap, ...]) -> tuple[Gap, ...]:
    found, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        start_s, stop_s = max(left[i].start_s, right[j].start_s), min(left[i].stop_s, right[j].stop_s)
        if stop_s > start_s:
            found.append(Gap(start_s=start_s, stop_s=stop_s))
        if left[i].stop_s < right[j].stop_s:
            i += 1
        else:
            j += 1
    return tuple(found)


def told_gaps(names: Sequence[str], gaps: Sequence[tuple[Gap, ...]], shared: tuple[Gap, ...]) -> list[str]:
    """Return sentences about channels that begin late or have gaps of their own."""
    words = []
    for name, own in zip(names, gaps, strict=True):
        if own == shared:
            continue
        late = own[0].stop_s if own and own[0].start_s == 0 else 0.0
        n_gaps = len(own) - (late > 0)
        parts = [f"begins {late:.6g} s after the recording"] if late else []
        parts += [f"has {n_gaps} gap{'s' if n_gaps > 1 else ''} of its own"] if n_gaps else []
        if parts:
            words.append(f"{name} {' and '.join(parts)}")
    return words
