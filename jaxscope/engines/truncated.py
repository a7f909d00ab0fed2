"""The impulse response of a recursive cascade, cut off: a filter of finite length that is nearly the same.

Offered because it is how the question that this program grew from did it (20 taps), and because it is linear work on
any accelerator. It says by how much it is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import signal

from jaxscope.engines.base import structure_of
from jaxscope.engines.jax_engine import JaxProgram
from jaxscope.engines.settling import NEVER, cascade_settling
from jaxscope.errors import UsageError
from jaxscope.filters.coefficients import ChainDesign, Realisation, Sections, Taps

Array = npt.NDArray[Any]

#: taps beyond which an exact method is the only sensible one
MOST_TAPS = 1 << 17
#: share of the response that may be cut off where no number of taps is given
TOLERANCE = 1e-6


def impulse_response(part: Sections, count: int) -> Array:
    """Return the first ``count`` samples of the impulse response of a cascade."""
    impulse = np.zeros(count)
    impulse[:1] = 1.0
    return np.asarray(signal.sosfilt(part.to_array(), impulse)) if part.rows else impulse


def taps_within(part: Sections, tolerance: float) -> int:
    """Return how many taps leave a tail whose energy is below ``tolerance`` squared of the whole.

    Raises
    ------
    UsageError
        Where that would be more than ``MOST_TAPS``.
    """
    settled = cascade_settling(part)
    if settled >= NEVER or settled > MOST_TAPS:
        raise UsageError(
            "the impulse response does not end soon enough to be cut off",
            hint="choose the method block",
            field="method",
        )
    energy = np.cumsum(impulse_response(part, settled + 1)[::-1] ** 2)[::-1]
    return max(int(np.count_nonzero(energy > tolerance**2 * energy[0])), 1)


def truncated_designs(designs: Sequence[ChainDesign], n_taps: int | None = None) -> tuple[tuple[ChainDesign, ...], str]:
    """Return the designs with every cascade replaced by taps, and a phrase that says by how much they are wrong.

    Parameters
    ----------
    designs : sequence of ChainDesign
        Of one structure.
    n_taps : int or None
        Taps for each cascade; None cuts where ``TOLERANCE`` is reached.
    """
    wrong = 0.0
    most = 0
    columns: list[list[Realisation]] = []
    for column in zip(*(design.parts for design in designs), strict=True):
        parts: list[Realisation] = list(column)
        cascades = [part for part in parts if isinstance(part, Sections)]
        if cascades:
            count = n_taps or max(taps_within(part, TOLERANCE) for part in cascades)
            longer = [impulse_response(part, min(max(4 * count, 4096), 1 << 20)) for part in cascades]
            wrong = max(wrong, *(float(np.abs(response[count:]).sum()) for response in longer))
            parts = [Taps(tuple(response[:count].tolist())) for response in longer]
            most = max(most, count)
        columns.append(parts)
    changed = tuple(replace(design, parts=tuple(column[k] for column in columns)) for k, design in enumerate(designs))
    return changed, f"cut off after {most} taps: wrong by at most {wrong:.2g} per unit of input"


class TruncatedProgram(JaxProgram):
    """Sections as their impulse response, cut off, over transforms where it is long."""

    method: ClassVar[str] = "truncated"
    taps_by: ClassVar[str] = "toeplitz"

    def __init__(
        self, designs: Sequence[ChainDesign], *, n_channels: int, device: str, precision: str, reason: str
    ) -> None:
        number = reason.partition(":")[2]
        if number and not (number.isdecimal() and int(number) > 0):
            raise UsageError(f"{number!r} is not a number of taps", hint="give such as truncated:20", field="method")
        changed, phrase = truncated_designs(designs, int(number) if number else None)
        super().__init__(changed, n_channels=n_channels, device=device, precision=precision, reason=phrase)
        # padding, and how far a NaN reaches, are those of the chain, not of the taps in its place
        self.designs, self.structure = tuple(designs), structure_of(designs[0])
