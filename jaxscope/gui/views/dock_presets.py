"""What a preset makes of a chain: of the shelf, or one that a person has kept. Channels and name of the chain stay."""

from __future__ import annotations

from dataclasses import replace

from jaxscope.filters.presets import FittedPreset
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.own_presets import OwnPreset


def with_own(chain: FilterChain | None, preset: OwnPreset) -> FilterChain:
    """Return what an own preset holds, for the channels of a chain."""
    old = FilterChain(name=preset.name) if chain is None else chain
    return replace(preset.chain, name=old.name or preset.name, channels=old.channels)


def with_preset(chain: FilterChain | None, fitted: FittedPreset) -> FilterChain:
    """Return a chain with the stages of a preset; one that adds leaves out what is there already."""
    old = FilterChain(phase="zero") if chain is None else chain
    stages = fitted.stages
    if fitted.preset.adds:
        there = {getattr(stage.spec, "frequency_hz", None) for stage in old.stages if _is_notch(stage)}
        new = (stage for stage in stages if getattr(stage.spec, "frequency_hz", None) not in there)
        stages = (*old.stages, *new)
    return replace(old, stages=stages, phase=fitted.preset.phase or old.phase)


def _is_notch(stage: Stage) -> bool:
    return stage.enabled and stage.spec.family == "notch"
