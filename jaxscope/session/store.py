"""The current state, who is told of it, and undo.

``dispatch`` reduces, then tells every subscriber ``(state, previous)`` once. Undo is two tuples of documents; a run of
actions with one merge key is one step. Dispatching from inside a subscriber is an error, so loops cannot form. A store
belongs to one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from jaxscope.session.actions import Action, ClosedRecording, LoadedProject, OpenedRecording
from jaxscope.session.describe import describe_change
from jaxscope.session.pins import looking_at_own_chains
from jaxscope.session.reduce import reduce, with_stage_in_range
from jaxscope.session.state import Document, SessionState

Subscriber = Callable[[SessionState, SessionState], None]

_OPENS = (OpenedRecording, LoadedProject)
_FORGET_UNDO = (*_OPENS, ClosedRecording)
#: Steps of undo that are kept.
UNDO_LIMIT = 500


@dataclass(frozen=True, slots=True)
class _Step:
    document: Document
    text: str


class Store:
    """Holds the state of one window.

    Parameters
    ----------
    initial : SessionState
        Where to begin.
    """

    def __init__(self, initial: SessionState | None = None) -> None:
        self._state = initial or SessionState()
        self._revision = 0
        self._subscribers: list[Subscriber] = []
        self._undo: tuple[_Step, ...] = ()
        self._redo: tuple[_Step, ...] = ()
        self._merge_key: str | None = None
        self._telling = False
        self._saved = self._state.document

    @property
    def state(self) -> SessionState:
        """The current state."""
        return self._state

    @property
    def revision(self) -> int:
        """A number that grows with every change."""
        return self._revision

    @property
    def has_unsaved_changes(self) -> bool:
        """Whether the document differs from the project that was last loaded or saved; at first there is an empty one.

        Another recording is no change by itself, and takes none back: chains that were edited stay unsaved.
        """
        return self._state.document != self._saved

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return bool(self._redo)

    @property
    def undo_text(self) -> str:
        """What the next undo takes back, in words; empty where nothing."""
        return self._undo[-1].text if self._undo else ""

    @property
    def redo_text(self) -> str:
        """What the next redo does again, in words; empty where nothing."""
        return self._redo[-1].text if self._redo else ""

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber(state, previous)`` after each change; return a function that ends it."""
        self._subscribers.append(subscriber)

        def unsubscribe() -> None:
            if subscriber in self._subscribers:
                self._subscribers.remove(subscriber)

        return unsubscribe

    def dispatch(self, action: Action) -> None:
        """Change the state by an action.

        Raises
        ------
        SpecError
            Where a spec refuses a value; nothing has changed then.
        RuntimeError
            When called from inside a subscriber.
        """
        self._refuse_nesting()
        previous = self._state
        following = reduce(previous, action)
        if isinstance(action, _FORGET_UNDO):
            self._undo, self._redo, self._merge_key = (), (), None
            self._saved = _saved_after(self._saved, following.document, action)
        elif following.document != previous.document:
            self._remember(previous, following, action.merge_key)
        elif action.merge_key is None and following is not previous:
            self._merge_key = None
        if isinstance(action, _OPENS) and following.document.recording is not None:
            # another recording, also where it has the path of the last one: the file may hold something else by now
            previous = replace(previous, document=replace(previous.document, recording=None))
        self._change_to(following, previous)

    def end_merge(self) -> None:
        """End the running undo step, so that the next action begins another (a drag was released)."""
        self._merge_key = None

    def undo(self) -> None:
        """Take the last step back; nothing happens where there is none."""
        self.go_to(len(self._undo) - 1)

    def redo(self) -> None:
        """Do the last undone step again; nothing happens where there is none."""
        self.go_to(len(self._undo) + 1)

    @property
    def history(self) -> tuple[str, ...]:
        """What was done, in words, the oldest first; the last ``len(history) - position`` of them are undone."""
        return (*(step.text for step in self._undo), *(step.text for step in reversed(self._redo)))

    @property
    def position(self) -> int:
        """How many steps of the history are done."""
        return len(self._undo)

    def go_to(self, position: int) -> None:
        """Undo or redo until so many steps of the history are done; nothing happens where there are not as many."""
        self._refuse_nesting()
        if position == self.position or not 0 <= position <= len(self._undo) + len(self._redo):
            return
        undo, redo, document = list(self._undo), list(self._redo), self._state.document
        while len(undo) > position:
            step = undo.pop()
            redo.append(_Step(document, step.text))
            document = step.document
        while len(undo) < position:
            step = redo.pop()
            undo.append(_Step(document, step.text))
            document = step.document
        self._undo, self._redo = tuple(undo), tuple(redo)
        self._show(document)

    def mark_saved(self) -> None:
        """Note that the document as it is now is on disk."""
        self._saved = self._state.document
        self._tell(self._state)

    def _remember(self, previous: SessionState, following: SessionState, merge_key: str | None) -> None:
        if merge_key is None or merge_key != self._merge_key:
            text = describe_change(previous.document, following.document)
            self._undo = (*self._undo, _Step(previous.document, text))[-UNDO_LIMIT:]
        else:
            begun = self._undo[-1]
            if begun.document == following.document:  # put back as it was: there is nothing left to undo
                self._undo, self._redo, self._merge_key = self._undo[:-1], (), None
                return
            self._undo = (*self._undo[:-1], _Step(begun.document, describe_change(begun.document, following.document)))
        self._redo = ()
        self._merge_key = merge_key

    def _show(self, document: Document) -> None:
        self._merge_key = None
        viewport = with_stage_in_range(self._state.viewport, document)
        viewport = looking_at_own_chains(viewport, self._state.document, document)
        self._change_to(replace(self._state, document=document, viewport=viewport), self._state)

    def _change_to(self, following: SessionState, previous: SessionState) -> None:
        if following is previous:
            return
        self._state = following
        self._revision += 1
        self._tell(previous)

    def _tell(self, previous: SessionState) -> None:
        self._telling = True
        try:
            for subscriber in tuple(self._subscribers):
                subscriber(self._state, previous)
        finally:
            self._telling = False

    def _refuse_nesting(self) -> None:
        if self._telling:
            raise RuntimeError("an action was dispatched from inside a subscriber")


def _saved_after(saved: Document, following: Document, action: Action) -> Document:
    """Return what counts as saved after an action that begins anew: a project just read, or what was saved before."""
    if isinstance(action, LoadedProject):
        return following if action.is_saved else Document(recording=following.recording)
    return replace(saved, recording=following.recording, annotations=following.annotations)
