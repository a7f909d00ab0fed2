"""The relation of samples to seconds, against a reference that walks through all samples one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxscope.data.annotations import Gap
from jaxscope.data.timeline import Timeline

#: Rates and gap borders are multiples of these, so that the reference can count in exact fractions.
RATES = (1.0, 12.8, 100.0, 128.0, 487.5, 44100.0)
GRID_S = Fraction(1, 8)


@st.composite
def timelines(draw: st.DrawFn) -> tuple[Timeline, list[tuple[Fraction, Fraction]]]:
    """Draw up to four gaps whose borders are eighths of a second."""
    lengths = draw(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 100)), max_size=4))
    exact, now = [], Fraction(0)
    for stored, missing in lengths:
        exact.append((now + stored * GRID_S, now + (stored + missing) * GRID_S))
        now = exact[-1][1] + GRID_S
    return Timeline(gaps=tuple(Gap(start_s=float(a), stop_s=float(b)) for a, b in exact)), exact


def naive_seconds(exact: list[tuple[Fraction, Fraction]], rate_hz: float, n_samples: int) -> list[Fraction]:
    """Return the exact time of each stored sample: step by step; a gap that is met sets the clock to its end."""
    period = 1 / Fraction(rate_hz).limit_denominator(1000)
    times, now, pending = [], Fraction(0), list(exact)
    for _ in range(n_samples):
        while pending and now >= pending[0][0]:
            now = pending.pop(0)[1]
        times.append(now)
        now += period
    return times


@given(timelines(), st.sampled_from(RATES), st.integers(1, 600))
def test_times_agree_with_walking_through_the_samples(
    drawn: tuple[Timeline, list[tuple[Fraction, Fraction]]], rate_hz: float, n_samples: int
) -> None:
    timeline, exact = drawn
    expected = [float(second) for second in naive_seconds(exact, rate_hz, n_samples)]
    found = [timeline.second_of(sample, rate_hz) for sample in range(n_samples)]
    assert found == pytest.approx(expected, abs=1e-9)
    np.testing.assert_array_equal(timeline.seconds_of(np.arange(n_samples), rate_hz), found)


@given(timelines(), st.sampled_from(RATES), st.integers(1, 600))
def test_no_stored_sample_lies_in_a_gap_and_times_rise(
    drawn: tuple[Timeline, list[tuple[Fraction, Fraction]]], rate_hz: float, n_samples: int
) -> None:
    timeline, _ = drawn
    seconds = timeline.seconds_of(np.arange(n_samples), rate_hz)
    assert (np.diff(seconds) > 0).all()
    for gap in timeline.gaps:
        assert not ((seconds >= gap.start_s) & (seconds < gap.stop_s)).any()


@given(timelines(), st.sampled_from(RATES), st.integers(0, 5000))
def test_sample_at_is_the_inverse_of_second_of(
    drawn: tuple[Timeline, list[tuple[Fraction, Fraction]]], rate_hz: float, sample: int
) -> None:
    timeline, _ = drawn
    assert timeline.sample_at(timeline.second_of(sample, rate_hz), rate_hz) == sample


@given(timelines(), st.sampled_from(RATES[:4]), st.floats(0.0, 40.0))
def test_sample_at_is_the_first_sample_that_is_not_earlier(
    drawn: tuple[Timeline, list[tuple[Fraction, Fraction]]], rate_hz: float, second: float
) -> None:
    timeline, _ = drawn
    sample = timeline.sample_at(second, rate_hz)
    slack_s = 1.001e-3 / rate_hz
    assert timeline.second_of(sample, rate_hz) >= second - slack_s
    assert sample == 0 or timeline.second_of(sample - 1, rate_hz) < second


@given(timelines(), st.sampled_from(RATES), st.integers(0, 600))
def test_segments_cover_the_samples_in_order(
    drawn: tuple[Timeline, list[tuple[Fraction, Fraction]]], rate_hz: float, n_samples: int
) -> None:
    timeline, _ = drawn
    segments = timeline.segments(rate_hz, n_samples)
    covered = [sample for segment in segments for sample in range(segment.first_sample, segment.stop_sample)]
    assert covered == list(range(n_samples))
    for segment in segments:
        assert len(segment.span) > 0
        assert segment.start_s == timeline.second_of(segment.first_sample, rate_hz)
        inside = segment.start_s + (len(segment.span) - 1) / rate_hz
        assert timeline.second_of(segment.stop_sample - 1, rate_hz) == pytest.approx(inside, abs=1e-9)


def test_without_gaps_a_second_is_sample_over_rate() -> None:
    timeline = Timeline()
    assert timeline.second_of(37, 100.0) == 0.37
    assert timeline.sample_at(0.37, 100.0) == 37
    assert timeline.sample_at(-0.1, 100.0) == -10
    assert [(s.first_sample, s.stop_sample, s.start_s) for s in timeline.segments(100.0, 9)] == [(0, 9, 0.0)]
    assert timeline.segments(100.0, 0) == ()
    assert timeline.stop_s(100.0, 250) == 2.5
    assert timeline.stop_s(100.0, 0) == 0.0


def test_a_gap_that_begins_between_two_samples() -> None:
    # Samples at 0, 1, 2 s are before 2.4 s; the next one is the first after the gap, at its very end.
    timeline = Timeline(gaps=(Gap(start_s=2.4, stop_s=5.3),))
    assert timeline.seconds_of([0, 1, 2, 3, 4], 1.0).tolist() == [0.0, 1.0, 2.0, 5.3, 6.3]
    assert [timeline.sample_at(second, 1.0) for second in (2.0, 2.1, 2.4, 4.0, 5.3, 5.4)] == [2, 3, 3, 3, 3, 4]


def test_a_span_between_two_times_counts_stored_samples() -> None:
    timeline = Timeline(gaps=(Gap(start_s=100.0, stop_s=150.0),))
    span = timeline.span_between(99.0, 151.0, 128.0)
    assert (span.start, span.stop) == (99 * 128, 101 * 128)
    assert len(timeline.span_between(110.0, 140.0, 128.0)) == 0
