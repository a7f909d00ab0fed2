"""BrainVision: a header (.vhdr), samples (.eeg) and markers (.vmrk), opened from the header and read lazily.

Binary samples lie in a plain table, channels side by side or one after the other, and are read where they are asked
for. Samples that are written as text are read whole (``brainvision_text``). Where a recording was paused, the segments
that follow tell the time at which they began: the pause is a gap and every marker keeps its place in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from jaxscope.data.annotations import BAD_KIND, Annotation, Gap, joined_channels
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.kinds import kind_of
from jaxscope.data.labels import unique_names
from jaxscope.data.recording import CODE_KINDS, Channel, FloatArray, Recording, RecordingInfo
from jaxscope.data.timeline import Timeline
from jaxscope.errors import ReadError
from jaxscope.readers.base import (
    MOST_LIST_BYTES,
    OpenOptions,
    ReaderFormat,
    files_told,
    is_there,
    own_rate_words,
    with_article,
)
from jaxscope.readers.brainvision_header import (
    BrainVisionHeader,
    Marker,
    parse_header,
    parse_markers,
    sniff_header,
)
from jaxscope.readers.brainvision_text import TextSamples
from jaxscope.readers.byte_file import ByteFile, SampleTable
from jaxscope.readers.scans import Scan, scanned_whole

#: The clock of the recording computer and that of the amplifier drift apart; only more than this is a pause.
_PAUSE_S = 0.1
_DRIFT = 1e-3


class BrainVisionRecording(Recording):
    """An open BrainVision recording with binary samples.

    Parameters
    ----------
    info : RecordingInfo
    file : ByteFile
    table : SampleTable
    gains : sequence of float or None
        What turns stored numbers into units; None leaves the bits as an unsigned code.
    """

    def __init__(
        self, info: RecordingInfo, file: ByteFile, *, table: SampleTable, gains: Sequence[float | None]
    ) -> None:
        self._info = info
        self._file = file
        self._table = table
        self._gains = tuple(gains)

    @property
    def info(self) -> RecordingInfo:
        return self._info

    def close(self) -> None:
        self._file.close()

    def read(self, start: int, stop: int, channels: Sequence[int | str] | None = None) -> FloatArray:
        chosen, span = self._info.reading_span(start, stop, channels)
        gains = [self._gains[index] for index in chosen]
        result = self._table.read(self._file, span, chosen, [1.0 if gain is None else gain for gain in gains])
        if self._table.dtype.kind == "i":
            for row, gain in zip(result, gains, strict=True):
                if gain is None:
                    row %= 256.0**self._table.dtype.itemsize
        return result


def open_brainvision(path: Path, options: OpenOptions) -> Recording:
    """Open the recording that a header, or a file beside it, belongs to.

    Raises
    ------
    ReadError
        If a file is missing or broken; the sentence names it.
    """
    header, warnings = _header(path, options)
    if header.dtype is None:
        return scanned_whole(BrainVisionTextScan(header, warnings))
    file = ByteFile(header.data_path)
    try:
        n_samples = _count_samples(header, file, warnings)
        info = _describe(header, n_samples, warnings)
    except BaseException:
        file.close()
        raise
    n_channels = len(header.channels)
    table = (
        SampleTable.vectorised(header.dtype, header.n_samples or n_samples)
        if header.is_vectorised
        else SampleTable.multiplexed(header.dtype, n_channels)
    )
    gains = [
        entry.resolution if channel.is_data else None
        for entry, channel in zip(header.channels, info.channels, strict=True)
    ]
    return BrainVisionRecording(info, file, table=table, gains=gains)


def _require_samples(path: Path, header_name: str) -> None:
    """Raise ReadError where the file that a header names is not there or is empty."""
    if not is_there(path):
        raise ReadError(
            f"{path.name}, which holds the samples of {header_name}, is not there",
            hint="keep both in one folder, or correct DataFile= in the header if it was renamed",
        )
    if not path.stat().st_size:
        raise ReadError(f"{path.name}, which holds the samples of {header_name}, is empty", hint="copy the files again")


def _header_of(path: Path) -> Path:
    """Return the header of a recording of which any file was chosen."""
    with path.open("rb") as file:
        head = file.read(4096)
    if path.suffix.lower() not in (".eeg", ".vmrk") or sniff_header(head):
        return path
    for suffix in (".vhdr", ".VHDR", ".ahdr"):
        header = path.with_suffix(suffix)
        if is_there(header):
            return header
    title = path.suffix[1:].upper()
    raise ReadError(
        f"{path.name} is {with_article(title)} file without its header, {path.stem}.vhdr, which is not there",
        hint="keep both in one folder, and open the header if it has another name",
    )


def _count_samples(header: BrainVisionHeader, file: ByteFile, warnings: list[str]) -> int:
    assert header.dtype is not None
    frame_bytes = len(header.channels) * header.dtype.itemsize
    held, left_bytes = divmod(file.n_bytes, frame_bytes)
    told = header.n_samples
    if held == 0:
        raise ReadError(f"{file.name} holds not even one sample of every channel", hint="copy the file again")
    if header.is_vectorised:
        # Each channel begins where the one before it ends, so a length that is wrong moves all but the first.
        if (told is None and left_bytes) or (told is not None and told > held):
            promised = f"{told} samples" if told is not None else "as many samples as the others"
            raise ReadError(f"{file.name} ends before its last channels have {promised}", hint="copy the file again")
        if told is not None and told * frame_bytes < file.n_bytes:
            warnings.append(f"{file.n_bytes - told * frame_bytes:,} bytes after the last sample are left out")
        return held if told is None else told
    if told is not None and told != held:
        ending = "all are read" if held > told else "it ends too early to be complete"
        warnings.append(f"The header promises {told:,} samples; {file.name} holds {held:,}: {ending}")
    if left_bytes:
        warnings.append(f"{left_bytes} bytes after the last whole sample of {file.name} are left out")
    return held


def _describe(header: BrainVisionHeader, n_samples: int, warnings: list[str]) -> RecordingInfo:
    rate_hz = header.rate_hz
    markers = _markers(header, warnings)
    gaps = _pauses(markers, rate_hz, n_samples, warnings)
    timeline = Timeline(gaps=gaps)
    shown = [marker for marker in markers if not _is_start(marker)]
    inside = [marker for marker in shown if 0 <= marker.position < n_samples]
    if len(inside) < len(shown):
        warnings.append(f"{len(shown) - len(inside)} markers lie outside the recording and are left out")
    channels = []
    for name, entry in zip(unique_names(entry.name for entry in header.channels), header.channels, strict=True):
        kind = kind_of(entry.name, entry.unit)
        unit = "" if kind in CODE_KINDS else entry.unit
        channels.append(Channel(name=name, unit=unit, kind=kind, rate_hz=rate_hz, n_samples=n_samples))
    return RecordingInfo(
        format="BrainVision",
        start=_start(markers),
        duration_s=timeline.stop_s(rate_hz, n_samples),
        channels=tuple(channels),
        annotations=joined_channels(_annotation(marker, channels, timeline, rate_hz) for marker in inside),
        gaps=gaps,
        warnings=tuple(warnings),
        files=files_told(header.path, header.data_path, header.marker_path),
    )


def _annotation(marker: Marker, channels: Sequence[Channel], timeline: Timeline, rate_hz: float) -> Annotation:
    text = f"{marker.kind}/{marker.text}"
    alone = Annotation(onset_s=0.0, text=marker.text)
    return Annotation(
        onset_s=timeline.second_of(marker.position, rate_hz),
        duration_s=marker.n_samples / rate_hz,
        # a text that says by itself that it is bad needs no type for it
        text=marker.text if marker.kind == BAD_KIND and alone.says_bad else text,
        channels=(channels[marker.channel - 1].name,) if 0 < marker.channel <= len(channels) else (),
    )


def _markers(header: BrainVisionHeader, warnings: list[str]) -> list[Marker]:
    path = header.marker_path
    if path is None:
        return []
    if not is_there(path):
        warnings.append(f"{path.name}, which holds the markers, is not there: no markers are shown")
        return []
    try:
        if path.stat().st_size > MOST_LIST_BYTES:
            warnings.append(f"{path.name} is too large for a list of markers: no markers are shown")
            return []
        markers, n_unreadable = parse_markers(path)
    except OSError as error:
        warnings.append(f"The markers in {path.name} cannot be read: {error.strerror or error}")
        return []
    if n_unreadable:
        warnings.append(f"{n_unreadable} markers in {path.name} cannot be read and are left out")
    return markers


def _is_segment(marker: Marker) -> bool:
    return marker.kind.lower() == "new segment"


def _is_start(marker: Marker) -> bool:
    """Whether a marker only says that the recording begins."""
    return _is_segment(marker) and marker.position <= 0


def _start(markers: Sequence[Marker]) -> datetime | None:
    return next((marker.date for marker in markers if _is_start(marker) and marker.date is not None), None)


def _pauses(markers: Sequence[Marker], rate_hz: float, n_samples: int, warnings: list[str]) -> tuple[Gap, ...]:
    """Return the time between segments in which nothing was recorded, from the dates of their markers."""
    segments = sorted(
        (marker for marker in markers if _is_segment(marker) and marker.position < n_samples),
        key=lambda marker: marker.position,
    )
    gaps: list[Gap] = []
    paused_s, n_untold = 0.0, 0
    for before, after in pairwise(segments):
        if after.position <= 0:
            continue
        if before.date is None or after.date is None:
            n_untold += 1
            continue
        recorded_s = (after.position - max(before.position, 0)) / rate_hz
        pause_s = (after.date - before.date).total_seconds() - recorded_s
        if pause_s > max(_PAUSE_S, _DRIFT * recorded_s):
            start_s = after.position / rate_hz + paused_s
            gaps.append(Gap(start_s=start_s, stop_s=start_s + pause_s))
            paused_s += pause_s
    if n_untold:
        warnings.append(
            f"{n_untold} new segments do not tell when they began: they are shown right after the samples before them"
        )
    return tuple(gaps)


class BrainVisionTextScan(Scan):
    """Reads a recording whose samples are written as text.

    Parameters
    ----------
    header : BrainVisionHeader
    warnings : sequence of str
        What is to be said of the header.
    """

    def __init__(self, header: BrainVisionHeader, warnings: Sequence[str]) -> None:
        self._header, self._warnings = header, tuple(warnings)
        self._samples = TextSamples(header)
        super().__init__(self._samples.n_bytes)

    def step(self) -> bool:
        has_more = self._samples.go_on()
        self.position = self._samples.position
        return has_more

    def recording(self) -> Recording:
        header, warnings = self._header, list(self._warnings)
        values = self._samples.values()
        name = self._samples.name
        if self._samples.has_comma and header.text.decimal != ",":
            warnings.append(f"{name} has decimal commas, of which its header says nothing")
        if any(entry.resolution != 1 for entry in header.channels):
            warnings.append("Samples that are written as text are in units already: no resolution is applied to them")
        rows = values.T if header.is_vectorised else values
        if len(rows) != len(header.channels):
            raise ReadError(
                f"{name} holds {len(rows)} channels, its header describes {len(header.channels)}",
                hint="export the recording again",
            )
        if header.n_samples is not None and header.n_samples != rows.shape[1]:
            warnings.append(f"The header promises {header.n_samples:,} samples; {name} holds {rows.shape[1]:,}")
        return ArrayRecording(_describe(header, rows.shape[1], warnings), list(rows))

    def close(self) -> None:
        self._samples.close()


def scan_brainvision(path: Path, options: OpenOptions) -> Scan | None:
    """Return the scan of a recording whose samples are written as text; None for binary ones.

    Raises
    ------
    ReadError
        If a file is missing or broken; the sentence names it.
    """
    header, warnings = _header(path, options)
    return BrainVisionTextScan(header, warnings) if header.dtype is None else None


def _header(path: Path, options: OpenOptions) -> tuple[BrainVisionHeader, list[str]]:
    """Return the header of a recording whose samples are there, and what is to be said of it."""
    header_path = _header_of(path)
    header = parse_header(header_path)
    warnings = [*header.problems, *own_rate_words([header.rate_hz], options)]
    _require_samples(header.data_path, header_path.name)
    if header.data_path.samefile(header_path):
        raise ReadError(
            f"{header_path.name} names itself as the file of its samples", hint="correct DataFile= in the header"
        )
    return header, warnings


FORMAT = ReaderFormat(
    name="brainvision",
    title="BrainVision",
    suffixes=(".vhdr", ".ahdr", ".vmrk", ".eeg"),
    sniff=sniff_header,
    open=open_brainvision,
    scan=scan_brainvision,
)
