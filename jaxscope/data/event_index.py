"""Finding the few events that a window shows among very many.

Events are sorted by onset within classes of duration (powers of two), so those that reach into a window lie in one
slice of each class. Invariant: ``between`` returns what a look at every event would, in order of onset, and looks only
at events whose onset is in the window or less than twice their own duration before it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Annotation

FloatArray = npt.NDArray[np.float64]
#: The class of events without a duration.
_NO_LENGTH = -(2**20)


class EventIndex:
    """Events by time.

    Parameters
    ----------
    events : sequence of Annotation
        In order of onset.
    like : tuple of EventIndex and (int, int, int), or None
        An index of nearly the same events, and what differs, as ``changed_part`` tells it: only that is looked at.
    """

    def __init__(
        self, events: Sequence[Annotation] = (), like: tuple[EventIndex, tuple[int, int, int]] | None = None
    ) -> None:
        self.events = tuple(events)
        known: EventIndex | None = None if like is None else like[0]
        first, stop, other = (0, 0, len(self.events)) if like is None else like[1]
        fresh = self.events[first:other]
        onsets_s = np.array([event.onset_s for event in fresh], dtype=np.float64)
        lengths_s = np.array([event.duration_s or 0.0 for event in fresh], dtype=np.float64)
        if known is not None:
            onsets_s = np.concatenate((known.onsets_s[:first], onsets_s, known.onsets_s[stop:]))
            lengths_s = np.concatenate((known.lengths_s[:first], lengths_s, known.lengths_s[stop:]))
        self.onsets_s: FloatArray = onsets_s
        self.lengths_s: FloatArray = lengths_s
        #: how many events the last search looked at
        self.touched = 0
        #: longest duration, numbers and onsets of each class
        self._classes: list[tuple[float, npt.NDArray[np.intp], FloatArray]] = []
        # the power of two that is above a length
        powers = np.where(self.lengths_s > 0, np.frexp(self.lengths_s)[1], _NO_LENGTH)
        for power in np.unique(powers).tolist():
            numbers = np.flatnonzero(powers == power)
            longest_s = 0.0 if power == _NO_LENGTH else 2.0**power
            self._classes.append((longest_s, numbers, self.onsets_s[numbers]))

    def __len__(self) -> int:
        return len(self.events)

    def between(self, start_s: float, stop_s: float) -> npt.NDArray[np.intp]:
        """Return the numbers of the events that reach into a time, both ends included, in order.

        Examples
        --------
        >>> night = Annotation(onset_s=0.0, duration_s=100.0)
        >>> index = EventIndex((night, Annotation(onset_s=5.0), Annotation(onset_s=50.0)))
        >>> index.between(40.0, 60.0).tolist()
        [0, 2]
        """
        found: list[npt.NDArray[np.intp]] = []
        self.touched = 0
        for longest_s, numbers, onsets_s in self._classes:
            # the bound is widened by a rounding: a sum of onset and duration may come out a hair later
            reach_s = start_s - longest_s - 1e-9 * abs(start_s)
            first = int(np.searchsorted(onsets_s, reach_s, side="left"))
            last = int(np.searchsorted(onsets_s, stop_s, side="right"))
            self.touched += max(0, last - first)
            near = numbers[first:last]
            found.append(near[self.onsets_s[near] + self.lengths_s[near] >= start_s])
        return np.sort(np.concatenate(found)) if found else np.zeros(0, dtype=np.intp)

    def beside(self, second: float, direction: int) -> Annotation | None:
        """Return the first event after (1) or the last one before (-1) a time, None where there is none."""
        after = int(np.searchsorted(self.onsets_s, second, side="right"))
        place = after if direction > 0 else int(np.searchsorted(self.onsets_s, second, side="left")) - 1
        return self.events[place] if 0 <= place < len(self.events) else None
