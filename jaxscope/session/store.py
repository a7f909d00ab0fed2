"""The current state, who is told of it, and undo.

``dispatch`` reduces, then tells every subscriber ``(state, previous)`` once. Undo is two tuples of documents; a run of
actions with one merge key is one step. Dispatching from inside a subscriber is an error, so loops cannot form. A store
belongs to one thread.

Stores may stand beside one another, one a window on the same recording: they share the document, its undo and what is
saved; each has its own viewport and engine, and those that are linked look at the same time. A store that opens
something else leaves the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace

from jaxscope.session.actions import Action, ClosedRecording, LoadedProject, OpenedRecording
from jaxscope.session.actions_events import FoundEvents
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


@dataclass(slots=True)
class _History:
    """What stores beside one another share."""

    saved: Document
    undo: tuple[_Step, ...] = ()
    redo: tuple[_Step, ...] = ()
    merge_key: str | None = None
    telling: bool = False
    members: list[Store] = field(default_factory=list)


class Store:
    """Holds the state of one window.

    Parameters
    ----------
    initial : SessionState
        Where to begin; beside another store only its engine counts.
    beside : Store or None
        A store to share the document with.
    """

    def __init__(self, initial: SessionState | None = None, *, beside: Store | None = None) -> None:
        self._state = initial or SessionState()
        self._revision = 0
        self._subscribers: list[Subscriber] = []
        self._is_linked = True
        self._history = _History(saved=self._state.document)
        if beside is not None:
            self._history = beside._history
            self._state = replace(beside.state, engine=beside.state.engine if initial is None else initial.engine)
        self._history.members.append(self)

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
        return self._state.document != self._history.saved

    @property
    def unsaved_parts(self) -> tuple[str, ...]:
        """Names of the fields of the document that differ from what was last loaded or saved."""
        saved, document = self._history.saved, self._state.document
        names = (item.name for item in fields(document))
        return tuple(name for name in names if getattr(saved, name) != getattr(document, name))

    @property
    def has_others(self) -> bool:
        """Whether other stores share the document."""
        return len(self._history.members) > 1

    @property
    def is_linked(self) -> bool:
        """Whether it looks at the same time as the other linked ones."""
        return self._is_linked

    def set_linked(self, *, linked: bool) -> None:
        """Look at the same time as the others, or not; one that is linked again goes where the others are."""
        self._refuse_nesting()
        self._is_linked = linked
        others = [store for store in self._history.members if store is not self and store.is_linked]
        if linked and others:
            self._follow(others[0].state, with_time=True)

    def leave(self) -> None:
        """Go on alone with the document as it is, and its undo."""
        shared = self._history
        if self.has_others:
            shared.members.remove(self)
            self._history = replace(shared, members=[self], telling=False)

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return bool(self._history.undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return bool(self._history.redo)

    @property
    def undo_text(self) -> str:
        """What the next undo takes back, in words; empty where nothing."""
        return self._history.undo[-1].text if self._history.undo else ""

    @property
    def redo_text(self) -> str:
        """What the next redo does again, in words; empty where nothing."""
        return self._history.redo[-1].text if self._history.redo else ""

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
            self.leave()
            history = self._history
            history.undo, history.redo, history.merge_key = (), (), None
            history.saved = _saved_after(history.saved, following.document, action)
        elif isinstance(action, FoundEvents):
            self._let_all_know(action)
        elif following.document != previous.document:
            self._remember(previous, following, action.merge_key)
        elif action.merge_key is None and following is not previous:
            self._history.merge_key = None
        if isinstance(action, _OPENS) and following.document.recording is not None:
            # another recording, also where it has the path of the last one: the file may hold something else by now
            previous = replace(previous, document=replace(previous.document, recording=None))
        self._change_to(following, previous)

    def undo(self) -> None:
        """Take the last step back; nothing happens where there is none."""
        self.go_to(len(self._history.undo) - 1)

    def redo(self) -> None:
        """Do the last undone step again; nothing happens where there is none."""
        self.go_to(len(self._history.undo) + 1)

    @property
    def history(self) -> tuple[str, ...]:
        """What was done, in words, the oldest first; the last ``len(history) - position`` of them are undone."""
        return (*(step.text for step in self._history.undo), *(step.text for step in reversed(self._history.redo)))

    @property
    def position(self) -> int:
        """How many steps of the history are done."""
        return len(self._history.undo)

    def go_to(self, position: int) -> None:
        """Undo or redo until so many steps of the history are done; nothing happens where there are not as many."""
        self._refuse_nesting()
        if position == self.position or not 0 <= position <= len(self._history.undo) + len(self._history.redo):
            return
        undo, redo, document = list(self._history.undo), list(self._history.redo), self._state.document
        while len(undo) > position:
            step = undo.pop()
            redo.append(_Step(document, step.text))
            document = step.document
        while len(undo) < position:
            step = redo.pop()
            undo.append(_Step(document, step.text))
            document = step.document
        self._history.undo, self._history.redo = tuple(undo), tuple(redo)
        self._show(document)

    def mark_saved(self) -> None:
        """Note that the document as it is now is on disk."""
        self._history.saved = self._state.document
        for store in tuple(self._history.members):
            store._tell_own(store.state)

    def _remember(self, previous: SessionState, following: SessionState, merge_key: str | None) -> None:
        shared = self._history
        if merge_key is None or merge_key != shared.merge_key:
            text = describe_change(previous.document, following.document)
            shared.undo = (*shared.undo, _Step(previous.document, text))[-UNDO_LIMIT:]
        else:
            begun = shared.undo[-1]
            if begun.document == following.document:  # put back as it was: there is nothing left to undo
                shared.undo, shared.redo, shared.merge_key = shared.undo[:-1], (), None
                return
            step = _Step(begun.document, describe_change(begun.document, following.document))
            shared.undo = (*shared.undo[:-1], step)
        shared.redo = ()
        shared.merge_key = merge_key

    def _let_all_know(self, found: FoundEvents) -> None:
        """Take what is known of the file into every document of the history, and into what is saved."""
        shared = self._history
        known: dict[tuple[int, int], Document] = {}

        def following(document: Document) -> Document:
            # most documents of a history share their events
            key = id(document.annotations), id(document.read_events)
            if key not in known:
                known[key] = reduce(SessionState(document=document), found).document
            made = known[key]
            return replace(document, annotations=made.annotations, read_events=made.read_events)

        shared.undo = tuple(_Step(following(step.document), step.text) for step in shared.undo)
        shared.redo = tuple(_Step(following(step.document), step.text) for step in shared.redo)
        shared.saved = following(shared.saved)
        shared.merge_key = None

    def _show(self, document: Document) -> None:
        self._history.merge_key = None
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
        """Tell the subscribers, then let the stores beside this one follow and tell theirs."""
        shared = self._history
        self._tell_own(previous)
        for other in tuple(shared.members):
            if other is not self:
                other._follow(self._state, with_time=self._is_linked and other.is_linked)

    def _tell_own(self, previous: SessionState) -> None:
        shared = self._history
        shared.telling = True
        try:
            for subscriber in tuple(self._subscribers):
                subscriber(self._state, previous)
        finally:
            shared.telling = False

    def _follow(self, state: SessionState, *, with_time: bool) -> None:
        """Take the document of a store beside this one, and where it looks; tell of it without telling back."""
        previous, document = self._state, state.document
        viewport = with_stage_in_range(previous.viewport, document)
        viewport = looking_at_own_chains(viewport, previous.document, document)
        if with_time:
            viewport = replace(viewport, start_s=state.viewport.start_s, duration_s=state.viewport.duration_s)
        following = replace(previous, document=document, viewport=viewport)
        if following == previous:
            return
        self._state = following
        self._revision += 1
        self._tell_own(previous)

    def _refuse_nesting(self) -> None:
        if self._history.telling:
            raise RuntimeError("an action was dispatched from inside a subscriber")


def _saved_after(saved: Document, following: Document, action: Action) -> Document:
    """Return what counts as saved after an action that begins anew: a project just read, or what was saved before."""
    if isinstance(action, LoadedProject):
        return following if action.is_saved else Document(recording=following.recording)
    return replace(
        saved,
        recording=following.recording,
        annotations=following.annotations,
        read_events=following.read_events,
    )
