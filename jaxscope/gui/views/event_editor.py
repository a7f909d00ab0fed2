"""The small form that an event is typed in, at its place over the traces, with the texts that were used before.

Up and Down go through these texts, Enter takes what stands there, Esc leaves everything as it was. A new event is in
the document only once it is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.data.annotations import Annotation
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Popover
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.rows import ScaledRow
from jaxscope.gui.components.switch import Switch
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.theme import scaled
from jaxscope.gui.views.traces_numbers import clock, span_text

_WIDTH = 320
#: What an event is called where nothing was typed, ever.
UNNAMED = "Event"


class _EventField(TextField):
    """The text of an event; ``stepped`` asks for the next (1) or the previous (-1) of the texts used before."""

    stepped = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.stepped.emit(step)


class EventEditor(Popover):
    """Asks for the text of an event, whether it is bad, and of which channels.

    Parameters
    ----------
    window, traces : QWidget
        The main window, and what the form is placed over.
    read : callable
        From text to seconds; raises JaxscopeError with what is wrong.
    """

    def __init__(self, window: QWidget, traces: QWidget) -> None:
        super().__init__(window, name="Event", width=_WIDTH)
        self._spot = QWidget(traces)
        self._spot.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._event = Annotation(onset_s=0.0)
        self._channels: tuple[str, ...] = ()
        self._texts: tuple[str, ...] = ()
        self._place_in_texts = -1
        self._take: Callable[[Annotation], None] = lambda _: None
        self.heading = Label("Event", 13, 600)
        self.times = Label("", 11, 400, "text3")
        self.field = _EventField("Text of the event", height=30)
        self.bad = Switch("Bad span", label="Bad span", width=28, height=16)
        self.only = Switch("Only these channels", label="Only these channels", width=28, height=16)
        self.recents = [Button("", "quiet", height=26) for _ in range(5)]
        self.hint = Paragraph("", 11, "text3")
        self.take_button = Button("Add", "primary", height=28)
        self._lay_out()
        self.field.returnPressed.connect(self._accept)
        self.take_button.clicked.connect(self._accept)
        self.field.escaped.connect(self.close_floating)
        self.field.stepped.connect(self._step)
        for button in self.recents:
            button.clicked.connect(lambda _=False, button=button: self._accept_text(button.text()))

    def _lay_out(self) -> None:
        inner = QVBoxLayout()
        inner.setContentsMargins(14, 12, 14, 12)
        inner.setSpacing(6)
        head = QHBoxLayout()
        head.addWidget(self.heading)
        head.addStretch(1)
        head.addWidget(self.times)
        inner.addLayout(head)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self.take_button)
        inner.addLayout(row)
        for button in self.recents:
            inner.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        for switch in (self.bad, self.only):
            line = QHBoxLayout()
            line.setContentsMargins(0, 0, 0, 0)
            line.addWidget(switch)
            line.addStretch(1)
            inner.addWidget(ScaledRow(line, 26))
        inner.addWidget(self.hint)
        self.body.addLayout(inner)

    def ask(
        self,
        event: Annotation,
        at: QPointF,
        *,
        texts: tuple[str, ...],
        channels: tuple[str, ...],
        is_new: bool,
        take: Callable[[Annotation], None],
    ) -> None:
        """Open the form at a place over the traces.

        Parameters
        ----------
        event : Annotation
            As it is, or as it would be.
        at : QPointF
            Where it begins.
        texts : tuple of str
            Offered, the likeliest first.
        channels : tuple of str
            The selected channels, for an event that is of no channels yet.
        is_new : bool
        take : callable
            Gets the event with what was typed.
        """
        self._event, self._take, self._texts, self._place_in_texts = event, take, texts, -1
        self._channels = event.channels or channels
        self.heading.setText("New event" if is_new else "Event")
        length = f", {span_text(event.duration_s)}" if event.duration_s else ""
        self.times.setText(f"{clock(event.onset_s, 3)}{length}")
        self.take_button.setText("Add" if is_new else "Save")
        self.field.setText(event.text)
        self.field.setPlaceholderText(self._unnamed)
        self.bad.setChecked(event.marks_bad)
        self.bad.setEnabled(not event.says_bad)
        names = ", ".join(self._channels[:3]) + ("…" if len(self._channels) > 3 else "")
        self.only.set_label(f"Only {names}" if names else "Only selected channels")
        self.only.setEnabled(bool(self._channels))
        self.only.setChecked(bool(event.channels))
        for place, button in enumerate(self.recents):
            button.setVisible(place < len(texts))
            button.setText(texts[place] if place < len(texts) else "")
        self.hint.setText("Up and Down take a text from before. One that begins with BAD marks a bad span")
        left = max(0, round(at.x()) + 4)
        self._spot.setGeometry(left, 0, scaled(_WIDTH), scaled(26))
        self._spot.show()
        self.open_under(self._spot)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.selectAll()

    def close_floating(self) -> None:
        self._spot.hide()
        super().close_floating()

    @property
    def _unnamed(self) -> str:
        return self._texts[0] if self._texts else UNNAMED

    def _step(self, step: int) -> None:
        if self._texts:
            self._place_in_texts = (max(self._place_in_texts, -1 if step > 0 else 0) + step) % len(self._texts)
            self.field.setText(self._texts[self._place_in_texts])
            self.field.selectAll()

    def _accept(self) -> None:
        self._accept_text(self.field.text().strip() or self._unnamed)

    def _accept_text(self, text: str) -> None:
        event = replace(
            self._event,
            text=text,
            is_bad=self.bad.isChecked() and not Annotation(onset_s=0.0, text=text).says_bad,
            channels=self._channels if self.only.isChecked() else (),
        )
        self.close_floating()
        self._take(event)
