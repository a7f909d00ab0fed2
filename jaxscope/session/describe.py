"""The difference of two documents in a few words, for the tooltips of undo and redo."""

from __future__ import annotations

from dataclasses import fields, replace

from jaxscope.filters.montage import Montage
from jaxscope.filters.shapes import name_of_chain, stage_title
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.events import describe_events
from jaxscope.session.fit import describe_fit
from jaxscope.session.fitted import is_fitted, is_fitted_anew
from jaxscope.session.state import Document

_PHASES = {"causal": "Causal", "zero": "Zero-phase", "minimum": "Minimum phase"}


def describe_change(before: Document, after: Document) -> str:
    """Return what changed, such as ``"Butterworth cutoff 40 → 38 Hz"``; never empty."""
    if before.filter_on != after.filter_on:
        return "Filter on" if after.filter_on else "Filter off"
    if before.montage != after.montage:
        return _describe_montage(before.montage, after.montage)
    if before.chains != after.chains:
        return _describe_chains(before.chains, after.chains)
    if before.looks != after.looks or before.channel_order != after.channel_order:
        return "Channel display"
    if before.annotations != after.annotations:
        return describe_events(before.annotations, after.annotations)
    if before.bad_spans != after.bad_spans:
        return "Leave bad spans out" if after.bad_spans == "exclude" else "Filter bad spans too"
    if before.limits != after.limits:
        return "Limits"
    if before.fit != after.fit:
        return describe_fit(before.fit, after.fit)
    if before.pins != after.pins:
        return _describe_pins(before, after)
    return "Edit"


def _describe_montage(before: Montage | None, after: Montage | None) -> str:
    if after is None:
        return "Montage off"
    old = () if before is None or before.kind != after.kind else before.rows
    if len(old) == len(after.rows):
        changed = [row for row, was in zip(after.rows, old, strict=True) if row != was]
        if len(changed) == 1:
            return f"Channel {changed[0][0]} of the montage"
    return f"Montage {after.title}"


def _describe_pins(before: Document, after: Document) -> str:
    if len(after.pins) > len(before.pins):
        return f"Pin {after.pins[-1].name}"
    if len(after.pins) < len(before.pins):
        gone = next((pin for pin, kept in zip(before.pins, after.pins, strict=False) if pin != kept), before.pins[-1])
        return f"Remove pin {gone.name}"
    return "Rename pin"


def _describe_number(before: tuple[FilterChain, ...], after: tuple[FilterChain, ...]) -> str:
    added = [chain for chain in after if chain not in before]
    gone = [chain for chain in before if chain not in after]
    if len(added) == 1 and len(after) == len(before) + 1:
        if added[0].stages and all(map(is_fitted, added[0].stages)):
            return "Fit a filter"
        return f"Filter {added[0].name or name_of_chain(added[0])}"
    if len(gone) == 1 and len(after) == len(before) - 1:
        return f"Remove filter {gone[0].name or name_of_chain(gone[0])}"
    return "Chains"


def _describe_chains(before: tuple[FilterChain, ...], after: tuple[FilterChain, ...]) -> str:
    if len(before) != len(after):
        return _describe_number(before, after)
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    if len(changed) != 1:
        return "Channels of the chains"
    old, new = changed[0]
    if old.stages == new.stages:
        return _describe_running(old, new)
    if abs(len(old.stages) - len(new.stages)) > 1:
        return "Stages of the chain"
    if len(old.stages) < len(new.stages):
        return "Fit a filter" if any(is_fitted(one) for one in new.stages if one not in old.stages) else "Add stage"
    if len(old.stages) > len(new.stages):
        return "Remove stage"
    stages = [(one, other) for one, other in zip(old.stages, new.stages, strict=True) if one != other]
    if len(stages) == 1:
        return _describe_stage(*stages[0])
    return "Move stage" if set(old.stages) == set(new.stages) else "Stages of the chain"


def _describe_running(before: FilterChain, after: FilterChain) -> str:
    if before.channels != after.channels:
        return "Channels of the chain"
    if before.phase != after.phase:
        return f"{_PHASES[before.phase]} to {_PHASES[after.phase].lower()}"
    if before.gaps != after.gaps:
        return "Start anew at gaps" if after.gaps == "segment" else "Run on over gaps"
    if before.initial != after.initial:
        return f"Start {before.initial} → {after.initial}"
    return "Padding" if before.padding != after.padding else "Name of the chain"


def _describe_stage(before: Stage, after: Stage) -> str:
    title = stage_title(after)
    if after.spec.family == "zpk" and before.spec != after.spec:
        return _describe_roots(before, after)
    if before.enabled != after.enabled:
        return f"{title} {'on' if after.enabled else 'off'}"
    if is_fitted_anew(before, after):
        return "Fit the filter again"
    if before.spec.family != after.spec.family:
        return f"{stage_title(before)} to {title}"
    for item in fields(after.spec):
        old, new = getattr(before.spec, item.name), getattr(after.spec, item.name)
        if old != new:
            return _describe_value(title, item.name, old, new)
    return title


def _describe_roots(before: Stage, after: Stage) -> str:
    title = stage_title(replace(after, spec=after.origin or after.spec))
    if before.spec.family != "zpk":
        return f"Poles and zeros of {title}"
    names = [name for name in ("poles", "zeros") if getattr(before.spec, name) != getattr(after.spec, name)]
    if not names:
        return f"Gain of {title}"
    more = len(getattr(after.spec, names[0])) - len(getattr(before.spec, names[0]))
    verb = "Move" if more == 0 else "Add" if more > 0 else "Remove"
    return f"{verb} {' and '.join(names)} of {title}"


def _describe_value(title: str, name: str, old: object, new: object) -> str:
    words, unit = name, ""
    for suffix, text in (("_hz", " Hz"), ("_db", " dB")):
        if name.endswith(suffix):
            words, unit = name.removesuffix(suffix), text
    plain = all(isinstance(value, int | float | str) for value in (old, new))
    change = f" {_short(old)} → {_short(new)}{unit}" if plain else ""
    return f"{title} {words.replace('_', ' ')}{change}"


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
