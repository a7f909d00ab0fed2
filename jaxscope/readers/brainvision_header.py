r"""The header (.vhdr) and marker (.vmrk) files of BrainVision: what they say about the samples that lie beside them.

Both look like INI files, in versions 1 and 2, in UTF-8 or in the code page of an old Windows, with commas inside names
written as ``\1``. What a header leaves out has a meaning of its own (no unit means microvolts, no resolution means 1)
and each thing assumed is a sentence in ``problems``. Only what leaves the samples without meaning is an error.

Source: BrainVision Core Data Format 1.0 and the comments that Vision Recorder writes into its headers.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from jaxscope.data.labels import plain_unit
from jaxscope.errors import ReadError
from jaxscope.readers.base import describe_content

#: Names of number formats to NumPy types without their byte order.
_BINARY_TYPES = {
    "INT_16": "i2",
    "UINT_16": "u2",
    "INT_32": "i4",
    "IEEE_FLOAT_32": "f4",
    "IEEE_FLOAT_64": "f8",
}
#: Headers are small; what is larger is some other file.
_HEADER_LIMIT = 64 << 20
_FIRST_LINE = re.compile(r"(?:brain ?)?vision.*(header|marker) file", re.IGNORECASE)
_CHANNEL_KEY = re.compile(r"ch(\d+)", re.IGNORECASE)
_MARKER = re.compile(r"mk\d+\s*=(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelHeader:
    """What the header says of one channel. ``resolution`` turns stored numbers into ``unit``."""

    name: str
    unit: str
    resolution: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLayout:
    """How samples that are written as text lie in their file."""

    decimal: str
    skip_lines: int
    skip_columns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BrainVisionHeader:
    """What a header file says.

    ``dtype`` is None where samples are written as text, and ``text`` then tells how. ``n_samples`` is None where the
    header does not tell it.
    """

    path: Path
    data_path: Path
    marker_path: Path | None
    is_vectorised: bool
    rate_hz: float
    n_samples: int | None
    channels: tuple[ChannelHeader, ...]
    dtype: np.dtype[np.generic] | None
    text: TextLayout
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One marker. ``position`` counts samples from 0, ``channel`` channels from 1, with 0 for all.

    ``date`` is set on segments that tell when they began.
    """

    kind: str
    text: str
    position: int
    n_samples: int
    channel: int
    date: datetime | None


def sniff_header(head: bytes) -> bool:
    """Say whether these first bytes begin a header file."""
    first = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("latin-1")
    match = _FIRST_LINE.search(first)
    return match is not None and match[1].lower() == "header"


def parse_header(path: Path) -> BrainVisionHeader:
    """Read a header file.

    Raises
    ------
    ReadError
        If it is something else, or does not tell what is needed to read samples.
    """
    with path.open("rb") as file:
        raw = file.read(min(_HEADER_LIMIT, path.stat().st_size))
    if not sniff_header(raw[:4096]) or len(raw) < path.stat().st_size:
        raise ReadError(f"{path.name} is not a BrainVision header", hint=describe_content(raw))
    problems: list[str] = []
    sections = _sections(_decode(raw))
    common = sections.get("common infos", {})
    if not _names_file(common.get("datafile", "")):
        raise ReadError(f"{path.name} does not name its data file", hint="the header is damaged: copy it again")
    if (kind := common.get("datatype", "TIMEDOMAIN").upper()) != "TIMEDOMAIN":
        raise ReadError(f"{path.name} holds data of type {kind}", hint="export the recording in the time domain")
    interval_us = _number(common.get("samplinginterval", ""))
    if interval_us is None or interval_us <= 0 or not math.isfinite(1e6 / interval_us):
        raise ReadError(
            f'{path.name} has "{common.get("samplinginterval", "")}" as sampling interval',
            hint="write the microseconds between two samples after SamplingInterval=",
        )
    channels = _channels(path.name, common, sections.get("channel infos", {}), problems)
    dtype, text = _number_format(path.name, common, sections)
    points = _number(common.get("datapoints", ""))
    return BrainVisionHeader(
        path=path,
        data_path=_beside(path, common["datafile"]),
        marker_path=_beside(path, common["markerfile"]) if _names_file(common.get("markerfile", "")) else None,
        is_vectorised=_orientation(path.name, common) == "VECTORIZED",
        rate_hz=1e6 / interval_us,
        n_samples=int(points) if points is not None and points > 0 else None,
        channels=channels,
        dtype=dtype,
        text=text,
        problems=tuple(problems),
    )


def _decode(raw: bytes) -> str:
    """Decode a header: UTF-8, or else the code page of a western Windows, whatever the file says."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def _sections(text: str) -> dict[str, dict[str, str]]:
    """Return the keys of each section, lower case. Comments, and the free text of the comment section, are left out."""
    sections: dict[str, dict[str, str]] = {}
    keys: dict[str, str] = {}
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("[") and stripped.endswith("]"):
            if stripped.lower() == "[comment]":
                break
            keys = sections.setdefault(stripped[1:-1].strip().lower(), {})
        elif stripped and not stripped.startswith(";") and "=" in stripped:
            key, _, value = stripped.partition("=")
            keys.setdefault(key.strip().lower(), value.strip())
    return sections


def _names_file(told: str) -> bool:
    return Path(told.replace("\\", "/")).name not in ("", "..")


def _beside(path: Path, name: str) -> Path:
    """Return the file that a header names: beside the header, whatever folder it was written in."""
    stem = name.replace("$b", path.stem).replace("\\", "/")
    relative = Path(stem)
    return path.parent / (relative.name if relative.is_absolute() or ":" in relative.parts[0] else relative)


def _orientation(name: str, common: dict[str, str]) -> str:
    orientation = common.get("dataorientation", "MULTIPLEXED").upper()
    if orientation not in ("MULTIPLEXED", "VECTORIZED"):
        raise ReadError(f'{name} has "{orientation}" as data orientation', hint="it must be MULTIPLEXED or VECTORIZED")
    return orientation


def _number_format(
    name: str, common: dict[str, str], sections: dict[str, dict[str, str]]
) -> tuple[np.dtype[np.generic] | None, TextLayout]:
    form = common.get("dataformat", "BINARY").upper()
    ascii_infos = sections.get("ascii infos", {})
    layout = TextLayout(
        decimal=ascii_infos.get("decimalsymbol", "."),
        skip_lines=max(0, int(_number(ascii_infos.get("skiplines", "")) or 0)),
        skip_columns=max(0, int(_number(ascii_infos.get("skipcolumns", "")) or 0)),
    )
    if form == "ASCII":
        return None, layout
    binary = sections.get("binary infos", {})
    number = binary.get("binaryformat", "INT_16").upper()
    if form != "BINARY" or number not in _BINARY_TYPES:
        raise ReadError(
            f"{name} stores samples as {form} {number}",
            hint=f"jaxscope reads ASCII and {', '.join(_BINARY_TYPES)}: export it as one of these",
        )
    is_big = binary.get("usebigendianorder", "NO").upper() == "YES"
    return np.dtype((">" if is_big else "<") + _BINARY_TYPES[number]), layout


def _channels(
    name: str, common: dict[str, str], entries: dict[str, str], problems: list[str]
) -> tuple[ChannelHeader, ...]:
    told = _number(common.get("numberofchannels", ""))
    found: dict[int, list[str]] = {}
    for key, value in entries.items():
        match = _CHANNEL_KEY.fullmatch(key)
        if match is not None and len(match[1]) < 9:
            found[int(match[1])] = [part.replace("\\1", ",").strip() for part in value.split(",")]
    n_channels = int(told) if told is not None and told > 0 else len(found)
    if n_channels < 1:
        raise ReadError(f"{name} tells of no channels", hint="the header is damaged: copy it again")
    # The number may be anything: it is held against the entries before memory is taken.
    if n_channels > len(found) or any(number > n_channels or number < 1 for number in found):
        raise ReadError(
            f"{name} promises {n_channels:,.15g} channels and describes {len(found)}",
            hint="the header is damaged: copy it again",
        )
    without_unit: list[str] = []
    channels = []
    for number in sorted(found):
        label, _, resolution, unit = (*found[number], "", "", "", "")[:4]
        label = label or f"Ch{number}"
        step = 1.0 if not resolution else _number(resolution.replace(",", "."))
        if step is None or step == 0:
            problems.append(f'{label} has "{resolution}" as resolution: its stored numbers are shown as they are')
            step, unit = 1.0, "digital"
        elif not unit:
            without_unit.append(label)
        channels.append(ChannelHeader(name=label, unit=plain_unit(unit or "uV"), resolution=step))
    if without_unit:
        listed = ", ".join(without_unit[:4]) + (f" and {len(without_unit) - 4} more" if len(without_unit) > 4 else "")
        problems.append(f"The header gives no unit for {listed}: uV is assumed, as the format says")
    return tuple(channels)


def parse_markers(path: Path) -> tuple[list[Marker], int]:
    """Read a marker file.

    Returns
    -------
    list of Marker
        In file order.
    int
        How many markers could not be read.
    """
    markers: list[Marker] = []
    n_unreadable = 0
    in_markers = False
    for line in _decode(path.read_bytes()).splitlines():
        stripped = line.strip()
        if re.fullmatch(r"\[[^\]=,]*\]", stripped):
            in_markers = stripped.lower() == "[marker infos]"
            continue
        match = _MARKER.fullmatch(stripped) if in_markers else None
        if match is None:
            continue
        parts = [part.replace("\\1", ",").strip() for part in match[1].split(",")]
        kind, text, position, length, channel, date = (*parts, "", "", "", "", "", "")[:6]
        place = _number(position)
        if place is None or abs(place) > 2**62:
            n_unreadable += 1
            continue
        size = _number(length)
        markers.append(
            Marker(
                kind=kind,
                text=text,
                position=int(place) - 1,
                n_samples=int(size) if size is not None and 0 <= size < 2**62 else 0,
                channel=int(number) if (number := _number(channel)) is not None and 0 < number < 2**31 else 0,
                date=parse_date(date) if kind.lower() == "new segment" else None,
            )
        )
    return markers, n_unreadable


def parse_date(text: str) -> datetime | None:
    """Return the date that is written as ``YYYYMMDDhhmmssuuuuuu``, or None where it is no date."""
    if not re.fullmatch(r"\d{14,20}", text):
        return None
    try:
        whole = datetime.strptime(text[:14], "%Y%m%d%H%M%S")
    except ValueError:
        return None
    return whole.replace(microsecond=int(text[14:].ljust(6, "0")))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
