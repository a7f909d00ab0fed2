"""The z, p, k form of the Coefficients face: the table of roots with the actions that its edits become.

The gain is a number like the others here: typing a root leaves it as it is.
"""

from __future__ import annotations

from itertools import count

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jaxscope.compute.frames import StageCurve
from jaxscope.errors import SpecError, capitalised
from jaxscope.filters.roots import Roots
from jaxscope.filters.spec import Stage
from jaxscope.gui.components.labels import Label
from jaxscope.gui.views.base import Dispatch
from jaxscope.gui.views.coefficients_roots import RootsCard, read_roots, write_roots
from jaxscope.gui.views.poles_zeros_model import PlaneRoots, edit_of, explicit, roots_in_use
from jaxscope.gui.views.running_edit import RunningEdit
from jaxscope.session.actions import EditRoots
from jaxscope.session.roots import rooted_spec
from jaxscope.session.state import SessionState

_pastes = count(1)


class RootsPart(QWidget):
    """Zeros and poles as text, and why they cannot be edited where they cannot.

    Parameters
    ----------
    dispatch : callable
        Takes the actions of the user.
    """

    complained = Signal(str)
    escaped = Signal()

    def __init__(self, dispatch: Dispatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._at = (0, 0)
        self._stage: Stage | None = None
        self._rate_hz = 1000.0
        self._in_use = PlaneRoots()
        self._running = RunningEdit()
        self.card = RootsCard()
        self.note = Label("", 11, 400, "text3", shrink=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.card)
        column.addWidget(self.note)
        self.card.cells.changed.connect(self._edit)
        self.card.cells.given_up.connect(self._put_back)
        self.card.cells.complained.connect(self.complained)
        self.card.cells.escaped.connect(self.escaped)

    @property
    def gain(self) -> float:
        """The gain that is shown."""
        return self._in_use.roots.gain

    @property
    def can_edit(self) -> bool:
        """Whether the roots can be edited."""
        return not self._in_use.reason

    def show_stage(self, state: SessionState, stage: Stage | None, curve: StageCurve | None, rate_hz: float) -> None:
        """Show the roots of a stage."""
        self._at = (state.viewport.active_chain, state.viewport.selected_stage)
        self._stage, self._rate_hz = stage, rate_hz
        self._in_use = roots_in_use(stage, curve)
        reason = self._in_use.reason
        self.card.show_roots(explicit(self._in_use.roots), rate_hz, can_edit=self.can_edit)
        self.note.setText(capitalised(reason))
        self.note.setVisible(bool(reason))

    def set_gain(self, gain: float, merge_key: str) -> None:
        """Ask for another gain."""
        roots = explicit(self._in_use.roots)
        self._edit(Roots(roots.zeros, roots.poles, gain), merge_key)

    def gain_complaint(self, gain: float) -> str | None:
        """Return why a gain cannot be used, or None."""
        if not self.can_edit:
            return self._in_use.reason
        roots = explicit(self._in_use.roots)
        return self._complaint(self._action(Roots(roots.zeros, roots.poles, gain), None))

    def as_text(self) -> str:
        """Return zeros, poles and gain as lines of Python."""
        return write_roots(explicit(self._in_use.roots))

    def paste(self, text: str) -> bool:
        """Take zeros, poles and gain from a text; return whether it holds some that can be used."""
        try:
            roots = read_roots(text, self._rate_hz)
        except SpecError:
            return False  # it may be numbers of another form, or code
        if self._complaint(self._action(roots, None)) is not None:
            return False
        self._edit(roots, f"paste-roots-{next(_pastes)}")
        return True

    def _action(self, roots: Roots, merge_key: str | None) -> EditRoots:
        return edit_of(roots, chain=self._at[0], stage=self._at[1], merge_key=merge_key)

    def _complaint(self, action: EditRoots) -> str | None:
        try:
            rooted_spec(action)
        except SpecError as error:
            return capitalised(error.message)
        return None

    def _edit(self, roots: Roots, merge_key: str) -> None:
        if not self.can_edit or self._stage is None:
            return
        self._running.begin(merge_key, self._at, self._stage)
        action = self._action(roots, merge_key)
        complaint = self._complaint(action)
        if complaint is not None:
            self.complained.emit(f"{complaint}. The root from before is kept.")
            return
        self._dispatch(action)

    def _put_back(self, merge_key: str) -> None:
        self._running.give_up(merge_key, self._dispatch)
