"""What the pole-zero plane shows: roots, what is selected, the part that is looked at, the lens.

It knows nothing of editing. The selection stays with the nearest root when other roots are shown.
"""

from __future__ import annotations

import cmath
from dataclasses import replace
from math import pi

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.filters.roots import Roots
from jaxscope.gui.components.painting import begin
from jaxscope.gui.theme import scaled
from jaxscope.gui.views.poles_zeros_maps import (
    LARGEST_RADIUS_PX,
    Lens,
    PlaneMap,
    RingingMap,
    RootMap,
    crowd_of,
    crowd_plane,
    drawn_roots,
    lens_for,
    whole_plane,
)
from jaxscope.gui.views.poles_zeros_model import Grip, Kind, groups_of, half_of, nearest_grip
from jaxscope.gui.views.poles_zeros_paint import PlanePicture, paint_plane, paint_ringing

_REACH_PX = 13.0
_ZOOM = 1.25


class RootsCanvas(QWidget):
    """The plane, or frequency against ringing, as a picture with a selection."""

    #: something else is selected
    moved = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.roots = Roots((), (), 1.0)
        self.can_edit = False
        self.selected: tuple[Kind, complex] | None = None
        self._others: tuple[tuple[str, complex], ...] = ()
        self._rate_hz = 1000.0
        #: where the drag of the selected root began, while it is held, and the lens that was there
        self._ghost: complex | None = None
        self._frozen_lens: Lens | None = None
        self._over: tuple[Kind, complex] | None = None
        self._pan: QPointF | None = None
        self._zoomed: PlaneMap | None = None
        self._swapped = False
        self._shows_ringing = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Poles and zeros")

    def show_roots(
        self, roots: Roots, others: tuple[tuple[str, complex], ...], rate_hz: float, *, can_edit: bool
    ) -> None:
        """Show the roots of a stage by half, and those of others; the selection stays with the nearest root."""
        self.roots, self._others, self._rate_hz, self.can_edit = roots, others, rate_hz, can_edit
        self._keep_selection()
        self._describe()
        self.update()

    def set_ringing(self, *, on: bool) -> None:
        """Show frequency against ringing in place of the plane, or the plane."""
        self._shows_ringing = on
        self.update()

    def shown_map(self) -> RootMap:
        """Return the map of the picture itself."""
        rect = QRectF(self.rect())
        if self._shows_ringing:
            return RingingMap(rect.adjusted(14, 16, -14, -24), self._rate_hz, self._rate_hz / 20_000)
        return self._plane_map()

    def lens(self) -> Lens | None:
        """Return the lens over the plane, if there is one."""
        if self._shows_ringing:
            return None
        if self._ghost is not None:
            return self._frozen_lens
        return lens_for(QRectF(self.rect()), self._drawn(), self._plane_map(), is_swapped=self._swapped)

    def select(self, kind: Kind, place: complex) -> None:
        """Select the root of a kind that is nearest to a place."""
        grip = nearest_grip(self.roots, kind, place)
        if grip is not None:
            self.selected = (kind, half_of(self.roots, kind)[grip.index])
            self._describe()
            self.moved.emit()
            self.update()

    def select_next(self, direction: int) -> None:
        """Select the next (1) or the previous (-1) root, poles first."""
        kinds: tuple[Kind, Kind] = ("pole", "zero")
        all_of = [(kind, place) for kind in kinds for place, _ in groups_of(half_of(self.roots, kind))]
        if all_of:
            at = all_of.index(self.selected) if self.selected in all_of else -direction
            self.selected = all_of[(at + direction) % len(all_of)]
            self._describe()
            self.moved.emit()
            self.update()

    def selected_grip(self) -> Grip | None:
        """Return which root is selected."""
        return None if self.selected is None else nearest_grip(self.roots, *self.selected)

    def sizeHint(self) -> QSize:
        return QSize(scaled(244), scaled(244))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(160), scaled(160))

    def zoom(self, factor: float, about: QPointF | None = None) -> None:
        """Look closer (above 1) or farther, about a pixel."""
        if self._shows_ringing:
            return
        now, whole = self._plane_map(), whole_plane(QRectF(self.rect()))
        point = about or now.to_px(self.selected[1] if self.selected is not None else now.middle)
        fixed = now.from_px(point)
        scale = min(max(now.scale * factor, whole.scale), max(LARGEST_RADIUS_PX, whole.scale * 400))
        if scale == whole.scale:
            self.whole_circle()
            return
        self._zoomed = PlaneMap(point, fixed, scale)
        self.update()

    def whole_circle(self) -> None:
        """Show the whole circle."""
        self._zoomed, self._swapped = None, False
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = event.angleDelta().y() / 120
        if notches and not self._shows_ringing:
            self.zoom(_ZOOM**notches, event.position())
            event.accept()
        else:
            event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        self._over = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            shown, picture = self.shown_map(), self._picture()
            if isinstance(shown, RingingMap):
                paint_ringing(painter, QRectF(self.rect()), shown, picture)
            elif isinstance(shown, PlaneMap):
                paint_plane(painter, QRectF(self.rect()), shown, self.lens(), picture)

    def _plane_map(self) -> PlaneMap:
        rect = QRectF(self.rect())
        if self._zoomed is not None:
            return self._zoomed
        if self._swapped and crowd_of(self._drawn()):
            return crowd_plane(rect, self._drawn())
        return whole_plane(rect)

    def _drawn(self) -> tuple[complex, ...]:
        return drawn_roots(self.roots, self._others)

    def _picture(self) -> PlanePicture:
        return PlanePicture(
            roots=self.roots,
            others=self._others,
            rate_hz=self._rate_hz,
            selected=self.selected,
            is_held=self._ghost is not None,
            ghost=self._ghost,
            over=self._over if self._ghost is None else None,
            is_unstable=any(abs(pole) >= 1 for pole in self.roots.poles),
            has_focus=self.hasFocus() and self._ghost is None,
        )

    def _root_at(self, point: QPointF) -> tuple[Grip, RootMap, bool] | None:
        """Return the root at a pixel, the map it was found in, and whether it is the mirror below the axis."""
        lens = self.lens()
        in_map = lens.map if lens is not None and lens.holds(point) else self.shown_map()
        best: tuple[float, Grip, bool] | None = None
        kinds: tuple[Kind, Kind] = ("pole", "zero")
        for kind in kinds:
            for index, root in enumerate(half_of(self.roots, kind)):
                for below in (False, True) if root.imag > 0 and not self._shows_ringing else (False,):
                    away = in_map.to_px(root.conjugate() if below else root) - point
                    apart = (away.x() ** 2 + away.y() ** 2) ** 0.5
                    if apart <= _REACH_PX and (best is None or apart < best[0] - 1e-6):
                        best = (apart, Grip(kind, index), below)
        return None if best is None else (best[1], in_map, best[2])

    def _pan_by(self, way: QPointF) -> None:
        if not self._shows_ringing:
            now = self._plane_map()
            self._zoomed = replace(now, centre=now.centre + way)
            self.update()

    def _keep_selection(self) -> None:
        if self.selected is None:
            poles = [pole for pole in self.roots.poles if pole != 0]
            zeros = [zero for zero in self.roots.zeros if zero != 0]
            if poles:
                self.selected = ("pole", max(poles, key=lambda pole: (abs(pole), pole.imag)))
            elif zeros:
                self.selected = ("zero", max(zeros, key=lambda zero: zero.imag))
            return
        kind, place = self.selected
        grip = nearest_grip(self.roots, kind, place)
        self.selected = None
        if grip is None:
            self._keep_selection()
        else:
            self.selected = (kind, half_of(self.roots, kind)[grip.index])

    def _describe(self) -> None:
        poles, zeros = len(self.roots.poles), len(self.roots.zeros)
        if self.selected is None:
            self.setAccessibleDescription("No poles and zeros")
            return
        kind, place = self.selected
        grip = nearest_grip(self.roots, kind, place)
        number = 1 if grip is None else grip.index + 1
        hertz = abs(cmath.phase(place)) / (2 * pi) * self._rate_hz if place != 0 else 0.0
        words = f"{kind.capitalize()} {number} of {poles if kind == 'pole' else zeros}, {hertz:.4g} hertz"
        stable = all(abs(pole) < 1 for pole in self.roots.poles)
        self.setAccessibleDescription(f"{words}, radius {abs(place):.4g}, {'stable' if stable else 'unstable'}")
