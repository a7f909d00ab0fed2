"""Which chain a channel is for: exact names first, then case-sensitive globs.

A glob never reaches a channel of codes (status, trigger, annotation), for filtering a code destroys it; an exact name
does, because then somebody asked for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from jaxscope.filters.spec import FilterChain


def matches(pattern: str, name: str, *, is_data: bool) -> bool:
    """Return whether a pattern is a channel's exact name, or a glob that covers it."""
    return pattern == name or (is_data and fnmatchcase(name, pattern))


def is_for(chain: FilterChain, name: str, *, is_data: bool) -> bool:
    """Return whether a chain is for a channel."""
    return _is_for(chain.channels, name, is_data)


def _is_for(patterns: tuple[str, ...] | None, name: str, is_data: bool) -> bool:  # noqa: FBT001
    """Return whether patterns are for a channel. None is all data channels."""
    return is_data if patterns is None else _is_among(patterns, name, is_data)


@lru_cache(maxsize=16384)  # asked for every channel on every move of a knob
def _is_among(patterns: tuple[str, ...], name: str, is_data: bool) -> bool:  # noqa: FBT001
    return any(matches(pattern, name, is_data=is_data) for pattern in patterns)


def chain_for(chains: Sequence[FilterChain], name: str, *, is_data: bool) -> int | None:
    """Return the number of the first chain that is for a channel, or None: it passes unfiltered.

    Examples
    --------
    >>> chains = (FilterChain(channels=("ECG",)), FilterChain(channels=("E*",)))
    >>> chain_for(chains, "EEG Fp1", is_data=True), chain_for(chains, "ECG", is_data=True)
    (1, 0)
    >>> chain_for(chains, "Events", is_data=False) is None
    True
    """
    return first_for([chain.channels for chain in chains], name, is_data=is_data)


def first_for(channels: Sequence[tuple[str, ...] | None], name: str, *, is_data: bool) -> int | None:
    """Return the number of the first of the ``channels`` of some chains that has a channel, or None."""
    return next((number for number, each in enumerate(channels) if _is_for(each, name, is_data)), None)
