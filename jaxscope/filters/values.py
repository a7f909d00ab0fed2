"""From a value as somebody typed or stored it to a plain, hashable one; or a sentence why not.

Every field of a spec passes here once, on construction, whether it comes from a form, a chain file or Python. The
invariant: after that a spec holds only float, int, bool, str, None and tuples of them, finite and of the right count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Any

from jaxscope.errors import SpecError

MAX_NUMBERS = 1_000_000
MAX_SHOWN = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A field of a spec as a form sees it.

    ``low`` and ``high`` hold at any rate; ``reach`` is the span of the slider where that is narrower (infinity: up
    to half the rate). ``kind`` is a name in ``KINDS`` and decides the control: ``number``, ``count``, ``flag``,
    ``choice``, ``edges`` (one number or two), ``window``, and the tables ``numbers``, ``points`` and ``rows``.
    """

    name: str
    label: str
    default: Any
    low: float | None
    high: float | None
    step: float | None
    unit: str
    log: bool
    choices: tuple[str, ...]
    optional: bool
    kind: str
    reach: tuple[float, float] | None


def shown(value: object) -> str:
    """Return a value as it may stand in a sentence: short, as a chain file has it, numbers without needless digits."""
    if isinstance(value, float):
        return f"{value:.10g}"
    text = f'"{value}"' if isinstance(value, str) else _as_json(value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def _as_json(value: object) -> str:
    """Return what JSON knows as JSON writes it, and else as Python does."""
    if value is None or isinstance(value, (bool, list, dict)):
        with suppress(TypeError, ValueError, RecursionError):
            return json.dumps(value, ensure_ascii=False)
    return repr(value)


def real(field: str, value: object) -> float:
    """Return a finite float, or raise SpecError."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise SpecError(field, f"{field} is {shown(value)}, which is not a number", hint="give a number")
    try:
        result = float(value)
    except OverflowError:
        result = float("inf")
    if not isfinite(result):
        raise SpecError(field, f"{field} is {shown(result)}", hint="give a finite number")
    return result


def whole(field: str, value: object) -> int:
    """Return an int (4.0 counts as one), or raise SpecError."""
    number = real(field, value)
    if isinstance(value, Integral):
        return int(value)
    if number != int(number):
        raise SpecError(field, f"{field} is {shown(number)}", hint="give a whole number")
    return int(number)


def _within(knob: Knob, value: float) -> None:
    unit = f" {knob.unit}" if knob.unit else ""
    if knob.low is not None and value < knob.low:
        raise SpecError(
            knob.name,
            f"{shown(value)}{unit} is too small for {knob.name}",
            hint=f"give {shown(knob.low)}{unit} or more",
        )
    if knob.high is not None and value > knob.high:
        raise SpecError(
            knob.name,
            f"{shown(value)}{unit} is too large for {knob.name}",
            hint=f"give {shown(knob.high)}{unit} or less",
        )


def _number(knob: Knob, value: object) -> float:
    number = real(knob.name, value)
    _within(knob, number)
    return number


def _count(knob: Knob, value: object) -> int:
    number = whole(knob.name, value)
    _within(knob, number)
    return number


def _flag(knob: Knob, value: object) -> bool:
    if not isinstance(value, bool):
        raise SpecError(knob.name, f"{knob.name} is {shown(value)}", hint="give true or false")
    return value


def _choice(knob: Knob, value: object) -> str:
    if not isinstance(value, str) or value not in knob.choices:
        raise SpecError(
            knob.name, f"{knob.name} is {shown(value)}, which is not known", hint=f"choose {', '.join(knob.choices)}"
        )
    return value


def listed(field: str, value: object) -> tuple[object, ...]:
    """Return the items of a list, tuple or one-dimensional array, or raise SpecError."""
    if isinstance(value, (str, bytes, dict)) or not isinstance(value, Iterable):
        raise SpecError(field, f"{field} is {shown(value)}, which is not a list", hint="give a list of numbers")
    items = tuple(value)
    if len(items) > MAX_NUMBERS:
        raise SpecError(field, f"{field} has {len(items)} entries", hint=f"give {MAX_NUMBERS} or fewer")
    return items


def _numbers(knob: Knob, value: object) -> tuple[float, ...]:
    numbers = tuple(real(knob.name, item) for item in listed(knob.name, value))
    for number in numbers:
        _within(knob, number)
    return numbers


def _edges(knob: Knob, value: object) -> float | tuple[float, float]:
    if isinstance(value, (str, bytes, dict)) or not isinstance(value, Iterable):
        return _number(knob, value)
    numbers = _numbers(knob, value)
    if len(numbers) == 1:
        return numbers[0]
    if len(numbers) != 2:
        raise SpecError(knob.name, f"{knob.name} has {len(numbers)} numbers", hint="give one edge, or a pair of edges")
    return (numbers[0], numbers[1])


def _points(knob: Knob, value: object) -> tuple[tuple[float, float], ...]:
    points = []
    for item in listed(knob.name, value):
        if isinstance(item, complex):
            pair: tuple[object, ...] = (item.real, item.imag)
        elif isinstance(item, Iterable):
            pair = listed(knob.name, item)
        else:
            pair = (item, 0.0)
        if len(pair) != 2:
            raise SpecError(knob.name, f"{shown(item)} in {knob.name} is not a pair", hint="give [re, im]")
        points.append((_number(knob, pair[0]), _number(knob, pair[1])))
    return tuple(points)


def _rows(knob: Knob, value: object) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(_number(knob, number) for number in listed(knob.name, row)) for row in listed(knob.name, value))


def _window(knob: Knob, value: object) -> str | tuple[str, float]:
    if isinstance(value, str):
        return value
    items = listed(knob.name, value)
    if len(items) == 1 and isinstance(items[0], str):
        return items[0]
    if len(items) != 2 or not isinstance(items[0], str):
        raise SpecError(
            knob.name, f"window is {shown(value)}", hint='give a name, or a name and a number: ["kaiser", 8.6]'
        )
    return (items[0], real(knob.name, items[1]))


KINDS: dict[str, Callable[[Knob, object], Any]] = {
    "number": _number,
    "count": _count,
    "flag": _flag,
    "choice": _choice,
    "edges": _edges,
    "window": _window,
    "numbers": _numbers,
    "points": _points,
    "rows": _rows,
}


def coerce(knob: Knob, value: object) -> Any:
    """Return ``value`` as the plain value that the field holds, or raise SpecError naming the field."""
    if value is None:
        if knob.optional:
            return None
        raise SpecError(knob.name, f"{knob.name} is missing", hint="give a value")
    return KINDS[knob.kind](knob, value)


def kind_of(default: object, choices: tuple[str, ...]) -> str:
    """Return the kind of a knob that does not name one, from its default."""
    if choices:
        return "choice"
    for type_, kind in ((bool, "flag"), (int, "count"), (float, "number"), (tuple, "numbers")):
        if isinstance(default, type_):
            return kind
    return "number"
