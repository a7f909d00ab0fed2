"""What every view has in common.

A view is told the state and the outcomes, and dispatches actions that a person caused. Because it listens only to
signals of the user, setting a widget from the state cannot echo back as an action. No view reads another view.
"""

from __future__ import annotations

from collections.abc import Callable

from jaxscope.compute.frames import Outcome
from jaxscope.session.actions import Action
from jaxscope.session.state import SessionState

Dispatch = Callable[[Action], None]


class AbstractView:
    """Mixin of all views; both methods do nothing unless a view needs them."""

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Show another state; ``previous`` is the one that was shown."""

    def show_frame(self, outcome: Outcome) -> None:
        """Show an outcome of the compute side."""
