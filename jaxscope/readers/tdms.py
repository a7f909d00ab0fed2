"""TDMS, the files of LabVIEW: groups of channels, each with its own rate, unit and scale, read lazily.

npTDMS finds where the samples lie and applies the scales; it is brought in when a TDMS file is opened. Channels that
hold text or times are no signals and are left out by name. A start of 1904 is the format's way to say that there is
none.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from jaxscope.data.annotations import Gap
from jaxscope.data.kinds import signal_kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.recording import Channel, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.foreign import foreign, need
from jaxscope.readers.grids import is_wide
from jaxscope.readers.sources import Place, SourcedRecording, with_rounding_told
from jaxscope.readers.timing import Run, gaps_of, place_channels, told_gaps

_TAG = b"TDSm"
_INDEX_TAG = b"TDSh"
#: The tag, flags and version, and where the next segment and the samples begin.
_LEAD_BYTES = 28
#: A channel goes through a few scales; the library would try as many as the file claims.
_MOST_SCALES = 1000
#: So many names are listed in a sentence.
_MOST_NAMES = 6
NO_RATE = "The file tells no sampling rate: give one to filter it"


class _ChannelSource:
    """The samples of one channel. The library keeps one place in the file, so readings take turns."""

    def __init__(self, channel: Any, name: str, lock: Lock) -> None:
        self._channel, self._name, self._lock = channel, name, lock

    def read(self, span: Span, rows: Sequence[int]) -> FloatArray:
        with self._lock, foreign(self._name):
            values = np.asarray(self._channel.read_data(span.start, len(span)), dtype=np.float64)
            if len(values) != len(span):
                raise ReadError(f"{self._name} ends too early", hint="copy the file again")
        return np.broadcast_to(values, (len(rows), len(values)))

    def is_wide(self, _row: int) -> bool:
        """Say what ``sources.MayBeWide`` does."""
        return is_wide(np.dtype(self._channel.dtype))


def open_tdms(path: Path, options: OpenOptions) -> Recording:
    """Open a TDMS file.

    Raises
    ------
    ReadError
        If it is none, is damaged, or npTDMS is not installed.
    """
    with path.open("rb") as opened:
        head = opened.read(_LEAD_BYTES)
    if head[:4] == _INDEX_TAG:
        raise ReadError(f"{path.name} is an index without samples", hint="open the .tdms file beside it")
    if head[:4] != _TAG or len(head) < _LEAD_BYTES:
        raise ReadError(f"{path.name} is not a TDMS file", hint="choose another file, or correct its suffix")
    nptdms = need("nptdms", "formats", "TDMS files", file=path.name)
    # The library writes to the terminal where a name is no UTF-8; such a name is told below.
    need("nptdms.log", "formats", "TDMS files", file=path.name).log_manager.set_level(logging.ERROR)
    warnings: list[str] = []
    # The library gets an open file: of a path it leaves the file open where it fails, and believes an index beside it.
    file = path.open("rb")
    try:
        with foreign(path.name, warnings):
            opened_file = nptdms.TdmsFile.open(file)
            found = _signals(opened_file, path, warnings)
            info = _describe(found, options, warnings)
    except BaseException:
        file.close()
        raise
    lock = Lock()
    places = [Place(source=_ChannelSource(channel, path.name, lock), row=0) for _, channel in found]
    return SourcedRecording(with_rounding_told(info, places), places, file.close)


def _signals(file: Any, path: Path, warnings: list[str]) -> list[tuple[str, Any]]:
    """Return name and channel of all that hold numbers."""
    pairs = [(group.name, channel) for group in file.groups() for channel in group.channels()]
    for properties in (file.properties, *(g.properties for g in file.groups()), *(c.properties for _, c in pairs)):
        n_scales = properties.get("NI_Number_Of_Scales", 0)
        if not isinstance(n_scales, (int, np.integer)) or not 0 <= n_scales <= _MOST_SCALES:
            raise ReadError(f"{path.name} tells of {n_scales} scales, which makes no sense", hint="copy the file again")
    left_out: dict[str, list[str]] = {}
    kept = []
    for group, channel in pairs:
        dtype = channel.dtype
        if dtype is None or not len(channel):
            left_out.setdefault("has no samples", []).append(channel.name)
        elif dtype.kind not in "iufb":
            left_out.setdefault("holds times" if dtype.kind == "M" else "holds no real numbers", []).append(
                channel.name
            )
        else:
            kept.append((group, channel))
    if any("\ufffd" in channel.name for _, channel in pairs):
        warnings.append("Names of channels hold bytes that are no UTF-8; they are shown as \ufffd")
    for why, names in left_out.items():
        listed = ", ".join(names[:_MOST_NAMES]) + (
            f" and {len(names) - _MOST_NAMES:,} more" * (len(names) > _MOST_NAMES)
        )
        warnings.append(f"{listed} {why} and is left out")
    if sum(len(channel) for _, channel in kept) > path.stat().st_size:
        raise ReadError(f"{path.name} promises more samples than it has bytes", hint="copy the file again")
    names = [channel.name for _, channel in kept]
    return [
        (channel.name if names.count(channel.name) == 1 else f"{group}/{channel.name}", channel)
        for group, channel in kept
    ]


def _rate(channel: Any) -> float | None:
    step = channel.properties.get("wf_increment")
    if not isinstance(step, (int, float)) or not step > 0 or not math.isfinite(1.0 / step):
        return None
    # The step is often computed, and a few units in its last place are no other rate.
    rate_hz = 1.0 / step
    return float(round(rate_hz)) if abs(round(rate_hz) - rate_hz) < 1e-9 * rate_hz else rate_hz


def _start(channel: Any) -> datetime | None:
    told = channel.properties.get("wf_start_time")
    if not isinstance(told, np.datetime64) or np.isnat(told):
        return None
    microseconds = int(told.astype("datetime64[us]").astype(np.int64))
    offset = channel.properties.get("wf_start_offset", 0.0)
    offset = offset if isinstance(offset, (int, float)) and abs(offset) < 1e9 else 0.0
    try:
        start = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
        return None if start.year <= 1904 else start + timedelta(seconds=offset)
    except OverflowError:
        return None


def _describe(found: Sequence[tuple[str, Any]], options: OpenOptions, warnings: list[str]) -> RecordingInfo:
    starts = [_start(channel) for _, channel in found]
    known = [start for start in starts if start is not None]
    origin = min(known, default=None)
    names = unique_names(name for name, _ in found)
    channels: list[Channel] = []
    gaps: list[tuple[Gap, ...]] = []
    for name, (_, channel), start in zip(names, found, starts, strict=True):
        rate_hz = _rate(channel)
        rate_hz = options.rate_hz if rate_hz is None else rate_hz
        unit = channel.properties.get("unit_string") or channel.properties.get("NI_UnitDescription") or ""
        channels.append(
            Channel(
                name=name,
                unit=plain_unit(str(unit)),
                kind=signal_kind_of(name, str(unit)),
                rate_hz=rate_hz,
                n_samples=len(channel),
            )
        )
        late_s = 0.0 if origin is None or start is None else (start - origin).total_seconds()
        gaps.append(gaps_of([Run(start_s=late_s, n_samples=len(channel))], rate_hz) if rate_hz else ())
    warnings += own_rate_words((rate for _, channel in found if (rate := _rate(channel)) is not None), options)
    if any(channel.rate_hz is None for channel in channels):
        warnings.append(NO_RATE)
    placed, shared, duration_s = place_channels(channels, gaps)
    warnings += told_gaps(names, gaps, shared)
    return RecordingInfo(
        format="TDMS",
        start=origin,
        duration_s=duration_s if channels else 0.0,
        channels=placed,
        gaps=shared,
        warnings=tuple(warnings),
    )


def sniff_tdms(head: bytes) -> bool:
    """Say whether these bytes can only be a TDMS file."""
    return head.startswith(_TAG)


FORMAT = ReaderFormat(name="tdms", title="TDMS", suffixes=(".tdms",), sniff=sniff_tdms, open=open_tdms)
