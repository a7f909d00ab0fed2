"""What a knob moves and what it leaves: a chain in two, so that a drag filters again only what it changes.

Filters that only add and multiply may be exchanged: what the sections that stay make of a window is worked out once,
and each move of the knob runs through the sections that moved. They alone decide how much context the rest needs, and
a low-pass that is tuned behind a slow high-pass needs next to none.

Invariant: held and moving together are the chain. Only for causal chains that start steady (then a constant passes as a
constant, and is taken off before and put back after), whose every part has a gain for a constant, by an exact method:
two that are cut off are not one that is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jaxscope.compute.library import ProgramKey, ProgramLibrary, WindowCache
from jaxscope.compute.plan import EVERYTHING, GroupRequest, Piece, context_of
from jaxscope.compute.tiles import Samples, TileMemory, TileRun
from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections

if TYPE_CHECKING:
    from jaxscope.engines.program import Program

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A chain in two, and its gain for a constant."""

    held: ChainDesign
    moving: ChainDesign
    gain: float


def split_by_change(before: ChainDesign | None, now: ChainDesign) -> Split | None:
    """Return what is the same as before and what is not; None where the chain cannot be taken apart so."""
    if before is None or before == now or replace(before, parts=now.parts, warnings=now.warnings) != now:
        return None
    if len(before.parts) != len(now.parts):
        return None
    changed = [place for place, (old, new) in enumerate(zip(before.parts, now.parts, strict=True)) if old != new]
    if len(changed) != 1:
        return None
    old, new = before.parts[changed[0]], now.parts[changed[0]]
    if not isinstance(old, Sections) or not isinstance(new, Sections) or len(old.rows) != len(new.rows):
        return None
    rows = tuple(number for number, (one, other) in enumerate(zip(old.rows, new.rows, strict=True)) if one != other)
    return split_rows(now, changed[0], rows)


def split_rows(design: ChainDesign, part: int, rows: tuple[int, ...]) -> Split | None:
    """Return a chain with some rows of one of its parts taken apart from all the rest; None where that cannot be."""
    from jaxscope.engines.edges import part_gain

    sections = design.parts[part]
    if design.phase == "zero" or design.initial != "steady" or not isinstance(sections, Sections):
        return None
    gain = 1.0
    for each in design.parts:
        own = None if isinstance(each, RunningMedian) else part_gain(each)
        if own is None:
            return None
        gain *= own
    left = tuple(row for number, row in enumerate(sections.rows) if number not in rows)
    others = (*design.parts[:part], *((Sections(left),) if left else ()), *design.parts[part + 1 :])
    if not others:
        return None
    moving = Sections(tuple(sections.rows[number] for number in rows))
    return Split(held=replace(design, parts=_joined(others)), moving=replace(design, parts=(moving,)), gain=gain)


def _joined(parts: tuple[Realisation, ...]) -> tuple[Realisation, ...]:
    """Return parts in which neighbouring sections are one cascade, as designs have them."""
    joined: list[Realisation] = []
    for part in parts:
        if joined and isinstance(part, Sections) and isinstance(joined[-1], Sections):
            joined[-1] = Sections((*joined[-1].rows, *part.rows))
        else:
            joined.append(part)
    return tuple(joined)


def tuned_run(
    group: GroupRequest,
    piece: Piece,
    cache: WindowCache,
    ready: Sequence[tuple[npt.NDArray[np.intp], Program]],
    programs: ProgramLibrary,
    read: Callable[[int], FloatArray],
) -> TileRun | None:
    """Return what filters the tiles of a piece in two steps, the first of which is kept from one edit to the next.

    None where the edit before was another kind of edit, or where a program of the two would have to be compiled now:
    they are compiled while nobody waits.
    """
    if len(ready) != 1 or ready[0][0].size != len(group.channels) or not _may_split(ready[0][1]):
        return None
    whole = ready[0][1]
    split = split_by_change(cache.exchange_design(group.channels, whole.designs[0]), whole.designs[0])
    if split is None:
        return None
    held, moving = (_alike(whole, design, programs) for design in (split.held, split.moving))
    length = group.tile_samples
    if not programs.is_warm(held, length) or not programs.is_warm(moving, length):
        return None
    key = (
        piece.segment_first,
        piece.read_first,
        length,
        group.bad,
        split.held,
        held.precision,
        held.device,
        held.method,
    )
    memory = cache.filtered((*group.channels, -1), key)
    # of a recording with an offset the small signal is kept, not the offset
    constant = _finite(read(piece.read_first)[:, :1])
    first = TileRun(
        memory, first=piece.read_first, is_true_start=True, context=0, length=length,
        read=lambda start: read(start) - constant, step=_step_of(held), begin=lambda: [held.start()],
    )  # fmt: skip

    def held_tile(start: int) -> Samples:
        for before in first.starts_for(start)[:-1]:
            first.tile(before)
        return first.tile(start)

    reach = piece.show_first - context_of(split.moving)
    begin = max(piece.read_first, reach - (reach - piece.segment_first) % length)
    level = (split.gain * constant).astype(whole.dtype)
    return TileRun(
        TileMemory(), first=begin, is_true_start=False, context=EVERYTHING, length=length, read=held_tile,
        step=_step_of(moving, level if level.any() else None), begin=lambda: [moving.start()],
    )  # fmt: skip


def _may_split(whole: Program) -> bool:
    """Return whether a program is one chain for all channels, by a method that is exact."""
    from jaxscope.engines.methods import RUNS_BY

    return len(whole.designs) == 1 and whole.method in RUNS_BY


def warm_splits(whole: Program, programs: ProgramLibrary) -> list[tuple[Program, Program]]:
    """Return the programs, held and moving, of the splits that a drag of a stage is likely to need."""
    design = whole.designs[0]
    found: dict[object, tuple[Program, Program]] = {}
    if not _may_split(whole):
        return []
    for place, part in enumerate(design.parts):
        for count in range(1, len(part.rows) + 1 if isinstance(part, Sections) else 1):
            split = split_rows(design, place, tuple(range(count)))
            if split is not None:
                pair = (_alike(whole, split.held, programs), _alike(whole, split.moving, programs))
                found.setdefault((pair[0].structure, pair[1].structure), pair)
    return list(found.values())


def _alike(whole: Program, design: ChainDesign, programs: ProgramLibrary) -> Program:
    """Return the program of a part of a chain, on the same device in the same way."""
    return programs.get(
        ProgramKey(
            designs=(design,), n_channels=whole.n_channels, device=whole.device, precision=whole.precision,
            method=whole.method,
        )
    )  # fmt: skip


def _step_of(
    program: Program, level: Samples | None = None
) -> Callable[[Samples, list[Any]], tuple[Samples, list[Any]]]:
    """Return what takes samples and states through a program, and adds a level to what comes out."""

    def step(x: Samples, states: list[Any]) -> tuple[Samples, list[Any]]:
        y, state = program.step(x, states[0])
        return (y if level is None else y + level), [state]

    return step


def _finite(values: FloatArray) -> FloatArray:
    return np.where(np.isfinite(values), values, 0.0)
