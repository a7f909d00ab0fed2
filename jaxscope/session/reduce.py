"""The next state from an action: one pure function.

An action that cannot be (a stage that is not there, a value that a spec refuses) raises or returns the same state;
nothing is half-changed.
"""

from __future__ import annotations

import math
from dataclasses import replace

from jaxscope.data.annotations import in_order
from jaxscope.errors import SpecError
from jaxscope.filters.channels import chain_for
from jaxscope.filters.quantisation import bits_of
from jaxscope.filters.spec import AbstractFilterSpec, FilterChain, Stage
from jaxscope.session import actions as act
from jaxscope.session.actions_events import FoundEvents
from jaxscope.session.actions_fit import LimitFit, RemoveGoal, SetGoal
from jaxscope.session.actions_live import reduce_live
from jaxscope.session.coefficients import at_origin, edited_spec, is_manual
from jaxscope.session.events import with_events, with_selected_event
from jaxscope.session.fit import with_goal, without_goal
from jaxscope.session.found_events import with_found_events
from jaxscope.session.pins import looking_at_own_chains, with_limits, with_pins
from jaxscope.session.roots import moved_inside, rooted_spec
from jaxscope.session.solo import soloed
from jaxscope.session.state import (
    CHAIN_TAGS,
    LEAST_SHARE,
    SHORTEST_WINDOW_S,
    VIEW_FIELDS,
    Document,
    SessionState,
    Viewport,
)
from jaxscope.session.sweep_measures import MOST_MEASURES

_DISPLAY_CHOICES = frozenset(
    {
        "remove_offset",
        "negative_up",
        "antialias",
        "clip_lanes",
        "show_before",
        "show_events",
        "show_scale_bars",
        "show_overview",
        "clock_time",
        "lock_scales",
        "line_up",
    }
)


def reduce(state: SessionState, action: act.Action) -> SessionState:
    """Return the state after ``action``; the very same object where nothing changes.

    Raises
    ------
    SpecError
        Where a spec refuses a value; the state stays as it was.
    """
    if isinstance(action, act.SoloStage):
        return soloed(state, action)
    document = _reduce_document(state.document, action)
    viewport = looking_at_own_chains(_reduce_viewport(state.viewport, action, document), state.document, document)
    engine = state.engine
    if isinstance(action, act.ChooseEngine):
        engine = replace(
            engine,
            device=action.device or engine.device,
            precision=action.precision or engine.precision,
            method=action.method or engine.method,
        )
    live = reduce_live(state.live, action)
    if document.recording != state.document.recording or isinstance(action, act.OpenedRecording | act.LoadedProject):
        live = replace(live, running="")
    following = SessionState(document=document, viewport=viewport, engine=engine, live=live)
    return state if following == state else following


def _reduce_document(document: Document, action: act.Action) -> Document:
    match action:
        case act.OpenedRecording():
            events = in_order(action.annotations)
            return replace(document, recording=action.recording, annotations=events, read_events=events)
        case FoundEvents():
            return with_found_events(document, action)
        case act.ClosedRecording():
            return replace(document, recording=None, annotations=(), read_events=())
        case act.LoadedProject():
            return action.document
        case act.SetChains():
            if len(action.chains) > len(CHAIN_TAGS):
                raise SpecError(
                    "chains", f"{len(action.chains)} chains are too many", hint=f"use up to {len(CHAIN_TAGS)}"
                )
            return replace(document, chains=action.chains)
        case act.SetMontage():
            chains = document.chains if action.chains is None else action.chains
            return replace(document, montage=action.montage, chains=chains)
        case act.ToggleFilter():
            return replace(document, filter_on=action.on)
        case act.AssignChannel():
            return replace(document, chains=_assigned(document.chains, action))
        case act.SetLook() | act.HideChannels() | act.ShowAllChannels():
            return _with_looks(document, action)
        case act.SetChannelOrder():
            return replace(document, channel_order=action.names)
        case act.SetLimits():
            return with_limits(document, action)
        case SetGoal() | RemoveGoal() | LimitFit():
            return _with_fit(document, action)
        case act.PinChain() | act.RenamePin() | act.RemovePin() | act.UsePin():
            return with_pins(document, action)
        case _:
            return _reduce_chain(with_events(document, action), action)


def _with_fit(document: Document, action: SetGoal | RemoveGoal | LimitFit) -> Document:
    plan = document.fit
    match action:
        case SetGoal():
            plan = with_goal(plan, action.goal, action.at)
        case RemoveGoal():
            plan = without_goal(plan, action.at)
        case LimitFit():
            most_poles = plan.most_poles if action.most_poles is None else action.most_poles
            ringing_s = plan.ringing_s if action.ringing_s is None else action.ringing_s
            plan = replace(plan, most_poles=most_poles, ringing_s=ringing_s)
    return replace(document, fit=plan)


def _reduce_chain(document: Document, action: act.Action) -> Document:
    index = getattr(action, "chain", None)
    if not isinstance(index, int) or isinstance(action, act.SelectStage) or not 0 <= index < len(document.chains):
        return document
    chain = document.chains[index]
    match action:
        case act.SetPhase():
            chain = replace(chain, phase=action.phase)
        case act.SetInitial():
            chain = replace(chain, initial=action.initial)
        case act.SetPadding():
            chain = replace(chain, padding=action.padding)
        case act.SetGaps():
            chain = replace(chain, gaps=action.gaps)
        case act.SetChainChannels():
            chain = replace(chain, channels=action.channels)
        case _:
            chain = replace(chain, stages=_reduce_stages(chain.stages, action))
    chains = (*document.chains[:index], chain, *document.chains[index + 1 :])
    return replace(document, chains=chains)


def _reduce_stages(stages: tuple[Stage, ...], action: act.Action) -> tuple[Stage, ...]:
    if isinstance(action, act.AddStage):
        at = min(max(action.at, 0), len(stages))
        return (*stages[:at], action.stage, *stages[at:])
    at = getattr(action, "stage", -1)
    if not isinstance(at, int) or not 0 <= at < len(stages):
        return stages
    others = stages[:at] + stages[at + 1 :]
    match action:
        case act.RemoveStage():
            return others
        case act.MoveStage():
            to = min(max(action.to, 0), len(others))
            return (*others[:to], stages[at], *others[to:])
        case _:
            return (*stages[:at], _reduce_stage(stages[at], action), *stages[at + 1 :])


def _reduce_stage(stage: Stage, action: act.Action) -> Stage:
    match action:
        case act.EnableStage():
            return replace(stage, enabled=action.enabled)
        case act.RenameStage():
            return replace(stage, name=action.name)
        case act.ReplaceSpec():
            return replace(stage, spec=action.spec, origin=None)
        case act.TurnKnob():
            return replace(stage, spec=stage.spec.with_value(action.name, action.value))
        case act.EditCoefficient():
            origin = stage.origin if is_manual(stage.spec) else stage.spec
            return at_origin(replace(stage, spec=edited_spec(stage.spec, action), origin=origin), action.rate_hz)
        case act.EditRoots():
            origin = stage.origin if is_manual(stage.spec) else stage.spec
            return replace(stage, spec=rooted_spec(action), origin=origin)
        case act.PutStageBack():
            return action.content
        case act.MovePolesInside():
            return replace(stage, spec=moved_inside(stage.spec) or stage.spec)
        case act.RevertToDesign() if stage.origin is not None:
            return replace(stage, spec=stage.origin, origin=None)
        case _:
            return stage


def _assigned(chains: tuple[FilterChain, ...], action: act.AssignChannel) -> tuple[FilterChain, ...]:
    names: list[list[str]] = [[] for _ in chains]
    for name in action.data_channels:
        chosen = action.chain if name == action.channel else chain_for(chains, name, is_data=True)
        if chosen is not None and 0 <= chosen < len(chains):
            names[chosen].append(name)
    return tuple(replace(chain, channels=tuple(own)) for chain, own in zip(chains, names, strict=True))


def _with_looks(document: Document, action: act.Action) -> Document:
    looks = dict(document.looks)
    match action:
        case act.SetLook():
            looks[action.channel] = action.look
        case act.HideChannels():
            for name in action.names:
                looks[name] = replace(document.look_of(name), hidden=True)
        case act.ShowAllChannels():
            looks = {name: replace(look, hidden=False) for name, look in looks.items()}
    return replace(document, looks=tuple(looks.items()))


def _at_the_start(viewport: Viewport, whole_s: float | None) -> Viewport:
    """Return how another recording is looked at first: nothing is kept that belongs to the one before."""
    return replace(
        viewport,
        start_s=0.0,
        duration_s=max(min(viewport.duration_s, whole_s or viewport.duration_s), SHORTEST_WINDOW_S),
        first_lane=0,
        lane_count=None,
        scales=(),
        selected_channels=(),
        cursors_s=(),
        raw=False,
        together=(),
        sensitivities=(),
        paper_mm_s=None,
        selected_event=None,
    )


def _reduce_viewport(viewport: Viewport, action: act.Action, document: Document) -> Viewport:
    match action:
        case act.OpenedRecording():
            viewport = _at_the_start(viewport, action.duration_s)
            viewport = replace(viewport, analysis=viewport.analysis.for_kind(action.main_kind))
        case act.LoadedProject():
            viewport = action.viewport
        case act.LookAt():
            viewport = _looking_at(viewport, action)
        case act.SetScale():
            scales = _with_entry(viewport.scales, action.kind, action.units_per_lane)
            sensitivities = _with_entry(viewport.sensitivities, action.kind, None)
            # a height that was chosen is one that stays
            viewport = replace(viewport, scales=scales, sensitivities=sensitivities, lock_scales=True)
        case act.SetSensitivity():
            sensitivities = _with_entry(viewport.sensitivities, action.kind, action.units_per_mm)
            viewport = replace(viewport, sensitivities=sensitivities)
        case act.SetDisplay() if action.name in _DISPLAY_CHOICES:
            viewport = replace(viewport, **{action.name: action.value})  # type: ignore[arg-type]
        case act.AddStage():
            viewport = replace(viewport, active_chain=action.chain, selected_stage=action.at)
        case act.MoveStage() if action.stage == viewport.selected_stage and action.chain == viewport.active_chain:
            viewport = replace(viewport, selected_stage=action.to)
        case act.PinChain():
            viewport = replace(viewport, chosen_pin=max(len(document.pins) - 1, 0), shows_pin=False)
        case act.SelectStage():
            viewport = replace(viewport, active_chain=action.chain, selected_stage=action.stage)
        case _:
            viewport = _reduce_looks(viewport, action)
    return with_stage_in_range(viewport, document)


def _reduce_looks(viewport: Viewport, action: act.Action) -> Viewport:
    match action:
        case act.ChooseMode():
            return replace(viewport, mode=action.mode)
        case act.HideChannels():  # what is not seen is not worked on
            kept = tuple(name for name in viewport.selected_channels if name not in action.names)
            return replace(viewport, selected_channels=kept)
        case act.ShowRaw():
            return replace(viewport, raw=action.raw)
        case act.PutViewBack():
            return replace(viewport, **{name: getattr(action.view, name) for name in VIEW_FIELDS})
        case act.PlaceDivider():
            share = min(1.0 - LEAST_SHARE, max(LEAST_SHARE, action.share))
            return replace(viewport, **{f"{action.mode}_share": share})  # type: ignore[arg-type]
        case act.Arrange():
            return replace(viewport, arrangement=action.arrangement, together=action.together)
        case act.ShowLanes():
            count = None if action.count is None else max(1, action.count)
            return replace(viewport, first_lane=max(0, action.first), lane_count=count)
        case act.SelectChannels():
            return replace(viewport, selected_channels=action.names)
        case act.ChooseFace():
            return replace(viewport, face=action.face, coefficient_form=action.form or viewport.coefficient_form)
        case act.ChooseWord():
            if action.word:
                bits_of(action.word)
            return replace(viewport, word=action.word)
        case act.ChooseResponse():
            return replace(viewport, response_view=action.view)
        case act.SetCursors():
            return replace(viewport, cursors_s=action.cursors_s[:2])
        case act.SetAnalysis():
            return replace(viewport, analysis=action.analysis)
        case act.SetSweepMeasures():
            return replace(viewport, sweep_measures=action.measures and action.measures[:MOST_MEASURES])
        case act.ChoosePin():
            return replace(viewport, chosen_pin=max(0, action.pin))
        case act.ShowPin():
            return replace(viewport, shows_pin=action.on)
        case _:
            return with_selected_event(viewport, action)


def _looking_at(viewport: Viewport, action: act.LookAt) -> Viewport:
    start_s, duration_s = action.start_s, max(action.duration_s, SHORTEST_WINDOW_S)
    if action.total_s is not None:
        duration_s = min(duration_s, max(action.total_s, SHORTEST_WINDOW_S))
        start_s = min(start_s, action.total_s - duration_s)
    is_same_length = math.isclose(duration_s, viewport.duration_s, rel_tol=1e-9)
    paper_mm_s = action.paper_mm_s or (viewport.paper_mm_s if is_same_length else None)
    return replace(viewport, start_s=max(0.0, start_s), duration_s=duration_s, paper_mm_s=paper_mm_s)


def _with_entry(
    entries: tuple[tuple[str, float], ...], kind: str, value: float | None
) -> tuple[tuple[str, float], ...]:
    """Return sorted (kind, value) pairs with another value of one kind; None takes it away."""
    table = dict(entries)
    table.pop(kind, None)
    if value is not None:
        table[kind] = value
    return tuple(sorted(table.items()))


def with_stage_in_range(viewport: Viewport, document: Document) -> Viewport:
    """Return the viewport with a chain and a stage selected that the document has."""
    chain = min(max(viewport.active_chain, 0), max(len(document.chains) - 1, 0))
    count = len(document.chains[chain].stages) if document.chains else 0
    stage = min(max(viewport.selected_stage, 0), max(count - 1, 0))
    if (chain, stage) == (viewport.active_chain, viewport.selected_stage):
        return viewport
    return replace(viewport, active_chain=chain, selected_stage=stage)


def stage_spec(state: SessionState, chain: int, stage: int) -> AbstractFilterSpec | None:
    """Return the spec of a stage, or None where there is no such stage."""
    chains = state.document.chains
    if 0 <= chain < len(chains) and 0 <= stage < len(chains[chain].stages):
        return chains[chain].stages[stage].spec
    return None
