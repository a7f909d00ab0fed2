"""What a window does with an outcome of the compute side or of the painter, before and after its views are told.

Invariant: a frame that is older than what holds the filter shows nothing, and what holds the filter says nothing once a
newer frame is there; so the last word is always that of the newest edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxscope.compute.conductor import Conductor
from jaxscope.compute.frames import (
    Blocked,
    Busy,
    ExportProgress,
    Failure,
    Frame,
    Grown,
    Indexed,
    LivePosition,
    Opened,
    OverviewFrame,
    Stalled,
)
from jaxscope.gui.compile_patience import CompilePatience
from jaxscope.gui.painting.painter_thread import PaintFailure
from jaxscope.gui.views.banner import Notice

if TYPE_CHECKING:
    from jaxscope.gui.main_window import MainWindow


class Outcomes:
    """Takes the outcomes of one window.

    Parameters
    ----------
    window : MainWindow
        Whose views and notices are told.
    conductor : Conductor
        Knows which recording is open.
    """

    def __init__(self, window: MainWindow, conductor: Conductor) -> None:
        self._window = window
        self._conductor = conductor
        self._newest_frame = -1
        self._newest_block = -1
        self.patience = CompilePatience(window.notices, window.actions_)

    @property
    def is_blocked(self) -> bool:
        """Whether the filter is held."""
        return self._newest_block > self._newest_frame

    def receive(self, outcome: Any) -> None:
        """Show an outcome."""
        window = self._window
        match outcome:
            case Opened():
                self._open(outcome)
                return
            case Frame() if outcome.held:
                # the picture goes on; what holds the filter stays said
                window.traces.show_frame(outcome)
                return
            case Grown() | Indexed() if not self._conductor.is_open(outcome.recording_id):
                return  # closed, while this was on its way
            case Grown():
                window.shell.grow(outcome.info)
            case Indexed():
                window.actions_.take_indexed(outcome)
                self._say_warnings(outcome.info.warnings)
                return
            case LivePosition():
                window.tell(outcome)
                window.actions_.running.take(outcome)
                return
            case Frame() | Blocked():
                if not self._is_news(outcome):
                    return
            case Failure():
                self._fail(outcome)
            case PaintFailure():
                window.notices.show_crash("the traces", outcome.error)
                return
            case Stalled():
                self._say_stalled(outcome)
                return
            case Busy() if outcome.what == "compiling":
                self.patience.note(done=outcome.done)
            case ExportProgress() if outcome.done and not window.floating.is_export_open:
                window.notices.show_export(outcome)
        window.tell(outcome)
        if isinstance(outcome, OverviewFrame):
            window.actions_.keep_card(outcome)

    def _is_news(self, outcome: Frame | Blocked) -> bool:
        """Note a frame, or what holds the filter; return whether nothing newer was there."""
        window = self._window
        if isinstance(outcome, Frame):
            if outcome.revision < self._newest_block:
                return False
            self._newest_frame = outcome.revision
            window.notices.take_back("blocked")
            return True
        if outcome.revision < self._newest_frame:
            return False
        self._newest_block = outcome.revision
        window.notices.show_blocked(outcome, window.shell.store)
        return True

    def _open(self, opened: Opened) -> None:
        window = self._window
        if not self._conductor.is_open(opened.recording_id):
            return  # closed again, or overtaken by another, while this was on its way
        self._newest_block = self._newest_frame = -1
        if opened.is_same:
            window.shell.take_channels(opened)
            window.tell(opened)
            return
        window.shell.take(opened)
        window.notices.clear()
        window.tell(opened)
        window.actions_.take_opened(opened)
        window.show_work()
        if opened.changed is not None:
            window.actions_.say_changed(*opened.changed, opened.path)
        self._say_warnings(opened.info.warnings)

    def _say_warnings(self, warnings: tuple[str, ...]) -> None:
        """Say the first thing that was mended or assumed, and offer the others."""
        actions = self._window.actions_
        for words in warnings[:1]:
            ways = ((f"All {len(warnings)}…", None, actions.open_warnings),) if len(warnings) > 1 else ()
            self._window.notify(Notice(cause="recording", kind="warn", sentence=words, can_close=True, actions=ways))

    def _fail(self, failure: Failure) -> None:
        window = self._window
        if failure.what == "export" and window.floating.is_export_open:
            return
        if failure.what == "open" and failure.path is not None:
            window.floating.ask_import(failure.path)
            return
        if failure.what == "open":
            window.actions_.take_failed_open()
        if failure.what == "open" and not window.shell.has_recording:
            window.start.show_failure(failure)
        else:
            window.notices.show_failure(failure)

    def _say_stalled(self, stalled: Stalled) -> None:
        window = self._window
        window.notices.show_stalled(stalled)
        if not window.shell.has_recording:
            notice = window.notices.current
            words = "" if notice is None or stalled.over else notice.sentence
            hint = "" if notice is None else notice.hint
            told = Failure(revision=0, what="open", sentence=words, hint=hint) if words else None
            window.start.show_failure(told)
