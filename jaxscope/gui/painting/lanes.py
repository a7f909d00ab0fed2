"""Which channels are shown, in which order, and how each of them is drawn.

A lane is a channel in a row of the rail and of the traces. Both are laid out from the same list, so a name can never
stand beside another channel's trace. Stacked lanes have a row each; overlaid ones share it, by kind or all of them.
Invariant: row ``i`` of ``count`` covers ``i * height / count`` to ``(i + 1) * height / count``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxscope.compute.shown_channels import visible_channels
from jaxscope.data.recording import CODE_KINDS, Channel, RecordingInfo, scale_kind
from jaxscope.filters.channels import chain_for
from jaxscope.session.state import CHAIN_TAGS, ChannelLook, SessionState

#: Token of a trace by the kind of its channel; kinds that are not named share the first one.
_KIND_TOKENS = {
    "eog": "eog",
    "resp": "t5",
    "emg": "emg",
    "ecg": "ecg",
    "seismic": "ecg",
    "trigger": "t2",
    "status": "t2",
}
DEFAULT_TOKEN = "eeg"
#: Below this height of a lane the rail shows every n-th name only.
LEAST_NAME_PX = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One channel as it is shown. ``tag`` is the letter of its chain, empty where nothing filters it."""

    channel: int
    name: str
    unit: str
    kind: str
    colour: str
    tag: str
    gain: float
    row: int
    #: how far above the middle of its row it is drawn, in row heights
    offset: float = 0.0
    #: the name that is shown in place of that of the file, empty for none
    label: str = ""
    #: its name, and those of the recorded channels that it is made of
    about: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name that is shown."""
        return self.label or self.name

    @property
    def is_raw(self) -> bool:
        """Whether no chain is for this channel."""
        return not self.tag

    @property
    def scale_kind(self) -> str:
        """What lanes must share to be drawn on one scale."""
        return scale_kind(self.kind, self.unit)


#: the recording that the last lanes are of, what else they follow from, and the lanes: every view asks at every edit
_last: list[tuple[RecordingInfo, tuple[object, ...], tuple[Lane, ...]]] = []


def lanes_of(state: SessionState, info: RecordingInfo) -> tuple[Lane, ...]:
    """Return the lanes on the screen, from the top."""
    document, viewport = state.document, state.viewport
    key = (
        document.channel_order,
        document.looks,
        tuple(chain.channels for chain in document.chains),
        viewport.first_lane,
        viewport.lane_count,
        viewport.arrangement,
        viewport.together,
    )
    if not _last or _last[0][0] is not info or _last[0][1] != key:
        _last[:] = [(info, key, _laid_out(state, info))]
    return _last[0][2]


def _laid_out(state: SessionState, info: RecordingInfo) -> tuple[Lane, ...]:
    looks = dict(state.document.looks)
    arrangement = state.viewport.arrangement
    rows: dict[str, int] = {}
    lanes: list[Lane] = []
    for place, number in enumerate(visible_channels(state, info)):
        channel = info.channels[number]
        own = scale_kind(channel.kind, channel.unit)
        row = {"stacked": place, "kinds": rows.setdefault(own, len(rows)), "butterfly": 0}[arrangement]
        lanes.append(_lane(state, number, channel, looks, row))
    return tuple(sorted(lanes, key=lambda lane: lane.row))


def _lane(state: SessionState, number: int, channel: Channel, looks: dict[str, ChannelLook], row: int) -> Lane:
    look = looks.get(channel.name, ChannelLook())
    chain = chain_for(state.document.chains, channel.name, is_data=channel.kind not in CODE_KINDS)
    return Lane(
        channel=number,
        name=channel.name,
        unit=shown_unit(channel.unit),
        kind=channel.kind,
        colour=look.colour or _KIND_TOKENS.get(channel.kind, DEFAULT_TOKEN),
        tag="" if chain is None else CHAIN_TAGS[chain % len(CHAIN_TAGS)],
        gain=look.gain,
        row=row,
        offset=look.offset,
        label=look.label,
        about=(channel.name, *channel.made_of),
    )


def row_count(lanes: Sequence[Lane]) -> int:
    """Return how many rows the lanes take; lanes are in the order of their rows."""
    return lanes[-1].row + 1 if lanes else 0


def by_row(lanes: Sequence[Lane]) -> tuple[tuple[Lane, ...], ...]:
    """Return the lanes of each row, from the back."""
    rows: list[list[Lane]] = [[] for _ in range(row_count(lanes))]
    for lane in lanes:
        rows[lane.row].append(lane)
    return tuple(tuple(row) for row in rows)


def shown_unit(unit: str) -> str:
    """Return a unit of a file as it is shown: a real micro sign."""
    return "µ" + unit[1:] if unit.startswith("u") and len(unit) > 1 else unit


def lane_at(y: float, height: float, count: int) -> int | None:
    """Return the number of the row at a height, None outside."""
    if count < 1 or height <= 0 or not 0 <= y < height:
        return None
    return min(count - 1, int(y * count / height))


def name_stride(height: float, count: int) -> int:
    """Return 1 where every lane has room for its name, n where every n-th is named."""
    if count < 1 or height <= 0:
        return 1
    return max(1, -(-int(LEAST_NAME_PX * count) // max(1, int(height))))


def span_of_names(lanes: Sequence[Lane], first: str, last: str) -> tuple[str, ...]:
    """Return the names from one lane to another, both included, in screen order."""
    names = [lane.name for lane in lanes]
    if first not in names or last not in names:
        return (last,)
    low, high = sorted((names.index(first), names.index(last)))
    return tuple(names[low : high + 1])
