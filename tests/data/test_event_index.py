"""Events in a window: the same as looking at each of them, without looking at each of them."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.data.annotations import Annotation, EventEdits, changed_part, in_order, joined_channels, with_event
from jaxscope.data.event_index import EventIndex


def _naive(events: tuple[Annotation, ...], start_s: float, stop_s: float) -> list[int]:
    return [n for n, event in enumerate(events) if event.onset_s <= stop_s and event.stop_s >= start_s]


@pytest.mark.parametrize("seed", range(20))
def test_between_is_what_a_look_at_every_event_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    events = in_order(
        Annotation(
            onset_s=round(float(rng.uniform(-5, 100)), int(rng.integers(0, 4))),
            duration_s=[None, 0.0, 1e-7, float(rng.exponential(2)), float(rng.exponential(80))][int(rng.integers(5))],
        )
        for _ in range(200)
    )
    index = EventIndex(events)
    for start_s, length_s in zip(rng.uniform(-10, 110, 40), rng.exponential(8, 40), strict=True):
        assert index.between(start_s, start_s + length_s).tolist() == _naive(events, start_s, start_s + length_s)
    for event in events[::10]:  # a window that begins or ends exactly where an event does
        for start_s, stop_s in ((event.stop_s, event.stop_s + 3), (event.onset_s - 3, event.onset_s)):
            assert index.between(start_s, stop_s).tolist() == _naive(events, start_s, stop_s)


def test_c117_of_ten_thousand_events_only_those_near_the_window_are_looked_at() -> None:
    events = in_order(
        (
            *(Annotation(onset_s=n * 8.64, duration_s=(n % 3) or None) for n in range(10_000)),
            Annotation(onset_s=0.0, duration_s=86_400.0, text="night"),
        )
    )
    index = EventIndex(events)
    for start_s in np.linspace(0, 86_000, 200):
        found = index.between(start_s, start_s + 10)
        assert len(found) <= 5
        assert index.touched <= 10


def test_beside_goes_from_event_to_event_both_ways() -> None:
    index = EventIndex(tuple(Annotation(onset_s=float(n)) for n in (1, 2, 2, 5)))
    assert index.beside(0.0, 1).onset_s == 1
    assert index.beside(1.0, 1).onset_s == 2
    assert index.beside(2.0, 1).onset_s == 5
    assert index.beside(2.0, -1).onset_s == 1
    assert index.beside(5.0, 1) is None
    assert index.beside(1.0, -1) is None
    assert EventIndex().beside(0.0, 1) is None


def test_a_bad_span_is_marked_by_its_text_or_by_a_flag() -> None:
    texts = ("BAD_acq_skip", "bad blink", "Bad", "very bad", "")
    assert [Annotation(onset_s=0, text=text).marks_bad for text in texts] == [True, True, True, False, False]
    flagged = Annotation(onset_s=0, text="pop", is_bad=True)
    assert flagged.marks_bad
    assert flagged.plain_text == "BAD_pop"
    assert Annotation(onset_s=0, text="bad pop", is_bad=True).plain_text == "bad pop"


def test_edits_keep_both_what_a_person_and_what_a_file_has_changed() -> None:
    a, b, moved, own, new = (Annotation(onset_s=float(n), text=str(n)) for n in (1, 2, 3, 4, 5))
    edits = EventEdits(events=(moved, own), known=(a, b))  # a was moved, b removed
    assert edits.on((a, b)) == (moved, own)
    assert edits.on((a, b, new)) == (moved, own, new)
    assert edits.on(()) == (moved, own)
    assert edits.removed == (a, b)


def test_events_that_differ_by_one_channel_are_joined_where_the_first_stood() -> None:
    def event(*names: str, text: str = "pop") -> Annotation:
        return Annotation(onset_s=1.0, text=text, channels=names)

    assert joined_channels((event("a"), event("b"), event(), event("a", text="x"))) == (
        event("a", "b"),
        event(),
        event("a", text="x"),
    )
    assert joined_channels((event(), event())) == (event(), event())


@pytest.mark.parametrize("seed", range(6))
def test_what_differs_between_two_lists_is_found_and_an_index_of_it_is_that_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    before = in_order(
        Annotation(onset_s=float(onset), duration_s=float(length), text=str(n))
        for n, (onset, length) in enumerate(zip(rng.integers(0, 40, 60), rng.exponential(2, 60), strict=True))
    )
    first, stop = sorted(rng.integers(0, 60, 2).tolist())
    fresh = tuple(Annotation(onset_s=float(onset)) for onset in rng.uniform(0, 40, rng.integers(0, 4)))
    after = in_order((*before[:first], *fresh, *before[stop:]))
    part = changed_part(before, after)
    assert before[: part[0]] == after[: part[0]]
    assert before[part[1] :] == after[part[2] :]
    own = EventIndex(after, (EventIndex(before), part))
    for start_s in range(0, 40, 3):
        assert (
            own.between(start_s, start_s + 2.5).tolist() == EventIndex(after).between(start_s, start_s + 2.5).tolist()
        )


def test_another_event_stands_where_sorting_would_put_it() -> None:
    events = in_order(Annotation(onset_s=float(n // 3), text=str(n)) for n in range(12))
    for onset_s in (-1.0, 0.0, 1.0, 1.5, 3.0, 9.0):
        added = Annotation(onset_s=onset_s, text="new")
        assert with_event(events, added) == in_order((*events, added))
        for at in range(len(events)):
            expected = in_order((*events[:at], added, *events[at + 1 :]))
            assert with_event(events, added, at) == expected
