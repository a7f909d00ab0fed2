"""What the panel of a fit is made of: its widgets, where they stand, and how they look in each phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.compute.fit_frames import FitFrame
from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.labels import Hairline, Icon, Label, Paragraph
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.numbers import NumberRange
from jaxscope.gui.components.rows import ScaledRow
from jaxscope.gui.components.scrolling import scrolling
from jaxscope.gui.key_tips import KeyTip
from jaxscope.gui.theme import scaled
from jaxscope.gui.views.fit_goals import GoalList
from jaxscope.gui.views.fit_plots import HIGH, LOW, DistancePlot, PolePaths
from jaxscope.session.fit import (
    FEWEST_POLES,
    LONGEST_RINGING_S,
    MOST_GOALS,
    MOST_POLES,
    SHORTEST_RINGING_S,
    USUAL_POLES,
    USUAL_RINGING_S,
)

if TYPE_CHECKING:
    from jaxscope.gui.views.fit_panel import FitPanel

_MARGIN = 16
_WHAT = "Mark what to keep and what to remove, on the traces or here. The poles stay inside the circle at every step."
_RINGING = "How long the filter may ring: until then every pole has fallen to 1 %. Shorter is gentler at the edges"
_POLES = "How many poles the filter may have; more of them are steeper"
_NO_SELECTION = "Nothing is selected: drag over the traces, or set two cursors and select channels"


class FitParts:
    """The widgets of a panel."""

    def __init__(self, panel: QWidget) -> None:
        self.close_button = IconButton("x", "Close; a filter that is not kept goes [Esc]", icon_size=17)
        self.goals = GoalList()
        self.add = Button("Add a goal", "link", icon="plus", height=30, padding=8)
        self.add.setToolTip("Keep or remove frequencies: 50 Hz and 150 Hz, below 0.4 Hz, 8-12 Hz")
        self.keep_span = Button("Keep", "plain", icon="lock", height=28, padding=8)
        self.remove_span = Button("Remove", "plain", icon="eraser", height=28, padding=8)
        self._tips = [
            KeyTip(button, f"Mark what is selected on the traces: {verb} it", ("fit", f"mark the selection: {verb}"))
            for button, verb in ((self.keep_span, "keep"), (self.remove_span, "remove"))
        ]
        self.keep_span.setAccessibleName("Mark the selection: keep")
        self.remove_span.setAccessibleName("Mark the selection: remove")
        poles = NumberRange(low=FEWEST_POLES, high=MOST_POLES, step=2, whole=True, default=USUAL_POLES)
        self.poles = NumberField("At most, poles", span=poles, unit="poles", width=84, arrows=True)
        self.poles.setToolTip(_POLES)
        ringing = NumberRange(
            low=SHORTEST_RINGING_S * 1e3,
            high=LONGEST_RINGING_S * 1e3,
            step=0.1,
            log=True,
            default=USUAL_RINGING_S * 1e3,
        )
        self.ringing = NumberField("Ringing under", span=ringing, unit="ms", width=76)
        self.ringing.setToolTip(_RINGING)
        self.distance, self.paths = DistancePlot(), PolePaths()
        self.words = Paragraph("", 12, "text2")
        self.start = Button("Start", "primary", icon="player-play")
        KeyTip(self.start, "Fit a filter to the goals", ("fit", "start; again: keep this filter"))
        self.again = Button("Fit again", "plain", icon="refresh")
        self.stop = Button("Stop", "plain", icon="player-stop")
        self.stop.setToolTip("Fit no further; the filter stays on show")
        self.discard = Button("Discard", "quiet")
        self.discard.setToolTip("Put the chain back as it was")
        self.keep = Button("Keep this filter", "primary")
        KeyTip(self.keep, "Leave the filter in the chain, as sections", ("fit", "start; again: keep this filter"))
        self._lay_out(panel)

    def _lay_out(self, panel: QWidget) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(_MARGIN, 0, 8, 0)
        head.setSpacing(8)
        head.addWidget(Icon("target", "after", size=18))
        head.addWidget(Label("Fit a filter", 14, 600))
        head.addStretch(1)
        head.addWidget(self.close_button)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(_MARGIN, 0, _MARGIN, 4)
        column.setSpacing(0)
        column.addWidget(Paragraph(_WHAT, 12, "text2"))
        column.addSpacing(8)
        column.addWidget(self.goals)
        column.addLayout(self._row(self.add, None, self.keep_span, self.remove_span))
        column.addWidget(Hairline(above=6, below=8))
        self._limit_row = self._limits()
        column.addLayout(self._limit_row)
        column.addSpacing(10)
        plots = QHBoxLayout()
        plots.setSpacing(10)
        plots.addWidget(self.distance, 8)
        plots.addWidget(self.paths, 5)
        column.addLayout(plots)
        self._column = column
        self.area = scrolling(body)
        self._foot = self._row(self.stop, self.again, None, self.discard, self.keep, self.start)
        below = QVBoxLayout()
        below.setContentsMargins(_MARGIN, 4, _MARGIN, 10)
        below.setSpacing(8)
        below.addWidget(self.words)
        below.addLayout(self._foot)
        whole = QVBoxLayout(panel)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(ScaledRow(head, 48))
        # the plots grow to their full height first; what is left is empty below the buttons, which are always in sight
        whole.addWidget(self.area, 100)
        whole.addLayout(below)
        whole.addStretch(1)

    def _row(self, *parts: QWidget | None) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        for part in parts:
            if part is None:
                row.addStretch(1)
            else:
                row.addWidget(part)
        return row

    def _limits(self) -> QBoxLayout:
        """Return the row of limits; each has its name beside it, also where they stand under one another."""
        row = QHBoxLayout()
        row.setSpacing(6)
        for name, field in (("At most", self.poles), ("Ringing under", self.ringing)):
            pair = QHBoxLayout()
            pair.setSpacing(6)
            pair.addWidget(Label(name, 12, token="text2"))
            pair.addWidget(field)
            pair.addStretch(1)
            row.addLayout(pair)
        row.addStretch(1)
        return row

    def fit_width(self, width: int) -> None:
        """Put buttons, and limits, under one another where they have no room in a row; end below what there is."""
        shown = [part for part in (self.stop, self.again, self.discard, self.keep, self.start) if not part.isHidden()]
        needed = sum(part.sizeHint().width() + self._foot.spacing() for part in shown)
        pairs = [pair for at in range(2) if (pair := self._limit_row.itemAt(at)) is not None]
        needed_by_limits = sum(pair.minimumSize().width() + self._limit_row.spacing() for pair in pairs)
        for row, wide in ((self._foot, needed), (self._limit_row, needed_by_limits)):
            fits = wide <= width - 2 * _MARGIN
            row.setDirection(QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom)
        self.area.setMaximumHeight(self._column.heightForWidth(width) + scaled(HIGH - LOW))

    def forget(self) -> None:
        """Show nothing of an earlier fit."""
        self.distance.show_frame(None)
        self.paths.show_frame(None)

    def show_frame(self, frame: FitFrame) -> None:
        """Show how a fit stands."""
        self.distance.show_frame(frame)
        self.paths.show_frame(frame)

    def show(self, panel: FitPanel) -> None:
        """Show goals, limits and what can be done in the phase of a panel."""
        plan = panel.goals.plan
        frame = panel.frame
        known = {} if frame is None else dict(zip(frame.goals, frame.values, strict=True))
        self.goals.show_goals(plan.goals, tuple(map(known.get, plan.goals)), panel.goals.selected)
        self.poles.show_value(plan.most_poles)
        self.ringing.show_value(plan.ringing_s * 1e3)
        has_room = len(plan.goals) < MOST_GOALS
        self.add.setEnabled(has_room)
        has_selection = panel.goals.selection is not None
        for button, verb, tip in zip((self.keep_span, self.remove_span), ("keep", "remove"), self._tips, strict=True):
            button.setEnabled(has_selection)
            row = ("fit", f"mark the selection: {verb}")
            tip.say(f"Mark what is selected on the traces: {verb} it" if has_selection else _NO_SELECTION, row)
        has_filter, is_running = panel.has_filter, panel.is_running
        self.start.setVisible(not has_filter and not is_running)
        self.start.setEnabled(bool(plan.goals))
        self.stop.setVisible(is_running)
        self.again.setVisible(has_filter and not is_running)
        self.discard.setVisible(has_filter)
        self.keep.setVisible(has_filter)
        self.words.setText(panel.problem or panel.note())
        self.words.set_token("danger" if panel.problem else "text2")
        self.words.setVisible(bool(self.words.text()))
        self.words.updateGeometry()
        self.fit_width(panel.width())
