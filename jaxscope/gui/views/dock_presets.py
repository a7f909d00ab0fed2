"""What a preset makes of a chain: of the shelf, or one that a person has kept. Channels and name of the chain stay.

A chain that is begun is for the channels that are fast enough for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from jaxscope.compute.designs import Refusal, design_or_refusal
from jaxscope.data.recording import Channel
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


def for_fast_enough(chain: FilterChain, channels: Iterable[Channel]) -> FilterChain:
    """Return a chain that is begun for the signals whose rates can hold it; for all where all can, or none."""
    signals = [channel for channel in channels if channel.is_data and channel.rate_hz]
    rates_hz = {channel.rate_hz or 0.0 for channel in signals}
    enough = {rate_hz for rate_hz in rates_hz if not isinstance(design_or_refusal(chain, rate_hz), Refusal)}
    if enough in (set(), rates_hz):
        return chain
    return replace(chain, channels=tuple(channel.name for channel in signals if channel.rate_hz in enough))


def _is_notch(stage: Stage) -> bool:
    return stage.enabled and stage.spec.family == "notch"
