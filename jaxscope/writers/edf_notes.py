"""Annotations and the times of records, as the annotation signal of EDF+ stores them.

Each record has the same number of bytes for annotations, so the least number is sought into which all fit: each record
begins with its own time, and annotations follow in order of time, each whole within one record.

Source: section 2.2 of the EDF+ specification (edfplus.info), "time-stamped annotations lists".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jaxscope.data.annotations import CHANNEL_MARK, Annotation

#: Marks samples that were added to fill the last data record.
FILLED_TEXT = "filled: last value repeated"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRecords:
    """What the annotation signal holds. ``n_bytes`` is the width of each record."""

    n_bytes: int
    onsets: tuple[bytes, ...]
    placed: dict[int, bytes]

    def record(self, number: int) -> bytes:
        """Return the bytes of one record."""
        return (self.onsets[number] + self.placed.get(number, b"")).ljust(self.n_bytes, b"\0")


def channel_notes(notes: Iterable[Annotation], names: Mapping[str, str]) -> list[Annotation]:
    """Return events as EDF+ can hold them: one for each channel, named in the text, and bad by their text.

    ``names`` are those under which the channels are read again.
    """
    return [
        Annotation(
            onset_s=note.onset_s,
            duration_s=note.duration_s,
            text=f"{note.plain_text}{CHANNEL_MARK}{names[name]}" if name in names else note.plain_text,
        )
        for note in notes
        for name in (note.channels or ("",))
    ]


def plan_notes(
    notes: Sequence[Annotation], onsets_s: Iterable[float], n_records: int, sample_bytes: int, start_s: float
) -> NoteRecords:
    """Distribute annotations over the records.

    Parameters
    ----------
    notes : sequence of Annotation
        Seconds count from the first sample.
    onsets_s : iterable of float
        When each record begins, in the same seconds.
    n_records : int
    sample_bytes : int
        The width is a multiple of this.
    start_s : float
        When the first sample is, after the whole second in the header.
    """
    onsets = tuple(b"+" + _decimal(onset + start_s) + b"\x14\x14\0" for onset in onsets_s)
    lists = [_encoded(note, start_s) for note in sorted(notes, key=lambda note: note.onset_s)]
    widest = max(map(len, onsets))
    sizes = np.array([len(entry) for entry in lists], dtype=np.int64)
    room = max(int(sizes.max(initial=0)), -(-int(sizes.sum()) // n_records))
    while (placed := _place(lists, n_records, room)) is None:
        room += max(2, room // 8)
    width = -(-(widest + room) // sample_bytes) * sample_bytes
    # At least 15 samples wide, as other programs expect room for annotations of their own.
    return NoteRecords(n_bytes=max(width, 15 * sample_bytes), onsets=onsets, placed=placed)


def _place(lists: Sequence[bytes], n_records: int, room: int) -> dict[int, bytes] | None:
    """Fill the records in order; None where not all fit."""
    placed: dict[int, bytes] = {}
    record, held = 0, b""
    for entry in lists:
        if len(held) + len(entry) > room:
            placed[record] = held
            record, held = record + 1, b""
        held += entry
    if held:
        placed[record] = held
    return placed if record < n_records else None


def _encoded(note: Annotation, start_s: float) -> bytes:
    onset_s = note.onset_s + start_s
    text = re.sub(r"[\x00\x14\x15]", " ", note.text).encode("utf-8")
    sign = b"-" if onset_s < 0 else b"+"
    duration = b"" if note.duration_s is None else b"\x15" + _decimal(note.duration_s)
    return sign + _decimal(abs(onset_s)) + duration + b"\x14" + text + b"\x14\0"


def _decimal(seconds: float) -> bytes:
    """Return seconds to the microsecond and beyond, without zeros that say nothing."""
    return f"{seconds:.9f}".rstrip("0").rstrip(".").encode()
