"""One segment of a WFDB record: signals in files, frame after frame, some of them skewed.

A record of one header is one segment; a record of several is made of them. Samples are read where they are asked for,
from each signal file once for all its signals. What was not measured, lies beyond a skew, or has no file is NaN.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.base import is_there
from jaxscope.readers.tiles import each_part, near_columns, turn_table
from jaxscope.readers.wfdb_decode import (
    FLAC_FORMATS,
    BinarySignalFile,
    FlacSignalFile,
    IntArray,
    invalid_value,
    samples_held,
)
from jaxscope.readers.wfdb_header import NOTHING, RecordHeader, SignalHeader

SignalFile = BinarySignalFile | FlacSignalFile

#: How many flat samples are decoded at a time.
_BLOCK_SAMPLES, _BLOCK_FRAMES, _MOST_SAMPLES = 1 << 19, 4096, 1 << 21
#: Signal files that are kept open; a record may have thousands of segments.
_OPEN_FILES = 16


class FilePool:
    """Open signal files, the latest used; a file that falls out is closed when no read holds it any more."""

    def __init__(self) -> None:
        self._files: OrderedDict[tuple[Path, int], SignalFile] = OrderedDict()
        self._lock = Lock()
        self._is_closed = False

    def get(self, key: tuple[Path, int], opener: Callable[[], SignalFile]) -> SignalFile:
        """Return the file of a key, opened by ``opener`` where it is not open."""
        with self._lock:
            if self._is_closed:
                raise ReadError(f"{key[0].name} is closed", hint="open it again")
            if key not in self._files:
                self._files[key] = opener()
            self._files.move_to_end(key)
            while len(self._files) > _OPEN_FILES:
                self._files.popitem(last=False)
            return self._files[key]

    def close(self) -> None:
        """Let go of all files; reading afterwards raises ``ReadError``."""
        with self._lock:
            self._is_closed = True
            self._files.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The signals that share a file: their numbers in the header, and where each begins in a frame."""

    path: Path
    format: int
    first_byte: int
    members: tuple[int, ...]
    columns: tuple[int, ...]
    samples_per_frame: tuple[int, ...]
    initial: tuple[int, ...]

    @property
    def column_of(self) -> dict[int, int]:
        """Return where each signal begins in a frame."""
        return dict(zip(self.members, self.columns, strict=True))

    @property
    def width(self) -> int:
        """How many samples of all signals a frame holds."""
        return sum(self.samples_per_frame)

    def open(self, pool: FilePool) -> SignalFile:
        """Return the open file.

        Raises
        ------
        ReadError
            If it is missing or broken.
        """
        return pool.get((self.path, self.first_byte), self._opener)

    def _opener(self) -> SignalFile:
        if self.format in FLAC_FORMATS:
            return FlacSignalFile(
                self.path,
                form=self.format,
                first_sample=self.first_byte,
                samples_per_frame=self.samples_per_frame,
            )
        return BinarySignalFile(
            self.path,
            form=self.format,
            first_byte=self.first_byte,
            samples_per_frame=self.samples_per_frame,
            initial=self.initial,
        )

    def frames_held(self, pool: FilePool) -> int:
        """Return how many whole frames the file holds."""
        if self.format in FLAC_FORMATS:
            flac = self.open(pool)
            assert isinstance(flac, FlacSignalFile)
            return flac.n_frames
        return samples_held(self.format, self.path.stat().st_size - self.first_byte) // self.width


#: Signals of one file, whether they are made in one call, and the samples that are read together.
_Part = tuple[Group, list[int], bool, Span]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Frames ``first_frame`` to ``first_frame + n_frames`` of a record, from one header.

    ``n_stored`` is how many frames the files hold, at least: frames after it are only there for skewed signals.
    """

    signals: tuple[SignalHeader, ...]
    groups: tuple[Group, ...]
    n_frames: int
    n_stored: int
    first_frame: int = 0
    #: Number of a channel of the record to number of a signal here.
    signal_of: dict[int, int] = field(default_factory=dict)

    def read(self, pool: FilePool, span: Span, rows: dict[int, int], into: FloatArray) -> None:
        """Fill rows with samples of signals that have the same number of samples per frame.

        Parameters
        ----------
        pool : FilePool
        span : Span
            Samples of these signals, counted from the start of the segment.
        rows : dict of int to int
            Number of a signal to the row that is its own.
        into : ndarray of float64, shape (n_rows, n_samples)
            What is filled; where there is nothing it stays as it is.
        """
        parts: list[_Part] = []
        for group in self.groups:
            wanted = [member for member in group.members if member in rows]
            if wanted and len(span):
                n_frames = max(1, _BLOCK_SAMPLES // group.width, min(_BLOCK_FRAMES, _MOST_SAMPLES // group.width))
                step = n_frames * self.signals[wanted[0]].samples_per_frame
                is_plain = self._is_plain(group, wanted, rows)
                parts += [(group, wanted, is_plain, block) for block in span.blocks(step)]

        def fetch(part: _Part) -> IntArray:
            group, wanted, _, block = part
            frames = self._frames(wanted, block)
            return group.open(pool).read(frames.start, frames.stop) if len(frames) else np.empty((0, 0), dtype=np.int16)

        def make(part: _Part, table: IntArray) -> None:
            group, wanted, is_plain, block = part
            tile = into[:, block.start - span.start : block.stop - span.start]
            if not len(table):
                return
            if is_plain:
                first = rows[wanted[0]]
                self._put_plain(table, group, wanted, tile[first : first + len(wanted)])
            else:
                self._put_group(table, group, block, {member: tile[rows[member]] for member in wanted})

        each_part(parts, len(rows) * len(span), fetch, make)

    def _is_plain(self, group: Group, members: Sequence[int], rows: dict[int, int]) -> bool:
        """Say whether signals lie in each frame as in the rows: side by side, a sample each, of the same moment."""
        signals = [self.signals[member] for member in members]
        if any(signal.samples_per_frame > 1 or signal.skew or signal.is_code for signal in signals):
            return False
        column_of = group.column_of
        return len({column_of[member] - rows[member] for member in members}) == 1 and all(
            rows[after] == rows[member] + 1 for member, after in pairwise(members)
        )

    def _put_plain(self, table: IntArray, group: Group, members: Sequence[int], into: FloatArray) -> None:
        """Make values of all rows in one call: threads that take turns for each row wait longer than they work."""
        first = group.column_of[members[0]]
        table = table[:, first : first + len(members)]
        turn_table(table, into)
        invalid = invalid_value(group.format)
        missing = None if invalid is None else (table == invalid).T
        _to_units(into, [self.signals[member] for member in members], missing)

    def fills_all(self, channels: Iterable[int]) -> bool:
        """Say whether all of these channels of the record have samples here, from the first frame to the last."""
        held = {member for group in self.groups for member in group.members}
        signals = [self.signal_of.get(channel, -1) for channel in channels]
        return self.n_frames <= self.n_stored and all(
            signal in held and not self.signals[signal].skew for signal in signals
        )

    def _frames(self, members: Sequence[int], span: Span) -> Span:
        """Return the frames that hold these samples of signals, skewed as they are."""
        skews = [self.signals[member].skew for member in members]
        per_frame = self.signals[members[0]].samples_per_frame
        frames = Span(span.start // per_frame + min(skews), -(-span.stop // per_frame) + max(skews))
        return frames.clip(self.n_stored)

    def _put_group(self, table: IntArray, group: Group, span: Span, rows: dict[int, FloatArray]) -> None:
        """Make values of the frames that hold samples of these signals."""
        per_frame = self.signals[next(iter(rows))].samples_per_frame
        frames = self._frames(list(rows), span)
        invalid = invalid_value(group.format)
        has_invalid = invalid is not None and bool((table == invalid).any())
        columns = near_columns(table) if per_frame == 1 and 2 * len(rows) >= table.shape[1] else None
        have = Span(frames.start * per_frame, frames.stop * per_frame)
        column_of = group.column_of
        for skew in {self.signals[member].skew for member in rows}:
            # A sample of a skewed signal lies some frames later in the file.
            stored = span.shift(skew * per_frame)
            shared = stored.intersect(have)
            held = slice(shared.start - have.start, shared.stop - have.start)
            into = slice(shared.start - stored.start, shared.stop - stored.start)
            for member, row in rows.items():
                signal, column = self.signals[member], column_of[member]
                if signal.skew == skew:
                    values = table[:, column : column + per_frame].reshape(-1) if columns is None else columns[column]
                    _put(values[held], signal, row[into], may_miss=has_invalid)


def _put(values: IntArray, signal: SignalHeader, into: FloatArray, *, may_miss: bool) -> None:
    """Make samples in units, NaN where nothing was measured; codes as the bits that are stored."""
    invalid = invalid_value(signal.format)
    if signal.is_code:
        into[...] = values.astype(np.int64) % (-2 * invalid) if invalid is not None else values
        return
    into[...] = values
    _to_units(into[np.newaxis], [signal], (values == invalid)[np.newaxis] if may_miss else None)


def _to_units(values: FloatArray, signals: Sequence[SignalHeader], missing: npt.NDArray[np.bool_] | None) -> None:
    """Make samples of stored numbers in place, a row for each signal, NaN where they are ``missing``."""
    baselines, gains = (np.array([[getattr(one, name)] for one in signals], float) for name in ("baseline", "gain"))
    if baselines.any():
        values -= baselines
    if (gains != 1).any():
        values /= gains
    if missing is not None and missing.any():
        values[missing] = np.nan


def make_segment(folder: Path, header: RecordHeader, pool: FilePool, warnings: list[str]) -> Segment:
    """Find the files of a record of one header, and hold its length against them.

    Raises
    ------
    ReadError
        If a file is missing; the sentence names it.
    """
    groups = []
    held: list[tuple[int, str]] = []
    for file_name in dict.fromkeys(signal.file_name for signal in header.signals):
        members = [number for number, signal in enumerate(header.signals) if signal.file_name == file_name]
        if file_name == NOTHING:
            continue
        group = _group(folder, header, file_name, members)
        groups.append(group)
        held.append((group.frames_held(pool), group.path.name))
    fewest, shortest = min(held, default=(header.n_frames or 0, ""))
    n_frames = header.n_frames if header.n_frames is not None else fewest
    if fewest < n_frames:
        warnings.append(
            f"{shortest} is shorter than its header says: {n_frames:,} frames are promised, {fewest:,} are there"
        )
    return Segment(
        signals=header.signals, groups=tuple(groups), n_frames=min(n_frames, fewest), n_stored=min(n_frames, fewest)
    )


def _group(folder: Path, header: RecordHeader, file_name: str, members: Sequence[int]) -> Group:
    signals = [header.signals[member] for member in members]
    path = folder / Path(file_name.replace("\\", "/"))
    if Path(file_name).is_absolute() or not is_there(path):
        raise ReadError(
            f"{file_name}, which holds the samples of {header.name}.hea, is not there",
            hint="keep the files of a recording together",
        )
    if path.suffix.lower() == ".hea":
        raise ReadError(
            f"{header.name}.hea names {file_name}, a header, as the file of its samples", hint="copy the record again"
        )
    form, first_byte = signals[0].format, signals[0].first_byte
    if any(signal.format != form for signal in signals):
        raise ReadError(
            f"{header.name}.hea gives {file_name} more than one format", hint="the header is damaged: copy it again"
        )
    if form == 0:
        raise ReadError(f"{header.name}.hea gives {file_name} no format", hint="the header is damaged: copy it again")
    per_frame = [signal.samples_per_frame for signal in signals]
    columns = np.cumsum([0, *per_frame[:-1]]).tolist()
    return Group(
        path=path,
        format=form,
        first_byte=first_byte,
        members=tuple(members),
        columns=tuple(columns),
        samples_per_frame=tuple(per_frame),
        initial=tuple(signal.initial for signal in signals),
    )
