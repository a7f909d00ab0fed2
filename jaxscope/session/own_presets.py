"""Presets of one's own: chain files in the user's configuration folder, saved, renamed, removed, brought in and out.

Each is a chain file like any other, so it can be given to somebody else. Invariant: a file that is there is never
replaced without being asked for, and one that cannot be read is told, not hidden.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from platformdirs import user_config_path

from jaxscope.errors import ChainError
from jaxscope.filters.chain_file import load_chain, save_chain
from jaxscope.filters.spec import FilterChain

SUFFIX = ".json"
MAX_NAME = 80
MAX_PRESETS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPreset:
    """A chain that was kept, its name, and its file."""

    name: str
    chain: FilterChain
    path: Path


def presets_folder() -> Path:
    """Return where own presets are kept."""
    return user_config_path("jaxscope", appauthor=False) / "presets"


def own_presets(folder: Path | None = None) -> tuple[tuple[OwnPreset, ...], tuple[str, ...]]:
    """Return the presets by name, and sentences about files that cannot be read."""
    folder = folder or presets_folder()
    found: list[OwnPreset] = []
    warnings: list[str] = []
    paths = sorted(folder.glob(f"*{SUFFIX}"))[:MAX_PRESETS] if folder.is_dir() else []
    for path in paths:
        try:
            chain = load_chain(path, tolerant=True)
        except ChainError as error:
            warnings.append(f"the preset {error.message}")
        else:
            found.append(OwnPreset(name=chain.name or path.stem, chain=chain, path=path))
    return tuple(sorted(found, key=lambda preset: preset.name.casefold())), tuple(warnings)


def save_preset(name: str, chain: FilterChain, *, folder: Path | None = None) -> OwnPreset:
    """Keep a chain under a name, for any channels.

    Raises
    ------
    ChainError
        The name is empty, too long or taken, or the file cannot be written.
    """
    folder = folder or presets_folder()
    kept = replace(chain, name=_checked(name, folder), channels=None)
    path = folder / f"{file_name(kept.name, folder)}{SUFFIX}"
    _write(kept, path)
    return OwnPreset(name=kept.name, chain=kept, path=path)


def rename_preset(preset: OwnPreset, name: str) -> OwnPreset:
    """Give a preset another name; its file stays where it is.

    Raises
    ------
    ChainError
        The name is empty, too long or taken, or the file cannot be written.
    """
    if name.strip() == preset.name:
        return preset
    renamed = replace(preset.chain, name=_checked(name, preset.path.parent))
    _write(renamed, preset.path)
    return replace(preset, name=renamed.name, chain=renamed)


def remove_preset(preset: OwnPreset) -> None:
    """Remove a preset and its file.

    Raises
    ------
    ChainError
        The file cannot be removed.
    """
    remove_file(preset.path)


def remove_file(path: Path) -> None:
    """Remove a file of one's own.

    Raises
    ------
    ChainError
        It cannot be removed.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ChainError(f"{path} cannot be removed: {error.strerror}", hint="check its permissions") from error


def import_preset(path: str | Path, *, rate_hz: float | None = None, folder: Path | None = None) -> OwnPreset:
    """Keep a chain file, or a filter of another program, as a preset under the name that it has.

    Raises
    ------
    ChainError
        It cannot be read, holds no filter, or its name is taken.
    """
    from jaxscope.filters.imports import chain_of_file

    chain, _ = chain_of_file(path, rate_hz=rate_hz)
    return save_preset(chain.name or Path(path).stem, chain, folder=folder)


def export_preset(preset: OwnPreset, path: str | Path) -> None:
    """Write a preset as a chain file for somebody else.

    Raises
    ------
    ChainError
        The file cannot be written.
    """
    save_chain(preset.chain, path)


def _checked(name: str, folder: Path) -> str:
    name = name.strip()
    if not name:
        raise ChainError("the preset has no name", hint="type one")
    if len(name) > MAX_NAME:
        raise ChainError(f"the name has {len(name)} characters", hint=f"give {MAX_NAME} or fewer")
    presets, _ = own_presets(folder)
    if any(preset.name.casefold() == name.casefold() for preset in presets):
        raise ChainError(f'there is a preset "{name}"', hint="choose another name, or remove that one")
    if len(presets) >= MAX_PRESETS:
        raise ChainError(f"there are {len(presets)} presets", hint="remove one")
    return name


def file_name(name: str, folder: Path) -> str:
    """Return a name for a file that no system refuses and that is not taken."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40] or "preset"
    number, free = 2, stem
    while (folder / f"{free}{SUFFIX}").exists():
        number, free = number + 1, f"{stem}-{number}"
    return free


def _write(chain: FilterChain, path: Path) -> None:
    make_folder(path.parent)
    save_chain(chain, path)


def make_folder(folder: Path) -> None:
    """Make the folder of files of one's own where it is not there.

    Raises
    ------
    ChainError
        It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ChainError(f"{folder} cannot be made: {error.strerror}", hint="check its permissions") from error
