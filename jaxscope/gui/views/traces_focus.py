"""Where the focus is seen on the traces and the rail: a bar at the left of the selected lanes, else of all."""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.gui.painting.lanes import Lane, row_count
from jaxscope.session.state import SessionState


def focus_spans(state: SessionState, lanes: Sequence[Lane], height: float) -> list[tuple[float, float]]:
    """Return (top, height) of each bar."""
    selected = set(state.viewport.selected_channels)
    rows = sorted({lane.row for lane in lanes if lane.name in selected})
    if not rows:
        return [(0.0, height)]
    row_px = height / max(1, row_count(lanes))
    return [(row * row_px, row_px) for row in rows]
