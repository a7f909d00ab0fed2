"""Keeps unsaved work of one window every few seconds, and finds what windows left that are gone.

Each window has a file of its own and a lock on it, so a window that runs is never taken for one that is gone: the lock
of a process that was killed is free. The file goes when the work is saved or given up. Invariant: unsaved work is in
one file at least at any moment; one that was taken over goes only after the state that holds its work was written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import count
from pathlib import Path

from PySide6.QtCore import QLockFile

from jaxscope.compute.conductor import Conductor
from jaxscope.errors import counted
from jaxscope.session.project import Project
from jaxscope.session.recovery import SUFFIX, Kept, newest_first, recovery_folder, write_kept
from jaxscope.session.state import Document, SessionState
from jaxscope.session.store import Store

_numbers = count(1)


def _lock_of(path: Path) -> QLockFile:
    lock = QLockFile(str(path.with_name(f"{path.name}.lock")))
    lock.setStaleLockTime(0)  # only a process that is gone has lost its lock, however long ago it took it
    return lock


class Keeper:
    """Keeps the work of one window.

    Parameters
    ----------
    store : Store
        Whose document is kept.
    conductor : Conductor
        Writes on one of its threads.
    project_path : callable
        Returns the file that the work belongs to.
    """

    def __init__(self, store: Store, conductor: Conductor, project_path: Callable[[], str]) -> None:
        self._store, self._conductor, self._project_path = store, conductor, project_path
        folder = recovery_folder()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = folder / f"{os.getpid()}-{next(_numbers)}{SUFFIX}"
        self._lock = _lock_of(self.path)
        self._lock.tryLock(0)
        #: files of earlier windows whose work is in the state: they go once it is written here, or given up
        self._taken_over: set[Path] = set()
        self._unsubscribe = store.subscribe(self._changed)

    def abandoned(self) -> list[tuple[tuple[Path, ...], Kept]]:
        """Return the work of windows that are gone, the newest first, with every file that holds the same."""
        files = sorted(recovery_folder().glob(f"*{SUFFIX}"))
        found: dict[Document, tuple[tuple[Path, ...], Kept]] = {}
        for path, kept in newest_first(path for path in files if path != self.path and _is_free(path)):
            paths, newest = found.get(kept.project.document, ((), kept))
            found[kept.project.document] = ((*paths, path), newest)
        return list(found.values())

    def take_over(self, paths: Iterable[Path]) -> None:
        """Let go of the files of earlier windows, whose work this window has loaded, once it has written it down."""
        self._taken_over.update(paths)
        self._changed(self._store.state, self._store.state)

    def discard(self, paths: Iterable[Path]) -> None:
        """Remove work that nobody wants."""
        for path in paths:
            _remove(path)

    def leave_behind(self) -> None:
        """Stop keeping and leave what is kept, for the next start."""
        self._unsubscribe()
        if self._store.has_unsaved_changes:
            self._write(self._kept(), tuple(self._taken_over))
        self._lock.unlock()

    def give_up(self) -> None:
        """Stop keeping; what is kept is saved or not wanted. Ends after its threads have."""
        self._unsubscribe()
        _remove(self.path)
        self.discard(self._taken_over)
        self._lock.unlock()

    def _changed(self, state: SessionState, previous: SessionState) -> None:
        if not self._store.has_unsaved_changes:
            self._conductor.keep(lambda: _remove(self.path))
        elif state.document is not previous.document or self._taken_over:
            kept, replaced = self._kept(), tuple(self._taken_over)
            self._conductor.keep(lambda: self._write(kept, replaced))

    def _kept(self) -> Kept:
        state = self._store.state
        project = Project(document=state.document, viewport=state.viewport, engine=state.engine)
        return Kept(project=project, project_path=self._project_path(), kept_at=datetime.now())

    def _write(self, kept: Kept, replaced: Sequence[Path]) -> None:
        """Write work down (on a thread of the conductor), and remove the files that hold some of the same."""
        write_kept(self.path, kept)
        for path in replaced:
            _remove(path)
        self._taken_over.difference_update(replaced)


def _is_free(path: Path) -> bool:
    lock = _lock_of(path)
    if not lock.tryLock(0):
        return False
    lock.unlock()
    return True


def _remove(path: Path) -> None:
    with suppress(FileNotFoundError):
        path.unlink()


def words_of(kept: Kept) -> tuple[str, str]:
    """Return what is offered: a title and a sentence about the work."""
    document = kept.project.document
    stages = sum(len(chain.stages) for chain in document.chains)
    count_words = counted(stages, "stage")
    events = len(document.annotations)
    more = f" and {counted(events, 'event')}" if events else ""
    when = kept.kept_at.strftime("%H:%M")
    if kept.kept_at.date() != datetime.now().date():
        when = kept.kept_at.strftime("%d %b, %H:%M")
    return "Work that was not saved", f"{kept.name}: {count_words}{more}, as of {when}"
