"""The front door of imports: a text or a file of somebody else's filter as stages of ours.

It finds out what something is, by its suffix and then by itself, and hands it to the reader of that kind. Nothing that
is read is run; every refusal is one sentence with the line and the value; what had to be assumed comes back as notes.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path

from jaxscope.errors import ChainError
from jaxscope.filters.chain_file import load_chain, placed
from jaxscope.filters.imports_c import import_c, looks_like_c
from jaxscope.filters.imports_files import MAX_BYTES, from_object, import_json, import_mat, import_numpy
from jaxscope.filters.imports_matlab import import_matlab
from jaxscope.filters.imports_numbers import Imported, NothingFoundError, RateNeededError
from jaxscope.filters.imports_source import import_python
from jaxscope.filters.imports_tables import import_table
from jaxscope.filters.json_file import why_no_file
from jaxscope.filters.spec import FilterChain

__all__ = ["SUFFIXES", "Imported", "RateNeededError", "chain_of_file", "import_file", "import_text"]

#: characters of a pasted text; files may hold more
MAX_CHARACTERS = 16_000_000
_CALL = re.compile(r"[A-Za-z_][\w.]*\s*\(|^\s*\[?[A-Za-z_][\w.]*(?:\s*,?\s*[A-Za-z_]\w*)*\]?\s*=(?!=)", re.MULTILINE)
_COMMENT_LINES = re.compile(r"^\s*(?:#(?!include)|%|//)[^\n]*", re.MULTILINE)
_MATLAB = re.compile(
    r"^\s*%|^\s*\[\s*[A-Za-z_]\w*(?:\s*,?\s*[A-Za-z_]\w*)*\s*\]\s*=|;\s*$|\bend\b|\bdesignfilt\(", re.MULTILINE
)

_TextReader = Callable[[str, float | None], Imported]
_TEXT_READERS: dict[str, _TextReader] = {
    ".json": lambda text, rate_hz: import_json(text, rate_hz=rate_hz),
    ".py": lambda text, rate_hz: import_python(text, rate_hz=rate_hz),
    ".m": lambda text, rate_hz: import_matlab(text, rate_hz=rate_hz),
    **dict.fromkeys((".c", ".h", ".cpp", ".hpp", ".cc"), lambda text, _rate_hz: import_c(text)),
}
_BYTE_READERS = {".mat": import_mat, ".npy": import_numpy, ".npz": import_numpy}
_TABLES = (".csv", ".tsv", ".txt", ".dat", ".sos", ".asc")
#: suffixes of files that are offered in a dialog
SUFFIXES: tuple[str, ...] = (*_TEXT_READERS, *_BYTE_READERS, *_TABLES)


def import_text(text: str, *, rate_hz: float | None = None) -> Imported:
    """Return the stages that a text describes: numbers, JSON, or lines of Python, MATLAB or C.

    Parameters
    ----------
    text : str
    rate_hz : float or None
        Rate of the recording, for cutoffs that are parts of half the rate.

    Returns
    -------
    Imported

    Raises
    ------
    ChainError
        It describes no filter; the line and the value are named.

    Examples
    --------
    >>> found = import_text("sos = signal.butter(4, [1, 40], 'bandpass', fs=1000, output='sos')")
    >>> found.stages[0].spec
    Butterworth(band='bandpass', order=4, cutoff_hz=(1.0, 40.0))
    """
    if len(text) > MAX_CHARACTERS:
        raise ChainError(f"the text has {len(text)} characters", hint=f"give {MAX_CHARACTERS} or fewer")
    if "\0" in text:
        raise ChainError("this is not text", hint="give numbers, JSON or a line of code")
    text = text.replace("\u2212", "-").replace("\u00a0", " ")  # as a page or a spreadsheet writes them
    return _reader_of(text)(text, rate_hz)


def _reader_of(text: str) -> _TextReader:
    """Return what reads a text, by what it looks like."""
    bare = _COMMENT_LINES.sub("", text).strip()
    if bare.startswith("{") or (bare.startswith("[") and re.match(r"\[\s*\{", bare)):
        return _TEXT_READERS[".json"]
    if looks_like_c(bare):
        return _TEXT_READERS[".c"]
    if not _CALL.search(bare) and not bare.startswith(("np.", "numpy.")):
        return lambda given, _rate_hz: import_table(given)
    return _TEXT_READERS[".m" if _is_matlab(bare) else ".py"]


def _is_matlab(text: str) -> bool:
    """Return whether source is MATLAB: it is no Python, or has what only MATLAB has."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return "import " not in text and "signal." not in text and "fs=" not in text and _MATLAB.search(text) is not None


def import_file(path: str | Path, *, rate_hz: float | None = None) -> Imported:
    """Return the stages of a file, by its suffix and else by itself.

    Raises
    ------
    ChainError
        It cannot be read, or holds no filter; the sentence names the file.
    """
    path = Path(path)
    content = _content(path)
    with placed(path.name):
        suffix = path.suffix.lower()
        if suffix in _BYTE_READERS:
            return _BYTE_READERS[suffix](content, path.name, rate_hz=rate_hz)
        text = _text(content)
        if suffix in _TEXT_READERS:
            return _TEXT_READERS[suffix](text, rate_hz)
        return import_text(text, rate_hz=rate_hz)


def _content(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise ChainError(f"the filter {path} {why_no_file(path)}", hint="check the path")
        if path.stat().st_size > MAX_BYTES:
            size = f"{path.stat().st_size / 1e6:.0f} MB"
            raise ChainError(f"{path.name} has {size}, too much for a filter", hint="give a filter, not a recording")
        return path.read_bytes()
    except OSError as error:
        raise ChainError(f"the filter {path} cannot be read: {error.strerror}", hint="check its permissions") from error


def _text(content: bytes) -> str:
    for encoding in ("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "latin-1"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            raise ChainError("this is not text", hint="give numbers, JSON or code")
        return text
    raise ChainError("this is not text", hint="give numbers, JSON or code")


def chain_of_file(path: str | Path, *, rate_hz: float | None = None) -> tuple[FilterChain, tuple[str, ...]]:
    """Return the chain of a chain file or of an imported one, with notes.

    Parameters
    ----------
    path : str or Path
        Or the JSON of a chain itself.
    rate_hz : float or None
        For cutoffs that are parts of half the rate.

    Raises
    ------
    ChainError
        It cannot be read, or holds no filter.
    """
    if str(path).lstrip().startswith("{"):  # a line for a terminal may hold the chain itself
        found = import_json(str(path), rate_hz=rate_hz)
        return found.chain or FilterChain(stages=found.stages), found.notes
    path = Path(path)
    if path.suffix.lower() in ("", ".json") and not _is_foreign(path):
        return load_chain(path), ()
    found = import_file(path, rate_hz=rate_hz)
    return found.chain or FilterChain(name=path.stem, stages=found.stages), found.notes


def _is_foreign(path: Path) -> bool:
    """Return whether a JSON file is a filter, but no chain of ours: then the strict reader has no say."""
    try:
        small = path.is_file() and path.stat().st_size <= MAX_BYTES
        content = json.loads(path.read_bytes()) if small else None
    except (OSError, ValueError, RecursionError):
        return False  # the strict reader says why
    if isinstance(content, dict) and ("format" in content or "stages" in content):
        return False
    try:
        from_object(content)
    except NothingFoundError:
        return False
    return True
