"""Annotation files of WFDB (.atr, .qrs and their like): beats, rhythms and notes with their times.

Only the MIT format is read. Each annotation is a word of 16 bits, six of code and ten of time since the one before;
special codes carry longer times, texts and numbers. A file may have a time resolution and symbols of its own.

Source: annot(5) of the WFDB Applications Guide, PhysioNet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from jaxscope.data.annotations import Annotation
from jaxscope.readers.base import MOST_LIST_BYTES, is_there

#: Suffixes of annotation files that are looked for beside a header.
ANNOTATORS = ("atr", "qrs", "ecg", "ari", "man", "pwave", "st", "apn", "event")
#: Codes of annotations to the symbols that are printed for them.
_SYMBOLS = {code: symbol for code, symbol in enumerate(' NLRaVFJASEj/Q~ | sT*D"=pB^t+u?![]en@xf()r') if symbol != " "}
_NOTE, _SKIP, _NUM, _SUB, _CHN, _AUX = 22, 59, 60, 61, 62, 63
_RESOLUTION = re.compile(r"## time resolution: (\d+\.?\d*)")
_OWN_SYMBOL = re.compile(r"(\d+) (\S+) .*")


@dataclass(slots=True)
class _Entry:
    sample: int
    code: int
    text: str = ""


@dataclass(slots=True)
class _File:
    entries: list[_Entry] = field(default_factory=list)
    rate_hz: float | None = None
    symbols: dict[int, str] = field(default_factory=dict)
    is_complete: bool = False


def annotation_files(header: Path) -> list[Path]:
    """Return the annotation files that lie beside a header."""
    return [path for path in (header.with_suffix(f".{suffix}") for suffix in ANNOTATORS) if is_there(path)]


def read_annotations(header: Path, rate_hz: float, warnings: list[str]) -> tuple[Annotation, ...]:
    """Return what the annotation files beside a header tell, in order of time.

    Parameters
    ----------
    header : Path
    rate_hz : float
        Frames a second of the record: times count frames where a file tells no resolution.
    warnings : list of str
        Is added to.
    """
    found: list[Annotation] = []
    present = annotation_files(header)
    for path in present:
        try:
            if path.stat().st_size > MOST_LIST_BYTES:
                warnings.append(f"{path.name} is too large for a list of annotations, and is not read")
                continue
            parsed = _parse(path.read_bytes())
        except OSError as error:
            warnings.append(f"The annotations in {path.name} cannot be read: {error.strerror or error}")
            continue
        if not parsed.is_complete:
            warnings.append(f"{path.name} ends too early: {len(parsed.entries)} annotations are shown")
        rate = parsed.rate_hz or rate_hz
        mark = f"{path.suffix[1:]}: " if len(present) > 1 else ""
        for entry in parsed.entries:
            symbol = parsed.symbols.get(entry.code) or _SYMBOLS.get(entry.code, f"code {entry.code}")
            text = f"{mark}{symbol} {entry.text}".strip()
            found.append(Annotation(onset_s=entry.sample / rate, text=text))
    return tuple(sorted(found, key=lambda note: note.onset_s))


def _parse(raw: bytes) -> _File:
    result = _File()
    words = np.frombuffer(raw[: len(raw) // 2 * 2], dtype="<u2").tolist()
    position, sample = 0, 0
    while position < len(words):
        code, value = words[position] >> 10, words[position] & 0x3FF
        position += 1
        if code == 0 and value == 0:
            result.is_complete = True
            break
        if code == _SKIP:
            if position + 2 > len(words):
                break
            # The order of the two halves is that of a PDP-11.
            step = words[position] << 16 | words[position + 1]
            sample += step - (1 << 32) if step >> 31 else step
            position += 2
        elif code == _AUX:
            text = raw[2 * position : 2 * position + value]
            position += (value + 1) // 2
            if result.entries:
                result.entries[-1].text = text.split(b"\0", 1)[0].decode("utf-8", errors="replace").strip()
        elif code not in (_NUM, _SUB, _CHN):
            sample += value
            result.entries.append(_Entry(sample=sample, code=code))
    _take_definitions(result)
    return result


def _take_definitions(result: _File) -> None:
    """Take out the notes at time 0 that describe the file itself."""
    count, in_symbols = 0, False
    for entry in result.entries:
        if entry.sample != 0 or entry.code != _NOTE:
            break
        match = _RESOLUTION.match(entry.text)
        if match is not None:
            result.rate_hz = float(match[1]) or None
        elif entry.text == "## annotation type definitions":
            in_symbols = True
        elif entry.text == "## end of definitions":
            in_symbols = False
        elif in_symbols and (own := _OWN_SYMBOL.match(entry.text)) is not None:
            result.symbols[int(own[1])] = own[2]
        else:
            break
        count += 1
    del result.entries[:count]
