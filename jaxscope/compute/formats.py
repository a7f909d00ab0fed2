"""Which files can be opened and written, for those who may not know the readers and writers themselves."""

from __future__ import annotations


def readable_suffixes() -> tuple[str, ...]:
    """Return every suffix that can be opened."""
    from jaxscope.readers import SUFFIXES

    return tuple(SUFFIXES)


def short_titles() -> tuple[str, ...]:
    """Return the formats that can be opened as words for the start screen, the best known suffixes first."""
    known = readable_suffixes()
    wanted = (".edf", ".bdf", ".wav", ".flac", ".ogg", ".aiff", ".npy", ".npz", ".csv", ".tsv")
    rest = tuple(suffix for suffix in known if suffix not in wanted and not _is_variant(suffix, wanted))
    return tuple(suffix[1:].upper() for suffix in (*(item for item in wanted if item in known), *rest))


def _is_variant(suffix: str, wanted: tuple[str, ...]) -> bool:
    """Whether a suffix names a format that a better known one stands for already."""
    from jaxscope.readers import SUFFIXES

    return any(SUFFIXES[suffix] == SUFFIXES.get(item) for item in wanted)
