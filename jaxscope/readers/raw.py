"""Raw numbers: samples of one type without a header, whose layout is told beside the file or by the person.

The layout stands in a small JSON file beside the numbers, ``night.raw.json`` for ``night.bin`` or ``night.raw``, or is
given as options, which win. It needs the number of channels and the type; everything else has a usual value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jaxscope.data.kinds import signal_kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.recording import Channel, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import JaxscopeError, ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, files_told, own_rate_words, side_file
from jaxscope.readers.byte_file import ByteFile, SampleTable
from jaxscope.readers.options import ReaderOption, check_options, number_of
from jaxscope.readers.sources import Place, SourcedRecording

_TYPES = {
    "int8": "i1",
    "uint8": "u1",
    "int16": "i2",
    "uint16": "u2",
    "int32": "i4",
    "uint32": "u4",
    "int64": "i8",
    "uint64": "u8",
    "float32": "f4",
    "float64": "f8",
}
_MOST_CHANNELS = 1 << 16
_MOST_SIDE_BYTES = 1 << 20
NO_RATE = "The file tells no sampling rate: give one to filter it"

OPTIONS = (
    ReaderOption(name="channels", title="Channels", kind="whole", least=1, required=True, help="How many there are"),
    ReaderOption(name="dtype", title="Type", kind="choice", choices=("int16", *(t for t in _TYPES if t != "int16"))),
    ReaderOption(name="byteorder", title="Byte order", kind="choice", choices=("little", "big")),
    ReaderOption(
        name="order",
        title="Order",
        kind="choice",
        choices=("multiplexed", "vectorised"),
        help="Whether all channels of a sample lie together, or all samples of a channel",
    ),
    ReaderOption(name="offset", title="Header", kind="whole", unit="bytes", help="Bytes before the first sample"),
    ReaderOption(name="rate", title="Sampling rate", kind="number", unit="Hz", least=1e-9),
    ReaderOption(
        name="scale", title="Scale", kind="number", least=-float("inf"), help="What a stored 1 is in the unit"
    ),
    ReaderOption(name="unit", title="Unit", help="Such as uV"),
    ReaderOption(name="names", title="Names", help="Of the channels, separated by commas"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawLayout:
    """How the numbers lie and what they mean."""

    n_channels: int
    dtype: np.dtype[Any]
    is_multiplexed: bool
    offset: int
    rate_hz: float | None
    scale: float
    unit: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scaled:
    """A table of numbers, times the scale."""

    file: ByteFile
    table: SampleTable
    scale: float

    def read(self, span: Span, rows: Any) -> FloatArray:
        """Return samples, shape (n_rows, n_samples)."""
        return self.table.read(self.file, span, rows, [self.scale] * len(rows))


def open_raw(path: Path, options: OpenOptions) -> Recording:
    """Open raw numbers.

    Raises
    ------
    ReadError
        If it is not told how they lie, or there are none.
    """
    layout = layout_of(path, options)
    file = ByteFile(path)
    try:
        n_samples, n_left = _samples_in(file, layout)
    except BaseException:
        file.close()
        raise
    warnings = [f"{n_left} bytes after the last whole sample of {path.name} are left out"] if n_left else []
    rate_hz = layout.rate_hz or options.rate_hz
    warnings += own_rate_words([layout.rate_hz], options) if layout.rate_hz else []
    if rate_hz is None:
        warnings.append(NO_RATE)
    info = RecordingInfo(
        format="raw",
        duration_s=None if rate_hz is None else n_samples / rate_hz,
        channels=_channels(layout, rate_hz, n_samples),
        warnings=tuple(warnings),
        files=files_told(side_file(path)),
    )
    table = (
        SampleTable.multiplexed(layout.dtype, layout.n_channels, layout.offset)
        if layout.is_multiplexed
        else SampleTable.vectorised(layout.dtype, n_samples, layout.offset)
    )
    source = _Scaled(file=file, table=table, scale=layout.scale)
    return SourcedRecording(info, [Place(source=source, row=row) for row in range(layout.n_channels)], file.close)


def _samples_in(file: ByteFile, layout: RawLayout) -> tuple[int, int]:
    """Return how many samples each channel has, and the bytes that are left."""
    frame_bytes = layout.n_channels * layout.dtype.itemsize
    n_samples, n_left = divmod(max(0, file.n_bytes - layout.offset), frame_bytes)
    if not n_samples:
        raise ReadError(
            f"{file.name} has {file.n_bytes:,} bytes and holds no sample of {layout.n_channels} channels",
            hint="check the number of channels, their type and the header",
        )
    return n_samples, n_left


def _channels(layout: RawLayout, rate_hz: float | None, n_samples: int) -> tuple[Channel, ...]:
    names = unique_names(layout.names or [f"ch{number}" for number in range(layout.n_channels)])
    return tuple(
        Channel(
            name=name,
            unit=layout.unit,
            kind=signal_kind_of(name, layout.unit),
            rate_hz=rate_hz,
            n_samples=n_samples,
        )
        for name in names
    )


def layout_of(path: Path, options: OpenOptions) -> RawLayout:
    """Return the layout that the options and the file beside tell together.

    Raises
    ------
    ReadError
        If it is not told, or makes no sense.
    """
    beside = side_file(path)
    told = {**({} if beside is None else _read_side(beside)), **dict(options.values)}
    if "channels" not in told:
        raise ReadError(
            f"{path.name} holds numbers alone: it is not told how they lie",
            hint="give --raw-layout channels=4,dtype=int16,rate=1000, or write these into a file "
            f"{path.stem}.raw.json beside it",
        )
    n_channels = int(_number(told, "channels", "1"))
    names = tuple(name.strip() for name in told.get("names", "").split(",")) if told.get("names") else ()
    if n_channels > _MOST_CHANNELS:
        raise ReadError(f"{n_channels:,} channels are told for {path.name}", hint=f"give {_MOST_CHANNELS:,} or fewer")
    if names and (len(names) != n_channels or not all(names)):
        raise ReadError(f"{len(names)} names are told for {n_channels} channels", hint="name each channel")
    order = ">" if told.get("byteorder") == "big" else "<"
    return RawLayout(
        n_channels=n_channels,
        dtype=np.dtype(order + _TYPES[told.get("dtype", "int16")]),
        is_multiplexed=told.get("order", "multiplexed") == "multiplexed",
        offset=int(_number(told, "offset", "0")),
        rate_hz=_number(told, "rate", "") if told.get("rate") else None,
        scale=_number(told, "scale", "1"),
        unit=plain_unit(told.get("unit", "")),
        names=names,
    )


def _number(told: Mapping[str, str], name: str, otherwise: str) -> float:
    """Return a number that was told and has been checked."""
    return number_of(name, told.get(name, otherwise), whole=False, least=-float("inf"))


def _read_side(path: Path) -> dict[str, str]:
    """Return what the file beside tells, as texts."""
    try:
        if path.stat().st_size > _MOST_SIDE_BYTES:
            raise ReadError(f"{path.name} is too large for a layout", hint="write it again")
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ReadError(
            f"{path.name} is no JSON", hint='write {"channels": 4, "dtype": "int16", "rate": 1000}'
        ) from error
    if not isinstance(content, dict):
        raise ReadError(f"{path.name} is no JSON object", hint='write {"channels": 4, "dtype": "int16", "rate": 1000}')
    told = {str(key): _as_text(value) for key, value in content.items()}
    try:
        check_options(told, OPTIONS, path.name)
    except JaxscopeError as error:
        raise ReadError(f"{path.name}: {error.message}", hint=error.hint) from error
    return told


def _as_text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _sniff(_head: bytes) -> bool:
    return False


FORMAT = ReaderFormat(
    name="raw", title="raw numbers", suffixes=(".raw", ".bin"), sniff=_sniff, open=open_raw, options=OPTIONS
)
