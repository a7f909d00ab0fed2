"""Samples of a window, and the envelopes of its traces, collected block by block.

The blocks of a piece follow one another and may cut a bin anywhere: the parts of a bin are joined, so the envelope is
the same whatever the blocks are. Between pieces of different segments stands a column of NaN.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.compute.envelopes import Envelope
from jaxscope.compute.frames import TraceBlock
from jaxscope.compute.plan import GroupRequest, Piece
from jaxscope.display.envelope import CENTRE_BINS, first_bin, min_max, n_bins, robust_centre

FloatArray = npt.NDArray[np.float64]
Samples = npt.NDArray[np.floating]


class ShownSamples:
    """Samples behind a part of a frame: of the channels of one rate, before and after, from ``first_sample`` on.

    They are kept in the parts in which they were made and joined when somebody looks at them, which is seldom.
    """

    __slots__ = ("_after", "_before", "first_sample", "group", "piece")

    def __init__(
        self,
        *,
        group: GroupRequest,
        piece: Piece,
        first_sample: int,
        before: Sequence[Samples],
        after: Sequence[Samples],
    ) -> None:
        self.group, self.piece, self.first_sample = group, piece, first_sample
        self._before, self._after = list(before), list(after)

    @property
    def before(self) -> Samples:
        """The samples as recorded, shape (n_channels, n_samples)."""
        return _joined(self._before)

    @property
    def after(self) -> Samples:
        """The filtered samples; rows that nothing filters are as recorded."""
        return _joined(self._after)

    def of_rows(self, rows: Sequence[int]) -> tuple[Samples, Samples]:
        """Return before and after of some rows; to join them all would take longer than most that is done with them."""
        return _joined([part[rows] for part in self._before]), _joined([part[rows] for part in self._after])

    @property
    def n_samples(self) -> int:
        """Samples of a channel."""
        return sum(part.shape[1] for part in self._before)

    @property
    def n_values(self) -> int:
        """Samples times channels."""
        return sum(part.size for part in self._before)


def _joined(parts: list[Samples]) -> Samples:
    """Return parts as one array, and keep it in their place."""
    if len(parts) > 1:
        parts[:] = [np.concatenate(parts, axis=1)]
    return parts[0]


class BlockBuilder:
    """Collects the envelopes of pieces, with a column of NaN where a gap is."""

    def __init__(self, group: GroupRequest) -> None:
        self._group = group
        self._rows = np.array(group.filtered, dtype=bool)
        self._width = 2 if not self._rows.any() else 6 if group.wants_difference else 4
        self._times: list[FloatArray] = []
        #: of Before, After and the difference, low and high by turns: the parts that follow one another
        self._parts: list[list[FloatArray]] = [[] for _ in range(self._width)]
        self._segment: int | None = None
        self._done = 0
        self._first_bin = 0
        self._squares = np.zeros(len(group.channels))
        self._counts = np.zeros(len(group.channels))

    def begin(self, piece: Piece) -> None:
        """Begin a piece; pieces come in order of time."""
        group, bins = self._group, self._group.bin_samples
        if self._segment is not None and self._segment != piece.segment_first:
            self._times.append(np.array([np.nan]))
            for parts in self._parts:
                parts.append(np.full((len(group.channels), 1), np.nan))
        self._segment = piece.segment_first
        count = n_bins(piece.show_first, piece.show_stop - piece.show_first, bins)
        numbers = first_bin(piece.show_first, bins) + np.arange(count)
        self._times.append(np.maximum(numbers * bins, piece.show_first) / group.rate_hz + piece.shift_s)
        self._first_bin, self._done = first_bin(piece.show_first, bins), 0

    def add(
        self,
        first_sample: int,
        before: Samples,
        after: Samples,
        before_envelope: tuple[FloatArray, FloatArray] | None = None,
        after_envelope: tuple[FloatArray, FloatArray] | None = None,
    ) -> None:
        """Add a block of the piece, from ``first_sample`` on; the envelopes where they are known already."""
        bins = self._group.bin_samples
        if before.shape[1] == 0:
            return
        pairs = [before_envelope or min_max(before, first_sample=first_sample, bin_samples=bins)]
        if self._rows.any():
            pairs.append(after_envelope or min_max(after, first_sample=first_sample, bin_samples=bins))
            if self._group.wants_difference:
                removed = self._removed(before, after)
                pairs.append(min_max(removed, first_sample=first_sample, bin_samples=bins))
        at = first_bin(first_sample, bins) - self._first_bin
        width = pairs[0][0].shape[1]
        is_joined = at < self._done
        for number, values in enumerate(part for pair in pairs for part in pair):
            parts = self._parts[number]
            if is_joined:
                how = np.fmax if number % 2 else np.fmin
                last = parts.pop()
                halves = last[:, :-1], how(last[:, -1:], values[:, :1]), values[:, 1:]
                parts += [part for part in halves if part.shape[1]]
            else:
                parts.append(values)
        self._done = at + width

    def _removed(self, before: Samples, after: Samples) -> FloatArray:
        """Return what the filter took away, and add up its size."""
        difference = np.asarray(before - after, dtype=np.float64)
        difference[~self._rows] = np.nan
        squares = np.einsum("ij,ij->i", difference, difference)
        counts = np.full(squares.size, float(difference.shape[1]))
        for row in np.flatnonzero(np.isnan(squares)):
            known = difference[row][np.isfinite(difference[row])]
            squares[row], counts[row] = known @ known, known.size
        self._squares += squares
        self._counts += counts
        return difference

    def finish(self) -> TraceBlock:
        """Return the block."""
        group = self._group
        nothing = [np.zeros((len(group.channels), 0))]
        envelopes = [
            Envelope.of_parts(low or nothing, (high or nothing) if group.bin_samples > 1 else None)
            for low, high in zip(self._parts[0::2], self._parts[1::2], strict=True)
        ]
        before = envelopes[0]
        after = envelopes[1] if len(envelopes) > 1 else None
        before_offset = _centre(before)
        with np.errstate(invalid="ignore", divide="ignore"):
            removed = np.where(self._counts > 0, np.sqrt(self._squares / self._counts), np.nan)
        return TraceBlock(
            rate_hz=group.rate_hz,
            channels=group.channels,
            bin_samples=group.bin_samples,
            times_s=np.concatenate(self._times) if self._times else np.zeros(0),
            before=before,
            after=after,
            difference=envelopes[2] if len(envelopes) > 2 else None,
            filtered=group.filtered,
            before_offset=before_offset,
            after_offset=before_offset if after is None else _centre(after),
            removed_rms=removed,
        )


def _centre(envelope: Envelope) -> FloatArray:
    """Return the robust centre of each channel, from a part of the bins."""
    return robust_centre(*envelope.every(max(1, envelope.n_points // CENTRE_BINS)))
