"""What a design results in: second-order sections, taps, or a running median.

These are the values that the engine takes as arguments. Rows follow SciPy: ``b0 b1 b2 a0 a1 a2`` with ``a0`` = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from jaxscope.errors import SpecError

#: numbers that a small a0 may not exceed: squares and products of them stay in the range of float64
LARGEST = 1e60

Row = tuple[float, float, float, float, float, float]


def _normal(row: Row) -> Row:
    b0, b1, b2, a0, a1, a2 = (float(value) for value in row)
    if a0 == 1.0:
        return (b0, b1, b2, a0, a1, a2)
    normal = (b0 / a0, b1 / a0, b2 / a0, 1.0, a1 / a0, a2 / a0)
    if not all(abs(value) <= LARGEST for value in normal):
        raise SpecError("rows", f"a0 = {a0:g} is too small to divide by", hint="give a larger a0")
    return normal


@dataclass(frozen=True, slots=True)
class Sections:
    """A cascade of second-order sections, normalised to ``a0`` = 1 on construction."""

    rows: tuple[Row, ...]

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != 6:
                raise SpecError("rows", f"section {number} has {len(row)} numbers", hint="give b0 b1 b2 a0 a1 a2")
            if not all(map(isfinite, row)):
                raise SpecError(
                    "rows", f"section {number} holds a number that is not finite", hint="give finite numbers"
                )
            if row[3] == 0:
                raise SpecError("rows", f"a0 of section {number} is 0", hint="give an a0 that is not 0")
        object.__setattr__(self, "rows", tuple(_normal(row) for row in self.rows))

    def to_array(self) -> npt.NDArray[np.float64]:
        """Return the rows as float64, shape (n_sections, 6)."""
        return np.array(self.rows, dtype=np.float64).reshape(-1, 6)


@dataclass(frozen=True, slots=True)
class Taps:
    """An impulse response of finite length.

    ``runs_once`` marks a smoother (Savitzky-Golay) that in zero phase runs once, centred, and not twice.
    """

    values: tuple[float, ...]
    runs_once: bool = False

    def __post_init__(self) -> None:
        if not self.values:
            raise SpecError("values", "there are no taps", hint="give at least one")
        if not all(map(isfinite, self.values)):
            raise SpecError("values", "a tap is not finite", hint="give finite numbers")
        object.__setattr__(self, "values", tuple(float(value) for value in self.values))

    def to_array(self) -> npt.NDArray[np.float64]:
        """Return the taps as float64, shape (n_taps,)."""
        return np.array(self.values, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class RunningMedian:
    """The median of the last ``window`` samples (causal) or of those around (zero phase, once). Odd window."""

    window: int


Realisation = Sections | Taps | RunningMedian


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainDesign:
    """A chain at one rate: its active stages as coefficients, in order, with how they run.

    Neighbouring section stages are one cascade: ``parts`` never holds two ``Sections`` in a row, nor two ``Taps`` that
    are not ``runs_once`` (they are convolved). ``phase`` is ``causal`` or ``zero``: minimum phase has already been
    worked into the coefficients. An empty chain has no parts.
    """

    rate_hz: float
    parts: tuple[Realisation, ...]
    phase: str
    initial: str
    padding_kind: str
    padding_samples: int | None
    gaps: str
    #: sentences for the user, such as an integrator that has no steady state
    warnings: tuple[str, ...] = ()
