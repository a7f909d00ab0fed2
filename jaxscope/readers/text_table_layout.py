"""How a table of text is written: encoding, separator, decimal mark, preamble, header, names and units.

Nothing of this is told by the file, so each possible pair of separator and decimal mark is tried on the first lines
and judged by the one thing that a wrong guess cannot fake: rows of equal length whose cells are numbers.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from jaxscope.errors import ReadError

#: How many lines are looked at to find the layout.
SAMPLE_LINES = 400
#: Cells that say "nothing was measured here", in lower case.
MISSING = frozenset({"", "nan", "na", "n/a", "#n/a", "#na", "null", "none", "-", "--", "nat", "?", "missing", "nil"})
#: Separator and decimal mark, the likelier ones first. "" is a single column; " " any run of blanks.
_CANDIDATES = (
    (",", "."),
    (";", ","),
    (";", "."),
    ("\t", "."),
    ("\t", ","),
    ("|", "."),
    ("|", ","),
    (" ", "."),
    (" ", ","),
)
_SINGLE = (("", "."), ("", ","))
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf(?:inity)?", re.IGNORECASE)
#: The mathematical minus, which some programs write.
MINUS = "\u2212"
#: By decimal mark: thousands set apart, where nothing else can be meant: with decimals after them, or twice.
_GROUPED = {
    mark: re.compile(
        rf"[+-]?[1-9]\d{{0,2}}(?:([{other}'’ \xa0\u202f])\d{{3}}(?:\1\d{{3}})*[{mark}]\d+|(?:[{other}]\d{{3}}){{2,}})"
    )
    for mark, other in ((".", ","), (",", "."))
}
_STAMP = re.compile(
    r"(?:\d{1,2}\.\d{1,2}\.\d{2,4}|[\d/.:-]*\d[/:-]\d[\d/.:-]*)(?:[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)?(?: ?[AP]M)? ?",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"[fpnumkMGµμ]?(?:V|A|Hz|m|s|g|N|Nm|Pa|W|Ohm|Ω|T|S|L|l|rad|C|K|F|bar|bpm)(?:[/^*·][A-Za-z0-9/^*]+)?|"
    r"mmHg|cmH2O|dB[A-Z]*|[dD]eg(?:[CF]|/s)?|°[CF]?|%|pp[mb]|rpm|psi|lx|lux|a\.?u\.?|counts?|digital"
)
_RATE = re.compile(
    r"(?:sampl\w*[ _-]*(?:rate|freq\w*)|s?rate|\bfs\b|sfreq)[\"' ]*(?:\(?k?hz\)?|\[k?hz\])?[\"']*\s*[:=,;\t ]+[\"' ]*"
    r"([0-9]+(?:[.,][0-9]+)?(?:[eE][0-9]+)?)\s*(khz)?",
    re.IGNORECASE,
)
_DATE = re.compile(r"\bdate[\"' ]*[:=][\"' ]*(\d{4})-(\d{1,2})-(\d{1,2})\b", re.IGNORECASE)
_CLOCK = re.compile(r"\btime[\"' ]*[:=][\"' ]*(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?", re.IGNORECASE)
_LABELS = re.compile(r"(?:labels?|columns?|channels?|names?)\s*:?=\s*(.+)", re.IGNORECASE)
_UNITS = re.compile(r"units?\s*:?=\s*(.+)", re.IGNORECASE)
_NAME_AND_UNIT = re.compile(r"(.*\S)\s*[(\[]([^()\[\]]+)[)\]]")


#: The first line of seismic samples that follow each other along the lines: its columns would be no channels.
_SAMPLE_LIST = re.compile(r"TIMESERIES .*\d samples, .*, SLIST\b")
#: More columns are no table of samples, and would take long to be told apart.
MOST_COLUMNS = 1 << 15
#: The splitter takes a line without the separator that is tried for one cell, and refuses cells of more characters.
csv.field_size_limit(1 << 26)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLayout:
    """Everything that has to be known to parse a table.

    ``separator`` is "" for one column and " " for runs of blanks. ``first_line`` is the line where data begin, counted
    from 0. ``names`` has one entry a column, "" where the file has none. ``rate_hz`` comes from the preamble.
    """

    separator: str
    decimal: str
    first_line: int
    n_columns: int
    names: tuple[str, ...]
    units: tuple[str, ...]
    rate_hz: float | None = None
    start: datetime | None = None
    has_header: bool = False
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class _Guess:
    separator: str
    decimal: str
    rows: list[list[str]]
    n_columns: int
    evenness: float
    numeric: float


def find_layout(
    lines: Sequence[str],
    name: str,
    *,
    separator: str | None = None,
    decimal: str | None = None,
    n_header: int | None = None,
) -> TableLayout:
    """Find how a table is written from its first lines, but for what is given.

    Raises
    ------
    ReadError
        If the lines are no table.
    """
    plain = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not plain:
        raise ReadError(f"{name} holds no table", hint="check that its suffix is right")
    if any(len(line) > MOST_COLUMNS and max(map(line.count, ",;\t| ")) >= MOST_COLUMNS for line in plain):
        raise ReadError(
            f"{name} has a line of more than {MOST_COLUMNS:,} cells", hint="write a row for each time and not a column"
        )
    if _SAMPLE_LIST.match(plain[0]) is not None:
        raise ReadError(
            f"{name} is a list of the samples of one channel, several to a line, and no table",
            hint="convert it to miniSEED with ObsPy",
        )
    guess = _best_guess(plain, separator, decimal)
    is_told = separator is not None or n_header is not None
    if is_told and n_header is not None and n_header >= len(guess.rows):
        raise ReadError(f"{name} has fewer than {n_header + 1} rows", hint="give fewer rows of header")
    if is_told:
        pass  # whoever tells how it is written is believed
    elif guess.evenness < 0.4 or (guess.numeric < 0.4 and (guess.n_columns < 2 or guess.separator == " ")):
        raise ReadError(f"{name} is not a table of numbers", hint="check that its suffix is right")
    first = _first_data_row(guess) if n_header is None else n_header
    header = guess.rows[:first]
    comments = [line.lstrip("#% \t") for line in lines if line.lstrip().startswith("#")]
    names, units = _names_and_units(header, guess.n_columns)
    said_names, said_units = _from_comments(comments, guess.n_columns)
    if not any(names):
        names = said_names
    if not any(units):
        units = said_units
    names, units = _split_units(names, units)
    return TableLayout(
        separator=guess.separator,
        decimal=guess.decimal,
        first_line=_line_number(lines, _n_lines(plain, guess.separator, first)),
        n_columns=guess.n_columns,
        names=tuple(names),
        units=tuple(units),
        rate_hz=_preamble_rate(header, comments),
        start=_preamble_start(comments),
        has_header=bool(header) or any(names),
    )


def split_rows(lines: Sequence[str], separator: str) -> list[list[str]]:
    """Split lines into cells, with quotes."""
    if separator == "":
        return [[line.strip().strip('"')] for line in lines]
    if separator == " ":
        return [line.split() for line in lines]
    with quotes_told():
        return list(csv.reader(lines, delimiter=separator))


@contextmanager
def quotes_told() -> Iterator[None]:
    """Turn what the splitter of quoted cells raises into a sentence."""
    try:
        yield
    except csv.Error as error:
        raise ReadError(
            "A cell of the table has no end: a quotation mark is opened and not closed",
            hint="check that its suffix is right, or save it again",
        ) from error


def is_number(cell: str, decimal: str = ".") -> bool:
    """Say whether a cell is a number written with this decimal mark, maybe with marks between thousands.

    Examples
    --------
    >>> is_number("1,234.5"), is_number("1.234,5", ","), is_number("1,234")
    (True, True, False)
    """
    text = cell.strip().replace(MINUS, "-")
    if _GROUPED[decimal].fullmatch(text) is not None:
        return True
    if decimal == ",":
        if "." in text:
            return False
        text = text.replace(",", ".")
    return _NUMBER.fullmatch(text) is not None


def is_stamp(cell: str) -> bool:
    """Say whether a cell looks like a date, a clock time, or both."""
    return _STAMP.fullmatch(cell.strip()) is not None


def is_missing(cell: str) -> bool:
    """Say whether a cell says that nothing was measured."""
    return cell.strip().lower() in MISSING


def _best_guess(lines: Sequence[str], separator: str | None, decimal: str | None) -> _Guess:
    def is_wanted(pair: tuple[str, str]) -> bool:
        return separator in (None, pair[0]) and decimal in (None, pair[1])

    several = _CANDIDATES if separator != "," or decimal != "," else ((",", ","),)
    guesses = [_judge(lines, *pair) for pair in several if is_wanted(pair)]
    guesses = [guess for guess in guesses if guess.n_columns > 1 or separator is not None]
    guesses += [_judge(lines, *pair) for pair in _SINGLE if separator is None and is_wanted(pair)]
    # max keeps the first of equals, so the order of the candidates breaks ties.
    return max(guesses, key=lambda guess: round(guess.evenness * (0.1 + guess.numeric), 3))


def _judge(lines: Sequence[str], separator: str, decimal: str) -> _Guess:
    rows = split_rows(lines, separator)
    body = rows[len(rows) // 3 :] or rows
    n_columns, n_even = Counter(len(row) for row in body).most_common(1)[0]
    cells = [cell for row in body for cell in row if not is_missing(cell)]
    good = sum(is_number(cell, decimal) or is_stamp(cell) for cell in cells)
    # A quote inside a cell shows that the cells were cut in the wrong places.
    clean = 0.5 if any('"' in cell for cell in cells) else 1.0
    return _Guess(separator, decimal, rows, n_columns, clean * n_even / len(body), good / max(len(cells), 1))


def _first_data_row(guess: _Guess) -> int:
    """Return the first row from which five rows on hold numbers wherever the body does."""
    body = [row for row in guess.rows[len(guess.rows) // 3 :] if len(row) == guess.n_columns]
    numeric = [
        index for index in range(guess.n_columns) if _numeric_share([row[index] for row in body], guess.decimal) >= 0.8
    ]
    if not numeric:
        return 1 if len(guess.rows) > 1 else 0

    def is_data(row: list[str]) -> bool:
        cells = [row[index] for index in numeric if index < len(row) and not is_missing(row[index])]
        return bool(cells) and all(is_number(cell, guess.decimal) or is_stamp(cell) for cell in cells)

    flags = [is_data(row) for row in guess.rows]
    return next((first for first in range(len(flags)) if all(flags[first : first + 5])), 0)


def _numeric_share(cells: Sequence[str], decimal: str) -> float:
    filled = [cell for cell in cells if not is_missing(cell)]
    return sum(is_number(cell, decimal) or is_stamp(cell) for cell in filled) / max(len(filled), 1)


def _names_and_units(header: list[list[str]], n_columns: int) -> tuple[list[str], list[str]]:
    empty = [""] * n_columns
    rows = [[cell.strip() for cell in [*row, *empty][:n_columns]] for row in header if any(row)]
    if not rows:
        return empty, list(empty)
    units = list(empty)
    filled = [cell for cell in rows[-1] if cell]
    if len(rows) > 1 and filled and all(_UNIT.fullmatch(cell.strip("()[]")) for cell in filled):
        units = [cell.strip("()[]") for cell in rows.pop()]
    names = rows[-1]
    unclear = len(set(filter(None, names))) < len(list(filter(None, names))) or any(map(is_number, names))
    if unclear and len(rows) > 1 and sum(map(bool, rows[-2])) > 1:
        names = _with_groups(rows[-2], names)
    return names, units


def _with_groups(groups: list[str], names: list[str]) -> list[str]:
    """Put the title that spans several columns before each of their names, where names repeat or are numbers."""
    repeated = {name for name, count in Counter(names).items() if count > 1}
    current = ""
    full = []
    for group, name in zip(groups, names, strict=True):
        current = group or current
        full.append(f"{current} {name}".strip() if name in repeated or is_number(name) else name)
    return full


def _from_comments(comments: Sequence[str], n_columns: int) -> tuple[list[str], list[str]]:
    names, units = [""] * n_columns, [""] * n_columns
    for line in comments:
        if (found := _LABELS.fullmatch(line.strip())) is not None:
            names = _fit(re.split(r"[\t,;]", found[1]), names)
        elif (found := _UNITS.fullmatch(line.strip())) is not None:
            parts = re.split(r"[\t,;]", found[1])
            units = _fit(parts * n_columns if len(parts) == 1 else parts, units)
        elif line.startswith("{"):
            names = _fit(_json_columns(line), names)
    return names, units


def _json_columns(line: str) -> list[str]:
    """Return the column names of an OpenSignals header, which is JSON in a comment; none where it is something else."""
    try:
        devices = json.loads(line)
    except json.JSONDecodeError:
        return []
    columns = [device.get("column", []) for device in devices.values() if isinstance(device, dict)]
    return [str(column) for column in columns[0]] if len(columns) == 1 else []


def _fit(parts: Sequence[str], otherwise: list[str]) -> list[str]:
    clean = [part.strip() for part in parts][: len(otherwise)]
    if len(clean) + 1 == len(otherwise):  # a separator at the end of every row makes one empty column more
        clean.append("")
    return clean if len(clean) == len(otherwise) else otherwise


def _split_units(names: Sequence[str], units: Sequence[str]) -> tuple[list[str], list[str]]:
    new_names, new_units = [], []
    for name, unit in zip(names, units, strict=True):
        found = _NAME_AND_UNIT.fullmatch(name)
        if found is not None and not unit and _UNIT.fullmatch(found[2].strip()):
            name, unit = found[1], found[2].strip()
        new_names.append(name)
        new_units.append(unit)
    return new_names, new_units


def _preamble_rate(header: list[list[str]], comments: Sequence[str]) -> float | None:
    for text in [*comments, *(" ".join(filter(None, row)) for row in header[:-1])]:
        found = _RATE.search(text)
        if found is not None:
            rate = float(found[1].replace(",", ".")) * (1000.0 if found[2] or "khz" in found[0].lower() else 1.0)
            return rate or None
    for row in header[:-1]:
        filled = [cell for cell in row if cell.strip()]
        if len(filled) == 1 and len(row) > 1 and _NUMBER.fullmatch(filled[0].strip()) and float(filled[0]) > 0:
            return float(filled[0])
    return None


def _preamble_start(comments: Sequence[str]) -> datetime | None:
    """Return the date and time that the comments before a table tell, without leading zeros as they may be."""
    text = "\n".join(comments)
    date, clock = _DATE.search(text), _CLOCK.search(text)
    if date is None or clock is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in (*date.groups(), *clock.groups()[:3]))
    try:
        return datetime(year, month, day, hour, minute, second, int((clock[4] or "0").ljust(6, "0")[:6]))
    except ValueError:
        return None  # no such day: the table is read without


def _n_lines(lines: Sequence[str], separator: str, n_rows: int) -> int:
    """Return how many lines the first rows take: more than one each where a line ends inside quotes."""
    if separator in ("", " "):
        return n_rows
    reader = csv.reader(lines, delimiter=separator)
    with quotes_told():
        for _ in range(n_rows):
            next(reader)
    return reader.line_num


def _line_number(lines: Sequence[str], number: int) -> int:
    """Return the place of a line among all lines, from its place among those that are no comment and not empty."""
    seen = -1
    for place, line in enumerate(lines):
        if line.strip() and not line.lstrip().startswith("#"):
            seen += 1
        if seen == number:
            return place
    return len(lines)
