"""One stage alone: the others are switched off, and back to what they were when it is over.

What was on is remembered in the viewport, so that solo moves from stage to stage and still ends where it began. The
switches themselves are the document's: solo is undone like any other edit.
"""

from __future__ import annotations

from dataclasses import replace

from jaxscope.filters.spec import Stage
from jaxscope.session.actions import SoloStage
from jaxscope.session.state import SessionState


def is_solo(stages: tuple[Stage, ...], number: int) -> bool:
    """Return whether of several stages this one alone is on."""
    return len(stages) > 1 and all(stage.enabled == (at == number) for at, stage in enumerate(stages))


def soloed(state: SessionState, action: SoloStage) -> SessionState:
    """Return the state with one stage alone, or with the stages on that were on before."""
    chains, view = state.document.chains, state.viewport
    if not 0 <= action.chain < len(chains) or not 0 <= action.stage < len(chains[action.chain].stages):
        return state
    stages = chains[action.chain].stages
    if len(stages) < 2:
        return state
    remembers: tuple[bool, ...] = view.before_solo if len(view.before_solo) == len(stages) else ()
    memory: tuple[bool, ...] = ()
    if is_solo(stages, action.stage):
        wanted = remembers or (True,) * len(stages)
    else:
        was_solo = any(is_solo(stages, number) for number in range(len(stages)))
        memory = remembers if was_solo and remembers else tuple(stage.enabled for stage in stages)
        wanted = tuple(number == action.stage for number in range(len(stages)))
    switched = tuple(replace(stage, enabled=on) for stage, on in zip(stages, wanted, strict=True))
    chain = replace(chains[action.chain], stages=switched)
    document = replace(state.document, chains=(*chains[: action.chain], chain, *chains[action.chain + 1 :]))
    viewport = replace(view, before_solo=memory, active_chain=action.chain, selected_stage=action.stage)
    return replace(state, document=document, viewport=viewport)
