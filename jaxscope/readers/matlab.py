"""MATLAB files (.mat): the arrays that are obviously samples, whichever of them is time, and the sampling rate.

A file says nothing about what its variables are. The rules are few and told: a vector is a channel, the longer
dimension of a matrix is time, a number called ``fs`` or the like is the rate, even steps in a vector called ``t`` or
``time`` give it too, and a list of as many names as there are channels names them. A file of EEGLAB is read as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, prod
from pathlib import Path

import numpy as np

from jaxscope.data.kinds import signal_kind_of
from jaxscope.data.labels import unique_names
from jaxscope.data.notes import KEY, with_notes
from jaxscope.data.recording import Channel, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.byte_file import ByteFile
from jaxscope.readers.hdf5_file import SIGNATURE
from jaxscope.readers.mat_values import MatFile, MatValue
from jaxscope.readers.options import ReaderOption, pick
from jaxscope.readers.sources import Place, SourcedRecording, with_rounding_told

#: Names, in lower case without signs, of numbers that are a sampling rate and of vectors that are time.
RATE_NAMES = frozenset(
    ["ratehz", "fs", "sfreq", "samplingrate", "samplerate", "srate", "fsamp", "samplingfrequency", "fsample", "fshz"]
)
TIME_NAMES = frozenset(["t", "time", "times", "times", "timestamps", "timevector", "tvec"])
_LABEL_NAMES = frozenset(["labels", "label", "channels", "channelnames", "chnames", "names", "chanlabels"])
#: Steps of a time vector that differ by more than this are no steady rate.
_STEADY = 1e-3
NO_RATE = "The file tells no sampling rate: give one to filter it"


def plain_name(name: str) -> str:
    """Return a name as it is compared: its last part, in lower case, letters and digits only."""
    return "".join(letter for letter in name.rsplit(".", 1)[-1].lower() if letter.isalnum())


def is_mat73(head: bytes) -> bool:
    """Say whether these first bytes begin a MATLAB file of version 7.3."""
    return head[512:520] == SIGNATURE and head[:6] == b"MATLAB"


def sniff_mat(head: bytes) -> bool:
    """Say whether these first bytes begin a MATLAB file; version 4 has no signature."""
    return is_mat73(head) or (head[:6] == b"MATLAB" and head[126:128] in (b"IM", b"MI"))


def open_variables(path: Path) -> MatFile:
    """Open a MATLAB file of any version.

    Raises
    ------
    ReadError
        If it is something else or damaged, or h5py is needed and not installed.
    """
    with path.open("rb") as stream:
        head = stream.read(1024)
    if is_mat73(head) or head[:8] == SIGNATURE:
        from jaxscope.readers.mat73 import open_mat73

        return open_mat73(path)
    from jaxscope.readers.mat5 import open_mat

    file = ByteFile(path)
    try:
        return open_mat(file)
    except BaseException:
        file.close()
        raise


@dataclass(slots=True)
class _Found:
    """What the variables of a file seem to be."""

    arrays: list[tuple[str, MatValue]] = field(default_factory=list)
    rates: list[tuple[str, float]] = field(default_factory=list)
    times: list[tuple[str, MatValue]] = field(default_factory=list)
    labels: list[MatValue] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def open_matlab(path: Path, options: OpenOptions) -> Recording:
    """Open a MATLAB file.

    Raises
    ------
    ReadError
        If it is damaged or holds no samples.
    """
    from jaxscope.readers.eeglab import assemble_eeglab, eeglab_fields

    file = open_variables(path)
    try:
        with file.guard():
            fields = eeglab_fields(file.variables)
            if fields is not None:
                return assemble_eeglab(path, file, fields, options)
            return _assemble(path, file, options)
    except BaseException:
        file.close()
        raise


def _assemble(path: Path, file: MatFile, options: OpenOptions) -> Recording:
    variables = dict(file.variables)
    notes = variables.pop(KEY, None)
    is_ours = notes is not None and notes.kind == "text"
    found = _sort(variables)
    if wanted := options.value("variable"):
        by_name = {name: (name, value) for name, value in found.arrays}
        found.arrays = pick(by_name, wanted, path.name, "array")
    if is_ours:
        found.left_out = []  # the notes tell what these are
    warnings = list(file.warnings)
    times = [(name, value) for name, value in found.times if any(_length(v) == value.size for _, v in found.arrays)]
    found.arrays += [entry for entry in found.times if entry not in times]
    warnings += _left_words(path, found)
    rate_hz = _rate(found, times, options, warnings)
    channels, places = _placed(found, rate_hz, options, warnings, is_ours=is_ours)
    longest = max(channel.n_samples for channel in channels)
    info = RecordingInfo(
        format=file.format,
        duration_s=None if rate_hz is None else longest / rate_hz,
        channels=channels,
        warnings=tuple(warnings),
    )
    if is_ours and notes is not None:
        info = with_notes(info, notes.text())
    return SourcedRecording(with_rounding_told(info, places), places, file.close)


def _left_words(path: Path, found: _Found) -> list[str]:
    """Return a sentence about what holds no samples; raise ReadError where nothing does."""
    if not found.arrays:
        what = f"it holds {', '.join(found.left_out[:4])}" if found.left_out else "it holds nothing else"
        raise ReadError(f"{path.name} holds no arrays of samples: {what}", hint="save each channel as a vector")
    if not found.left_out:
        return []
    listed = ", ".join(found.left_out[:6]) + (" and others" if len(found.left_out) > 6 else "")
    return [f"What holds no samples is left out: {listed}"]


def _placed(
    found: _Found, rate_hz: float | None, options: OpenOptions, warnings: list[str], *, is_ours: bool
) -> tuple[tuple[Channel, ...], list[Place]]:
    """Return the channels that the arrays hold, and where their samples lie."""
    channels: list[Channel] = []
    places: list[Place] = []
    for name, value in found.arrays:
        group, n_samples, samples_first = (
            (value.shape[0], value.shape[1], False) if is_ours else _orient(name, value, options, warnings)
        )
        grid = value.grid(samples_first=samples_first)
        for number, label in enumerate(_names(name, group, found.labels)):
            channels.append(Channel(name=label, kind=signal_kind_of(label), rate_hz=rate_hz, n_samples=n_samples))
            places.append(Place(source=grid, row=number))
    names = unique_names(channel.name for channel in channels)
    return tuple(replace(channel, name=name) for name, channel in zip(names, channels, strict=True)), places


def _leaves(variables: dict[str, MatValue]) -> Iterator[tuple[str, MatValue]]:
    """Yield variables and, in their place, the fields of structs with one element, two levels down."""
    for name, value in variables.items():
        if value.kind != "struct" or value.size != 1:
            yield name, value
            continue
        for field_name in value.field_names:
            inner = value.field(field_name)
            if inner is None:
                continue
            if inner.kind == "struct" and inner.size == 1:
                for last_name in inner.field_names:
                    last = inner.field(last_name)
                    if last is not None:
                        yield f"{name}.{field_name}.{last_name}", last
            else:
                yield f"{name}.{field_name}", inner


def _sort(variables: dict[str, MatValue]) -> _Found:
    found = _Found()
    for name, value in _leaves(variables):
        plain = plain_name(name)
        number = value.scalar()
        if number is not None:
            if plain in RATE_NAMES:
                found.rates.append((name, number))
        elif plain in _LABEL_NAMES and value.kind in ("cell", "text"):
            found.labels.append(value)
        elif value.kind == "number" and value.size and not value.is_complex and len(value.shape) <= 3:
            is_vector = len(value.shape) == 2 and min(value.shape) == 1
            (found.times if plain in TIME_NAMES and is_vector else found.arrays).append((name, value))
        elif value.kind != "number" or value.size:
            what = "complex numbers" if value.is_complex else f"{len(value.shape)} dimensions"
            noun = {"text": "text", "cell": "a cell", "struct": "structs", "number": what, "other": "an object"}
            found.left_out.append(f"{name} ({noun[value.kind]})")
    return found


def _length(value: MatValue) -> int:
    return max(value.shape[0], prod(value.shape[1:]))


def _orient(name: str, value: MatValue, options: OpenOptions, warnings: list[str]) -> tuple[int, int, bool]:
    """Return how many channels an array has, how many samples, and whether samples come first."""
    rows, columns = value.shape[0], prod(value.shape[1:])
    shown = " x ".join(map(str, value.shape))
    if len(value.shape) == 3:
        warnings.append(
            f"{name} ({shown}) is read as {rows} channels of {columns:,} samples, its pages one after the other"
        )
        return rows, columns, False
    if min(rows, columns) == 1:
        return 1, max(rows, columns), rows > 1
    if options.samples_first or rows > columns:
        if not options.samples_first:
            warnings.append(f"{name} ({shown}) is read as {columns} channels of {rows:,} samples: the longer is time")
        return columns, rows, True
    return rows, columns, False


def _names(name: str, group: int, labels: Sequence[MatValue]) -> list[str]:
    base = name.rsplit(".", 1)[-1]
    if group == 1:
        return [base]
    for value in labels:
        if value.kind == "cell" and value.size == group:
            texts = [item.label() for item in value.items()]
        elif value.kind == "text" and value.shape[0] == group:
            texts = [row.strip() for row in value.text().split("\n")]
        else:
            continue
        if all(texts):
            return texts
    return [f"{base}[{number}]" for number in range(group)]


def _rate(
    found: _Found, times: Sequence[tuple[str, MatValue]], options: OpenOptions, warnings: list[str]
) -> float | None:
    usable = [(name, rate) for name, rate in found.rates if isfinite(rate) and rate > 0]
    warnings += [
        f"{name} is {rate:g}, which is no sampling rate" for name, rate in found.rates if (name, rate) not in usable
    ]
    if usable:
        name, rate = usable[0]
        warnings += own_rate_words([rate], options)
        if any(other != rate for _, other in usable):
            warnings.append(f"The file holds several rates: {rate:g} Hz, of {name}, is used")
        return rate
    for name, value in times:
        rate_of_time = _rate_of_time(value)
        if rate_of_time is not None:
            warnings += times_words(name, rate_of_time, options)
            return options.rate_hz or rate_of_time
    if options.rate_hz is None:
        warnings.append(NO_RATE)
    return options.rate_hz


def times_words(name: str, rate_hz: float, options: OpenOptions) -> list[str]:
    """Return the sentence about times whose unit is a guess: a rate that is given wins over what follows from them."""
    if options.rate_hz is None:
        return [f"The rate, {rate_hz:g} Hz, follows from {name}, which is taken to be in seconds"]
    if options.rate_hz == rate_hz:
        return []
    return [f"{options.rate_hz:g} Hz, as given, is used; {name}, taken to be in seconds, would tell {rate_hz:g} Hz"]


def _rate_of_time(value: MatValue) -> float | None:
    """Return the rate of evenly spaced times in seconds, None where they are not."""
    if value.size < 3:
        return None
    grid = value.grid(samples_first=value.shape[0] > 1)
    first, last = grid.read(Span(0, 3), [0])[0], grid.read(Span(value.size - 2, value.size), [0])[0]
    return rate_of_times(first, last, value.size)


def rate_of_times(first: FloatArray, last: FloatArray, count: int) -> float | None:
    """Return the rate of times in seconds, None where they are not even.

    Parameters
    ----------
    first, last : ndarray of float64, shapes (3,) and (2,)
        The first times and the last: where any step between is not as the others, the mean step is not as these.
    count : int
        How many times there are.
    """
    step = (last[1] - first[0]) / (count - 1)
    steps = np.array([first[1] - first[0], first[2] - first[1], last[1] - last[0]])
    if not np.isfinite(step) or step <= 0 or np.abs(steps - step).max() > _STEADY * step:
        return None
    rate_hz = float(1 / step)
    # Times are stored with few digits: a rate that misses a whole number by less than they tell is that number.
    return float(round(rate_hz)) if abs(rate_hz - round(rate_hz)) < 1e-6 * rate_hz else rate_hz


FORMAT = ReaderFormat(
    name="matlab",
    title="MATLAB",
    suffixes=(".mat",),
    sniff=sniff_mat,
    open=open_matlab,
    options=(ReaderOption(name="variable", title="Variable", help="Its name, or several separated by commas"),),
)
