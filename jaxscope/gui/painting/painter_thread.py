"""The painter: one thread that turns scenes into images; the newest scene wins.

The GUI thread hands a scene over and goes on; later it is handed an image that knows which window it shows. A scene
that was replaced before its turn is never painted. ``shut_down`` joins the thread.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QImage

from jaxscope.gui.painting.columns import paint_column_strokes
from jaxscope.gui.painting.scene import TraceScene, before_key, prepare
from jaxscope.gui.painting.strips import moved_by_px, moved_image
from jaxscope.gui.painting.strokes import Breath, dots_are_drawn, paint_strokes

_LOG = logging.getLogger(__name__)
#: Beyond this many lanes columns of pixels are quicker than polylines, and are used at rest, too.
MANY_LANES = 64
#: The same while something moves.
MANY_MOVING_LANES = 12
_COLOURS = QImage.Format.Format_ARGB32_Premultiplied


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TraceImage:
    """A painted scene: transparent where no trace is."""

    scene: TraceScene
    image: QImage


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PaintFailure:
    """The painter met an error; the window says so and goes on."""

    error: BaseException


class Painter:
    """Paints scenes, and keeps of the last one what serves the next.

    While a filter is tuned only After is painted anew, and of a window that moves only what comes into sight.
    """

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._before: QImage | None = None
        self._last: TraceImage | None = None

    def paint(self, scene: TraceScene, is_stale: Callable[[], bool] = lambda: False) -> TraceImage | None:
        """Paint one scene on the calling thread; None where ``is_stale`` said that it is no longer wanted."""
        # a value too far out to have a pixel becomes infinite or NaN on its way there, and is a break in its trace
        with np.errstate(invalid="ignore", over="ignore"):
            found = self._moved(scene, is_stale) or self._painted(scene, is_stale)
        if found is None:
            return None
        scene, image = found
        image.setDevicePixelRatio(scene.ratio)
        self._last = TraceImage(scene=scene, image=image)
        return self._last

    def _moved(self, scene: TraceScene, is_stale: Callable[[], bool]) -> tuple[TraceScene, QImage] | None:
        """Return the last picture moved, with what it lacks; None where it is of no use."""
        last = self._last
        moved = moved_by_px(last.scene, scene) if last is not None and _is_in_columns(scene) else None
        if last is None or moved is None:
            return None

        def strip(own: TraceScene) -> QImage | None:
            before = _painted(own, None, only_before=True, is_stale=is_stale)
            return None if before is None else _painted(own, before, only_before=False, is_stale=is_stale)

        return moved_image(last.scene, last.image, scene, moved, strip)

    def _painted(self, scene: TraceScene, is_stale: Callable[[], bool]) -> tuple[TraceScene, QImage] | None:
        key = before_key(scene)
        if self._before is None or key != self._key:
            before = _painted(scene, None, only_before=True, is_stale=is_stale)
            if before is None:
                return None
            self._before, self._key = before, key
        image = _painted(scene, self._before, only_before=False, is_stale=is_stale)
        if image is None:
            return None
        return scene, image if image.format() == _COLOURS else image.convertToFormat(_COLOURS)


def paint_scene(scene: TraceScene) -> TraceImage | None:
    """Paint one scene on the calling thread, from nothing."""
    return Painter().paint(scene)


def _is_in_columns(scene: TraceScene) -> bool:
    """Whether a scene is painted in columns: one of many lanes, but for samples so far apart that each is a point."""
    if scene.quality == "motion":
        return len(scene.lanes) > MANY_MOVING_LANES
    return len(scene.lanes) > MANY_LANES and not any(
        block.bin_samples == 1 and dots_are_drawn(scene, pane, block.rate_hz)
        for block in scene.frame.blocks
        for pane in scene.panes
    )


def _painted(
    scene: TraceScene, ground: QImage | None, *, only_before: bool, is_stale: Callable[[], bool]
) -> QImage | None:
    """Return an image of Before alone, or of After over the image of Before."""
    in_columns = _is_in_columns(scene)
    if ground is None:
        image = QImage(scene.width_px, scene.height_px, QImage.Format.Format_Indexed8 if in_columns else _COLOURS)
        image.setColorTable([0] if in_columns else [])
        image.fill(0)
    else:
        image = ground.copy()
    strokes = tuple(
        stroke
        for stroke in prepare(scene, with_before=only_before, with_after=not only_before)
        if stroke.is_before or not only_before
    )
    if in_columns:
        paint_column_strokes(image, strokes, 1 if scene.ratio <= 1.25 else round(scene.ratio), Breath())
    elif not paint_strokes(image, strokes, scene, is_stale):
        return None
    return image


class PainterThread:
    """Owns the painting thread.

    Parameters
    ----------
    deliver : callable
        Called on the painting thread with each ``TraceImage`` or ``PaintFailure``.
    """

    def __init__(self, deliver: Callable[[TraceImage | PaintFailure], None]) -> None:
        self._deliver = deliver
        self._painter = Painter()
        self._wake = threading.Condition()
        self._pending: TraceScene | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="jaxscope-painter", daemon=True)
        self._thread.start()

    def submit(self, scene: TraceScene) -> None:
        """Paint this scene as soon as possible, in place of any that still waits."""
        with self._wake:
            self._pending = scene
            self._wake.notify()

    def shut_down(self) -> None:
        """Drop what waits and join the thread; nothing is delivered afterwards."""
        with self._wake:
            self._closing = True
            self._pending = None
            self._wake.notify()
        self._thread.join(timeout=5.0)

    def _is_stale(self, scene: TraceScene) -> bool:
        """Whether a rest picture has been overtaken; a picture in motion is always finished."""
        return self._closing or (scene.quality == "rest" and self._pending is not None)

    def _work(self) -> None:
        while True:
            with self._wake:
                while self._pending is None and not self._closing:
                    self._wake.wait()
                if self._closing or self._pending is None:
                    return
                scene, self._pending = self._pending, None
            result = self._paint(scene)
            if result is not None and not self._closing:
                self._deliver(result)

    def _paint(self, scene: TraceScene) -> TraceImage | PaintFailure | None:
        try:
            return self._painter.paint(scene, lambda: self._is_stale(scene))
        except Exception as error:  # noqa: BLE001  (whatever it is, the window must live on and say so)
            _LOG.exception("painting failed")
            return PaintFailure(error=error)
