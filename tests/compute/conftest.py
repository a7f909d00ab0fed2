"""What the tests of compute share: an inbox for what a conductor delivers from its threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from jaxscope.compute.frames import Blocked, Failure, Frame, Opened, Outcome
from jaxscope.errors import JaxscopeError, ReadError

PATIENCE_S = 60.0


class Inbox:
    """Takes outcomes from the workers and lets one thread wait for some of them."""

    def __init__(self) -> None:
        self._outcomes: list[Outcome] = []
        self._changed = threading.Condition()

    def __call__(self, outcome: Outcome) -> None:
        """Take an outcome (on a worker)."""
        with self._changed:
            self._outcomes.append(outcome)
            self._changed.notify_all()

    def wait_opened(self) -> Opened:
        """Return the recording that was opened.

        Raises
        ------
        ReadError
            Where it could not be.
        """
        found = self._wait(lambda outcome: isinstance(outcome, Opened | Failure))
        if isinstance(found, Failure):
            raise ReadError(found.sentence, hint=found.hint)
        if not isinstance(found, Opened):
            raise TypeError(f"{found} is not an opened recording")
        return found

    def wait_frame(self, revision: int) -> Frame:
        """Return the first frame with a filter of this state or a newer one.

        Raises
        ------
        JaxscopeError
            Where there can be none.
        """

        def suits(outcome: Outcome) -> bool:
            if isinstance(outcome, Frame):
                return outcome.revision >= revision and any(block.after is not None for block in outcome.blocks)
            return isinstance(outcome, Blocked | Failure) and outcome.revision >= revision

        found = self._wait(suits)
        if isinstance(found, Frame):
            return found
        if isinstance(found, Blocked):
            raise JaxscopeError(found.reason, hint=found.hint)
        raise JaxscopeError(found.sentence if isinstance(found, Failure) else "there is no frame")

    def wait(self, kind: type[Any], suits: Callable[[Any], object] = lambda _: True) -> Any:
        """Return the first outcome of a kind that suits."""
        return self._wait(lambda outcome: isinstance(outcome, kind) and suits(outcome))

    def all(self, kind: type[Any]) -> list[Any]:
        """Return what has come of a kind."""
        with self._changed:
            return [outcome for outcome in self._outcomes if isinstance(outcome, kind)]

    def _wait(self, suits: object) -> Outcome:
        if not callable(suits):
            raise TypeError("give a function")
        deadline = time.monotonic() + PATIENCE_S
        seen = 0
        with self._changed:
            while True:
                for outcome in self._outcomes[seen:]:
                    if suits(outcome):
                        return outcome
                seen = len(self._outcomes)
                if not self._changed.wait(deadline - time.monotonic()) and time.monotonic() > deadline:
                    raise JaxscopeError("nothing came in time", hint="look at the log for what went wrong")


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()
