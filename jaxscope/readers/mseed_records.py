"""Where the records of a miniSEED file lie, when they begin and how they are encoded.

A file is a row of records without a table of contents, so all headers are read once at opening. Records that are laid
out like the one before them, which is nearly all of them, are taken in by the thousand. A header is believed only
where its lengths fit the record; what is no record is stepped over, counted and told.

Source: SEED manual 2.4, chapter 8, "Data records".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.errors import ReadError
from jaxscope.readers.byte_file import ByteArray, ByteFile
from jaxscope.readers.mseed_headers import FIXED_BYTES, header_orders, is_header, looks_like_header, order_in

_LEAST_RECORD, _MOST_RECORD = 128, 1 << 20
_STEP = 64
_BUFFER_BYTES = 8 << 20
_TYPE_DATA, _TYPE_RATE, _TYPE_MICROSECONDS = 1000, 100, 1001
_MOST_BLOCKETTES = 64
_FIRST_WINDOW = 4
_STEIM1 = 10
#: By year: the days from 1970 to its begin.
_DAYS = (np.arange(2101) - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
#: So many channels of a run are told apart one by one.
_FEW_LABELS = 24
#: A rate below one sample in thirty years is damage, and none.
_LEAST_HZ = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a record is laid out. Equal layouts are decoded together."""

    order: str
    data_order: str
    n_bytes: int
    data_offset: int
    encoding: int
    #: Where the blockette with the exact rate and that with the microseconds begin, None where there is none.
    rate_at: int | None
    microseconds_at: int | None
    #: The end of the blockettes that the layout rests on.
    stop_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """All records of a file, one row each, in as few bytes as may be: large files have tens of millions.

    ``identity`` is an index into ``identities`` (station, location, channel, network, rate) and ``layout`` one into
    ``layouts``.
    """

    positions: npt.NDArray[np.int64]
    n_samples: npt.NDArray[np.uint16]
    starts_ns: npt.NDArray[np.int64]
    identity: npt.NDArray[np.int32]
    layout: npt.NDArray[np.int32]
    identities: list[tuple[str, float]]
    layouts: list[Layout]


@dataclass(slots=True)
class Found:
    """What has been found so far."""

    layouts: dict[Layout, int] = field(default_factory=dict)
    identities: dict[tuple[str, float], int] = field(default_factory=dict)
    parts: list[tuple[npt.NDArray[Any], ...]] = field(default_factory=list)
    n_foreign_bytes: int = 0
    n_cut_bytes: int = 0
    n_broken: int = 0


def sniff_mseed(head: bytes) -> bool:
    """Say whether these bytes can only be a miniSEED record or the volume header of full SEED."""
    if len(head) < FIXED_BYTES or not head[:6].isdigit():
        return False
    volume = head[6:7] == b"V" and head[7:8] == b" " and head[8:11] in (b"008", b"010", b"011")
    return is_header(head[:FIXED_BYTES]) or volume


def scan_next(file: ByteFile, position: int, found: Found) -> int:
    """Take in the records that lie in the next megabytes; return how far the scan has come, the end where it is over.

    Parameters
    ----------
    file : ByteFile
    position : int
        Where a record may begin.
    found : Found
        What came before; it grows.
    """
    if position + FIXED_BYTES <= file.n_bytes:
        raw = file.read(position, min(_BUFFER_BYTES, file.n_bytes - position))
        position += _scan_buffer(file, raw, position, found)
        if position + FIXED_BYTES <= file.n_bytes:
            return position
    found.n_foreign_bytes += max(0, file.n_bytes - position)
    return file.n_bytes


def records_of(name: str, found: Found, warnings: list[str]) -> Records:
    """Return all records that were found, and tell what is none.

    Raises
    ------
    ReadError
        If there are none.
    """
    if not found.parts:
        what = "only records with damaged headers" if found.n_broken else "no miniSEED records"
        raise ReadError(f"{name} holds {what}", hint="copy the file again, or choose another")
    if found.n_broken:
        warnings.append(f"{found.n_broken:,} records have damaged headers and are left out")
    if found.n_cut_bytes:
        warnings.append(
            f"{name} stops inside its last record: {found.n_cut_bytes:,} bytes of it are there and are left out"
        )
    if found.n_foreign_bytes:
        warnings.append(f"{found.n_foreign_bytes:,} bytes that belong to no data record are left out")
    columns = [np.concatenate(column) for column in zip(*found.parts, strict=True)]
    found.parts = [tuple(columns)]  # what is known is kept once
    return Records(
        positions=columns[0],
        n_samples=columns[1],
        starts_ns=columns[2],
        identity=columns[3],
        layout=columns[4],
        identities=list(found.identities),
        layouts=list(found.layouts),
    )


def _scan_buffer(file: ByteFile, raw: ByteArray, position: int, found: Found) -> int:
    """Take in the records that lie whole in a buffer; return how far the scan has come, more than 0."""
    is_last = position + len(raw) >= file.n_bytes
    at = 0
    while at + FIXED_BYTES <= len(raw):
        if not is_header(raw[at : at + FIXED_BYTES].tobytes()):
            step = _to_next_header(raw, at)
            found.n_foreign_bytes += 0 if _is_control(raw[at : at + 8]) else step
            at += step
            continue
        if not is_last and at and at + _MOST_RECORD > len(raw):
            return at
        layout = _layout_at(raw[at:], is_last=is_last)
        if layout is None:
            step = _to_next_header(raw, at)
            found.n_broken += 1
            at += step
            continue
        if at + layout.n_bytes > len(raw):
            if is_last:
                found.n_cut_bytes = len(raw) - at
                return len(raw)
            return at  # the next buffer begins with this record; it is larger than any record
        n_records = _run_length(raw, at, layout)
        _take(raw, at, n_records, layout, position, found)
        at += n_records * layout.n_bytes
    return at


def _is_control(head: ByteArray) -> bool:
    """Say whether this is a header of full SEED, or blanks between records."""
    return bool(head[6] in b"VAST ") and all(byte in b"0123456789 " for byte in head[:6].tobytes())


def _to_next_header(raw: ByteArray, at: int) -> int:
    """Return how many bytes further the next header may be, in whole steps."""
    rest = raw[at + _STEP :]
    n_places = (len(rest) - FIXED_BYTES) // _STEP + 1 if len(rest) >= FIXED_BYTES else 0
    if not n_places:
        return _STEP
    heads = np.lib.stride_tricks.as_strided(rest, (n_places, FIXED_BYTES), (_STEP, 1), writeable=False)
    for start, stop in _growing(n_places):
        places = np.flatnonzero(looks_like_header(heads[start:stop]))
        if len(places):
            return _STEP + (start + int(places[0])) * _STEP
    return _STEP + n_places * _STEP


def _growing(n_rows: int) -> Iterator[tuple[int, int]]:
    """Yield windows over rows, each much longer than the one before: what is found soon costs little."""
    start, length = 0, _FIRST_WINDOW
    while start < n_rows:
        yield start, min(start + length, n_rows)
        start, length = start + length, length * 8


def _layout_at(raw: ByteArray, *, is_last: bool) -> Layout | None:
    """Return the layout of the record at the beginning of ``raw``, None where its header cannot be believed."""
    order = order_in(raw[:FIXED_BYTES].tobytes()) or ">"
    data_offset, first = np.frombuffer(raw[44:48].tobytes(), f"{order}u2").tolist()
    encoding, data_order, n_bytes = _STEIM1, order, 0
    rate_at = microseconds_at = None
    stop_at = FIXED_BYTES
    here = first
    for kind, at, following in _blockettes(raw, first, order):
        here = following
        if kind == _TYPE_DATA and at + 8 <= len(raw) and 7 <= raw[at + 6] <= 20:
            encoding, n_bytes = int(raw[at + 4]), 1 << int(raw[at + 6])
            data_order = "<" if raw[at + 5] == 0 else ">"
        elif kind == _TYPE_RATE:
            rate_at = at
        elif kind == _TYPE_MICROSECONDS:
            microseconds_at = at
        stop_at = max(stop_at, at + 8)
    if not n_bytes:
        n_bytes = _length_without_blockette(raw, is_last=is_last)
    has_data = bool(raw[30:32].any())
    if here or not n_bytes or (has_data and not FIXED_BYTES <= data_offset < n_bytes) or stop_at > n_bytes:
        return None
    return Layout(
        order=order,
        data_order=data_order,
        n_bytes=n_bytes,
        data_offset=data_offset if has_data else 0,
        encoding=encoding,
        rate_at=rate_at,
        microseconds_at=microseconds_at,
        stop_at=stop_at,
    )


def _blockettes(raw: ByteArray, first: int, order: str) -> Iterator[tuple[int, int, int]]:
    """Yield type, place and following place of each blockette; the last one yielded leads on where they are broken."""
    at = first
    for _ in range(_MOST_BLOCKETTES):
        if not FIXED_BYTES <= at <= len(raw) - 4:
            return
        kind, following = np.frombuffer(raw[at : at + 4].tobytes(), f"{order}u2").tolist()
        if following and following <= at:
            yield kind, at, following
            return
        yield kind, at, following
        if not following:
            return
        at = following


def _length_without_blockette(raw: ByteArray, *, is_last: bool) -> int:
    """Return the length of a record that does not tell it: up to the next header, or to the end of the file."""
    length = _LEAST_RECORD
    while length <= _MOST_RECORD:
        head = raw[length : length + FIXED_BYTES].tobytes()
        if len(head) == FIXED_BYTES and is_header(head):
            return length
        if is_last and length == len(raw):
            return length
        length *= 2
    return 0


def _run_length(raw: ByteArray, at: int, layout: Layout) -> int:
    """Return how many records in a row have the layout of the one at ``at``."""
    n_records = (len(raw) - at) // layout.n_bytes if layout.data_offset else 1
    table = raw[at : at + n_records * layout.n_bytes].reshape(n_records, layout.n_bytes)
    skip = np.zeros(layout.stop_at, dtype=np.bool_)
    for place in (layout.rate_at, layout.microseconds_at):
        if place is not None:
            skip[place + 4 : place + 8] = True
    places = np.flatnonzero(~skip[FIXED_BYTES:]) + FIXED_BYTES
    places = np.concatenate([[39, 44, 45, 46, 47], places])
    wanted = table[0, places].tolist()
    order = 1 if layout.order == ">" else -1
    for start, stop in _growing(n_records):
        rows = np.ascontiguousarray(table[start:stop, : layout.stop_at])  # headers alone, side by side
        alike = header_orders(rows) == order
        for place, value in zip(places.tolist(), wanted, strict=True):
            alike &= rows[:, place] == value
        alike &= ((rows[:, 30] | rows[:, 31]) != 0) | (layout.data_offset == 0)
        different = np.flatnonzero(~alike)
        if len(different):
            return max(1, start + int(different[0]))
    return n_records


def _take(raw: ByteArray, at: int, n_records: int, layout: Layout, position: int, found: Found) -> None:
    table = raw[at : at + n_records * layout.n_bytes].reshape(n_records, layout.n_bytes)
    heads = np.ascontiguousarray(table[:, : layout.stop_at])
    layout_index = found.layouts.setdefault(layout, len(found.layouts))
    keys = [heads[:, 8:20], heads[:, 32:36]]
    if layout.rate_at is not None:
        keys.append(heads[:, layout.rate_at + 4 : layout.rate_at + 8])
    labels, inverse = _distinct(np.ascontiguousarray(np.concatenate(keys, axis=1)))
    known = [found.identities.setdefault(_identity(label, layout.order), len(found.identities)) for label in labels]
    found.parts.append(
        (
            position + at + np.arange(n_records, dtype=np.int64) * layout.n_bytes,
            _stored(heads[:, 30:32], f"{layout.order}u2").astype(np.uint16)
            if layout.data_offset
            else np.zeros(n_records, np.uint16),
            _starts_ns(heads, layout),
            np.array(known, dtype=np.int32)[inverse],
            np.full(n_records, layout_index, dtype=np.int32),
        )
    )


def _distinct(rows: ByteArray) -> tuple[list[bytes], npt.NDArray[np.intp]]:
    """Return the distinct rows in order, and for each row which of them it is.

    Most files hold few channels, which are found sooner one by one than by sorting.
    """
    words = np.ascontiguousarray(rows.view(np.uint32).T)
    place = np.full(len(rows), -1, dtype=np.intp)
    labels: list[bytes] = []
    at = 0
    while len(labels) < _FEW_LABELS:
        same = words[0] == words[0, at]
        for column in words[1:]:
            same &= column == column[at]
        place[same] = len(labels)
        labels.append(rows[at].tobytes())
        left = place < 0
        at = int(left.argmax())
        if not left[at]:
            order = sorted(range(len(labels)), key=labels.__getitem__)
            return [labels[number] for number in order], np.argsort(order)[place]
    found, inverse = np.unique(rows.view(f"V{rows.shape[1]}").reshape(-1), return_inverse=True)
    return [label.tobytes() for label in found], inverse


def _stored(columns: ByteArray, dtype: str) -> npt.NDArray[np.integer[Any]]:
    return np.ascontiguousarray(columns).view(dtype).reshape(-1)


def _numbers(columns: ByteArray, dtype: str) -> npt.NDArray[np.int64]:
    return _stored(columns, dtype).astype(np.int64)


def _starts_ns(table: ByteArray, layout: Layout) -> npt.NDArray[np.int64]:
    """Return when the records begin, in nanoseconds since 1970."""
    year, day = _numbers(table[:, 20:22], f"{layout.order}u2"), _numbers(table[:, 22:24], f"{layout.order}u2")
    days = _DAYS[year] + day - 1
    seconds = days * 86400 + table[:, 24].astype(np.int64) * 3600 + table[:, 25].astype(np.int64) * 60 + table[:, 26]
    fractions = _numbers(table[:, 28:30], f"{layout.order}u2")
    # The correction is in the header; a flag says whether the time has it already.
    correction = _numbers(table[:, 40:44], f"{layout.order}i4")
    fractions += np.where(table[:, 36] & 2, 0, correction)
    result = seconds * 1_000_000_000 + fractions * 100_000
    if layout.microseconds_at is not None:
        result += table[:, layout.microseconds_at + 5].view(np.int8).astype(np.int64) * 1000
    return result


def _identity(label: bytes, order: str) -> tuple[str, float]:
    """Return the name (network, station, location, channel) and the rate that the bytes of a header tell."""
    station, location, channel, network = (
        part.decode("ascii", "ignore").replace("\0", "").strip()
        for part in (label[:5], label[5:7], label[7:10], label[10:12])
    )
    factor, multiplier = np.frombuffer(label[12:16], f"{order}i2").tolist()
    rate_hz = _rate(factor, multiplier)
    if len(label) == 20:
        exact = float(np.frombuffer(label[16:20], f"{order}f4")[0])
        rate_hz = exact if np.isfinite(exact) and exact > 0 else rate_hz
    return f"{network}.{station}.{location}.{channel}", rate_hz if rate_hz >= _LEAST_HZ else 0.0


def _rate(factor: int, multiplier: int) -> float:
    """Return the rate in Hz; negative numbers divide. 0 where there is none."""
    if not factor:
        return 0.0
    base = float(factor) if factor > 0 else -1.0 / factor
    if not multiplier:
        return base
    return base * multiplier if multiplier > 0 else base / -multiplier
