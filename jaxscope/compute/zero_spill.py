"""Zero phase over a segment of any length, exactly: forward and backward through a file on disk.

Where a chain forgets so slowly that the context of a block would not fit into memory, each part of it runs forward
over the whole segment in a spill file and backward over that file, with SciPy's padding at both ends and its steady
starts. Samples that are missing split a channel into runs of their own. Memory is a few blocks; closing removes the
file.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope import unfinished
from jaxscope.compute.library import ProgramKey, ProgramLibrary
from jaxscope.errors import WriteError
from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Taps

FloatArray = npt.NDArray[np.float64]
#: Samples (channels times time) that are in memory at once.
PIECE_VALUES = 2_000_000


class ZeroPhaseSpill:
    """Samples of one segment on disk, filtered in place.

    Parameters
    ----------
    folder : str
        Where the file lies while it is needed.
    n_rows, n_samples : int
        Channels and samples of the segment.

    Raises
    ------
    WriteError
        Where the disk has no room.
    """

    def __init__(self, folder: str, n_rows: int, n_samples: int) -> None:
        needed = n_rows * n_samples * 8
        free = shutil.disk_usage(folder).free
        if needed > free:
            raise WriteError(
                f"Not enough room in {folder}: {needed / 1e9:.1f} GB needed while filtering, {free / 1e9:.1f} GB free",
                hint="choose another folder, or a causal filter",
            )
        self._path = unfinished.name_beside(Path(folder) / "zero-phase", "spill")
        self.samples: np.memmap[Any, np.dtype[np.float64]] | None = None
        unfinished.make(self._path)
        try:
            self.samples = np.memmap(self._path, dtype=np.float64, mode="w+", shape=(n_rows, n_samples))
        except BaseException:  # a disk may know no files as large as that
            self.close()
            raise
        self.length = max(1, PIECE_VALUES // max(1, n_rows))

    def close(self) -> None:
        """Remove the file."""
        self.samples = None
        unfinished.remove(self._path)

    def _held(self) -> np.memmap[Any, np.dtype[np.float64]]:
        if self.samples is None:
            raise ValueError("the spill file is closed")
        return self.samples

    def put(self, first: int, x: FloatArray) -> None:
        """Store samples from column ``first`` on."""
        self._held()[:, first : first + x.shape[1]] = x

    def get(self, first: int, stop: int) -> FloatArray:
        """Return the columns ``first`` to ``stop``."""
        return np.array(self._held()[:, first:stop])

    def filter(self, key: ProgramKey, programs: ProgramLibrary) -> Iterator[None]:
        """Filter what is stored with the zero-phase chain of ``key``; yield after each piece."""
        designs = key.designs if len(key.designs) > 1 else key.designs * key.n_channels
        for rows, first, stop in self._runs(split=designs[0].gaps == "segment"):
            for number in range(len(designs[0].parts)):
                edges: dict[int, list[int]] = {}
                for row in rows:
                    edges.setdefault(_edge(designs[row], number, stop - first), []).append(row)
                for edge, own in edges.items():
                    alone = tuple(replace(designs[row], parts=(designs[row].parts[number],)) for row in own)
                    part_key = replace(key, designs=alone, n_channels=len(own))
                    yield from self._part(part_key, programs, own, first, stop, edge)

    def _runs(self, *, split: bool) -> list[tuple[list[int], int, int]]:
        """Return rows with the span of each finite run; rows without a hole run together."""
        held = self._held()
        whole: list[int] = []
        runs: list[tuple[list[int], int, int]] = []
        for row in range(held.shape[0]):
            if not split or not _has_nan(held[row]):
                whole.append(row)
                continue
            mask = np.isnan(held[row])
            edges = np.flatnonzero(np.diff(np.concatenate(([True], mask, [True])).astype(np.int8)))
            runs.extend(([row], int(a), int(b)) for a, b in edges.reshape(-1, 2))
        return ([(whole, 0, held.shape[1])] if whole else []) + runs

    def _part(
        self, key: ProgramKey, programs: ProgramLibrary, rows: list[int], first: int, stop: int, edge: int
    ) -> Iterator[None]:
        part, design = key.designs[0].parts[0], key.designs[0]
        forward = replace(key, designs=tuple(_one_way(one) for one in key.designs))
        program = programs.get(forward)
        held = self._held()
        left, right = _paddings(held, rows, first, stop, edge, design.padding_kind)
        state = program.start()
        _, state = program.step(left, state)
        if _runs_once(part):
            yield from self._once(program, state, rows, first, stop, right, edge)
            return
        for at in range(first, stop, self.length):
            end = min(stop, at + self.length)
            y, state = program.step(np.array(held[rows, at:end]), state)
            held[rows, at:end] = y
            yield
        tail, _ = program.step(right, state)
        state = program.start()
        _, state = program.step(np.ascontiguousarray(tail[:, ::-1]), state)
        for end in range(stop, first, -self.length):
            at = max(first, end - self.length)
            y, state = program.step(np.array(held[rows, at:end][:, ::-1]), state)
            held[rows, at:end] = y[:, ::-1]
            yield

    def _once(
        self, program: Any, state: Any, rows: list[int], first: int, stop: int, right: FloatArray, half: int
    ) -> Iterator[None]:
        """Run a centred part once: what comes out is ``half`` samples late and is put back by as many."""
        held = self._held()
        skip, at = half, first
        for begin in range(first, stop, self.length):
            y, state = program.step(np.array(held[rows, begin : min(stop, begin + self.length)]), state)
            y = y[:, skip:] if skip < y.shape[1] else y[:, :0]
            skip = max(0, skip - self.length)
            held[rows, at : at + y.shape[1]] = y
            at += y.shape[1]
            yield
        y, _ = program.step(right, state)
        held[rows, at:stop] = y[:, y.shape[1] - (stop - at) :]


def _has_nan(x: npt.NDArray[np.float64]) -> bool:
    return any(bool(np.isnan(x[at : at + PIECE_VALUES]).any()) for at in range(0, x.size, PIECE_VALUES))


def _one_way(design: ChainDesign) -> ChainDesign:
    """Return a part as one steady pass that lets NaN through: runs and padding are dealt with here."""
    return replace(design, phase="causal", initial="steady", gaps="propagate")


def _runs_once(part: Realisation) -> bool:
    return isinstance(part, RunningMedian) or (isinstance(part, Taps) and part.runs_once)


def _edge(design: ChainDesign, number: int, n_samples: int) -> int:
    from jaxscope.engines.edges import pad_length

    return pad_length(design.parts[number], design.padding_kind, design.padding_samples, n_samples)


def _paddings(
    held: npt.NDArray[np.float64], rows: list[int], first: int, stop: int, edge: int, kind: str
) -> tuple[FloatArray, FloatArray]:
    """Return what stands before and after a run, shape (n_rows, edge) each."""
    from jaxscope.engines.edges import padded

    around = min(stop - first, edge + 1)
    left = padded(np.array(held[rows, first : first + around]), edge, kind)[:, :edge]
    right = padded(np.array(held[rows, stop - around : stop]), edge, kind)
    return left, right[:, right.shape[1] - edge :]
