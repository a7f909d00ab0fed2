"""Header files of WFDB (.hea): what a record, its signals and its segments are.

A header is a few lines of text with many optional fields; what is left out has a meaning of its own (a gain of 200 per
mV, 250 Hz). Nothing here is believed about sizes: numbers of signals and segments are held against the lines that are
there, lengths against the files that hold the samples.

Source: header(5) of the WFDB Applications Guide, PhysioNet.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from jaxscope.data.labels import plain_unit
from jaxscope.errors import ReadError
from jaxscope.readers.base import describe_content
from jaxscope.readers.wfdb_decode import FLAC_FORMATS, FORMATS

#: What a name stands for where there is no file: a stretch or a signal without samples.
NOTHING = "~"
_HEADER_LIMIT = 16 << 20
#: Less makes stored numbers infinite.
_LEAST_GAIN = 1e-290
_DEFAULT_GAIN = 200.0
_DEFAULT_RATE_HZ = 250.0
_FORMAT = re.compile(r"(\d{1,9})(?:x(\d{1,9}))?(?::(\d{1,9}))?(?:\+(\d{1,18}))?")
_GAIN = re.compile(r"([-+.\deE]+)(?:\(([-+]?\d{1,18})\))?(?:/(\S+))?")
_RECORD_LINE = re.compile(
    r"[^\s/]+(/\d{1,9})?[ \t]+\d{1,9}([ \t]+[\d.eE+-]+(/\S*)?([ \t]+\d{1,18}([ \t]+\S+){0,2})?)?\s*"
)
_SIGNAL_LINE = re.compile(r"\S+[ \t]+\d+(x\d+)?(:\d+)?(\+\d+)?([ \t].*)?")
_SEGMENT_LINE = re.compile(r"\S+[ \t]+\d{1,18}\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalHeader:
    """One signal. ``(digital - baseline) / gain`` is in ``unit``; ``skew`` counts frames.

    Where ``is_code`` is set, samples are codes: the bits that are stored, unsigned.
    """

    file_name: str
    format: int
    samples_per_frame: int
    skew: int
    first_byte: int
    gain: float
    is_gain_assumed: bool
    baseline: float
    unit: str
    initial: int
    name: str
    is_code: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentEntry:
    """A line of a record of several segments: which record follows, for how many frames."""

    name: str
    n_frames: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordHeader:
    """What a header file says. ``n_frames`` is None where it does not tell it; ``start`` needs a date."""

    name: str
    rate_hz: float
    n_frames: int | None
    start: datetime | None
    signals: tuple[SignalHeader, ...] = ()
    segments: tuple[SegmentEntry, ...] = ()


def sniff_header(head: bytes) -> bool:
    """Say whether these first bytes begin a header: a record line, then a line of a signal or a segment."""
    if b"\0" in head:
        return False
    lines = _lines(head)
    if len(lines) < 2 or _RECORD_LINE.fullmatch(lines[0]) is None:
        return False
    if "/" in lines[0].split()[0]:
        return _SEGMENT_LINE.fullmatch(lines[1]) is not None
    match = _SIGNAL_LINE.fullmatch(lines[1])
    return match is not None and _format_of(lines[1].split()[1]) is not None


def _format_of(token: str) -> re.Match[str] | None:
    match = _FORMAT.fullmatch(token)
    return match if match is not None and int(match[1]) in (0, *FORMATS, *FLAC_FORMATS) else None


def _lines(raw: bytes) -> list[str]:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def parse_header(path: Path) -> RecordHeader:
    """Read a header file.

    Raises
    ------
    ReadError
        If it is missing, something else, or makes no sense.
    """
    lines = _header_lines(path)
    fields = lines[0].split()
    name, _, n_segments = fields[0].partition("/")
    rate = _number(fields[2].partition("/")[0]) if len(fields) > 2 else _DEFAULT_RATE_HZ
    if rate is None or rate <= 0:
        raise ReadError(f'{path.name} has "{fields[2]}" as sampling rate', hint="the header is damaged: copy it again")
    n_frames = int(fields[3]) if len(fields) > 3 else 0
    start = _start(fields[4], fields[5]) if len(fields) > 5 else None
    rest = lines[1:]
    promised = int(n_segments) if n_segments else int(fields[1])
    if len(rest) < promised:
        noun = "segments" if n_segments else "signals"
        raise ReadError(
            f"{path.name} promises {promised} {noun} and describes {len(rest)}",
            hint="the header is damaged: copy it again",
        )
    signals: tuple[SignalHeader, ...] = ()
    segments: tuple[SegmentEntry, ...] = ()
    if n_segments:
        segments = tuple(_segment(path.name, line) for line in rest[:promised])
    else:
        signals = tuple(_signal(path.name, line, number) for number, line in enumerate(rest[:promised], 1))
    return RecordHeader(
        name=name, rate_hz=rate, n_frames=n_frames or None, start=start, signals=signals, segments=segments
    )


def _header_lines(path: Path) -> list[str]:
    """Return the lines of a header without comments; the first is that of the record."""
    try:
        with path.open("rb") as file:
            raw = file.read(min(_HEADER_LIMIT, path.stat().st_size))
    except FileNotFoundError as error:
        raise ReadError(f"{path.name} is not there", hint="keep the files of a recording together") from error
    except OSError as error:
        raise ReadError(f"{path.name} cannot be read: {error.strerror or error}", hint="check the drive") from error
    lines = _lines(raw) if b"\0" not in raw[:4096] else []
    if not lines or _RECORD_LINE.fullmatch(lines[0]) is None:
        raise ReadError(f"{path.name} is not a WFDB header", hint=describe_content(raw))
    return lines


def _segment(header_name: str, line: str) -> SegmentEntry:
    if _SEGMENT_LINE.fullmatch(line) is None:
        raise ReadError(f'{header_name} has "{line[:60]}" as a segment', hint="the header is damaged: copy it again")
    name, length = line.split()
    return SegmentEntry(name=name, n_frames=int(length))


def _signal(header_name: str, line: str, number: int) -> SignalHeader:
    fields = line.split(None, 8)
    match = _FORMAT.fullmatch(fields[1]) if len(fields) > 1 else None
    if match is None:
        raise ReadError(f'{header_name} has "{line[:60]}" as a signal', hint="the header is damaged: copy it again")
    form = int(match[1])
    if form not in (0, *FORMATS, *FLAC_FORMATS):
        raise ReadError(f"{header_name} stores samples in format {form}", hint="convert it with xform to format 16")
    per_frame = int(match[2] or 1)
    if per_frame < 1:
        raise ReadError(f"{header_name} has a signal with 0 samples per frame", hint="correct the header")
    gain_match = _GAIN.fullmatch(fields[2]) if len(fields) > 2 else None
    gain = _number(gain_match[1]) if gain_match is not None else None
    if gain is not None and abs(gain) < _LEAST_GAIN:
        gain = None
    zero = _whole(fields[4]) if len(fields) > 4 else None
    baseline = int(gain_match[2]) if gain_match is not None and gain_match[2] else zero or 0
    unit = gain_match[3] if gain_match is not None and gain_match[3] else "mV"
    initial = _whole(fields[5]) if len(fields) > 5 else None
    return SignalHeader(
        file_name=fields[0],
        format=form,
        samples_per_frame=per_frame,
        skew=int(match[3] or 0),
        first_byte=int(match[4] or 0),
        gain=gain or _DEFAULT_GAIN,
        is_gain_assumed=not gain,
        baseline=float(baseline),
        unit=plain_unit(unit),
        initial=initial if initial is not None else zero or 0,
        name=fields[8].strip() if len(fields) > 8 else f"Signal {number}",
    )


def _start(time: str, date: str) -> datetime | None:
    parts = time.split(":")
    try:
        day, month, year = (int(part) for part in date.split("/"))
        seconds = float(parts[-1])
        minutes = int(parts[-2]) if len(parts) > 1 else 0
        hours = int(parts[-3]) if len(parts) > 2 else 0
        whole = int(seconds)
        return datetime(year, month, day, hours, minutes, whole, round((seconds - whole) * 1e6))
    except (ValueError, OverflowError):
        return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[-+]?\d{1,18}", text) else None
