"""Plain dataclasses from the values of a project file and back: each field is checked against its annotation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, replace
from sys import float_info
from typing import Any, get_args

from jaxscope.data.annotations import Annotation
from jaxscope.errors import ChainError
from jaxscope.filters.values import shown
from jaxscope.session.analysis import (
    Analysis,
    AnalysisPane,
    AnalysisView,
    Band,
    Estimator,
    FrequencyScale,
    LevelScale,
)
from jaxscope.session.fit import FitBand, FitGoal, FitPlan, FitSpan, Verb
from jaxscope.session.state import (
    LEAST_SHARE,
    SHORTEST_WINDOW_S,
    Arrangement,
    BadSpanPolicy,
    CoefficientForm,
    Face,
    Mode,
    Precision,
    ResponseView,
)
from jaxscope.session.sweep_measures import SweepMeasure

#: Dataclasses that stand in fields of others.
_NESTED = (Analysis, SweepMeasure, FitGoal, FitBand, FitSpan)
#: What an event in a project always tells.
_ALWAYS = ("onset_s", "duration_s", "text")
#: Least number that counts as above 0 for a gain, a scale or a rate.
TINY = 1e-300


def plain(value: Any) -> dict[str, Any]:
    """Return a dataclass of plain fields as an object of JSON."""
    return {item.name: _plain_value(getattr(value, item.name)) for item in fields(value)}


def _plain_value(content: Any) -> Any:
    if isinstance(content, tuple):
        return [_plain_value(part) for part in content]
    return plain(content) if isinstance(content, _NESTED) else content


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "mode": get_args(Mode),
    "arrangement": get_args(Arrangement),
    "face": get_args(Face),
    "coefficient_form": get_args(CoefficientForm),
    "response_view": get_args(ResponseView),
    "precision": get_args(Precision),
    "view": get_args(AnalysisView),
    "estimator": get_args(Estimator),
    "level_scale": get_args(LevelScale),
    "frequency_scale": get_args(FrequencyScale),
    "pane": get_args(AnalysisPane),
    "bad_spans": get_args(BadSpanPolicy),
    "verb": get_args(Verb),
}


#: What a person calls the types of JSON.
_WORDS: Mapping[type[Any], str] = {bool: "true or false", str: "a text", list: "a list", dict: "an object"}
#: Limits of numbers that a window cannot be drawn without.
_LEAST: Mapping[str, float] = {
    "view.start_s": 0,
    "view.duration_s": SHORTEST_WINDOW_S,
    "view.first_lane": 0,
    "view.lane_count": 1,
    "view.active_chain": 0,
    "view.selected_stage": 0,
    "view.split_share": LEAST_SHARE,
    "view.curtain_share": LEAST_SHARE,
    "view.paper_mm_s": TINY,
    "scales": TINY,
    "sensitivities": TINY,
    "looks.gain": TINY,
    "view.chosen_pin": 0,
    "pins.at": 0,
    "recording.size_bytes": 0,
    "recording.rate_hz": TINY,
}


def build(kind: type[Any], content: Any, where: str) -> Any:
    """Return a dataclass of plain fields, each checked against the type of its annotation."""
    if not isinstance(content, dict):
        raise ChainError(f"{where} of the project is {shown(content)}", hint="it must be an object")
    values = {}
    for item in fields(kind):
        if item.name in content:
            values[item.name] = checked(content[item.name], item, where)
    unknown = content.keys() - {item.name for item in fields(kind)}
    if unknown:
        raise ChainError(f"{where} of the project has an unknown field {shown(min(unknown))}", hint="remove it")
    needed = {item.name for item in fields(kind) if item.default is MISSING and item.default_factory is MISSING}
    if needed - values.keys():
        raise ChainError(f"{where} of the project has no field {shown(min(needed - values.keys()))}", hint="add it")
    return kind(**values)


def checked(value: Any, item: Field[Any], where: str) -> Any:
    """Return the value of one field of a dataclass; ChainError says what is wrong with it."""
    annotation, name = str(item.type), item.name
    where = f"{where}.{name}"
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            raise ChainError(
                f"{where} of the project is {shown(value)}", hint=f"it must be one of {', '.join(_CHOICES[name])}"
            )
        return value
    if value is None and annotation.endswith("| None"):
        return None
    kind = annotation.removesuffix(" | None")
    if kind in _LISTS:
        return tuple(_LISTS[kind](part, where) for part in of_type(value, list, where))
    return _SINGLE[kind](value, where) if kind in _SINGLE else value


def _whole(value: Any, where: str) -> int:
    number = number_in(value, where)
    if number != int(number):
        raise ChainError(f"{where} of the project is {shown(value)}", hint="it must be a whole number")
    return int(number)


def _pair_of_texts(value: Any, where: str) -> tuple[str, str]:
    pair = of_type(value, list, where)
    if len(pair) != 2:
        raise ChainError(f"{where} of the project has {shown(value)} in it", hint="it must be a list of pairs of texts")
    return of_type(pair[0], str, where), of_type(pair[1], str, where)


def _band(value: Any, where: str) -> Band:
    band = of_type(value, list, where)
    if len(band) != 3:
        raise ChainError(f"{where} of the project is {shown(value)}", hint="a band is a name and two limits in Hz")
    return of_type(band[0], str, where), number_in(band[1], where), number_in(band[2], where)


def of_type(value: Any, kind: type[Any], where: str) -> Any:
    """Return a value of a type of JSON; ChainError says where it is another."""
    if not isinstance(value, kind):
        raise ChainError(f"{where} of the project is {shown(value)}", hint=f"it must be {_WORDS[kind]}")
    return value


def number_in(value: Any, where: str) -> float:
    """Return a finite number within its limits."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # compared, not converted: an integer of JSON may be larger than any float, and NaN is not below anything
    if not (is_number and abs(value) <= float_info.max):
        raise ChainError(f"{where} of the project is {shown(value)}", hint="it must be a finite number")
    if value < _LEAST.get(where, value):
        limit = "above 0" if _LEAST[where] == TINY else f"{_LEAST[where]:g} or more"
        raise ChainError(f"{where} of the project is {shown(value)}", hint=f"it must be {limit}")
    return float(value)


Read = Callable[[Any, str], Any]
#: by the type that a field is written with: what reads one, and one of a list; others are read by who knows them
_SINGLE: Mapping[str, Read] = {
    "bool": lambda value, where: of_type(value, bool, where),
    "str": lambda value, where: of_type(value, str, where),
    "int": _whole,
    "float": number_in,
    "Annotation": lambda value, where: event_in(value, where),
    "Analysis": lambda value, where: build(Analysis, value, where),
}
_LISTS: Mapping[str, Read] = {
    "tuple[tuple[str, str], ...]": _pair_of_texts,
    "tuple[SweepMeasure, ...]": lambda value, where: build(SweepMeasure, value, where),
    "tuple[FitGoal, ...]": lambda value, where: build(FitGoal, value, where),
    "tuple[FitBand, ...]": lambda value, where: build(FitBand, value, where),
    "tuple[FitSpan, ...]": lambda value, where: build(FitSpan, value, where),
    "tuple[Band, ...]": _band,
    "tuple[str, ...]": _SINGLE["str"],
    "tuple[bool, ...]": _SINGLE["bool"],
    "tuple[float, ...]": number_in,
}


def fit_in(content: Mapping[str, Any]) -> FitPlan:
    """Return the goals of a fit and its limits, the usual ones where there are none."""
    plan: FitPlan = build(FitPlan, content.get("fit", {}), "fit")
    return plan


def choice_in(content: Mapping[str, Any], name: str, otherwise: str) -> Any:
    """Return one of the words that a part of a project may be."""
    value = content.get(name, otherwise)
    if value not in _CHOICES[name]:
        raise ChainError(
            f"{name} of the project is {shown(value)}", hint=f"it must be one of {', '.join(_CHOICES[name])}"
        )
    return value


def event_in(content: Any, where: str) -> Annotation:
    """Return an event; a duration below 0, as older programs wrote for none, is none."""
    event: Annotation = build(Annotation, content, where)
    return replace(event, duration_s=None) if event.duration_s is not None and event.duration_s < 0 else event


def event_to_dict(event: Annotation) -> dict[str, Any]:
    """Return an event as an object of JSON, without what it does not tell."""
    content = plain(event)
    return {name: value for name, value in content.items() if name in _ALWAYS or value}


def list_in(content: Mapping[str, Any], name: str) -> list[Any]:
    """Return the list of a part, empty where it is not there."""
    value: list[Any] = of_type(content.get(name, []), list, name)
    return value


def dict_in(content: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the object of a part, empty where it is not there."""
    value: dict[str, Any] = of_type(content.get(name, {}), dict, name)
    return value
