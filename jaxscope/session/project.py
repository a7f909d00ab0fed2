"""Project files (``.jaxscope``): encode, decode, save atomically. JSON, data and never code.

A project holds the reference to its recording (a path relative to the project where possible, its size, a hash of its
first and last MiB), the chains, the view, the annotations that were added and the preferred engine. What this version
does not know is reported, never guessed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, get_args

from jaxscope.data.annotations import Annotation
from jaxscope.errors import ChainError
from jaxscope.filters.chain_file import chain_from_dict, chain_to_dict, placed
from jaxscope.filters.json_file import read_json, write_json
from jaxscope.filters.spec import FilterChain
from jaxscope.filters.values import shown
from jaxscope.session.state import (
    CHAIN_TAGS,
    SHORTEST_WINDOW_S,
    ChannelLook,
    CoefficientForm,
    Document,
    EngineChoice,
    Face,
    Mode,
    Precision,
    RecordingRef,
    ResponseView,
    Viewport,
)

FORMAT = "jaxscope-project"
VERSION = 1
_MIB = 2**20
#: Least number that counts as above 0 for a gain, a scale or a rate.
TINY = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What a project file holds. ``warnings`` are sentences about parts that were left out or have changed."""

    document: Document
    viewport: Viewport
    engine: EngineChoice
    warnings: tuple[str, ...] = ()


def fingerprint(path: str | Path) -> tuple[int, str]:
    """Return size in bytes and the SHA-256 of the first and last MiB of a file."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        digest.update(file.read(_MIB))
        if size > _MIB:
            file.seek(max(_MIB, size - _MIB))
            digest.update(file.read(_MIB))
    return size, digest.hexdigest()


def reference_to(path: str | Path, *, rate_hz: float | None = None) -> RecordingRef:
    """Return the reference to a recording on disk."""
    size, digest = fingerprint(path)
    return RecordingRef(path=str(Path(path).resolve()), size_bytes=size, fingerprint=digest, rate_hz=rate_hz)


def changed_words(reference: RecordingRef) -> tuple[str, ...]:
    """Return the sentence for a recording that is no longer what the reference was made of; none where it is.

    A file that is not there is for whoever opens it to tell.
    """
    try:
        size, digest = fingerprint(reference.path)
    except OSError:
        return ()
    told = (reference.size_bytes, reference.fingerprint)
    if all(was in (None, now) for was, now in zip(told, (size, digest), strict=True)):
        return ()
    return (f"{Path(reference.path).name} has changed since the project was saved",)


def save_project(path: str | Path, project: Project) -> None:
    """Write a project file; the old one stays until the new one is complete.

    Raises
    ------
    ChainError
        Where the file cannot be written.
    """
    target = Path(path)
    try:
        write_json(target, project_to_dict(project, folder=target.resolve().parent))
    except OSError as error:
        raise ChainError(f"{target.name} cannot be saved: {error.strerror}", hint="choose another folder") from error


def load_project(path: str | Path) -> Project:
    """Read a project file.

    Raises
    ------
    ChainError
        Where the file is missing, is not a project, or was made by a newer version.
    """
    source = Path(path)
    content = read_json(source, "project")
    with placed(source.name):
        return project_from_dict(content, folder=source.resolve().parent)


def project_to_dict(project: Project, *, folder: Path) -> dict[str, Any]:
    """Return a project as plain values; paths are relative to ``folder`` where they can be."""
    document, viewport = project.document, project.viewport
    recording = None
    if document.recording is not None:
        recording = _plain(document.recording)
        recording["path"] = _relative(document.recording.path, folder)
    view = _plain(viewport)
    view["scales"] = dict(viewport.scales)
    return {
        "format": FORMAT,
        "version": VERSION,
        "recording": recording,
        "montage": None,
        "chains": [chain_to_dict(chain) for chain in document.chains],
        "filter_on": document.filter_on,
        "channel_order": list(document.channel_order),
        "looks": {name: _plain(look) for name, look in document.looks},
        "annotations": [_plain(annotation) for annotation in document.annotations],
        "view": view,
        "engine": _plain(project.engine),
    }


def project_from_dict(content: Any, *, folder: Path) -> Project:
    """Return the project that plain values describe; ChainError says what is wrong."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ChainError("this is not a jaxscope project", hint='a project has "format": "jaxscope-project"')
    version = content.get("version")
    if isinstance(version, bool) or version != VERSION:
        is_newer = isinstance(version, int) and version > VERSION
        raise ChainError(
            f"the project has version {shown(version)}, and this program knows {VERSION}",
            hint="open it with a newer jaxscope" if is_newer else "save it again",
        )
    known = {"format", "version", "recording", "montage", "chains", "filter_on", "channel_order", "looks"}
    known |= {"annotations", "view", "engine"}
    warnings = [
        f"the part {name!r} of the project is not known here and is left out" for name in content.keys() - known
    ]
    if content.get("montage") is not None:
        warnings.append("the montage of the project is not known here and is left out")
    chains = _list(content, "chains")
    if len(chains) > len(CHAIN_TAGS):
        raise ChainError(f"the project has {len(chains)} chains", hint=f"give {len(CHAIN_TAGS)} or fewer")
    document = Document(
        recording=_recording(content.get("recording"), folder),
        chains=tuple(_chain(tag, chain) for tag, chain in zip(CHAIN_TAGS, chains, strict=False)),
        filter_on=_of_type(content.get("filter_on", True), bool, "filter_on"),
        channel_order=tuple(_of_type(name, str, "channel_order") for name in _list(content, "channel_order")),
        looks=tuple((name, _build(ChannelLook, look, "looks")) for name, look in _dict(content, "looks").items()),
        annotations=tuple(_build(Annotation, item, "annotations") for item in _list(content, "annotations")),
    )
    view = dict(_dict(content, "view"))
    view["scales"] = tuple(sorted((k, _number(v, "scales")) for k, v in _dict(view, "scales").items()))
    return Project(
        document=document,
        viewport=_build(Viewport, view, "view"),
        engine=_build(EngineChoice, _dict(content, "engine"), "engine"),
        warnings=tuple(warnings),
    )


def _chain(tag: str, content: Any) -> FilterChain:
    with placed(f"chain {tag}"):
        return chain_from_dict(content, tolerant=True)


def _recording(content: Any, folder: Path) -> RecordingRef | None:
    if content is None:
        return None
    reference = _build(RecordingRef, content, "recording")
    path = Path(reference.path)
    absolute = path if path.is_absolute() else Path(os.path.normpath(folder / path))
    return RecordingRef(
        path=str(absolute),
        size_bytes=reference.size_bytes,
        fingerprint=reference.fingerprint,
        rate_hz=reference.rate_hz,
    )


def _relative(path: str, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive on Windows
        return path


def _plain(value: Any) -> dict[str, Any]:
    return {
        item.name: list(content) if isinstance(content := getattr(value, item.name), tuple) else content
        for item in fields(value)
    }


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "mode": get_args(Mode),
    "face": get_args(Face),
    "coefficient_form": get_args(CoefficientForm),
    "response_view": get_args(ResponseView),
    "precision": get_args(Precision),
}


#: What a person calls the types of JSON.
_WORDS: Mapping[type[Any], str] = {bool: "true or false", str: "a text", list: "a list", dict: "an object"}
#: Limits of numbers that a window cannot be drawn without.
_LEAST: Mapping[str, float] = {
    "view.start_s": 0,
    "view.duration_s": SHORTEST_WINDOW_S,
    "view.first_lane": 0,
    "view.lane_count": 1,
    "view.active_chain": 0,
    "view.selected_stage": 0,
    "scales": TINY,
    "looks.gain": TINY,
    "recording.size_bytes": 0,
    "recording.rate_hz": TINY,
}


def _build(kind: type[Any], content: Any, where: str) -> Any:
    """Return a dataclass of plain fields, each checked against the type of its annotation."""
    if not isinstance(content, dict):
        raise ChainError(f"{where} of the project is {shown(content)}", hint="it must be an object")
    values = {}
    for item in fields(kind):
        if item.name in content:
            values[item.name] = _checked(content[item.name], str(item.type), f"{where}.{item.name}", item.name)
    unknown = content.keys() - {item.name for item in fields(kind)}
    if unknown:
        raise ChainError(f"{where} of the project has an unknown field {min(unknown)!r}", hint="remove it")
    needed = {item.name for item in fields(kind) if item.default is MISSING and item.default_factory is MISSING}
    if needed - values.keys():
        raise ChainError(f"{where} of the project has no field {min(needed - values.keys())!r}", hint="add it")
    return kind(**values)


def _checked(value: Any, annotation: str, where: str, name: str) -> Any:
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            raise ChainError(
                f"{where} of the project is {shown(value)}", hint=f"it must be one of {', '.join(_CHOICES[name])}"
            )
        return value
    if value is None and annotation.endswith("| None"):
        return None
    plain = annotation.removesuffix(" | None")
    if plain == "bool":
        return _of_type(value, bool, where)
    if plain == "str":
        return _of_type(value, str, where)
    if plain == "int":
        number = _number(value, where)
        if number != int(number):
            raise ChainError(f"{where} of the project is {shown(value)}", hint="it must be a whole number")
        return int(number)
    if plain == "float":
        return _number(value, where)
    if plain == "tuple[str, ...]":
        return tuple(_of_type(item, str, where) for item in _of_type(value, list, where))
    if plain == "tuple[float, ...]":
        return tuple(_number(item, where) for item in _of_type(value, list, where))
    return value


def _of_type(value: Any, kind: type[Any], where: str) -> Any:
    if not isinstance(value, kind):
        raise ChainError(f"{where} of the project is {shown(value)}", hint=f"it must be {_WORDS[kind]}")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) == float("inf"):
        raise ChainError(f"{where} of the project is {shown(value)}", hint="it must be a finite number")
    if value < _LEAST.get(where, value):
        limit = "above 0" if _LEAST[where] == TINY else f"{_LEAST[where]:g} or more"
        raise ChainError(f"{where} of the project is {shown(value)}", hint=f"it must be {limit}")
    return float(value)


def _list(content: Mapping[str, Any], name: str) -> list[Any]:
    value: list[Any] = _of_type(content.get(name, []), list, name)
    return value


def _dict(content: Mapping[str, Any], name: str) -> dict[str, Any]:
    value: dict[str, Any] = _of_type(content.get(name, {}), dict, name)
    return value
