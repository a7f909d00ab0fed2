"""The stage as it was when an edit began that may be given up.

A drag, a spin or a typed number sends many actions with one merge key. The first of them notes the stage and its place;
Esc puts back there what was noted, under the same key, so that no step of undo is left. Invariant: one edit runs at a
time, and a key that is not the running one puts nothing back.
"""

from __future__ import annotations

from collections.abc import Callable

from jaxscope.filters.spec import Stage
from jaxscope.session.actions import PutStageBack


class RunningEdit:
    """The edit that runs: its merge key, the place of its stage, and the stage from before it."""

    def __init__(self) -> None:
        self._begun: PutStageBack | None = None

    def begin(self, merge_key: str, place: tuple[int, int], content: Stage) -> bool:
        """Note a stage at (chain, stage), unless this edit of it runs already; return whether it was noted."""
        begun = self._begun
        if begun is not None and (begun.merge_key, begun.chain, begun.stage) == (merge_key, *place):
            return False
        self._begun = PutStageBack(chain=place[0], stage=place[1], content=content, merge_key=merge_key)
        return True

    @property
    def stage_before(self) -> Stage | None:
        """The stage from before the running edit; None where none runs."""
        return None if self._begun is None else self._begun.content

    def give_up(self, merge_key: str, dispatch: Callable[[PutStageBack], object]) -> None:
        """End the edit and put the stage back, unless it is not this edit that runs."""
        begun, self._begun = self._begun, None
        if begun is not None and begun.merge_key == merge_key:
            dispatch(begun)
