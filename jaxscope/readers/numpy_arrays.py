"""NumPy files: NPY (read where it lies, never loaded whole) and NPZ (each array a channel or a group of channels).

Arrays of an archive are held in memory where they are small; else they are read, and unpacked, in parts.

An array of Python objects is refused, and the size that a header claims is held against the bytes that are there, so
that neither a broken nor a hostile file costs memory or runs code.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.data.kinds import kind_of, signal_kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.notes import KEY, with_notes
from jaxscope.data.recording import Channel, Recording, RecordingInfo
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.byte_file import ByteFile
from jaxscope.readers.grids import FileGrid, MemoryGrid, beyond_float_words, is_beyond_float
from jaxscope.readers.inflated import MOST_ENDS, InflatedBytes, may_be_held
from jaxscope.readers.numpy_header import MAGIC, ArrayHeader, check_numeric, read_array_header, table_of
from jaxscope.readers.options import ReaderOption, pick
from jaxscope.readers.sources import BlockSource, Place, SourcedRecording

#: What ``zipfile`` raises about an archive that is damaged, such as a place before the begin of the file.
_ZIP_FAILURES = (
    zipfile.BadZipFile, EOFError, OSError, ValueError, struct.error, zlib.error, NotImplementedError, RuntimeError
)  # fmt: skip
#: Names of NPZ members that hold the sampling rate; the first is ours, the rest are common in the wild.
_RATE_KEYS = ("rate_hz", "fs", "sfreq", "sampling_rate", "sample_rate", "srate", "fsamp")
#: Arrays of texts that tell about the others, and how long they may be.
_TEXT_KEYS = ("names", "units", KEY)
_MOST_TEXT_BYTES = 16 << 20
#: What deflate can gain at most.
_MOST_PACKED = 1100
#: What of an archive is unpacked at a time.
_UNPACK_BYTES = 1 << 20
#: More channels than any recorder has: the array is the wrong way round.
_MOST_CHANNELS = 1 << 16
#: Integers are looked at to see whether float64 holds them: this many bytes at a time, this often at most.
_LOOK_BYTES, _MOST_LOOKS = 1 << 20, 64
NO_RATE = "The file tells no sampling rate: give one to filter it"


def _open_npy(path: Path, options: OpenOptions) -> Recording:
    with path.open("rb") as stream:
        header = read_array_header(stream, path.name)
    check_numeric(header, path.name)
    there = path.stat().st_size - header.data_offset
    if header.n_bytes > there:
        raise ReadError(
            f"{path.name} stops too early: its header promises {header.n_bytes:,} bytes of samples, "
            f"{there:,} are there",
            hint="copy the file again",
        )
    warnings: list[str] = []
    groups = _groups_of([("", header.shape)], options, path.name, warnings)
    if header.n_bytes < there:
        warnings.append(f"{there - header.n_bytes:,} bytes after the array in {path.name} are not read")
    file = ByteFile(path)
    try:
        if any(is_beyond_float(part) for part in _looked_at(file, header)):
            warnings.append(beyond_float_words(path.name))
        grid = FileGrid(file=file, table=table_of(header, options))
        return _recording("npy", groups, [grid], options.rate_hz, warnings, close=file.close)
    except BaseException:
        file.close()
        raise


def _looked_at(file: ByteFile, header: ArrayHeader) -> Iterator[npt.NDArray[Any]]:
    """Yield the samples of an array of 64-bit integers in parts; of a large one, parts from its begin to its end."""
    if header.dtype.kind not in "iu" or header.dtype.itemsize < 8:
        return
    n_parts = -(-header.n_bytes // _LOOK_BYTES)
    for number in np.unique(np.linspace(0, n_parts - 1, min(n_parts, _MOST_LOOKS)).round().astype(int)).tolist():
        begin = number * _LOOK_BYTES
        raw = file.read(header.data_offset + begin, min(_LOOK_BYTES, header.n_bytes - begin))
        yield raw.view(header.dtype)


def _open_npz(path: Path, options: OpenOptions) -> Recording:
    warnings: list[str] = []
    file = ByteFile(path)
    try:
        with zipfile.ZipFile(path) as archive:
            found = _sort_members(archive, path, warnings)
            if wanted := options.value("array"):
                by_name = {entry[0].filename.removesuffix(".npy"): entry for entry in found.arrays}
                found.arrays = pick(by_name, wanted, path.name, "array")
            if not found.arrays:
                raise ReadError(f"{path.name} holds no arrays of samples", hint="save each channel as a 1-D array")
            rate_hz = _usable_rate(found.rates, options, warnings)
            shapes = [(member.filename.removesuffix(".npy"), header.shape) for member, header in found.arrays]
            groups = _groups_of(shapes, options, path.name, warnings)
            grids = _grids(archive, file, path, found, options, warnings)
        recording = _recording("npz", groups, grids, rate_hz, warnings, close=file.close, texts=found.texts)
    except _ZIP_FAILURES as error:
        file.close()
        reason = error.strerror if isinstance(error, OSError) else error
        raise ReadError(f"{path.name} is damaged: {reason}", hint="copy the file again") from error
    except BaseException:
        file.close()
        raise
    return recording


@dataclass(slots=True)
class _Members:
    """What the arrays of an archive are, by their names and types."""

    arrays: list[tuple[zipfile.ZipInfo, ArrayHeader]] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)


def _sort_members(archive: zipfile.ZipFile, path: Path, warnings: list[str]) -> _Members:
    found = _Members()
    for member, header in _members(archive, path):
        name = member.filename.removesuffix(".npy")
        if name in _TEXT_KEYS and header.dtype.kind == "U" and header.n_bytes <= _MOST_TEXT_BYTES:
            found.texts[name] = [str(text) for text in _member_array(archive, member, header, path).reshape(-1)]
        elif header.dtype.kind not in "iufb":
            warnings.append(f"{name} holds {_what(header.dtype)} and is left out")
        elif name in _RATE_KEYS and prod(header.shape) == 1:
            found.rates[name] = float(_member_array(archive, member, header, path).reshape(-1)[0])
        elif len(header.shape) in (1, 2):
            found.arrays.append((member, header))
        else:
            warnings.append(f"{name} has {len(header.shape)} dimensions and is left out")
    return found


def _grids(
    archive: zipfile.ZipFile,
    file: ByteFile,
    path: Path,
    found: _Members,
    options: OpenOptions,
    warnings: list[str],
) -> list[BlockSource]:
    """Return the arrays as sources: in memory where they are small, where they lie where they are not."""
    if may_be_held(sum(header.n_bytes for _, header in found.arrays), file.n_bytes):
        arrays = [_member_array(archive, member, header, path) for member, header in found.arrays]
        for (member, _), array in zip(found.arrays, arrays, strict=True):
            if is_beyond_float(array):
                warnings.append(beyond_float_words(member.filename.removesuffix(".npy")))
        return [MemoryGrid(values=_turned(array, options)) for array in arrays]
    grids: list[BlockSource] = []
    for member, header in found.arrays:
        place = _place_of(file, member)
        if member.compress_type == zipfile.ZIP_STORED and not member.flag_bits & 1:
            table = replace(table_of(header, options), first_byte=place + header.data_offset)
            if place + header.data_offset + header.n_bytes > file.n_bytes:
                raise ReadError(f"{member.filename} in {path.name} ends too early", hint="copy the file again")
            grids.append(FileGrid(file=file, table=table))
        elif member.compress_type == zipfile.ZIP_DEFLATED and not member.flag_bits & 1:
            # an archive may have thousands of arrays, and few of them have channels behind one another
            n_ends = min(2 * min(header.shape), MOST_ENDS) if len(header.shape) > 1 else 2
            unpacked = InflatedBytes(
                file, place, member.compress_size, member.file_size, window_bits=-15, most_ends=n_ends
            )
            grids.append(FileGrid(file=unpacked, table=table_of(header, options)))
        else:
            raise ReadError(
                f"{member.filename} in {path.name} is too large to be unpacked", hint="save its arrays as NPY files"
            )
    return grids


def _place_of(file: ByteFile, member: zipfile.ZipInfo) -> int:
    """Return where the content of a member begins: behind a header of its own."""
    head = file.read(member.header_offset, 30).tobytes()
    name_bytes, extra_bytes = struct.unpack_from("<HH", head, 26)
    return int(member.header_offset + 30 + name_bytes + extra_bytes)


def _members(archive: zipfile.ZipFile, path: Path) -> list[tuple[zipfile.ZipInfo, ArrayHeader]]:
    """Return the arrays of an archive with their headers, after holding their sizes against what is sensible."""
    members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
    found = [(member, _member_header(archive, member, path)) for member in members]
    for member, header in found:
        if header.n_bytes > _MOST_PACKED * max(member.compress_size, 1):
            raise ReadError(
                f"{member.filename} in {path.name} promises {header.n_bytes:,} bytes, which cannot be there",
                hint="save the arrays again",
            )
    return found


def _usable_rate(rates: dict[str, float], options: OpenOptions, warnings: list[str]) -> float | None:
    """Return the rate that the first of the known keys tells, or the one that was given."""
    usable: dict[str, float] = {}
    for name in _RATE_KEYS:
        if name in rates and np.isfinite(rates[name]) and rates[name] > 0:
            usable[name] = rates[name]
        elif name in rates:
            warnings.append(f"The rate {rates[name]:g} Hz in the file makes no sense and is not used")
    if not usable:
        return options.rate_hz
    name, said = next(iter(usable.items()))
    if len(set(usable.values())) > 1:
        told = ", ".join(f"{key} = {rate:g} Hz" for key, rate in usable.items())
        warnings.append(f"The file tells several rates ({told}): {name} is used")
    warnings += own_rate_words([said], options)
    return said


def _what(dtype: np.dtype[Any]) -> str:
    return "Python objects" if dtype.hasobject else "text" if dtype.kind in "SU" else f"values of type {dtype}"


def _member_header(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> ArrayHeader:
    with archive.open(member) as file:
        header = read_array_header(file, f"{member.filename} in {path.name}")  # type: ignore[arg-type]
    if not header.dtype.hasobject and header.n_bytes + header.data_offset > member.file_size:
        raise ReadError(
            f"{member.filename} in {path.name} promises {header.n_bytes:,} bytes of samples, "
            f"{member.file_size - header.data_offset:,} are there",
            hint="save the arrays again",
        )
    return header


def _member_array(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, header: ArrayHeader, path: Path
) -> npt.NDArray[Any]:
    data, done = np.empty(header.n_bytes, dtype=np.uint8), 0
    with archive.open(member) as file:
        file.read(header.data_offset)
        # the archive would make one long read of parts that it copies again and again
        while part := file.read(min(_UNPACK_BYTES, header.n_bytes - done)):
            data[done : done + len(part)] = np.frombuffer(part, dtype=np.uint8)
            done += len(part)
    if done < header.n_bytes:
        raise ReadError(f"{member.filename} in {path.name} ends too early", hint="copy the file again")
    return data.view(header.dtype).reshape(header.shape, order="F" if header.fortran_order else "C")


def _turned(array: npt.NDArray[Any], options: OpenOptions) -> npt.NDArray[Any]:
    """Return an array as (n_channels, n_samples)."""
    return array[np.newaxis] if array.ndim == 1 else array.T if options.samples_first else array


def _groups_of(
    shapes: Sequence[tuple[str, tuple[int, ...]]], options: OpenOptions, file: str, warnings: list[str]
) -> list[tuple[str, int, int]]:
    """Return (name, n_channels, n_samples) of each array, "" where it has no name."""
    groups = []
    for name, shape in shapes:
        what = f"{name} in {file}" if name else f"The array in {file}"
        if len(shape) not in (1, 2):
            raise ReadError(f"{what} has {len(shape)} dimensions", hint="save it with shape (n_channels, n_samples)")
        n_channels, n_samples = (1, shape[0]) if len(shape) == 1 else shape[::-1] if options.samples_first else shape
        if n_channels > 4 * max(n_samples, 1):
            warnings.append(
                f"{name or 'The array'} is read as {n_channels:,} channels of {n_samples:,} samples: "
                "turn it with --samples-first if that is the wrong way round"
            )
        groups.append((name, n_channels, n_samples))
    n_all = sum(n_channels for _, n_channels, _ in groups)
    if n_all > _MOST_CHANNELS:
        raise ReadError(f"{file} would have {n_all:,} channels", hint="turn its arrays with --samples-first")
    if n_all == 0:
        raise ReadError(f"{file} holds no channels", hint="save arrays with shape (n_channels, n_samples)")
    return groups


def _recording(
    format_: str,
    groups: Sequence[tuple[str, int, int]],
    grids: Sequence[BlockSource],
    rate_hz: float | None,
    warnings: list[str],
    *,
    close: Callable[[], None] = lambda: None,
    texts: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Recording:
    if rate_hz is None:
        warnings.append(NO_RATE)
    channels: list[Channel] = []
    places: list[Place] = []
    for (name, n_channels, n_samples), grid in zip(groups, grids, strict=True):
        for row in range(n_channels):
            label = f"ch{row}" if not name else name if n_channels == 1 else f"{name}[{row}]"
            kind = kind_of(name) if name else "misc"
            channels.append(Channel(name=label, kind=kind, rate_hz=rate_hz, n_samples=n_samples))
            places.append(Place(source=grid, row=row))
    told, units = texts.get("names", ()), texts.get("units", ())
    if len(units) == len(channels):
        channels = [replace(channel, unit=plain_unit(unit)) for channel, unit in zip(channels, units, strict=True)]
    if len(told) == len(channels) and all(told):
        channels = [
            replace(channel, name=name, kind=signal_kind_of(name, channel.unit))
            for channel, name in zip(channels, told, strict=True)
        ]
    names = unique_names(channel.name for channel in channels)
    longest = max(channel.n_samples for channel in channels)
    info = RecordingInfo(
        format=format_,
        duration_s=None if rate_hz is None else longest / rate_hz,
        channels=tuple(replace(channel, name=name) for channel, name in zip(channels, names, strict=True)),
        warnings=tuple(warnings),
    )
    if KEY in texts:
        info = with_notes(info, texts[KEY][0] if texts[KEY] else "")
    return SourcedRecording(info, places, close)


def _sniff(head: bytes) -> bool:
    return head[:6] == MAGIC or (head[:4] == b"PK\x03\x04" and b".npy" in head[:300])


def _open(path: Path, options: OpenOptions) -> Recording:
    with path.open("rb") as file:
        head = file.read(6)
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _open_npz(path, options)
    return _open_npy(path, options)


FORMAT = ReaderFormat(
    name="numpy",
    title="NumPy",
    suffixes=(".npy", ".npz"),
    sniff=_sniff,
    open=_open,
    options=(ReaderOption(name="array", title="Array", help="Of an archive: its name, or several with commas"),),
)
