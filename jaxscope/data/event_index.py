"""Finding the few events that a window shows among very many.

Events are sorted by onset within classes of duration (powers of two), so those that reach into a window lie in one
slice of each class. Invariant: ``between`` returns what a look at every event would, in order of onset, and looks only
at events whose onset is in the window or less than twice their own duration before it.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from jaxscope.data.annotations import Annotation


class EventIndex:
    """Events by time.

    Parameters
    ----------
    events : sequence of Annotation
        In order of onset.
    """

    def __init__(self, events: Sequence[Annotation] = ()) -> None:
        self.events = tuple(events)
        self.onsets_s = [event.onset_s for event in self.events]
        #: how many events the last search looked at
        self.touched = 0
        classes: dict[float, list[int]] = {}
        for number, event in enumerate(self.events):
            length_s = event.duration_s or 0.0
            longest_s = 2.0 ** math.ceil(math.log2(length_s)) if length_s > 0 else 0.0
            classes.setdefault(longest_s, []).append(number)
        self._classes = [
            (longest_s, numbers, [self.onsets_s[number] for number in numbers])
            for longest_s, numbers in classes.items()
        ]

    def __len__(self) -> int:
        return len(self.events)

    def between(self, start_s: float, stop_s: float) -> list[int]:
        """Return the numbers of the events that reach into a time, both ends included, in order.

        Examples
        --------
        >>> night = Annotation(onset_s=0.0, duration_s=100.0)
        >>> index = EventIndex((night, Annotation(onset_s=5.0), Annotation(onset_s=50.0)))
        >>> index.between(40.0, 60.0)
        [0, 2]
        """
        found: list[int] = []
        self.touched = 0
        for longest_s, numbers, onsets_s in self._classes:
            # the bound is widened by a rounding: a sum of onset and duration may come out a hair later
            reach_s = start_s - longest_s - 1e-9 * abs(start_s)
            first, last = bisect_left(onsets_s, reach_s), bisect_right(onsets_s, stop_s)
            self.touched += max(0, last - first)
            found += [number for number in numbers[first:last] if self.events[number].stop_s >= start_s]
        return sorted(found)

    def beside(self, second: float, direction: int) -> Annotation | None:
        """Return the first event after (1) or the last one before (-1) a time, None where there is none."""
        place = bisect_right(self.onsets_s, second) if direction > 0 else bisect_left(self.onsets_s, second) - 1
        return self.events[place] if 0 <= place < len(self.events) else None
