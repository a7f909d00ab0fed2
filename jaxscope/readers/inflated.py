"""Bytes of a compressed part of a file by position, unpacked as they are asked for.

A stream of deflate can only be unpacked from its beginning. On the way, the state of the decoder is kept every so often
(some 50 KB each), so that going back begins there, and where the last readings ended, so that channels that lie behind
one another are read on side by side. What is unpacked is never held whole: neither a large archive nor a hostile one,
which unpacks to a thousand times its size, takes memory.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from threading import Lock
from typing import Any

import numpy as np

from jaxscope.errors import ReadError
from jaxscope.readers.byte_file import ByteArray, ByteFile

#: What is unpacked is held in memory up to the first, up to three times its file, and never above the last.
LEAST_BYTES, MOST_TIMES, MOST_BYTES = 32 << 20, 3, 256 << 20
#: States are at least this far apart, and there are at most so many of them.
_LEAST_APART, _MOST_STATES = 4 << 20, 256
#: How many ends of readings are kept of a stream at most.
MOST_ENDS = 64
#: Packed bytes that a decoder gets at a time: each state of it holds those that it has not taken yet.
_STEP_BYTES = 1 << 14
#: What is stepped over is unpacked in such pieces.
_PIECE_BYTES = 1 << 20


def may_be_held(n_bytes: int, file_bytes: int) -> bool:
    """Say whether so many unpacked bytes may be held in memory for a file of this size."""
    return n_bytes <= min(max(LEAST_BYTES, MOST_TIMES * file_bytes), MOST_BYTES)


class InflatedBytes:
    """A compressed stream in a file.

    Parameters
    ----------
    file : ByteFile
    first_byte, n_packed : int
        Where the stream lies.
    n_bytes : int
        What it is promised to hold; reading finds out.
    window_bits : int
        As zlib has it: 15 for a stream with its own header, -15 for one without.
    most_ends : int
        How many ends of readings are kept: enough for all that is read on side by side.
    """

    def __init__(
        self,
        file: ByteFile,
        first_byte: int,
        n_packed: int,
        n_bytes: int,
        *,
        window_bits: int,
        most_ends: int = MOST_ENDS,
    ) -> None:
        self.name = file.name
        self.n_bytes = n_bytes
        self._file = file
        self._first, self._stop = first_byte, first_byte + n_packed
        self._apart = max(_LEAST_APART, n_bytes // _MOST_STATES)
        self._most_ends = most_ends
        self._lock = Lock()
        self._places = [0]
        self._states: list[tuple[int, Any]] = [(first_byte, zlib.decompressobj(window_bits))]
        #: By their place: where readings ended, the latest last.
        self._ends: dict[int, tuple[int, Any]] = {}
        #: Where the decoder that runs stands: unpacked, packed, and itself.
        self._at, self._packed_at, self._decoder = 0, first_byte, self._states[0][1].copy()

    def read(self, position: int, n_bytes: int) -> ByteArray:
        """Return the bytes ``position`` to ``position + n_bytes``.

        Raises
        ------
        ReadError
            If the stream is damaged, or holds less than was promised.
        """
        if position + n_bytes > self.n_bytes:
            raise ReadError(f"{self.name} ends too early", hint="copy the file again")
        result: ByteArray = np.empty(n_bytes, dtype=np.uint8)
        with self._lock:
            self._go_to(position)
            done = 0
            while done < n_bytes:
                part = self._next(min(n_bytes - done, self._apart))
                result[done : done + len(part)] = np.frombuffer(part, dtype=np.uint8)
                done += len(part)
            self._keep_end()
        return result

    def _keep_end(self) -> None:
        self._ends.pop(self._at, None)
        self._ends[self._at] = (self._packed_at, self._decoder.copy())
        if len(self._ends) > self._most_ends:
            del self._ends[next(iter(self._ends))]

    def _go_to(self, position: int) -> None:
        number = bisect_right(self._places, position) - 1
        place, (packed_at, state) = self._places[number], self._states[number]
        end = max((end for end in self._ends if place < end <= position), default=place)
        if end > place:
            place, (packed_at, state) = end, self._ends[end]
        if not place <= self._at <= position:
            self._at, self._packed_at, self._decoder = place, packed_at, state.copy()
        while self._at < position:
            self._next(min(position - self._at, _PIECE_BYTES))

    def _next(self, n_bytes: int) -> bytes:
        """Return the next bytes, one at least, and keep the state where the last one lies far enough behind."""
        while True:
            packed = self._file.read(self._packed_at, min(_STEP_BYTES, self._stop - self._packed_at))
            try:
                part: bytes = self._decoder.decompress(packed, n_bytes)
            except zlib.error as error:
                raise self._damaged() from error
            n_taken = len(packed) - len(self._decoder.unconsumed_tail)
            self._packed_at += n_taken
            if part:
                break
            if self._decoder.eof or not n_taken:
                raise self._damaged()
        self._at += len(part)
        if self._at >= self._places[-1] + self._apart and not self._decoder.eof:
            self._places.append(self._at)
            self._states.append((self._packed_at, self._decoder.copy()))
        return part

    def _damaged(self) -> ReadError:
        return ReadError(f"{self.name} is damaged: what is compressed in it cannot be unpacked", hint="copy it again")
