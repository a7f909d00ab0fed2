"""What rounding to the chosen word makes of the active chain: a sentence a stage, and the level of the whole.

Worked out beside the curves, only while a word is chosen. Kept by stage and word, so that turning one knob rounds one
stage again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from jaxscope.compute.frames import QuantisedChain
from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import ChainDesign, Sections, Taps
from jaxscope.filters.polynomial import polynomials

FloatArray = npt.NDArray[np.float64]
#: taps above this are rounded, but their response is not compared: it would keep the thread too long
MOST_COMPARED_TAPS = 8193
FLOOR_DB = -300.0


def quantised_chain(
    word: str, alone: Sequence[ChainDesign | SpecError], enabled: Sequence[bool], frequencies: FloatArray
) -> QuantisedChain | None:
    """Return what a word makes of the stages of a chain, None where none is chosen or it is not known.

    Parameters
    ----------
    word : str
        A word of ``filters.quantisation``; empty for none.
    alone : sequence of ChainDesign or SpecError
        Each stage as if it were the whole chain.
    enabled : sequence of bool
    frequencies : ndarray, shape (n_frequencies,)
        In Hz; where the level is told.
    """
    from jaxscope.filters.quantisation import bits_of

    if not word:
        return None
    try:
        bits_of(word)
    except SpecError:
        return None  # of a project that was written by hand: the window shows no word as chosen
    sentences = tuple(_words(made, word) if isinstance(made, ChainDesign) else ("", "", True) for made in alone)
    total = np.zeros(frequencies.size)
    for made, on in zip(alone, enabled, strict=True):
        if on and isinstance(made, ChainDesign):
            total = total + _level(made, word, frequencies)
    return QuantisedChain(word=word, stages=sentences, magnitude_db=np.maximum(total, FLOOR_DB))


@lru_cache(maxsize=256)
def _words(made: ChainDesign, word: str) -> tuple[str, str, bool]:
    """Return what a word makes of a stage as it runs, and as b over a; and whether it is stable as it runs."""
    from jaxscope.filters.quantisation import quantise, quantise_polynomials

    rounded = quantise(made, word, compares=_longest(made) <= MOST_COMPARED_TAPS)
    as_ba = ""
    if made.parts and all(isinstance(part, Sections) for part in made.parts):
        b, a = polynomials(made.parts)
        as_ba = quantise_polynomials(b, a, word).sentence()
    return rounded.sentence(), as_ba, rounded.is_stable


def _longest(made: ChainDesign) -> int:
    return max((len(part.values) for part in made.parts if isinstance(part, Taps)), default=0)


def _level(made: ChainDesign, word: str, frequencies: FloatArray) -> FloatArray:
    from jaxscope.filters.quantisation import quantised_parts
    from jaxscope.filters.response import magnitude_db

    parts = made.parts if _longest(made) > MOST_COMPARED_TAPS else quantised_parts(made.parts, word)
    level = magnitude_db(replace(made, parts=parts), frequencies)
    return np.nan_to_num(np.maximum(level, FLOOR_DB), nan=FLOOR_DB, posinf=-FLOOR_DB)
