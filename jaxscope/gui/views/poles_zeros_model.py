"""Zeros and poles as they are held and moved by hand: which roots a stage has, and what becomes of them in a drag.

Pure values. Roots are kept by half, the mirror below the real axis is implied. A pair that is dragged onto the axis
splits into two real roots, one stays where it landed; two real roots that meet may leave the axis together. A real root
that is alone cannot leave it.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass, field
from math import isfinite, log, pi
from typing import Literal

from jaxscope.compute.frames import StageCurve
from jaxscope.filters.coefficients import RunningMedian, Taps
from jaxscope.filters.report import seconds
from jaxscope.filters.roots import Roots, both, count
from jaxscope.filters.shapes import short_hz
from jaxscope.filters.spec import AbstractFilterSpec, Stage
from jaxscope.session.actions import EditRoots

Kind = Literal["pole", "zero"]
#: Roots nearer to each other than this are at one place.
SAME_PLACE = 1e-7
#: Roots of higher degrees lose their meaning when they are moved one by one.
MOST_ROOTS = 64
#: Nothing is dragged farther out than this.
FARTHEST = 2.5
#: A root decays to this part while it "rings".
DECAYED = 0.01


@dataclass(frozen=True, slots=True)
class Grip:
    """One root by half: of which kind, and which of them."""

    kind: Kind
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneRoots:
    """What the plane shows of a stage. ``reason`` says why the roots cannot be moved, where they cannot."""

    roots: Roots = field(default_factory=lambda: Roots((), (), 1.0))
    reason: str = ""

    def half(self, kind: Kind) -> tuple[complex, ...]:
        """Return the roots of a kind by half."""
        return half_of(self.roots, kind)


def half_of(roots: Roots, kind: Kind) -> tuple[complex, ...]:
    """Return the roots of a kind by half."""
    return roots.poles if kind == "pole" else roots.zeros


def with_half(roots: Roots, kind: Kind, half: tuple[complex, ...]) -> Roots:
    """Return roots with those of one kind replaced."""
    return Roots(roots.zeros, half, roots.gain) if kind == "pole" else Roots(half, roots.poles, roots.gain)


def edit_of(roots: Roots, *, chain: int, stage: int, merge_key: str | None) -> EditRoots:
    """Return the action that gives a stage these roots."""
    return EditRoots(
        chain=chain,
        stage=stage,
        zeros=tuple((root.real, root.imag) for root in roots.zeros),
        poles=tuple((root.real, root.imag) for root in roots.poles),
        gain=roots.gain,
        merge_key=merge_key,
    )


def upper_half(roots: tuple[complex, ...]) -> tuple[complex, ...]:
    """Return the roots on the real axis and above it."""
    return tuple(root for root in roots if root.imag >= 0)


def roots_in_use(stage: Stage | None, curve: StageCurve | None) -> PlaneRoots:
    """Return the roots of a stage: those of the state where it holds them itself, else those of the newest frame."""
    if stage is None:
        return PlaneRoots(reason="There is no stage")
    if stage.spec.family == "zpk":
        return PlaneRoots(roots=_at_origin_too(stage.spec.roots()))  # type: ignore[attr-defined]
    if curve is None or curve.problem:
        return PlaneRoots(reason=curve.problem if curve is not None else "The design is on its way")
    if curve.plane is None or curve.plane.zeros is None:
        return PlaneRoots(reason=_absent(curve))
    roots = Roots(upper_half(curve.plane.zeros), upper_half(curve.plane.poles), curve.plane.gain)
    return PlaneRoots(roots=roots, reason=_fixed(roots, curve))


def _at_origin_too(roots: Roots) -> Roots:
    """Return the roots with those at the origin that make as many zeros as poles, so that nothing is delayed."""
    more = count(roots.poles) - count(roots.zeros)
    return Roots(roots.zeros + (0j,) * more, roots.poles + (0j,) * -more, roots.gain)


def _absent(curve: StageCurve) -> str:
    if isinstance(curve.realisation, RunningMedian):
        return "A running median has no poles and zeros"
    if isinstance(curve.realisation, Taps):
        return f"The zeros of {len(curve.realisation.values)} taps are too many to show"
    return "This stage has no poles and zeros"


def _fixed(roots: Roots, curve: StageCurve) -> str:
    late = count(roots.poles) - count(roots.zeros)
    most = max(count(roots.poles), count(roots.zeros))
    if isinstance(curve.realisation, Taps) and curve.realisation.runs_once:
        return "A smoother runs once in zero phase: its zeros are only shown"
    if most > MOST_ROOTS:
        return f"{most} roots lose their meaning when moved one by one: they are only shown"
    if late > 0:
        return f"It delays by {late} sample{'s' if late > 1 else ''}, which roots do not hold: edit it as b / a"
    return ""


class RootDrag:
    """One root on its way. ``at`` may be asked again and again; every answer comes from where the drag began."""

    def __init__(self, roots: Roots, grip: Grip) -> None:
        self.start = roots
        self.kind: Kind = grip.kind
        half = list(half_of(roots, grip.kind))
        self.held = half.pop(grip.index)
        self._others = half
        self._landing: float | None = None
        self._can_pair = self.held.imag > 0
        #: a pair that begins close to the axis may stay close to it
        self._axis_share = self.held.imag * 0.4 if self._can_pair else float("inf")
        if not self._can_pair:
            self._take_mate(self.held.real, SAME_PLACE)

    def at(self, target: complex, near: float = 0.0) -> tuple[Roots, complex]:
        """Return the roots with the held one at, or near, a place, and where it came to be.

        Parameters
        ----------
        target : complex
        near : float
            How near the real axis, the circle (zeros) or another real root must be to be snapped to.
        """
        target = complex(target.real, abs(target.imag))
        if abs(target) > FARTHEST:
            target *= FARTHEST / abs(target)
        off_axis = target.imag > min(near, self._axis_share)
        if not self._can_pair and off_axis:
            self._take_mate(target.real, near)
        if self._can_pair and off_axis:
            self._landing = None
            place = self._on_circle(target, near)
            return self._with((place,)), place
        place = complex(self._on_axis(target.real, near))
        if not self._can_pair:
            return self._with((place,)), place
        if self._landing is None:
            self._landing = place.real
        if abs(place.real - self._landing) <= near:
            place = complex(self._landing)
        return self._with((complex(self._landing), place)), place

    def _take_mate(self, x: float, near: float) -> None:
        mates = [root for root in self._others if root.imag == 0 and abs(root.real - x) <= near]
        if mates:
            mate = min(mates, key=lambda root: abs(root.real - x))
            self._others.remove(mate)
            self._can_pair, self._landing = True, mate.real
            self._axis_share = float("inf")

    def _on_circle(self, place: complex, near: float) -> complex:
        # a pole on the circle would never stop ringing: only zeros are drawn to it
        close = self.kind == "zero" and 0 < abs(abs(place) - 1) <= near
        return place / abs(place) if close else place

    def _on_axis(self, x: float, near: float) -> float:
        marks = [root.real for root in self._others if root.imag == 0]
        marks += [1.0, -1.0] if self.kind == "zero" else []
        close = [mark for mark in marks if abs(mark - x) <= near]
        return min(close, key=lambda mark: abs(mark - x)) if close else x

    def _with(self, new: tuple[complex, ...]) -> Roots:
        return with_half(self.start, self.kind, (*self._others, *new))


def nearest_grip(roots: Roots, kind: Kind, place: complex) -> Grip | None:
    """Return the root of a kind that is nearest to a place, or None where there is none."""
    half = half_of(roots, kind)
    if not half:
        return None
    return Grip(kind, min(range(len(half)), key=lambda index: abs(half[index] - place)))


def can_leave_axis(roots: Roots, grip: Grip) -> bool:
    """Return whether a root is a pair, or a real root with another at its place."""
    half = half_of(roots, grip.kind)
    root = half[grip.index]
    if root.imag > 0:
        return True
    mates = [other for index, other in enumerate(half) if index != grip.index and other.imag == 0]
    return any(abs(other - root) <= SAME_PLACE for other in mates)


def without(roots: Roots, grip: Grip) -> Roots:
    """Return the roots without one, and without its mirror."""
    half = half_of(roots, grip.kind)
    return with_half(roots, grip.kind, half[: grip.index] + half[grip.index + 1 :])


def explicit(roots: Roots) -> Roots:
    """Return the roots without those at the origin: as many as make both kinds equal in number are implied."""
    return Roots(_away(roots.zeros), _away(roots.poles), roots.gain)


def _away(half: tuple[complex, ...]) -> tuple[complex, ...]:
    return tuple(root for root in half if root != 0)


def gain_kept(before: Roots, after: Roots, z: complex) -> Roots:
    """Return ``after`` with the gain that keeps the magnitude at ``z``; unchanged where there is none that does."""
    old, new = _log_size(before, z), _log_size(after, z)
    if not isfinite(old) or not isfinite(new) or abs(old - new) > 300:
        return after
    return Roots(after.zeros, after.poles, before.gain * cmath.exp(old - new).real)


def _log_size(roots: Roots, z: complex) -> float:
    distances = [(1, abs(z - root)) for root in both(roots.zeros)] + [(-1, abs(z - root)) for root in both(roots.poles)]
    if any(distance < 1e-12 for _, distance in distances):
        return float("nan")
    return sum(sign * log(distance) for sign, distance in distances)


def reference_of(stage: Stage, roots: Roots, rate_hz: float) -> tuple[complex, str]:
    """Return where the gain of a stage is kept while its roots move, as z and in words."""
    spec: AbstractFilterSpec = stage.origin or stage.spec
    band, cutoff = getattr(spec, "band", None), getattr(spec, "cutoff_hz", None)
    places: list[tuple[float, str]] = [(0.0, "0 Hz"), (rate_hz / 2, "fs/2"), (rate_hz / 4, "fs/4")]
    if band == "highpass":
        places = [places[1], places[0], places[2]]
    elif band == "bandpass" and isinstance(cutoff, tuple):
        middle_hz = (cutoff[0] * cutoff[1]) ** 0.5
        places = [(middle_hz, f"{short_hz(middle_hz)} Hz"), *places]
    zs = [(cmath.exp(2j * pi * hz / rate_hz), words) for hz, words in places]
    blocked = [root for root in both(roots.zeros) + both(roots.poles) if abs(abs(root) - 1) < 1e-6]
    free = [(z, words) for z, words in zs if all(abs(z - root) > 1e-4 for root in blocked)]
    return (free or zs)[0]


def rings_words(root: complex, kind: Kind, rate_hz: float) -> tuple[str, str]:
    """Return caption and value of what the distance of a root to the circle means."""
    radius = abs(root)
    if kind == "zero":
        if abs(radius - 1) < 1e-9:
            return "Takes out", f"{short_hz(frequency_of(root, rate_hz))} Hz"
        return "To the circle", f"{abs(1 - radius):.3g}"
    if radius == 0:
        return "Rings for", "0 ms"
    if radius == 1:
        return "Rings for", "Ever"
    if radius > 1:
        return "Doubles every", seconds(log(2) / log(radius) / rate_hz)
    return "Rings for", seconds(log(DECAYED) / log(radius) / rate_hz)


def frequency_of(root: complex, rate_hz: float) -> float:
    """Return the frequency of a root in hertz, 0 to half the rate."""
    return abs(cmath.phase(root)) / (2 * pi) * rate_hz if root != 0 else 0.0


def groups_of(half: tuple[complex, ...]) -> list[tuple[complex, int]]:
    """Return places with how many roots are there, in the order of the first one."""
    groups: list[tuple[complex, int]] = []
    for root in half:
        for number, (place, many) in enumerate(groups):
            if abs(place - root) <= SAME_PLACE:
                groups[number] = (place, many + 1)
                break
        else:
            groups.append((root, 1))
    return groups
