"""What is marked as bad, as samples: what a filter does not see, and what it leaves empty.

Bad samples are taken for missing ones: NaN, before anything is filtered. So each good part has its own start and
padding by the rules for gaps, and what a filter gives is NaN exactly where its input was bad. A sample is bad where its
time lies in the half-open span of an event that marks bad, of all channels or of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Annotation
from jaxscope.data.recording import RecordingInfo

Kind = TypeVar("Kind", bound=np.floating[Any])
#: Half-open spans of stored samples in order, which neither touch nor overlap.
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class BadSamples:
    """The bad samples of some channels: spans for each row, or no rows where nothing is bad."""

    rows: tuple[Spans, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rows)

    def of_rows(self, rows: Sequence[int]) -> BadSamples:
        """Return those of some of the rows."""
        return BadSamples(tuple(self.rows[row] for row in rows)) if self.rows else self

    def masked(self, x: npt.NDArray[Kind], first_sample: int) -> npt.NDArray[Kind]:
        """Return samples with NaN for the bad ones: the same array where there are none.

        Parameters
        ----------
        x : ndarray of float, shape (n_channels, n_samples)
            Stored samples from ``first_sample`` on.
        first_sample : int
        """
        y, stop_sample = x, first_sample + x.shape[1]
        for row, spans in enumerate(self.rows):
            for start, stop in spans:
                if start < stop_sample and stop > first_sample:
                    y = np.array(x) if y is x else y
                    y[row, max(start - first_sample, 0) : stop - first_sample] = np.nan
        return y


NOTHING_BAD = BadSamples()


def bad_events(events: Sequence[Annotation]) -> tuple[Annotation, ...]:
    """Return those that mark a time as bad; one without a duration marks none."""
    return tuple(event for event in events if event.duration_s and event.marks_bad)


def bad_samples(events: Sequence[Annotation], info: RecordingInfo, channels: Sequence[int]) -> BadSamples:
    """Return the bad samples of channels of one rate and length.

    Parameters
    ----------
    events : sequence of Annotation
        Those that mark bad, see ``bad_events``.
    info : RecordingInfo
    channels : sequence of int
        Numbers of the channels.
    """
    if not events or not channels:
        return NOTHING_BAD
    shared: dict[tuple[bool, ...], Spans] = {}
    rows = []
    for number in channels:
        channel = info.channels[number]
        own = tuple(not event.channels or channel.is_among(event.channels) for event in events)
        if own not in shared:
            chosen = [event for event, is_own in zip(events, own, strict=True) if is_own]
            shared[own] = _spans(chosen, info, number)
        rows.append(shared[own])
    return BadSamples(tuple(rows)) if any(rows) else NOTHING_BAD


def _spans(events: Sequence[Annotation], info: RecordingInfo, number: int) -> Spans:
    channel, timeline = info.channels[number], info.timeline_of(number)
    merged: list[tuple[int, int]] = []
    for event in sorted(events, key=lambda event: event.onset_s):
        span = timeline.span_between(event.onset_s, event.stop_s, channel.rate_hz or 1.0)
        start, stop = max(span.start, 0), min(span.stop, channel.n_samples)
        if start >= stop:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
        else:
            merged.append((start, stop))
    return tuple(merged)
