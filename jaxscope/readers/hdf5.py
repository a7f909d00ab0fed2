"""HDF5 files: recordings of OpenSignals, and any file whose datasets are obviously samples.

HDF5 is a container that says nothing about its content. OpenSignals has a known tree. Elsewhere a dataset of numbers
with one to three dimensions is taken for samples, its longer dimension for time, each column of a table by itself. An
attribute, or a number, that is called like a sampling rate is taken for one, looked for at the dataset and then in the
groups above it. What is not shown is told. Samples are read in parts, from the dataset itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from jaxscope.data.kinds import signal_kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.notes import KEY, parse_notes, with_notes
from jaxscope.data.recording import Channel, Recording, RecordingInfo
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, describe_content, own_rate_words
from jaxscope.readers.byte_file import ByteFile
from jaxscope.readers.hdf5_file import (
    SIGNATURE,
    Rows,
    TableField,
    damage_told,
    fields_of,
    grid_of,
    open_hdf5,
    rows_of,
    walk,
    why_unreadable,
)
from jaxscope.readers.hdf5_rates import attributes_of, number_of, rate_taken, rate_told
from jaxscope.readers.matlab import NO_RATE, RATE_NAMES, TIME_NAMES, plain_name
from jaxscope.readers.options import ReaderOption, pick
from jaxscope.readers.sources import Place, SourcedRecording, with_rounding_told

#: What the raw samples of OpenSignals are, whatever sensor they come from.
_COUNTS = "ADC counts"
#: A dataset that is shorter than this part of the longest is a table of something and no channel.
_LEAST_PART = 0.01
_UNIT_NAMES = frozenset(["unit", "units", "physicalunit"])
_LABEL_NAMES = frozenset(["labels", "channelnames", "chnames", "channels", "names"])
#: How many lists of samples a file may have before somebody must choose.
_MOST_CHANNELS = 4096


@dataclass(slots=True)
class _Made:
    """Channels as they are found."""

    #: The bytes of the file, for datasets that are read where they lie.
    file: ByteFile
    channels: list[Channel]
    places: list[Place]
    warnings: list[str]
    format: str = "HDF5"
    start: datetime | None = None


def sniff_hdf5(head: bytes) -> bool:
    """Say whether these first bytes begin an HDF5 file."""
    return head[:8] == SIGNATURE


def open_any_hdf5(path: Path, options: OpenOptions) -> Recording:
    """Open an HDF5 file.

    Raises
    ------
    ReadError
        If it is damaged or holds no samples, or h5py is not installed.
    """
    with path.open("rb") as stream:
        head = stream.read(1024)
    if SIGNATURE not in head:
        raise ReadError(f"{path.name} is not an HDF5 file", hint=describe_content(head))
    file, plain = open_hdf5(path), ByteFile(path)

    def close() -> None:
        file.close()
        plain.close()

    try:
        with damage_told(path.name):
            devices = [file[name] for name in file if _is_opensignals(file, name)]
            made = _opensignals(devices, plain, options) if devices else _datasets(path, file, plain, options)
            notes = _notes(file)
    except BaseException:
        close()
        raise
    longest = max(made.channels, key=lambda channel: channel.n_samples / (channel.rate_hz or 1.0))
    names = unique_names(channel.name for channel in made.channels)
    info = RecordingInfo(
        format=made.format,
        start=made.start,
        duration_s=None if longest.rate_hz is None else longest.n_samples / longest.rate_hz,
        channels=tuple(replace(channel, name=name) for channel, name in zip(made.channels, names, strict=True)),
        warnings=tuple(made.warnings),
    )
    if notes:
        info = with_notes(info, notes)
    return SourcedRecording(with_rounding_told(info, made.places), made.places, close)


def _notes(file: Any) -> str:
    """Return the notes of a file that jaxscope has written."""
    import h5py

    item: Any = file.get(KEY) if isinstance(file.get(KEY, getlink=True), h5py.HardLink) else None
    is_text = isinstance(item, h5py.Dataset) and item.shape == () and h5py.check_string_dtype(item.dtype) is not None
    return _text(item[()]) if is_text else ""


def _in_order(file: Any, made: _Made) -> None:
    """Put the channels in the order that the notes of the file tell: those of one rate lie together in it."""
    notes = parse_notes(_notes(file), len(made.channels))
    names = [channel.name for channel in made.channels]
    if notes is None or sorted(names) != sorted(notes.names):
        return
    order = [names.index(name) for name in notes.names]
    made.channels, made.places = [made.channels[n] for n in order], [made.places[n] for n in order]


def _is_opensignals(file: Any, name: str) -> bool:
    import h5py

    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        return False
    if h5py.h5o.get_info(file.id, name.encode("utf-8", "surrogateescape")).type != h5py.h5o.TYPE_GROUP:
        return False
    item = file[name]
    return "sampling rate" in item.attrs and isinstance(item.get("raw"), h5py.Group)


def _opensignals(devices: Sequence[Any], plain: ByteFile, options: OpenOptions) -> _Made:
    """Take the raw channels of each device of an OpenSignals recording."""
    import h5py

    made = _Made(plain, [], [], [], format="OpenSignals")
    unshown: list[str] = []
    rates_hz: list[float] = []
    for device in devices:
        rate = number_of(device.attrs["sampling rate"])
        if rate is None or rate <= 0:
            raise ReadError(
                f"The recording has {device.attrs['sampling rate']} as sampling rate", hint="copy the file again"
            )
        rates_hz.append(rate)
        made.start = made.start or _start(device.attrs)
        raw = device["raw"]
        for name in sorted(raw, key=_by_number):
            if isinstance(raw[name], h5py.Dataset) and name.startswith("channel_"):
                _raw_channel(name, raw[name], rate, made)
            else:
                unshown.append(name)
        unshown += list(device["digital"]) if isinstance(device.get("digital"), h5py.Group) else []
    if not made.channels:
        raise ReadError("The recording has no raw channels", hint="record it again with raw values")
    made.warnings += own_rate_words(rates_hz, options)
    if unshown:
        listed = ", ".join(dict.fromkeys(unshown))
        made.warnings.append(f"The counter and the digital inputs are not shown: {listed}")
    return made


def _raw_channel(name: str, dataset: Any, rate_hz: float, made: _Made) -> None:
    reason = why_unreadable(dataset, made.file.n_bytes)
    if reason or dataset.ndim not in (1, 2) or dataset.dtype.kind not in "iuf":
        made.warnings.append(f"{name} {reason or 'holds no samples'} and is left out")
        return
    kind = signal_kind_of(_text(dataset.attrs.get("sensor", "")))
    n_samples = int(dataset.shape[0])
    made.channels.append(Channel(name=name, unit=_COUNTS, kind=kind, rate_hz=rate_hz, n_samples=n_samples))
    made.places.append(Place(source=grid_of(dataset, made.file, is_last_time=False, name=name), row=0))


def _by_number(name: str) -> tuple[int, str]:
    digits = name.rpartition("_")[2]
    return (int(digits) if digits.isdigit() else -1, name)


def _start(attributes: Any) -> datetime | None:
    """Return the start of an OpenSignals recording, whose date and time are written without leading zeros."""
    try:
        year, month, day = (int(part) for part in _text(attributes.get("date", "")).split("-"))
        hour, minute, second = _text(attributes.get("time", "")).split(":")
        whole = int(float(second))
        micro = round((float(second) - whole) * 1e6)
        return datetime(year, month, day, int(hour), int(minute), whole, micro)
    except (ValueError, OverflowError):
        return None


def _sort(
    file: Any, n_bytes: int, options: OpenOptions, warnings: list[str]
) -> tuple[list[Rows], dict[str, float], list[str]]:
    """Return datasets of numbers, the number in each group that is a sampling rate by its name, and what is neither."""
    import h5py

    found: list[Rows] = []
    numbers: dict[str, float] = {}
    left_out: list[str] = []
    for name, item in walk(file):
        if not isinstance(item, h5py.Dataset) or item.shape is None:
            continue
        size = prod(item.shape)
        if size == 1 and item.dtype.kind in "iuf" and plain_name(name.rsplit("/", 1)[-1]) in RATE_NAMES:
            rate = number_of(item[()])
            if rate is not None and rate > 0:
                numbers.setdefault(name.rpartition("/")[0], rate)
        elif not (item.dtype.kind in "iufb" or (item.dtype.names and item.ndim == 1)) or size < 2 or item.ndim > 2:
            left_out += [name] if size > 1 else []
        elif (reason := why_unreadable(item, n_bytes)) != "":
            warnings.append(f"{name} {reason} and is left out")
        elif item.dtype.names:
            columns, others = fields_of(item)
            found += [
                rows_of(TableField(item, column), name, column, is_turned=options.samples_first) for column in columns
            ]
            left_out += [f"{name}/{column}" for column in others]
        else:
            found.append(rows_of(item, name, None, is_turned=options.samples_first))
        if len(found) > _MOST_CHANNELS and not options.value("dataset"):
            raise ReadError(
                f"The file holds more than {_MOST_CHANNELS:,} lists of numbers",
                hint="name the dataset that is wanted with --option dataset=",
            )
    return found, numbers, left_out


def _datasets(path: Path, file: Any, plain: ByteFile, options: OpenOptions) -> _Made:
    """Take what is obviously samples in a file of any tree."""
    made = _Made(plain, [], [], [])
    found, numbers, left_out = _sort(file, plain.n_bytes, options, made.warnings)
    wanted = options.value("dataset").strip("/")
    if wanted:
        by_path = {rows.path: rows for rows in found}
        found = pick(by_path, ",".join(part.strip(" /") for part in wanted.split(",")), path.name, "dataset of samples")
        left_out = []
    longest = max((rows.n_samples for rows in found), default=0)
    left_out += [rows.path for rows in found if rows.n_samples < _LEAST_PART * longest]
    found = [rows for rows in found if rows.n_samples >= _LEAST_PART * longest]
    if sum(rows.n_channels for rows in found) > _MOST_CHANNELS:
        raise ReadError(
            f"{path.name} holds {sum(rows.n_channels for rows in found):,} lists of numbers",
            hint="export the dataset that is wanted to NPY",
        )
    times = [rows for rows in found if plain_name(rows.name) in TIME_NAMES and rows.n_channels == 1]
    signals = [rows for rows in found if rows not in times] or found
    if not signals:
        raise ReadError(
            f"{path.name} holds no dataset of samples{': ' + made.warnings[0] if made.warnings else ''}",
            hint="save each channel as a dataset of numbers",
        )
    told: list[float] = []
    count = Counter(rows.name for rows in signals)
    groups: dict[str, float | None] = {}
    for rows in signals:
        dataset = rows.open()
        rate = rate_told(dataset, rows.path, groups, numbers)
        told += [] if rate is None else [rate]
        if rate is None:
            rate = rate_taken(rows, times if times != signals else [], options, made.warnings)
        _add(rows, dataset, rate, rows.name if count[rows.name] == 1 else rows.path, made)
    made.warnings += own_rate_words(told, options)
    if any(channel.rate_hz is None for channel in made.channels):
        made.warnings.append(NO_RATE)
    if left_out:
        listed = ", ".join(left_out[:6]) + (f" and {len(left_out) - 6} more" if len(left_out) > 6 else "")
        made.warnings.append(f"What holds no samples is left out: {listed}")
    made.warnings = list(dict.fromkeys(made.warnings))
    _in_order(file, made)
    return made


def _add(rows: Rows, dataset: Any, rate_hz: float | None, base: str, made: _Made) -> None:
    labels = _told_texts(dataset, rows.n_channels, _LABEL_NAMES)
    if rows.n_channels > 1 and not rows.is_last_time:
        made.warnings.append(
            f"{rows.path} ({' x '.join(map(str, dataset.shape))}) is read as {rows.n_channels} channels of "
            f"{rows.n_samples:,} samples: the longer is time"
        )
    if not labels:
        labels = [base] if rows.n_channels == 1 else [f"{base}[{number}]" for number in range(rows.n_channels)]
    units = _told_texts(dataset, rows.n_channels, _UNIT_NAMES)
    if not units:
        # one unit at a table need not be that of each of its columns
        told = () if isinstance(dataset, TableField) else attributes_of(dataset, _UNIT_NAMES)
        units = [next((_text(value) for value in told), "")] * rows.n_channels
    grid = grid_of(dataset, made.file, is_last_time=rows.is_last_time, name=rows.path)
    for number, (label, unit) in enumerate(zip(labels, units, strict=True)):
        made.channels.append(
            Channel(
                name=label,
                unit=plain_unit(unit),
                kind=signal_kind_of(label, unit),
                rate_hz=rate_hz,
                n_samples=rows.n_samples,
            )
        )
        made.places.append(Place(source=grid, row=number))


def _told_texts(dataset: Any, n_channels: int, names: frozenset[str]) -> list[str]:
    """Return the texts that an attribute with one of these names gives the channels of a dataset."""
    for value in attributes_of(dataset, names):
        if np.size(value) == n_channels and np.ndim(value) == 1:
            texts = [_text(one).strip() for one in value]
            if all(texts):
                return texts
    return []


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return _text(value.reshape(-1)[0]) if value.size == 1 else ""
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value)


FORMAT = ReaderFormat(
    name="hdf5",
    title="HDF5",
    suffixes=(".h5", ".hdf5", ".hdf", ".he5"),
    sniff=sniff_hdf5,
    open=open_any_hdf5,
    options=(ReaderOption(name="dataset", title="Dataset", help="Its path, or several separated by commas"),),
)
