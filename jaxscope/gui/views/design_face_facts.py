"""The facts under the form of a stage: captions over values, in as many columns as hold their words whole.

A value that is cut is worse than none, so a column too narrow for its words gives way to another row.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.gui.components.painting import begin, draw_text, text_width
from jaxscope.gui.theme import font, scaled, theme

#: more facts than these are in the tooltip only
_MOST_FACTS = 6
#: more facts than these take three columns, where the words of all of them fit
_MOST_IN_TWO_COLUMNS = 4
_GAP = 8
_MOST_RATES = 3


def rate_words(rate_hz: float) -> str:
    """Return a rate in words, such as ``"100 Hz"``."""
    return f"{rate_hz:.6g} Hz"


def rate_sentence(rate_hz: float, other_rates_hz: tuple[float, ...]) -> str:
    """Return which channels facts and curve are for; empty where all run at one rate."""
    if not other_rates_hz:
        return ""
    rates = [f"{rate:.6g}" for rate in other_rates_hz[:_MOST_RATES]]
    others = f"{', '.join(rates[:-1])} or {rates[-1]}" if len(rates) > 1 else rates[0]
    return f"At {rate_words(rate_hz)}; other channels run at {others} Hz"


class Facts(QWidget):
    """Captions over values: two columns, three where there are many and they fit, one where the text is large."""

    _ROW = 36

    def __init__(self) -> None:
        super().__init__()
        self._facts: tuple[tuple[str, str], ...] = ()
        self._fitted: tuple[tuple[object, ...], int] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What is shown."""
        return self._facts

    def show_facts(self, facts: tuple[tuple[str, str], ...]) -> None:
        """Show (caption, value) pairs."""
        if facts == self._facts:
            return
        height = self.sizeHint().height()
        self._facts = facts
        words = "; ".join(f"{caption}: {value}" for caption, value in facts)
        self.setAccessibleName(words)
        self.setToolTip("\n".join(f"{caption}: {value}" for caption, value in facts))
        if self.sizeHint().height() != height:
            self.updateGeometry()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()  # fewer columns are more rows

    def sizeHint(self) -> QSize:
        rows = -(-min(len(self._facts), _MOST_FACTS) // self._columns())
        return QSize(scaled(200), max(0, rows * scaled(self._ROW) - 2))

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            columns = self._columns()
            width, room = self.width() / columns, self.column_width()
            right = Qt.TextElideMode.ElideRight
            for number, (caption, value) in enumerate(self._facts[:_MOST_FACTS]):
                x, y = number % columns * width, number // columns * scaled(self._ROW)
                draw_text(painter, QRectF(x, y, room, scaled(16)), caption, font(11), "text3", elide=right)
                draw_text(painter, QRectF(x, y + scaled(15), room, scaled(18)), value, font(13, 500), elide=right)

    def _columns(self) -> int:
        """Return the number of columns; layouts ask for it many times an edit, so it is worked out once."""
        key = (self._facts, self.width(), theme().text_scale)
        if self._fitted is None or self._fitted[0] != key:
            self._fitted = (key, self._fitting_columns())
        return self._fitted[1]

    def _fitting_columns(self) -> int:
        if theme().text_scale >= 1.5:
            return 1
        wanted = 3 if len(self._facts) > _MOST_IN_TWO_COLUMNS else 2
        widest = self.widest_words()
        return next((columns for columns in range(wanted, 1, -1) if widest <= self.width() / columns - _GAP), 1)

    def widest_words(self) -> float:
        """Return the width of the longest caption or value."""
        return max((_width(*fact) for fact in self._facts[:_MOST_FACTS]), default=0.0)

    def column_width(self) -> float:
        """Return the room that a fact has."""
        return self.width() / self._columns() - _GAP


def _width(caption: str, value: str) -> float:
    return max(text_width(caption, font(11)), text_width(value, font(13, 500)))
