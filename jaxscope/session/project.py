"""Project files (``.jaxscope``): encode, decode, save atomically. JSON, data and never code.

A project holds the reference to its recording (a path relative to the project where possible, its size, a hash of its
first and last MiB), the chains, what was pinned and the limits, the view, the annotations that were added and the
preferred engine. What this version does not know is reported, never guessed, and saved again as it was.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxscope import __version__
from jaxscope.data.annotations import in_order
from jaxscope.errors import ChainError
from jaxscope.filters.chain_file import chain_from_dict, chain_to_dict, placed
from jaxscope.filters.json_file import read_json, write_json
from jaxscope.filters.limits import limit_from_dict, limit_to_dict
from jaxscope.filters.montage import Montage
from jaxscope.filters.montage_file import montage_from_dict, montage_to_dict
from jaxscope.filters.spec import FilterChain
from jaxscope.filters.values import shown
from jaxscope.session.events import edits_of
from jaxscope.session.project_fields import (
    build,
    choice_in,
    dict_in,
    event_in,
    event_to_dict,
    fit_in,
    list_in,
    number_in,
    of_type,
    plain,
)
from jaxscope.session.project_newer import put_back, sort_out
from jaxscope.session.state import (
    CHAIN_TAGS,
    MOST_LIMITS,
    MOST_PINS,
    ChannelLook,
    Document,
    EngineChoice,
    Pin,
    RecordingRef,
    Viewport,
)

FORMAT = "jaxscope-project"
VERSION = 1
_MIB = 2**20
#: Fields of the view that are a number by channel kind.
_TABLES = ("scales", "sensitivities")
_KNOWN = (
    *("format", "version", "program", "recording", "montage", "chains", "pins", "limits", "fit", "filter_on"),
    *("channel_order", "looks", "annotations", "removed_events", "bad_spans", "view", "engine"),
)


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


def reference_to(
    path: str | Path, *, rate_hz: float | None = None, options: tuple[tuple[str, str], ...] = ()
) -> RecordingRef:
    """Return the reference to a recording on disk; OSError where its file cannot be read."""
    size, digest = fingerprint(path)
    place = str(Path(path).resolve())
    return RecordingRef(path=place, size_bytes=size, fingerprint=digest, rate_hz=rate_hz, options=options)


def change_of(reference: RecordingRef) -> tuple[str, str] | None:
    """Return sentence and hint for a recording that is no longer what the reference was made of; None where it is.

    A file that is not there is for whoever opens it to tell.
    """
    try:
        size, digest = fingerprint(reference.path)
    except OSError:
        return None
    told = (reference.size_bytes, reference.fingerprint)
    if all(was in (None, now) for was, now in zip(told, (size, digest), strict=True)):
        return None
    more = size - (reference.size_bytes if reference.size_bytes is not None else size)
    unit, factor = ("MB", 1e6) if abs(more) >= 1e6 else ("kB", 1e3) if abs(more) >= 1e3 else ("bytes", 1)
    hint = f"{abs(more) / factor:.3g} {unit} {'longer' if more > 0 else 'shorter'} than before"
    return (
        f"{Path(reference.path).name} has changed since this project was saved",
        hint if more else "As long as before, with other content",
    )


def changed_words(reference: RecordingRef) -> tuple[str, ...]:
    """Return the sentence for a recording that has changed, for a warning; none where it has not."""
    change = change_of(reference)
    return () if change is None else (change[0],)


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


def load_project(path: str | Path, *, tolerant: bool = False) -> Project:
    """Read a project file.

    Parameters
    ----------
    path : str or Path
    tolerant : bool
        Open what a newer version has made: parts that are not known here are kept but off, and said in ``warnings``.

    Raises
    ------
    ChainError
        Where the file is missing, is not a project, or (unless ``tolerant``) was made by a newer version.
    """
    source = Path(path)
    content = read_json(source, "project")
    with placed(source.name):
        return project_from_dict(content, folder=source.resolve().parent, tolerant=tolerant)


def project_to_dict(project: Project, *, folder: Path) -> dict[str, Any]:
    """Return a project as plain values; paths are relative to ``folder`` where they can be."""
    document, viewport = project.document, project.viewport
    recording = None
    if document.recording is not None:
        recording = plain(document.recording)
        recording["path"] = _relative(document.recording.path, folder)
    view = plain(viewport)
    del view["selected_event"]
    for name in _TABLES:
        view[name] = dict(getattr(viewport, name))
    content = {
        "format": FORMAT,
        "version": VERSION,
        "program": f"jaxscope {__version__}",
        "recording": recording,
        "montage": None if document.montage is None else montage_to_dict(document.montage),
        "chains": [chain_to_dict(chain) for chain in document.chains],
        "filter_on": document.filter_on,
        "channel_order": list(document.channel_order),
        "looks": {name: plain(look) for name, look in document.looks},
        "annotations": [event_to_dict(event) for event in document.annotations],
        "removed_events": [event_to_dict(event) for event in edits_of(document).removed],
        "bad_spans": document.bad_spans,
        "view": view,
        "pins": [{"name": pin.name, "at": pin.at, "chain": chain_to_dict(pin.chain)} for pin in document.pins],
        "limits": [limit_to_dict(limit) for limit in document.limits],
        "fit": plain(document.fit),
        "engine": plain(project.engine),
    }
    return put_back(content, document.kept)


def project_from_dict(content: Any, *, folder: Path, tolerant: bool = False) -> Project:
    """Return the project that plain values describe; ChainError says what is wrong."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ChainError("this is not a jaxscope project", hint='a project has "format": "jaxscope-project"')
    version = content.get("version")
    is_newer = isinstance(version, int) and not isinstance(version, bool) and version > VERSION
    if (isinstance(version, bool) or version != VERSION) and not (is_newer and tolerant):
        raise ChainError(
            f"the project has version {shown(version)}, and this program knows {VERSION}",
            hint="open it with a newer jaxscope" if is_newer else "save it again",
        )
    content, kept, warnings = sort_out(content, _KNOWN, is_newer=is_newer, everywhere=tolerant)
    chains = list_in(content, "chains")
    if len(chains) > len(CHAIN_TAGS):
        raise ChainError(f"the project has {len(chains)} chains", hint=f"give {len(CHAIN_TAGS)} or fewer")
    document = Document(
        recording=_recording(content.get("recording"), folder),
        montage=_montage(content.get("montage")),
        chains=tuple(_chain(tag, chain) for tag, chain in zip(CHAIN_TAGS, chains, strict=False)),
        filter_on=of_type(content.get("filter_on", True), bool, "filter_on"),
        channel_order=tuple(of_type(name, str, "channel_order") for name in list_in(content, "channel_order")),
        looks=tuple((name, build(ChannelLook, look, "looks")) for name, look in dict_in(content, "looks").items()),
        annotations=in_order(event_in(item, "annotations") for item in list_in(content, "annotations")),
        read_events=tuple(event_in(item, "annotations") for item in list_in(content, "removed_events")),
        bad_spans=choice_in(content, "bad_spans", "keep"),
        pins=_pins(content),
        limits=tuple(limit_from_dict(item) for item in _few(content, "limits", MOST_LIMITS)),
        fit=fit_in(content),
        kept=kept,
    )
    view = dict(dict_in(content, "view"))
    for name in _TABLES:
        view[name] = tuple(sorted((k, number_in(v, name)) for k, v in dict_in(view, name).items()))
    return Project(
        document=document,
        viewport=build(Viewport, view, "view"),
        engine=build(EngineChoice, dict_in(content, "engine"), "engine"),
        warnings=tuple(warnings),
    )


def _montage(content: Any) -> Montage | None:
    if content is None:
        return None
    with placed("montage"):
        return montage_from_dict(content)


def _chain(tag: str, content: Any) -> FilterChain:
    with placed(f"chain {tag}"):
        return chain_from_dict(content, tolerant=True)


def _few(content: dict[str, Any], name: str, most: int) -> list[Any]:
    found = list_in(content, name)
    if len(found) > most:
        raise ChainError(f"the project has {len(found)} {name}", hint=f"give {most} or fewer")
    return found


def _pins(content: dict[str, Any]) -> tuple[Pin, ...]:
    found = []
    for number, item in enumerate(_few(content, "pins", MOST_PINS)):
        with placed(f"pin {number + 1}"):
            given = of_type(item, dict, "pins")
            chain = chain_from_dict(given.get("chain"), tolerant=True)
            rest = {name: value for name, value in given.items() if name != "chain"}
            named = build(Pin, {**rest, "chain": chain}, "pins")
            found.append(named)
    return tuple(found)


def _recording(content: Any, folder: Path) -> RecordingRef | None:
    if content is None:
        return None
    reference = build(RecordingRef, content, "recording")
    path = Path(reference.path)
    absolute = path if path.is_absolute() else Path(os.path.normpath(folder / path))
    return RecordingRef(
        path=str(absolute),
        size_bytes=reference.size_bytes,
        fingerprint=reference.fingerprint,
        rate_hz=reference.rate_hz,
        options=reference.options,
    )


def _relative(path: str, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive on Windows
        return path
