"""Whether an output was finished by an earlier run, so that a batch of many files can be taken up again.

An output counts as finished only where the provenance file beside it, which is written last, tells of the same input
by the content of all its files, of the same chains, options, precision and version, and of an output of the size that
is there.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from jaxscope.compute.batch_plan import BatchOptions
from jaxscope.compute.provenance import hash_steps, options_told, provenance_path, size_of, told_of
from jaxscope.filters.chain_file import chain_to_dict
from jaxscope.filters.spec import FilterChain

#: Formats of several files. One that is none of those that were read, of the same stem, may be new since.
_SEVERAL_FILES = frozenset(
    {".vhdr", ".ahdr", ".eeg", ".vmrk", ".hea", ".set", ".fdt", ".fif", ".cdt", ".lay", ".rhd", ".rhs"}
    | {f".ns{number}" for number in range(1, 7)}
)
FINISHED = "finished by an earlier run and left as it is"


def finished_result(chains: Sequence[FilterChain], options: BatchOptions) -> dict[str, Any] | None:
    """Return the result of the run that finished an output, as ``filter_file`` does, or None where none has."""
    steps = finished_steps(chains, options)
    try:
        while True:
            next(steps)
    except StopIteration as end:
        found: dict[str, Any] | None = end.value
        return found


def finished_steps(
    chains: Sequence[FilterChain], options: BatchOptions
) -> Generator[None, None, dict[str, Any] | None]:
    """Yield while a file is hashed; return what ``finished_result`` does."""
    from jaxscope import __version__

    source, target = Path(options.source), Path(options.target)
    told = told_of(target)
    if told is None or not target.is_file() or not source.is_file():
        return None
    wanted = _plain(
        {
            "jaxscope": __version__,
            "chains": [chain_to_dict(chain) for chain in chains],
            "options": options_told(options),
            "precision": options.precision,
        }
    )
    output, given = _part(told, "output"), _part(told, "input")
    if any(told.get(name) != value for name, value in wanted.items()) or output.get("size_bytes") != size_of(target):
        return None
    read = [{**given, "name": source.name}, *_others(given)]
    for one in read:
        same = yield from _same_steps(one, source.parent)
        if not same:
            return None
    if source.suffix.lower() in _SEVERAL_FILES and _is_newer_beside(source, provenance_path(target), read):
        return None
    return _result(target, told)


def _others(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is told of the files that an input was read from beside the one that was opened."""
    files = given.get("files", [])
    return [one if isinstance(one, dict) else {} for one in files] if isinstance(files, list) else [{}]


def _same_steps(told: dict[str, Any], folder: Path) -> Generator[None, None, bool]:
    """Yield while a file is hashed; say whether it is what was told of it."""
    name = told.get("name")
    path = folder / name if isinstance(name, str) and "\0" not in name else folder
    if not path.is_file() or told.get("size_bytes") != size_of(path):
        return False
    digest = yield from hash_steps(path)
    return told.get("sha256") == digest


def _part(told: dict[str, Any], name: str) -> dict[str, Any]:
    part = told.get(name)
    return part if isinstance(part, dict) else {}


def _result(target: Path, told: dict[str, Any]) -> dict[str, Any] | None:
    """Return what the earlier run returned; None where its provenance was damaged since."""
    try:
        lengths = [int(channel["n_samples"]) for channel in told["output"]["channels"]]
        return {
            "path": str(target),
            "seconds": 0.0,
            "n_channels": len(lengths),
            "n_samples": max(lengths),
            **{name: told[name] for name in ("method", "device", "precision", "max_abs_vs_reference")},
            "warnings": [FINISHED, *map(str, told["warnings"])],
        }
    except (KeyError, TypeError, ValueError):
        return None


def _is_newer_beside(source: Path, told: Path, read: Sequence[dict[str, Any]]) -> bool:
    """Say whether a file that may belong to a recording, and was not read, is newer than an output of it."""
    finished, known = told.stat().st_mtime_ns, {one["name"] for one in read}
    return any(
        entry.stat().st_mtime_ns > finished
        for entry in source.parent.iterdir()
        if entry.name.startswith(source.stem) and entry.name not in known
    )


def _plain(content: dict[str, Any]) -> dict[str, Any]:
    """Return what a file of JSON gives back."""
    plain: dict[str, Any] = json.loads(json.dumps(content))
    return plain
