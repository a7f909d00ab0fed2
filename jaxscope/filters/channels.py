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
    """Return whether a chain is for a channel. Channels of None are all data channels."""
    if chain.channels is None:
        return is_data
    return _is_among(chain.channels, name, is_data)


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
    return next((number for number, chain in enumerate(chains) if is_for(chain, name, is_data=is_data)), None)
