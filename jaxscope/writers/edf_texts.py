"""The texts of an EDF header: names, units, sensors and dates in the characters that it has for them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime

from jaxscope.data.kinds import kind_of
from jaxscope.data.recording import Channel
from jaxscope.errors import WriteError

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_LABEL_WIDTH = 16
#: What signs of units and names are in ASCII.
_PLAIN = {"\u00b5": "u", "\u03bc": "u", "°": "deg", "\u03a9": "Ohm", "\u2126": "Ohm", "ß": "ss", "²": "^2", "³": "^3"}
#: Words in the transducer field from which a reader knows the kind where name and unit do not tell it.
_SENSORS = {
    "eeg": "EEG electrode",
    "eog": "EOG electrode",
    "ecg": "ECG electrode",
    "emg": "EMG electrode",
    "resp": "resp belt",
    "audio": "audio",
}


def labels_of(channels: Sequence[Channel]) -> list[str]:
    """Return the names as labels: ASCII, at most 16 characters, different where the names are."""
    names = {channel.name for channel in channels}
    labels: list[str] = []
    for channel in channels:
        repeat = re.fullmatch(r"(.+) #\d+", channel.name)
        # Readers number repeated labels themselves; written with the number they would be numbered twice.
        name = repeat[1] if repeat is not None and repeat[1] in names else channel.name
        label = ascii_text(name)[:_LABEL_WIDTH].rstrip()
        number = 1
        while label in labels and name == channel.name:
            number += 1
            tail = f"~{number}"
            label = ascii_text(name)[: _LABEL_WIDTH - len(tail)] + tail
        labels.append(label)
    return labels


def transducer_of(channel: Channel) -> str:
    """Return what the sensor field must say so that a reader guesses the kind of the channel right; "" for nothing."""
    return "" if kind_of(channel.name, channel.unit) == channel.kind else _SENSORS.get(channel.kind, "")


def is_repeat(name: str, label: str) -> bool:
    """Say whether a name is a label with the number that a reader gave it because it repeats."""
    return re.fullmatch(re.escape(label) + r" #\d+", name) is not None


def ascii_text(text: str) -> str:
    """Write a text in ASCII: accents removed, known signs spelled, ``?`` for the rest."""
    for sign, words in _PLAIN.items():
        text = text.replace(sign, words)
    plain = unicodedata.normalize("NFKD", text)
    kept = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return re.sub(r"[^ -~]", "?", kept)


def field_bytes(text: str, width: int) -> bytes:
    """Return a field of the header.

    Raises
    ------
    WriteError
        If the text is longer than the field.
    """
    data = text.encode("ascii")
    if len(data) > width:
        raise WriteError(f'"{text}" does not fit the {width} characters of its field in the header')
    return data.ljust(width)


def date_field(start: datetime | None) -> str:
    """Return the date of the header; an unknown one is marked as such in the recording field."""
    return "01.01.85" if start is None else f"{start.day:02d}.{start.month:02d}.{start.year % 100:02d}"


def recording_field(start: datetime | None) -> str:
    """Return the recording field of EDF+, which has the date with four digits of the year."""
    day = "X" if start is None else f"{start.day:02d}-{_MONTHS[start.month - 1]}-{start.year:04d}"
    return f"Startdate {day} X X jaxscope"
