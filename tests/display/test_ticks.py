"""Marks are round, evenly spaced, inside the axis, neither crowded nor lonely, and their labels tell them apart."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jaxscope.display.ticks import (
    log_ticks,
    nice_below,
    nice_step,
    time_label,
    time_step,
    time_ticks,
    value_label,
    value_ticks,
)


@pytest.mark.parametrize("least", np.logspace(-7, 7, 57))
def test_nice_step_is_the_smallest_round_number_not_below(least):
    round_numbers = [factor * 10.0**power for power in range(-9, 10) for factor in (1, 2, 5)]
    assert nice_step(least) == pytest.approx(min(step for step in round_numbers if step >= least * (1 - 1e-12)))
    assert nice_below(least) == pytest.approx(max(step for step in round_numbers if step <= least * (1 + 1e-12)))


@pytest.mark.parametrize("seed", range(40))
def test_time_marks_are_60_to_160_px_apart(seed):
    rng = np.random.default_rng(seed)
    start, span, width = rng.uniform(0, 1e5), 10 ** rng.uniform(-3, 4.9), rng.uniform(300, 2500)
    ticks = time_ticks(start, start + span, width)
    spacing = ticks.step * width / span
    assert 60 - 1e-6 <= spacing <= 160
    assert all(start - 1e-6 * span <= value <= start + span * (1 + 1e-6) for value in (*ticks.major, *ticks.minor))
    assert len(set(ticks.labels)) == len(ticks.labels) == len(ticks.major)
    assert np.allclose(np.diff(ticks.major), ticks.step)
    assert not set(np.round(np.array(ticks.major) / ticks.step, 6)) & set(
        np.round(np.array(ticks.minor) / ticks.step, 6)
    )


def test_marks_stay_on_the_same_seconds_while_panning():
    seen = {round(value, 9) for start in np.arange(0, 5, 0.37) for value in time_ticks(start, start + 10, 1000).major}
    assert all(value == int(value) for value in seen)


@pytest.mark.parametrize("seed", range(20))
def test_value_marks_are_few_and_inside(seed):
    rng = np.random.default_rng(seed)
    low = rng.normal() * 10 ** rng.uniform(-6, 6)
    high = low + 10 ** rng.uniform(-6, 6)
    ticks = value_ticks(low, high, 5)
    assert 1 <= len(ticks.major) <= 6
    assert all(low - 1e-9 * abs(low) - ticks.step * 1e-6 <= value <= high + ticks.step * 1e-6 for value in ticks.major)


@pytest.mark.parametrize(
    ("second", "step", "text"),
    [
        (34, 1, "0:34"),
        (95.5, 0.5, "1:35.5"),
        (59.9999, 1, "1:00"),
        (0.02, 0.01, "0:00.02"),
        (3725, 5, "1:02:05"),
        (-3, 1, "\u22120:03"),
        (0.0, 60, "0:00"),
    ],
)
def test_time_label(second, step, text):
    assert time_label(second, step) == text


def test_value_label_has_a_real_minus_sign_and_no_minus_zero():
    assert value_label(-20.0, 20.0) == "\u221220"
    assert value_label(-1e-12, 0.5) == "0.0"


def test_steps_follow_the_clock_beyond_ten_seconds():
    assert [time_step(value) for value in (0.3, 7, 11, 21, 61, 700)] == [0.5, 10, 20, 30, 120, 1200]


def test_log_ticks_cover_the_decades():
    ticks = log_ticks(0.12, 256.0)
    assert {1.0, 2.0, 5.0, 10.0, 50.0, 100.0, 200.0} <= set(ticks.major)
    assert all(0.12 <= value <= 256.0 for value in (*ticks.major, *ticks.minor))
    assert math.isclose(ticks.major[0], 0.2)


def test_an_empty_axis_has_no_marks():
    assert time_ticks(3, 3, 100).major == ()
    assert value_ticks(1, 1, 5).major == ()
