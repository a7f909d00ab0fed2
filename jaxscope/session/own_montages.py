"""Montages of one's own: montage files in the user's configuration folder, beside the presets of chains.

Each is a file like any other, so it can be given to somebody else. Invariant: a file that is there is never replaced
without being asked for, and one that cannot be read is told, not hidden.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from jaxscope.errors import ChainError
from jaxscope.filters.montage import MAX_NAME, Montage
from jaxscope.filters.montage_file import load_montage, save_montage
from jaxscope.session.own_presets import MAX_PRESETS, SUFFIX, file_name, make_folder, presets_folder, remove_file


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnMontage:
    """A montage that was kept, and its file."""

    montage: Montage
    path: Path


def montages_folder() -> Path:
    """Return where own montages are kept."""
    return presets_folder().with_name("montages")


def own_montages(folder: Path | None = None) -> tuple[tuple[OwnMontage, ...], tuple[str, ...]]:
    """Return the montages by name, and sentences about files that cannot be read."""
    folder = folder or montages_folder()
    found: list[OwnMontage] = []
    warnings: list[str] = []
    for path in sorted(folder.glob(f"*{SUFFIX}"))[:MAX_PRESETS] if folder.is_dir() else []:
        try:
            montage = load_montage(path)
        except ChainError as error:
            warnings.append(f"the montage {error.message}")
        else:
            found.append(OwnMontage(montage=montage if montage.name else replace(montage, name=path.stem), path=path))
    return tuple(sorted(found, key=lambda own: own.montage.name.casefold())), tuple(warnings)


def keep_montage(name: str, montage: Montage, *, folder: Path | None = None) -> OwnMontage:
    """Keep a montage under a name; one's own of that name is replaced.

    Raises
    ------
    ChainError
        The name is empty or too long, there are too many, or the file cannot be written.
    """
    folder, name = folder or montages_folder(), name.strip()
    if not name:
        raise ChainError("the montage has no name", hint="type one")
    if len(name) > MAX_NAME:
        raise ChainError(f"the name has {len(name)} characters", hint=f"give {MAX_NAME} or fewer")
    known, _ = own_montages(folder)
    before = next((own for own in known if own.montage.name.casefold() == name.casefold()), None)
    if before is None and len(known) >= MAX_PRESETS:
        raise ChainError(f"there are {len(known)} montages", hint="remove one")
    path = folder / f"{file_name(name, folder)}{SUFFIX}" if before is None else before.path
    make_folder(folder)
    kept = replace(montage, name=name)
    save_montage(kept, path)
    return OwnMontage(montage=kept, path=path)


def remove_montage(own: OwnMontage) -> None:
    """Remove a montage and its file.

    Raises
    ------
    ChainError
        The file cannot be removed.
    """
    remove_file(own.path)
