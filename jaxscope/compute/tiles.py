"""Filtered tiles of a causal chain, made on demand and kept, with the state after each of them.

A tile is right where its filter had forgotten how it started: either the run began where the segment begins, or it had
all the context that is needed before the tile. Such a tile is kept with the states that follow it, so a window that is
panned filters only what has come into sight, however long the filter remembers. Tiles of other coefficients are
forgotten at once: a knob that is turned never comes back to exactly the same numbers.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.compute.tile_extremes import Extremes, tile_extremes

Samples = npt.NDArray[np.floating]
States = list[Any]
#: Samples (channels times time) of filtered tiles that are kept.
MOST_VALUES = 32_000_000
#: Widths of bins for which the extremes of a tile are kept: zooming passes through few.
MOST_BINS = 4


@dataclass(slots=True)
class TileMemory:
    """The tiles of one set of coefficients: filtered samples and the states after them, by first sample.

    Invariant: other coefficients get another memory, so work that was given up and goes on fills none that is in use.
    """

    key: object = None
    tiles: OrderedDict[int, tuple[Samples, States]] = field(default_factory=OrderedDict)
    #: by first sample of a tile, its width of bins and how many of its samples count
    _extremes: dict[int, OrderedDict[tuple[int, int], Extremes]] = field(default_factory=dict)

    def keep(self, start: int, y: Samples, states: States) -> None:
        """Keep a tile in place of those that were used longest ago."""
        self.tiles[start] = (y, states)
        while sum(tile.size for tile, _ in list(self.tiles.values())) > MOST_VALUES and len(self.tiles) > 1:
            gone, _ = self.tiles.popitem(last=False)
            self._extremes.pop(gone, None)

    def extremes(self, start: int, bin_samples: int, n_samples: int) -> Extremes | None:
        """Return the lowest and the highest value per bin of a kept tile's first samples; None where it is not kept."""
        kept = self.tiles.get(start)
        if kept is None:
            return None
        own = self._extremes.setdefault(start, OrderedDict())
        key = (bin_samples, n_samples)
        if key not in own:
            own[key] = tile_extremes(kept[0][:, :n_samples], start, bin_samples)
            while len(own) > MOST_BINS:
                own.popitem(last=False)
        return own[key]


class TileRun:
    """Filters tiles in order, or finds them where they were made.

    Parameters
    ----------
    memory : TileMemory
        Of exactly these coefficients and channels.
    first : int
        Where a run may begin at the earliest.
    is_true_start : bool
        Whether the segment begins there.
    context : int
        Samples after which the start of a run is forgotten.
    length : int
        Samples of a tile; tiles begin at whole multiples after ``first``.
    read : callable
        Returns the samples of the tile that begins at a sample.
    step : callable
        Takes samples and states and returns filtered samples and the next states.
    begin : callable
        Returns the states before the first sample.
    """

    def __init__(
        self,
        memory: TileMemory,
        *,
        first: int,
        is_true_start: bool,
        context: int,
        length: int,
        read: Callable[[int], Samples],
        step: Callable[[Samples, States], tuple[Samples, States]],
        begin: Callable[[], States],
    ) -> None:
        self._memory = memory
        self._first, self._is_true_start = first, is_true_start
        self._context, self._length = context, length
        self._read, self._step, self._begin = read, step, begin
        self._states: States | None = None
        #: tiles that were there already: who sees them twice may see them often, so their extremes are worth keeping
        self._found: set[int] = set()
        self._at = self._begun = first

    def starts_for(self, start: int) -> Sequence[int]:
        """Return the tiles that are filtered to have the one at ``start``, that one last; none where it is kept."""
        if start in self._memory.tiles:
            return ()
        if self._states is not None and self._at <= start:
            return range(self._at, start + 1, self._length)
        before = start - self._length
        kept = self._memory.tiles.get(before)
        if kept is not None:
            return (start,)
        return range(self._first, start + 1, self._length)

    def extremes(self, start: int, bin_samples: int, n_samples: int) -> Extremes | None:
        """Return the extremes per bin of a tile that need no work anew: of one that ``tile`` found, else None."""
        return self._memory.extremes(start, bin_samples, n_samples) if start in self._found else None

    def tile(self, start: int) -> Samples:
        """Return the filtered tile that begins at ``start``, after those of ``starts_for`` one after the other."""
        kept = self._memory.tiles.get(start)
        if kept is not None:
            self._memory.tiles.move_to_end(start)
            self._states = None
            self._found.add(start)
            return kept[0]
        if self._states is None or self._at != start:
            self._resume(start)
        assert self._states is not None
        y, self._states = self._step(self._read(start), self._states)
        self._at = start + self._length
        is_settled = (self._is_true_start and self._begun == self._first) or start - self._begun >= self._context
        if is_settled:
            self._memory.keep(start, y, list(self._states))
        return y

    def _resume(self, start: int) -> None:
        """Begin at ``start``: after a tile that was kept, or anew."""
        before = self._memory.tiles.get(start - self._length)
        if before is None:
            self._states, self._begun = self._begin(), start
        else:
            # what was kept was settled, and so is what follows it
            self._states, self._begun = list(before[1]), start - self._context - self._length
