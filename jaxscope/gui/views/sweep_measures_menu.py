"""The menu of what a sweep measures: bands, hum, RMS and height to add, those that are there to remove.

A band that no list has is written down in a small field. Invariant: an entry with a mark is measured now, and choosing
it again takes it away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from jaxscope.errors import JaxscopeError
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Popover
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.views.base import Dispatch
from jaxscope.gui.views.sweep_plot import SweepPlot
from jaxscope.session.actions import SetSweepMeasures
from jaxscope.session.analysis import Band, bands_of
from jaxscope.session.state import Viewport
from jaxscope.session.sweep_measures import HEIGHT, MOST_MEASURES, RMS, SweepMeasure, band_measure, hum

Measures = tuple[SweepMeasure, ...]


def measures_menu(
    parent: QWidget,
    now: Measures,
    bands: Sequence[Band],
    *,
    change: Callable[[Measures | None], None],
    write: Callable[[], None],
) -> QMenu:
    """Return a menu that changes what is measured; ``write`` asks for a band that is not in the list."""
    menu = QMenu(parent)
    listed = dict.fromkeys((*now, *(band_measure(*band) for band in bands), hum(50.0), hum(60.0), RMS, HEIGHT))
    for measure in listed:
        entry = menu.addAction(measure.words)
        entry.setCheckable(True)
        entry.setChecked(measure in now)
        others = tuple(item for item in now if item != measure)
        entry.setEnabled(measure in now or len(now) < MOST_MEASURES)
        entry.triggered.connect(partial(_tell, change, others if measure in now else (*now, measure)))
    menu.addSeparator()
    own = menu.addAction("Another band", write)
    own.setEnabled(len(now) < MOST_MEASURES)
    menu.addAction("Back to the usual ones", partial(change, None))
    return menu


def _tell(change: Callable[[Measures | None], None], measures: Measures, _checked: object = None) -> None:
    change(measures)


class MeasuresDesk:
    """Changes what a sweep measures, from the button in its plot.

    Parameters
    ----------
    plot : SweepPlot
        Has the button, and the frame with what is measured now.
    viewport : callable
        Returns what is looked at.
    dispatch : callable
        Takes the actions of the user.
    """

    def __init__(self, plot: SweepPlot, viewport: Callable[[], Viewport], dispatch: Dispatch) -> None:
        self._plot, self._viewport, self._dispatch = plot, viewport, dispatch
        self.popover: BandPopover | None = None

    @property
    def now(self) -> Measures:
        """What is measured now: what was chosen, or the usual ones that the last sweep had."""
        chosen, frame = self._viewport().sweep_measures, self._plot.frame
        if chosen is not None:
            return chosen
        return () if frame is None else frame.measures

    def open_menu(self) -> None:
        """Open the menu under the button."""
        button, bands = self._plot.add, self._viewport().analysis.bands
        menu = measures_menu(self._plot, self.now, bands, change=self._change, write=self.write_band)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 2)))

    def write_band(self) -> None:
        """Ask for a band that the menu does not have."""
        if self.popover is None:
            self.popover = BandPopover(self._plot.window(), lambda found: self._change((*self.now, *found)))
        self.popover.ask(self._plot.add)

    def _change(self, measures: Measures | None) -> None:
        self._dispatch(SetSweepMeasures(measures=measures))


class BandPopover(Popover):
    """Asks for bands: names with limits in Hz.

    Parameters
    ----------
    window : QWidget
        The main window.
    take : callable
        Takes the measures of the bands that were written down.
    """

    def __init__(self, window: QWidget, take: Callable[[Measures], None]) -> None:
        super().__init__(window, name="Measure a band", width=340)
        self._take_measures = take
        self.field = TextField("Name and limits in Hz", height=30)
        self.field.setPlaceholderText("sigma 12-16")
        self.problem = Paragraph("", 11, "danger")
        self.problem.hide()
        self.add_button = Button("Add", "primary", height=28)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self.add_button)
        inner = QVBoxLayout()
        inner.setContentsMargins(16, 14, 16, 14)
        inner.setSpacing(8)
        inner.addWidget(Label("Measure a band", 13, 600))
        inner.addLayout(row)
        inner.addWidget(self.problem)
        inner.addWidget(Paragraph("A name and two limits in Hz; several are parted by commas", 11, "text3"))
        self.body.addLayout(inner)
        self.field.returnPressed.connect(self._take)
        self.add_button.clicked.connect(self._take)
        self.field.textEdited.connect(lambda _: self._say(""))
        self.field.escaped.connect(self.close_floating)

    def ask(self, anchor: QWidget) -> None:
        """Open it at a widget, empty."""
        self.field.setText("")
        self._say("")
        self.open_under(anchor, gap=6)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _take(self) -> None:
        try:
            found = tuple(band_measure(*band) for band in bands_of(self.field.text()))
        except JaxscopeError as error:
            self._say(f"{error.message}: {error.hint}.")
            return
        if not found:
            self._say("Write a name and two limits in Hz, such as theta 4-8.")
            return
        self.close_floating()
        self._take_measures(found)

    def _say(self, problem: str) -> None:
        self.field.complain(problem, self.problem)
