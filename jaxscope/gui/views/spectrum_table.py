"""Numbers beside the plots of the drawer: powers of the bands with bars, or sizes, Before and After."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.compute.analysis_frames import (
    AnalysisFrame,
    BandPower,
    Coherences,
    Histogram,
    SpectrumCurves,
    TimeFrequency,
)
from jaxscope.gui.components.painting import LEFT, RIGHT, begin, draw_text, hairline, rounded
from jaxscope.gui.painting.lanes import shown_unit
from jaxscope.gui.theme import font, scaled, theme
from jaxscope.gui.views import spectrum_axes as axes

_ROW, _HEAD = 26, 24
#: how powers of ten are written where there is little room
_TIMES = "\u2009×\u2009"
#: rows that bars are drawn for reach down this far under the largest, in dB
_BAR_DB = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line: what it is, a hint in captions, Before, After and what has changed; bars as shares of their room."""

    name: str
    hint: str
    before: str
    after: str
    change: str
    bars: tuple[float, float] | None = None


class NumberTable(QWidget):
    """A small table with Before in sand and After in blue."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heads: tuple[str, str, str, str] = ("", "", "", "")
        self._rows: tuple[Row, ...] = ()
        self._name = name
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self._on_theme)

    def show_rows(self, heads: tuple[str, str, str, str], rows: tuple[Row, ...]) -> None:
        """Show other rows under other heads."""
        if (heads, rows) == (self._heads, self._rows):
            return
        is_taller = len(rows) != len(self._rows)
        self._heads, self._rows = heads, rows
        words = [f"{row.name}: before {row.before}, after {row.after or 'none'}, {row.change}" for row in rows]
        self.setAccessibleDescription("; ".join(words))
        if is_taller:
            self.updateGeometry()
        self.update()

    def _on_theme(self) -> None:
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(300), scaled(_HEAD) + scaled(_ROW) * max(1, len(self._rows)))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            wide = float(self.width())
            # the name, then two columns of numbers with bars under them, then the change
            edges = (0.0, wide * 0.27, wide * 0.525, wide * 0.78, wide)
            head = scaled(_HEAD)
            tokens = ("text3", "before_text", "after", "text3")
            for place, words in enumerate(self._heads):
                room = QRectF(edges[place], 0, edges[place + 1] - edges[place] - (0 if place == 3 else 6), head)
                draw_text(painter, room, words, font(11, 500), tokens[place], LEFT if place == 0 else RIGHT)
            hairline(painter, 0, head - 1, wide)
            for number, row in enumerate(self._rows):
                self._paint_row(painter, row, edges, head + number * scaled(_ROW))

    def _paint_row(self, painter: QPainter, row: Row, edges: tuple[float, ...], top: float) -> None:
        high = scaled(_ROW)
        name = QRectF(edges[0], top, edges[1] - edges[0], high - 4)
        draw_text(painter, name, row.name, font(12, 500), "text")
        texts = (row.before, row.after, row.change)
        for place, (words, token) in enumerate(zip(texts, ("text", "text", "text2"), strict=True), start=1):
            room = QRectF(edges[place], top, edges[place + 1] - edges[place] - (0 if place == 3 else 6), high - 4)
            draw_text(painter, room, words.replace(" × ", _TIMES), font(12), token, RIGHT)
        if row.bars is not None:
            for place, (share, token) in enumerate(zip(row.bars, ("before", "after"), strict=True), start=1):
                room_px = edges[place + 1] - edges[place] - 18
                length = max(0.0, min(1.0, share)) * room_px
                bar = QRectF(edges[place + 1] - 6 - length, top + high - 5, length, 3)
                rounded(painter, QRectF(edges[place + 1] - 6 - room_px, top + high - 5, room_px, 3), 1.5, "line2")
                if length >= 1:
                    rounded(painter, bar, 1.5, token)


def band_rows(bands: tuple[BandPower, ...], *, is_relative: bool) -> tuple[Row, ...]:
    """Return the powers of bands: as squared units or as shares of the whole."""
    values: list[float | None] = [band.share_before if is_relative else band.before for band in bands]
    values += [band.share_after if is_relative else band.after for band in bands]
    known = [value for value in values if value is not None and np.isfinite(value) and value > 0]
    top = max(known, default=1.0)

    def share(value: float | None) -> float:
        if value is None or not value > 0:
            return 0.0
        return value / top if is_relative else 1 + 10 * float(np.log10(value / top)) / _BAR_DB

    def words(value: float | None) -> str:
        if is_relative:
            return "–" if value is None or not np.isfinite(value) else f"{100 * value:.1f} %"
        return axes.number(value)

    return tuple(
        Row(
            name=band.name,
            hint=f"{band.low_hz:g}–{band.high_hz:g} Hz",
            before=words(band.share_before if is_relative else band.before),
            after=words(band.share_after if is_relative else band.after),
            change=_signed(band.change_db),
            bars=(
                share(band.share_before if is_relative else band.before),
                share(band.share_after if is_relative else band.after),
            ),
        )
        for band in bands
    )


def _signed(change_db: float | None) -> str:
    words = axes.decibels(change_db)
    return f"+{words}" if change_db is not None and change_db > 0.05 else words


def size_rows(content: Histogram, unit: str) -> tuple[Row, ...]:
    """Return what sums a distribution up."""
    before, after = content.sizes_before, content.sizes_after
    tail = f" {shown_unit(unit)}" if unit else ""
    ratio = None if after is None or not before.rms > 0 or not after.rms > 0 else 20 * np.log10(after.rms / before.rms)
    return (
        Row(
            name="RMS",
            hint="",
            before=axes.number(before.rms) + tail,
            after="–" if after is None else axes.number(after.rms) + tail,
            change=_signed(None if ratio is None else float(ratio)),
        ),
        Row(
            name="Kurtosis",
            hint="excess",
            before=axes.number(before.kurtosis),
            after="–" if after is None else axes.number(after.kurtosis),
            change="",
        ),
        Row(
            name="Clipped",
            hint="",
            before=f"{100 * before.clipped:.2f} %",
            after="–" if after is None else f"{100 * after.clipped:.2f} %",
            change="",
        ),
    )


def table_text(frame: AnalysisFrame) -> str:
    """Return what the drawer shows as a table of text, columns parted by tabs."""
    lines = [f"# {frame.title}\t{frame.start_s:.6g} s to {frame.stop_s:.6g} s\t{frame.note}".rstrip()]
    if frame.content is not None:
        lines += _LINES[type(frame.content)](frame.content, frame.unit)
    return "\n".join(lines) + "\n"


def _spectrum_lines(content: SpectrumCurves, unit: str) -> list[str]:
    bands = [
        [b.name, *_values(b.low_hz, b.high_hz, b.before, b.after, b.share_before, b.share_after, b.change_db)]
        for b in content.bands
    ]
    return [
        "band\tlow_hz\thigh_hz\tbefore\tafter\tshare_before\tshare_after\tchange_db",
        *map("\t".join, bands),
        f"frequency_hz\tbefore ({axes.density_unit(unit, is_db=False)})\tafter",
        *_columns(content.frequencies_hz, content.before, content.after),
    ]


def _histogram_lines(content: Histogram, unit: str) -> list[str]:
    sizes = [
        "\t".join([name, *_values(own.rms, own.kurtosis, own.clipped)])
        for name, own in (("before", content.sizes_before), ("after", content.sizes_after))
        if own is not None
    ]
    heading = f"from ({shown_unit(unit)})\tbefore\tafter"
    return [*sizes, heading, *_columns(content.edges[:-1], content.before, content.after)]


def _coherence_lines(content: Coherences, _unit: str) -> list[str]:
    if content.places is None:
        means = zip(content.names, content.before[..., 1:].mean(axis=-1), strict=True)
        rows = ["\t".join([name, *_values(*row)]) for name, row in means]
        return ["\t".join(["mean before", *content.names]), *rows]
    first, second = content.places
    after = None if content.after is None else content.after[first, second]
    heading = f"frequency_hz\t{content.names[first]} and {content.names[second]} before\tafter"
    return [heading, *_columns(content.frequencies_hz, content.before[first, second], after)]


def _plane_lines(content: TimeFrequency, unit: str) -> list[str]:
    share = 1 - (np.arange(len(content.before.values_db)) + 0.5) / len(content.before.values_db)
    low, high = content.low_hz, content.high_hz
    rows_hz = low * (high / low) ** share if content.is_log else low + (high - low) * share
    before = _row_means(content.before.values_db)[::-1]
    after = None if content.after is None else _row_means(content.after.values_db)[::-1]
    heading = f"frequency_hz\tmean before ({axes.density_unit(unit, is_db=True)})\tmean after"
    return [heading, *_columns(rows_hz[::-1], before, after)]


def _row_means(values_db: np.ndarray) -> np.ndarray:
    """Return the mean of what is known in each row, NaN where nothing is."""
    return np.array([row[np.isfinite(row)].mean() if np.isfinite(row).any() else np.nan for row in values_db])


#: what is written of each kind of content
_LINES: dict[type, Callable[[Any, str], list[str]]] = {
    SpectrumCurves: _spectrum_lines,
    Histogram: _histogram_lines,
    Coherences: _coherence_lines,
    TimeFrequency: _plane_lines,
}


def _values(*numbers: float | None) -> list[str]:
    return ["" if value is None or not np.isfinite(value) else f"{value:.6g}" for value in numbers]


def _columns(places: np.ndarray, before: np.ndarray, after: np.ndarray | None) -> list[str]:
    sides = [before] if after is None else [before, after]
    return ["\t".join(_values(*row)) for row in zip(places, *sides, strict=True)]
