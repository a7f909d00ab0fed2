"""A pan as a strip: of a window that moved, only the columns that came into sight are painted.

What two pictures share is taken from the one that is there by whole pixels, and what it lacks is painted beside it on
the same grid of pixels; one of them may be wider than the other. So the window of such a picture may lie up to half a
pixel from the one that was asked for; the picture says where.

Invariant: columns are taken only from pictures whose traces are the same wherever both show something.
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


#: What two pictures of the same traces may differ in: where they are, how wide, how smooth.
_OF_WINDOW = frozenset({"serial", "frame", "revision", "start_s", "stop_s", "width_px", "panes", "quality", "is_ahead"})
#: What traces follow from, and how much there was of it.
_OF_TRACES = ("recording_id", "made_of", "n_recorded", "has_run")


def holds(whole: TraceScene, part: TraceScene) -> bool:
    """Whether a picture has all that another shows, at the same heights and widths, to a pixel at its edges."""
    if len(whole.panes) != len(part.panes) or not have_same_traces(whole, part):
        return False
    spans_s = [one.stop_s - one.start_s for one in (whole, part)]
    for pane, other in zip(whole.panes, part.panes, strict=True):
        widths_s = spans_s[0] / max(pane.width_px, 1), spans_s[1] / max(other.width_px, 1)
        if pane.content != other.content or abs(widths_s[0] - widths_s[1]) > 1e-9 * widths_s[1]:
            return False
        if part.start_s - widths_s[1] < whole.start_s or part.stop_s + widths_s[1] > whole.stop_s:
            return False
    return True


def moved_by_px(last: TraceScene, scene: TraceScene) -> int | None:
    """Return how many device pixels to the right a picture begins in the last one; None where that is of no use."""
    if len(scene.panes) != 1 or len(last.panes) != 1 or scene.frame.made_of is None or scene.quality != "motion":
        return None
    if last.quality != "motion" or not have_same_traces(last, scene) or last.panes[0].content != scene.panes[0].content:
        return None
    per_px_s, own_s = _per_px_s(last), _per_px_s(scene)
    if abs(per_px_s - own_s) * scene.panes[0].width_px > 1e-6 * own_s:
        return None
    moved = round((scene.start_s - last.start_s) / per_px_s)
    width, there = scene.panes[0].width_px, last.panes[0].width_px
    kept = min(there - moved, width) - max(-moved, 0)
    return moved if kept >= (1 - MOST_SHARE) * width else None


def _per_px_s(scene: TraceScene) -> float:
    return (scene.stop_s - scene.start_s) / max(scene.panes[0].width_px, 1)


def have_same_traces(last: TraceScene, scene: TraceScene) -> bool:
    """Whether two pictures differ in their windows at most, and their traces in nothing where both show something."""
    own = (field.name for field in fields(TraceScene) if field.name not in _OF_WINDOW)
    if any(getattr(last, name) != getattr(scene, name) for name in own):
        return False
    frames = (last.frame, scene.frame)
    if any(getattr(frames[0], name) != getattr(frames[1], name) for name in _OF_TRACES):
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
    pane, there = scene.panes[0], last.panes[0].width_px
    per_px_s = _per_px_s(scene)
    start_s = last.start_s + moved * per_px_s
    scene = replace(scene, start_s=start_s, stop_s=start_s + pane.width_px * per_px_s)
    # transparent where there was nothing
    whole = image.copy(QRect(moved + last.panes[0].left_px - pane.left_px, 0, scene.width_px, image.height()))
    whole.setDevicePixelRatio(1.0)
    missing = []
    if moved < 0:
        missing.append((0, min(SEAM_PX - moved, pane.width_px)))
    if there - moved < pane.width_px:
        missing.append((max(0, there - moved - SEAM_PX), pane.width_px))
    for left, right in missing:
        own = replace(
            scene,
            start_s=start_s + left * per_px_s,
            stop_s=start_s + right * per_px_s,
            width_px=right - left,
            panes=(replace(pane, left_px=0, width_px=right - left),),
        )
        strip = paint(own)
        if strip is None:
            return None
        painter = QPainter(whole)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        painter.drawImage(QPoint(pane.left_px + left, 0), strip)
        painter.end()
    return scene, whole
