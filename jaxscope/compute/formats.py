"""Which files can be opened and written, for those who may not know the readers and writers themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

#: Suffixes that people know a format by.
WELL_KNOWN = (".edf", ".bdf", ".wav", ".flac", ".ogg", ".npy", ".npz", ".csv", ".tsv")


@dataclass(frozen=True, slots=True, kw_only=True)
class WritableFormat:
    """A format that can be written: its suffix, name, and what it does to the numbers."""

    suffix: str
    title: str
    note: str


@cache
def writable_format(suffix: str) -> WritableFormat | None:
    """Return the format that is offered under a suffix, None where none is; no other one is imported for it."""
    from jaxscope.writers import TITLES, WRITERS

    name = next((name for name, (own, _) in TITLES.items() if own == suffix), None)
    if name is None:
        return None
    found = WRITERS[name]
    return WritableFormat(suffix=suffix, title=found.title, note=found.note)


def writable_titles() -> tuple[tuple[str, str], ...]:
    """Return (suffix, name) of every format that can be written, in their order; none of them is imported for it."""
    from jaxscope.writers import TITLES

    return tuple(TITLES.values())


def readable_suffixes() -> tuple[str, ...]:
    """Return every suffix that can be opened."""
    from jaxscope.readers import SUFFIXES

    return tuple(SUFFIXES)


def short_titles() -> tuple[str, ...]:
    """Return the formats that can be opened as words for the start screen.

    Well-known suffixes stand for themselves; a format without one is called by its title.
    """
    from jaxscope.readers import SUFFIXES, TITLES

    known = tuple(suffix for suffix in WELL_KNOWN if suffix in SUFFIXES)
    covered = {SUFFIXES[suffix] for suffix in known}
    rest = tuple(title for name, title in TITLES.items() if name not in covered)
    return (*(suffix[1:].upper() for suffix in known), *rest)
