"""Which channels a window shows, and which of them can be read in one call.

Both are asked for on every move of a knob, on two threads, and are mostly what they were the last time: the last answer
is kept with what it followed from. What it followed from is compared by identity where it is large.

Invariant: an answer and what it followed from are replaced in one step, so any thread may ask.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.data.annotations import Gap
from jaxscope.data.recording import RecordingInfo
from jaxscope.filters.channels import chain_for
from jaxscope.session.state import SessionState

#: what the last answer followed from, compared by identity and by value, and the answer
_visible: tuple[tuple[object, ...], tuple[object, ...], tuple[int, ...]] | None = None
_shown: tuple[tuple[object, ...], tuple[int, ...]] | None = None
_alike: tuple[RecordingInfo, tuple[int, ...], tuple[tuple[float, tuple[int, ...]], ...]] | None = None


def visible_channels(state: SessionState, info: RecordingInfo) -> tuple[int, ...]:
    """Return the numbers of the channels on the screen, from the top."""
    global _visible
    document, viewport = state.document, state.viewport
    same: tuple[object, ...] = (info, document.channel_order, document.looks, viewport.together)
    choices = (viewport.arrangement, viewport.first_lane, viewport.lane_count)
    last = _visible
    if last is None or last[1] != choices or any(one is not other for one, other in zip(last[0], same, strict=True)):
        last = _visible = (same, choices, _visible_channels(state, info))
    return last[2]


def shown_channels(state: SessionState, info: RecordingInfo) -> tuple[int, ...]:
    """Return the numbers of all channels that are not hidden, in the order they are shown."""
    global _shown
    same = (info, state.document.channel_order, state.document.looks)
    last = _shown
    if last is None or any(one is not other for one, other in zip(last[0], same, strict=True)):
        last = _shown = (same, _shown_channels(state, info))
    return last[1]


def _shown_channels(state: SessionState, info: RecordingInfo) -> tuple[int, ...]:
    position = {name: place for place, name in enumerate(state.document.channel_order)}
    hidden = {name for name, look in state.document.looks if look.hidden}
    numbers = [
        number for number, channel in enumerate(info.channels) if channel.is_drawable and channel.name not in hidden
    ]
    after = len(position)
    return tuple(sorted(numbers, key=lambda number: (position.get(info.channels[number].name, after), number)))


def selected_chain(state: SessionState, info: RecordingInfo) -> int | None:
    """Return the number of the chain that filters the channel selected last, None where there is none."""
    for name in state.viewport.selected_channels[-1:]:
        for channel in info.channels:
            if channel.name == name:
                return chain_for(state.document.chains, name, is_data=channel.is_data)
    return None


def _visible_channels(state: SessionState, info: RecordingInfo) -> tuple[int, ...]:
    shown = shown_channels(state, info)
    count = state.viewport.lane_count
    if state.viewport.arrangement == "butterfly":
        together = set(state.viewport.together)
        return tuple(number for number in shown if not together or info.channels[number].name in together)
    if count is None:
        return shown
    first = min(state.viewport.first_lane, max(0, len(shown) - count))
    return shown[first : first + count]


def alike_channels(info: RecordingInfo, channels: Sequence[int]) -> tuple[tuple[float, tuple[int, ...]], ...]:
    """Return the channels that can be read in one call: of one rate, length and time, as (rate, channels) pairs.

    Channels without a rate are left out.
    """
    global _alike
    last = _alike
    if last is None or last[0] is not info or last[1] != tuple(channels):
        last = _alike = (info, tuple(channels), _alike_channels(info, channels))
    return last[2]


def _alike_channels(info: RecordingInfo, channels: Sequence[int]) -> tuple[tuple[float, tuple[int, ...]], ...]:
    groups: dict[tuple[float, int, tuple[Gap, ...] | None], list[int]] = {}
    for number in channels:
        channel = info.channels[number]
        if channel.rate_hz is not None:
            groups.setdefault((channel.rate_hz, channel.n_samples, channel.gaps), []).append(number)
    return tuple((rate_hz, tuple(members)) for (rate_hz, _, _), members in groups.items())
