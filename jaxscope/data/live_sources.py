"""A recording that is played: a running signal that needs no device.

It goes by a clock that is handed in, so a test decides what time it is. A played recording never loses a sample: where
the machine cannot keep up, it plays more slowly and tells by how much it is late.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from jaxscope.data.live import LiveBlock, LiveSource, LiveStream
from jaxscope.data.recording import Recording, RecordingInfo

Clock = Callable[[], float]
#: How slow and how fast a recording is played.
SLOWEST, FASTEST = 0.1, 100.0
#: Samples (channels times time) that one poll returns at most: what is due beyond that waits for the next.
POLL_VALUES = 2_000_000


def live_streams(info: RecordingInfo) -> tuple[LiveStream, ...]:
    """Return the channels of a recording as streams: of one rate, length and time; notes and unknown rates left out."""
    groups: dict[object, list[int]] = {}
    for number, channel in enumerate(info.channels):
        if channel.is_drawable and channel.rate_hz is not None:
            groups.setdefault((channel.rate_hz, channel.n_samples, channel.gaps), []).append(number)
    return tuple(
        LiveStream(rate_hz=info.channels[members[0]].rate_hz or 1.0, channels=tuple(members))
        for members in groups.values()
    )


def stored_blocks(
    recording: Recording, stream: LiveStream, number: int, first: int, stop: int, *, late_s: float = 0.0
) -> list[LiveBlock]:
    """Return stored samples of a stream as blocks, parted where a gap in time parts them."""
    info, one = recording.info, stream.channels[0]
    blocks: list[LiveBlock] = []
    for segment in info.timeline_of(one).segments(stream.rate_hz, info.channels[one].n_samples):
        start, end = max(first, segment.first_sample), min(stop, segment.stop_sample)
        if start < end:
            blocks.append(
                LiveBlock(
                    stream=number,
                    first_sample=start,
                    samples=recording.read(start, end, stream.channels),
                    latency_s=late_s,
                    begins_segment=start == segment.first_sample,
                )
            )
    return blocks


class FileSource(LiveSource):
    """A recording that is played from a time on.

    Parameters
    ----------
    recording : Recording
    start_s : float
        Where the clock begins.
    history_s : float
        How much before it is handed out at once, so that a filter has settled there.
    speed : float
        Seconds of the recording per second, ``SLOWEST`` to ``FASTEST``.
    clock : callable
        Seconds that only grow.
    """

    def __init__(
        self,
        recording: Recording,
        *,
        name: str = "",
        start_s: float = 0.0,
        history_s: float = 0.0,
        speed: float = 1.0,
        clock: Clock = time.monotonic,
    ) -> None:
        self.name = name
        self.recording = recording
        self._clock = clock
        self._streams = live_streams(recording.info)
        self._duration_s = recording.info.duration_s or 0.0
        self._base_s = min(max(0.0, start_s), self._duration_s)
        self._since = clock()
        self._speed = min(max(speed, SLOWEST), FASTEST)
        begin_s = max(0.0, self._base_s - history_s)
        self._next = [self._sample_at(number, begin_s) for number in range(len(self._streams))]
        self._begun = [False] * len(self._streams)
        self._position_s = self._base_s
        self._late_s = 0.0

    @property
    def streams(self) -> tuple[LiveStream, ...]:
        return self._streams

    @property
    def speed(self) -> float:
        """Seconds of the recording per second."""
        return self._speed

    def set_speed(self, speed: float) -> None:
        """Play at another speed from where it is now."""
        self._base_s, self._since = self._due_s(), self._clock()
        self._speed = min(max(speed, SLOWEST), FASTEST)

    @property
    def position_s(self) -> float:
        return self._position_s

    @property
    def has_ended(self) -> bool:
        return self._position_s >= self._duration_s

    def poll(self) -> tuple[LiveBlock, ...]:
        due_s = self._due_s()
        blocks: list[LiveBlock] = []
        room = POLL_VALUES
        reached_s = due_s
        for number, stream in enumerate(self._streams):
            stop = self._stop_at(number, due_s)
            most = max(1, room // len(self._streams) // len(stream.channels))
            if stop - self._next[number] > most:
                stop = self._next[number] + most
                timeline = self.recording.info.timeline_of(stream.channels[0])
                reached_s = min(reached_s, timeline.second_of(stop, stream.rate_hz))
            blocks += self._blocks(number, stop)
        if reached_s < due_s:
            # the clock waits for what could not be handed out: the time that is shown never runs ahead of the samples
            self._base_s, self._since = max(reached_s, min(self._base_s, due_s)), self._clock()
        self._late_s = max(0.0, due_s - reached_s)
        self._position_s = max(self._position_s, reached_s)
        return tuple(blocks)

    def _due_s(self) -> float:
        return min(self._duration_s, self._base_s + (self._clock() - self._since) * self._speed)

    def _sample_at(self, number: int, second: float) -> int:
        stream = self._streams[number]
        channel = self.recording.info.channels[stream.channels[0]]
        sample = self.recording.info.timeline_of(stream.channels[0]).sample_at(second, stream.rate_hz)
        return min(max(0, sample), channel.n_samples)

    def _stop_at(self, number: int, second: float) -> int:
        if second >= self._duration_s:
            return self.recording.info.channels[self._streams[number].channels[0]].n_samples
        return self._sample_at(number, second)

    def _blocks(self, number: int, stop: int) -> list[LiveBlock]:
        blocks = stored_blocks(
            self.recording, self._streams[number], number, self._next[number], stop, late_s=self._late_s
        )
        if blocks:
            if not self._begun[number]:
                blocks[0] = replace(blocks[0], begins_segment=True)
            self._begun[number], self._next[number] = True, stop
        return blocks
