"""A row of segments of which one is chosen: one tab stop, arrows move.

``chosen`` is emitted for what a person does and never for ``set_current``, so a view may set it from the state freely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from jaxscope.gui.components.painting import begin, draw_text, focus_ring, rounded, text_width
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import font, scaled, theme


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One choice: its key, label, icon and tooltip."""

    key: str
    label: str
    icon: str | None = None
    tip: str = ""
    enabled: bool = True


class _SegmentButton(QToolButton):
    def __init__(self, segment: Segment, padding: int, height: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.segment = segment
        self._padding = padding
        self._height = height
        self.icons_only = False
        self.setCheckable(True)
        self.setEnabled(segment.enabled)
        self.setToolTip(segment.tip)
        self.setAccessibleName(segment.label)
        self.setAccessibleDescription(segment.tip)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(round(self._content_width()) + 2 * scaled(self._padding), scaled(self._height) - 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(round(self._content_width()) + 8, scaled(self._height) - 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rect = QRectF(self.rect())
            on = self.isChecked()
            if on:
                dark = theme().is_dark
                rounded(painter, rect, 5, "press" if dark else "raised", None if dark else "line2")
            token = "text" if on or (self.underMouse() and self.isEnabled()) else "text2"
            if not self.isEnabled():
                token = "off"
            left = (rect.width() - self._content_width()) / 2
            if self.segment.icon:
                size = scaled(16)
                spot = QRectF(left - 1, (rect.height() - size) / 2, size, size)
                draw_icon(painter, self.segment.icon, spot, token if self.icons_only else ("after" if on else "text3"))
                left += scaled(20)
            if not self._shows_icon_only():
                draw_text(
                    painter, QRectF(left, 0, rect.width(), rect.height()), self.segment.label, font(12, 500), token
                )
            if self.hasFocus():
                focus_ring(painter, rect, 5)

    def _shows_icon_only(self) -> bool:
        return self.icons_only and self.segment.icon is not None

    def _content_width(self) -> float:
        if self._shows_icon_only():
            return scaled(16)
        return text_width(self.segment.label, font(12, 500)) + (scaled(20) if self.segment.icon else 0)


class SegmentedControl(QWidget):
    """Exclusive choice among a few segments.

    Parameters
    ----------
    segments : sequence of Segment or of (key, label)
        The choices.
    name : str
        Accessible name of the whole.
    height : int
        30, or 28 and 32.
    fill : bool
        Share the width of the parent instead of the natural one.
    """

    chosen = Signal(str)

    def __init__(
        self,
        segments: Sequence[Segment | tuple[str, str]],
        *,
        name: str,
        height: int = 30,
        padding: int = 12,
        fill: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._height = height
        self._padding = padding
        self._buttons: list[_SegmentButton] = []
        self._group = QButtonGroup(self)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(2, 2, 2, 2)
        self._row.setSpacing(0)
        horizontal = QSizePolicy.Policy.Expanding if fill else QSizePolicy.Policy.Fixed
        self.setSizePolicy(horizontal, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)
        self.set_segments(segments)

    def set_segments(self, segments: Sequence[Segment | tuple[str, str]]) -> None:
        """Replace the choices; none is current afterwards."""
        made = [part if isinstance(part, Segment) else Segment(key=part[0], label=part[1]) for part in segments]
        if made == [button.segment for button in self._buttons]:
            return
        for button in self._buttons:
            self._group.removeButton(button)
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = [_SegmentButton(part, self._padding, self._height, self) for part in made]
        for button in self._buttons:
            self._group.addButton(button)
            self._row.addWidget(button)
            button.show()
            button.clicked.connect(self._on_clicked)
        self._give_tab_stop()
        self.updateGeometry()

    @property
    def current(self) -> str | None:
        """Key of the chosen segment, or None."""
        return next((button.segment.key for button in self._buttons if button.isChecked()), None)

    def keys(self) -> tuple[str, ...]:
        """Return the keys of the segments in order."""
        return tuple(button.segment.key for button in self._buttons)

    def set_current(self, key: str | None) -> None:
        """Show ``key`` as chosen (None: nothing) without emitting."""
        had_focus = any(button.hasFocus() for button in self._buttons)
        self._group.setExclusive(False)
        for button in self._buttons:
            button.setChecked(button.segment.key == key)
        self._group.setExclusive(True)
        self._give_tab_stop()
        if had_focus:
            self._stop().setFocus(Qt.FocusReason.OtherFocusReason)

    def set_enabled(self, key: str, *, enabled: bool, tip: str | None = None) -> None:
        """Enable or disable one segment, and say why in its tooltip."""
        for button in self._buttons:
            if button.segment.key == key:
                button.setEnabled(enabled)
                if tip is not None:
                    button.setToolTip(tip)
                    button.setAccessibleDescription(tip)

    def set_icons_only(self, *, icons_only: bool) -> None:
        """Show icons in place of labels where a segment has one (narrow windows)."""
        for button in self._buttons:
            button.icons_only = icons_only
            if icons_only and not button.toolTip():
                button.setToolTip(button.segment.label)
            button.updateGeometry()
            button.update()

    def button(self, key: str) -> QToolButton:
        """Return the button of one segment."""
        return next(button for button in self._buttons if button.segment.key == key)

    def keyPressEvent(self, event) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}.get(event.key())
        if step is None:
            super().keyPressEvent(event)
            return
        at = next((index for index, button in enumerate(self._buttons) if button.hasFocus()), 0)
        for _ in self._buttons:
            at = (at + step) % len(self._buttons)
            if self._buttons[at].isEnabled():
                break
        self._buttons[at].setFocus(Qt.FocusReason.TabFocusReason)
        self._buttons[at].click()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            dark = theme().is_dark
            rounded(painter, QRectF(self.rect()), 7, "canvas" if dark else "hover", "line" if dark else None)

    def _on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, _SegmentButton):
            self._give_tab_stop()
            self.chosen.emit(button.segment.key)

    def _stop(self) -> _SegmentButton:
        return next((button for button in self._buttons if button.isChecked()), self._buttons[0])

    def _give_tab_stop(self) -> None:
        if not self._buttons:
            return
        stop = self._stop()
        for button in self._buttons:
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus if button is stop else Qt.FocusPolicy.NoFocus)
