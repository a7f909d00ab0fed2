"""Montages as JSON, as a matrix in CSV, and as words: what ``--montage``, a project and own presets hold.

Invariants: ``montage_from_dict(montage_to_dict(montage)) == montage``; nothing in a file is passed over. A matrix
becomes formulas with the same numbers to the last digit, so it can be looked at and edited like one.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import Any

from jaxscope.errors import ChainError, SpecError
from jaxscope.filters.chain_file import placed
from jaxscope.filters.json_file import read_json, write_json
from jaxscope.filters.montage import MAX_ROWS, Montage
from jaxscope.filters.montage_formula import formula_of
from jaxscope.filters.values import shown

FORMAT = "jaxscope-montage"
VERSION = 1
MAX_BYTES = 32 << 20

#: What stands for a montage on the command line; ``reference:`` takes names after it.
WORDS: dict[str, Montage] = {
    "average": Montage(kind="average"),
    "bipolar": Montage(kind="bipolar"),
    "double-banana": Montage(kind="bipolar"),
    "transverse": Montage(kind="bipolar", pairs="transverse"),
    "consecutive": Montage(kind="bipolar", pairs="consecutive"),
    "laplacian": Montage(kind="laplacian"),
}
_REFERENCE = "reference:"
_FIELDS = {item.name: item for item in fields(Montage)}
_HINT = f"give a file, or one of {', '.join(WORDS)}, {_REFERENCE}NAME"


def montage_to_dict(montage: Montage) -> dict[str, Any]:
    """Return a montage as plain JSON values; fields at their defaults are left out."""
    content: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    for name, item in _FIELDS.items():
        value = getattr(montage, name)
        if item.default is MISSING or value != item.default:
            content[name] = (
                [list(v) if isinstance(v, tuple) else v for v in value] if isinstance(value, tuple) else value
            )
    return content


def montage_from_dict(content: Any) -> Montage:
    """Return the montage that plain values describe.

    Raises
    ------
    ChainError
        Not a montage, of a newer version, or with something unknown or wrong in it.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ChainError("this is not a montage", hint=f'a montage has "format": "{FORMAT}"')
    if content.get("version") != VERSION or isinstance(content.get("version"), bool):
        raise ChainError(
            f"the montage has version {shown(content.get('version'))}, and this program knows {VERSION}",
            hint="open it with a newer jaxscope",
        )
    given = {name: value for name, value in content.items() if name not in ("format", "version")}
    for name in given:
        if name not in _FIELDS:
            near = get_close_matches(str(name), list(_FIELDS), n=1, cutoff=0.5)
            raise SpecError(
                str(name), f"a montage has no field {shown(name)}", hint=f"use {near[0]}" if near else "remove it"
            )
    if "kind" not in given:
        raise SpecError(
            "kind", "the montage has no kind", hint="give average, reference, bipolar, laplacian or formulas"
        )
    return Montage(**{name: _value(name, value) for name, value in given.items()})


def _value(name: str, value: Any) -> Any:
    if name in ("kind", "name", "pairs", "others"):
        if not isinstance(value, str):
            raise SpecError(name, f"{name} of the montage is {shown(value)}", hint="it must be a text")
        return value
    if name == "neighbours":
        if isinstance(value, bool) or not isinstance(value, int):
            raise SpecError(name, f"neighbours of the montage is {shown(value)}", hint="it must be a whole number")
        return value
    if name == "channels" and value is None:
        return None
    if not isinstance(value, list):
        raise SpecError(name, f"{name} of the montage is {shown(value)}", hint="it must be a list")
    return tuple(_item(name, item) for item in value)


def _item(name: str, item: Any) -> Any:
    if name == "rows":
        if isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item):
            return tuple(item)
        raise SpecError(name, f"{shown(item)} in rows is not a pair", hint='give ["name", "formula"]')
    if name == "positions":
        numbers = item[1:] if isinstance(item, list) and len(item) == 4 and isinstance(item[0], str) else [None]
        if all(isinstance(part, int | float) and not isinstance(part, bool) for part in numbers):
            return (item[0], *map(float, numbers))
        raise SpecError(name, f"{shown(item)} in positions is not a place", hint='give ["name", x, y, z]')
    if not isinstance(item, str):
        raise SpecError(name, f"{name} of the montage holds {shown(item)}", hint="it must hold names")
    return item


def load_montage(path: str | Path) -> Montage:
    """Read a montage file, or a matrix in CSV (by its suffix).

    Raises
    ------
    ChainError
        It is missing or not a montage; the sentence names the file.
    """
    path = Path(path)
    if path.suffix.lower() not in (".csv", ".tsv", ".txt"):
        content = read_json(path, "montage file")
        with placed(path.name):
            return montage_from_dict(content)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ChainError(
                f"{path.name} has {path.stat().st_size / 1e6:.0f} MB, too much for a matrix", hint="check it"
            )
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ChainError(f"the matrix {path} cannot be read: {error.strerror}", hint="check the path") from error
    except UnicodeDecodeError as error:
        raise ChainError(f"{path.name} is not a text file", hint="give a table of numbers") from error
    with placed(path.name):
        return montage_of_matrix(text, name=path.stem)


def save_montage(montage: Montage, path: str | Path) -> None:
    """Write a montage file, whole or not at all.

    Raises
    ------
    ChainError
        It cannot be written.
    """
    try:
        write_json(Path(path), montage_to_dict(montage), ascii_only=False)
    except OSError as error:
        raise ChainError(
            f"{Path(path).name} cannot be written: {error.strerror}", hint="choose another folder"
        ) from error


def montage_of_matrix(text: str, *, name: str = "") -> Montage:
    r"""Return the montage of a matrix: recorded channels in the first row, new ones in the first column.

    An empty cell is 0. Commas, semicolons or tabs may stand between cells; with the others a decimal comma is read.

    Raises
    ------
    SpecError
        It is no such matrix; the sentence names the line.

    Examples
    --------
    >>> montage_of_matrix(",C3,C4\nleft-right,1,-1\n").rows
    (('left-right', 'C3 - C4'),)
    """
    first = text.split("\n", 1)[0]
    sign = next((sign for sign in "\t;" if sign in first), ",")
    lines = [(n, row) for n, row in enumerate(csv.reader(StringIO(text), delimiter=sign), start=1) if any(row)]
    if len(lines) < 2 or len(lines[0][1]) < 2:
        raise SpecError(
            "rows", "there is no matrix", hint="give recorded channels in the first row, new ones in the first column"
        )
    inputs = [cell.strip() for cell in lines[0][1][1:]]
    if "" in inputs or len(set(inputs)) < len(inputs):
        raise SpecError("rows", "line 1 has an empty or repeated channel", hint="name each recorded channel once")
    if len(lines) - 1 > MAX_ROWS:
        raise SpecError("rows", f"the matrix has {len(lines) - 1} channels", hint=f"give {MAX_ROWS} or fewer")
    return Montage(kind="formulas", name=name[:80], rows=tuple(_row(n, row, inputs, sign) for n, row in lines[1:]))


def _row(line: int, cells: Sequence[str], inputs: Sequence[str], sign: str) -> tuple[str, str]:
    if len(cells) != len(inputs) + 1:
        raise SpecError(
            "rows", f"line {line} has {len(cells) - 1} numbers for {len(inputs)} channels", hint="give one a channel"
        )
    weights = {}
    for name, cell in zip(inputs, cells[1:], strict=True):
        plain = cell.strip() if sign == "," else cell.strip().replace(",", ".")
        try:
            weight = float(plain or "0")
        except ValueError:
            weight = float("nan")
        if not isfinite(weight):
            raise SpecError(
                "rows", f"line {line} has {shown(cell)} for {name}, which is not a number", hint="correct it"
            )
        if weight:
            weights[name] = weight
    if not weights:
        raise SpecError("rows", f"line {line} has only zeros", hint="remove it, or give it weights")
    return cells[0].strip(), formula_of(weights)


def montage_of_word(text: str) -> Montage:
    """Return the montage that an argument of a command line means: a word, a file, or JSON.

    Raises
    ------
    ChainError
        It is none of them.

    Examples
    --------
    >>> montage_of_word("average").kind, montage_of_word("reference:A1,A2").reference
    ('average', ('A1', 'A2'))
    """
    if text in WORDS:
        return WORDS[text]
    if text.startswith(_REFERENCE):
        names = tuple(name.strip() for name in text.removeprefix(_REFERENCE).split(","))
        return Montage(kind="reference", reference=tuple(name for name in names if name))
    if text.lstrip().startswith("{"):
        try:
            content = json.loads(text)
        except ValueError as error:
            raise ChainError(f"the montage is not JSON: {error}", hint="check it near that place") from error
        return montage_from_dict(content)
    if not Path(text).is_file() and not Path(text).suffix:
        near = get_close_matches(text, list(WORDS), n=1, cutoff=0.6)
        raise ChainError(f"no montage is called {text}", hint=f"did you mean {near[0]}?" if near else _HINT)
    return load_montage(text)


def word_of(montage: Montage) -> str:
    """Return the shortest argument of a command line that means a montage."""
    for word, known in WORDS.items():
        if known == montage:
            return word
    is_plain = montage.kind == "reference" and montage == Montage(kind="reference", reference=montage.reference)
    if is_plain and not any("," in name for name in montage.reference):
        return f"{_REFERENCE}{','.join(montage.reference)}"
    return json.dumps(montage_to_dict(montage), separators=(",", ":"), ensure_ascii=False)
