"""Seismic formats beside miniSEED and SAC (GSE, SEG-Y, SEG-2, GCF, AH and others), read whole through ObsPy.

ObsPy is heavy and is brought in when such a file is opened. It is always told the format: left to find out by itself
it would also unpack pickles, which can run code. It reads whole files, so large ones are refused with advice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Gap
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.labels import unique_names
from jaxscope.data.recording import Channel, Recording, RecordingInfo
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat
from jaxscope.readers.foreign import foreign, need
from jaxscope.readers.timing import Run, gaps_of, place_channels, told_gaps

#: Suffix to the names that ObsPy gives its formats; the first that reads the file is taken.
_FORMATS = {
    ".gse": ("GSE2", "GSE1"),
    ".gse1": ("GSE1",),
    ".gse2": ("GSE2",),
    ".sgy": ("SEGY",),
    ".segy": ("SEGY",),
    ".su": ("SU",),
    ".sg2": ("SEG2",),
    ".seg2": ("SEG2",),
    ".gcf": ("GCF",),
    ".ah": ("AH",),
    ".evt": ("KINEMETRICS_EVT",),
    ".slist": ("SLIST",),
    ".tspair": ("TSPAIR",),
}
_MOST_BYTES = 2 << 30
_SAME_TIME_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trace:
    """Traces that become one channel: in order of time, none overlapping."""

    name: str
    rate_hz: float
    parts: list[Any]


def open_with_obspy(path: Path, options: OpenOptions) -> Recording:
    """Open a file of one of the seismic formats of ObsPy.

    Raises
    ------
    ReadError
        If it is damaged, too large to be read whole, or ObsPy is not installed.
    """
    with path.open("rb") as opened:
        head = opened.read(8)
    names = _FORMATS[".gse"] if sniff_obspy(head) else _FORMATS.get(path.suffix.lower())
    if names is None:
        raise ReadError(f"{path.name} has a suffix that tells no format", hint="give it its own suffix, such as .gse2")
    if path.stat().st_size > _MOST_BYTES:
        raise ReadError(f"{path.name} is too large to be read whole", hint="convert it to miniSEED with ObsPy")
    obspy = need("obspy", "seismic", f"{names[0]} files")
    warnings: list[str] = []
    stream = _read(obspy, path, names, warnings)
    traces = _sorted_out(stream, warnings)
    if not traces:
        raise ReadError(f"{path.name} holds no samples", hint="choose another file")
    if options.rate_hz is not None:
        warnings.append(f"The file tells its own sampling rates; {options.rate_hz:g} Hz, as given, is not used")
    return _recording(traces, str(stream[0].stats.get("_format", names[0])), warnings)


def _read(obspy: Any, path: Path, names: Sequence[str], warnings: list[str]) -> Any:
    """Read with the first format that fits. The library gets an open file, because it leaves some of its own open."""
    for name in names:
        told: list[str] = []
        try:
            with path.open("rb") as file, foreign(path.name, told):
                stream = obspy.read(file, format=name, check_compression=False)
        except ReadError:
            if name == names[-1]:
                raise
        else:
            warnings += told
            return stream
    raise AssertionError("no format was named")


def _sorted_out(stream: Any, warnings: list[str]) -> list[_Trace]:
    """Return channels: traces of one name and rate in order of time; what overlaps becomes one of its own."""
    found: dict[tuple[str, float], list[_Trace]] = {}
    for number, trace in enumerate(stream):
        rate_hz = float(trace.stats.sampling_rate)
        if not len(trace.data) or trace.data.dtype.kind not in "iuf" or not rate_hz > 0:
            warnings.append(f"Trace {number + 1} holds no samples at a rate and is left out")
            continue
        name = trace.id if trace.id.strip(".") else f"trace {number + 1}"
        found.setdefault((name, rate_hz), []).append(_Trace(name=name, rate_hz=rate_hz, parts=[trace]))
    result = []
    for (name, rate_hz), singles in found.items():
        layers: list[_Trace] = []
        for single in sorted(singles, key=lambda item: item.parts[0].stats.starttime):
            begin = single.parts[0].stats.starttime
            fitting = [one for one in layers if begin - one.parts[-1].stats.endtime > _SAME_TIME_S / rate_hz]
            if fitting:
                fitting[0].parts.extend(single.parts)
            else:
                layers.append(single)
        if len(layers) > 1:
            warnings.append(f"Traces of {name} overlap in time and are shown as {len(layers)} channels")
        result += layers
    return result


def _recording(traces: Sequence[_Trace], title: str, warnings: list[str]) -> Recording:
    origin = min(trace.parts[0].stats.starttime for trace in traces)
    names = unique_names(trace.name for trace in traces)
    channels: list[Channel] = []
    gaps: list[tuple[Gap, ...]] = []
    arrays: list[npt.NDArray[Any]] = []
    for name, trace in zip(names, traces, strict=True):
        data = [np.ma.filled(part.data.astype(np.float64), np.nan) for part in trace.parts]
        arrays.append(data[0] if len(data) == 1 else np.concatenate(data))
        runs = [Run(start_s=float(part.stats.starttime - origin), n_samples=len(part.data)) for part in trace.parts]
        gaps.append(_without_slips(runs, trace.rate_hz))
        channels.append(Channel(name=name, kind="seismic", rate_hz=trace.rate_hz, n_samples=len(arrays[-1])))
    placed, shared, duration_s = place_channels(channels, gaps)
    warnings += told_gaps(names, gaps, shared)
    info = RecordingInfo(
        format=title,
        # The zero of the library's clock is its way to say that there is no time.
        start=datetime.fromtimestamp(0, UTC) + (origin.datetime - datetime(1970, 1, 1)) if origin.timestamp else None,
        duration_s=duration_s,
        channels=placed,
        gaps=shared,
        warnings=tuple(warnings),
    )
    return ArrayRecording(info, arrays)


def _without_slips(runs: Sequence[Run], rate_hz: float) -> tuple[Gap, ...]:
    """Return gaps; a trace that begins within half a sample of the end of the one before continues it."""
    joined: list[Run] = []
    for run in runs:
        last = joined[-1] if joined else None
        if last is not None and run.start_s - last.start_s - last.n_samples / rate_hz <= _SAME_TIME_S / rate_hz:
            joined[-1] = Run(start_s=last.start_s, n_samples=last.n_samples + run.n_samples)
        else:
            joined.append(run)
    return gaps_of(joined, rate_hz)


def sniff_obspy(head: bytes) -> bool:
    """Say whether these bytes can only be a GSE file, the one of these formats that shows itself."""
    return head.startswith((b"WID1 ", b"WID2 "))


FORMAT = ReaderFormat(name="obspy", title="GSE", suffixes=tuple(_FORMATS), sniff=sniff_obspy, open=open_with_obspy)
