"""The import sheet: asks what a file does not tell itself, and shows at once what would be read.

Its fields come from the options of the file's format. Nothing is assumed in their place: while something is missing or
wrong, the sheet says so under the fields, and a file is opened only as its preview shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QWidget

from jaxscope.compute.frames import Failure, Outcome
from jaxscope.compute.import_form import ImportField, ImportPreview
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Sheet
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.painting import LEFT, RIGHT, begin, draw_text, hairline, rounded
from jaxscope.gui.components.rows import keep_width
from jaxscope.gui.components.select import Select
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.theme import font, scaled
from jaxscope.gui.views.base import AbstractView
from jaxscope.session.state import SessionState

_USUAL = ("100", "250", "256", "500", "1000")
#: How long nothing must have been typed before the preview is read again.
_PAUSE_MS = 150
_FIELD, _LABEL = 176, 96


class ImportSheet(Sheet, AbstractView):
    """Asks about one file.

    Parameters
    ----------
    window : QWidget
        The main window.
    ask : callable
        Takes a path, what has been told and the rate, and sees that an ``ImportPreview`` comes.
    """

    #: (path, rate in Hz or None, what was told as pairs of texts)
    answered = Signal(str, object, object)

    def __init__(self, window: QWidget, ask: Callable[[str, dict[str, str], float | None], None]) -> None:
        super().__init__(window, title="Open", width=720, height=560)
        self._ask = ask
        self._path = ""
        self._format = ""
        self._preview: ImportPreview | None = None
        self._fields: dict[str, TextField | Select] = {}
        self._known: tuple[ImportField, ...] = ()
        self._waits = False
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._look)
        self._words = Paragraph("", 13, "text2")
        self.field = self._text_field("Sampling rate", "Hz")
        self.field.setPlaceholderText("such as 250")
        self.problem = Label("", 12, 400, "danger", shrink=True)
        self.table = PreviewTable()
        self.facts = Label("", 12, 400, "text3", shrink=True)
        self.open_button = Button("Open", "primary")
        self.open_button.clicked.connect(self._take)
        self._lay_out()

    def ask(self, path: str, told: dict[str, str] | None = None) -> None:
        """Ask about a recording, of which something may be told already."""
        told = dict(told or {})
        self._path, self._format = path, told.get("format", "")
        self._preview, self._waits = None, False
        self._show_fields(())
        self._words.setText(self._question())
        self._say("")
        self.table.show_rows(())
        self.facts.setText("")
        self.field.setText(told.get("rate", ""))
        self.open_sheet()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._ask(path, {name: value for name, value in told.items() if name != "rate"}, None)

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Nothing here is in the state before the file is open."""

    def show_frame(self, outcome: Outcome) -> None:
        """Show what would be read."""
        match outcome:
            case ImportPreview() if outcome.path == self._path and self.isVisible():
                self._show_preview(outcome)
            case Failure() if outcome.what == "preview" and self.isVisible():
                self._say(outcome.sentence)

    def _lay_out(self) -> None:
        words = QHBoxLayout()
        words.setContentsMargins(20, 16, 20, 8)
        words.addWidget(self._words)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(20, 4, 20, 4)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnMinimumWidth(2, 8)  # what belongs together stands nearer than what does not
        self._grid.setColumnStretch(5, 1)
        usual = QHBoxLayout()
        usual.setSpacing(4)
        for rate in _USUAL:
            button = Button(rate, "quiet", height=28, padding=6)
            button.clicked.connect(lambda _=False, rate=rate: self._choose_rate(rate))
            usual.addWidget(button)
        usual.addStretch(1)
        self._grid.addWidget(_label("Sampling rate"), 0, 0)
        self._grid.addWidget(self.field, 0, 1)
        self._grid.addLayout(usual, 0, 2, 1, 4)
        below = QHBoxLayout()
        below.setContentsMargins(20, 4, 20, 4)
        below.addWidget(self.problem, 1)
        shown = QHBoxLayout()
        shown.setContentsMargins(20, 4, 20, 6)
        shown.addWidget(self.table)
        last = QHBoxLayout()
        last.setContentsMargins(20, 0, 20, 10)
        last.addWidget(self.facts, 1)
        for part in (words, self._grid, below, shown, last):
            self.body.addLayout(part)
        self.body.addStretch(1)
        cancel = Button("Cancel", "quiet")
        cancel.clicked.connect(self.close_floating)
        self.footer.addStretch(1)
        self.footer.addWidget(cancel)
        self.footer.addWidget(self.open_button)

    def _text_field(self, title: str, unit: str) -> TextField:
        field = TextField(title, unit=unit, width=_FIELD, height=30)
        field.textEdited.connect(lambda _: self._pause.start())
        field.returnPressed.connect(self._take)
        field.escaped.connect(self.close_floating)
        return field

    def _show_fields(self, known: tuple[ImportField, ...]) -> None:
        """Make a field for each option, two in a row."""
        if known == self._known:
            return
        for widget in [self._grid.itemAt(n).widget() for n in range(self._grid.count())]:
            if widget is not None and widget.property("option"):
                self._grid.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        self._known, self._fields = known, {}
        for number, one in enumerate(known):
            row, column = 1 + number // 2, 3 * (number % 2)
            label, field = _label(one.title), self._field_of(one)
            for part, at in ((label, column), (field, column + 1)):
                part.setProperty("option", True)
                part.setToolTip(one.help)
                self._grid.addWidget(part, row, at)
                part.show()
            self._fields[one.name] = field

    def _field_of(self, one: ImportField) -> TextField | Select:
        if not one.choices:
            return self._text_field(one.title, one.unit)
        select = Select(one.title, [(choice, choice) for choice in one.choices], width=_FIELD, height=30)
        select.set_current(one.choices[0])
        select.chosen.connect(lambda _: self._look())
        select.escaped.connect(self.close_floating)
        return select

    def _told(self) -> dict[str, str]:
        told = {"format": self._format} if self._format else {}
        for one in self._known:
            field = self._fields[one.name]
            value = (field.current or "") if isinstance(field, Select) else field.text().strip()
            if value and (not one.choices or value != one.choices[0]):
                told[one.name] = value
        return told

    def _rate_hz(self) -> float | None:
        """Return the rate that is typed, None where there is none; ValueError where it is no rate."""
        text = self.field.text().strip().removesuffix("Hz").strip().replace(",", ".")
        if not text:
            return None
        try:
            rate_hz = float(text)
        except ValueError:
            raise ValueError(f"“{text}” is not a number") from None
        if not 0 < rate_hz < 1e9:
            raise ValueError(f"{text} Hz is no sampling rate")
        return rate_hz

    def _choose_rate(self, rate: str) -> None:
        self.field.setText(rate)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)  # where Enter opens the recording
        self._look()

    def _look(self) -> None:
        """Ask for a preview of what has been told."""
        self._pause.stop()
        try:
            rate_hz = self._rate_hz()
        except ValueError as error:
            self._waits = False
            self._say(str(error), at_rate=True)
            return
        self._say("")
        self._ask(self._path, self._told(), rate_hz)

    def _show_preview(self, preview: ImportPreview) -> None:
        self._show_fields(preview.fields)
        if dict(preview.told) != self._told():
            return  # of what was told before
        self._preview = preview
        self.table.show_rows(preview.rows)
        self.facts.setText(preview.facts)
        if preview.problem:
            self._say(preview.problem)
        if self._waits:
            self._take()

    def _take(self) -> None:
        """Open the file as its preview shows it; wait for the preview of what was typed last."""
        try:
            rate_hz = self._rate_hz()
        except ValueError as error:
            self._say(str(error), at_rate=True)
            return
        preview = self._preview
        if preview is None or (dict(preview.told), preview.rate_hz) != (self._told(), rate_hz):
            self._waits = True
            self._look()
            return
        self._waits = False
        if preview.problem:
            self._say(preview.problem)
        elif not preview.has_rate:
            self._say("Type a rate in hertz", at_rate=True)
        else:
            self.close_floating()
            self.answered.emit(self._path, rate_hz, tuple(self._told().items()))

    def _question(self) -> str:
        name = Path(self._path).name
        if self._format == "raw":
            return f"How do the numbers in {name} lie?"
        return f"{name}: what it does not tell itself. Leave empty what it does."

    def _say(self, problem: str, *, at_rate: bool = False) -> None:
        self.problem.setText(problem)
        self.field.set_wrong(wrong=at_rate)


class PreviewTable(QWidget):
    """The first samples of the first channels."""

    _ROW = 24

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[tuple[str, ...], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("First samples")

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """What is shown: a channel each."""
        return self._rows

    def show_rows(self, rows: tuple[tuple[str, ...], ...]) -> None:
        """Show the first samples of channels; each row begins with the name."""
        self._rows = rows
        self.setAccessibleDescription("; ".join(" ".join(row) for row in rows))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(400), scaled(self._ROW) * max(1, len(self._rows)) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rounded(painter, QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, "panel", "line2")
            if not self._rows:
                place = QRectF(self.rect()).adjusted(12, 0, -12, 0)
                draw_text(painter, place, "Nothing can be shown yet", font(12), "text3", LEFT)
            for number, row in enumerate(self._rows):
                self._paint_row(painter, number, row)

    def _paint_row(self, painter: QPainter, number: int, row: tuple[str, ...]) -> None:
        high = scaled(self._ROW)
        top, name_width = 1 + number * high, self.width() * 0.28
        if number:
            hairline(painter, 1, top, self.width() - 2, "line")
        place = QRectF(12, top, name_width - 16, high)
        draw_text(painter, place, row[0], font(12, 500), "text2", LEFT, Qt.TextElideMode.ElideRight)
        width = (self.width() - name_width - 12) / max(1, len(row) - 1)
        for column, text in enumerate(row[1:]):
            cell = QRectF(name_width + column * width, top, width - 6, high)
            draw_text(painter, cell, text, font(12, mono=True), "text", RIGHT, Qt.TextElideMode.ElideRight)


def _label(words: str) -> Label:
    label = Label(words, 12, 400, "text2")
    keep_width(label, _LABEL)
    return label
