"""Audio files: WAV, FLAC, and what else libsndfile opens (AIFF, OGG, AU, CAF, W64, RF64).

Samples are read where they are asked for, through one decoder behind a lock. Full scale of integer formats is 1, float
formats keep their values. Lengths in headers are checked against the file, for libsndfile trusts them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from jaxscope.data.notes import parse_notes, with_notes
from jaxscope.data.recording import Channel, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.flac_frames import PatchedFile, StreamInfo, find_end, read_stream_info
from jaxscope.readers.wav_header import check_wav
from jaxscope.readers.wav_table import WavTable, find_table

_SKIP_FRAMES = 1 << 16
#: After a jump, a decoder of overlapping blocks errs up to the next block; a block of Vorbis has 8192 samples at most.
_LEAD_FRAMES = {"OGG": 1 << 14, "MPEG": 1 << 14}
#: What is decoded at a time stays near until it is turned; shorter rows cost more in turning to the next.
_NEAR_VALUES, _LEAST_FRAMES = 1 << 17, 4096
#: How many samples at either end of a plain file are compared.
_COMPARED_FRAMES = 256
#: libsndfile reports an unknown length as the largest integer.
_MOST_FRAMES = 1 << 50


class AudioRecording(Recording):
    """An open audio file. Every read goes through one decoder, under a lock.

    Parameters
    ----------
    path : Path
    options : OpenOptions
        A rate that is given is not used: the file's own wins, and the user is told.
    """

    def __init__(self, path: Path, options: OpenOptions | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._is_closed = False
        #: What a decoded 1 means in each channel, where the file tells it.
        self._gains: FloatArray | None = None
        self._table: WavTable | None = None
        #: Bytes of the header that the decoder must see otherwise, and where.
        self._patch: tuple[int, bytes] | None = None
        warnings: list[str] = []
        with path.open("rb") as file:
            head = file.read(4)
        if head in (b"fLaC", b"ID3\x03", b"ID3\x04"):
            warnings += self._check_flac()
        elif head in (b"RIFF", b"RIFX"):
            found = check_wav(path)
            warnings += found.warnings
            self._patch = (found.patch_at, found.patch) if found.patch else None
        self._file = self._open()
        self._position = 0
        self._n_samples = int(self._file.frames)
        if not 0 <= self._n_samples < _MOST_FRAMES:
            self._file.close()
            raise ReadError(f"The length of {path.name} cannot be found", hint="convert it to WAV and open that")
        try:
            self._probe()
            self._table = self._find_table()
        except ReadError:
            self._file.close()
            raise
        self._info = self._describe(options or OpenOptions(), warnings)

    @property
    def info(self) -> RecordingInfo:
        """What is known without reading samples."""
        return self._info

    def read(self, start: int, stop: int, channels: Sequence[int | str] | None = None) -> FloatArray:
        """Return samples ``start`` to ``stop``, shape (n_channels, n_samples)."""
        chosen, span = self._info.reading_span(start, stop, channels)
        gains, table = self._gains, self._table
        if table is not None and len(span) and chosen:
            return table.read(span, chosen)
        if not len(span):
            return np.empty((len(chosen), 0))
        with self._lock:
            if self._is_closed:
                raise ReadError(f"{self._path.name} is closed", hint="open it again")
            self._go_to(span.start)
            return self._decode_rows(span, list(chosen), None if gains is None else gains[list(chosen), np.newaxis])

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._is_closed = True
            self._file.close()
        if self._table is not None:
            self._table.file.close()

    def _check_flac(self) -> list[str]:
        with self._path.open("rb") as file:
            stream = read_stream_info(file)
        if stream is None:
            return []
        end = find_end(self._path, stream)
        if end is None:
            return []
        if end.n_channels != stream.n_channels:
            raise ReadError(
                f"{self._path.name} changes its number of channels from {stream.n_channels} to {end.n_channels}",
                hint="jaxscope reads files whose channels stay the same: split it first",
            )
        warnings = []
        if end.n_bytes_after:
            warnings.append(f"The last {end.n_bytes_after:,} bytes of {self._path.name} hold no whole frame: not read")
        if end.n_samples != stream.n_samples:
            self._patch = replace(stream, n_samples=end.n_samples).patch()
        if self._patch is not None and stream.n_samples:
            warnings += self._settle_length(stream, end.n_samples)
        return warnings

    def _settle_length(self, stream: StreamInfo, seen: int) -> list[str]:
        """Decode a file whose header and last frame disagree about its length, and keep what is really there."""
        from jaxscope.readers.sound_file import SoundFileError

        self._file = self._open()
        true = 0
        with suppress(SoundFileError):  # what follows the last good block is said in the warning
            while part := len(self._file.read(1024, always_2d=True)):
                true += part
        self._file.close()
        self._patch = replace(stream, n_samples=true).patch() if true != stream.n_samples else None
        if self._patch is None:
            return []
        word = "ends early" if true < stream.n_samples else "is longer than it says"
        return [
            f"{self._path.name} {word}: its header says {stream.n_samples:,} samples, {true:,} are there and are read"
        ]

    def _open(self) -> Any:
        from jaxscope.readers.sound_file import PlainSoundFile, SoundFileError

        source = str(self._path) if self._patch is None else PatchedFile(self._path, *self._patch)
        try:
            return PlainSoundFile(source)
        except (SoundFileError, OSError) as error:
            raise ReadError(
                f"{self._path.name} cannot be read as audio: {_reason(error)}",
                hint="copy the file again, or convert it to WAV",
            ) from error

    def _probe(self) -> None:
        """Decode the first samples, so that a file that opens but holds nothing readable fails here."""
        if self._n_samples:
            self._decode(min(self._n_samples, 4096))

    def _find_table(self) -> WavTable | None:
        """Return the samples as a table, where its begin and its end are what the decoder gives."""
        if self._patch is not None:
            return None
        file = self._file
        table = find_table(self._path, str(file.format), str(file.subtype), int(file.channels), self._n_samples)
        if table is None:
            return None
        every = tuple(range(int(file.channels)))
        for start in (0, max(0, self._n_samples - _COMPARED_FRAMES)):
            span = Span(start, min(start + _COMPARED_FRAMES, self._n_samples))
            self._go_to(start)
            if not np.array_equal(self._decode(len(span)).T, table.read(span, every), equal_nan=True):
                table.file.close()
                return None
        return table

    def _go_to(self, start: int) -> None:
        from jaxscope.readers.sound_file import SoundFileError

        if start == self._position:
            return
        try:
            lead = _LEAD_FRAMES.get(str(self._file.format), 0)
            self._position = int(self._file.seek(max(0, start - lead)))
        except SoundFileError:
            # Some FLAC files have no usable seek points: begin again and decode up to there.
            self._file.close()
            self._file = self._open()
            self._position = 0
        while self._position < start:
            self._decode(min(_SKIP_FRAMES, start - self._position))

    def _decode_rows(self, span: Span, channels: list[int], gains: FloatArray | None) -> FloatArray:
        """Decode the next samples, and turn them while they are near."""
        n_channels = int(self._file.channels)
        result = np.empty((len(channels), len(span)))
        is_all = channels == list(range(n_channels))
        n_frames = min(len(span), max(_LEAST_FRAMES, _NEAR_VALUES // n_channels))
        memory = np.empty((n_frames, n_channels))
        for piece in span.blocks(n_frames):
            block = memory[: len(piece)]
            self._decode_into(block)
            into = result[:, piece.start - span.start : piece.stop - span.start]
            into[...] = block.T if is_all else block[:, channels].T
            if gains is not None:
                into *= gains
        return result

    def _decode(self, n_samples: int) -> FloatArray:
        block = np.empty((n_samples, self._file.channels))
        self._decode_into(block)
        return block

    def _decode_into(self, block: FloatArray) -> None:
        """Fill a block, shape (n_samples, n_channels), with the next samples."""
        from jaxscope.readers.sound_file import SoundFileError

        n_samples, done = len(block), 0
        try:
            while done < n_samples:
                n_more = len(self._file.read(dtype="float64", out=block[done:]))
                if not n_more:
                    break
                done += n_more
        except (SoundFileError, RuntimeError, ValueError) as error:
            at, self._position = max(self._position, 0) + done, -1
            raise ReadError(
                f"{self._path.name} is damaged after {at:,} samples: {_reason(error)}",
                hint="copy the file again",
            ) from error
        self._position += done
        if done < n_samples:
            at = self._position
            self._position = -1
            raise ReadError(
                f"{self._path.name} ends after {at:,} of {self._n_samples:,} samples", hint="copy the file again"
            )

    def _describe(self, options: OpenOptions, warnings: list[str]) -> RecordingInfo:
        rate = float(self._file.samplerate)
        warnings += own_rate_words([rate], options)
        if self._n_samples == 0:
            warnings.append(f"{self._path.name} holds no samples")
        n_channels = int(self._file.channels)
        info = RecordingInfo(
            format=str(self._file.format).lower(),
            duration_s=self._n_samples / rate,
            channels=tuple(
                Channel(name=f"ch{index}", kind="audio", rate_hz=rate, n_samples=self._n_samples)
                for index in range(n_channels)
            ),
            warnings=tuple(warnings),
        )
        notes = parse_notes(self._file.comment, n_channels)
        if notes is None:
            return info
        if notes.full_scale:
            self._gains = np.array(notes.full_scale)
        return with_notes(info, self._file.comment)


def _reason(error: Exception) -> str:
    """Return what libsndfile says, without the path that it repeats and without a full stop."""
    text = str(getattr(error, "error_string", error)).strip().rstrip(".").lower()
    return text.removeprefix("error :").strip() or "the decoder gives no reason"


def _sniff(head: bytes) -> bool:
    riff = head[:4] in (b"RIFF", b"RIFX", b"RF64") and head[8:12] == b"WAVE"
    return (
        riff
        or head[:4] in (b"fLaC", b"OggS", b".snd", b"caff", b"riff")
        or (head[:4] == b"FORM" and head[8:11] == b"AIF")
    )


def _open(path: Path, options: OpenOptions) -> Recording:
    with path.open("rb") as file:
        is_flac = read_stream_info(file) is not None
        file.seek(0)
        head = file.read(64)
    if not (is_flac or _sniff(head)):
        # libsndfile would try it as MPEG, and its decoder writes to the terminal.
        raise ReadError(f"{path.name} is not an audio file that jaxscope knows", hint="convert it to WAV or FLAC")
    return AudioRecording(path, options)


FORMAT = ReaderFormat(
    name="audio",
    title="audio",
    suffixes=(".wav", ".wave", ".flac", ".ogg", ".oga", ".aif", ".aiff", ".au", ".caf", ".w64", ".rf64"),
    sniff=_sniff,
    open=_open,
)
