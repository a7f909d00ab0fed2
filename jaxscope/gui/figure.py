"""The traces as a figure for a paper or a talk: PNG, SVG or PDF, with axes, names, scale bars and a legend.

It is painted by the painters of the window, from the frame that is on the screen, on the thread that computes: a figure
of many channels takes longer than the window may stand still. Lines stay lines in SVG and PDF. Colours are those of the
theme that was asked for, whatever the window wears.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from PySide6.QtCore import QMarginsF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPageSize, QPaintDevice, QPainter, QPdfWriter, QPen
from PySide6.QtSvg import QSvgGenerator

from jaxscope.compute.frames import ExportProgress
from jaxscope.compute.scheduler import Cancelled, CancelToken, Steps
from jaxscope.compute.whole_file import whole_file
from jaxscope.compute.workbench import Wish, Workbench
from jaxscope.display.ticks import decimals_of, time_ticks
from jaxscope.errors import WriteError
from jaxscope.gui.components.painting import CENTRE, RIGHT, draw_text, hairline, pen, rounded, text_width
from jaxscope.gui.painting.geometry import PaneRect, axes_of, panes_of, removed_px
from jaxscope.gui.painting.lanes import name_stride
from jaxscope.gui.painting.scene import Content, Line, Pane, TraceScene, prepare
from jaxscope.gui.painting.strokes import polygons
from jaxscope.gui.theme import colour, font, theme
from jaxscope.gui.views.header_legend import Legend
from jaxscope.gui.views.rail_groups import heading_of
from jaxscope.gui.views.traces_canvas import Canvas
from jaxscope.gui.views.traces_cursors import paint_set_cursors
from jaxscope.gui.views.traces_layers import paint_cover, paint_ground
from jaxscope.gui.views.traces_model import TracesModel
from jaxscope.gui.views.traces_numbers import clock
from jaxscope.gui.views.traces_picture import trace_colours
from jaxscope.session.state import SessionState

Look = Literal["dark", "light"]
#: Pixels on a point of paper at which everything is laid out.
_DOTS_PER_INCH = 96
_MARGIN, _HEAD, _AXIS, _NAMES = 16.0, 48.0, 34.0, 96.0
#: A PNG has twice the pixels of the window.
PNG_SCALE = 2
SUFFIXES = (".png", ".svg", ".pdf")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Figure:
    """Everything that a figure is painted from; made on the thread of the window, painted on any.

    ``width`` and ``height`` are those of the traces alone. ``title`` and ``note`` stand over them.
    """

    model: TracesModel
    scene: TraceScene
    width: float
    height: float
    title: str
    note: str
    look: Look = "light"

    @staticmethod
    def of(model: TracesModel, *, width: float, height: float, title: str, note: str, look: Look) -> Figure:
        """Return the figure of what a model shows.

        Raises
        ------
        WriteError
            Where nothing is shown yet.
        """
        still = copy.copy(model)
        still.scales = copy.copy(model.scales)
        still.set_height(height)
        scene = still.scene(width, height, 1.0, "rest")
        if scene is None:
            raise WriteError("there is no picture of the traces yet", hint="wait until they are shown")
        return Figure(model=still, scene=scene, width=width, height=height, title=title, note=note, look=look)

    @property
    def whole(self) -> QSizeF:
        """Width and height with axes, names and margins."""
        return QSizeF(self.width + _NAMES + 2 * _MARGIN, self.height + _HEAD + _AXIS + 2 * _MARGIN)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FigureRequest:
    """Write a figure; the suffix of the path decides between PNG, SVG and PDF."""

    path: str
    figure: Figure
    overwrite: bool = False

    #: a figure shows what the traces show
    as_shown = True
    #: more of the file may still change what is written: it waits until all of it is known
    needs_whole = True

    def work(self, bench: Workbench, wish: Wish, job: int) -> Callable[[CancelToken], Steps | None]:
        """Return the work that writes it."""

        def work(token: CancelToken) -> None:
            try:
                token.check()
                with whole_file(self.path, source=wish.entry.path, overwrite=self.overwrite) as beside:
                    write_figure(self.figure, beside, Path(self.path).suffix.lower())
                bench.deliver(ExportProgress(job=job, share=1.0, done=True, path=self.path))
            except Cancelled:
                bench.deliver(ExportProgress(job=job, share=0.0, done=True, cancelled=True))
                raise

        return work


def write_figure(figure: Figure, path: Path, suffix: str) -> None:
    """Write a figure to a path, in the format of a suffix.

    Raises
    ------
    WriteError
        Where the suffix is that of no format, or the file cannot be written.
    """
    with theme().worn_here(figure.look):
        made = {".png": _write_png, ".svg": _write_svg, ".pdf": _write_pdf}.get(suffix)
        if made is None:
            raise WriteError(f"{suffix or 'no suffix'} is no format of figures", hint=f"use {', '.join(SUFFIXES)}")
        if not made(figure, path):
            raise WriteError("the figure cannot be written there", hint="choose another folder")


def _write_png(figure: Figure, path: Path) -> bool:
    size = figure.whole.toSize() * PNG_SCALE
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(PNG_SCALE)
    image.setDotsPerMeterX(round(_DOTS_PER_INCH * PNG_SCALE / 0.0254))
    image.setDotsPerMeterY(round(_DOTS_PER_INCH * PNG_SCALE / 0.0254))
    _paint(figure, image, pixels=True)
    return image.save(str(path), "PNG")  # type: ignore[call-overload]


def _write_svg(figure: Figure, path: Path) -> bool:
    device = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    device.setFileName(str(path))
    device.setSize(figure.whole.toSize())
    device.setViewBox(QRect(0, 0, *QSize(figure.whole.toSize()).toTuple()))
    device.setResolution(_DOTS_PER_INCH)
    device.setTitle(figure.title)
    device.setDescription(figure.note)
    return _paint(figure, device)


def _write_pdf(figure: Figure, path: Path) -> bool:
    device = QPdfWriter(str(path))
    device.setResolution(_DOTS_PER_INCH)
    per_mm = _DOTS_PER_INCH / 25.4
    device.setPageSize(QPageSize(figure.whole / per_mm, QPageSize.Unit.Millimeter))
    device.setPageMargins(QMarginsF(0, 0, 0, 0))
    device.setTitle(figure.title)
    device.setCreator("jaxscope")
    return _paint(figure, device)


def _paint(figure: Figure, device: QPaintDevice, *, pixels: bool = False) -> bool:
    painter = QPainter()
    if not painter.begin(device):
        return False
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    whole = figure.whole
    painter.fillRect(QRectF(0, 0, whole.width(), whole.height()), colour("canvas"))
    _paint_head(painter, figure)
    painter.translate(_MARGIN + _NAMES, _MARGIN + _HEAD)
    _paint_traces(painter, figure, pixels=pixels)
    _paint_names(painter, figure)
    _paint_axes(painter, figure)
    return painter.end()


def _paint_traces(painter: QPainter, figure: Figure, *, pixels: bool) -> None:
    canvas = Canvas(painter=painter, model=figure.model, width=figure.width, height=figure.height, is_for_paper=True)
    area = QRectF(0, 0, figure.width, figure.height)
    painter.save()
    painter.setClipRect(area)
    paint_ground(canvas)
    for pane, painted in zip(canvas.panes, figure.scene.panes, strict=True):
        _paint_pane(painter, figure, pane, painted.content, pixels=pixels)
    paint_cover(canvas)
    paint_set_cursors(canvas)
    painter.restore()
    painter.setPen(pen("line2", 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(area)


def _paint_pane(painter: QPainter, figure: Figure, pane: PaneRect, content: Content, *, pixels: bool) -> None:
    own = Pane(left_px=round(pane.left), width_px=round(pane.width), content=content)
    colours = trace_colours({lane.colour for lane in figure.model.lanes})
    painter.save()
    shown = QRectF(pane.shown_left, 0, pane.shown_right - pane.shown_left, figure.height)
    painter.setClipRect(shown, Qt.ClipOperation.IntersectClip)
    for stroke in prepare(replace(figure.scene, panes=(own,), colours=colours)):
        # pixels: two thin lines are far quicker than a thick one
        width = 1.0 if pixels else 1.0 if stroke.is_strong else 0.7
        made = QPen(QColor.fromRgb(stroke.colour), width)
        made.setCosmetic(pixels)
        made.setJoinStyle(Qt.PenJoinStyle.BevelJoin)
        painter.setPen(made)
        for line in stroke.lines:
            for polygon in polygons(cut(line, pane.shown_left, pane.shown_right)):
                for shift in (-0.5 / PNG_SCALE, 0.5 / PNG_SCALE) if pixels else (0.0,):
                    painter.translate(0.0, shift)
                    painter.drawPolyline(polygon)
                    painter.translate(0.0, -shift)
    painter.restore()


def cut(line: Line, left: float, right: float) -> Line:
    """Return what of a trace is between two positions: not every reader of SVG cuts at the edges of a pane."""
    is_inside = (line.x >= left) & (line.x <= right)
    top = np.where(is_inside, line.top, np.nan)
    return replace(line, top=top, bottom=top if line.bottom is line.top else np.where(is_inside, line.bottom, np.nan))


def _paint_head(painter: QPainter, figure: Figure) -> None:
    left, right = _MARGIN + _NAMES, figure.whole.width() - _MARGIN
    draw_text(painter, QRectF(left, _MARGIN - 4, right - left, 20), figure.title, font(13, 600))
    x = right
    legend = Legend(state=figure.model.state, is_held=figure.model.is_held)
    for words in reversed(legend.chips()):
        width = text_width(words, font(11))
        draw_text(painter, QRectF(x - width - 2, _MARGIN + 18, width + 2, 18), words, font(11), "text3", RIGHT)
        x -= width + 16
    x = left
    for entry in legend.entries() or Legend(state=_as_overlay(figure)).entries():
        middle = _MARGIN + 27
        painter.setPen(pen(entry.token, 2, dashed=entry.is_dashed))
        painter.drawLine(int(x), int(middle), int(x) + 16, int(middle))
        draw_text(painter, QRectF(x + 22, middle - 9, 400, 18), entry.name, font(12, 500))
        x += 22 + text_width(entry.name, font(12, 500)) + 20
    begin = left + text_width(figure.title, font(13, 600)) + 24
    room = QRectF(begin, _MARGIN - 4, max(0.0, right - begin), 20)
    draw_text(painter, room, figure.note, font(11), "text3", RIGHT, Qt.TextElideMode.ElideRight)


def _as_overlay(figure: Figure) -> SessionState:
    """Return the state in which the legend names Before and After: a curtain's flags may not fit."""
    state = figure.model.state
    return replace(state, viewport=replace(state.viewport, mode="overlay"))


def _paint_names(painter: QPainter, figure: Figure) -> None:
    model, height = figure.model, figure.height
    row_px = height / max(1, model.rows)
    stride = name_stride(height, model.rows)
    for row in range(0, model.rows, stride):
        lanes = model.by_row[row]
        words = lanes[0].title if len(lanes) == 1 else heading_of(lanes)
        middle = (row + 0.5) * row_px
        place = QRectF(-_NAMES, middle - 10, _NAMES - 22, 20)
        draw_text(painter, place, words, font(12, 500), "text", RIGHT, Qt.TextElideMode.ElideMiddle)
        rounded(painter, QRectF(-14, middle - 6, 3, 12), 1.5, lanes[0].colour)


def _paint_axes(painter: QPainter, figure: Figure) -> None:
    model = figure.model
    for pane in axes_of(panes_of(model.state.viewport, figure.width)):
        ticks = time_ticks(model.start_s, model.stop_s, pane.width, least_px=80)
        free_from = -1e9
        for second in ticks.major:
            x = pane.x_of(second, model.start_s, model.duration_s)
            hairline(painter, round(x), figure.height, 6, "text3", upright=True)
            words = axis_words(model, second, decimals_of(ticks.step))
            width = text_width(words, font(11))
            left = min(max(x - width / 2, pane.left), pane.left + pane.width - width)
            if left >= free_from:
                draw_text(painter, QRectF(left, figure.height + 8, width + 2, 16), words, font(11), "text3", CENTRE)
                free_from = left + width + 10
    if model.state.viewport.mode == "difference":
        place = QRectF(figure.width - removed_px(), figure.height + 8, removed_px() - 12, 16)
        draw_text(painter, place, "removed, RMS", font(11), "text3", RIGHT)


def axis_words(model: TracesModel, second: float, decimals: int) -> str:
    """Return a time as the axis of the window has it: since the start, or of the clock."""
    start = None if model.info is None else model.info.start
    if not model.state.viewport.clock_time or start is None:
        return clock(second, decimals)
    seconds = start.hour * 3600 + start.minute * 60 + start.second + start.microsecond * 1e-6 + second
    whole = clock(seconds % 86400, decimals)
    return whole if whole.count(":") == 2 else f"0:{whole}"
