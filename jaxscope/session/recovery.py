"""Work that is not saved, kept beside the settings until it is: so a crash or a kill costs a few seconds of it.

A kept file is a project and where it belongs, written whole or not at all. Nobody reads it unless the window that wrote
it is gone; who knows that is the window's business.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from platformdirs import user_state_path

from jaxscope.errors import ChainError
from jaxscope.filters.json_file import read_json, write_json
from jaxscope.session.project import Project, project_from_dict, project_to_dict

FORMAT = "jaxscope-unsaved"
VERSION = 1
SUFFIX = ".unsaved.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Unsaved work: the project, the file that it belongs to (empty where it has none), and when it was kept."""

    project: Project
    project_path: str
    kept_at: datetime

    @property
    def name(self) -> str:
        """What the work is about: its project, else its recording."""
        recording = self.project.document.recording
        path = self.project_path or (recording.path if recording is not None else "")
        return Path(path).name or "A filter without a recording"


def recovery_folder() -> Path:
    """Return where unsaved work is kept."""
    return user_state_path("jaxscope", appauthor=False) / "unsaved"


def write_kept(path: Path, kept: Kept) -> None:
    """Write unsaved work down.

    Raises
    ------
    ChainError
        Where it cannot be written.
    """
    content = {
        "format": FORMAT,
        "version": VERSION,
        "project_path": kept.project_path,
        "kept_at": kept.kept_at.isoformat(timespec="seconds"),
        "project": project_to_dict(kept.project, folder=path.parent),
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_json(path, content)
    except OSError as error:
        raise ChainError(
            f"unsaved work cannot be kept in {path.parent}: {error.strerror}", hint="save the project"
        ) from error


def read_kept(path: Path) -> Kept:
    """Read unsaved work; ChainError where that is none."""
    content = read_json(path, "file of unsaved work")
    if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
        raise ChainError(f"{path.name} holds no unsaved work", hint="remove it")
    project_path, kept_at = content.get("project_path"), content.get("kept_at")
    try:
        when = datetime.fromisoformat(kept_at if isinstance(kept_at, str) else "")
    except ValueError as error:
        raise ChainError(f"{path.name} does not tell when it was kept", hint="remove it") from error
    return Kept(
        project=project_from_dict(content.get("project"), folder=path.parent, tolerant=True),
        project_path=project_path if isinstance(project_path, str) else "",
        kept_at=when,
    )


def newest_first(paths: Iterable[Path]) -> list[tuple[Path, Kept]]:
    """Return what can be read of kept files, the newest first; what cannot be read stays where it is."""
    found = []
    for path in paths:
        try:
            found.append((path, read_kept(path)))
        except ChainError:  # another version's, or damaged: not ours to throw away
            continue
    return sorted(found, key=lambda item: item[1].kept_at, reverse=True)
