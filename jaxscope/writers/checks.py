"""What a request must have before a file is begun: channels, samples, and rates that the format can hold.

What a format cannot hold is refused with what to choose instead, never dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.errors import WriteError, counted
from jaxscope.writers.base import WriteRequest


def check_one_rate(request: WriteRequest, title: str) -> None:
    """Raise ``WriteError`` unless there are channels, all of one known rate and one length."""
    check_any(request, title)
    groups: dict[tuple[float | None, int], list[str]] = {}
    for channel in request.channels:
        groups.setdefault((channel.rate_hz, channel.n_samples), []).append(channel.name)
    if len(groups) == 1:
        return
    by_rate = {rate: [name for (r, _), names in groups.items() if r == rate for name in names] for rate, _ in groups}
    if len(by_rate) > 1:
        kinds = " and ".join(f"{_count_words(len(names))} at {rate:g} Hz" for rate, names in by_rate.items())
    else:
        kinds = " and ".join(f"{_count_words(len(names))} of {n:,} samples" for (_, n), names in groups.items())
    choices = " or ".join(f"--channels {_brief(names)}" for names in list(_groups_of(by_rate, groups))[:3])
    what = "one rate" if len(by_rate) > 1 else "channels of one length"
    raise WriteError(f"{title} holds {what}: here are {kinds}", hint=f"choose {choices}, or write EDF, BDF or HDF5")


def _groups_of(
    by_rate: dict[float | None, list[str]], groups: dict[tuple[float | None, int], list[str]]
) -> list[list[str]]:
    """Return the lists of names to choose from: by rate, or by length where there is one rate."""
    return list(by_rate.values()) if len(by_rate) > 1 else list(groups.values())


def check_any(request: WriteRequest, title: str) -> None:
    """Raise ``WriteError`` unless there are channels, each with a rate, and samples."""
    if not request.channels:
        raise WriteError(f"There is no channel to write as {title}", hint="choose at least one")
    if not any(channel.n_samples for channel in request.channels):
        raise WriteError(f"There are no samples to write as {title}", hint="choose a longer part")
    for channel in request.channels:
        if channel.rate_hz is None:
            raise WriteError(f"The sampling rate of {channel.name} is not known", hint="give it with --rate")


def _count_words(n_channels: int) -> str:
    return counted(n_channels, "channel")


def _brief(names: Sequence[str]) -> str:
    text = ",".join(names[:4]) + (",…" if len(names) > 4 else "")
    return f'"{text}"' if " " in text else text
