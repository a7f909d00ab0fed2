"""BrainVision: a header, its markers, and the samples of all channels of one time together in 32-bit float.

Three files are one recording: the samples and markers are put in place before the header that names them, so that a
header never leads to half a recording. Gaps are new segments with their dates, as the format has them.

Source: BrainVision Core Data Format 1.0, Brain Products.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import BAD_KIND
from jaxscope.data.timeline import Timeline
from jaxscope.writers.base import AlignedWriter, WriteRequest, WriterFormat, closed_gap_words
from jaxscope.writers.checks import check_one_rate
from jaxscope.writers.rounding import as_float32, rounding_of, rounding_words


class BrainVisionWriter(AlignedWriter):
    """A BrainVision recording that is being written."""

    def _begin(self) -> None:
        request = self.request
        self._file = self._companion(".eeg").open("wb")
        self._largest_rounding = 0.0
        self._companion(".vmrk").write_text(_markers_text(request, self.path.stem), encoding="utf-8", newline="")
        self._temporary.write_text(_header_text(request, self.path.stem), encoding="utf-8", newline="")
        if request.start is None:
            self._warnings += closed_gap_words(request, "BrainVision without a start")
        elif request.start.tzinfo is not None:
            self._warnings.append("BrainVision keeps no time zone: the start is written as it reads")
        if any("/" not in note.text and not note.marks_bad for note in request.annotations):
            self._warnings.append("BrainVision has a type for each marker: events without one are written as comments")

    def _write_rows(self, block: npt.NDArray[np.float64], first_sample: int) -> None:
        single = as_float32(block)
        self._largest_rounding = max(self._largest_rounding, rounding_of(block, single))
        self._file.write(np.ascontiguousarray(single.T, dtype="<f4").tobytes())

    def _finish(self) -> None:
        self._warnings += rounding_words(self._largest_rounding)
        super()._finish()


def _header_text(request: WriteRequest, stem: str) -> str:
    channels = request.channels
    rate_hz = channels[0].rate_hz or 1.0
    lines = [
        "Brain Vision Data Exchange Header File Version 1.0",
        "; written by jaxscope",
        "",
        "[Common Infos]",
        "Codepage=UTF-8",
        f"DataFile={stem}.eeg",
        f"MarkerFile={stem}.vmrk",
        "DataFormat=BINARY",
        "DataOrientation=MULTIPLEXED",
        f"NumberOfChannels={len(channels)}",
        f"DataPoints={channels[0].n_samples}",
        f"SamplingInterval={1e6 / rate_hz!r}".removesuffix(".0"),
        "",
        "[Binary Infos]",
        "BinaryFormat=IEEE_FLOAT_32",
        "",
        "[Channel Infos]",
        *(
            f"Ch{number}={_coded(channel.name)},,1,{_coded(_unit(channel.unit))}"
            for number, channel in enumerate(channels, 1)
        ),
    ]
    comments = [
        *(f"{channel.name}: {told}" for channel, told in zip(channels, request.filters, strict=False) if told),
        *request.history.splitlines(),
    ]
    if comments:
        lines += ["", "[Comment]", *comments]
    return "\r\n".join(lines) + "\r\n"


def _markers_text(request: WriteRequest, stem: str) -> str:
    lines = [
        "Brain Vision Data Exchange Marker File, Version 1.0",
        "",
        "[Common Infos]",
        "Codepage=UTF-8",
        f"DataFile={stem}.eeg",
        "",
        "[Marker Infos]",
    ]
    for number, (kind, text, position, length, channel, date) in enumerate(
        sorted(_markers(request), key=lambda m: m[2]), 1
    ):
        when = "" if date is None else f",{date:%Y%m%d%H%M%S%f}"
        lines.append(f"Mk{number}={_coded(kind)},{_coded(text)},{position + 1},{length},{channel}{when}")
    return "\r\n".join(lines) + "\r\n"


def _markers(request: WriteRequest) -> Iterator[tuple[str, str, int, int, int, datetime | None]]:
    """Yield type, text, first sample, samples, channel (from 1, 0 for all) and date of each marker."""
    rate_hz, n_samples = request.channels[0].rate_hz or 1.0, request.channels[0].n_samples
    timeline = Timeline(gaps=request.gaps)
    for segment in timeline.segments(rate_hz, n_samples):
        date = None if request.start is None else request.start + timedelta(seconds=segment.start_s)
        if date is not None or not segment.first_sample:
            yield "New Segment", "", segment.first_sample, 1, 0, date
    numbers = {channel.name: number for number, channel in enumerate(request.channels, start=1)}
    for note in request.annotations:
        kind, slash, text = note.text.partition("/")
        first = timeline.sample_at(note.onset_s, rate_hz)
        length = timeline.sample_at(note.onset_s + (note.duration_s or 0.0), rate_hz) - first
        if not slash or (note.marks_bad and not note.says_bad):
            kind, text = BAD_KIND if note.marks_bad else "Comment", note.text
        for channel in [numbers[name] for name in note.channels if name in numbers] or [0]:
            yield kind, text, first, max(length, 0), channel, None


def _unit(unit: str) -> str:
    """Return a unit with the sign that the format has for micro."""
    return f"µ{unit[1:]}" if unit[:1] == "u" and len(unit) > 1 else unit


def _coded(text: str) -> str:
    r"""Return a text as a field: a comma is written as ``\1``, and there are no ends of lines."""
    return " ".join(text.split()).replace(",", r"\1")


def _check(request: WriteRequest) -> None:
    check_one_rate(request, "BrainVision")


def _n_bytes(request: WriteRequest) -> int:
    notes = sum(80 + 2 * len(note.text) for note in request.annotations)
    texts = 2048 + 200 * len(request.channels) + 2 * len(request.history) + notes + 80 * len(request.gaps)
    return texts + 4 * sum(channel.n_samples for channel in request.channels)


FORMAT = WriterFormat(
    name="brainvision",
    title="BrainVision",
    suffixes=(".vhdr",),
    note="32-bit float, in three files. Keeps units, gaps and events. All channels at one rate",
    companions=(".eeg", ".vmrk"),
    check=_check,
    n_bytes=_n_bytes,
    open=BrainVisionWriter,
)
