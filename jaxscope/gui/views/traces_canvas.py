"""What the layers of the traces are painted on: a painter with the model, the size and the pointer."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from jaxscope.gui.painting.geometry import PaneRect
from jaxscope.gui.painting.lanes import Lane
from jaxscope.gui.views.traces_model import TracesModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Canvas:
    """The surface that is painted on: the painter, the model, the size, and where the pointer is."""

    painter: QPainter
    model: TracesModel
    width: float
    height: float
    pointer: QPointF | None = None
    is_divider_hot: bool = False
    #: a figure has nothing to take hold of
    is_for_paper: bool = False

    @property
    def panes(self) -> tuple[PaneRect, ...]:
        """The panes of the mode in use."""
        return self.model.panes(self.width)

    @property
    def lane_px(self) -> float:
        """Height of one row."""
        return self.height / max(1, self.model.rows)

    def lane_under_pointer(self, second: float) -> Lane | None:
        """Return the lane that the pointer is nearest to."""
        return None if self.pointer is None else self.model.lane_near(self.pointer.y(), self.height, second)

    def x(self, pane: PaneRect, second: float) -> float:
        """Return the position of a time in a pane."""
        return pane.x_of(second, self.model.start_s, self.model.duration_s)
