"""The fixed header of a miniSEED record: whether bytes are one, many rows at a time or one alone.

Source: SEED manual 2.4, chapter 8, "Fixed section of data header".
"""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

from jaxscope.readers.byte_file import ByteArray

FIXED_BYTES = 48
_QUALITIES = b"DRQM"
#: Which bytes may be in the number of a record, and which are its quality.
_IN_NUMBER = np.isin(np.arange(256), np.frombuffer(b"0123456789 \0", dtype=np.uint8))
_IN_QUALITIES = np.isin(np.arange(256), np.frombuffer(_QUALITIES, dtype=np.uint8))


def looks_like_header(heads: ByteArray) -> npt.NDArray[np.bool_]:
    """Say which rows may be headers of data records. Shape (n, at least 48)."""
    return np.not_equal(header_orders(heads), 0)


def header_orders(heads: ByteArray) -> npt.NDArray[np.int8]:
    """Return 1 where a row may be a big-endian header, -1 for a little-endian one, 0 for none. Shape (n, at least 48).

    Column by column, as rows of some bytes are slow to be taken together.
    """
    good = _IN_QUALITIES[heads[:, 6]]
    for place in range(6):
        good &= _IN_NUMBER[heads[:, place]]
    good &= (heads[:, 7] == 32) | (heads[:, 7] == 0)
    good &= (heads[:, 24] < 24) & (heads[:, 25] < 60) & (heads[:, 26] <= 60)
    orders = _orders_of_dates(heads)
    orders[~good] = 0
    return orders


def is_header(head: bytes) -> bool:
    """Say the same of one header, sooner."""
    return (
        all(_IN_NUMBER[byte] for byte in head[:6])
        and head[6] in _QUALITIES
        and head[7] in (32, 0)
        and head[24] < 24
        and head[25] < 60
        and head[26] <= 60
        and order_in(head) is not None
    )


def order_in(head: bytes) -> str | None:
    """Return the byte order in which year and day make sense, None where neither does."""
    for order in "><":
        year, day = struct.unpack_from(f"{order}HH", head, 20)
        if 1900 <= year <= 2100 and 1 <= day <= 366:
            return order
    return None


def _orders_of_dates(heads: ByteArray) -> npt.NDArray[np.int8]:
    """Return 1 where year and day make sense as big-endian, -1 as little-endian, 0 for neither."""
    dates = np.ascontiguousarray(heads[:, 20:24])
    orders = np.zeros(len(heads), dtype=np.int8)
    for order, dtype in ((-1, "<u2"), (1, ">u2")):
        year, day = dates.view(dtype).astype(np.uint16).T
        orders[_is_date(year, day)] = order
    return orders


def _is_date(year: npt.NDArray[np.uint16], day: npt.NDArray[np.uint16]) -> npt.NDArray[np.bool_]:
    return (year >= 1900) & (year <= 2100) & (day >= 1) & (day <= 366)
