"""What every program can do, whichever method and device stand behind it.

A program is a chain, a method, a device and a precision. This base owns the meaning (segments at NaN, starts,
padding, carried state, views); a method only advances finite samples. So every method has the same edges.

Invariant: filtering block by block with the carried state gives the samples of the whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from jaxscope.engines.mixing_host import checked_matrix, mixed_on_host
from jaxscope.engines.poison import FOREVER, spread, spread_both_ways
from jaxscope.engines.precision import beyond, narrowed
from jaxscope.engines.segments import Rows, runs_by_channels
from jaxscope.engines.settling import context_samples
from jaxscope.engines.windows import Envelopes, view_on_host
from jaxscope.filters.coefficients import ChainDesign, RunningMedian, Sections, Taps

Array = npt.NDArray[Any]
#: a plain value that pickles: ``begun`` (n_channels,), ``poison`` (n_parts, n_channels), for how many samples NaN
#: lasts, and ``parts``, a list of dicts of arrays, channels first
State = dict[str, Any]

DTYPES: dict[str, type[np.floating[Any]]] = {"float32": np.float32, "float64": np.float64}


class NotFiniteError(Exception):
    """Raised by a method that met a sample that is not finite; the base then splits or marks."""


@dataclass(frozen=True, slots=True)
class PartShape:
    """The static side of one part: its kind and how many sections, taps or samples it has."""

    kind: str
    size: int

    @property
    def reach(self) -> int:
        """How many samples after itself a sample changes."""
        if self.kind == "sections":
            return FOREVER if self.size else 0
        return self.size - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """Everything about a program that needs a new compilation when it changes. Hashable, without coefficients."""

    parts: tuple[PartShape, ...]
    phase: str
    initial: str
    padding_kind: str
    padding_samples: int | None
    gaps: str


def structure_of(design: ChainDesign) -> Structure:
    """Return the static side of a design."""
    shapes: list[PartShape] = []
    for part in design.parts:
        match part:
            case Sections():
                shapes.append(PartShape("sections", len(part.rows)))
            case Taps():
                shapes.append(PartShape("taps_once" if part.runs_once else "taps", len(part.values)))
            case RunningMedian():
                shapes.append(PartShape("median", part.window))
    return Structure(
        parts=tuple(shapes),
        phase=design.phase,
        initial=design.initial,
        padding_kind=design.padding_kind,
        padding_samples=design.padding_samples,
        gaps=design.gaps,
    )


class AbstractProgram(ABC):
    """A chain that is ready to run on one device in one precision.

    Parameters
    ----------
    designs : sequence of ChainDesign
        One for all channels, or one for each channel; all of one structure.
    n_channels : int
    device : str
        Such as ``"cpu:0"``.
    precision : {"float64", "float32"}
    reason : str
        Why this method, in one phrase.
    """

    method: ClassVar[str]

    def __init__(
        self, designs: Sequence[ChainDesign], *, n_channels: int, device: str, precision: str, reason: str
    ) -> None:
        self.designs = tuple(designs)
        self.structure = structure_of(self.designs[0])
        self.n_channels = n_channels
        self.device = device
        self.backend = device.partition(":")[0]
        self.precision = precision
        self.dtype = DTYPES[precision]
        self.reason = reason
        self._context: int | None = None
        #: what results have come from, as the results themselves tell it; empty before the first
        self.ran_on: tuple[str, ...] = ()

    @property
    def context_samples(self) -> int:
        """Samples that must precede a view (zero phase: and follow it) until the start is forgotten."""
        if self._context is None:
            self._context = max(context_samples(design) for design in self.designs)
        return self._context

    @property
    def is_causal(self) -> bool:
        """Whether the chain can run block by block."""
        return self.structure.phase != "zero"

    # -- what a method provides ----------------------------------------------------------------------------------
    @abstractmethod
    def _begin(self, first: Array, rows: Rows) -> list[dict[str, Array]]:
        """Return the part states of channels ``rows`` whose segment starts with ``first``, (n_rows,) float64."""

    @abstractmethod
    def _advance(self, x: Array, parts: list[dict[str, Array]], rows: Rows) -> tuple[Array, list[dict[str, Array]]]:
        """Filter ``x``, (n_rows, n), causally; return the result and the states after it.

        Raises ``NotFiniteError`` where a sample is not finite.
        """

    @abstractmethod
    def _both_ways(self, x: Array, rows: Rows) -> Array:
        """Filter ``x``, (n_rows, n), with zero phase as one segment; raises as ``_advance``."""

    # -- what a caller uses --------------------------------------------------------------------------------------
    def run(self, x: Array) -> Array:
        """Filter a whole signal.

        Parameters
        ----------
        x : (n_channels, n_samples) float64 or float32

        Returns
        -------
        (n_channels, n_samples) in the precision of the program
            NaN stay NaN; where ``gaps`` is ``segment`` each finite run has its own start and padding.
        """
        x = self._checked(x)
        if not self.structure.parts:
            return narrowed(x, self.dtype).copy()
        if self.is_causal:
            return self.step(x, self.start())[0]
        try:
            return self._both_ways(x, self.all_rows())
        except NotFiniteError:
            if self.structure.gaps != "segment":
                return self._marked_both_ways(x, self.all_rows())
        y = np.full(x.shape, np.nan, dtype=self.dtype)
        for run in runs_by_channels(x):
            y[run.rows, run.start : run.stop] = self._marked_both_ways(x[run.rows, run.start : run.stop], run.rows)
        return y

    def _marked_both_ways(self, x: Array, rows: Rows) -> Array:
        bad = ~np.isfinite(x)
        if not bad.any():
            return self._finite_both_ways(x, rows)
        y = self._finite_both_ways(np.where(bad, 0.0, x), rows)
        for shape in self.structure.parts:
            reach = shape.reach // 2 if shape.kind in ("taps_once", "median") else shape.reach
            bad = spread_both_ways(bad, reach)
        return np.where(bad, self.dtype(np.nan), y)

    def _finite_both_ways(self, x: Array, rows: Rows) -> Array:
        try:
            return self._both_ways(x, rows)
        except NotFiniteError:  # what went in is finite: it has grown too large between two parts, or on the way back
            raise beyond(self.dtype) from None

    def start(self) -> State:
        """Return the state before the first block: no segment has begun."""
        return {
            "begun": np.zeros(self.n_channels, dtype=bool),
            "poison": np.zeros((len(self.structure.parts), self.n_channels), dtype=np.int64),
            "parts": [],
        }

    def begin_segment(self, state: State) -> State:
        """Return ``state`` so that the next sample starts a new segment on every channel (after a gap in time)."""
        return {**state, "begun": np.zeros(self.n_channels, dtype=bool), "poison": np.zeros_like(state["poison"])}

    def step(self, x: Array, state: State) -> tuple[Array, State]:
        """Filter the next block of a causal chain.

        Parameters
        ----------
        x : (n_channels, n_samples)
        state : dict
            From ``start`` or from the step before. It is not changed.

        Returns
        -------
        y : (n_channels, n_samples)
        state : dict
            Plain arrays; pickles.
        """
        x = self._checked(x)
        if not self.is_causal:
            raise ValueError("a zero-phase chain cannot run block by block; use run")
        rows = self.all_rows()
        if x.shape[1] == 0 or not self.structure.parts:
            return narrowed(x, self.dtype).copy(), state
        if not state["poison"].any():
            try:
                begun, parts = self._ready(x[:, 0], state["begun"], state["parts"], rows)
                y, parts = self._advance(x, parts, rows)
            except NotFiniteError:
                pass
            else:
                return y, {"begun": begun, "poison": state["poison"], "parts": parts}
        if self.structure.gaps == "segment":
            return self._step_segments(x, state)
        begun, parts = self._ready(x[:, 0], state["begun"], state["parts"], rows)
        y, parts, poison = self._marked_advance(x, parts, state["poison"], rows)
        return y, {"begun": begun, "poison": poison, "parts": parts}

    def _step_segments(self, x: Array, state: State) -> tuple[Array, State]:
        y = np.full(x.shape, np.nan, dtype=self.dtype)
        begun, poison = np.array(state["begun"]), np.array(state["poison"])
        _, started = self._ready(np.zeros(self.n_channels), begun, state["parts"], self.all_rows())
        parts = [{key: np.array(value) for key, value in part.items()} for part in started]
        begun[np.isnan(x[:, 0])] = False
        for run in runs_by_channels(x):
            rows = run.rows
            own = [{key: value[rows] for key, value in part.items()} for part in parts]
            carried = begun[rows] & (run.start == 0)
            _, own = self._ready(x[rows, run.start], carried, own, rows)
            piece = x[rows, run.start : run.stop]
            y[rows, run.start : run.stop], own, left = self._marked_advance(
                piece, own, np.where(carried, poison[:, rows], 0), rows
            )
            poison[:, rows] = left
            for part, new in zip(parts, own, strict=True):
                for key, value in new.items():
                    part[key][rows] = value
            begun[rows] = run.stop == x.shape[1]
        begun[np.isnan(x[:, -1])] = False
        return y, {"begun": begun, "poison": np.where(begun, poison, 0), "parts": parts}

    def _marked_advance(
        self, x: Array, parts: list[dict[str, Array]], poison: Array, rows: Rows
    ) -> tuple[Array, list[dict[str, Array]], Array]:
        """Advance over samples that may not be finite: zeros in their place, NaN where they reach."""
        bad = ~np.isfinite(x)
        if not bad.any() and not poison.any():
            return *self._advance(x, parts, rows), poison
        y, parts = self._advance(np.where(bad, 0.0, x), parts, rows)
        left = np.zeros_like(poison)
        for k, shape in enumerate(self.structure.parts):
            bad, left[k] = spread(bad, poison[k], shape.reach)
        return np.where(bad, self.dtype(np.nan), y), parts, left

    def _ready(
        self, first: Array, begun: Array, parts: list[dict[str, Array]], rows: Rows
    ) -> tuple[Array, list[dict[str, Array]]]:
        """Return all-true ``begun`` and the states with a start where none has begun."""
        if bool(begun.all()):
            return np.array(begun), parts
        fresh = self._begin(np.asarray(first, dtype=np.float64), rows)
        if bool(begun.any()) and parts:
            fresh = [
                {
                    key: np.where(begun.reshape((-1,) + (1,) * (new.ndim - 1)), old[key], new)
                    for key, new in part.items()
                }
                for part, old in zip(fresh, parts, strict=True)
            ]
        return np.ones(len(rows), dtype=bool), fresh

    def view(
        self, x: Array, first_sample: int, bin_size: int, cut: slice, montage: npt.ArrayLike | None = None
    ) -> Envelopes:
        """Filter ``x``, keep the samples ``cut`` and return what a screen needs of before, after and difference.

        Parameters
        ----------
        x : (n_channels, n_samples)
            With context around what is shown.
        first_sample : int
            Absolute number of ``x[:, 0]``.
        bin_size : int
            Samples per bin; bins start at absolute multiples of it, so the first and last may be partial.
        cut : slice
            What is shown, in samples of ``x``.
        montage : (n_channels, n_recorded) or None
            Weights of the recorded channels in those that are filtered; ``x`` is then (n_recorded, n_samples), and
            before is what the montage makes of it.

        Returns
        -------
        Envelopes
            A named tuple of six float64 arrays (n_channels, n_bins): minimum and maximum of before, after and
            difference (before − after), NaN where a bin holds no finite sample.
        """
        if montage is not None:
            x = np.asarray(x)
            wide = x.astype(np.result_type(x.dtype, self.dtype), copy=False)
            x = mixed_on_host(checked_matrix(montage, self.n_channels, x.shape[0]), wide)
        x = self._checked(x)
        return view_on_host(x, self.run(x), first_sample, bin_size, cut)

    # -- small things --------------------------------------------------------------------------------------------
    def all_rows(self) -> Rows:
        """Return the numbers of all channels."""
        return np.arange(self.n_channels, dtype=np.intp)

    def _checked(self, x: Array) -> Array:
        x = np.asarray(x)
        if x.ndim != 2 or x.shape[0] != self.n_channels:
            raise ValueError(f"x has shape {x.shape}; give ({self.n_channels}, n_samples)")
        return x if x.dtype in (np.float32, np.float64) else x.astype(np.float64)
