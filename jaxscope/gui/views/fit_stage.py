"""The stage that a fit writes into a chain: put there, written anew, taken back, all as one step of undo.

Invariant: what is taken back or written over is what was put there; a stage that was changed elsewhere is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxscope.compute.fit_frames import FitFrame
from jaxscope.errors import counted
from jaxscope.filters.coefficients import Row
from jaxscope.filters.manual import SectionsSpec
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.gui.views.base import Dispatch
from jaxscope.session.actions import Action, AddStage, PutStageBack, RemoveStage, ReplaceSpec, SetChains
from jaxscope.session.fitted import FITTED, is_fitted
from jaxscope.session.state import SessionState


def fitted_before(state: SessionState) -> tuple[int, int | None]:
    """Return the active chain, and the place of the stage in it that was fitted last."""
    chain, chains = state.viewport.active_chain, state.document.chains
    stages = chains[chain].stages if chain < len(chains) else ()
    places = [at for at, one in enumerate(stages) if is_fitted(one)]
    return chain, places[-1] if places else None


def note_of(state: SessionState, frame: FitFrame | None) -> str:
    """Return what is worth knowing of a fit where nothing is wrong."""
    if not state.document.filter_on or state.viewport.raw:
        return "The filter is off or hidden, so the traces do not show what is fitted"
    if frame is not None and frame.note:
        return frame.note
    chain, fitted = fitted_before(state)
    chains = state.document.chains
    stages = chains[chain].stages if chain < len(chains) else ()
    others = sum(one.enabled for at, one in enumerate(stages) if at != fitted)
    are = "is" if others == 1 else "are"
    return f"Comes behind the {counted(others, 'other stage')} that {are} on" if others else ""


@dataclass(slots=True, kw_only=True)
class FittedStage:
    """One fit's stage: where it stands, what stood there before, and what was written last."""

    chain: int
    stage: int
    original: Stage | None
    made_chain: bool
    spec: SectionsSpec
    merge_key: str

    def write(self, rows: tuple[Row, ...], dispatch: Dispatch) -> None:
        """Write other sections."""
        self.spec = SectionsSpec(rows=rows)
        dispatch(ReplaceSpec(chain=self.chain, stage=self.stage, spec=self.spec, merge_key=self.merge_key))

    def take_back(self, dispatch: Dispatch) -> None:
        """Put the chain back as it was."""
        key = self.merge_key
        if self.original is not None:
            dispatch(PutStageBack(chain=self.chain, stage=self.stage, content=self.original, merge_key=key))
        elif self.made_chain:
            dispatch(SetChains(chains=(), merge_key=key))
        else:
            dispatch(RemoveStage(chain=self.chain, stage=self.stage, merge_key=key))

    def stands_in(self, state: SessionState) -> bool:
        """Whether it is still where it was put, as it was written."""
        chains = state.document.chains
        if self.chain >= len(chains) or self.stage >= len(chains[self.chain].stages):
            return False
        if self.made_chain and (len(chains) > 1 or len(chains[0].stages) > 1):
            self.made_chain = False  # a person has put more into it
        return chains[self.chain].stages[self.stage].spec == self.spec


def put_stage(
    state: SessionState, place: tuple[int, int | None], rows: tuple[Row, ...], merge_key: str
) -> tuple[FittedStage, Action]:
    """Return a fitted stage that is about to be put into a chain, and the action that puts it there."""
    chain, stage = place
    chains, spec = state.document.chains, SectionsSpec(rows=rows)
    stages = chains[chain].stages if chain < len(chains) else ()
    fitted = FittedStage(
        chain=chain,
        stage=len(stages) if stage is None else stage,
        original=None if stage is None else stages[stage],
        made_chain=not chains,
        spec=spec,
        merge_key=merge_key,
    )
    made = Stage(spec=spec, name=FITTED)
    if stage is not None:
        return fitted, ReplaceSpec(chain=chain, stage=stage, spec=spec, merge_key=merge_key)
    if not chains:
        return fitted, SetChains(chains=(FilterChain(phase="zero", stages=(made,)),), merge_key=merge_key)
    return fitted, AddStage(chain=chain, at=fitted.stage, stage=made, merge_key=merge_key)
