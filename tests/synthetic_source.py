"""A running signal that is made, and loses samples on purpose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from jaxscope.data.live import LiveBlock, LiveSource, LiveStream
from jaxscope.data.recording import FloatArray

Clock = Callable[[], float]


class SyntheticSource(LiveSource):
    """Made samples by a clock: the same for the same seed, with losses and lateness where they are asked for.

    Parameters
    ----------
    n_channels : int
    rate_hz : float
    clock : callable
    lost : mapping of int to int
        How many samples are lost from which number on.
    late_s : sequence of float
        How late each poll is, in turn; the last one stays.
    seed : int
    duration_s : float or None
        When it ends.
    """

    name = "synthetic"

    def __init__(
        self,
        *,
        n_channels: int,
        rate_hz: float,
        clock: Clock,
        lost: Mapping[int, int] | None = None,
        late_s: Sequence[float] = (0.0,),
        seed: int = 0,
        duration_s: float | None = None,
    ) -> None:
        self._stream = LiveStream(rate_hz=rate_hz, channels=tuple(range(n_channels)))
        self._clock = clock
        self._begun_at = clock()
        self._lost = dict(lost or {})
        self._late_s = list(late_s) or [0.0]
        self._polls = 0
        self._seed = seed
        self._next = 0
        self._end = None if duration_s is None else round(duration_s * rate_hz)

    @property
    def streams(self) -> tuple[LiveStream, ...]:
        return (self._stream,)

    @property
    def position_s(self) -> float:
        return self._next / self._stream.rate_hz

    @property
    def has_ended(self) -> bool:
        return self._end is not None and self._next >= self._end

    def made(self, start: int, stop: int) -> FloatArray:
        """Return the samples ``start`` to ``stop`` as they are before any is lost."""
        number = np.arange(start, stop, dtype=np.float64)
        rows = np.arange(len(self._stream.channels), dtype=np.float64)[:, np.newaxis]
        # sines of unrelated frequencies: any sample can be made without those before it
        slow = np.sin(2 * np.pi * (0.013 + 0.002 * rows) * number + rows + self._seed)
        quick = np.sin(2 * np.pi * 0.317 * number * (1 + 0.01 * rows) + 3.0 * self._seed)
        return 20.0 * slow + 5.0 * quick + 10.0 * rows

    def poll(self) -> tuple[LiveBlock, ...]:
        late_s = self._late_s[min(self._polls, len(self._late_s) - 1)]
        self._polls += 1
        # a thousandth of a sample, so that a clock that was summed up does not miss one by rounding
        due = int((self._clock() - self._begun_at - late_s) * self._stream.rate_hz + 1e-3)
        due = due if self._end is None else min(due, self._end)
        blocks: list[LiveBlock] = []
        dropped = 0
        while self._next < due:
            if self._next in self._lost:
                dropped = self._lost.pop(self._next)
                self._next += dropped
                continue
            stop = min([due, *(first for first in self._lost if first > self._next)])
            blocks.append(
                LiveBlock(
                    stream=0,
                    first_sample=self._next,
                    samples=self.made(self._next, stop),
                    dropped=dropped,
                    latency_s=late_s,
                    begins_segment=self._next == 0,
                )
            )
            dropped, self._next = 0, stop
        return tuple(blocks)
