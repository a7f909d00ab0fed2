"""Which recordings a batch is about: files, folders, and patterns that no shell has unfolded; and where it writes to.

Invariant: the order is that of the inputs, and within a folder or pattern that of the names; what was there before is
not taken again from one of these. A folder means the recordings in it at any depth, by their suffix, and where each
lies in it is kept in the output. Notes in a folder are no recordings: there, a text must look like a table; and what
belongs to another recording beside it is none either: its samples, its segments. What was made of a recording that
lies in the same folder is marked as such.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from jaxscope.compute.provenance import made_from
from jaxscope.data.annotations import EventEdits
from jaxscope.errors import ReadError, UsageError, WriteError
from jaxscope.readers import READERS, SUFFIXES, open_recording
from jaxscope.readers.base import read_head
from jaxscope.session.events import edits_of
from jaxscope.session.project import fingerprint
from jaxscope.session.state import Document

#: Files that belong to a header beside them, which is the one to open, by suffix.
_HEADERS: dict[str, tuple[str, ...]] = {
    ".eeg": (".vhdr", ".VHDR", ".ahdr"),
    ".vmrk": (".vhdr", ".VHDR", ".ahdr"),
    ".fdt": (".set", ".SET"),
    ".mat": (".hea",),
}
_BRAINVISION_HEADS = frozenset({".vhdr", ".ahdr"})
#: How the name of a later part of a divided FIF file ends.
_FIF_PART = re.compile(r"-\d+\.fif$")
#: How the name of a folder of results ends, which lies beside that of the recordings where nothing else is said.
RESULTS = "-filtered"
_MAYBE_NOTES = frozenset({".txt", ".log", ".asc"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A recording to filter, and under which name it is written into a folder.

    ``made_of`` names the recording of the same folder that an earlier run made it of; empty where none did.
    """

    path: str
    name: str
    made_of: str = ""


def find_inputs(given: Sequence[str], *, besides: str | None) -> list[Input]:
    """Return the recordings that files, folders and patterns mean.

    Parameters
    ----------
    given : sequence of str
    besides : str or None
        A folder whose files are not taken though it lies in a given one: that of the outputs.

    Raises
    ------
    UsageError
        If a folder or a pattern holds nothing.
    """
    found: list[Input] = []
    seen: set[str] = set()
    for text in given:
        for one in _unfold(text, besides):
            place = os.path.realpath(one.path)
            if place not in seen or one.path == text:
                found.append(one)
            seen.add(place)
    return found


def _unfold(text: str, besides: str | None) -> Iterator[Input]:
    if os.path.isdir(text):
        yield from _in_folder(text, besides)
    elif os.path.lexists(text) or not glob.has_magic(text):
        yield Input(path=text, name=Path(text).name)
    else:
        paths = sorted(path for path in glob.glob(text, recursive=True) if os.path.isfile(path))
        if not paths:
            raise UsageError(f"no file fits {text}", hint="check the pattern")
        yield from (Input(path=path, name=Path(path).name) for path in paths)


def _in_folder(text: str, besides: str | None) -> Iterator[Input]:
    folder, out = Path(text), None if besides is None else os.path.realpath(besides)
    names: list[str] = []
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and os.path.realpath(os.path.join(root, name)) != out
        )
        here = Path(root)
        found = [here / name for name in sorted(files) if _is_recording(here / name)]
        parts = _parts_of_others(found)
        names += [str(path.relative_to(folder)) for path in found if os.path.realpath(path) not in parts]
    if not names:
        raise UsageError(f"{text} holds no recordings", hint="name files, or another folder")
    yield from (Input(path=str(folder / name), name=name, made_of=_made_of(folder, name)) for name in names)


def _made_of(folder: Path, name: str) -> str:
    """Return the name of the recording that a result was made of, where that lies in the folder too."""
    given, n_bytes = made_from(folder / name)
    if not given:
        return ""
    *parts, own = Path(name).parts
    places = [[*parts[:k], part.removesuffix(RESULTS), *parts[k + 1 :]] for k, part in enumerate(parts)]
    for place in [parts, *places]:
        source = folder.joinpath(*place, given)
        if (place, given) != (parts, own) and source.is_file() and source.stat().st_size == n_bytes:
            return given
    return ""


def _is_recording(path: Path) -> bool:
    suffix = path.suffix.lower()
    if path.name.startswith(".") or suffix not in SUFFIXES:
        return False
    if suffix in _MAYBE_NOTES and not _is_table(path):
        return False
    return not any(path.with_suffix(header).is_file() for header in _HEADERS.get(suffix, ()))


def _parts_of_others(paths: Sequence[Path]) -> set[str]:
    """Return the real paths of those files of a folder that belong to another recording among them.

    Only what may name such files is opened: a record of several segments, a header beside samples of another name, the
    first part of a divided file.
    """
    suffixes = {path.suffix.lower() for path in paths}
    has_samples = not suffixes.isdisjoint((".eeg", ".vmrk"))
    divided = {_FIF_PART.sub(".fif", path.name) for path in paths if _FIF_PART.search(path.name)}
    parts: set[str] = set()
    for path in paths:
        suffix = path.suffix.lower()
        is_head = (suffix in _BRAINVISION_HEADS and has_samples) or path.name in divided
        if is_head or (suffix == ".hea" and _has_segments(path)):
            own = os.path.realpath(path)
            parts |= {os.path.realpath(one) for one in _files_of(path)} - {own}
    return parts


def _has_segments(header: Path) -> bool:
    """Say whether a header of WFDB lists segments: its first line that is no comment names their number."""
    with suppress(ReadError):
        lines = read_head(header).decode("latin-1").splitlines()
        first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
        return "/" in first.split(maxsplit=1)[0] if first else False
    return False


def _files_of(path: Path) -> tuple[str, ...]:
    """Return all files of a recording; none of one that cannot be opened, which filtering it tells."""
    try:
        with open_recording(path) as recording:
            return recording.info.files
    except ReadError:
        return ()


def _is_table(path: Path) -> bool:
    try:
        return READERS["text"].sniff(read_head(path))
    except ReadError:
        return True  # reading it tells why


def events_for(source: str, document: Document | None) -> EventEdits | None:
    """Return the events of a document where a source is its recording, by its path or its content; else None."""
    reference = None if document is None else document.recording
    if document is None or reference is None or not os.path.isfile(source):
        return None
    is_known = os.path.realpath(reference.path) == os.path.realpath(source)
    is_known = is_known or fingerprint(source) == (reference.size_bytes, reference.fingerprint)
    return edits_of(document) if is_known else None


@contextmanager
def folders_made(targets: Iterable[str]) -> Iterator[None]:
    """Make the folders of outputs before any of them is begun; what holds nothing after all is not left behind.

    Raises
    ------
    WriteError
        Where one cannot be made.
    """
    made: list[Path] = []
    try:
        for folder in dict.fromkeys(Path(target).parent for target in targets):
            made += reversed([one for one in (folder, *folder.parents) if not one.exists()])
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise WriteError(
                    f"The folder {folder} cannot be made: {error.strerror or error}", hint="choose another folder"
                ) from error
        yield
    finally:
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()
