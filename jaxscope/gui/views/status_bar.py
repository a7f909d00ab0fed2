"""The bar at the bottom: the state of the filter in words, what will happen next, progress, memory.

The state of the filter is never in doubt: the badge at the left says it at any moment.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Self

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from jaxscope.compute.folder_frames import FolderProgress
from jaxscope.compute.frames import Blocked, Busy, ExportProgress, Frame, LivePosition, Opened, OverviewFrame
from jaxscope.compute.shown_channels import selected_chain
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import counted
from jaxscope.gui.command_table import command
from jaxscope.gui.components.painting import CENTRE, begin, draw_text, focus_ring, hairline, rounded, text_width
from jaxscope.gui.edit_times import EditTimes
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.key_table import key_words
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.base import AbstractView, ViewKit
from jaxscope.gui.views.top_bar import device_title
from jaxscope.gui.views.top_bar_readout import time_text
from jaxscope.gui.views.traces_numbers import clock, span_text
from jaxscope.session.state import CHAIN_TAGS, SessionState, pin_in_force

_MEMORY_MS = 2000
_BAR_PX = 72


class StatusBarView(AbstractView, QWidget):
    """Badge, hint, progress, memory."""

    #: cancel the export with this number
    cancel_asked = Signal(int)

    def __init__(self, state: SessionState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._has_recording = False
        self._info: RecordingInfo | None = None
        self._blocked: Blocked | None = None
        self._frame: Frame | None = None
        self._times = EditTimes()
        self._about_ms = 0.0
        self._overview: OverviewFrame | None = None
        self._busy: dict[str, Busy] = {}
        self._exports: dict[int, ExportProgress] = {}
        self._folder: FolderProgress | None = None
        self._said: str = ""
        self._shown: tuple[str, str, tuple[float | None, str]] = ("", "", (None, ""))
        self._hint: Callable[[], str] | None = None
        self._memory = ""
        self._companions = ""
        self._live: LivePosition | None = None
        self._cancel_rect = QRectF()
        self._timer = QTimer(self)
        self._timer.setInterval(_MEMORY_MS)
        self._timer.timeout.connect(self._measure)
        self._timer.start()
        self.setFixedHeight(scaled(28))
        self.setMouseTracking(True)
        self.setAccessibleName("Status")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._measure()
        theme().changed.connect(self._on_theme)

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.state)

    def sizeHint(self) -> QSize:
        return QSize(1600, scaled(28))

    # --- state

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Show the filter's new state."""
        self._state = state
        self._times.show_state(state, previous)
        self._about_ms = self._about()
        if self.badge != self._shown[0] or self.hint() != self._shown[1]:
            self.update()

    def show_frame(self, outcome: object) -> None:
        """Take what is being worked on."""
        self._times.show_frame(outcome)
        match outcome:
            case Opened():
                self._has_recording, self._info = True, outcome.info
                self._blocked = self._frame = self._overview = None
            case Frame():
                self._blocked, self._frame = None, outcome
            case Blocked():
                self._blocked = outcome
            case LivePosition():
                self._live = outcome
            case OverviewFrame():
                self._overview = outcome
            case Busy():
                self._busy.pop(outcome.what, None)
                if not outcome.done:
                    self._busy[outcome.what] = outcome
            case FolderProgress():
                self._folder = None if outcome.over else outcome
            case ExportProgress():
                self._exports.pop(outcome.job, None)
                if not outcome.done:
                    self._exports[outcome.job] = outcome
            case _:
                return
        self._about_ms = self._about()
        if (self.badge, self.hint(), self._progress()) != self._shown:
            self.update()

    def close_recording(self) -> None:
        """Go back to the words of the start screen."""
        self._has_recording, self._info = False, None
        self._blocked = self._frame = self._overview = None
        self.update()

    def show_companions(self, *, has_others: bool, linked: bool) -> None:
        """Show whether other windows share the recording, and whether they look at the same time."""
        words = ("Linked in time" if linked else "Own time") if has_others else ""
        if words != self._companions:
            self._companions = words
            self.update()

    def say(self, words: str) -> None:
        """Show a hint in place of the usual one; empty goes back."""
        if words != self._said:
            self._said = words
            self.update()

    @property
    def badge(self) -> str:
        """The state of the filter in words."""
        return self._badge()[0]

    def hint(self) -> str:
        """Return what the bar says will happen next."""
        if self._said:
            return self._said
        if not self._has_recording:
            return "Nothing is uploaded. Recordings are read where they are and never changed."
        if self._blocked is not None and self._blocked.kind == "unstable":
            return "Not applied. Export waits until the filter is stable"
        if self._blocked is not None:
            return f"Not applied: {self._blocked.reason}"
        if self._folder is not None:
            return "The batch keeps the filter it started with. Editing here changes the view only"
        return self._what_is_seen() or self._what_a_drag_does()

    def _what_is_seen(self) -> str:
        """Return what there is to say of how the traces are looked at; empty where they are as usual."""
        viewport, elsewhere = self._state.viewport, self._elsewhere()
        if self._state.live.running and self._live is not None:
            if self._live.future and not self._live.as_causal:
                return "After waits for a causal filter. Esc stops"
            return "Tune while it runs: a change fades in. Esc stops"
        if viewport.raw:
            return "The filter is hidden, not changed. R shows it again"
        pin = pin_in_force(self._state)
        if pin is not None and self._state.document.filter_on:
            return f"On the traces is the pinned chain, {pin.name}. V or an edit goes back to your own"
        if elsewhere:
            return elsewhere
        if viewport.mode == "difference":
            return "Removed is the RMS of the difference in this window. 1 goes back to Overlay"
        if viewport.mode == "split":
            return "Both halves share time and scale. Drag the divider to give one more room"
        if viewport.mode == "curtain":
            return "Left of the curtain is the recording, right of it the filtered signal. Drag it across an artefact"
        return ""

    def _what_a_drag_does(self) -> str:
        """Return what the next turn of a knob will filter again, and where."""
        if self._frame is None:
            return "Before appears as soon as the first window is read"
        frame = self._frame
        device = device_title(frame.device)
        window = span_text(self._state.viewport.duration_s)
        if not frame.blocks:
            return ""
        if not self._state.document.filter_on:
            return "The filter is off: the recording is shown as it is"
        if not frame.n_channels:
            return "No filter yet. Add a stage, or begin with a preset"
        words = f"Dragging a knob filters {counted(frame.n_channels, 'channel')} × {window} again on {device}"
        return f"{words}, about {time_text(self._about_ms)}" if self._about_ms > 0 else words

    def _elsewhere(self) -> str:
        """Return how to edit what filters the selected channel, where the dock shows another chain; else nothing."""
        if self._info is None or not self._state.document.filter_on:
            return ""
        chain, shown = selected_chain(self._state, self._info), self._state.viewport.active_chain
        if chain is None or chain == shown:
            return ""
        name, edit = self._state.viewport.selected_channels[-1], command("edit_selected_chain")
        tag = CHAIN_TAGS[chain]
        words = f"{name} runs chain {tag}, the dock shows chain {CHAIN_TAGS[shown]}"
        return f"{words}. {key_words(edit.shown_key)} shows chain {tag}" if edit.shown_key else words

    def _about(self) -> float:
        """Return the typical time of an edit, 0 where none is known: a number that jumps cannot be read."""
        typical_ms = self._times.typical_ms()
        if typical_ms is None:
            return 0.0
        return self._about_ms if 0.6 < typical_ms / max(self._about_ms, 1e-9) < 1.6 else typical_ms

    def _badge(self) -> tuple[str, str, str, str | None]:
        """Return words, icon, colour and ground of the badge."""
        if self._blocked is not None and self._blocked.kind == "unstable":
            return "Filter unstable", "alert-triangle", "danger", "danger_bg"
        if not self._state.document.filter_on:
            return "Filter off", "filter-off", "text2", None
        if self._blocked is not None:
            return "Filter held", "alert-triangle", "warn", "warn_bg"
        if self._state.viewport.raw:
            return "Filter on, hidden", "filter", "after", "after_bg"
        if self._state.live.running and self._live is not None and self._live.future:
            if not self._live.as_causal:
                return "Filter waits", "clock", "warn", "warn_bg"
            return "Filter on, as causal", "filter", "after", "after_bg"
        if pin_in_force(self._state) is not None:
            return "Pinned chain", "pin", "after", "after_bg"
        return "Filter on", "filter", "after", "after_bg"

    def _progress(self) -> tuple[float | None, str]:
        """Return (share, words) of what goes on for longest; no words where nothing does."""
        if self._state.live.running and self._live is not None:
            return None, live_words(self._live)
        for export in self._exports.values():
            left = "" if export.seconds_left is None else f", {span_text(max(1, round(export.seconds_left)))} left"
            return export.share, f"Exporting: {int(export.share * 100)} %{left}"
        folder = self._folder
        if folder is not None:
            left = "" if folder.seconds_left is None else f", {span_text(max(1, round(folder.seconds_left)))} left"
            return folder.share, f"Batch: {int(folder.share * 100)} %{left}"
        indexing = self._busy.get("indexing")
        if indexing is not None and indexing.share is not None:
            # before what is said of the whole recording: there is only a part of it yet
            return indexing.share, f"{indexing.label}: {int(indexing.share * 100)} %"
        overview = self._overview
        if overview is not None and overview.read_share < 1:
            return overview.read_share, f"Reading: {int(overview.read_share * 100)} %"
        is_filtered = self._state.document.filter_on and overview is not None and overview.after is not None
        if overview is not None and is_filtered:
            share = overview.filtered_share
            if self._blocked is not None:
                return None, "Whole recording: waiting"
            if share < 1:
                return share, f"Whole recording: {min(99, int(share * 100))} % filtered"
            return None, "Whole recording filtered"
        for busy in self._busy.values():
            return busy.share, busy.label
        return None, ""

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.fillRect(self.rect(), colour("bar"))
            self._shown = (self.badge, self.hint(), self._progress())
            left = self._paint_badge(painter) if self._has_recording else 0.0
            hairline(painter, left, 0, self.width())
            right = self._paint_right(painter)
            room = QRectF(left + 14, 0, max(0.0, right - left - 30), self.height())
            draw_text(painter, room, self.hint(), font(12), "text2", elide=Qt.TextElideMode.ElideRight)
            if self.hasFocus():
                focus_ring(painter, QRectF(self.rect()))

    def _paint_badge(self, painter: QPainter) -> float:
        words, icon, token, ground = self._badge()
        side = scaled(15)
        left = 12 + side + 7
        width = left + text_width(words, font(12, 600)) + 16
        if ground is not None:
            painter.fillRect(QRectF(0, 0, round(width), self.height()), colour(ground))
        draw_icon(painter, icon, QRectF(12, (self.height() - side) / 2, side, side), token)
        draw_text(painter, QRectF(left, 0, width, self.height()), words, font(12, 600), token)
        return float(round(width))

    def _paint_right(self, painter: QPainter) -> float:
        right = self.width() - 12.0
        self._cancel_rect = QRectF()
        if not self._has_recording and not self._exports:
            return self._paint_keys(painter, right)
        share, words = self._progress()
        if self._memory:
            right = self._paint_words(painter, right, self._memory) - 18
        if self._companions:
            right = self._paint_words(painter, right, self._companions) - 18
        if self._exports:
            self._cancel_rect = QRectF(right - 20, self.height() / 2 - 10, 20, 20)
            draw_icon(painter, "x", self._cancel_rect.adjusted(3, 3, -3, -3), "text2")
            right -= 26
        if words:
            right = self._paint_words(painter, right, words)
        if words and share is not None:
            bar = QRectF(right - _BAR_PX - 8, self.height() / 2 - 1.5, _BAR_PX, 3)
            rounded(painter, bar, 1.5, "line2")
            rounded(painter, QRectF(bar.left(), bar.top(), bar.width() * min(1.0, share), 3), 1.5, "after")
            right = bar.left()
        return right

    def _paint_keys(self, painter: QPainter, right: float) -> float:
        """Paint how to find the keys and the commands, on the start screen."""
        for name, words in (("palette", "commands"), ("keys", "keys")):
            keys = command(name).keys("anywhere") or command(name).keys("traces")
            if not keys:
                continue
            right = self._paint_words(painter, right, words) - 8
            shown = key_words(keys[0])
            width, height = text_width(shown, font(11, 500)) + 12, scaled(18)
            cap = QRectF(right - width, (self.height() - height) / 2, width, height)
            rounded(painter, cap, 4, "hover", "line2")
            draw_text(painter, cap, shown, font(11, 500), "text2", CENTRE)
            right = cap.left() - 18
        return right

    def _paint_words(self, painter: QPainter, right: float, words: str) -> float:
        width = text_width(words, font(11))
        draw_text(painter, QRectF(right - width, 0, width + 2, self.height()), words, font(11), "text3")
        return right - width

    # --- events

    def focusInEvent(self, event: QFocusEvent) -> None:
        # what is read aloud when one arrives: the words that are painted
        self.setAccessibleDescription(
            ". ".join(words for words in (self.badge, self.hint(), self._progress()[1]) if words)
        )
        super().focusInEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_over = self._cancel_rect.contains(event.position())
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_over else Qt.CursorShape.ArrowCursor)
        self.setToolTip(self._tip_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._cancel_rect.contains(event.position()):
            for job in tuple(self._exports):
                self.cancel_asked.emit(job)

    def _tip_at(self, point: QPointF) -> str:
        if self._cancel_rect.contains(point):
            return "Cancel the export; nothing half-written is left"
        if point.x() < 130 and self._has_recording:
            stages = sum(len(chain.active_stages) for chain in self._state.document.chains)
            return f"{self.badge}: {counted(stages, 'stage')}. The file is never changed"
        return ""

    def _measure(self) -> None:
        memory = memory_text()
        if memory != self._memory:
            self._memory = memory
            self.update()

    def _on_theme(self) -> None:
        self.setFixedHeight(scaled(28))
        self.update()


def live_words(position: LivePosition) -> str:
    """Return how far a signal has run, what was lost and how late it is."""
    what = "Following" if position.running == "follow" else f"Running ×{position.speed:g}"
    dropped = "none dropped" if position.dropped == 0 else f"{position.dropped:,} dropped"
    late = "on time" if position.latency_s < 0.001 else f"{span_text(position.latency_s)} late"
    words = f"{what}  {clock(position.position_s, 1)}  {dropped}, {late}"
    return f"{words}, {position.note}" if position.note else words


def memory_text(status: Path = Path("/proc/self/status")) -> str:
    """Return the memory in use, such as ``"1.1 GB"``; empty where the system does not tell it this way."""
    try:
        lines = status.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        if line.startswith("VmRSS:"):
            gigabytes = int(line.split()[1]) * 1024 / 1e9
            return f"{gigabytes:.1f} GB" if gigabytes >= 1 else f"{gigabytes * 1e3:.0f} MB"
    return ""
