"""Strict JSON from a file of the user: chains and projects.

JSON as Python reads it lets a key be given twice and takes NaN for a number: either would pass over something that
was meant. Invariants: what goes wrong before the content is looked at is one sentence that names the file; a file is
written whole or not at all.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from jaxscope.errors import ChainError

MAX_FILE_BYTES = 64 * 1024 * 1024


def why_no_file(path: Path) -> str:
    """Return why there is no file to read under a path, as the end of a sentence."""
    if path.is_dir():
        return "is a folder"
    return "is a pipe or a device and not a file" if path.exists() else "does not exist"


def read_json(path: Path, noun: str) -> Any:
    """Return the content of a JSON file.

    Parameters
    ----------
    path : Path
    noun : str
        What the file should be, as sentences call it: ``"chain file"``, ``"project"``.

    Raises
    ------
    ChainError
        The file is missing, a folder, too large, no text, or not JSON.
    """
    try:
        if not path.is_file():
            raise ChainError(f"the {noun} {path} {why_no_file(path)}", hint="check the path")
        n_bytes = path.stat().st_size
        if n_bytes > MAX_FILE_BYTES:
            raise ChainError(
                f"{path.name} has {n_bytes / 1e6:.0f} MB, too much for a {noun}",
                hint=f"give a {noun}, not a recording",
            )
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ChainError(f"the {noun} {path} cannot be read: {error.strerror}", hint="check its permissions") from error
    except UnicodeDecodeError as error:
        raise ChainError(f"{path.name} is not a text file", hint=f"give a {noun}") from error
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise ChainError(f"{path.name} is not JSON: {error}", hint="check it near that place") from error


def write_json(path: Path, content: Any, *, ascii_only: bool = True) -> None:
    """Write a JSON file; what was there before stays whole until the new one is complete.

    Parameters
    ----------
    path : Path
    content : object
        Plain values without NaN.
    ascii_only : bool
        Escape other letters: names of files may hold what no encoding has.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    text = json.dumps(content, indent=1, ensure_ascii=ascii_only, allow_nan=False)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f'"{twice}" is given twice')
    return result
