"""What the magnitude plot shows: curves, spectra, limits, handles, at a scale that may have been drawn out.

Everything comes from frames and the state. Kept here are only the scale that a person chose and the curve from before
the edit, drawn dashed until the edit has come to rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.compute.frames import Blocked, DesignFrame, Outcome, SpectrumFrame
from jaxscope.filters import Stage
from jaxscope.filters.limits import Limit
from jaxscope.gui.components.numbers import MINUS, write_number
from jaxscope.gui.components.painting import CENTRE, begin, draw_text
from jaxscope.gui.theme import font, scaled, theme
from jaxscope.gui.views.base import AbstractView
from jaxscope.gui.views.response_limits_paint import paint_limits
from jaxscope.gui.views.response_paint import Picture, paint_ground, paint_peak, paint_response, paint_spectra
from jaxscope.gui.views.response_scale import TALL_TOP_DB, TOP_DB, ResponseScale, frequency_limits
from jaxscope.session.state import SessionState

FloatArray = npt.NDArray[np.float64]

_REST_MS = 1200
_NO_FILTER = "The response of the first stage comes here"


class ResponseCanvas(QWidget, AbstractView):
    """The picture of the magnitude."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chain = self._selected = 0
        self._stages: tuple[Stage, ...] = ()
        self._phase = "causal"
        self._limits: tuple[Limit, ...] = ()
        self._filter_on = True
        self._raw = False
        self._mode = "overlay"
        self._shows_pin = False
        self._frame: DesignFrame | None = None
        self._stable: DesignFrame | None = None
        self._spectrum: SpectrumFrame | None = None
        self._ghost: tuple[FloatArray, FloatArray] | None = None
        self._by_hand = self._holds_ghost = False
        self._blocked = False
        self._is_log = True
        #: (lowest, highest) of an axis that was drawn out, None where it shows all
        self._seen_hz: tuple[float, float] | None = None
        self._seen_db: tuple[float, float] | None = None
        #: where the axes begin and end while a handle is held: they must not move under the hand
        self._held: ResponseScale | None = None
        self._hot: int | None = None
        self._active = 0
        self._over: int | None = None
        self._names_peak = False
        self._ground: tuple[tuple[object, ...], QPixmap] | None = None
        self._spectra: tuple[tuple[object, ...], QPixmap] | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._on_rest)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Magnitude response")

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        chains = state.document.chains
        chain = state.viewport.active_chain
        stages = chains[chain].stages if chain < len(chains) else ()
        before = self._looks()
        if chain != self._chain or chain >= len(chains):
            self._frame = self._stable = self._ghost = None
        elif stages != self._stages and self._ghost is None and self._stable is not None:
            self._ghost = (self._stable.frequencies_hz, self._stable.magnitude_db)
        if stages != self._stages:
            self._rest.start()
        self._chain, self._stages, self._selected = chain, stages, state.viewport.selected_stage
        self._phase = chains[chain].phase if chain < len(chains) else "causal"
        self._limits = state.document.limits
        self._by_hand = any(stage.origin is not None for stage in stages)
        self._filter_on = state.document.filter_on
        self._raw, self._mode = state.viewport.raw, state.viewport.mode
        self._shows_pin = state.viewport.shows_pin
        if self._looks() != before:  # a knob alone moves nothing here until its curve comes
            self.update()

    def _looks(self) -> tuple[object, ...]:
        """Return what the picture shows of the state itself."""
        flags = (self._chain, self._filter_on, self._raw, self._mode, self._shows_pin)
        return (*flags, self._ghost is None, self._frame is None)

    def show_frame(self, outcome: Outcome) -> None:
        if isinstance(outcome, DesignFrame) and outcome.chain == self._chain:
            self._frame = outcome
            if outcome.is_stable:
                self._stable, self._blocked = outcome, False
            self._describe(outcome)
        elif isinstance(outcome, SpectrumFrame):
            self._spectrum = outcome
        elif isinstance(outcome, Blocked) and outcome.chain in (None, self._chain):
            self._blocked = outcome.kind == "unstable"
        else:
            return
        self.update()

    def name_peak(self, on: bool) -> None:  # noqa: FBT001
        """Name the highest point of the curve (while a pole is dragged), or not."""
        self._names_peak = on
        self.update()

    def hold_ghost(self, on: bool) -> None:  # noqa: FBT001
        """Let the curve from before the edits stay on show, however long they go on, or no longer."""
        self._holds_ghost = on
        if not on:
            self._rest.start()

    @property
    def ghost(self) -> tuple[FloatArray, FloatArray] | None:
        """The curve from before the edit, while it is shown."""
        return self._ghost

    @property
    def is_held(self) -> bool:
        """Whether the curve is that of the last stable filter."""
        return self._blocked or (self._frame is not None and not self._frame.is_stable)

    def whole_scale(self) -> ResponseScale | None:
        """Return the map from hertz and decibels to pixels that shows all, or None while no frame is here."""
        frame = self._shown()
        if frame is None:
            return None
        low_hz, high_hz = frequency_limits(frame.frequencies_hz, frame.rate_hz, (handle[0] for handle in frame.handles))
        highest = float(np.nanmax(frame.magnitude_db)) if frame.magnitude_db.size else 0.0
        left, bottom = scaled(34), scaled(22)
        area = QRectF(left, 6, max(20, self.width() - left - 1), max(20, self.height() - 6 - bottom))
        top = TALL_TOP_DB if highest > TOP_DB - 1 else TOP_DB
        if self._held is not None:
            low_hz, top = self._held.low_hz, self._held.top_db
        return ResponseScale(area=area, low_hz=low_hz, high_hz=high_hz, is_log=self._is_log, top_db=top)

    def scale(self) -> ResponseScale | None:
        """Return the map from hertz and decibels to pixels that is in use."""
        scale = self.whole_scale()
        if scale is None:
            return None
        if self._seen_hz is not None:
            low_hz, high_hz = self._seen_hz
            if max(low_hz, scale.low_hz) < min(high_hz, scale.high_hz):
                scale = replace(scale, low_hz=max(low_hz, scale.low_hz), high_hz=min(high_hz, scale.high_hz))
        if self._seen_db is not None:
            scale = replace(scale, floor_db=self._seen_db[0], top_db=self._seen_db[1])
        return scale

    def handle_points(self) -> list[QPointF]:
        """Return where the handles are, in pixels: on the curve, and inside the plot where a notch leaves it."""
        scale, frame = self.scale(), self._frame
        if scale is None or frame is None or self.is_held:
            return []
        return [scale.handle_point(handle[0], handle[1]) for handle in frame.handles]

    def sizeHint(self) -> QSize:
        return QSize(scaled(300), scaled(230))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, scaled(120))

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            scale, frame = self.scale(), self._shown()
            if scale is not None and frame is not None:
                picture = self._picture(frame)
                painter.drawPixmap(0, 0, self._ground_of(scale, picture))
                limits = tuple(limit for limit in self._limits if limit.chain == self._chain)
                paint_limits(painter, scale, limits, () if self.is_held else frame.verdicts, frame)
                paint_response(painter, scale, picture)
                if self._names_peak and not self.is_held:
                    paint_peak(painter, scale, frame.frequencies_hz, frame.magnitude_db)
            elif not self._stages:
                draw_text(painter, QRectF(self.rect()), _NO_FILTER, font(12), "text3", CENTRE)

    def _ground_of(self, scale: ResponseScale, picture: Picture) -> QPixmap:
        """Return the picture of what does not move: two layers, each made anew where anything of it has changed."""
        key = (scale, self.size(), self.devicePixelRatioF(), theme().is_dark, theme().text_scale)
        if self._ground is None or self._ground[0] != key:
            self._ground = (key, self._layer(None, lambda own: paint_ground(own, scale, QRectF(self.rect()))))
        shown = (key, picture.spectrum, picture.shows_after, picture.shows_difference)
        if self._spectra is None or self._spectra[0] != shown:
            under = self._ground[1]
            self._spectra = (shown, self._layer(under, lambda own: paint_spectra(own, scale, picture)))
        return self._spectra[1]

    def _layer(self, under: QPixmap | None, paint: Callable[[QPainter], None]) -> QPixmap:
        """Return a picture of the size of the plot, painted over another one or over nothing."""
        if under is not None:
            pixmap = under.copy()
        else:
            ratio = self.devicePixelRatioF()
            pixmap = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
        with begin(pixmap) as painter:
            paint(painter)
        return pixmap

    def _picture(self, frame: DesignFrame) -> Picture:
        levels, other = frame.magnitude_db, None if frame.pin is None else frame.pin[1]
        if self._shows_pin and other is not None:  # what the traces show is the strong line
            levels, other = other, levels
        swapped = levels is not frame.magnitude_db
        return Picture(
            frequencies_hz=frame.frequencies_hz,
            magnitude_db=levels,
            other_db=other,
            spectrum=self._spectrum,
            shows_difference=self._mode == "difference",
            shows_after=self._filter_on and not self._raw,
            ghost=None if self.is_held or swapped else self._ghost or _rounded(frame),
            is_held=self.is_held,
            is_on=self._filter_on,
            is_hidden=self._raw,
            handles=() if swapped else tuple(self.handle_points()),
            hot=self._hot,
            over=self._over,
            active=self._active if self.hasFocus() else None,
            tip="" if self._hot is None else self._tip(frame, self._hot),
        )

    def _tip(self, frame: DesignFrame, at: int) -> str:
        if at >= len(frame.handles):
            return ""
        frequency_hz, level_db = frame.handles[at][:2]
        level = f"{level_db:.1f}".replace("-", MINUS)
        return f"{write_number(frequency_hz, 3)} Hz   {level} dB"

    def _shown(self) -> DesignFrame | None:
        return self._stable if self.is_held and self._stable is not None else self._frame

    def _on_rest(self) -> None:
        if self._hot is None and not self._by_hand and not self._holds_ghost:
            self._ghost = None
            self.update()

    def _describe(self, frame: DesignFrame) -> None:
        handles = ", ".join(f"{write_number(handle[0])} hertz" for handle in frame.handles)
        words = [f"Magnitude; edges at {handles}" if handles else "Magnitude"]
        words += [verdict.sentence() for verdict in frame.verdicts]
        self.setAccessibleDescription("; ".join(words))


def _rounded(frame: DesignFrame) -> tuple[FloatArray, FloatArray] | None:
    """Return the curve of the chain rounded to the word that is looked at, None where there is none."""
    made = frame.quantised
    return None if made is None else (frame.frequencies_hz, made.magnitude_db)
