"""What is known around the window of the traces, and the picture of it that is there before the window moves.

The picture is wider than the traces and in the quality of motion. While a window moves within it, nothing is computed
and nothing is painted: the picture is drawn at another place.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from jaxscope.compute.surroundings import Surroundings
from jaxscope.gui.painting.painter_thread import AheadImage
from jaxscope.gui.painting.scene import TraceScene
from jaxscope.gui.painting.strips import have_same_traces, holds
from jaxscope.gui.views.traces_model import TracesModel

#: Device pixels of the picture at most: 64 MiB.
MOST_PX = 1 << 24


class TracesAhead:
    """Keeps the surroundings of one view of the traces and their picture.

    Parameters
    ----------
    view : QWidget
        The traces, for their size.
    model : TracesModel
    paint : callable
        Takes a scene; its picture comes back through ``take_picture``.
    """

    def __init__(self, view: QWidget, model: TracesModel, paint: Callable[[TraceScene], None]) -> None:
        self._view, self._model, self._paint = view, model, paint
        self._picture: AheadImage | None = None
        self.around: Surroundings | None = None

    def forget(self) -> None:
        """Keep nothing: another recording is shown, or none."""
        self._picture = self.around = None

    def take(self, around: Surroundings) -> None:
        """Take surroundings and have them painted; those of a recording that was closed meanwhile are not kept."""
        if around.frame.recording_id == self._model.recording_id:
            self.around = around
            self.ask()

    def take_picture(self, image: AheadImage) -> None:
        """Take a picture that was asked for; one of a recording that was closed meanwhile is not kept."""
        if image.scene.frame.recording_id == self._model.recording_id:
            self._picture = image

    def ask(self) -> None:
        """Have the surroundings painted, where they are of what is shown and their picture is not there."""
        view, model, around = self._view, self._model, self.around
        ratio = view.devicePixelRatioF()
        width_px = max(1, round(view.width() * ratio))
        if around is None or model.is_held or not around.suits(model.state, model.recording_id, width_px):
            return
        if not around.is_as_long(model.state):
            return  # while the window is zoomed each of its pictures is another
        scene = model.scene_ahead(around, view.width(), view.height(), ratio, MOST_PX)
        known = None if self._picture is None else self._picture.scene
        is_there = (
            known is not None
            and scene is not None
            and (known.start_s, known.stop_s) == (scene.start_s, scene.stop_s)
            and have_same_traces(known, scene)
        )
        if scene is not None and not is_there:
            self._paint(scene)

    def picture_for(self, scene: TraceScene) -> AheadImage | None:
        """Return the picture where it has all that a scene in motion shows, else None."""
        picture = self._picture
        return picture if picture is not None and scene.quality == "motion" and holds(picture.scene, scene) else None
