"""How events look and where they are found: an index by time and a colour for each text, made once for each list.

The traces, the overview and the list of events ask for the looks of the same tuple, so they agree without knowing one
another. Invariant: ``drawn`` names at most a few events a pixel, however many there are.
"""

from __future__ import annotations

import zlib

import numpy as np

from jaxscope.data.annotations import Annotation
from jaxscope.data.event_index import EventIndex

#: Colours of texts; what is bad has its own.
COLOURS = ("warn", "t3", "t4", "t8", "t7", "t5")
BAD_COLOUR = "danger"
#: Events a pixel up to which all are drawn.
_DENSEST = 0.5


class EventLooks:
    """Where the events of a list are, and their colours."""

    def __init__(self, events: tuple[Annotation, ...]) -> None:
        self.events = events
        self.index = EventIndex(events)
        self._colours: dict[str, str] = {}
        taken: set[str] = set()
        for text in dict.fromkeys(event.text for event in events):
            if Annotation(onset_s=0.0, text=text).says_bad:
                self._colours[text] = BAD_COLOUR
                continue
            if len(taken) == len(COLOURS):
                taken.clear()
            # the same text has the same colour in every recording, unless another one was there before
            at = zlib.crc32(text.encode()) % len(COLOURS)
            ways = (COLOURS[(at + step) % len(COLOURS)] for step in range(len(COLOURS)))
            self._colours[text] = next(colour for colour in ways if colour not in taken)
            taken.add(self._colours[text])

    def colour_of(self, event: Annotation) -> str:
        """Return the token of the palette that an event of the list is drawn in."""
        return BAD_COLOUR if event.is_bad else self._colours[event.text]

    def drawn(self, start_s: float, stop_s: float, width_px: float) -> list[int]:
        """Return the numbers of the events that a window draws, in order: of many in one pixel the first.

        Those that are a pixel wide or more are drawn as well, while there are not more of them than pixels.
        """
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
    _known[:] = [EventLooks(events), *_known[:2]]
    return _known[0]
