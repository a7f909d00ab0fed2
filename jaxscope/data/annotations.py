"""Events on the time axis, and gaps in it. Seconds count from the first sample of the recording.

An event may be of some channels only, and it may say that what it covers is bad: by a text that begins with BAD, as in
MNE, or by a flag. Events in order are sorted by onset; sorting keeps those of one onset as they stood.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

#: How the text of an event begins that marks a bad span, in capitals or not.
BAD_PREFIX = "BAD"
#: The type of markers that BrainVision has for bad spans.
BAD_KIND = "Bad Interval"
#: Parts a text from the channel that it is about in EDF+: the habit of MNE, which other programs show as it stands.
CHANNEL_MARK = "@@"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """Something that was noted at a time.

    ``duration_s`` is None where the file does not tell it. ``channels`` names those that it is about; none is all.
    ``is_bad`` marks a bad span whose text does not say so.
    """

    onset_s: float
    duration_s: float | None = None
    text: str = ""
    channels: tuple[str, ...] = ()
    is_bad: bool = False

    @property
    def stop_s(self) -> float:
        """When it ends: at its onset where it has no duration."""
        return self.onset_s + (self.duration_s or 0.0)

    @property
    def says_bad(self) -> bool:
        """Whether the text says that it is bad."""
        return self.text[: len(BAD_PREFIX)].upper() == BAD_PREFIX

    @property
    def marks_bad(self) -> bool:
        """Whether it marks what it covers as bad.

        Examples
        --------
        >>> [Annotation(onset_s=1.0, text=text).marks_bad for text in ("BAD_blink", "bad", "Badge", "Eyes closed")]
        [True, True, True, False]
        """
        return self.is_bad or self.says_bad

    @property
    def plain_text(self) -> str:
        """The text for a format that has no flag: one that says whether it is bad."""
        return f"{BAD_PREFIX}_{self.text}" if self.is_bad and not self.says_bad else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Time in which nothing was recorded, half-open, in seconds."""

    start_s: float
    stop_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EventEdits:
    """The events that a person works with, and those that are known to be in the file, edited or not.

    What is in the file and in neither is new there: it is taken in, so that neither side is lost when a file changes.
    """

    events: tuple[Annotation, ...]
    known: tuple[Annotation, ...] = ()

    def on(self, found: Iterable[Annotation]) -> tuple[Annotation, ...]:
        """Return the events where a file holds ``found`` now, in order.

        Examples
        --------
        >>> one, other, new = (Annotation(onset_s=float(second)) for second in (1, 2, 3))
        >>> edits = EventEdits(events=(other,), known=(one, other))
        >>> [event.onset_s for event in edits.on((one, other, new))]
        [2.0, 3.0]
        """
        seen = {*self.events, *self.known}
        return in_order((*self.events, *(event for event in found if event not in seen)))

    @property
    def removed(self) -> tuple[Annotation, ...]:
        """Those of the file that are no longer there, or not as they were."""
        kept = set(self.events)
        return tuple(event for event in self.known if event not in kept)


def in_order(events: Iterable[Annotation]) -> tuple[Annotation, ...]:
    """Return events sorted by onset."""
    return tuple(sorted(events, key=lambda event: event.onset_s))


def with_event(events: tuple[Annotation, ...], event: Annotation, at: int | None = None) -> tuple[Annotation, ...]:
    """Return events in order with another one; ``at`` names one whose place it takes, None is none.

    It stands where sorting would put it, at the cost of a search.

    Examples
    --------
    >>> one, other = (Annotation(onset_s=float(second)) for second in (1, 2))
    >>> [event.onset_s for event in with_event((one, other), Annotation(onset_s=3.0), at=0)]
    [2.0, 3.0]
    """
    rest = events if at is None else events[:at] + events[at + 1 :]
    first = bisect_left(rest, event.onset_s, key=lambda other: other.onset_s)
    stop = bisect_right(rest, event.onset_s, lo=first, key=lambda other: other.onset_s)
    place = stop if at is None else min(max(at, first), stop)
    return (*rest[:place], event, *rest[place:])


def changed_part(before: tuple[Annotation, ...], after: tuple[Annotation, ...]) -> tuple[int, int, int]:
    """Return what differs between two tuples: ``before[first:stop]`` has become ``after[first:other]``.

    What both begin and end with is found by halving, which compares each event once and by its identity first.

    Examples
    --------
    >>> one, two, three = (Annotation(onset_s=float(second)) for second in (1, 2, 3))
    >>> changed_part((one, two, three), (one, three))
    (1, 2, 1)
    """
    shorter = min(len(before), len(after))
    first = _how_many(shorter, lambda low, high: before[low:high] == after[low:high])
    ends = len(before), len(after)
    last = _how_many(
        shorter - first,
        lambda low, high: before[ends[0] - high : ends[0] - low] == after[ends[1] - high : ends[1] - low],
    )
    return first, len(before) - last, len(after) - last


def _how_many(most: int, is_same: Callable[[int, int], bool]) -> int:
    """Return how many are the same from an end on; ``is_same`` tells of a half-open part."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if is_same(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def place_of(events: Sequence[Annotation], event: Annotation) -> int | None:
    """Return where an event is among events in order, None where it is not; found by its onset."""
    place = bisect_left(events, event.onset_s, key=lambda other: other.onset_s)
    while place < len(events) and events[place].onset_s == event.onset_s:
        if events[place] == event:
            return place
        place += 1
    return None


def joined_channels(events: Iterable[Annotation]) -> tuple[Annotation, ...]:
    """Return events with those that differ by their one channel made one, where the first of them stood.

    Formats that know one channel an event, or say it in its text, repeat an event for each of its channels.

    Examples
    --------
    >>> both = (Annotation(onset_s=1.0, text="pop", channels=(name,)) for name in ("Fz", "Cz"))
    >>> joined_channels(both)[0].channels
    ('Fz', 'Cz')
    """
    found: dict[object, list[Annotation]] = {}
    for event in events:
        key = (event.onset_s, event.duration_s, event.text, event.is_bad) if event.channels else object()
        found.setdefault(key, []).append(event)
    return tuple(
        same[0]
        if len(same) == 1
        else Annotation(
            onset_s=same[0].onset_s,
            duration_s=same[0].duration_s,
            text=same[0].text,
            is_bad=same[0].is_bad,
            channels=tuple(dict.fromkeys(name for event in same for name in event.channels)),
        )
        for same in found.values()
    )
