"""Numbers in text: CSV, TSV, a spreadsheet's clipboard, columns between spaces; one table or several with headings.

A heading tells what follows (``b0,b1,b2,a0,a1,a2``, ``b,a``, ``taps``); a word in front of a row names that row. A
decimal comma is known by the semicolons or tabs between fields. What is no number is named with its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from jaxscope.errors import ChainError
from jaxscope.filters import FAMILIES
from jaxscope.filters.imports_numbers import (
    A_NAMES,
    B_NAMES,
    RATELESS,
    SECTION_COLUMNS,
    SECTION_NAMES,
    SHORT_COLUMNS,
    TAP_NAMES,
    Imported,
    NothingFoundError,
    imported,
    plain_name,
    polynomial_spec,
    section_rows,
    spec_of_table,
    stages_of,
)
from jaxscope.filters.spec import AbstractFilterSpec
from jaxscope.filters.values import shown

MAX_LINES = 1_000_000
_COMMENT = re.compile(r"^\s*(?:#|%|//|;)")
_WORD = re.compile(r"[A-Za-z_]\w*(?:\[\d+\])?")
_BRACKETS = str.maketrans("[](){}|", "       ")
_SAME = str.maketrans({"−": "-", "\u00a0": " ", "\u2009": " ", "\ufeff": " ", '"': " "})
#: comments that CMSIS-DSP or another program writes and that change how numbers are read
MEDIAN = "median_window"


@dataclass(slots=True)
class _Block:
    """Rows below one heading; ``names`` is empty where there was none."""

    names: tuple[str, ...] = ()
    rows: list[list[float]] = field(default_factory=list)
    first_line: int = 1


def import_table(text: str) -> Imported:
    """Return the stages that numbers in text describe.

    Raises
    ------
    NothingFoundError
        There are no numbers.
    ChainError
        A line holds something else, or the numbers are no filter; the line is named.
    """
    blocks, named = _blocks_of(text)
    if named:
        return stages_of(named)
    notes: list[str] = []
    specs = [_spec_of(block, notes) for block in blocks]
    if not specs:
        raise NothingFoundError("there are no numbers", hint="give rows of numbers, or a line of code")
    return imported(specs, [*notes, RATELESS])


def _blocks_of(text: str) -> tuple[list[_Block], dict[str, list[float]]]:
    """Return blocks of rows by heading, and rows that begin with a name: ``b, 0.1, 0.2``."""
    lines = text.translate(_SAME).splitlines()
    if len(lines) > MAX_LINES:
        raise ChainError(f"there are {len(lines)} lines", hint=f"give {MAX_LINES} or fewer")
    has_decimal_comma = _has_decimal_comma(lines)
    blocks: list[_Block] = []
    named: dict[str, list[float]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or _COMMENT.match(line):
            continue
        fields = _fields_of(line, decimal_comma=has_decimal_comma)
        if not fields:
            continue
        words = [bool(_WORD.fullmatch(word)) and not _is_number(word) for word in fields]
        if all(words):
            blocks.append(_Block(names=tuple(word.lower() for word in fields), first_line=number))
        elif (
            words[0]
            and not any(words[1:])
            and plain_name(fields[0]) in (*B_NAMES, *A_NAMES, *TAP_NAMES, *SECTION_NAMES)
        ):
            named[fields[0]] = _row_of(fields[1:], number)
        else:
            if not blocks:
                blocks.append(_Block(first_line=number))
            blocks[-1].rows.append(_row_of(fields, number))
    return [block for block in blocks if block.rows], named


def _has_decimal_comma(lines: list[str]) -> bool:
    """Return whether commas stand in numbers: only where something else stands between them."""
    rows = [line for line in lines if line.strip() and not _COMMENT.match(line)]
    separated = [line for line in rows if ";" in line or "\t" in line]
    return (
        bool(separated)
        and any(re.search(r"\d,\d", line) for line in separated)
        and not any(re.search(r"\d\.\d", line) for line in rows)
    )


def _fields_of(line: str, *, decimal_comma: bool) -> list[str]:
    line = line.translate(_BRACKETS)
    if decimal_comma:
        return [part.strip().replace(",", ".") for part in re.split(r"[;\t]", line) if part.strip()]
    return [part for part in re.split(r"[,;:=\s]+", line) if part]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _row_of(fields: list[str], number: int) -> list[float]:
    row = []
    for word in fields:
        try:
            value = float(word.removesuffix("f").removesuffix("F") if word[:1] in "-+.0123456789" else "?")
        except ValueError:
            raise ChainError(
                f"line {number}: {shown(word)} is not a number", hint="give numbers, or a comment after #"
            ) from None
        if not isfinite(value):
            raise ChainError(f"line {number}: {shown(word)} is not finite", hint="give finite numbers")
        row.append(value)
    return row


def _spec_of(block: _Block, notes: list[str]) -> AbstractFilterSpec:
    names = tuple(plain_name(name) for name in block.names)
    if names == (MEDIAN,):
        return FAMILIES["median"](window=block.rows[0][0])
    if len(names) == 2 and names[0] in B_NAMES and names[1] in A_NAMES:
        b, a = _columns(block)
        return polynomial_spec(np.array(b), np.array(a or [1.0]))
    widths = {len(row) for row in block.rows}
    if len(widths) > 1:
        if len(block.rows) == 2 and not names:
            notes.append("two rows are read as b and a")
            return polynomial_spec(np.array(block.rows[0]), np.array(block.rows[1]))
        wrong = next(place for place, row in enumerate(block.rows) if len(row) != len(block.rows[0]))
        raise ChainError(
            f"row {wrong + 1} has {len(block.rows[wrong])} numbers and the first has {len(block.rows[0])}",
            hint="give as many in each row",
        )
    array = np.array(block.rows)
    if len(names) in (SECTION_COLUMNS, SHORT_COLUMNS) and array.shape[1] == len(names):
        return FAMILIES["sections"](rows=tuple(map(tuple, section_rows("the table", array, notes))))
    return spec_of_table("the table", array, notes)


def _columns(block: _Block) -> tuple[list[float], list[float]]:
    """Return two columns, of which the second may be shorter."""
    b = [row[0] for row in block.rows]
    a = [row[1] for row in block.rows if len(row) > 1]
    while len(a) > 1 and a[-1] == 0:
        a.pop()
    return b, a
