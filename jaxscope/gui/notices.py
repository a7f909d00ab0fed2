"""What is wrong at the moment, by cause: the worst is shown as the banner, and each goes when its cause goes."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtGui import QGuiApplication

from jaxscope.compute.frames import Blocked, ExportProgress, Failure, Stalled
from jaxscope.errors import capitalised
from jaxscope.gui.views.banner import Banner, Notice
from jaxscope.gui.ways_on import stalled_notice, ways_of_blocked, ways_of_failure
from jaxscope.session.store import Store

if TYPE_CHECKING:
    from jaxscope.gui.window_actions import WindowActions

_LOG = logging.getLogger(__name__)
#: the cause of a notice about the preferences, which stays when another recording is opened
SETTINGS_CAUSE = "settings"


class ShowBanner(Protocol):
    """Puts the banner into the place of the header strip, or takes it away."""

    def __call__(self, *, visible: bool) -> None:
        """Show or hide it."""


class Notices:
    """All notices of a window."""

    def __init__(self, banner: Banner, show_banner: ShowBanner) -> None:
        self._banner = banner
        self._show_banner = show_banner
        self._notices: dict[str, Notice] = {}
        #: what the ways on work on; without it there are none that need a window
        self.actions: WindowActions | None = None

    @property
    def current(self) -> Notice | None:
        """The worst notice; of equally bad ones the newest."""
        worst: Notice | None = None
        for notice in self._notices.values():
            if worst is None or notice.rank >= worst.rank:
                worst = notice
        return worst

    def show(self, notice: Notice) -> None:
        """Add a notice, in place of one of the same cause."""
        self._notices.pop(notice.cause, None)
        self._notices[notice.cause] = notice
        self._refresh()

    def has(self, cause: str) -> bool:
        """Whether there is a notice of a cause."""
        return cause in self._notices

    def take_back(self, cause: str) -> None:
        """Remove the notice of a cause."""
        if self._notices.pop(cause, None) is not None:
            self._refresh()

    def close(self) -> None:
        """Remove the notice that is shown, because a person closed it."""
        if self.current is not None:
            self.take_back(self.current.cause)

    def clear(self) -> None:
        """Remove all that is about a recording."""
        self._notices = {cause: notice for cause, notice in self._notices.items() if cause == SETTINGS_CAUSE}
        self._refresh()

    def show_blocked(self, blocked: Blocked, store: Store) -> None:
        """Say that the filter is held; a design that does not fit is said at its field instead."""
        if blocked.kind == "design":
            self.take_back("blocked")
            return
        hint = capitalised(blocked.hint)
        held = "After is held at the last stable filter" if blocked.kind == "unstable" else hint
        sentence = capitalised(blocked.reason)
        actions = ways_of_blocked(blocked, store, self.actions)
        self.show(Notice(cause="blocked", kind="danger", sentence=sentence, hint=held, rank=3, actions=actions))

    def show_stalled(self, stalled: Stalled) -> None:
        """Say that a file does not answer, or take that back."""
        if stalled.over:
            self.take_back("stalled")
        elif self.actions is not None:
            self.show(stalled_notice(Path(stalled.path).name, stalled.seconds, self.actions))

    def show_failure(self, failure: Failure) -> None:
        """Say what went wrong."""
        actions = ways_of_failure(failure, self.actions)
        if failure.details:
            actions = (*actions, ("Copy report", "copy", lambda: QGuiApplication.clipboard().setText(failure.details)))
        self.show(
            Notice(
                cause=f"failure {failure.what}",
                kind="danger",
                sentence=failure.sentence,
                hint=capitalised(failure.hint),
                rank=2,
                actions=actions,
                can_close=True,
            )
        )

    def show_crash(self, part: str, error: BaseException) -> None:
        """Say that a part met a bug; the rest goes on."""
        report = "".join(traceback.format_exception(error))
        _LOG.error("error in %s\n%s", part, report)
        self.show(
            Notice(
                cause="crash",
                kind="danger",
                sentence=f"Something went wrong in {part}",
                hint="The rest goes on",
                rank=2,
                actions=(("Copy report", "copy", lambda: QGuiApplication.clipboard().setText(report)),),
                can_close=True,
            )
        )

    def show_export(self, progress: ExportProgress) -> None:
        """Say how an export has ended."""
        if progress.cancelled:
            sentence, hint, kind = "The export was cancelled", "Nothing was written", "warn"
        else:
            name = Path(progress.path or "").name
            sentence = f"Saved {name}"
            hint = progress.warnings[0] if progress.warnings else str(Path(progress.path or "").parent)
            kind = "warn" if progress.warnings else "ok"
        self.show(Notice(cause="export", kind=kind, sentence=sentence, hint=hint, rank=0, can_close=True))

    def _refresh(self) -> None:
        notice = self.current
        if notice is not None:
            self._banner.show_notice(notice)
        self._show_banner(visible=notice is not None)
