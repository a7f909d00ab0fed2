"""A value between a minus and a plus: the window length, the scale.

The value in the middle can be typed over. The words come from the view (``show_text``); what a person does comes out as
steps or as text.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from jaxscope.gui.components.buttons import IconButton
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import begin, focus_ring, rounded
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.theme import font, scaled


class _Middle(TextField):
    """The typed value, without a frame of its own."""

    def paintEvent(self, event: QPaintEvent) -> None:
        QLineEdit.paintEvent(self, event)
        if self.hasFocus():
            with begin(self) as painter:
                focus_ring(painter, QRectF(self.rect()), 4)

    def _measure(self) -> None:
        self.setFont(font(12, 500))
        self.setTextMargins(0, 0, 0, 0)
        self.updateGeometry()


class Stepper(QWidget):
    """``label  − value +``, 26 px high.

    Parameters
    ----------
    label : str
        Words before it; also the accessible name.
    tip : str
        Tooltip of the whole.
    value_width : int
        Room of the value.
    has_menu : bool
        Show a small arrow that asks for a menu of values, as the right button does.
    """

    #: +1 or -1
    stepped = Signal(int)
    #: the text a person typed and took
    typed = Signal(str)
    #: Esc in the value
    escaped = Signal()
    #: a menu of values is wanted at a global position
    menu_asked = Signal(QPoint)

    def __init__(
        self,
        label: str,
        *,
        tip: str = "",
        value_width: int = 52,
        has_menu: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setToolTip(tip)
        self.setAccessibleName(label)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._label = Label(label, 12, 400, "text3")
        self._label.setVisible(bool(label))
        self._less = IconButton("minus", f"{label}: less", size=26, icon_size=14)
        self._more = IconButton("plus", f"{label}: more", size=26, icon_size=14)
        self._less.setAccessibleName(f"{label}, less")
        self._more.setAccessibleName(f"{label}, more")
        self._value = _Middle(label, width=value_width, height=26, align=Qt.AlignmentFlag.AlignHCenter)
        self._shown = ""
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._label)
        row.addSpacing(2 if has_menu else 10 if label else 0)
        self._menu = IconButton("chevron-down", f"{label}: choose", size=22, icon_size=12)
        self._menu.setAccessibleName(f"{label}, choose")
        self._has_menu = has_menu
        self._menu.setVisible(has_menu)
        self._menu.clicked.connect(self._ask_menu)
        row.addWidget(self._menu)
        row.addSpacing(2 if has_menu else 0)
        for part in (self._less, self._value, self._more):
            row.addWidget(part)
        self._less.clicked.connect(lambda: self.stepped.emit(-1))
        self._more.clicked.connect(lambda: self.stepped.emit(1))
        self._value.returnPressed.connect(self._on_taken)
        self._value.editingFinished.connect(self._put_back)
        self._value.escaped.connect(self._on_escaped)

    def name_parts(self, label: str) -> None:
        """Give the parts the name of a label that stands elsewhere."""
        self._value.setAccessibleName(label)
        for button, words in ((self._less, "less"), (self._more, "more")):
            button.set_tip(f"{label}: {words}")
            button.setAccessibleName(f"{label}, {words}")

    @property
    def field(self) -> TextField:
        """The field in the middle."""
        return self._value

    def text(self) -> str:
        """Return what the middle shows."""
        return self._value.text()

    def show_text(self, text: str) -> None:
        """Show a value; does not disturb typing."""
        self._shown = text
        if not self._value.holds_untaken_text:
            self._value.setText(text)

    def set_label_visible(self, *, visible: bool) -> None:
        """Show or hide the words before it (narrow windows)."""
        self._set_part_visible(self._label, visible=visible)

    def set_menu_visible(self, *, visible: bool) -> None:
        """Show or hide the arrow of the menu where there is one; the right button asks for the menu all the same."""
        self._set_part_visible(self._menu, visible=visible and self._has_menu)

    def _set_part_visible(self, part: QWidget, *, visible: bool) -> None:
        if visible == part.isHidden():
            part.setVisible(visible)
            self.updateGeometry()  # else the room of the part stays taken

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), scaled(26))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self._has_menu:
            self._ask_menu()
            event.accept()

    def _ask_menu(self) -> None:
        self.menu_asked.emit(self.mapToGlobal(QPoint(self._menu.x(), self.height() + 4)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta().y() or event.angleDelta().x()
        if delta:
            self.stepped.emit(1 if delta > 0 else -1)
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            left = self._less.x()
            rounded(painter, QRectF(left, 0, self.width() - left, self.height()), 6, None, "line2")

    def _on_taken(self) -> None:
        if self._value.text() != self._shown:
            self.typed.emit(self._value.text())

    def _on_escaped(self) -> None:
        self._value.setText(self._shown)
        self.escaped.emit()

    def _put_back(self) -> None:
        if not self._value.hasFocus():
            self._value.setText(self._shown)
