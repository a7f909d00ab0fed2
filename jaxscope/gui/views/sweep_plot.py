"""What a sweep makes of a channel: pictures of some values in a row, and what every value keeps of each measure.

A move of the pointer, the arrows, Home, End and Space go through the values; what is chosen is told, never kept here.
Invariant: pictures and curves stand on one axis of values, so that what is under a picture belongs to it.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.compute.sweep_frames import SweepFrame
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.numbers import write_exact
from jaxscope.gui.components.painting import (
    CENTRE,
    RIGHT,
    begin,
    disc,
    draw_text,
    focus_ring,
    rounded,
    text_width,
    tip_width,
    value_tip,
)
from jaxscope.gui.painting.geometry import rail_px
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.traces_numbers import span_text

_STRIP, _LOW_STRIP, _GAP = 76, 52, 6
#: height under which the pictures leave more to the curves
_LOW = 200
_RIGHT = 16
_TOKENS = ("t1", "t3", "t2", "t4", "t7", "t8", "t5", "t6")
_PLAY_MS = 60
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_ENDS = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}
#: Keys of the context "sweep"; they are ours before they are a shortcut's.
OWN_KEYS = frozenset({*_STEPS, *_ENDS, Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter})


class SweepPlot(QWidget):
    """Pictures and curves of a sweep."""

    #: the number of the value that is looked at
    chosen = Signal(int)
    #: this value is wanted
    taken = Signal()
    escaped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.frame: SweepFrame | None = None
        self.values: tuple[float, ...] = ()
        self.unit = ""
        self.current = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_PLAY_MS)
        self._timer.timeout.connect(self._play_on)
        self._direction = 1
        self._layer: tuple[object, QPixmap] | None = None
        #: opens the menu of measures
        self.add = Button("Add", "link", icon="plus", height=26, padding=4, parent=self)
        self.add.setToolTip("What is measured: powers of bands, hum, RMS, height; add and remove")
        self.add.setAccessibleName("Measures: add or remove")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme().changed.connect(self._on_theme)

    def _on_theme(self) -> None:
        self._place_button()
        self.update()

    def _place_button(self) -> None:
        self.add.adjustSize()
        self.add.move(10, round(self._axis().top()) + scaled(32))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_button()

    # --- what is shown

    def show_values(self, values: tuple[float, ...], unit: str, current: int) -> None:
        """Show another axis of values, one of them chosen."""
        if values != self.values:
            self.frame = None
        self.values, self.unit, self.current = values, unit, current
        self.update()
        self._name()

    def show_frame(self, frame: SweepFrame) -> None:
        """Show what was found for these values."""
        self.frame = frame
        self.update()

    def show_current(self, current: int) -> None:
        """Show which value is chosen."""
        self.current = current
        self.update()
        self._name()

    @property
    def is_playing(self) -> bool:
        """Whether it goes through the values by itself."""
        return self._timer.isActive()

    def stop(self) -> None:
        """Stay at a value."""
        self._timer.stop()

    def toggle_play(self) -> None:
        """Go to and fro through the values, or stay."""
        if self.is_playing:
            self.stop()
        else:
            self._direction = 1 if self.current < len(self.values) - 1 else -1
            self._timer.start()

    def _play_on(self) -> None:
        following = self.current + self._direction
        if not 0 <= following < len(self.values):
            self._direction = -self._direction
            following = self.current + self._direction
        if 0 <= following < len(self.values):
            self.chosen.emit(following)
        else:
            self.stop()

    def words_of(self, number: int) -> str:
        """Return a value with its unit."""
        unit = f" {self.unit}" if self.unit else ""
        return f"{write_exact(self.values[number])}{unit}"

    def _name(self) -> None:
        if self.values:
            words = f"Sweep, value {self.current + 1} of {len(self.values)}, {self.words_of(self.current)}"
            self.setAccessibleName(words)

    # --- places

    def _strip_px(self) -> int:
        """Return the height of the pictures."""
        return scaled(_STRIP if self.height() >= scaled(_LOW) else _LOW_STRIP)

    def _axis(self) -> QRectF:
        """Return the curves' place."""
        top = self._strip_px() + scaled(18)
        left = float(rail_px())
        return QRectF(left, top, max(1.0, self.width() - left - _RIGHT), max(1.0, self.height() - top - scaled(24)))

    def _x(self, number: float) -> float:
        axis, last = self._axis(), max(1, len(self.values) - 1)
        inset = self._picture_wide() / 2
        return axis.left() + inset + number / last * (axis.width() - 2 * inset)

    def _picture_wide(self) -> float:
        count = 1 if self.frame is None else max(1, len(self.frame.pictured))
        return (self._axis().width() - (count - 1) * _GAP) / count if count > 1 else self._axis().width() / 8

    def _number_at(self, x: float) -> int:
        axis, inset = self._axis(), self._picture_wide() / 2
        share = (x - axis.left() - inset) / max(1.0, axis.width() - 2 * inset)
        return min(max(round(share * (len(self.values) - 1)), 0), len(self.values) - 1)

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            frame, axis = self.frame, self._axis()
            if frame is None or frame.problem:
                words = "" if frame is None else frame.problem
                draw_text(painter, QRectF(self.rect()), words, font(13), "text2", CENTRE)
            else:
                painter.drawPixmap(QPointF(0, 0), self._still(frame, axis))
                self._paint_chosen(painter, frame)
                self._paint_current(painter, frame, axis)
            if self.hasFocus():
                focus_ring(painter, QRectF(self.rect()).adjusted(2, 0, -2, -1))

    def _still(self, frame: SweepFrame, axis: QRectF) -> QPixmap:
        """Return what stays while a person goes through the values, painted once for a frame, a size and a theme."""
        ratio = self.devicePixelRatioF()
        key = (frame, self.size().toTuple(), ratio, theme().is_dark, theme().text_scale)
        if self._layer is None or self._layer[0] != key:
            picture = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            with begin(picture) as painter:
                self._paint_captions(painter, frame, axis)
                for place in range(len(frame.pictured)):
                    self._paint_picture(painter, frame, place, is_chosen=False)
                self._paint_axis(painter, axis)
                labels: list[QRectF] = []
                for place, token in zip(range(len(frame.measures)), _TOKENS, strict=False):
                    points = self._paint_curve(painter, frame, axis, place, token)
                    if points:
                        self._paint_label(painter, frame.measures[place].words, points, labels, token)
            self._layer = (key, picture)
        return self._layer[1]

    def _paint_captions(self, painter: QPainter, frame: SweepFrame, axis: QRectF) -> None:
        room = QRectF(14, scaled(8), rail_px() - 24, scaled(18))
        words = f"{frame.channel}, {span_text(frame.picture_s)}"
        draw_text(painter, room, words, font(12, 500), "text2", elide=Qt.TextElideMode.ElideMiddle)
        count = len(frame.pictured)
        more = "every value" if count == len(self.values) else f"{count} of {len(self.values)} values"
        draw_text(painter, room.translated(0, scaled(18)), more, font(11), "text3")
        below = QRectF(14, axis.top() - scaled(4), rail_px() - 66, scaled(18))
        draw_text(painter, below, "Measures", font(12, 500), "text2")
        of = frame.channel if frame.n_channels == 1 else f"mean of {frame.n_channels}"
        draw_text(painter, below.translated(0, scaled(18)), of, font(11), "text3")

    def _paint_chosen(self, painter: QPainter, frame: SweepFrame) -> None:
        """Paint the picture that is nearest to the chosen value once more, framed."""
        places = range(len(frame.pictured))
        nearest = min(places, key=lambda place: abs(frame.pictured[place] - self.current), default=None)
        if nearest is not None:
            self._paint_picture(painter, frame, nearest, is_chosen=True)

    def _paint_picture(self, painter: QPainter, frame: SweepFrame, place: int, *, is_chosen: bool) -> None:
        wide, number, points = self._picture_wide(), frame.pictured[place], frame.pictures[place]
        known = frame.pictures[np.isfinite(frame.pictures)]
        size = max(float(np.abs(known).max()) if known.size else 0.0, 1e-300)
        # evenly, though the values that are pictured are whole steps
        left = self._axis().left() + place * (wide + _GAP)
        box = QRectF(left, scaled(4), wide, float(self._strip_px()))
        rounded(painter, box, 5, "canvas", "after" if is_chosen else "line", 2 if is_chosen else 1)
        label = QRectF(box.left(), box.bottom() - scaled(20), box.width(), scaled(18))
        face, token = (font(11, 600), "text") if is_chosen else (font(11), "text3")
        words = self.words_of(number)
        if not is_chosen or text_width(words, face) > box.width() - 6:
            words = write_exact(self.values[number])
        if text_width(words, face) <= box.width() - 2:
            draw_text(painter, label, words, face, token, CENTRE)
        painter.save()
        painter.setClipRect(box.adjusted(2, 2, -2, -2))
        self._paint_line(painter, box, points / size, is_chosen=is_chosen)
        painter.restore()

    def _paint_line(self, painter: QPainter, box: QRectF, points: np.ndarray, *, is_chosen: bool) -> None:
        area = box.adjusted(5, scaled(6), -5, -scaled(22))
        if not np.isfinite(points).any():
            draw_text(painter, area, "–", font(13), "text3", CENTRE)
            return
        xs = np.linspace(area.left(), area.right(), points.size)
        ys = area.center().y() - points * area.height() / 2
        line = QPolygonF([QPointF(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True) if np.isfinite(y)])
        painter.setPen(QPen(colour("after", 1.0 if is_chosen else 0.7), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(line)

    def _paint_axis(self, painter: QPainter, axis: QRectF) -> None:
        for share in (0.0, 0.5, 1.0):
            y = axis.bottom() - share * axis.height()
            painter.fillRect(QRectF(axis.left(), round(y), axis.width(), 1), colour("line"))
            room = QRectF(0, y - scaled(8), axis.left() - 6, scaled(16))
            draw_text(painter, room, f"{round(share * 100)} %", font(11), "text3", RIGHT)
        count = len(self.values)
        free_from = -1e9
        for step in range(9):
            number = round(step / 8 * (count - 1))
            words = self.words_of(number) if step == 8 else write_exact(self.values[number])
            wide, x = text_width(words, font(11)), self._x(number)
            if x - wide / 2 >= free_from:
                room = QRectF(x - wide / 2 - 2, axis.bottom() + 4, wide + 4, scaled(16))
                draw_text(painter, room, words, font(11), "text3", CENTRE)
                free_from = x + wide / 2 + 12

    def _paint_curve(self, painter: QPainter, frame: SweepFrame, axis: QRectF, place: int, token: str) -> list[QPointF]:
        kept = np.minimum(frame.kept[place], 1.25)
        points = [
            QPointF(self._x(number), axis.bottom() - share * axis.height())
            for number, share in enumerate(kept.tolist())
            if np.isfinite(share)
        ]
        painter.save()
        painter.setClipRect(axis.adjusted(0, -4, 0, 4))
        painter.setPen(QPen(colour(token), 1.2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(points))
        if len(points) <= axis.width() / 8:
            for point in points:
                disc(painter, point, 1.8, token)
        painter.restore()
        return points

    def _paint_label(
        self, painter: QPainter, words: str, points: list[QPointF], taken: list[QRectF], token: str
    ) -> None:
        """Name a curve where it is half way up, else where there is room beside the names that stand already."""
        face, axis = font(11, 500), self._axis()
        middle = axis.center().y()
        wide, high = text_width(words, face) + 4.0, float(scaled(15))
        for at in sorted(points, key=lambda point: abs(point.y() - middle)):
            for left, top in (
                (at.x() + 8, at.y() - high / 2),
                (at.x() - wide / 2, at.y() - high - 4),
                (at.x() + 8, at.y() + 3),
            ):
                room = QRectF(left, top, wide, high)
                if axis.contains(room) and not any(room.intersects(other) for other in taken):
                    taken.append(room)
                    draw_text(painter, room, words, face, token)
                    return

    def _paint_current(self, painter: QPainter, frame: SweepFrame, axis: QRectF) -> None:
        x = round(self._x(self.current))
        painter.fillRect(
            QRectF(x, self._strip_px() + scaled(6), 1, axis.bottom() - self._strip_px() - scaled(6)), colour("text")
        )
        taken: list[float] = []
        for place, token in zip(range(len(frame.measures)), _TOKENS, strict=False):
            share = float(frame.kept[place][self.current])
            if not np.isfinite(share):
                continue
            y = axis.bottom() - min(share, 1.0) * axis.height()
            disc(painter, QPointF(x + 0.5, y), 4, token)
            words = f"{share * 100:.0f} %"
            if all(abs(y - other) >= scaled(18) for other in taken):
                wide = tip_width(words)
                left = x - wide - 8 if x - wide - 8 > axis.left() else x + 8
                top = min(y - scaled(9), axis.bottom() - scaled(18))  # the axis keeps its numbers
                value_tip(painter, QRectF(left, top, wide, scaled(18)), words)
                taken.append(y)

    # --- hands

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.values and event.position().x() >= rail_px() and not self.is_playing:
            number = self._number_at(event.position().x())
            if number != self.current:
                self.chosen.emit(number)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.stop()
        if self.values and event.position().x() >= rail_px():
            self.chosen.emit(self._number_at(event.position().x()))
            self.taken.emit()

    def event(self, event: QEvent) -> bool:
        own = isinstance(event, QKeyEvent) and event.key() in OWN_KEYS and not event.modifiers()
        if own and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, count = Qt.Key(event.key()), len(self.values)
        if key == Qt.Key.Key_Escape:
            self.stop()
            self.escaped.emit()
        elif key == Qt.Key.Key_Space:
            self.toggle_play()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.stop()
            self.taken.emit()
        elif key in _STEPS and count:
            self.stop()
            self.chosen.emit(min(max(self.current + _STEPS[key], 0), count - 1))
        elif key in _ENDS and count:
            self.stop()
            self.chosen.emit(_ENDS[key] % count)
        else:
            event.ignore()
