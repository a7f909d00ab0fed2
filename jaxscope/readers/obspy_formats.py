"""Seismic formats beside miniSEED and SAC (SEG-Y, SEG-2, SU, AH, Kinemetrics), read whole through ObsPy.

ObsPy is heavy and is brought in when such a file is opened. It is always told the format: left to find out by itself
it would also unpack pickles, which can run code. Of its formats only those are here that it reads in Python: its
decoders in C (GSE, GCF, lists of text) end the process on damaged bytes. It reads whole files, so large ones are
refused with advice.
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
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.foreign import foreign, need
from jaxscope.readers.timing import Run, gaps_of, place_channels, told_gaps

#: Suffix to the name that ObsPy gives the format, and what it is told besides.
_FORMATS: dict[str, tuple[str, dict[str, Any]]] = {
    ".sgy": ("SEGY", {"unpack_trace_headers": False}),
    ".segy": ("SEGY", {"unpack_trace_headers": False}),
    ".su": ("SU", {}),
    ".sg2": ("SEG2", {}),
    ".seg2": ("SEG2", {}),
    ".ah": ("AH", {}),
    ".evt": ("KINEMETRICS_EVT", {}),
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
    if path.suffix.lower() not in _FORMATS:
        raise ReadError(f"{path.name} has a suffix that tells no format", hint="give it its own suffix, such as .sgy")
    name, told = _FORMATS[path.suffix.lower()]
    if path.stat().st_size > _MOST_BYTES:
        raise ReadError(f"{path.name} is too large to be read whole", hint="convert it to miniSEED with ObsPy")
    obspy = need("obspy", "seismic", f"{name} files", file=path.name)
    warnings: list[str] = []
    # The library gets an open file, because it leaves some of its own open.
    with path.open("rb") as file, foreign(path.name, warnings):
        stream = obspy.read(file, format=name, check_compression=False, **told)
    traces = _sorted_out(stream, warnings)
    if not traces:
        raise ReadError(f"{path.name} holds no samples", hint="choose another file")
    warnings += own_rate_words((trace.rate_hz for trace in traces), options)
    return _recording(traces, str(stream[0].stats.get("_format", name)), warnings)


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
    """Say no: without its suffix, none of these formats is opened."""
    return False


FORMAT = ReaderFormat(name="obspy", title="SEG-Y", suffixes=tuple(_FORMATS), sniff=sniff_obspy, open=open_with_obspy)
