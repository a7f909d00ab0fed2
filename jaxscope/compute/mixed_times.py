"""Channels of one rate that begin, pause or end at different times, side by side: what they share.

What is made of several channels is there where each of them is, and pauses wherever one of them does. Invariant: only
samples of one moment meet. Channels whose samples lie between those of the others are refused, as a montage would have
to move them in time; nothing is resampled.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from jaxscope.data.annotations import Gap
from jaxscope.data.span import Span
from jaxscope.data.timeline import Timeline
from jaxscope.errors import SpecError
from jaxscope.readers.timing import Run, gaps_of

#: Samples of two channels are of one moment where they are less than this part of a sample apart.
_SAME_MOMENT = 1e-2
#: In place of a sample number: the channel pauses.
ABSENT = -1
_SHARE = "a montage needs channels that share some time"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTime:
    """When a channel was recorded: its gaps and how many samples it has."""

    gaps: tuple[Gap, ...]
    n_samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Samples that follow one another in every channel: where the first lies in each, ``ABSENT`` in one that pauses."""

    start_s: float
    n_samples: int
    firsts: tuple[int, ...]

    def part(self, begin: int, stop: int, first: int, rate_hz: float) -> Stretch:
        """Return some of it, with another channel, whose ``first`` is the sample at ``begin``."""
        firsts = tuple(one if one == ABSENT else one + begin for one in self.firsts)
        return Stretch(start_s=self.start_s + begin / rate_hz, n_samples=stop - begin, firsts=(*firsts, first))


class SharedTime:
    """What channels of one rate share.

    Parameters
    ----------
    channels : mapping of OwnTime to str
        Each time once, with the name of a channel of it, for sentences.
    n_needed : int
        How many of them, the first ones, must be there; the others may pause meanwhile.
    rate_hz : float

    Raises
    ------
    SpecError
        If samples of two channels do not lie at the same moments, or the needed channels share no time.
    """

    def __init__(self, channels: Mapping[OwnTime, str], n_needed: int, rate_hz: float) -> None:
        (first, name), *others = channels.items()
        found = _stretches_of(first, rate_hz)
        for number, (own, other) in enumerate(others, start=1):
            both = f"{name} and {other}"
            joined = _joined(found, _stretches_of(own, rate_hz), rate_hz, both)
            found = list(joined if number >= n_needed else _where_present(joined))
            if not found:
                raise SpecError("channels", f"{both} were never recorded at the same time", hint=_SHARE)
        self.places = {own: place for place, own in enumerate(channels)}
        runs = [Run(start_s=one.start_s, n_samples=one.n_samples) for one in found]
        self.own = OwnTime(gaps=gaps_of(runs, rate_hz), n_samples=sum(one.n_samples for one in found))
        self._stretches = tuple(_merged(found))
        self._begins = [0, *accumulate(one.n_samples for one in self._stretches)]

    def parts(self, span: Span) -> Iterator[tuple[Span, tuple[int, ...]]]:
        """Yield what samples of the result are made of: which they are, and the first sample of each channel."""
        number = bisect_right(self._begins, span.start) - 1
        while number < len(self._stretches) and self._begins[number] < span.stop:
            begin, one = self._begins[number], self._stretches[number]
            part = Span(begin, begin + one.n_samples).intersect(span)
            yield part, tuple(first if first == ABSENT else first + part.start - begin for first in one.firsts)
            number += 1


def _stretches_of(own: OwnTime, rate_hz: float) -> list[Stretch]:
    segments = Timeline(gaps=own.gaps).segments(rate_hz, own.n_samples)
    return [Stretch(start_s=one.start_s, n_samples=len(one.span), firsts=(one.first_sample,)) for one in segments]


def _where_present(stretches: Iterator[Stretch]) -> Iterator[Stretch]:
    """Yield the stretches in which the last channel is there."""
    return (one for one in stretches if one.firsts[-1] != ABSENT)


def _joined(stretches: Sequence[Stretch], others: Sequence[Stretch], rate_hz: float, both: str) -> Iterator[Stretch]:
    """Yield stretches with one more channel, cut wherever it begins or pauses."""
    number = 0
    for one in stretches:
        done = 0
        while done < one.n_samples and number < len(others):
            other = others[number]
            moved = (other.start_s - one.start_s) * rate_hz
            begin = round(moved)
            if begin >= one.n_samples:
                break
            if begin + other.n_samples > done:
                _refuse_between(moved - begin, both)
                first, stop = max(begin, done), min(begin + other.n_samples, one.n_samples)
                if first > done:
                    yield one.part(done, first, ABSENT, rate_hz)
                yield one.part(first, stop, other.firsts[0] + first - begin, rate_hz)
                done = stop
            if begin + other.n_samples > one.n_samples:
                break  # what is left of it may meet the next stretch
            number += 1
        if done < one.n_samples:
            yield one.part(done, one.n_samples, ABSENT, rate_hz)


def _refuse_between(off: float, both: str) -> None:
    if abs(off) > _SAME_MOMENT:
        raise SpecError(
            "channels",
            f"{both} were not sampled at the same moments, but {abs(off):.2g} of a sample apart",
            hint="a montage does not move samples in time",
        )


def _merged(stretches: Sequence[Stretch]) -> Iterator[Stretch]:
    """Join stretches that follow one another in the samples of every channel, whatever time lies between."""
    last: Stretch | None = None
    for one in stretches:
        if last is not None and all(
            (a == b == ABSENT) or (a != ABSENT and a + last.n_samples == b)
            for a, b in zip(last.firsts, one.firsts, strict=True)
        ):
            last = Stretch(start_s=last.start_s, n_samples=last.n_samples + one.n_samples, firsts=last.firsts)
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last
