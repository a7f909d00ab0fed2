"""The settings: looks, keys, what the program does at the start and where it computes; each taken at once and kept.

Rows are made from a table, so a setting is one line there. Invariant: what is shown is what the settings file holds;
nothing waits for an OK.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Sheet
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.scrolling import scrolling
from jaxscope.gui.components.segmented import SegmentedControl
from jaxscope.gui.components.stepper import Stepper
from jaxscope.gui.theme import scaled, theme
from jaxscope.gui.views.settings_keys import KeysPage
from jaxscope.session.settings import LARGEST_TEXT, MOST_CPU_DEVICES, SMALLEST_TEXT, Settings

_LABEL = 150
_TEXT_STEP = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A setting of a few words: its name in ``Settings``, its label, (value, words), and what it means."""

    name: str
    label: str
    words: tuple[tuple[str, str], ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A setting that is a number: how it is written, and by how much it steps."""

    name: str
    label: str
    low: float
    high: float
    step: float
    write: Callable[[float], str]
    read: Callable[[str], float]
    note: str = ""


def _write_percent(value: float) -> str:
    return f"{round(value * 100)} %"


def _read_percent(text: str) -> float:
    return float(text.replace("%", "").strip()) / 100


ROWS: tuple[Choice | Amount, ...] = (
    Choice(
        name="theme",
        label="Theme",
        words=(("dark", "Dark"), ("light", "Light"), ("system", "As the system")),
    ),
    Choice(
        name="contrast",
        label="Contrast",
        words=(("system", "As the system"), ("more", "More")),
        note="Stronger borders, outlines in place of tints, Before in full",
    ),
    Amount(
        name="text_scale",
        label="Text size",
        low=SMALLEST_TEXT,
        high=LARGEST_TEXT,
        step=_TEXT_STEP,
        write=_write_percent,
        read=_read_percent,
        note="80 to 200 %; all heights follow",
    ),
    Choice(
        name="page_keys",
        label="PgUp and PgDn",
        words=(("channels", "Page channels"), ("time", "Page time")),
        note="With Shift they do the other",
    ),
    Choice(
        name="times",
        label="Times",
        words=(("seconds", "From the start"), ("clock", "Of the clock")),
        note="In a recording that is opened; T changes it there",
    ),
    Choice(
        name="lanes",
        label="Large traces",
        words=(("free", "Run over others"), ("clip", "End at their lane")),
        note="In a recording that is opened; View changes it there",
    ),
    Choice(
        name="start_up",
        label="At the start",
        words=(("start", "Start screen"), ("last", "Last recording")),
        note="Where no file is named",
    ),
    Amount(
        name="cpu_devices",
        label="CPU devices",
        low=1,
        high=MOST_CPU_DEVICES,
        step=1,
        write=lambda value: f"{value:.0f}",
        read=float,
        note="Parts of this processor that share the channels out; taken at the next start",
    ),
)


class SettingsSheet(Sheet):
    """The dialog of settings.

    Parameters
    ----------
    window : QWidget
        The main window.
    read : callable
        Returns the settings of now.
    change : callable
        Takes other settings; they are in force and kept when it returns.
    """

    def __init__(self, window: QWidget, read: Callable[[], Settings], change: Callable[[Settings], None]) -> None:
        super().__init__(window, title="Settings", width=860, height=600)
        self._read = read
        self._change = change
        self.controls: dict[str, SegmentedControl | Stepper] = {}
        self.page = SegmentedControl([("general", "General"), ("keys", "Keys")], name="Page of the settings")
        self.keys = KeysPage(read, change)
        self.reset = Button("Reset all", "quiet")
        self._note = Label("Everything is kept at once", 12, 400, "text3", shrink=True)
        self._pages = QStackedWidget()
        self._pages.addWidget(scrolling(self._general()))
        self._pages.addWidget(self.keys)
        row = QHBoxLayout()
        row.setContentsMargins(20, 14, 20, 6)
        row.addWidget(self.page)
        row.addStretch(1)
        self.body.addLayout(row)
        self.body.addWidget(self._pages, 1)
        self.footer.addWidget(self._note, 1)
        self.footer.addWidget(self.reset)
        self.page.chosen.connect(self.show_page)
        self.reset.clicked.connect(self._on_reset)
        self.show_page("general")
        theme().changed.connect(self._place_open)

    def open_sheet(self) -> None:
        self.show_settings()
        super().open_sheet()
        self.page.button(self.page.current or "general").setFocus(Qt.FocusReason.PopupFocusReason)

    def show_page(self, name: str) -> None:
        """Show the general settings or the keys."""
        self.page.set_current(name)
        self._pages.setCurrentIndex(1 if name == "keys" else 0)
        self.reset.setText("Reset all keys" if name == "keys" else "Reset all")

    def show_settings(self) -> None:
        """Show what is in force."""
        settings = self._read()
        for row in ROWS:
            value, control = getattr(settings, row.name), self.controls[row.name]
            if isinstance(control, SegmentedControl):
                control.set_current(value)
            elif isinstance(row, Amount):
                control.show_text(row.write(value))
        self.keys.show_settings()

    def _general(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(20, 8, 20, 12)
        column.setSpacing(14)
        for row in ROWS:
            line = QHBoxLayout()
            line.setSpacing(12)
            label = Label(row.label, 12, 400, "text2")
            label.setMinimumWidth(scaled(_LABEL))
            line.addWidget(label)
            control = self._control(row)
            self.controls[row.name] = control
            line.addWidget(control)
            if row.note:
                control.setAccessibleDescription(row.note)
                line.addWidget(Label(row.note, 12, 400, "text3", shrink=True), 1)
            else:
                line.addStretch(1)
            column.addLayout(line)
        column.addStretch(1)
        return page

    def _control(self, row: Choice | Amount) -> SegmentedControl | Stepper:
        if isinstance(row, Choice):
            control = SegmentedControl(row.words, name=row.label)
            control.chosen.connect(lambda value, row=row: self._take(row.name, value))
            return control
        stepper = Stepper("", value_width=64)
        stepper.setAccessibleName(row.label)
        stepper.name_parts(row.label)
        stepper.stepped.connect(lambda steps, row=row: self._step(row, steps))
        stepper.typed.connect(lambda text, row=row: self._typed(row, text))
        stepper.escaped.connect(self.close_floating)
        return stepper

    def _step(self, row: Amount, steps: int) -> None:
        self._amount(row, getattr(self._read(), row.name) + steps * row.step)

    def _typed(self, row: Amount, text: str) -> None:
        try:
            value = row.read(text)
        except ValueError:
            value = float("nan")
        if row.low <= value <= row.high:
            self._amount(row, value)
        else:
            self._note.set_token("danger")
            self._note.setText(f"{row.label}: {row.write(row.low)} to {row.write(row.high)}, so it stays as it was")
            self.show_settings()

    def _amount(self, row: Amount, value: float) -> None:
        kept = min(row.high, max(row.low, value))
        self._take(row.name, round(kept) if row.step == 1 else round(kept, 2))

    def _take(self, name: str, value: Any) -> None:
        self._change(replace(self._read(), **{name: value}))
        self._note.set_token("text3")
        needs_restart = name == "cpu_devices"
        self._note.setText("Taken at the next start of jaxscope" if needs_restart else "Everything is kept at once")
        self.show_settings()

    def _on_reset(self) -> None:
        usual = Settings()
        if self.page.current == "keys":
            self._change(replace(self._read(), keys=()))
        else:
            self._change(replace(self._read(), **{row.name: getattr(usual, row.name) for row in ROWS}))
        self.show_settings()

    def _place_open(self) -> None:
        if self.isVisible():
            self._place()
