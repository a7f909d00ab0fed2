"""What becomes of roots in a drag: pairs, splitting on the axis, meeting, snapping; the gain; the maps."""

from __future__ import annotations

import cmath
from math import pi

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF

from jaxscope.filters import FAMILIES
from jaxscope.filters.coefficients import RunningMedian, Sections, Taps
from jaxscope.filters.roots import Roots, both, to_sections
from jaxscope.filters.spec import Stage
from jaxscope.gui.views.poles_zeros_maps import PlaneMap, RingingMap, lens_for, whole_plane
from jaxscope.gui.views.poles_zeros_model import (
    Grip,
    RootDrag,
    can_leave_axis,
    explicit,
    frequency_of,
    gain_kept,
    groups_of,
    reference_of,
    rings_words,
    roots_in_use,
    without,
)

RATE_HZ = 512.0
PAIR = Roots((-1 + 0j, -1 + 0j), (0.6 + 0.3j,), 1.0)


def test_a_pair_follows_and_stays_paired():
    roots, place = RootDrag(PAIR, Grip("pole", 0)).at(0.7 + 0.2j)
    assert roots.poles == (0.7 + 0.2j,)
    assert place == 0.7 + 0.2j
    assert both(roots.poles) == (0.7 + 0.2j, 0.7 - 0.2j)


def test_a_pair_splits_on_the_axis_and_joins_again():
    drag = RootDrag(PAIR, Grip("pole", 0))
    landed, _ = drag.at(0.5 + 0.01j, near=0.05)
    assert landed.poles == (0.5, 0.5)
    split, place = drag.at(0.8 + 0.01j, near=0.05)
    assert split.poles == (0.5, 0.8)
    assert place == 0.8
    joined, _ = drag.at(0.7 + 0.4j, near=0.05)
    assert joined.poles == (0.7 + 0.4j,)


def test_a_pair_close_to_the_axis_is_not_pulled_onto_it():
    drag = RootDrag(Roots((), (0.99 + 0.01j,), 1.0), Grip("pole", 0))
    assert drag.at(0.98 + 0.009j, near=0.05)[0].poles == (0.98 + 0.009j,)
    assert drag.at(0.98 + 0.003j, near=0.05)[0].poles == (0.98, 0.98)


def test_a_real_root_alone_stays_on_the_axis_until_it_meets_another():
    drag = RootDrag(Roots((), (0.5 + 0j, 0.8 + 0j), 1.0), Grip("pole", 0))
    assert drag.at(0.6 + 0.4j, near=0.05)[0].poles == (0.8, 0.6)
    assert drag.at(0.78 + 0.0j, near=0.05)[0].poles == (0.8, 0.8)
    assert drag.at(0.79 + 0.3j, near=0.05)[0].poles == (0.79 + 0.3j,)


def test_one_of_many_zeros_at_a_place_takes_another_with_it():
    roots = Roots((-1 + 0j,) * 4, (), 1.0)
    moved, _ = RootDrag(roots, Grip("zero", 2)).at(-0.8 + 0.5j)
    assert moved.zeros == (-1, -1, -0.8 + 0.5j)
    along, _ = RootDrag(roots, Grip("zero", 2)).at(-0.7 + 0j)
    assert sorted(zero.real for zero in along.zeros) == [-1, -1, -1, -0.7]
    assert can_leave_axis(roots, Grip("zero", 0))
    assert not can_leave_axis(Roots((), (0.5 + 0j, 0.8 + 0j), 1.0), Grip("pole", 0))


def test_zeros_are_drawn_to_the_circle_and_poles_are_not():
    zero, _ = RootDrag(Roots((0.5 + 0.5j,), (), 1.0), Grip("zero", 0)).at(0.7 + 0.69j, near=0.03)
    assert abs(zero.zeros[0]) == pytest.approx(1.0, abs=1e-15)
    pole, _ = RootDrag(PAIR, Grip("pole", 0)).at(0.7 + 0.69j, near=0.03)
    assert pole.poles == (0.7 + 0.69j,)


def test_the_lower_half_is_the_mirror_and_nothing_goes_far_out():
    drag = RootDrag(PAIR, Grip("pole", 0))
    assert drag.at(0.7 - 0.2j)[0].poles == (0.7 + 0.2j,)
    assert abs(drag.at(50 + 50j)[1]) == pytest.approx(2.5)


def test_the_gain_stays_at_the_reference():
    new = gain_kept(PAIR, RootDrag(PAIR, Grip("pole", 0)).at(0.8 + 0.1j)[0], 1 + 0j)

    def at_dc(roots):
        rows = np.array(to_sections(roots).rows)
        return np.prod(rows[:, :3].sum(axis=1) / rows[:, 3:].sum(axis=1))

    assert at_dc(new) == pytest.approx(at_dc(PAIR), rel=1e-12)
    on_it = Roots((1 + 0j,), PAIR.poles, 1.0)
    assert gain_kept(PAIR, on_it, 1 + 0j).gain == 1.0


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (FAMILIES["butterworth"](band="lowpass"), "0 Hz"),
        (FAMILIES["butterworth"](band="highpass", cutoff_hz=1.0), "fs/2"),
        (FAMILIES["butterworth"](band="bandpass", cutoff_hz=(8.0, 18.0)), "12.0 Hz"),
        (FAMILIES["notch"](), "0 Hz"),
    ],
)
def test_the_reference_is_where_the_filter_passes(spec, words):
    curve_roots = roots_in_use(Stage(spec=spec), _curve(spec)).roots
    assert reference_of(Stage(spec=spec), curve_roots, RATE_HZ)[1] == words


def _curve(spec):
    from jaxscope.compute.frames import StageCurve
    from jaxscope.compute.response_views import plane_or_none

    parts = spec.parts(RATE_HZ)
    return StageCurve(
        title="",
        subtitle="",
        magnitude_db=np.zeros(0),
        realisation=parts[0],
        b=(),
        a=(),
        facts=(),
        is_stable=True,
        pole_radius=0.0,
        plane=plane_or_none(parts),
    )


def test_the_state_holds_moved_roots_itself_with_those_at_the_origin():
    stage = Stage(spec=FAMILIES["zpk"](poles=((0.5, 0.2), (0.5, -0.2)), gain=2.0))
    used = roots_in_use(stage, None)
    assert used.reason == ""
    assert used.roots == Roots((0j, 0j), (0.5 + 0.2j,), 2.0)
    assert explicit(used.roots).zeros == ()


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        (FAMILIES["median"](window=5), "median"),
        (FAMILIES["taps"](values=(1.0, *(0.1,) * 80)), "80 roots"),
        (FAMILIES["taps"](values=(1.0, *(0.1,) * 400)), "401 taps"),
        (FAMILIES["transfer_function"](b=(0.0, 1.0), a=(1.0, -0.5)), "delays by 1 sample"),
        (FAMILIES["savitzky_golay"](window=5, polynomial=2), "smoother"),
    ],
)
def test_roots_that_cannot_be_moved_say_why(spec, word):
    assert word in roots_in_use(Stage(spec=spec), _curve(spec)).reason
    assert isinstance(spec.parts(RATE_HZ)[0], Taps | Sections | RunningMedian)


def test_a_root_goes_with_its_mirror_and_places_are_counted():
    assert without(PAIR, Grip("pole", 0)).poles == ()
    assert groups_of((-1 + 0j, 0.5j, -1 + 0j)) == [(-1, 2), (0.5j, 1)]


def test_ringing_is_told_in_words():
    pole = cmath.rect(0.905, 2 * pi * 30 / RATE_HZ)
    assert frequency_of(pole, RATE_HZ) == pytest.approx(30.0)
    assert rings_words(pole, "pole", RATE_HZ) == ("Rings for", "90.1 ms")
    assert rings_words(1.018 + 0j, "pole", RATE_HZ)[0] == "Doubles every"
    assert rings_words(cmath.rect(1.0, 2 * pi * 50 / RATE_HZ), "zero", RATE_HZ) == ("Takes out", "50.0 Hz")


@pytest.mark.parametrize("z", [0.3 + 0.4j, 0.99 + 0.01j, cmath.rect(0.9, 3.0)])
def test_maps_go_there_and_back(z):
    rect = QRectF(0, 0, 244, 244)
    for one in (whole_plane(rect), PlaneMap(QPointF(10, 20), 1 + 0j, 5000.0), RingingMap(rect, RATE_HZ, 0.02)):
        assert one.from_px(one.to_px(z)) == pytest.approx(z, abs=1e-9)


def test_a_lens_is_there_for_a_crowd_only_and_shows_it_apart():
    rect = QRectF(0, 0, 244, 244)
    crowd = (*(1 + 0.006 * cmath.rect(1, angle) for angle in (2.0, 2.6, -2.0, -2.6)), 1 + 0j)
    lens = lens_for(rect, crowd, whole_plane(rect), is_swapped=False)
    assert lens is not None
    points = [lens.map.to_px(root) for root in crowd]
    assert all(lens.holds(point) for point in points)
    assert min((a - b).manhattanLength() for i, a in enumerate(points) for b in points[:i]) > 6
    assert lens_for(rect, (0.5 + 0.5j, 0.5 - 0.5j), whole_plane(rect), is_swapped=False) is None
    assert lens_for(rect, (1 + 0j, 1 + 0j), whole_plane(rect), is_swapped=False) is None


def test_nothing_that_a_hand_can_do_parts_a_pair_or_leaves_the_plane():
    random = np.random.default_rng(7)
    roots = roots_in_use(Stage(spec=FAMILIES["elliptic"](order=6)), _curve(FAMILIES["elliptic"](order=6))).roots
    n_zeros, n_poles = len(both(roots.zeros)), len(both(roots.poles))
    for _ in range(400):
        kind = "pole" if random.random() < 0.5 else "zero"
        half = roots.poles if kind == "pole" else roots.zeros
        drag = RootDrag(roots, Grip(kind, int(random.integers(len(half)))))
        for _ in range(int(random.integers(1, 6))):
            target = complex(*random.normal(0, 1, 2)) if random.random() < 0.7 else complex(random.normal(), 0.0)
            roots, place = drag.at(target, near=float(random.choice([0.0, 0.05])))
            assert place in (roots.poles if kind == "pole" else roots.zeros)
        assert (len(both(roots.zeros)), len(both(roots.poles))) == (n_zeros, n_poles)
        assert all(root.imag >= 0 and abs(root) < 2.6 for root in (*roots.zeros, *roots.poles))
        rows = np.array(to_sections(explicit(roots)).rows)
        assert np.isfinite(rows).all()
