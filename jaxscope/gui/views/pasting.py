"""Filters on the clipboard and in files: stages as text, and what came from elsewhere as stages.

Everything that pastes or loads goes through here, so that the same text means the same in the chain and in the tables,
and what is wrong is said with the same words.
"""

from __future__ import annotations

import json
import re
from itertools import count
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from jaxscope.errors import ChainError, capitalised, counted
from jaxscope.filters.chain_file import chain_to_dict, stage_to_dict
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.gui.views.base import Dispatch
from jaxscope.session.actions import AddStage, SetChains
from jaxscope.session.state import SessionState

if TYPE_CHECKING:
    from jaxscope.filters.imports import Imported

_pastes = count(1)
#: letters that numbers do not have: a text with one of them is code, JSON or has headings
_FILE = re.compile(r"\S+\.\w+:")
_WORDS = re.compile(r"[A-DF-Za-df-z_{]")


def copy_stage(stage: Stage) -> None:
    """Put a stage on the clipboard as text."""
    QGuiApplication.clipboard().setText(json.dumps(stage_to_dict(stage), indent=1, ensure_ascii=False))


def copy_chain(chain: FilterChain) -> None:
    """Put a whole chain on the clipboard as the text of its file."""
    QGuiApplication.clipboard().setText(json.dumps(chain_to_dict(chain), indent=1, ensure_ascii=False))


def clipboard_text() -> str:
    """Return the text on the clipboard."""
    return QGuiApplication.clipboard().text()


def has_words(text: str) -> bool:
    """Return whether a text is more than numbers between signs."""
    return _WORDS.search(text) is not None


def read_clipboard(rate_hz: float | None) -> Imported:
    """Return the stages on the clipboard.

    Raises
    ------
    ChainError
        There is no filter.
    """
    from jaxscope.filters.imports import import_text

    return import_text(clipboard_text(), rate_hz=rate_hz)


def ask_file(parent: QWidget, folder: str = "") -> str:
    """Return the path of a file of coefficients that a person chooses, empty where none was chosen."""
    from jaxscope.filters.imports import SUFFIXES

    patterns = " ".join(f"*{suffix}" for suffix in SUFFIXES)
    path, _ = QFileDialog.getOpenFileName(
        parent.window(), "Load coefficients", folder, f"Filters ({patterns});;All files (*)"
    )
    return path


def read_file(path: str, rate_hz: float | None) -> Imported:
    """Return the stages of a file.

    Raises
    ------
    ChainError
        It holds no filter.
    """
    from jaxscope.filters.imports import import_file

    return import_file(path, rate_hz=rate_hz)


def refusal(error: ChainError, kept: str = "") -> str:
    """Return why something was not taken, as sentences; ``kept`` says what stays."""
    hint = f" {capitalised(error.hint)}." if error.hint else ""
    named = _FILE.match(error.message) is not None  # a name is written as it is
    message = error.message if named else capitalised(error.message)
    return f"{message}.{hint}{f' {kept}' if kept else ''}"


def outcome(found: Imported) -> str:
    """Return what was taken and what had to be assumed, as one line."""
    stages = counted(len(found.stages), "stage")
    return "; ".join([f"Added {stages}", *found.notes])


def add_stages(state: SessionState, found: Imported, dispatch: Dispatch) -> None:
    """Put stages behind the selected one as one step; a whole chain of its own makes the first chain."""
    chains, at = state.document.chains, state.viewport.active_chain
    if not chains:
        dispatch(SetChains(chains=(found.chain or FilterChain(phase="zero", stages=found.stages),)))
        return
    stages = chains[at].stages
    place = min(state.viewport.selected_stage + 1, len(stages))
    key = f"paste-stages-{next(_pastes)}"
    for number, stage in enumerate(found.stages):
        dispatch(AddStage(chain=at, at=place + number, stage=stage, merge_key=key))
