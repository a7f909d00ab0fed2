"""The benchmark as one picture: a panel for what moves, each line a contender, both axes logarithmic.

Drawn with what the window is drawn with. Invariant: a panel shows rows of the benchmark and nothing else; a scene that
was not run has no panel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from jaxscope.errors import WriteError
from jaxscope.gui.assets import tokens
from jaxscope.gui.fonts import load_fonts, make_font
from jaxscope.gui.session import make_application

Rows = Sequence[Mapping[str, Any]]

_SIZE = (1600, 1000)
_SCALE = 2
_MARGIN, _GAP, _TOP = 40.0, 28.0, 84.0
#: room in a panel for its title and legend, its numbers at the left and below
_HEAD, _LEFT, _FOOT = 58.0, 54.0, 34.0
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SOLID, _DASHED = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One contender of a panel."""

    title: str
    colour: str
    points: tuple[tuple[float, float], ...]
    pen: Qt.PenStyle = _SOLID


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One diagram."""

    title: str
    below: str
    lines: tuple[Line, ...]


def _line(title: str, colour: str, rows: Rows, x: str, y: str, *, by: float = 1.0, pen: Qt.PenStyle = _SOLID) -> Line:
    points = tuple((float(row[x]), float(row[y]) * by) for row in rows if row.get(y))
    return Line(title=title, colour=colour, points=points, pen=pen)


def _sweep(name: str, below: str, rows: Rows) -> Panel:
    own = [row for row in rows if row.get("sweep") == name]
    narrow, wide = ([row for row in own if row["precision"] == kind] for kind in ("float32", "float64"))
    ours, theirs, threads = "ours_ns_per_sample", "reference_ns_per_sample", "threads_ns_per_sample"
    return Panel(
        title=f"ns per sample by {name}",
        below=below,
        lines=(
            _line("float32", "after", narrow, "value", ours),
            _line("float64", "t7", wide, "value", ours),
            _line("SciPy", "before_text", wide, "value", theirs),
            _line("threads over SciPy", "before_text", wide, "value", threads, pen=_DASHED),
        ),
    )


def _growth(rows: Rows) -> Panel:
    own = [dict(row) for row in rows if "n_total" in row]
    for row in own:
        row["ours_s"], row["its_s"] = (row[f"{who}_ns_per_sample"] * row["n_total"] for who in ("ours", "reference"))
    power = next((f", power {row['exponent']:.2f}" for row in own if "exponent" in row), "")
    return Panel(
        title=f"Milliseconds by channels × samples{power}",
        below="samples of 64 channels together",
        lines=(
            _line("float32", "after", own, "n_total", "ours_s", by=1e-6),
            _line("SciPy", "before_text", own, "n_total", "its_s", by=1e-6),
        ),
    )


def _sparse(rows: Rows) -> Panel:
    kinds = (("montage", "after"), ("FIR", "t3"))
    lines = (
        _line(kind, colour, [row for row in rows if row["name"].startswith(f"sparse: {kind}")], "density", "ratio")
        for kind, colour in kinds
    )
    return Panel(
        title="Times that sparse is faster than dense", below="share of entries that are not 0", lines=tuple(lines)
    )


_PANELS: tuple[Callable[[Rows], Panel], ...] = (
    lambda rows: _sweep("channels", "channels", rows),
    lambda rows: _sweep("samples", "samples a channel", rows),
    lambda rows: _sweep("sections", "second-order sections", rows),
    lambda rows: _sweep("taps", "taps", rows),
    _growth,
    _sparse,
)


def panels(rows: Rows) -> list[Panel]:
    """Return the panels for which there are rows, lines without points left out."""
    found: list[Panel] = []
    for make in _PANELS:
        made = make(rows)
        lines = tuple(line for line in made.lines if len(line.points) > 1)
        if lines:
            found.append(Panel(title=made.title, below=made.below, lines=lines))
    return found


def draw_bench(rows: Rows, path: str) -> None:
    """Draw the rows of the benchmark into a PNG file.

    Raises
    ------
    WriteError
        Where the scenes that were run have nothing to draw, or the file cannot be written.
    """
    shown = panels(rows)
    if not shown:
        raise WriteError("these scenes have nothing to draw", hint="run --scene grid, growth, sparse or all")
    make_application()
    load_fonts()
    colours = {name: QColor(value) for name, value in tokens()["light"].items()}
    image = QImage(_SIZE[0] * _SCALE, _SIZE[1] * _SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(_SCALE)
    image.fill(colours["canvas"])
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _words(painter, QRectF(_MARGIN, 24, _SIZE[0], 30), "jaxscope bench", 22, colours["text"], weight=600)
    said = "Both axes are logarithmic; every line was measured in the same run."
    _words(painter, QRectF(_MARGIN, 52, _SIZE[0], 20), said, 13, colours["text2"])
    n_columns = 2 if len(shown) in (2, 4) else min(len(shown), 3)
    n_rows = -(-len(shown) // n_columns)
    width = (_SIZE[0] - 2 * _MARGIN - (n_columns - 1) * _GAP) / n_columns
    height = (_SIZE[1] - _TOP - _MARGIN - (n_rows - 1) * _GAP) / n_rows
    for number, panel in enumerate(shown):
        row, column = divmod(number, n_columns)
        place = QRectF(_MARGIN + column * (width + _GAP), _TOP + row * (height + _GAP), width, height)
        _draw_panel(painter, place, panel, colours)
    painter.end()
    if not image.save(path, "PNG"):  # type: ignore[call-overload]  # PySide takes only a str
        raise WriteError(f"{path} cannot be written", hint="choose another folder")


def _words(
    painter: QPainter, place: QRectF, text: str, px: float, colour: QColor, *, weight: int = 400,
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> float:  # fmt: skip
    """Write a line of text and return its width."""
    painter.setFont(make_font(px, weight))
    painter.setPen(colour)
    painter.drawText(place, int(align | Qt.AlignmentFlag.AlignVCenter), text)
    return float(painter.fontMetrics().horizontalAdvance(text))


def _draw_panel(painter: QPainter, place: QRectF, panel: Panel, colours: Mapping[str, QColor]) -> None:
    painter.setPen(QPen(colours["line"], 1))
    painter.setBrush(colours["panel"])
    painter.drawRoundedRect(place, 8, 8)
    _words(
        painter, QRectF(place.x() + 16, place.y() + 10, place.width(), 22), panel.title, 14, colours["text"], weight=600
    )
    left = place.x() + 16
    for line in panel.lines:
        middle = place.y() + 43
        painter.setPen(QPen(colours[line.colour], 2, line.pen))
        painter.drawLine(QPointF(left, middle), QPointF(left + 22, middle))
        left += 28 + _words(painter, QRectF(left + 28, middle - 9, 200, 18), line.title, 12, colours["text2"]) + 16
    inner = place.adjusted(_LEFT, _HEAD + 6, -18, -_FOOT - 12)
    spans = [_decades([point[axis] for line in panel.lines for point in line.points]) for axis in (0, 1)]
    _draw_axes(painter, inner, spans, panel.below, colours)
    for line in panel.lines:
        _draw_line(painter, inner, spans, line, colours)


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Return the least and largest logarithm, with a little room."""
    low, high = math.log10(min(values)), math.log10(max(values))
    room = max(0.04 * (high - low), 0.05)
    return low - room, high + room


def _ticks(span: tuple[float, float]) -> list[float]:
    """Return round values within a span of logarithms: decades, and 2 and 5 between few of them."""
    steps = (1.0,) if span[1] - span[0] > 2.2 else (1.0, 2.0, 5.0)
    powers = range(math.floor(span[0]), math.ceil(span[1]) + 1)
    return [
        step * 10.0**power for power in powers for step in steps if span[0] <= math.log10(step * 10.0**power) <= span[1]
    ]


def _at(inner: QRectF, spans: Sequence[tuple[float, float]], x: float, y: float) -> QPointF:
    shares = [(math.log10(v) - span[0]) / (span[1] - span[0]) for v, span in zip((x, y), spans, strict=True)]
    return QPointF(inner.x() + shares[0] * inner.width(), inner.bottom() - shares[1] * inner.height())


def tick_words(value: float) -> str:
    """Return a number of an axis: as it is, or as a power of ten from 10,000 on."""
    if value >= 1e4:
        power = math.floor(math.log10(value) + 1e-9)
        first = round(value / 10.0**power)
        return f"{'' if first == 1 else f'{first}·'}10{str(power).translate(_RAISED)}"
    return f"{value:,g}"


def _draw_axes(
    painter: QPainter, inner: QRectF, spans: Sequence[tuple[float, float]], below: str, colours: Mapping[str, QColor]
) -> None:
    for x in _ticks(spans[0]):
        place = _at(inner, spans, x, 10 ** spans[1][0])
        painter.setPen(QPen(colours["line"], 1))
        painter.drawLine(QPointF(place.x(), inner.top()), place)
        box = QRectF(place.x() - 40, inner.bottom() + 4, 80, 16)
        _words(painter, box, tick_words(x), 11, colours["text3"], align=Qt.AlignmentFlag.AlignHCenter)
    for y in _ticks(spans[1]):
        place = _at(inner, spans, 10 ** spans[0][0], y)
        painter.setPen(QPen(colours["line"], 1))
        painter.drawLine(place, QPointF(inner.right(), place.y()))
        box = QRectF(inner.x() - 48, place.y() - 8, 42, 16)
        _words(painter, box, tick_words(y), 11, colours["text3"], align=Qt.AlignmentFlag.AlignRight)
    box = QRectF(inner.x(), inner.bottom() + 22, inner.width(), 18)
    _words(painter, box, below, 12, colours["text2"], align=Qt.AlignmentFlag.AlignHCenter)


def _draw_line(
    painter: QPainter, inner: QRectF, spans: Sequence[tuple[float, float]], line: Line, colours: Mapping[str, QColor]
) -> None:
    places = [_at(inner, spans, x, y) for x, y in line.points]
    painter.setPen(QPen(colours[line.colour], 2, line.pen))
    painter.drawPolyline(places)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours[line.colour])
    if line.pen == _SOLID:
        for place in places:
            painter.drawEllipse(place, 3, 3)
