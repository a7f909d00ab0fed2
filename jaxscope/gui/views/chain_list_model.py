"""The stages of the chain as a list model, and the painter of one row.

The model holds what the state and the newest design frame say and is never written by the view. A row that has no curve
yet (just added) says so by its words, not by an empty place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QAbstractListModel, QModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from jaxscope.compute.frames import DesignFrame, StageCurve
from jaxscope.errors import SpecError, capitalised, counted
from jaxscope.filters.coefficients import Realisation, Sections, Taps
from jaxscope.filters.shapes import stage_line, stage_title
from jaxscope.filters.spec import AbstractFilterSpec, Stage
from jaxscope.gui.components.painting import LEFT, draw_text, pen, rounded
from jaxscope.gui.components.switch import paint_switch
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.painting.strokes import polygon_of
from jaxscope.gui.theme import colour, font, scaled

ROW_ROLE = Qt.ItemDataRole.UserRole + 1
CURVE_SIZE = (62, 24)
_CURVE_POINTS = 124
_FLOOR_DB, _TOP_DB = -50.0, 14.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StageRow:
    """What one row shows."""

    title: str
    subtitle: str
    enabled: bool
    problem: str = ""
    #: heights of the small curve, 0 (floor) to 1 (0 dB), or None while not known
    curve: npt.NDArray[np.float64] | None = None


def same_row(one: StageRow, other: StageRow) -> bool:
    """Return whether two rows look the same."""
    words = (one.title, one.subtitle, one.enabled, one.problem) == (
        other.title, other.subtitle, other.enabled, other.problem,
    )  # fmt: skip
    if one.curve is None or other.curve is None:
        return words and one.curve is other.curve
    return words and np.array_equal(one.curve, other.curve)


def title_of(stage: Stage) -> str:
    """Return what a stage is called; one edited by hand keeps the words of its design."""
    return stage_title(stage if stage.origin is None else replace(stage, spec=stage.origin))


def line_of(stage: Stage) -> str:
    """Return the second line of a stage from its spec alone."""
    if stage.origin is None:
        return stage_line(stage)
    return f"Edited by hand · was {stage_line(replace(stage, spec=stage.origin))}"


@lru_cache(maxsize=64)
def _numbers_of(origin: AbstractFilterSpec, rate_hz: float) -> tuple[float, ...]:
    try:
        return _flat(origin.design(rate_hz))
    except SpecError:
        return ()


def _flat(realisation: Realisation | None) -> tuple[float, ...]:
    if isinstance(realisation, Sections):
        return tuple(value for row in realisation.rows for value in row)
    return realisation.values if isinstance(realisation, Taps) else ()


def edited_words(stage: Stage, realisation: Realisation | None, rate_hz: float) -> str:
    """Return how many numbers of a stage differ from its design; where that cannot be counted, what it was."""
    assert stage.origin is not None
    spec: Any = stage.spec
    if spec.family == "zpk":
        return f"Moved by hand · {_many('pole', spec.poles)}, {_many('zero', spec.zeros)}"
    before, now = _numbers_of(stage.origin, rate_hz), _flat(realisation)
    if not before or len(before) != len(now):
        return line_of(stage)
    count = sum(abs(a - b) > 1e-12 * max(abs(a), abs(b)) for a, b in zip(before, now, strict=True))
    return f"{count} number edited by hand" if count == 1 else f"{count} numbers edited by hand"


def _many(word: str, roots: tuple[tuple[float, float], ...]) -> str:
    return counted(len(roots), word)


def row_of(
    stage: Stage,
    curve: StageCurve | None,
    rate_hz: float | None = None,
    small: npt.NDArray[np.float64] | None = None,
) -> StageRow:
    """Join a stage of the state with what the newest frame says of it, and with its small curve."""
    if curve is None:
        return StageRow(title=title_of(stage), subtitle=line_of(stage), enabled=stage.enabled)
    problem = capitalised(curve.problem)
    if not problem and not curve.is_stable:
        problem = f"Unstable · radius {curve.pole_radius:.4g}"
    if stage.origin is not None and rate_hz is not None:
        line = edited_words(stage, curve.realisation, rate_hz)
    else:
        line = curve.subtitle or line_of(stage)
    return StageRow(
        title=title_of(stage),
        subtitle=line,
        enabled=stage.enabled,
        problem=problem,
        curve=small,
    )


class SmallCurves:
    """The small curves of the rows, each made once for the coefficients that it is of.

    The frequencies of a design frame crowd about the poles of every stage, so a curve that is taken anew from each
    frame moves by less than a pixel when another stage is tuned, and its row is painted for nothing.
    """

    def __init__(self) -> None:
        self._known: list[tuple[float, Realisation | None, npt.NDArray[np.float64] | None]] = []

    def of(self, frame: DesignFrame) -> list[npt.NDArray[np.float64] | None]:
        """Return the small curve of each stage of a frame."""
        before = self._known
        self._known = []
        for place, stage in enumerate(frame.stages):
            old = before[place] if place < len(before) else None
            if old is not None and old[:2] == (frame.rate_hz, stage.realisation) and stage.realisation is not None:
                self._known.append(old)
            else:
                small = small_curve(frame.frequencies_hz, stage.magnitude_db)
                self._known.append((frame.rate_hz, stage.realisation, small))
        return [small for _, _, small in self._known]


def small_curve(
    frequencies_hz: npt.NDArray[np.float64], magnitude_db: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64] | None:
    """Return a curve at the size of a row, shape (n_points,), evenly over the logarithm of the frequency.

    Where a piece holds several frequencies the value farthest from 0 dB is kept, so a notch keeps its depth.
    """
    if magnitude_db.size < 2:
        return None
    finite = np.nan_to_num(magnitude_db, nan=_FLOOR_DB, neginf=_FLOOR_DB, posinf=_TOP_DB)
    levels = np.clip(finite, _FLOOR_DB, _TOP_DB)
    borders = np.geomspace(frequencies_hz[0], frequencies_hz[-1], _CURVE_POINTS + 1)[:-1]
    starts = np.unique(np.searchsorted(frequencies_hz, borders))
    lowest, highest = np.minimum.reduceat(levels, starts), np.maximum.reduceat(levels, starts)
    extreme = np.where(-lowest > highest, lowest, highest)
    return 1 - extreme / _FLOOR_DB


class StageModel(QAbstractListModel):
    """The rows of the active chain."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: list[StageRow] = []

    def show_rows(self, rows: Sequence[StageRow]) -> list[QModelIndex]:
        """Replace the rows; return those to be painted again, where the count is the same.

        Rows are all of one size, so nothing is said to have changed that a list would lay itself out anew for.
        """
        if len(rows) != len(self._rows):
            self.beginResetModel()
            self._rows = list(rows)
            self.endResetModel()
            return []
        before, self._rows = self._rows, list(rows)
        pairs = enumerate(zip(before, rows, strict=True))
        return [self.index(number) for number, (old, new) in pairs if not same_row(old, new)]

    def row(self, number: int) -> StageRow:
        """Return one row."""
        return self._rows[number]

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            state = "on" if row.enabled else "off"
            return f"{row.title}, {row.problem or row.subtitle}, {state}, {index.row() + 1} of {len(self._rows)}"
        return row.problem if role == Qt.ItemDataRole.ToolTipRole else None


class StageDelegate(QStyledItemDelegate):
    """Paints a row of 46 px: grip, switch, name over details, small curve, dots."""

    ROW = 46
    GAP = 2

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.ring_visible = False

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(200, scaled(self.ROW) + self.GAP)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        row: StageRow = index.data(ROW_ROLE)
        rect = QRectF(option.rect).adjusted(0, 0, 0, -self.GAP)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        over = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self._paint_ground(painter, rect, row, selected=selected, over=over)
        middle = rect.center().y()
        faint = "text2" if over else ("text3" if selected else "off")
        draw_icon(painter, "grip-vertical", QRectF(rect.left() + 7, middle - 8, 16, 16), faint)
        paint_switch(painter, QRectF(rect.left() + 30, middle - 8, 28, 16), on=row.enabled)
        self._paint_words(painter, rect, row, selected=selected)
        if row.curve is not None:
            self._paint_curve(painter, rect, row)
        dots = "text2" if selected or over else "off"
        draw_icon(painter, "dots-vertical", QRectF(rect.right() - 26, middle - 8, 16, 16), dots)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex) -> QWidget:
        return TextField("Name of the stage", parent=parent)

    def setEditorData(self, editor: QWidget, index: QModelIndex) -> None:
        if isinstance(editor, TextField) and not editor.holds_untaken_text:
            editor.setText(str(index.data(Qt.ItemDataRole.EditRole)))
            editor.selectAll()

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        rect = option.rect
        editor.setGeometry(rect.left() + 64, rect.top() + (rect.height() - self.GAP - 28) // 2, rect.width() - 170, 28)

    def _paint_ground(self, painter: QPainter, rect: QRectF, row: StageRow, *, selected: bool, over: bool) -> None:
        card = rect.adjusted(0, 1, 0, -1)
        if selected:
            border = "danger" if row.problem else "line2"
            rounded(painter, card, 8, "raised", border)
            if self.ring_visible:
                rounded(painter, card, 8, None, "focus", 2)
        elif row.problem:
            rounded(painter, card, 8, "hover" if over else None, "danger")
        elif over:
            rounded(painter, card, 8, "hover")

    def _paint_words(self, painter: QPainter, rect: QRectF, row: StageRow, *, selected: bool) -> None:
        left = rect.left() + 72
        width = rect.right() - left - CURVE_SIZE[0] - 48
        right = Qt.TextElideMode.ElideRight
        name = QRectF(left, rect.top() + scaled(6), width, scaled(18))
        token = "text" if row.enabled else "text2"
        draw_text(painter, name, row.title, font(13, 500), token, LEFT, Qt.TextElideMode.ElideMiddle)
        details = QRectF(left, rect.top() + scaled(23), width, scaled(16))
        token = "danger" if row.problem else ("text2" if selected else "text3")
        draw_text(painter, details, row.problem or row.subtitle, font(11), token, LEFT, right)

    def _paint_curve(self, painter: QPainter, rect: QRectF, row: StageRow) -> None:
        assert row.curve is not None
        width, height = CURVE_SIZE
        left, top = rect.right() - width - 40, rect.center().y() - height / 2
        x = left + np.linspace(0, width, row.curve.size)
        y = top + 5 + (1 - row.curve) * (height - 5)
        line = polygon_of(x, y)
        area = QPainterPath()
        area.addPolygon(line)
        area.lineTo(left + width, top + height)
        area.lineTo(left, top + height)
        area.closeSubpath()
        token = "danger" if row.problem else ("after" if row.enabled else "text3")
        painter.fillPath(area, colour(token, 0.16 if row.enabled else 0.08))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # two strokes of one pixel: anything wider takes Qt's slow stroker
        painter.setPen(pen(token if row.enabled or row.problem else "off", 1.0))
        for shift in (-0.2, 0.2):
            painter.drawPolyline(line.translated(0.0, shift))
