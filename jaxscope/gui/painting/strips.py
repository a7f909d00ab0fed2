"""A pan as a strip: of a window that moved, only the columns that came into sight are painted.

The last picture is moved by whole pixels, and what it lacks is painted beside it on the same grid of pixels. So the
window of such a picture may lie up to half a pixel from the one that was asked for; the picture says where.

Invariant: columns are moved only between pictures whose traces are the same wherever both show something.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage, QPainter

from jaxscope.gui.painting.scene import TraceScene

#: Columns at the seam that are painted again: those at an edge may lack their neighbour.
SEAM_PX = 2
#: A strip wider than this share of the picture is no gain.
MOST_SHARE = 0.75


def moved_by_px(last: TraceScene, scene: TraceScene) -> int | None:
    """Return by how many device pixels the traces moved to the left; None where the last picture is of no use."""
    if len(scene.panes) != 1 or scene.frame.made_of is None or scene.quality != "motion" or not _is_alike(last, scene):
        return None
    pane = scene.panes[0]
    per_px_s = (scene.stop_s - scene.start_s) / max(pane.width_px, 1)
    moved = round((scene.start_s - last.start_s) / per_px_s)
    return moved if abs(moved) <= MOST_SHARE * pane.width_px else None


def _is_alike(last: TraceScene, scene: TraceScene) -> bool:
    """Whether two pictures have the same traces at the same heights and the same length of time."""
    spans_s = [one.stop_s - one.start_s for one in (last, scene)]
    if abs(spans_s[0] - spans_s[1]) > 1e-9 * spans_s[1]:
        return False
    own = {field.name for field in fields(TraceScene)} - {"serial", "frame", "start_s", "stop_s"}
    if any(getattr(last, name) != getattr(scene, name) for name in own):
        return False
    frames = (last.frame, scene.frame)
    if frames[0].recording_id != frames[1].recording_id or frames[0].made_of != frames[1].made_of:
        return False
    return not scene.remove_offset or all(
        one.before_offset.tobytes() == other.before_offset.tobytes()
        and one.after_offset.tobytes() == other.after_offset.tobytes()
        for one, other in zip(frames[0].blocks, frames[1].blocks, strict=True)
    )


def moved_image(
    last: TraceScene, image: QImage, scene: TraceScene, moved: int, paint: Callable[[TraceScene], QImage | None]
) -> tuple[TraceScene, QImage] | None:
    """Return a scene on the pixels of the last one, and its picture; None where ``paint`` gave up."""
    pane = scene.panes[0]
    span_s = scene.stop_s - scene.start_s
    per_px_s = span_s / max(pane.width_px, 1)
    start_s = last.start_s + moved * per_px_s
    scene = replace(scene, start_s=start_s, stop_s=start_s + span_s)
    whole = image.copy(QRect(moved, 0, image.width(), image.height()))  # transparent where it was not
    whole.setDevicePixelRatio(1.0)
    width = min(abs(moved) + SEAM_PX, pane.width_px) if moved else 0
    if width:
        left = pane.width_px - width if moved > 0 else 0
        own = replace(
            scene,
            start_s=start_s + left * per_px_s,
            stop_s=start_s + (left + width) * per_px_s,
            width_px=width,
            panes=(replace(pane, left_px=0, width_px=width),),
        )
        strip = paint(own)
        if strip is None:
            return None
        painter = QPainter(whole)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        painter.drawImage(QPoint(pane.left_px + left, 0), strip)
        painter.end()
    return scene, whole
