"""Values of the traces as text: tab-separated, with a heading, for a spreadsheet.

At one time a row a channel holds the sample before and after, or the lowest and highest of the bin where a pixel holds
several. Between two cursors it holds the sizes that the box shows. The difference follows where it
is looked at. Numbers are written with all their digits.
"""

from __future__ import annotations

from collections.abc import Iterable

from jaxscope.gui.views.traces_model import TracesModel
from jaxscope.gui.views.traces_values import Sizes, Value

_AT = ("channel", "unit", "time_s", "before_low", "before_high", "after_low", "after_high")
_AT_DIFFERENCE = ("difference_low", "difference_high")
_SIZES = ("delta", "slope_per_s", "rms", "rms_about_mean", "peak_to_peak")


def copied_text(model: TracesModel, second: float | None) -> str:
    """Return what to put on the clipboard; empty where there is nothing to tell."""
    if len(model.state.viewport.cursors_s) == 2:
        return _between(model)
    if second is None or not model.lanes:
        return ""
    rows = []
    for lane in model.lanes:
        values = model.values_at(lane, second)
        known = (values.before, values.after, values.difference)[: 3 if model.shows_difference else 2]
        ends = [text for value in known for text in _ends(value)]
        rows.append((lane.title, lane.unit, repr(second), *ends))
    return _table((*_AT, *_AT_DIFFERENCE) if model.shows_difference else _AT, rows)


def _between(model: TracesModel) -> str:
    start_s, stop_s = sorted(model.state.viewport.cursors_s)
    heading = ["channel", "unit", "start_s", "stop_s"]
    sides = ("before", "after", "difference") if model.shows_difference else ("before", "after")
    heading += [f"{side}_{name}" for side in sides for name in _SIZES]
    rows = []
    for lane in model.lanes:
        found = model.measures_of(lane)
        if found is not None:
            known = (found.before, found.after, found.removed)[: len(sides)]
            sizes = [text for one in known for text in _sizes(one, found.span_s)]
            rows.append((lane.title, lane.unit, repr(start_s), repr(stop_s), *sizes))
    return _table(heading, rows) if rows else ""


def _ends(value: Value | None) -> tuple[str, str]:
    return ("", "") if value is None else (repr(value.low), repr(value.high))


def _sizes(sizes: Sizes | None, span_s: float) -> tuple[str, ...]:
    if sizes is None:
        return ("",) * len(_SIZES)
    slope = sizes.change / span_s if span_s > 0 else float("nan")
    return tuple(repr(value) for value in (sizes.change, slope, sizes.rms, sizes.deviation, sizes.peak_to_peak))


def _table(heading: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in (heading, *rows))
