"""Underlined tabs for the faces of an editor: a tab bar that paints itself.

``chosen`` is emitted for a person only. A red dot after a name says that this face holds an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QTabBar, QWidget

from jaxscope.gui.components.painting import begin, disc, draw_text, hairline, rounded, text_width
from jaxscope.gui.theme import font, scaled

_GAP = 20


class FaceStack(QStackedWidget):
    """The faces that tabs choose from: as high as the one that is shown, not as the highest."""

    def sizeHint(self) -> QSize:
        return self.currentWidget().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.currentWidget().layout().minimumSize().height())


class FaceTabs(QTabBar):
    """Tabs of (key, label, tooltip)."""

    chosen = Signal(str)

    def __init__(self, tabs: Sequence[tuple[str, str, str]], *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys = [key for key, _, _ in tabs]
        self._wrong: set[str] = set()
        self.setAccessibleName(name)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for index, (_, label, tip) in enumerate(tabs):
            self.addTab(label)
            self.setTabToolTip(index, tip)
        self.currentChanged.connect(self._on_changed)

    @property
    def current(self) -> str:
        """Key of the chosen tab."""
        return self._keys[self.currentIndex()]

    def set_current(self, key: str) -> None:
        """Show a tab as chosen without emitting."""
        if self._keys.index(key) == self.currentIndex():
            return
        self.blockSignals(True)
        self.setCurrentIndex(self._keys.index(key))
        self.blockSignals(False)
        self.update()

    def set_wrong(self, key: str, *, wrong: bool) -> None:
        """Mark a face as holding an error."""
        if wrong != (key in self._wrong):
            (self._wrong.add if wrong else self._wrong.discard)(key)
            self.update()

    def tabSizeHint(self, index: int) -> QSize:
        return QSize(round(text_width(self.tabText(index), font(13, 500))) + _GAP, scaled(36))

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def sizeHint(self) -> QSize:
        return QSize(sum(self.tabSizeHint(index).width() for index in range(self.count())), scaled(36))

    def minimumSizeHint(self) -> QSize:
        return QSize(100, scaled(36))

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            hairline(painter, 0, self.height() - 1, self.width())
            pointer = self.mapFromGlobal(self.cursor().pos()) if self.underMouse() else None
            for index, key in enumerate(self._keys):
                box = QRectF(self.tabRect(index))
                words = QRectF(box.left(), 0, box.width() - _GAP, box.height())
                on = index == self.currentIndex()
                over = pointer is not None and box.contains(QPointF(pointer))
                token = "text" if on or over else "text2"
                draw_text(painter, words.adjusted(0, 0, 4, -1), self.tabText(index), font(13, 500), token)
                if on:
                    rounded(painter, QRectF(words.left(), box.bottom() - 2, words.width(), 2), 1, "after")
                if key in self._wrong:
                    disc(painter, QPointF(words.right() + 6, box.center().y() - 4), 3, "danger")
                if on and self.hasFocus():
                    rounded(painter, words.adjusted(-4, 6, 4, -6), 5, None, "focus", 2)

    def _on_changed(self, index: int) -> None:
        if index >= 0:
            self.chosen.emit(self._keys[index])
