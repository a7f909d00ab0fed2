"""The chains that ``--chain`` and ``design`` name: chain files, or filters of other programs that are imported.

What had to be assumed of an imported filter is a warning. A cutoff that is a part of half the rate takes the rate that
was given, else that of the recording that is filtered.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from jaxscope.cli.output import warn
from jaxscope.errors import JaxscopeError

if TYPE_CHECKING:
    from jaxscope.filters.spec import FilterChain


def load_chains(
    paths: Sequence[str],
    *,
    rate_hz: float | None = None,
    recording: str | None = None,
    options: Mapping[str, str] | None = None,
) -> tuple[FilterChain, ...]:
    """Return the chains of files, and say what was assumed of those that are imported.

    Parameters
    ----------
    paths : sequence of str
    rate_hz : float or None
        The rate that was given.
    recording : str or None
        Whose rate counts where none was given and one is needed.
    options : mapping of str to str, or None
        What the format of the recording is told.

    Raises
    ------
    ChainError
        A file cannot be read, or holds no filter.
    """
    from jaxscope.filters.imports import RateNeededError, chain_of_file

    chains: list[FilterChain] = []
    said: list[str] = []
    for path in paths:
        try:
            chain, notes = chain_of_file(path, rate_hz=rate_hz)
        except RateNeededError:
            found_hz = None if recording is None else _rate_of(recording, options)
            if found_hz is None:
                raise
            chain, notes = chain_of_file(path, rate_hz=found_hz)
        said += notes
        chains.append(chain)
    warn(said)
    return tuple(chains)


def chains_by_recording(
    paths: Sequence[str],
    recordings: Sequence[str],
    *,
    rate_hz: float | None = None,
    options: Mapping[str, str] | None = None,
) -> dict[str, tuple[FilterChain, ...] | JaxscopeError]:
    """Return the chains of files for each recording; where a rate is needed and not given, it is that of each.

    A recording whose rate can't be found has the error in place of chains, so that it stops no other.

    Raises
    ------
    ChainError
        A file cannot be read, or holds no filter, whatever the recording.
    """
    from jaxscope.filters.imports import RateNeededError

    try:
        return dict.fromkeys(recordings, load_chains(paths, rate_hz=rate_hz))
    except RateNeededError as error:
        needed = error
    found: dict[str, tuple[FilterChain, ...] | JaxscopeError] = {}
    known: dict[float, tuple[FilterChain, ...]] = {}
    for recording in recordings:
        try:
            own_hz = _rate_of(recording, options) if os.path.isfile(recording) else None
            if own_hz is None:
                raise needed
            if own_hz not in known:
                known[own_hz] = load_chains(paths, rate_hz=own_hz)
            found[recording] = known[own_hz]
        except JaxscopeError as error:
            found[recording] = error
    return found


def _rate_of(path: str, options: Mapping[str, str] | None) -> float | None:
    """Return the one rate of a recording's data channels, None where there are several or none."""
    from jaxscope.readers import open_recording

    recording = open_recording(path, options=options)
    try:
        rates = {channel.rate_hz for channel in recording.info.channels if channel.is_data}
    finally:
        recording.close()
    return rates.pop() if len(rates) == 1 else None
