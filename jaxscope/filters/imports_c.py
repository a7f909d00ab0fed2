"""Arrays of C source: ``static const double sos[2][6] = {{…}, {…}};``, headers of MATLAB and of CMSIS-DSP.

Only initialisers between braces are read, as plain numbers. Names and types tell what they are: ``float32_t`` with
``arm_math.h`` follows CMSIS-DSP (a1 and a2 with the other sign, the last tap first), ``q15_t`` and ``q31_t`` are
fractions as whole numbers.
"""

from __future__ import annotations

import re

import numpy as np

from jaxscope.errors import ChainError
from jaxscope.filters.imports_numbers import (
    SHORT_COLUMNS,
    TAP_NAMES,
    Imported,
    NothingFoundError,
    plain_name,
    stages_of,
)
from jaxscope.filters.values import shown

_ARRAY = re.compile(
    r"\b(?P<type>long\s+double|double|float|float(?:32|64)_t|real(?:32|64)?_T|q(?:7|15|31)_t|u?int(?:8|16|32|64)_t|"
    r"int(?:8|16|32|64)_T|short|int|long)\s+(?P<name>[A-Za-z_]\w*)\s*(?P<sizes>(?:\[[^\]]*\]\s*)+)=\s*\{"
)
_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*|#[^\n]*", re.DOTALL)
#: fractional types of CMSIS-DSP: what one is as a whole number
_FRACTIONS = {"q7_t": 2.0**7, "q15_t": 2.0**15, "q31_t": 2.0**31}
#: the array that CMSIS-DSP is told to take its sections from
_SECTIONS_OF = re.compile(r"\barm_biquad_\w+\s*\([^,;]*,[^,;]*,\s*(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_]\w*)")
_COUNTS = frozenset({"nl", "dl", "bl_len", "n", "length"})


def looks_like_c(text: str) -> bool:
    """Return whether a text holds an array of C."""
    return _ARRAY.search(_COMMENTS.sub(" ", text)) is not None


def import_c(text: str) -> Imported:
    """Return the filters that arrays of a C source hold.

    Raises
    ------
    ChainError
        There is no array of numbers, or they are no filter.
    """
    follows_cmsis = "arm_math" in text or re.search(r"\barm_(?:biquad|fir)_", text) is not None
    bare = _COMMENTS.sub(lambda found: "\n" * found.group().count("\n"), text)
    named: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = {}
    notes: list[str] = []
    told = {found["name"] for found in _SECTIONS_OF.finditer(bare)}
    sections: set[str] = set()
    for found in _ARRAY.finditer(bare):
        kind, name = " ".join(found["type"].split()), found["name"]
        if name.lower() in _COUNTS:
            continue
        array = _array(name, bare, found.end() - 1)
        if kind in _FRACTIONS:
            notes.append(f"{name} is read as fractions: whole numbers over {_FRACTIONS[kind]:.0f}")
            array = array / _FRACTIONS[kind]
        if name in told or _holds_sections(name):
            sections.add(name)
            if kind in _FRACTIONS:
                raise ChainError(
                    f"{name} holds sections as fractions, whose shift the numbers do not tell",
                    hint="give them in floating point",
                )
            array = array.reshape(-1, SHORT_COLUMNS) if array.ndim == 1 and array.size % SHORT_COLUMNS == 0 else array
        named[name] = array
    if not named:
        raise NothingFoundError(
            "there is no array of numbers in this C source", hint="give const double sos[…][6] = { … }"
        )
    made = stages_of(named, negated=follows_cmsis, turned=follows_cmsis, sections=sections)
    return Imported(stages=made.stages, notes=(*made.notes, *notes))


def _array(name: str, text: str, start: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the numbers between braces; rows where there are braces inside."""
    stop, depth = start, 0
    for stop in range(start, len(text)):
        depth += (text[stop] == "{") - (text[stop] == "}")
        if depth == 0:
            break
    body = text[start + 1 : stop]
    rows = re.findall(r"\{([^{}]*)\}", body) or [body]
    line = text.count("\n", 0, start) + 1
    numbers = [
        [_number(word, name, line) for word in row.replace("\n", " ").split(",") if word.strip()] for row in rows
    ]
    if len({len(row) for row in numbers}) > 1:
        raise ChainError(f"line {line}: the rows of {name} are not equally long", hint="give as many in each")
    return np.array(numbers if len(rows) > 1 else numbers[0])


def _number(word: str, name: str, line: int) -> float:
    bare = word.strip().rstrip("fFlLuU") if not word.strip().lower().startswith("0x") else word.strip()
    try:
        return float(bare) if not bare.lower().startswith("0x") or "p" not in bare.lower() else float.fromhex(bare)
    except ValueError:
        raise ChainError(
            f"line {line}: {shown(word.strip())} in {name} is not a number", hint="give numbers between commas"
        ) from None


def _holds_sections(name: str) -> bool:
    """Return whether an array is a cascade by its name: biquads that are no list of taps."""
    return "biquad" in name.lower() and plain_name(name) not in TAP_NAMES
