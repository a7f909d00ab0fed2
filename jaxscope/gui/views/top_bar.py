"""The bar at the top: menu, open, what is open, undo, redo; how to compare; where it is computed; export."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Self

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QMouseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from jaxscope.compute.frames import Blocked, Busy, Frame, Grown, Opened
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import counted
from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.painting import begin, disc, draw_text, focus_ring, hairline, rounded, text_width
from jaxscope.gui.components.segmented import Segment, SegmentedControl
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.key_tips import KeyTip
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.base import AbstractView, Dispatch, ViewKit
from jaxscope.gui.views.top_bar_readout import Readout
from jaxscope.gui.views.traces_numbers import clock, span_text
from jaxscope.session.actions import ChooseMode
from jaxscope.session.state import EngineChoice, SessionState

_MODES = (
    Segment(key="overlay", label="Overlay", icon="overlay", tip="Filtered signal over the recording"),
    Segment(key="split", label="Split", icon="split", tip="Recording left, filtered right, same time and scale"),
    Segment(
        key="curtain",
        label="Curtain",
        icon="curtain",
        tip="Recording left of a line you can drag, filtered right of it",
    ),
    Segment(
        key="difference", label="Difference", icon="difference", tip="What the filter took away: before minus after"
    ),
)
_MODES_IN_WORDS = tuple(replace(mode, icon=None) for mode in _MODES)
_EXPORT = ("Save the filtered recording, code, coefficients, figure or text", ("anywhere", "export"))
_WIDE_FROM_PX = 1440
_ICONS_BELOW_PX = 1200
#: width at text scale 1 below which larger text leaves no room for the words of the modes
_LEAST_ROOM_FOR_WORDS_PX = 1000
#: width at text scale 1 below which the chip shows the device alone
_DEVICE_ONLY_BELOW_PX = 700


class TitleBlock(QWidget):
    """Name of the recording over its size; a dot tells that the project has changes that are not saved."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._path = ""
        self._facts = ""
        self._is_dirty = False
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Recording")

    def sizeHint(self) -> QSize:
        return QSize(scaled(190), scaled(52))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(84), scaled(52))

    def show_recording(self, path: str, facts: str) -> None:
        """Show what is open."""
        self._path, self._facts = path, facts
        name = Path(path).name
        self.setToolTip(f"{path}; click to copy. Dot: the project has changes that are not saved" if path else "")
        self.setAccessibleDescription(f"{name}, {facts}")
        self.update()

    @property
    def name(self) -> str:
        """Name of what is open."""
        return Path(self._path).name

    @property
    def facts(self) -> str:
        """Channels, rate and length in words."""
        return self._facts

    def show_dirty(self, *, dirty: bool) -> None:
        """Show or hide the dot."""
        if dirty != self._is_dirty:
            self._is_dirty = dirty
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._path:
            QGuiApplication.clipboard().setText(self._path)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            name = Path(self._path).name
            middle = self.height() / 2
            room = self.width() - 18
            elide = Qt.TextElideMode.ElideMiddle
            draw_text(
                painter, QRectF(0, middle - scaled(17), room, scaled(18)), name, font(13, 600), "text", elide=elide
            )
            if self._is_dirty:
                x = min(text_width(name, font(13, 600)), room) + 10
                disc(painter, QRectF(x - 1, middle - scaled(17) / 2, 2, 2).center(), 3, "text3")
            rest = QRectF(0, middle + 1, self.width(), scaled(15))
            draw_text(painter, rest, self._facts, font(11), "text3", elide=Qt.TextElideMode.ElideRight)


class ComputeChip(QToolButton):
    """Where and how the filter runs; a click opens the choice."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words: tuple[str, ...] = ()
        self._is_narrow = self._is_narrowest = False
        self._engine = EngineChoice()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Where to filter")
        self._tip = KeyTip(self, "", write=self._set_tip)
        self.show_engine(self._engine, "")

    def set_narrow(self, *, narrow: bool, narrowest: bool = False) -> None:
        """Show device and precision only, or the device alone; the tooltip says the rest."""
        self._is_narrow, self._is_narrowest = narrow, narrowest
        self._lay_out()

    def _set_tip(self, tip: str) -> None:
        self.setToolTip(tip)
        self.setAccessibleDescription(tip)

    def show_engine(self, engine: EngineChoice, picked: str) -> None:
        """Show a choice; ``picked`` is the method that ``auto`` has taken."""
        self._engine = engine
        method = f"{engine.method}{f' ({picked}, picked)' if engine.method == 'auto' and picked else ''}"
        where = f"{device_title(engine.device)} in {engine.precision}"
        self._tip.say(f"Filter on {where}, method {method}. Click to choose", ("anywhere", "device chooser"))
        self._lay_out()

    def _lay_out(self) -> None:
        device = device_title(self._engine.device)
        if self._is_narrowest:
            self._words = (device,)
        elif self._is_narrow:
            self._words = (device, self._engine.precision.replace("float", "f"))
        else:
            self._words = (device, self._engine.precision, method_title(self._engine.method))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = scaled(34) + sum(text_width(words, font(12, 500)) + 20 for words in self._words) + 10
        return QSize(round(width), scaled(32))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rect, height = QRectF(self.rect()), self.height()
            is_over = self.underMouse() or self.isDown()
            rounded(painter, rect, 6, "hover" if is_over else None, "line2")
            size = scaled(17)
            draw_icon(painter, "cpu", QRectF(10, (height - size) / 2, size, size), "text2")
            x = float(scaled(34))
            for place, words in enumerate(self._words):
                width = text_width(words, font(12, 500))
                draw_text(
                    painter, QRectF(x, 0, width + 3, height), words, font(12, 500), "text" if place < 1 else "text2"
                )
                x += width + 4
                if place < len(self._words) - 1:
                    draw_icon(painter, "chevron-right", QRectF(x, height / 2 - 6, 12, 12), "text3")
                x += 16
            draw_icon(painter, "chevron-down", QRectF(rect.width() - 21, height / 2 - 7, 14, 14), "text3")
            if self.hasFocus():
                focus_ring(painter, rect)


class TopBarView(AbstractView, QWidget):
    """The bar at the top of the window."""

    menu_asked = Signal(QPoint)
    open_asked = Signal()
    undo_asked = Signal()
    redo_asked = Signal()
    devices_asked = Signal()
    export_asked = Signal()

    def __init__(self, dispatch: Dispatch, state: SessionState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._has_recording = False
        self._picked = ""
        self.menu_button = IconButton("menu-2", "Menu [Alt]")
        self.open_button = IconButton("folder-open", "Open a recording")
        self.title = TitleBlock()
        self.undo_button = IconButton("arrow-back-up", "Nothing to undo", size=30, icon_size=17)
        self.redo_button = IconButton("arrow-forward-up", "Nothing to redo", size=30, icon_size=17)
        self.modes = SegmentedControl(_MODES_IN_WORDS, name="Compare", height=32, padding=16)
        self.chip = ComputeChip()
        self.readout = Readout()
        self.export_button = Button("Export", "plain", icon="file-export")
        self._name_keys()
        self._path = self._facts = ""
        self._lay_out()
        self.menu_button.clicked.connect(self._on_menu)
        self.open_button.clicked.connect(self.open_asked)
        self.undo_button.clicked.connect(self.undo_asked)
        self.redo_button.clicked.connect(self.redo_asked)
        self.modes.chosen.connect(lambda mode: dispatch(ChooseMode(mode=mode)))
        self.chip.clicked.connect(self.devices_asked)
        self.export_button.clicked.connect(self.export_asked)
        self.setFixedHeight(scaled(52))
        theme().changed.connect(self._on_theme)
        self._show_parts()
        self.modes.set_current(state.viewport.mode)
        self.chip.show_engine(state.engine, "")

    def sizeHint(self) -> QSize:
        return QSize(1600, scaled(52))

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 1)
        row.setSpacing(4)
        for part, gap in (
            (self.menu_button, 0),
            (self.open_button, 10),
            (self.title, 6),
            (self.undo_button, 0),
            (self.redo_button, 6),
        ):
            row.addWidget(part)
            row.addSpacing(gap)
        row.addStretch(1)
        row.addWidget(self.modes)
        row.addStretch(1)
        for right in (self.chip, self.readout, self.export_button):
            row.addSpacing(6)
            row.addWidget(right)

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.dispatch, kit.state)

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Show another mode or engine."""
        self._state = state
        self.modes.set_current(state.viewport.mode)
        if state.engine != previous.engine:
            self._picked = ""
            self.chip.show_engine(state.engine, "")
        self.readout.show_state(state, previous)

    def show_frame(self, outcome: object) -> None:
        """Take another recording, a frame's time, or that the filter is held."""
        match outcome:
            case Opened():
                self._has_recording = True
                self._path = outcome.path
                self._facts = facts_of(outcome.info)
                self.title.show_recording(outcome.path, self._facts)
                self._show_parts()
            case Grown():
                self._facts = facts_of(outcome.info)
                self.title.show_recording(self._path, self._facts)
            case Busy() if outcome.what == "indexing" and not outcome.done and self.title.facts == self._facts:
                # where the rest cannot be read it stays said that this is not all
                what, dot, lasts = self._facts.rpartition(" · ")
                self.title.show_recording(self._path, f"{what}{dot}≥ {lasts}")
            case Frame():
                self.export_button.setEnabled(True)
                self._export_tip.say(*_EXPORT)
                if outcome.method != self._picked:
                    self._picked = outcome.method
                    self.chip.show_engine(self._state.engine, outcome.method)
            case Blocked():
                self.export_button.setEnabled(False)
                why = "unstable" if outcome.kind == "unstable" else "held"
                self._export_tip.say(f"The filter is {why}; export waits")
        self.readout.show_frame(outcome)

    def _name_keys(self) -> None:
        """Say in tooltips which keys do the same."""
        opener, row = self.open_button, ("anywhere", "open a recording")
        KeyTip(opener, "Open a recording", row, write=opener.set_tip)
        self._undo_tip = KeyTip(self.undo_button, "Nothing to undo", write=self.undo_button.set_tip)
        self._redo_tip = KeyTip(self.redo_button, "Nothing to redo", write=self.redo_button.set_tip)
        self._export_tip = KeyTip(self.export_button, *_EXPORT)
        self._name_modes()

    def _name_modes(self) -> None:
        for segment in _MODES:
            KeyTip(self.modes.button(segment.key), segment.tip, ("traces", segment.label))

    def show_history(self, undo: str, redo: str, *, dirty: bool) -> None:
        """Show what can be undone and done again (empty: nothing), and whether there are unsaved changes."""
        self.undo_button.setEnabled(bool(undo))
        self.redo_button.setEnabled(bool(redo))
        for tip, word, edit in ((self._undo_tip, "undo", undo), (self._redo_tip, "redo", redo)):
            if edit:
                tip.say(f"{word.capitalize()}: {edit}", ("anywhere", word))
            else:
                tip.say(f"Nothing to {word}")
        self.title.show_dirty(dirty=dirty and self._has_recording)

    def close_recording(self) -> None:
        """Show what the start screen needs."""
        self._has_recording = False
        self.title.show_recording("", "")
        self.readout.close_recording()
        self._show_parts()

    def _show_parts(self) -> None:
        for part in (self.title, self.undo_button, self.redo_button, self.modes, self.export_button):
            part.setVisible(self._has_recording)

    def _on_menu(self) -> None:
        self.menu_asked.emit(self.menu_button.mapToGlobal(QPoint(0, self.menu_button.height() + 2)))

    def _on_theme(self) -> None:
        self.setFixedHeight(scaled(52))
        self._fit()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leave out what there is no room for, at the width and the text scale of now."""
        roomy = self.width() / theme().text_scale
        is_narrow = roomy < _WIDE_FROM_PX
        self.chip.set_narrow(narrow=is_narrow, narrowest=roomy < _DEVICE_ONLY_BELOW_PX)
        self.readout.set_narrow(narrow=is_narrow)
        in_icons = self.width() < _ICONS_BELOW_PX or roomy < _LEAST_ROOM_FOR_WORDS_PX
        first = self.modes.button(_MODES[0].key)
        self.modes.set_segments(_MODES if in_icons else _MODES_IN_WORDS)
        if self.modes.button(_MODES[0].key) is not first:
            self._name_modes()
        self.modes.set_icons_only(icons_only=in_icons)
        self.modes.set_current(self._state.viewport.mode)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.fillRect(self.rect(), colour("bar"))
            hairline(painter, 0, self.height() - 1, self.width())


def facts_of(info: RecordingInfo) -> str:
    """Return how many channels a recording has, their highest rate and its length."""
    rates = sorted({channel.rate_hz for channel in info.channels if channel.rate_hz is not None})
    total = sum(channel.is_drawable for channel in info.channels)
    facts = [counted(total, "channel")]
    if rates:
        top = f"{rates[-1]:g} Hz" if rates[-1] < 10_000 else f"{rates[-1] / 1e3:g} kHz"
        facts.append(top if len(rates) == 1 else f"up to {top}")
    if info.duration_s is not None:
        # whole seconds say nothing of a short one
        facts.append(clock(info.duration_s) if info.duration_s >= 10 else span_text(info.duration_s))
    return " · ".join(facts)


def device_title(device: str) -> str:
    """Return a device as it is called in the window: ``"gpu:0"`` is ``"GPU 0"``, the only CPU is ``"CPU"``."""
    platform, _, number = device.partition(":")
    return f"All {platform.upper()}s" if number == "all" else f"{platform.upper()} {number}".strip()


def method_title(method: str) -> str:
    """Return a method as it is called in the window."""
    return "SciPy" if method == "scipy" else method.replace("_", " ").replace("-", " ").capitalize()
