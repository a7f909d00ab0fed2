"""Events as a table of text and back: CSV or TSV with onset, duration and text, as MNE, BIDS and spreadsheets have it.

Columns are found by their names, in any order; without a header they are onset, duration, text. Every row becomes an
event or an error that names its line: nothing is left out.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from math import isfinite

from jaxscope.data.annotations import Annotation, in_order
from jaxscope.errors import ReadError

_NAMES = {
    "onset": ("onset", "onset_s", "onset (s)", "start", "start_s", "time", "time_s", "begin"),
    "duration": ("duration", "duration_s", "duration (s)", "length", "length_s"),
    "stop": ("stop", "stop_s", "end", "end_s", "offset"),
    "text": ("text", "description", "trial_type", "label", "annotation", "event", "name", "value"),
    "channels": ("channels", "channel", "ch_names"),
    "bad": ("bad", "is_bad"),
}
_NOTHING = frozenset({"", "n/a", "nan", "none", "null"})
_TRUE = frozenset({"1", "true", "yes"})
#: Parts channels that share a cell.
_BETWEEN = "|"


def events_table(events: Iterable[Annotation], delimiter: str = ",") -> str:
    """Return events as a table; channels and bad have columns only where an event tells them.

    Examples
    --------
    >>> print(events_table((Annotation(onset_s=1.5, text="Blink"),)), end="")
    onset,duration,text
    1.5,,Blink
    """
    told = tuple(events)
    has_channels, has_bad = any(event.channels for event in told), any(event.is_bad for event in told)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(
        ["onset", "duration", "text", *(["channels"] if has_channels else []), *(["bad"] if has_bad else [])]
    )
    for event in told:
        row = [repr(event.onset_s), "" if event.duration_s is None else repr(event.duration_s), event.text]
        row += [_BETWEEN.join(event.channels)] if has_channels else []
        row += ["true" if event.is_bad else ""] if has_bad else []
        writer.writerow(row)
    return out.getvalue()


def parse_events(text: str) -> tuple[Annotation, ...]:
    r"""Return the events of a table, in order of onset.

    Raises
    ------
    ReadError
        Where there is no column of onsets, or a cell is no time; it names the line.

    Examples
    --------
    >>> parse_events("onset\tduration\ttrial_type\n1.5\tn/a\tgo\n")
    (Annotation(onset_s=1.5, duration_s=None, text='go', channels=(), is_bad=False),)
    """
    lines = text.removeprefix("\ufeff")
    first = next((line for line in lines.splitlines() if line.strip()), "")
    delimiter = max("\t;,", key=first.count)
    reader = csv.reader(io.StringIO(lines), delimiter=delimiter)
    rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    if not rows:
        return ()
    places = _places(rows[0][1])
    if places is None:
        places = {name: place for place, name in enumerate(("onset", "duration", "text"))}
    else:
        rows = rows[1:]
    return in_order(_event(line, row, places) for line, row in rows)


def _places(header: Sequence[str]) -> dict[str, int] | None:
    """Return the columns by what they hold; None where the first row is numbers already."""
    cells = [cell.strip().lower() for cell in header]
    if _is_number(cells[0]):
        return None
    found = {name: cells.index(known) for name, names in _NAMES.items() for known in reversed(names) if known in cells}
    if "onset" not in found:
        raise ReadError(f"no column of {', '.join(header[:6])} is an onset", hint="call one onset, in seconds")
    return found


def _event(line: int, row: Sequence[str], places: dict[str, int]) -> Annotation:
    cells = {name: row[place].strip() if place < len(row) else "" for name, place in places.items()}
    onset_s = _seconds(cells["onset"], "onset", line)
    if onset_s is None:
        raise ReadError(f"line {line} has no onset", hint="give a time in seconds")
    duration_s = _seconds(cells.get("duration", ""), "duration", line)
    stop_s = _seconds(cells.get("stop", ""), "end", line)
    if duration_s is None and stop_s is not None:
        duration_s = stop_s - onset_s
    if duration_s is not None and duration_s < 0:
        raise ReadError(f"line {line} ends {-duration_s:g} s before it begins", hint="give 0 s or more")
    names = cells.get("channels", "")
    return Annotation(
        onset_s=onset_s,
        duration_s=duration_s,
        text=cells.get("text", ""),
        channels=() if names.lower() in _NOTHING else tuple(name.strip() for name in names.split(_BETWEEN)),
        is_bad=cells.get("bad", "").lower() in _TRUE,
    )


def _seconds(cell: str, name: str, line: int) -> float | None:
    if cell.lower() in _NOTHING:
        return None
    if not _is_number(cell):
        raise ReadError(f'line {line}: the {name} "{cell}" is no time', hint="give seconds, such as 12.5")
    return float(cell)


def _is_number(cell: str) -> bool:
    try:
        return isfinite(float(cell))
    except ValueError:
        return False
