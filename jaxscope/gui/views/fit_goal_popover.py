"""The form of one goal: keep or remove, which frequencies, and a name; marked spans keep where they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.errors import SpecError, capitalised
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Popover
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.segmented import Segment, SegmentedControl
from jaxscope.gui.components.text_field import TextField
from jaxscope.session.fit import FitGoal, Verb, fit_bands

_HOW = "50 Hz and 150 Hz, below 0.4 Hz, above 40 Hz, or 8-12 Hz"


class GoalPopover(Popover):
    """Asks what to keep or to remove.

    Parameters
    ----------
    window : QWidget
        The main window.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, name="Goal", width=360)
        self._take: Callable[[FitGoal], None] | None = None
        self._goal: FitGoal | None = None
        self.heading = Label("Add a goal", 13, 600)
        self.verb = SegmentedControl(
            (
                Segment(key="remove", label="Remove", icon="eraser", tip="What After should not have"),
                Segment(key="keep", label="Keep", icon="lock", tip="What After should have as Before does"),
            ),
            name="Keep or remove",
        )
        self.bands = TextField("Frequencies", height=30)
        self.bands.setPlaceholderText("50 Hz and 150 Hz")
        self.name = TextField("Name", height=30)
        self.name.setPlaceholderText("Name, may be left empty")
        self.problem = Paragraph("", 11, "danger")
        self.problem.hide()
        self.how = Paragraph(_HOW, 11, "text3")
        self.add = Button("Add", "primary", height=28)
        self._lay_out()
        for field in (self.bands, self.name):
            field.returnPressed.connect(self._accept)
            field.escaped.connect(self.close_floating)
            field.textEdited.connect(lambda _: self._say(""))
        self.add.clicked.connect(self._accept)

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.addWidget(self.verb)
        foot.addStretch(1)
        foot.addWidget(self.add)
        inner = QVBoxLayout()
        inner.setContentsMargins(16, 14, 16, 14)
        inner.setSpacing(8)
        inner.addWidget(self.heading)
        for part in (self.bands, self.how, self.name, self.problem):
            inner.addWidget(part)
        inner.addLayout(foot)
        self.body.addLayout(inner)

    def ask(self, anchor: QWidget, goal: FitGoal | None, take: Callable[[FitGoal], None]) -> None:
        """Ask for a goal, or for what another one should become."""
        self._goal, self._take = goal, take
        self.heading.setText("Add a goal" if goal is None else "Change the goal")
        self.add.setText("Add" if goal is None else "Take")
        self.add.setAccessibleName(self.add.text())
        has_bands = goal is None or bool(goal.bands)
        self.bands.setVisible(has_bands)
        self.how.setText(_HOW if has_bands or goal is None else goal.about.capitalize())
        self.bands.setText("" if goal is None or not goal.bands else goal.about)
        self.name.setText("" if goal is None else goal.name)
        self.verb.set_current("remove" if goal is None else goal.verb)
        self._say("")
        self.open_under(anchor, gap=6)
        (self.bands if has_bands else self.name).setFocus(Qt.FocusReason.OtherFocusReason)

    def _accept(self) -> None:
        verb: Verb = "keep" if self.verb.current == "keep" else "remove"
        name = self.name.text().strip()
        try:
            if self._goal is not None and self._goal.spans:
                found = replace(self._goal, verb=verb, name=name)
            else:
                found = FitGoal(verb=verb, name=name, bands=fit_bands(self.bands.text()))
        except SpecError as error:
            self._say(f"{capitalised(error.message)}: {error.hint}.")
            return
        self.close_floating()
        if self._take is not None:
            self._take(found)

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.bands.set_wrong(wrong=bool(problem))
