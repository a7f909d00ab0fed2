"""Where an output came from: a JSON file beside it that names input, chains, engine and measured error."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Generator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jaxscope import unfinished
from jaxscope.compute.batch_plan import BatchOptions
from jaxscope.data.annotations import EventEdits
from jaxscope.errors import WriteError
from jaxscope.filters.chain_file import chain_to_dict
from jaxscope.filters.montage_file import montage_to_dict
from jaxscope.filters.spec import FilterChain
from jaxscope.writers.base import WriteRequest

FORMAT = "jaxscope-provenance"
VERSION = 1
PIECE_BYTES = 8 << 20


def provenance_path(target: Path) -> Path:
    """Return the file beside an output that tells where it came from."""
    return target.with_name(target.name + ".json")


def refuse_foreign(target: Path, *, overwrite: bool) -> None:
    """Raise WriteError where a file that is not provenance stands in the way of it."""
    path = provenance_path(target)
    if not overwrite and path.exists() and told_of(target) is None:
        raise WriteError(f"{path} exists", hint="choose another name, or replace it with --overwrite")


def told_of(target: Path) -> dict[str, Any] | None:
    """Return what the file beside an output tells, None where there is none that can be read."""
    try:
        content = json.loads(provenance_path(target).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) and content.get("format") == FORMAT else None


def made_from(target: Path) -> tuple[str, int]:
    """Return name and size of the recording that an output was made of; ``("", 0)`` where nothing tells it."""
    given = (told_of(target) or {}).get("input")
    name, size = (given.get("name"), given.get("size_bytes")) if isinstance(given, dict) else (None, None)
    return (name, size) if isinstance(name, str) and isinstance(size, int) else ("", 0)


def size_of(path: Path) -> int:
    """Return the size of a file in bytes."""
    return path.stat().st_size


def hash_steps(path: Path) -> Generator[None, None, str]:
    """Yield after each piece of a file; return its SHA-256."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
            yield
    return digest.hexdigest()


def input_steps(source: Path, files: Sequence[str]) -> Generator[None, None, dict[str, Any]]:
    """Yield after each piece of what a recording is read from; return what is told of it.

    Parameters
    ----------
    source : Path
        What was opened.
    files : sequence of str
        ``RecordingInfo.files``. Those beside ``source`` are named as they lie from its folder.
    """
    told: dict[str, Any] = {"name": source.name, "size_bytes": size_of(source)}
    told["sha256"] = yield from hash_steps(source)
    beside = []
    for path in map(Path, files):
        if not path.samefile(source):
            digest = yield from hash_steps(path)
            name = Path(os.path.relpath(path, source.parent)).as_posix()
            beside.append({"name": name, "size_bytes": size_of(path), "sha256": digest})
    return {**told, "files": beside} if beside else told


def _montage_told(options: BatchOptions) -> dict[str, Any]:
    return {} if options.montage is None else {"montage": montage_to_dict(options.montage)}


def options_told(options: BatchOptions) -> dict[str, Any]:
    """Return what was asked for, beside chains and precision, that decides the content of an output."""
    names = ("channels", "start_s", "stop_s", "rate_hz", "samples_first", "reader_options", "device", "method")
    told = {name: getattr(options, name) for name in names}
    events = None if options.events is None else events_digest(options.events)
    # only where it was asked for, so that what was finished before is known to be
    asked = {"bad_spans": options.bad_spans} if options.bad_spans != "keep" else {}
    return {**told, **asked, **({"events": events} if events else {}), **_montage_told(options)}


def events_digest(edits: EventEdits) -> str:
    """Return the SHA-256 of events that take the place of those of a source."""
    return hashlib.sha256(repr((edits.events, edits.removed)).encode()).hexdigest()


def provenance_of(
    *,
    given: dict[str, Any],
    chains: Sequence[FilterChain],
    result: dict[str, Any],
    options: BatchOptions,
    request: WriteRequest,
) -> dict[str, Any]:
    """Return the content of the file, plain JSON values; ``given`` is what ``input_steps`` returned."""
    from jaxscope import __version__

    return {
        "format": FORMAT,
        "version": VERSION,
        "jaxscope": __version__,
        "input": given,
        "output": _output(Path(result["path"]), request),
        "chains": [chain_to_dict(chain) for chain in chains],
        "options": options_told(options),
        **{name: result[name] for name in ("method", "device", "precision", "max_abs_vs_reference", "warnings")},
    }


def _output(path: Path, request: WriteRequest) -> dict[str, Any]:
    """Return what the output is, with all that its format may not be able to hold."""
    return {
        "name": path.name,
        "size_bytes": size_of(path),
        "start": None if request.start is None else request.start.isoformat(),
        "channels": [asdict(channel) for channel in request.channels],
        "annotations": [asdict(annotation) for annotation in request.annotations],
        "gaps": [asdict(gap) for gap in request.gaps],
    }


def write_provenance(target: Path, content: dict[str, Any]) -> None:
    """Write the file beside an output, whole or not at all.

    Raises
    ------
    WriteError
        Where the disk refuses.
    """
    path = provenance_path(target)
    temporary: Path | None = None
    try:
        temporary = unfinished.make_beside(path)
        temporary.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        os.replace(temporary, path)
        unfinished.forget(temporary)
    except OSError as error:
        if temporary is not None:
            unfinished.remove(temporary)
        raise WriteError(
            f"{path} cannot be written: {error.strerror or error}", hint="choose another folder"
        ) from error
