"""What is known of the recordings of a folder that is filtered, one row a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RowState = Literal["waiting", "running", "saved", "before", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderRow:
    """A recording of the folder.

    ``name`` is its place in the folder and in that of the outputs. ``facts`` says what it holds, once it is open.
    ``sentence`` and ``hint`` say why it failed. ``seconds`` is how long it took, and ``n_notes`` how many things had to
    be mended or assumed. ``before`` is a recording that an earlier run has finished in the same way; ``skipped`` is one
    that a person wants to be left out.
    """

    path: str
    name: str
    size_bytes: int = 0
    state: RowState = "waiting"
    facts: str = ""
    share: float = 0.0
    seconds: float = 0.0
    sentence: str = ""
    hint: str = ""
    n_notes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderListed:
    """The recordings in a folder, or why there are none."""

    folder: str
    rows: tuple[FolderRow, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderProgress:
    """A row that has changed, and the share of all that is done, by their sizes; ``over`` ends it."""

    number: int | None
    row: FolderRow | None
    share: float
    seconds_left: float | None = None
    over: bool = False


FolderOutcome = FolderListed | FolderProgress
