"""FIF of MEG laboratories, CNT of Neuroscan and ANT, and other EEG and MEG formats that MNE-Python reads, lazily.

MNE is heavy and is brought in when such a file is opened. Its values are in SI units (volts, teslas) and are shown so.
Time that was not recorded comes as zeros from it; here such samples are missing, as they are.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from jaxscope.data.annotations import Annotation
from jaxscope.data.kinds import kind_of
from jaxscope.data.labels import unique_names
from jaxscope.data.recording import CODE_KINDS, Channel, ChannelKind, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, files_told, own_rate_words
from jaxscope.readers.foreign import foreign, need
from jaxscope.readers.neuroscan import BITS, how_stored
from jaxscope.readers.sources import Place, SourcedRecording
from jaxscope.readers.timing import plain_rate

#: Suffix to the name of the format and that of the function of ``mne.io``.
_FUNCTIONS = {
    ".fif": ("FIF", "read_raw_fif"),
    ".cnt": ("CNT", "read_raw_cnt"),
    ".nedf": ("NEDF", "read_raw_nedf"),
    ".lay": ("Persyst", "read_raw_persyst"),
    ".snirf": ("SNIRF", "read_raw_snirf"),
    ".sqd": ("KIT", "read_raw_kit"),
    ".con": ("KIT", "read_raw_kit"),
    ".cdt": ("Curry", "read_raw_curry"),
    ".nxe": ("eXimia", "read_raw_eximia"),
    ".eeg": ("Nihon Kohden", "read_raw_nihon"),
}
_ANT = ("ANT CNT", "read_raw_ant")
#: What MNE itself needs for some formats, by their title.
_HELPERS = {"ANT CNT": "antio", "NEDF": "defusedxml", "Curry": "curryreader"}
_KINDS: dict[str, ChannelKind] = {
    "eeg": "eeg",
    "seeg": "eeg",
    "ecog": "eeg",
    "dbs": "eeg",
    "eog": "eog",
    "ecg": "ecg",
    "emg": "emg",
    "resp": "resp",
    "stim": "trigger",
}
#: Units by their number in the FIFF standard.
_UNITS = {1: "m", 101: "Hz", 105: "C", 106: "Pa", 107: "V", 109: "Ohm", 112: "T", 114: "degC", 201: "T/m", 202: "Am"}
_HEAD_BYTES = 16
_SKIP = "BAD_ACQ_SKIP"
#: Every FIF file begins with its own number: tag 100, type 31, of 20 bytes.
_FIF_HEAD = bytes([0, 0, 0, 100, 0, 0, 0, 31, 0, 0, 0, 20])
#: How files of Nihon Kohden begin.
_NIHON_HEADS = (b"EEG-1100", b"EEG-1200", b"EEG-2100", b"QI-403A ", b"DAE-2100")
#: Head of a tag: kind, type, size, and where the next one is (0: behind it; less: there is none).
_TAG = struct.Struct(">iiii")
#: What the library says where there are annotations or events alone, and of names of files, which is no news.
_NO_SAMPLES = ("Could not find measurement data", "No raw data")
_NO_NEWS = ("does not conform to MNE naming conventions", "birthdate", "not referenced to the same electrode")
#: What ANT writes where a recording was stopped or impedances were measured.
_STOPS = ("__", "impedance")


class _RawSource:
    """The samples of all channels. The library is not made for threads, so readings take turns."""

    def __init__(self, raw: Any, name: str, skips: Sequence[Span]) -> None:
        self._raw, self._name, self._skips, self._lock = raw, name, tuple(skips), Lock()

    def read(self, span: Span, rows: Sequence[int]) -> FloatArray:
        # The library wants each channel once and in order.
        wanted = sorted(set(rows))
        with self._lock, foreign(self._name):
            block = self._raw.get_data(picks=wanted, start=span.start, stop=span.stop, verbose="ERROR")
        result: FloatArray = np.asarray(block, dtype=np.float64)[[wanted.index(row) for row in rows]]
        if result.shape[1] != len(span):
            raise ReadError(f"{self._name} ends too early", hint="copy the file again")
        for skip in self._skips:
            part = skip.intersect(span)
            result[:, part.start - span.start : part.stop - span.start] = np.nan
        return result


def open_with_mne(path: Path, options: OpenOptions) -> Recording:
    """Open a file of one of the formats of MNE-Python.

    Raises
    ------
    ReadError
        If it is damaged, holds no samples, or MNE is not installed.
    """
    with path.open("rb") as opened:
        head = opened.read(max(len(_FIF_HEAD), _HEAD_BYTES))
    suffix = ".fif" if sniff_fif(head) else path.suffix.lower()
    if suffix == ".fif" and not sniff_fif(head):
        raise ReadError(f"{path.name} is not a FIF file", hint="choose another file, or correct its suffix")
    if suffix == ".fif":
        _check_tags(path)
    title, function = _ANT if _is_ant(head) else _FUNCTIONS[suffix]
    mne = need("mne", "eeg", f"{title} files", file=path.name)
    if title in _HELPERS:
        need(_HELPERS[title], "eeg", f"{title} files", file=path.name)
    warnings: list[str] = []
    extra = _extra(function, path, options, warnings)
    said: list[str] = []
    try:
        with foreign(path.name, said):
            raw = getattr(mne.io, function)(path, preload=False, verbose="WARNING", **extra)
    except ReadError as error:
        if suffix != ".fif" or not any(words in error.message for words in _NO_SAMPLES):
            raise
        notes = _annotations_alone(mne, path)
        if notes is None:
            raise ReadError(
                f"{path.name} is a FIF file without samples", hint="open the recording that it belongs to"
            ) from error
        return SourcedRecording(notes, (), _nothing)
    warnings += [words for words in said if not any(part in words for part in _NO_NEWS)]
    warnings += own_rate_words([float(raw.info["sfreq"])], options)
    with foreign(path.name):
        info, skips = _describe(raw, title, warnings)
    source = _RawSource(raw, path.name, skips)
    return SourcedRecording(
        info, [Place(source=source, row=row) for row in range(len(info.channels))], lambda: raw.close()
    )


def _extra(function: str, path: Path, options: OpenOptions, warnings: list[str]) -> dict[str, Any]:
    """Return what a function is told beside the path."""
    if function == "read_raw_cnt":
        stored = how_stored(path, options.value(BITS.name))
        warnings += stored.warnings
        return {"data_format": f"int{stored.n_bits}", "recompute_n_samples": not stored.is_count_told}
    return {"on_split_missing": "warn", "allow_maxshield": "yes"} if function == "read_raw_fif" else {}


def _check_tags(path: Path) -> None:
    """Refuse a file whose tags lead in a circle or have no size: the library would follow them for ever."""
    size, at = path.stat().st_size, 0
    visited: set[int] = set()
    with path.open("rb") as file:
        while at + _TAG.size <= size:
            file.seek(at)
            _, _, n_bytes, following = _TAG.unpack(file.read(_TAG.size))
            if n_bytes < 0 or at in visited:
                raise ReadError(f"{path.name} is damaged at byte {at:,}", hint="copy the file again")
            visited.add(at)
            if following < 0:
                return
            at = following or at + _TAG.size + n_bytes


def _nothing() -> None:
    """Let go of nothing."""


def _annotations_alone(mne: Any, path: Path) -> RecordingInfo | None:
    """Return a recording of annotations without samples, None where the file is not of that kind."""
    try:
        with foreign(path.name, []):
            notes = mne.read_annotations(path)
    except ReadError:
        return None
    return RecordingInfo(
        format="FIF", start=notes.orig_time, duration_s=0.0, channels=(), annotations=_annotations(notes, 0.0)
    )


def _annotations(notes: Any, first_s: float) -> tuple[Annotation, ...]:
    return tuple(
        Annotation(
            onset_s=round(float(onset) - first_s, 9),
            duration_s=float(duration),
            text=str(text),
            channels=tuple(str(name) for name in names),
        )
        for onset, duration, text, names in zip(
            notes.onset, notes.duration, notes.description, notes.ch_names, strict=True
        )
        if text != _SKIP
    )


def _describe(raw: Any, title: str, warnings: list[str]) -> tuple[RecordingInfo, list[Span]]:
    rate_hz, n_samples = float(raw.info["sfreq"]), int(raw.n_times)
    if not (rate_hz > 0 and math.isfinite(rate_hz)):
        raise ReadError(f"The sampling rate of {rate_hz:g} Hz makes no sense", hint="copy the file again")
    rate_hz = plain_rate(rate_hz)
    # Stamps count from the start of the measurement; what was recorded may begin later.
    first_s = int(raw.first_samp) / rate_hz
    notes = raw.annotations
    shift_s = 0.0 if notes.orig_time is None else first_s
    skips = _skips(notes, shift_s, rate_hz, n_samples)
    if skips:
        missing = sum(len(skip) for skip in skips)
        warnings.append(f"{missing:,} samples were not recorded ({len(skips)} pauses); they are shown as missing")
    n_stops = sum(str(text).lower() in _STOPS for text in notes.description) if title == _ANT[0] else 0
    if n_stops:
        warnings.append(
            f"The recording was stopped, or impedances were measured, {n_stops} time{'s' * (n_stops > 1)} (see its "
            "annotations); how long is not told, so no gap is shown there"
        )
    types = raw.get_channel_types()
    channels = tuple(
        _channel(name, entry, kind, rate_hz, n_samples)
        for name, entry, kind in zip(unique_names(raw.ch_names), raw.info["chs"], types, strict=True)
    )
    info = RecordingInfo(
        format=title,
        start=_start(raw.info["meas_date"], first_s),
        duration_s=n_samples / rate_hz,
        channels=channels,
        annotations=_annotations(notes, shift_s),
        warnings=tuple(warnings),
        files=files_told(*(None if name is None else Path(name) for name in raw.filenames)),
    )
    return info, skips


def _start(measured: datetime | None, first_s: float) -> datetime | None:
    return None if measured is None else measured + timedelta(seconds=first_s)


def _skips(notes: Any, shift_s: float, rate_hz: float, n_samples: int) -> list[Span]:
    spans = []
    for onset, duration, text in zip(notes.onset, notes.duration, notes.description, strict=True):
        if text == _SKIP:
            first = max(0, round((float(onset) - shift_s) * rate_hz))
            spans.append(Span(first, max(first, first + round(float(duration) * rate_hz))).clip(n_samples))
    return [span for span in spans if len(span)]


def _channel(name: str, entry: Any, kind_word: str, rate_hz: float, n_samples: int) -> Channel:
    unit = _UNITS.get(int(entry["unit"]), "")
    kind = _KINDS.get(kind_word) or ("misc" if kind_word in ("mag", "grad", "ref_meg") else kind_of(name, unit))
    if kind in CODE_KINDS and kind_word != "stim":
        kind = "misc"  # the file says that it is none
    return Channel(
        name=name,
        unit="" if kind in CODE_KINDS else unit,
        kind=kind,
        rate_hz=rate_hz,
        n_samples=n_samples,
    )


def sniff_fif(head: bytes) -> bool:
    """Say whether these bytes can only be a FIF file."""
    return head.startswith(_FIF_HEAD)


def _is_ant(head: bytes) -> bool:
    """Say whether these bytes begin a CNT of ANT, which is a RIFF file, of 32 or 64 bits."""
    return head[:4] in (b"RIFF", b"RF64") and b"CNT " in (head[8:12], head[12:16])


def sniff_mne(head: bytes) -> bool:
    """Say whether these bytes can only be one of the formats that tell themselves by their begin."""
    return sniff_fif(head) or _is_ant(head) or head.startswith(_NIHON_HEADS)


#: ``.eeg`` is shared with BrainVision, whose suffix it mostly is.
FORMAT = ReaderFormat(
    name="mne",
    title="FIF",
    suffixes=tuple(suffix for suffix in _FUNCTIONS if suffix != ".eeg"),
    sniff=sniff_mne,
    open=open_with_mne,
    options=(BITS,),
)
