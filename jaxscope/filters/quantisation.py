"""What is left of a filter when its numbers are rounded: to float32, or to fixed point of a word length.

Fixed point is that of small devices: numbers in [-1, 1); a section, or all taps, that need more share one power of
two, the smallest that does (the post-shift of CMSIS-DSP). Numbers are rounded to the nearest step, ties to even. What
is said is the radius of the outermost pole, whether that is stable, and by how much the response changes where it
matters: within ``REACH_DB`` of its top.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import ChainDesign, Realisation, Row, RunningMedian, Sections, Taps
from jaxscope.filters.cutoffs import grid_hz
from jaxscope.filters.response import frequency_response
from jaxscope.filters.stability import as_float32, is_stable, pole_radius, radius_words, to_float32
from jaxscope.filters.values import shown

#: how far below the top of the response a change still counts, in dB
REACH_DB = 40.0
LEAST_BITS, MOST_BITS = 4, 53
#: words by name; others are "12 bit"
WORDS: Mapping[str, int | None] = {"float32": None, "q31": 32, "q15": 16}
_BITS = re.compile(r"(\d+) ?bits?")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantised:
    """What a word makes of a filter: its parts, the outermost pole, and the largest change of the response."""

    word: str
    parts: tuple[Realisation, ...]
    pole_radius: float
    is_stable: bool
    #: largest change in dB within the reach, and where; None where there is no response to compare
    change_db: float | None
    change_hz: float | None

    def sentence(self) -> str:
        """Return the outcome in words, without a full stop."""
        words = []
        if self.pole_radius > 0:
            words.append(f"max pole {radius_words(self.pole_radius)}, {'stable' if self.is_stable else 'unstable'}")
        if self.is_stable and self.change_db is not None and self.change_hz is not None:
            words.append(f"response changes by up to {_level_words(self.change_db)} at {self.change_hz:.4g} Hz")
        return f"As {title_of(self.word)}: {'; '.join(words) or 'nothing to round'}"


def _level_words(level_db: float) -> str:
    return f"{level_db:.2g} dB" if level_db < 10 else f"{level_db:.0f} dB"


def title_of(word: str) -> str:
    """Return a word as people write it: ``Q15``, ``float32``, ``12 bit``."""
    return word.upper() if word.startswith("q") else word


def bits_of(word: str) -> int | None:
    """Return the bits of a word, None for float32.

    Raises
    ------
    SpecError
        There is no such word.
    """
    if word in WORDS:
        return WORDS[word]
    found = _BITS.fullmatch(word)
    if found is None or not LEAST_BITS <= int(found[1]) <= MOST_BITS:
        hint = f"give {', '.join(WORDS)}, or {LEAST_BITS} bit to {MOST_BITS} bit"
        raise SpecError("word", f"{shown(word)} is no word length", hint=hint)
    return int(found[1])


def quantised_parts(parts: tuple[Realisation, ...], word: str) -> tuple[Realisation, ...]:
    """Return sections and taps with their numbers rounded to a word.

    Examples
    --------
    >>> quantised_parts((Taps((0.3,)),), "q15")
    (Taps(values=(0.29998779296875,), runs_once=False),)
    """
    bits = bits_of(word)
    if bits is None:
        return as_float32(parts)
    return tuple(_fixed_part(part, bits) for part in parts)


def fixed_point(values: npt.ArrayLike, bits: int) -> Floats:
    """Return numbers rounded to fixed point of ``bits`` with one power of two in front of all of them."""
    numbers = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(numbers).max(initial=0.0))
    if largest == 0:
        return numbers.copy()
    mantissa, exponent = math.frexp(largest)
    shift = max(0, exponent - 1 if mantissa == 0.5 else exponent)
    step = 2.0 ** (shift - (bits - 1))
    rounded = np.rint(numbers / step)
    limit = 2 ** (bits - 1)
    if rounded.max() >= limit:  # a positive number that rounds up to the power of two itself
        step *= 2
        rounded = np.rint(numbers / step)
    fitted: Floats = np.clip(rounded, -limit, limit - 1) * step
    return fitted


def _fixed_part(part: Realisation, bits: int) -> Realisation:
    match part:
        case Sections():
            return Sections(tuple(_fixed_row(row, bits) for row in part.rows))
        case Taps():
            return replace(part, values=tuple(fixed_point(part.values, bits).tolist()))
        case RunningMedian():
            return part


def _fixed_row(row: Row, bits: int) -> Row:
    b0, b1, b2, a1, a2 = fixed_point((*row[:3], *row[4:]), bits).tolist()
    return (b0, b1, b2, 1.0, a1, a2)


def quantise(design: ChainDesign, word: str, *, compares: bool = True) -> Quantised:
    """Return what rounding to a word makes of a design; without ``compares`` the response is not looked at.

    Raises
    ------
    SpecError
        There is no such word.
    """
    parts = quantised_parts(design.parts, word)
    rounded = replace(design, parts=parts)
    stable = is_stable(parts)
    change = _change(design, rounded) if compares and stable and is_stable(design.parts) else None
    return Quantised(
        word=word,
        parts=parts,
        pole_radius=pole_radius(parts),
        is_stable=stable,
        change_db=None if change is None else change[0],
        change_hz=None if change is None else change[1],
    )


def quantise_polynomials(b: tuple[float, ...], a: tuple[float, ...], word: str) -> Quantised:
    """Return what rounding one numerator and one denominator to a word does to the poles; the response is left out.

    The roots of a long polynomial are far more delicate than those of sections: this is what is lost by b / a.
    """
    bits = bits_of(word)
    round_to = (lambda values: np.array(to_float32(values))) if bits is None else (lambda v: fixed_point(v, bits))
    roots = np.roots(round_to(np.asarray(a) / a[0]))
    radius = float(np.abs(roots).max(initial=0.0))
    return Quantised(word=word, parts=(), pole_radius=radius, is_stable=radius < 1, change_db=None, change_hz=None)


def _change(design: ChainDesign, rounded: ChainDesign) -> tuple[float, float] | None:
    """Return the largest change of the level in dB where the response is within reach of its top, and where."""
    if not any(isinstance(part, Sections | Taps) for part in design.parts):
        return None
    frequency_hz = grid_hz(design)
    before, after = (np.abs(frequency_response(one, frequency_hz)) for one in (design, rounded))
    known = np.isfinite(before) & np.isfinite(after)
    if not known.any():
        return None
    near = known & (before >= before[known].max() * 10 ** (-REACH_DB / 20)) & (before > 0)
    if not near.any():
        return None
    levels = np.abs(20 * np.log10(np.maximum(after[near], 1e-300) / before[near]))
    worst = int(np.argmax(levels))
    return float(levels[worst]), float(frequency_hz[near][worst])


def describe_quantised(design: ChainDesign) -> dict[str, Any]:
    """Return what float32, Q31 and Q15 make of a design, as plain JSON values."""
    return {
        word: {
            "max_pole_radius": made.pole_radius,
            "is_stable": made.is_stable,
            "change_db": made.change_db,
            "change_hz": made.change_hz,
        }
        for word, made in ((word, quantise(design, word)) for word in WORDS)
    }
