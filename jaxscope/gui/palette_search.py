"""Fuzzy search over what the palette offers: letters in order, best where they begin words or follow one another.

No widgets, so that the order of what is found can be tested by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

_BEGINS_WORD = 8.0
_FOLLOWS = 6.0
_BEGINS_ALL = 4.0
#: what a hit outside of the title is worth against one inside
_BESIDE = 0.4
#: what something that cannot be done now is set back
_IS_OFF = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that can be chosen: its words, where it is found otherwise, its keys, why it cannot be chosen now."""

    title: str
    run: Callable[[], object]
    place: str = ""
    key: str = ""
    icon: str = ""
    why_not: str = ""
    #: words that find it and are not shown
    also: str = ""
    #: found only by typing: channels, presets, recordings
    is_listed: bool = True


def score(wanted: str, text: str, beside: str = "") -> float | None:
    """Return how well ``wanted`` fits ``text``, higher is better; None where its letters are not there in order.

    Each word of ``wanted`` is looked for by itself, so that "chan find" finds "Find a channel". Of what stands
    ``beside`` the text, which is long and often not shown, words are found whole or not at all.

    Examples
    --------
    >>> score("ovl", "Overlay") is not None, score("xyz", "Overlay") is None
    (True, True)
    """
    total = 0.0
    for word in wanted.casefold().split():
        near, far = _word_score(word, text.casefold()), _whole_score(word, beside.casefold())
        if near is None and far is None:
            return None
        total += max(near or 0.0, _BESIDE * (far or 0.0))
    return total - 0.02 * len(text)


def _word_score(word: str, text: str) -> float | None:
    whole = _whole_score(word, text)
    return _scattered_score(word, text) if whole is None else whole


def _whole_score(word: str, text: str) -> float | None:
    at = text.find(word)
    if at < 0:
        return None
    begins = at == 0 or not text[at - 1].isalnum()
    return _FOLLOWS * len(word) + (_BEGINS_WORD if begins else 0.0) + (_BEGINS_ALL if at == 0 else 0.0)


def _scattered_score(word: str, text: str) -> float | None:
    """Return the score of letters that stand apart: the first begins a word, each other is at its first place after."""
    starts = [at for at, letter in enumerate(text) if letter == word[0] and (at == 0 or not text[at - 1].isalnum())]
    scores = [points for at in starts if (points := _score_from(at, word, text)) is not None]
    return max(scores, default=None)


def _score_from(start: int, word: str, text: str) -> float | None:
    total, place, before = 0.0, start, -2
    for letter in word:
        found = text.find(letter, place)
        if found < 0:
            return None
        total += 1.0
        total += _FOLLOWS / 2 if found == before + 1 else 0.0
        total += _BEGINS_WORD / 4 if found == 0 or not text[found - 1].isalnum() else 0.0
        before, place = found, found + 1
    return total


def search(wanted: str, entries: Sequence[Entry], limit: int = 60) -> list[Entry]:
    """Return the entries that fit, best first, of equal ones those that can be done now; for no words, the listed."""
    if not wanted.strip():
        return [entry for entry in entries if entry.is_listed]
    found: list[tuple[float, int, Entry]] = []
    for number, entry in enumerate(entries):
        value = score(wanted, entry.title, f"{entry.place} {entry.also}")
        if value is not None:
            found.append((-value + (_IS_OFF if entry.why_not else 0.0), number, entry))
    return [entry for *_, entry in sorted(found, key=lambda item: item[:2])[:limit]]
