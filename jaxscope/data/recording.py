"""What a recording is: channels, their samples, and what the file says about them.

A ``Recording`` is read lazily: ``info`` is known after opening, samples come from ``read`` in slices. Sample numbers
address *stored* samples, so a gap in time takes no samples; ``timeline.Timeline`` relates samples to seconds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.span import Span
from jaxscope.data.timeline import Timeline
from jaxscope.errors import ReadError, UsageError

FloatArray = npt.NDArray[np.float64]

ChannelKind = Literal["eeg", "eog", "ecg", "emg", "resp", "audio", "seismic", "misc", "trigger", "status", "annotation"]
CHANNEL_KINDS: tuple[str, ...] = get_args(ChannelKind)
#: Kinds that hold codes and not signals: raw unsigned integers, never filtered, never matched by a glob.
CODE_KINDS = frozenset({"trigger", "status", "annotation"})


@lru_cache(maxsize=1024)
def scale_kind(kind: str, unit: str) -> str:
    """Return what channels must share to be drawn on one scale: their kind, of the miscellaneous their unit too."""
    return kind if kind != "misc" else f"misc {unit.replace('µ', 'u')}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """One channel of a recording.

    ``unit`` is as in the file with micro written as ASCII ``u`` (``"uV"``), and ``""`` where there is none.
    ``rate_hz`` is None where the file does not tell it. ``n_samples`` counts stored samples. ``gaps`` are those of
    this channel alone, where it began later than the recording (then the first gap begins at 0 s) or paused by itself;
    None means that it has the gaps of the recording. ``made_of`` names the recorded channels whose sum or difference
    it is; none where it was recorded itself.
    """

    name: str
    unit: str = ""
    kind: ChannelKind = "misc"
    rate_hz: float | None
    n_samples: int
    gaps: tuple[Gap, ...] | None = None
    made_of: tuple[str, ...] = ()

    def is_among(self, names: Collection[str]) -> bool:
        """Say whether it, or a channel that it is made of, is called one of some names."""
        return self.name in names or any(part in names for part in self.made_of)

    @property
    def is_data(self) -> bool:
        """Whether the channel holds a signal that may be filtered."""
        return self.kind not in CODE_KINDS

    @property
    def is_drawable(self) -> bool:
        """Whether the channel holds numbers to draw: every one but the text of annotations."""
        return self.kind != "annotation"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingInfo:
    """Everything that is known about a recording without reading its samples.

    ``duration_s`` spans gaps and is None where no rate is known. ``warnings`` are sentences that the user sees:
    each repair of a header, each thing assumed. ``files`` are the paths of all files that it is read from, where these
    are more than the one that was opened: headers, samples, events.
    """

    format: str
    start: datetime | None = None
    duration_s: float | None
    channels: tuple[Channel, ...]
    annotations: tuple[Annotation, ...] = ()
    gaps: tuple[Gap, ...] = ()
    warnings: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    #: The relation of stored samples to seconds; follows from ``gaps``.
    timeline: Timeline = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "timeline", Timeline(gaps=self.gaps))

    def timeline_of(self, channel: int) -> Timeline:
        """Return the relation of the stored samples of a channel to seconds of the recording."""
        gaps = self.channels[channel].gaps
        return self.timeline if gaps is None else Timeline(gaps=gaps)

    def index_of(self, name: str) -> int:
        """Return the number of the channel called ``name``; raise KeyError where there is none."""
        for index, channel in enumerate(self.channels):
            if channel.name == name:
                return index
        raise KeyError(name)

    def number_of(self, channel: int | str) -> int:
        """Return the number of a channel that is given by number or name.

        Raises
        ------
        IndexError
            If there is no such number.
        UsageError
            If there is no such name.
        """
        if not isinstance(channel, str):
            if not 0 <= channel < len(self.channels):
                raise IndexError(f"there is no channel {channel}: the recording has {len(self.channels)}")
            return int(channel)
        names = [one.name for one in self.channels]
        if channel not in names:
            more = f" and {len(names) - 6} more" if len(names) > 6 else ""
            raise UsageError(
                f"no channel is called {channel!r}", hint=f"there are {', '.join(names[:6])}{more}", field="channels"
            )
        return names.index(channel)

    def reading_span(self, start: int, stop: int, channels: Sequence[int | str] | None) -> tuple[tuple[int, ...], Span]:
        """Return which channels and which stored samples a call of ``Recording.read`` means.

        Raises
        ------
        ReadError
            If the channels differ in rate or length, so that they share no sample numbers.
        IndexError, UsageError
            If there is no such number, or no such name.
        """
        given = (channels,) if isinstance(channels, str) else channels
        chosen = tuple(range(len(self.channels)) if given is None else map(self.number_of, given))
        members = [self.channels[index] for index in chosen]
        for member in members[1:]:
            if (member.rate_hz, member.n_samples) != (members[0].rate_hz, members[0].n_samples):
                raise ReadError(
                    f"Channels {members[0].name} and {member.name} differ in rate or length",
                    hint="read the channels of each rate by themselves",
                )
        n_samples = members[0].n_samples if members else 0
        first = max(start, 0)
        return chosen, Span(first, max(first, stop)).clip(n_samples)


class Recording(ABC):
    """An open recording. Reading is safe from several threads (readers lock where they must)."""

    @property
    @abstractmethod
    def info(self) -> RecordingInfo:
        """What is known without reading samples."""

    @abstractmethod
    def read(self, start: int, stop: int, channels: Sequence[int | str] | None = None) -> FloatArray:
        """Return stored samples ``start`` to ``stop`` (half-open) of channels of one rate.

        Parameters
        ----------
        start, stop : int
            Sample numbers, clipped to what is stored.
        channels : sequence of int or str, or None
            Channel numbers or names; None means all, which must then have one rate.

        Returns
        -------
        ndarray of float64, shape (n_channels, n_samples)
            In physical units; missing samples are NaN; code channels are raw unsigned integers as floats.

        Raises
        ------
        ReadError
            If the channels differ in rate or the bytes cannot be read.
        """

    def close(self) -> None:  # noqa: B027  (most recordings hold nothing)
        """Let go of files. Reading afterwards is an error."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
