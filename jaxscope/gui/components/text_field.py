"""The frame of everything that can be typed into: border by state, a unit at the right, an icon at the left.

A field keeps every letter to itself: keys that type never reach the single-letter commands, and Esc asks (by
``escaped``) that the focus go back to the traces. Invariant: setting the text from code emits nothing that a view
listens to.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPaintEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QSizePolicy, QWidget

from jaxscope.gui.components.painting import RIGHT, begin, draw_text, rounded, text_width
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import font, scaled, theme

#: Keys that move or spin inside a field and must not become shortcuts while it has the focus.
_OWN_KEYS = frozenset(
    {
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_PageDown,
        Qt.Key.Key_Home,
        Qt.Key.Key_End,
        Qt.Key.Key_Return,
        Qt.Key.Key_Enter,
        Qt.Key.Key_Escape,
        Qt.Key.Key_Delete,
        Qt.Key.Key_Backspace,
        Qt.Key.Key_Insert,
    }
)


class TextField(QLineEdit):
    """A line of text in a frame.

    Parameters
    ----------
    name : str
        Accessible name.
    unit : str
        Shown at the right in captions.
    width : int or None
        Width at text scale 1; None takes the room there is.
    icon : str or None
        Shown at the left.
    """

    #: Esc was pressed: the focus belongs to the traces again
    escaped = Signal()

    def __init__(
        self,
        name: str,
        *,
        unit: str = "",
        width: int | None = None,
        height: int = 28,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        mono: bool = False,
        px: float = 13,
        icon: str | None = None,
        parent: QWidget | None = None,
    ) -> None:
        self._is_made = False
        super().__init__(parent)
        self._unit = unit
        self._width = width
        self._height = height
        self._mono = mono
        self._px = px
        self._icon = icon
        self._align = align
        self._wrong = False
        self._untaken = False
        self._alarmed = False
        self.setFrame(False)
        self.setAccessibleName(name)
        self.setAlignment(align | Qt.AlignmentFlag.AlignVCenter)
        horizontal = QSizePolicy.Policy.Expanding if width is None else QSizePolicy.Policy.Fixed
        self.setSizePolicy(horizontal, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setProperty("jaxscopeField", "rest")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.textEdited.connect(self._on_typed)
        self._is_made = True
        self._measure()

    @property
    def is_wrong(self) -> bool:
        """Whether the text is marked as wrong."""
        return self._wrong

    @property
    def unit(self) -> str:
        """What is shown at the right."""
        return self._unit

    @property
    def holds_untaken_text(self) -> bool:
        """Whether there is typing that Enter or leaving the field has not taken yet."""
        return self._untaken

    def set_wrong(self, *, wrong: bool) -> None:
        """Mark the text as wrong, or as right again."""
        if wrong != self._wrong:
            self._wrong = wrong
            # what is wrong is read from its beginning
            self.setAlignment((Qt.AlignmentFlag.AlignLeft if wrong else self._align) | Qt.AlignmentFlag.AlignVCenter)
            self._dress()

    def complain(self, words: str, beside: QLabel) -> None:
        """Mark what was typed as wrong and say why in a label beside it; no words take both back."""
        self.set_wrong(wrong=bool(words))
        beside.setText(words)
        beside.setVisible(bool(words))

    def set_alarmed(self, *, alarmed: bool) -> None:
        """Mark the number as taken but dangerous (an unstable radius), or as harmless again."""
        if alarmed != self._alarmed:
            self._alarmed = alarmed
            self._dress()

    def _dress(self) -> None:
        self.setProperty("jaxscopeField", "wrong" if self._wrong or self._alarmed else "rest")
        self.style().unpolish(self)
        self.style().polish(self)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(self._width or 160), scaled(self._height))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(self._width or 60), scaled(self._height))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            return self._override(event)
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            handled = self.press(event) or super().event(event)
            if event.text() or event.key() in _OWN_KEYS:
                event.accept()
                return True
            return handled
        return super().event(event)

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key of our own and return True, or leave it to the line edit."""
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
            return True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.take()
            return True
        return False

    def take(self) -> None:
        """Accept what is typed; the field keeps the focus."""
        self._untaken = False
        self.selectAll()
        self.returnPressed.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.selectAll()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._untaken = False
        self.deselect()
        self.update()

    def mousePressEvent(self, event) -> None:
        fresh = not self.hasFocus()
        super().mousePressEvent(event)
        if fresh:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self.selectAll()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # a field has a font of its own, so a change of the text scale comes as another style only
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and self._is_made:
            self._measure()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            border, width = self._border()
            rounded(painter, QRectF(self.rect()), 5, "canvas" if theme().is_dark else "raised", border, width)
            self.paint_extras(painter)
        super().paintEvent(event)

    def paint_extras(self, painter) -> None:
        """Draw the icon and the unit."""
        height = self.height()
        if self._icon:
            draw_icon(painter, self._icon, QRectF(8, height / 2 - 8, 16, 16), "text3")
        if self._unit and not self._wrong:
            rect = QRectF(0, 0, self.width() - 9 - self._right_room(), height)
            draw_text(painter, rect, self._unit, font(11), "text3" if self.isEnabled() else "off", RIGHT)

    def _border(self) -> tuple[str, float]:
        if self._wrong or self._alarmed:
            return "danger", 2
        if not self.isEnabled():
            return "line2", 1
        if self.hasFocus():
            return "focus", 2
        return ("text3" if self.underMouse() else "field"), 1

    def _right_room(self) -> int:
        return 0

    def _measure(self) -> None:
        self.setFont(font(self._px, mono=self._mono))
        unit = round(text_width(self._unit, font(11))) + 4 if self._unit else 0
        left = 29 if self._icon else 8
        self.setTextMargins(left - 2, 0, unit + self._right_room() + 7, 0)
        self.updateGeometry()

    def _on_typed(self) -> None:
        self._untaken = True

    def _override(self, event: QKeyEvent) -> bool:
        undoes = event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
        if undoes and not self._untaken:
            event.ignore()
            return False
        if event.key() in _OWN_KEYS:
            event.accept()
            return True
        return super().event(event)
