"""The device chooser: where to filter, how precisely, by which method, and how fast that is for the view on screen.

Times are measured on the present view only when a person asks. What is not here is listed with its reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QRadioButton, QSizePolicy, QVBoxLayout, QWidget

from jaxscope.compute.device_frames import DeviceChoice, Devices
from jaxscope.compute.frames import AgreementFrame, Busy, Frame, Outcome
from jaxscope.errors import capitalised
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Popover
from jaxscope.gui.components.labels import Hairline, Label
from jaxscope.gui.components.painting import (
    RIGHT,
    begin,
    disc,
    draw_text,
    rounded,
    text_width,
)
from jaxscope.gui.components.segmented import Segment, SegmentedControl
from jaxscope.gui.components.stepper import Stepper
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views.base import AbstractView, Dispatch
from jaxscope.gui.views.devices_history import RedrawHistory, write_ms
from jaxscope.session.actions import ChooseEngine
from jaxscope.session.settings import MOST_CPU_DEVICES
from jaxscope.session.state import EngineChoice, SessionState

_LABEL = 66
_FASTEST = "fastest for this view"
_METHOD_TIPS = {
    "auto": "Picks the method for this chain, view and device",
    "block": "Block state space: whole blocks at once by matrix products",
    "toeplitz": "FIR as banded matrix products",
    "overlap-save": "FIR by transforms, for long ones",
    "truncated": "A recursive filter as its impulse response, cut where it has died away",
    "scan": "Sample by sample, the plain recursion",
    "scipy": "SciPy on the processor, the reference",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuDevices:
    """How many CPU devices are asked for: read, and asked for anew."""

    read: Callable[[], int]
    change: Callable[[int], None]


class AskDevices(Protocol):
    """Asks the compute side for the devices, measured or not."""

    def __call__(self, *, measure: bool) -> None:
        """Ask; the answer arrives as ``Devices``."""


def method_title(name: str) -> str:
    """Return a method's name as a label."""
    return "SciPy" if name == "scipy" else "FFT" if name == "fft" else capitalised(name)


def ran_on_words(frame: Frame) -> str:
    """Return what a frame was really made on, as its results tell it."""
    if not frame.ran_on:
        return "SciPy ran on the processor" if frame.method == "scipy" else ""
    names = [f"{device.partition(':')[0].upper()} {device.partition(':')[2]}" for device in frame.ran_on]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"The results are on {listed}, in {frame.precision}"


class DeviceRow(QRadioButton):
    """A device that can be chosen: name, what it is, and its time as a bar."""

    _HEIGHT = 40
    _BAR = 132

    def __init__(self, choice: DeviceChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = choice
        self._slowest_ms: float | None = None
        self._is_fastest = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        measured = f", {choice.reason}" if choice.reason else ""
        measured = measured if choice.measured_ms is None else f", {write_ms(choice.measured_ms)}"
        self.setAccessibleName(f"{choice.title}, {choice.detail}{measured}")

    def show_scale(self, slowest_ms: float | None, *, is_fastest: bool) -> None:
        """Set what the bar is relative to."""
        self._slowest_ms, self._is_fastest = slowest_ms, is_fastest
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(400), scaled(self._HEIGHT))

    def hitButton(self, position) -> bool:
        return self.rect().contains(position)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            width, middle, on = self.width(), self.height() / 2, self.isChecked()
            card = QRectF(10, 1, width - 20, self.height() - 2)
            if on:
                rounded(painter, card, 8, "after_bg")
            elif self.underMouse():
                rounded(painter, card, 8, "hover")
            disc(painter, QPointF(32, middle), scaled(15) / 2, None, "after" if on else "field", 1.6)
            if on:
                disc(painter, QPointF(32, middle), scaled(4), "after")
            name = font(13, 500)
            draw_text(painter, QRectF(54, 0, scaled(200), self.height()), self.choice.title, name)
            left = 54 + text_width(self.choice.title, name) + 10
            room = width - left - 22 - scaled(62) - self._BAR - 24 - (text_width(_FASTEST, font(11, 500)) + 20)
            middle_elide = Qt.TextElideMode.ElideMiddle
            box = QRectF(left, 0, max(60, room), self.height())
            draw_text(painter, box, self.choice.detail, font(12), "text3", elide=middle_elide)
            self._paint_time(painter, middle, on=on)
            if self.hasFocus():
                rounded(painter, card, 8, None, "focus", 2)

    def _paint_time(self, painter: QPainter, middle: float, *, on: bool) -> None:
        measured = self.choice.measured_ms
        right = QRectF(0, 0, self.width() - 22, self.height())
        if measured is None:
            words, token = (self.choice.reason, "warn") if self.choice.reason else ("Not measured", "text3")
            middle_elide = Qt.TextElideMode.ElideMiddle
            room = right.adjusted(self.width() * 0.4, 0, 0, 0)
            draw_text(painter, room, capitalised(words), font(12), token, RIGHT, middle_elide)
            return
        left = self.width() - 20 - scaled(62) - self._BAR
        share = measured / self._slowest_ms if self._slowest_ms else 1.0
        rounded(painter, QRectF(left, middle - 3, self._BAR, 6), 3, colour("after", 0.22) if on else "line2")
        bar = QRectF(left, middle - 3, max(4.0, self._BAR * share), 6)
        rounded(painter, bar, 3, "after" if on else "text3")
        draw_text(painter, right, write_ms(measured), font(13, 500), "text", RIGHT)
        if self._is_fastest:
            wide = text_width(_FASTEST, font(11, 500)) + 14
            chip = QRectF(left - wide - 12, middle - scaled(10), wide, scaled(20))
            rounded(painter, chip, 4, "ok_bg")
            draw_text(painter, chip.adjusted(7, 0, 0, 0), _FASTEST, font(11, 500), "ok")


class AbsentRow(QWidget):
    """A device that is not here, with the reason."""

    _HEIGHT = 32

    def __init__(self, choice: DeviceChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = choice
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{choice.title}, not here: {choice.reason}")
        self.setToolTip(choice.reason)

    def sizeHint(self) -> QSize:
        return QSize(scaled(400), scaled(self._HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            middle = self.height() / 2
            draw_icon(painter, "minus", QRectF(25, middle - 7, 14, 14), "text3")
            draw_text(painter, QRectF(54, 0, scaled(90), self.height()), self.choice.title, font(13, 500), "text3")
            room = QRectF(60 + scaled(90), 0, self.width() - 82 - scaled(90), self.height())
            right = Qt.TextElideMode.ElideRight
            reason = capitalised(self.choice.reason)
            draw_text(painter, room, reason, font(12), "text2", elide=right)


class DevicesPopover(Popover, AbstractView):
    """Opened from the compute chip by ``open_under``.

    Parameters
    ----------
    window : QWidget
        The main window.
    dispatch : callable
        Takes the actions of the user.
    ask_devices : callable
        ``ask_devices(measure=...)`` of the conductor.
    stop : callable
        Measures no further device.
    cpu_devices : CpuDevices or None
        How many CPU devices are asked for, and a way to ask for another number.
    """

    def __init__(
        self,
        window: QWidget,
        dispatch: Dispatch,
        ask_devices: AskDevices,
        stop: Callable[[], None] = lambda: None,
        cpu_devices: CpuDevices | None = None,
    ) -> None:
        super().__init__(window, name="Where to filter", width=640)
        self._dispatch = dispatch
        self._ask = ask_devices
        self._stop = stop
        self._cpu_devices = cpu_devices
        self._is_measuring = False
        self._engine = EngineChoice()
        self._devices: Devices | None = None
        self._rows: list[DeviceRow] = []
        self._group = QButtonGroup(self)
        self.measure = Button("Measure here", "plain", height=28)
        self.measure.setToolTip("Runs the view on screen once on each device and shows the time")
        self.precision = SegmentedControl([("float32", "float32"), ("float64", "float64")], name="Precision", height=28)
        self.method = SegmentedControl([("auto", "Auto")], name="Method", height=28, padding=8)
        self.reason = Label("", 12, 400, "text3", shrink=True)
        self.progress = Label("", 12, 400, "text2", shrink=True)
        self.ran_on = Label("", 12, 400, "text3", shrink=True)
        self.parts = Stepper("", value_width=44)
        self.parts.name_parts("CPU devices")
        self.parts_note = Label("", 12, 400, "text3", shrink=True)
        self.history = RedrawHistory()
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self._lay_out()
        self.measure.clicked.connect(self._on_measure)
        self.precision.chosen.connect(lambda name: self._dispatch(ChooseEngine(precision=name)))
        self.parts.stepped.connect(self._step_parts)
        self.parts.typed.connect(self._type_parts)
        self.parts.escaped.connect(self.close_floating)
        self.method.chosen.connect(lambda name: self._dispatch(ChooseEngine(method=name)))

    @property
    def rows(self) -> tuple[DeviceRow, ...]:
        """The devices that can be chosen."""
        return tuple(self._rows)

    def open_under(self, anchor: QWidget, *, gap: int = 2) -> None:
        if self._devices is None:
            self._ask(measure=False)
        self._show_parts()
        super().open_under(anchor, gap=gap)

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        self._engine = state.engine
        self._show_engine()

    def show_frame(self, outcome: Outcome) -> None:
        match outcome:
            case Devices():
                self._devices = outcome
                self._build()
            case Busy() if outcome.what == "measuring":
                self._show_measuring(outcome)
            case Frame():
                self.history.note(outcome)
                self.reason.setText(self._reason_of(outcome))
                self.ran_on.setText(ran_on_words(outcome))
            case AgreementFrame():
                self.history.show_agreement(outcome)
            case _:
                return

    def _lay_out(self) -> None:
        heading, why, foot = QHBoxLayout(), QVBoxLayout(), QHBoxLayout()
        heading.setContentsMargins(20, 14, 20, 6)
        heading.addWidget(Label("Where to filter", 15, 600))
        heading.addStretch(1)
        heading.addWidget(self.progress)
        heading.addSpacing(10)
        heading.addWidget(self.measure)
        why.setContentsMargins(20, 8, 20, 14)
        why.setSpacing(2)
        why.addWidget(self.reason)
        why.addWidget(self.ran_on)
        foot.setContentsMargins(20, 0, 20, 16)
        foot.addWidget(self.history)
        for layout in (heading, self._list):
            self.body.addLayout(layout)
        self.body.addWidget(Hairline("line2", margin=20, above=6, below=12))
        for words, control in (("Precision", self.precision), ("Method", self.method)):
            row = QHBoxLayout()
            row.setContentsMargins(20, 0, 20, 6)
            row.setSpacing(8)
            row.addWidget(Label(words, 12, 400, "text2", width=_LABEL))
            row.addWidget(control)
            row.addStretch(1)
            self.body.addLayout(row)
        if self._cpu_devices is not None:
            self.body.addLayout(self._parts_row())
        for layout in (why, foot):
            self.body.addLayout(layout)

    def _parts_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(20, 0, 20, 6)
        row.setSpacing(8)
        row.addWidget(Label("CPUs", 12, 400, "text2", width=_LABEL))
        row.addWidget(self.parts)
        row.addWidget(self.parts_note, 1)
        return row

    def _show_parts(self) -> None:
        """Show how many CPU devices are asked for, and that another number is taken at the next start."""
        if self._cpu_devices is None:
            return
        wanted = self._cpu_devices.read()
        self.parts.show_text(str(wanted))
        there = sum(row.choice.id.startswith("cpu:") and not row.choice.id.endswith(":all") for row in self._rows)
        words = "devices made of this processor"
        if there and there != wanted:
            words = f"{there} now; {wanted} after jaxscope is started again"
        self.parts_note.set_token("warn" if there and there != wanted else "text3")
        self.parts_note.setText(words)

    def _step_parts(self, steps: int) -> None:
        if self._cpu_devices is not None:
            wanted = min(MOST_CPU_DEVICES, max(1, self._cpu_devices.read() + steps))
            self._cpu_devices.change(wanted)
            self._show_parts()

    def _type_parts(self, text: str) -> None:
        if self._cpu_devices is not None and text.strip().isdecimal():
            self._cpu_devices.change(min(MOST_CPU_DEVICES, max(1, int(text))))
        self._show_parts()

    def _show_measuring(self, busy: Busy) -> None:
        self._is_measuring = not busy.done
        self.progress.setText(busy.label)
        self.measure.setText("Measure here" if busy.done else "Cancel")
        self.measure.setAccessibleName(self.measure.text())

    def _build(self) -> None:
        devices = self._devices
        if devices is None:
            return
        while (item := self._list.takeAt(0)) is not None:
            if item.widget() is not None:
                item.widget().hide()
                item.widget().deleteLater()
        for row in self._rows:
            self._group.removeButton(row)
        self._rows = [DeviceRow(choice) for choice in devices.devices if choice.available]
        times = [row.choice.measured_ms for row in self._rows if row.choice.measured_ms is not None]
        for row in self._rows:
            fastest = len(times) > 1 and row.choice.measured_ms == min(times)
            row.show_scale(max(times, default=None), is_fastest=fastest)
            row.clicked.connect(lambda _on=False, at=row.choice.id: self._dispatch(ChooseEngine(device=at)))
            self._group.addButton(row)
            self._list.addWidget(row)
            row.show()  # at once, so that the height is right now and not an event later
        for choice in devices.devices:
            if not choice.available:
                absent = AbsentRow(choice)
                self._list.addWidget(absent)
                absent.show()
        segments = [
            Segment(key=name, label=method_title(name), tip=_METHOD_TIPS.get(name, "")) for name in devices.methods
        ]
        self.method.set_segments(segments)
        self._show_engine()
        self._show_parts()
        self._place()

    def _show_engine(self) -> None:
        for row in self._rows:
            row.setChecked(row.choice.id == self._engine.device)
        self.precision.set_current(self._engine.precision)
        self.method.set_current(self._engine.method)

    def _on_measure(self) -> None:
        if self._is_measuring:
            self._stop()
        else:
            self._ask(measure=True)

    def _reason_of(self, frame: Frame) -> str:
        size = f"{frame.n_channels} × {frame.n_samples} samples"
        method = method_title(frame.method)
        if self._engine.method == "auto":
            why = f", {frame.method_reason}" if frame.method_reason else ""
            return f"Auto picked {method}: {size}{why}"
        return f"{method}, chosen by hand: {size}"
