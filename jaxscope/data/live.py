"""What a running signal is: a source that is asked for what has come, and a bounded memory of it.

A played file, a file that grows and (later) a network stream are one thing to the rest of the program: a
``LiveSource``. Asking never waits: ``poll`` returns what is there, maybe nothing. Samples carry absolute numbers, so
what was lost is known by its numbers and counted, and nobody has to trust a clock. A ``Ring`` keeps the newest samples
in memory that never grows.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np

from jaxscope.data.recording import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveStream:
    """Channels of one rate that arrive together; ``channels`` are numbers in the recording they belong to."""

    rate_hz: float
    channels: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LiveBlock:
    """New samples of one stream, shape (n_channels, n_samples).

    ``first_sample`` is the absolute number of the first. ``dropped`` samples right before it are lost for good;
    ``begins_segment`` says that a gap in time precedes it, which takes no sample numbers. ``latency_s`` is how late
    the last sample is.
    """

    stream: int
    first_sample: int
    samples: FloatArray
    dropped: int = 0
    latency_s: float = 0.0
    begins_segment: bool = False

    @property
    def stop_sample(self) -> int:
        """The number of the sample that comes next."""
        return self.first_sample + int(self.samples.shape[1])


class LiveSource(ABC):
    """Where a running signal comes from. It is polled from one thread; other calls may come from another."""

    #: what sentences call it
    name: str

    @property
    @abstractmethod
    def streams(self) -> tuple[LiveStream, ...]:
        """What arrives, by rate."""

    @abstractmethod
    def poll(self) -> tuple[LiveBlock, ...]:
        """Return what has come since the last call, in order, without waiting.

        Raises
        ------
        ReadError
            Where no more will come because of a fault; the sentence says which.
        """

    @property
    @abstractmethod
    def position_s(self) -> float:
        """Up to which second of the recording samples were handed out."""

    @property
    def has_ended(self) -> bool:
        """Whether no more samples will come."""
        return False

    @property
    def note(self) -> str:
        """What has to be known about the source now, as a sentence; empty for nothing."""
        return ""

    def close(self) -> None:  # noqa: B027  (most sources hold nothing)
        """Let go of files and connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class Ring:
    """The newest samples of some channels by absolute number, in memory of one size. Safe from several threads.

    Invariant: what is held is one run of numbers, ``first_sample`` to ``stop_sample``; numbers that were skipped hold
    NaN, and numbers further ahead than the capacity begin the run anew.

    Parameters
    ----------
    n_channels : int
    capacity : int
        Samples that are held at most; at least 1.
    """

    def __init__(self, n_channels: int, capacity: int) -> None:
        self.capacity = max(1, capacity)
        # twice the room: what is held stays in one piece, and is moved once in ``capacity`` samples
        self._values: FloatArray = np.empty((n_channels, 2 * self.capacity))
        self._begin = self._end = 0
        self._stop_sample = 0
        self._lock = threading.Lock()

    @property
    def first_sample(self) -> int:
        """The number of the oldest sample that is held."""
        with self._lock:
            return self._stop_sample - (self._end - self._begin)

    @property
    def stop_sample(self) -> int:
        """The number after that of the newest one."""
        with self._lock:
            return self._stop_sample

    def restart(self, at: int) -> None:
        """Forget everything; the next sample has the number ``at``."""
        with self._lock:
            self._begin = self._end = 0
            self._stop_sample = at

    def append(self, first_sample: int, samples: FloatArray) -> None:
        """Add samples (n_channels, n) at a number that is not before ``stop_sample``."""
        skipped = first_sample - self.stop_sample
        if skipped < 0:
            raise ValueError(f"sample {first_sample} is added after {self.stop_sample}")
        if skipped >= self.capacity:
            self.restart(first_sample)
        elif skipped:
            self._add(np.full((samples.shape[0], skipped), np.nan))
        self._add(samples)

    def _add(self, samples: FloatArray) -> None:
        count = samples.shape[1]
        with self._lock:
            kept = samples[:, max(0, count - self.capacity) :]
            size = kept.shape[1]
            if self._end + size > self._values.shape[1]:
                old = max(0, min(self._end - self._begin, self.capacity - size))
                self._values[:, :old] = self._values[:, self._end - old : self._end].copy()
                self._begin, self._end = 0, old
            self._values[:, self._end : self._end + size] = kept
            self._end += size
            self._begin = max(self._begin, self._end - self.capacity)
            self._stop_sample += count

    def read(self, start: int, stop: int) -> tuple[int, FloatArray]:
        """Return what is held of ``start`` to ``stop`` as a copy, and the number of its first sample."""
        with self._lock:
            first = self._stop_sample - (self._end - self._begin)
            start = min(max(start, first), self._stop_sample)
            stop = min(max(stop, start), self._stop_sample)
            shift = self._begin - first
            return start, self._values[:, start + shift : stop + shift].copy()
