"""What a number moves against what it really moves: a per cent of each number, run through SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.filters.coefficients import Sections
from jaxscope.filters.design import design_chain
from jaxscope.filters.sensitivity import section_sensitivity

RATE_HZ = 256.0


def _moved(sos, x, phase, others):
    run = signal.sosfiltfilt if phase == "zero" else signal.sosfilt
    return run(others, run(sos, x))


@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_it_is_what_a_hundredth_of_a_number_really_moves(phase):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(2, 20_000))
    sections = FAMILIES["butterworth"](order=4, cutoff_hz=40.0).design(RATE_HZ)
    notch = Stage(spec=FAMILIES["notch"](frequency_hz=20.0, q=3.0))
    others = design_chain(FilterChain(phase=phase, stages=(notch,)), RATE_HZ)
    found = section_sensitivity(sections, others, x)
    base, step = sections.to_array(), 1e-5
    before = _moved(base, x, phase, others.parts[0].to_array())
    for row, column in ((0, 0), (0, 1), (0, 4), (1, 1), (1, 4), (1, 5)):
        changed = base.copy()
        changed[row, column] *= 1 + step
        difference = _moved(changed, x, phase, others.parts[0].to_array()) - before
        real = np.sqrt(np.mean(difference**2)) / step * 0.01
        assert found[row, column] == pytest.approx(real, rel=0.03)
    assert (found[:, 3] == 0).all()


def test_numbers_that_are_0_move_nothing_and_zeros_on_the_circle_are_no_division_by_0():
    x = np.random.default_rng(1).normal(size=(1, 999))
    others = design_chain(FilterChain(), RATE_HZ)
    found = section_sensitivity(Sections(((1.0, 0.0, -1.0, 1.0, -0.5, 0.0),)), others, x)
    assert np.isfinite(found).all()
    assert (found[0, [1, 3, 5]] == 0).all()
    assert found[0, 0] > 0


def test_an_offset_and_a_slope_do_not_count():
    x = np.random.default_rng(1).normal(size=(1, 1000))
    others = design_chain(FilterChain(), RATE_HZ)
    sections = FAMILIES["butterworth"](order=2).design(RATE_HZ)
    drifting = x + 1e4 + np.linspace(0, 1e3, 1000)
    plain, other = section_sensitivity(sections, others, x), section_sensitivity(sections, others, drifting)
    np.testing.assert_allclose(other, plain, rtol=0.05)
