"""How events look and where they are found: an index by time and a colour for each text, made once for each list.

The traces, the overview and the list of events ask for the looks of the same tuple, so they agree without knowing one
another. Invariants: ``drawn`` names at most a few events a pixel, however many there are; an edit of a few of very many
events costs those few, and changes the colour of no other.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Annotation, changed_part
from jaxscope.data.event_index import EventIndex

#: Colours of texts; what is bad has its own.
COLOURS = ("warn", "t3", "t4", "t8", "t7", "t5")
BAD_COLOUR = "danger"
#: All of them, as ``codes`` counts them.
TOKENS = (*COLOURS, BAD_COLOUR)
#: Events a pixel up to which all are drawn.
_DENSEST = 0.5
#: Up to so many events that differ, and no more than half of them, a list is taken as an edit of the one before.
_MOST_EDITED = 500
_KEPT = 3


class EventLooks:
    """Where the events of a list are, and their colours.

    Parameters
    ----------
    events : tuple of Annotation
        In order of onset.
    like : EventLooks or None
        Those of nearly the same events: texts keep their colours, and only what differs is looked at.
    """

    def __init__(self, events: tuple[Annotation, ...], like: EventLooks | None = None) -> None:
        self.events = events
        first, stop, other = (0, 0, len(events)) if like is None else changed_part(like.events, events)
        if like is None or max(stop, other) - first > min(_MOST_EDITED, len(events) // 2):
            like, first, stop, other = None, 0, 0, len(events)
        self.index: EventIndex = EventIndex(events, None if like is None else (like.index, (first, stop, other)))
        self._colours: dict[str, str] = {} if like is None else dict(like._colours)
        self._taken: set[str] = set() if like is None else set(like._taken)
        self._drawn: tuple[tuple[float, float, float], list[int]] | None = None
        fresh = events[first:other]
        self._colour(dict.fromkeys(event.text for event in fresh))
        codes = np.array([TOKENS.index(self.colour_of(event)) for event in fresh], dtype=np.uint8)
        bad = np.array([event.marks_bad for event in fresh], dtype=bool)
        if like is not None:
            codes = np.concatenate((like.codes[:first], codes, like.codes[stop:]))
            bad = np.concatenate((like.bad[:first], bad, like.bad[stop:]))
        #: the place of each event's colour in ``TOKENS``, and whether it marks what it covers as bad
        self.codes: npt.NDArray[np.uint8] = codes
        self.bad: npt.NDArray[np.bool_] = bad

    def _colour(self, texts: Iterable[str]) -> None:
        """Give each text that has none yet a colour that few others have."""
        for text in texts:
            if text in self._colours:
                continue
            if Annotation(onset_s=0.0, text=text).says_bad:
                self._colours[text] = BAD_COLOUR
                continue
            if len(self._taken) == len(COLOURS):
                self._taken.clear()
            # the same text has the same colour in every recording, unless another one was there before
            at = zlib.crc32(text.encode()) % len(COLOURS)
            ways = (COLOURS[(at + step) % len(COLOURS)] for step in range(len(COLOURS)))
            self._colours[text] = next(colour for colour in ways if colour not in self._taken)
            self._taken.add(self._colours[text])

    def colour_of(self, event: Annotation) -> str:
        """Return the token of the palette that an event of the list is drawn in."""
        return BAD_COLOUR if event.is_bad else self._colours[event.text]

    @cached_property
    def texts(self) -> tuple[tuple[str, int], ...]:
        """The texts and how many events have them, the most frequent first."""
        return tuple(Counter(event.text for event in self.events).most_common())

    def drawn(self, start_s: float, stop_s: float, width_px: float) -> list[int]:
        """Return the numbers of the events that a window draws, in order: of many in one pixel the first.

        Those that are a pixel wide or more are drawn as well, while there are not more of them than pixels.
        """
        # a repaint asks for what is under the traces, over them and under the pointer
        asked = (start_s, stop_s, width_px)
        if self._drawn is None or self._drawn[0] != asked:
            self._drawn = (asked, self._find_drawn(*asked))
        return self._drawn[1]

    def _find_drawn(self, start_s: float, stop_s: float, width_px: float) -> list[int]:
        numbers = self.index.between(start_s, stop_s)
        if len(numbers) > width_px * _DENSEST:
            pixel_s = max(stop_s - start_s, 1e-12) / max(width_px, 1.0)
            columns = np.floor((self.index.onsets_s[numbers] - start_s) / pixel_s)
            first = numbers[np.unique(np.maximum(columns, 0.0), return_index=True)[1]]
            wide = numbers[self.index.lengths_s[numbers] >= pixel_s]
            wide = wide[:: max(1, -(-len(wide) // max(1, int(width_px * _DENSEST))))]
            numbers = np.union1d(first, wide)
        found: list[int] = numbers.tolist()
        return found


_known: list[EventLooks] = []


def looks_of(events: tuple[Annotation, ...]) -> EventLooks:
    """Return the looks of a list of events; asked for again and again with the same list, they are made once."""
    for looks in _known:
        if looks.events is events:
            return looks
    _known[:] = [EventLooks(events, _known[0] if _known else None), *_known[: _KEPT - 1]]
    return _known[0]
