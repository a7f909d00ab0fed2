"""The header of EDF, EDF+, BDF and BDF+: what it says, what it should have said, and what cannot be believed.

Real headers are full of small errors (a slash in a date, a decimal comma, a number of records that was never filled
in), and refusing a night of sleep for one of them helps nobody. Each repair is a sentence in ``problems``; only what
leaves the samples without meaning is an error. Who was recorded is read over and kept nowhere.

Source: the specifications at edfplus.info (EDF 1992, EDF+ 2003), and BioSemi's description of BDF.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from jaxscope.errors import ReadError, one_line
from jaxscope.readers.base import describe_content, with_article

#: Size of the fixed part, and of the part that each signal adds.
BLOCK_BYTES = 256
#: Widths of the fields of each signal, in the order in which the header stores them, each for all signals in turn.
_SIGNAL_FIELDS = (
    ("label", 16),
    ("transducer", 80),
    ("unit", 8),
    ("physical_min", 8),
    ("physical_max", 8),
    ("digital_min", 8),
    ("digital_max", 8),
    ("prefilter", 80),
    ("samples", 8),
    ("reserved", 32),
)
#: The fields that calibrate a signal, and what they are called in sentences.
_LIMITS = (
    ("physical_min", "physical minimum"),
    ("physical_max", "physical maximum"),
    ("digital_min", "digital minimum"),
    ("digital_max", "digital maximum"),
)
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_TRIPLE = re.compile(r"(\d{1,2})\s*[^\d\s]\s*(\d{1,2})\s*[^\d\s]\s*(\d{1,2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How stored integers become physical values: ``(digital - origin) * gain + offset``.

    A negative gain is legal: it is how some devices tell an inverted polarity.
    """

    origin: float
    gain: float
    offset: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalHeader:
    """What the header says of one signal.

    ``calibration`` is None where digital values cannot be turned into physical ones; ``uncalibrated_because`` then
    says why.
    """

    label: str
    transducer: str
    unit: str
    samples_per_record: int
    calibration: Calibration | None
    uncalibrated_because: str

    @property
    def is_annotations(self) -> bool:
        """Whether the signal holds annotations and not samples."""
        return self.label in ("EDF Annotations", "BDF Annotations")


@dataclass(frozen=True, slots=True, kw_only=True)
class EdfHeader:
    """What the header of a file says.

    ``n_records`` is -1 where the header does not tell it. ``record_s`` is 0 where the duration of a record is not
    known. ``start`` is the start in whole seconds, None where it is no date.
    """

    sample_bytes: int
    variant: str
    start: datetime | None
    n_records: int
    record_s: float
    signals: tuple[SignalHeader, ...]
    problems: tuple[str, ...]

    @property
    def format(self) -> str:
        """The name of the format with its variant, such as ``"EDF+D"``."""
        return ("EDF" if self.sample_bytes == 2 else "BDF") + self.variant

    @property
    def is_discontinuous(self) -> bool:
        """Whether the file says that it has gaps."""
        return self.variant == "+D"

    @property
    def header_bytes(self) -> int:
        """Where the data records begin."""
        return BLOCK_BYTES * (1 + len(self.signals))

    @property
    def record_bytes(self) -> int:
        """Size of one data record."""
        return self.sample_bytes * sum(signal.samples_per_record for signal in self.signals)


def sniff_edf(head: bytes) -> bool:
    """Say whether these first bytes begin an EDF file."""
    return len(head) >= BLOCK_BYTES and head[:8].strip(b" \0") == b"0" and _has_signals(head)


def sniff_bdf(head: bytes) -> bool:
    """Say whether these first bytes begin a BDF file."""
    return head[:8] == b"\xffBIOSEMI"


def _has_signals(head: bytes) -> bool:
    # "0       " may also begin a table of numbers; only a header has no line breaks, and its size where it should be.
    size, n_signals = head[184:192].strip(b" \0"), head[252:256].strip(b" \0")
    return b"\n" not in head[:BLOCK_BYTES] and n_signals.isdigit() and size.isdigit() and int(size) % BLOCK_BYTES == 0


def parse_header(path: Path, title: str) -> EdfHeader:
    """Read the header of a file.

    Parameters
    ----------
    path : Path
    title : str
        ``"EDF"`` or ``"BDF"``: what the file should be.

    Raises
    ------
    ReadError
        If the file is something else or its header is cut off or has no meaning.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        fixed = file.read(BLOCK_BYTES)
        if not (sniff_bdf(fixed) if title == "BDF" else fixed[:8].strip(b" \0") == b"0"):
            raise ReadError(f"{path.name} is not {with_article(title)} file", hint=describe_content(fixed))
        n_signals = _whole(_text(fixed[252:256]))
        if len(fixed) < BLOCK_BYTES or n_signals is None or n_signals < 1:
            raise ReadError(f"The header of {path.name} is cut off or damaged", hint="copy the file again")
        # The number of signals may be anything: it is held against the size of the file before memory is taken.
        if BLOCK_BYTES * (1 + n_signals) > size:
            raise ReadError(
                f"{path.name} stops inside its header, which tells of {n_signals} signals", hint="copy the file again"
            )
        rest = file.read(BLOCK_BYTES * n_signals)
    problems: list[str] = []
    signals = _parse_signals(path.name, rest, n_signals, problems)
    return _parse_fixed(path.name, fixed, title, signals, problems)


def _parse_fixed(
    name: str, fixed: bytes, title: str, signals: tuple[SignalHeader, ...], problems: list[str]
) -> EdfHeader:
    reserved = _text(fixed[192:236])
    variant = reserved[3:5] if reserved[:5] in ("EDF+C", "EDF+D", "BDF+C", "BDF+D") else ""
    told_bytes = _text(fixed[184:192])
    if _whole(told_bytes) != BLOCK_BYTES * (1 + len(signals)):
        problems.append(
            f"The header says that it is {told_bytes or 'nothing'} bytes long; "
            f"{BLOCK_BYTES * (1 + len(signals))} bytes were read, as its {len(signals)} signals take"
        )
    n_records = _whole(_text(fixed[236:244]))
    if n_records is None or n_records < -1:
        problems.append(f'The number of data records is "{_text(fixed[236:244])}" in the header')
        n_records = -1
    record_s = _number(_text(fixed[244:252]), f"{name}: record duration", problems)
    if record_s is None or record_s < 0:
        problems.append(f'The record duration is "{_text(fixed[244:252])}" in the header, which is no duration')
    return EdfHeader(
        sample_bytes=3 if title == "BDF" else 2,
        variant=variant,
        start=_parse_start(fixed, problems),
        n_records=n_records,
        record_s=record_s if record_s is not None and record_s > 0 else 0.0,
        signals=signals,
        problems=tuple(problems),
    )


def _parse_signals(name: str, rest: bytes, n_signals: int, problems: list[str]) -> tuple[SignalHeader, ...]:
    columns: dict[str, list[str]] = {}
    offset = 0
    for field, width in _SIGNAL_FIELDS:
        columns[field] = [_text(rest[offset + i * width : offset + (i + 1) * width]) for i in range(n_signals)]
        offset += n_signals * width
    signals = []
    for index in range(n_signals):
        label = columns["label"][index] or f"Signal {index + 1}"
        samples = _whole(columns["samples"][index])
        if samples is None or samples < 0:
            raise ReadError(
                f'{name} has "{columns["samples"][index]}" as the samples per record of signal "{label}"',
                hint="the header is damaged: copy the file again",
            )
        limits = [_number(columns[field][index], f'{words} of "{label}"', problems) for field, words in _LIMITS]
        calibration, because = _calibrate(*limits)
        signals.append(
            SignalHeader(
                label=label,
                transducer=columns["transducer"][index],
                unit=columns["unit"][index],
                samples_per_record=samples,
                calibration=calibration,
                uncalibrated_because=because,
            )
        )
    return tuple(signals)


def _calibrate(
    physical_min: float | None, physical_max: float | None, digital_min: float | None, digital_max: float | None
) -> tuple[Calibration | None, str]:
    if physical_min is None or physical_max is None or digital_min is None or digital_max is None:
        return None, "one of its limits in the header is not a number"
    if digital_min == digital_max:
        return None, f"its digital minimum and maximum are both {digital_min:g}"
    if physical_min == physical_max:
        return None, f"its physical minimum and maximum are both {physical_min:g}"
    gain = (physical_max - physical_min) / (digital_max - digital_min)
    if not math.isfinite(gain) or gain == 0:
        return None, f"no float can hold its range of {physical_min:g} to {physical_max:g}"
    return Calibration(origin=digital_min, gain=gain, offset=physical_min), ""


def _parse_start(fixed: bytes, problems: list[str]) -> datetime | None:
    day_text, time_text, recording = _text(fixed[168:176]), _text(fixed[176:184]), _text(fixed[88:168])
    day, time = _TRIPLE.fullmatch(day_text), _TRIPLE.fullmatch(time_text)
    start = _datetime_of(day, time, recording) if day is not None and time is not None else None
    if start is None:
        problems.append(f'The start is not known: the header has "{day_text}" as date and "{time_text}" as time')
        return None
    if {*day_text, *time_text} - {*"0123456789. "}:
        problems.append(f'Date and time are written "{day_text}" and "{time_text}"; read as {start.isoformat(" ")}')
    if recording.startswith("Startdate X"):
        problems.append("The date is marked as not known: only the time of day of the start counts")
    return start


def _datetime_of(day: re.Match[str], time: re.Match[str], recording: str) -> datetime | None:
    number, month, short_year = int(day[1]), int(day[2]), int(day[3])
    # The field has two digits of the year; 85 stands for 1985. EDF+ repeats the date with four.
    year = short_year + (1900 if short_year >= 85 else 2000)
    long = re.match(r"Startdate (\d{1,2})-([A-Z]{3})-(\d\d)(\d\d)\b", recording)
    if (
        long is not None
        and long[2] in _MONTHS
        and (int(long[1]), _MONTHS.index(long[2]) + 1, int(long[4])) == (number, month, short_year)
    ):
        year = int(long[3] + long[4])
    try:
        return datetime(year, month, number, int(time[1]), int(time[2]), int(time[3]))
    except ValueError:
        return None


def _text(field: bytes) -> str:
    """Decode a field: ASCII by the book, UTF-8 or Latin-1 in the wild."""
    clean = field.split(b"\0", 1)[0]
    try:
        text = clean.decode("utf-8")
    except UnicodeDecodeError:
        text = clean.decode("latin-1")
    return one_line(text).strip()


def _whole(text: str) -> int | None:
    value = _number(text, "", None)
    return int(value) if value is not None and value == int(value) else None


def _number(text: str, what: str, problems: list[str] | None) -> float | None:
    """Return the finite number that a field holds, or None; a decimal comma is read, and told."""
    try:
        value = float(text)
    except ValueError:
        try:
            value = float(text.replace(",", "."))
        except ValueError:
            return None
        if problems is not None:
            problems.append(f'The {what} is written "{text}", with a decimal comma; read as {value:g}')
    return value if math.isfinite(value) else None
