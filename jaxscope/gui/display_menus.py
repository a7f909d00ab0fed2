"""The menus of the Window and Scale steppers: lengths, paper speed, sensitivity, and what a millimetre is here.

Millimetres are those of the screen. What it says of itself is often wrong (beamers, virtual machines), so it can be
measured with a ruler; that is kept in the settings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from jaxscope.data.kinds import kind_words
from jaxscope.errors import capitalised
from jaxscope.gui.channel_menus import add_heading
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Sheet
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.numbers import NumberRange
from jaxscope.gui.components.painting import begin
from jaxscope.gui.painting.geometry import axes_of
from jaxscope.gui.painting.lanes import Lane
from jaxscope.gui.painting.scales import scale_text, sensitivities_near
from jaxscope.gui.theme import colour
from jaxscope.session import actions as act

if TYPE_CHECKING:
    from jaxscope.gui.window_actions import WindowActions

WINDOWS_S = (0.1, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 300.0)
#: Millimetres a second of recorders: electroencephalographs, electrocardiographs, and slow trends.
PAPER_SPEEDS_MM_S = (5.0, 10.0, 15.0, 25.0, 30.0, 50.0, 60.0, 100.0)
_MM_PER_INCH = 25.4
_BAR_PX = 400
#: Of the usual sensitivities the smallest are left out of the menu; they can be typed.
_FIRST = 4


def pixels_per_mm(chosen_per_cm: float, screen_dots_per_inch: float) -> float:
    """Return the logical pixels on a millimetre: as measured, else as the screen says."""
    if chosen_per_cm > 0:
        return chosen_per_cm / 10
    return max(screen_dots_per_inch, 1.0) / _MM_PER_INCH


class DisplayMenus:
    """Opens the menus of the steppers over one window."""

    def __init__(self, window: QWidget, actions: WindowActions) -> None:
        self._window = window
        self._actions = actions
        self._sheet: ScreenSheet | None = None

    # --- how long

    def open_window_menu(self, where: QPoint) -> None:
        """Open the menu of window lengths and paper speeds."""
        self.window_menu().popup(where)

    def window_menu(self) -> QMenu:
        """Return the menu of window lengths and paper speeds."""
        menu, shell = self._menu(), self._actions.shell
        viewport = shell.viewport
        for seconds in WINDOWS_S:
            is_now = viewport.paper_mm_s is None and viewport.duration_s == seconds
            self._add(menu, f"{seconds:g} s", is_now, partial(self._look, seconds))
        menu.addSeparator()
        add_heading(menu, "Paper speed")
        for speed in PAPER_SPEEDS_MM_S:
            self._add(menu, f"{speed:g} mm/s", viewport.paper_mm_s == speed, partial(self.look_by_paper, speed))
        menu.addSeparator()
        menu.addAction("Measure the screen…", self.measure_screen)
        return menu

    def _look(self, seconds: float) -> None:
        navigator = self._actions.shell.navigator
        navigator.remember()
        navigator.look(navigator.viewport.start_s, seconds)

    def look_by_paper(self, speed: float) -> None:
        """Show as much time as fits at a paper speed."""
        traces = self._actions.window.traces
        axis = axes_of(traces.model.panes(traces.width()))[0]
        self._actions.shell.look_by_paper(speed, axis.width)

    def keep_paper_speed(self) -> None:
        """Show as much time as the paper speed asks for, after the width of the traces has changed."""
        speed = self._actions.shell.viewport.paper_mm_s
        if speed is not None and self._actions.shell.has_recording:
            self.look_by_paper(speed)

    # --- how high

    def open_scale_menu(self, where: QPoint) -> None:
        """Open the menu of sensitivities."""
        self.scale_menu().popup(where)

    def scale_menu(self) -> QMenu:
        """Return the menu of sensitivities, for the type of the selected channel."""
        menu, shell = self._menu(), self._actions.shell
        lane = self._lane()
        if lane is not None:
            kind, viewport = lane.scale_kind, shell.viewport
            chosen = viewport.sensitivity_of(kind)
            add_heading(menu, f"{capitalised(kind_words(kind))}, per millimetre of screen")
            near = sensitivities_near(chosen or shell.scales.units_per_mm(viewport, kind))[_FIRST:]
            for value in near:
                words = f"{scale_text(value, lane.unit)}/mm"
                self._add(menu, words, value == chosen, partial(self._sensitivity, kind, value))
            self._add(menu, "By the height of a row", chosen is None, partial(self._sensitivity, kind, None))
            menu.addSeparator()
        menu.addAction("Fit heights to what is visible\tF", shell.fit_heights)
        is_locked = shell.viewport.lock_scales
        self._add(menu, "Keep heights while the window moves", is_locked, shell.toggle_lock)
        menu.addSeparator()
        menu.addAction("Measure the screen…", self.measure_screen)
        return menu

    def _lane(self) -> Lane | None:
        lanes, selected = self._actions.shell.lanes, self._actions.shell.viewport.selected_channels
        return next((lane for lane in lanes if lane.name in selected[-1:]), lanes[0] if lanes else None)

    def _sensitivity(self, kind: str, units_per_mm: float | None) -> None:
        self._actions.shell.dispatch(act.SetSensitivity(kind=kind, units_per_mm=units_per_mm))

    def _menu(self) -> QMenu:
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    @staticmethod
    def _add(menu: QMenu, words: str, is_on: bool, run: Callable[[], object]) -> None:  # noqa: FBT001
        entry = menu.addAction(words)
        entry.setCheckable(True)
        entry.setChecked(is_on)
        entry.triggered.connect(lambda _=False: run())

    # --- what a millimetre is

    def take_screen(self) -> None:
        """Work out how many pixels a millimetre has on the screen of the window."""
        screen = self._window.screen()
        dots = 96.0 if screen is None else screen.physicalDotsPerInch()
        self._actions.shell.scales.pixels_per_mm = pixels_per_mm(self._actions.settings.pixels_per_cm, dots)

    def measure_screen(self) -> None:
        """Ask how long a bar is on the screen."""
        if self._sheet is None:
            self._sheet = ScreenSheet(self._window, self._take_measure)
        self._sheet.ask(self._actions.shell.scales.pixels_per_mm)

    @property
    def sheet(self) -> ScreenSheet | None:
        """The sheet that measures the screen, once it was needed."""
        return self._sheet

    def _take_measure(self, per_cm: float) -> None:
        self._actions.change_settings(replace(self._actions.settings, pixels_per_cm=per_cm))
        self.take_screen()
        self.keep_paper_speed()
        self._actions.window.traces.follow_screen()


class ScreenSheet(Sheet):
    """Measures the screen with a ruler.

    Parameters
    ----------
    window : QWidget
        The main window.
    take : callable
        Takes pixels on a centimetre; 0 is as the screen says.
    """

    def __init__(self, window: QWidget, take: Callable[[float], None]) -> None:
        super().__init__(window, title="Measure the screen", width=580, height=292)
        self._take = take
        self.length = NumberField("Length of the bar", span=NumberRange(low=1.0, high=4000.0), unit="mm", width=110)
        self.problem = Label("", 11, 400, "danger")
        self.problem.hide()
        self.usual = Button("As the screen says", "quiet")
        self.keep = Button("Keep", "primary")
        inner = QVBoxLayout()
        inner.setContentsMargins(20, 16, 20, 0)
        inner.setSpacing(12)
        inner.addWidget(
            Paragraph("Hold a ruler to the screen. Sensitivity and paper speed count by its millimetres.", 13)
        )
        inner.addWidget(_Bar())
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(Label("The bar is", 13, 400, "text2"))
        row.addWidget(self.length)
        row.addWidget(self.problem)
        row.addStretch(1)
        inner.addLayout(row)
        self.body.addLayout(inner)
        self.body.addStretch(1)
        self.footer.addWidget(self.usual)
        self.footer.addStretch(1)
        self.footer.addWidget(self.keep)
        self.length.edited.connect(lambda value, _key: self.length.show_value(value))
        self.length.escaped.connect(self.close_floating)
        self.keep.clicked.connect(self._on_keep)
        self.length.returnPressed.connect(self._on_keep)
        self.usual.clicked.connect(lambda: self._finish(0.0))
        self.length.complained.connect(self._say)

    def ask(self, per_mm: float) -> None:
        """Open it with the length that the bar has by what is known."""
        self.length.show_value(_BAR_PX / per_mm)
        self._say("")
        self.open_sheet()
        self.length.setFocus(Qt.FocusReason.OtherFocusReason)
        self.length.selectAll()

    def _on_keep(self) -> None:
        if self.length.value is not None and not self.length.is_wrong:
            self._finish(10 * _BAR_PX / self.length.value)

    def _finish(self, per_cm: float) -> None:
        self.close_floating()
        self._take(per_cm)

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))


class _Bar(QWidget):
    """A bar of a known number of pixels, with a mark at each end."""

    def sizeHint(self) -> QSize:
        return QSize(_BAR_PX + 2, 34)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            middle = self.height() / 2
            painter.fillRect(QRectF(0, middle - 4, _BAR_PX, 8), colour("after"))
            for x in (0, _BAR_PX - 1):
                painter.fillRect(QRectF(x, middle - 14, 1, 28), colour("text"))
