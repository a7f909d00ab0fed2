"""The painter: one thread that turns scenes into images; the newest scene wins.

The GUI thread hands a scene over and goes on; later it is handed an image that knows which window it shows. A scene
that was replaced before its turn is never painted. One that is painted ahead comes after all others, and is given up
for those that it would not hold. ``shut_down`` joins the thread.
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
from jaxscope.gui.painting.strips import holds, moved_by_px, moved_image
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


class AheadImage(TraceImage):
    """A painted scene that reaches beyond its window."""


class _Stale(Exception):  # noqa: N818  (an outcome, not an error)
    """Raised while a scene is painted that is no longer wanted."""


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
        self._last_ahead: TraceImage | None = None

    def forget(self) -> None:
        """Keep nothing: no recording is shown any more."""
        self._key, self._before, self._last, self._last_ahead = (), None, None, None

    def paint(self, scene: TraceScene, is_stale: Callable[[], bool] = lambda: False) -> TraceImage | None:
        """Paint one scene on the calling thread; None where ``is_stale`` said that it is no longer wanted."""
        if self._last_ahead is not None and self._last_ahead.scene.frame.recording_id != scene.frame.recording_id:
            self._last_ahead = None  # it is large, and of no more use
        # a value too far out to have a pixel becomes infinite or NaN on its way there, and is a break in its trace
        paint = _in_one_go if scene.is_ahead else self._painted
        with np.errstate(invalid="ignore", over="ignore"):
            try:
                found = self._moved(scene, is_stale) or paint(scene, is_stale)
            except _Stale:
                found = None
        if found is None:
            return None
        scene, image = found
        image.setDevicePixelRatio(scene.ratio)
        if scene.is_ahead:
            self._last_ahead = AheadImage(scene=scene, image=image)
            return self._last_ahead
        self._last = TraceImage(scene=scene, image=image)
        return self._last

    def _moved(self, scene: TraceScene, is_stale: Callable[[], bool]) -> tuple[TraceScene, QImage] | None:
        """Return the last picture moved, with what it lacks; None where it is of no use."""
        if not _is_in_columns(scene):
            return None
        near = (self._last_ahead, self._last) if scene.is_ahead else (self._last, self._last_ahead)
        found = ((last, moved_by_px(last.scene, scene)) for last in near if last is not None)
        last, moved = next(((last, moved) for last, moved in found if moved is not None), (None, None))
        if last is None or moved is None:
            return None

        def strip(own: TraceScene) -> QImage | None:
            painted = _in_one_go(own, is_stale)
            return None if painted is None else painted[1]

        return moved_image(last.scene, last.image, scene, moved, strip)

    def _painted(self, scene: TraceScene, is_stale: Callable[[], bool]) -> tuple[TraceScene, QImage] | None:
        key = before_key(scene)
        if self._before is None or key != self._key:
            before = _painted(scene, None, only_before=True, is_stale=is_stale)
            if before is None:
                return None
            self._before, self._key = before, key
        image = _painted(scene, self._before, only_before=False, is_stale=is_stale)
        return None if image is None else (scene, _coloured(image))


def _in_one_go(scene: TraceScene, is_stale: Callable[[], bool]) -> tuple[TraceScene, QImage] | None:
    """Paint Before and After of a scene, and keep nothing of it."""
    before = _painted(scene, None, only_before=True, is_stale=is_stale)
    image = None if before is None else _painted(scene, before, only_before=False, is_stale=is_stale)
    return None if image is None else (scene, _coloured(image))


def _coloured(image: QImage) -> QImage:
    return image if image.format() == _COLOURS else image.convertToFormat(_COLOURS)


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
        breathe = Breath()

        def give_way() -> None:
            if scene.is_ahead:
                breathe()
                if is_stale():
                    raise _Stale

        thickness = 1 if scene.ratio <= 1.25 else round(scene.ratio)
        paint_column_strokes(image, strokes, thickness, breathe, give_way)
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
        self._ahead: TraceScene | None = None
        self._forgets = False
        self._times_forgotten = 0
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="jaxscope-painter", daemon=True)
        self._thread.start()

    def submit(self, scene: TraceScene) -> None:
        """Paint this scene as soon as possible, in place of any of its kind that still waits."""
        with self._wake:
            if scene.is_ahead:
                self._ahead = scene
            else:
                self._pending = scene
            self._wake.notify()

    def forget(self) -> None:
        """Drop what waits and what is kept for the next scene: the recording was closed."""
        with self._wake:
            self._forgets = True
            self._pending = self._ahead = None
            self._wake.notify()

    def shut_down(self) -> None:
        """Drop what waits and join the thread; nothing is delivered afterwards."""
        with self._wake:
            self._closing = True
            self._pending = self._ahead = None
            self._wake.notify()
        self._thread.join(timeout=5.0)

    def _is_stale(self, scene: TraceScene) -> bool:
        """Whether a picture at rest, or ahead of what is now wanted, is overtaken; one in motion is always finished.

        What is wanted while a picture is painted ahead is painted at once, between two parts of that.
        """
        forgotten, pending = self._times_forgotten, self._pending
        if self._closing or self._forgets or pending is None:
            return self._closing or self._forgets
        if not scene.is_ahead:
            return scene.quality == "rest"
        if not holds(scene, pending):
            return True
        self._serve()
        return self._closing or self._forgets or self._times_forgotten > forgotten

    def _serve(self) -> None:
        """Paint the next scene and hand it on."""
        scene = self._next()
        if scene is not None and (result := self._paint(scene)) is not None and not self._closing:
            self._deliver(result)

    def _work(self) -> None:
        while not self._closing:
            self._serve()

    def _next(self) -> TraceScene | None:
        """Wait for a scene, and forget what is to be forgotten before it; None where there is none after all."""
        with self._wake:
            while self._pending is None and self._ahead is None and not self._forgets and not self._closing:
                self._wake.wait()
            if self._forgets:
                self._painter.forget()
                self._forgets = False
                self._times_forgotten += 1
            scene = self._pending or self._ahead
            if scene is self._pending:
                self._pending = None
            else:
                self._ahead = None
            return scene

    def _paint(self, scene: TraceScene) -> TraceImage | PaintFailure | None:
        try:
            return self._painter.paint(scene, lambda: self._is_stale(scene))
        except Exception as error:  # noqa: BLE001  (whatever it is, the window must live on and say so)
            _LOG.exception("painting failed")
            return PaintFailure(error=error)
