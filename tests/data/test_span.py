"""Spans, against sets of sample numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxscope.data.span import Span, first_sample_from, span_of_seconds


@st.composite
def spans(draw: st.DrawFn) -> Span:
    start = draw(st.integers(-50, 50))
    return Span(start, start + draw(st.integers(0, 60)))


def samples(span: Span) -> set[int]:
    return set(range(span.start, span.stop))


@given(spans(), spans())
def test_what_two_spans_share(one: Span, other: Span) -> None:
    shared = one.intersect(other)
    assert samples(shared) == samples(one) & samples(other)
    assert other.start <= shared.start <= shared.stop <= other.stop


@given(spans(), st.integers(0, 30))
def test_clipping_leaves_what_is_stored(span: Span, n_samples: int) -> None:
    clipped = span.clip(n_samples)
    assert samples(clipped) == samples(span) & set(range(n_samples))
    assert 0 <= clipped.start <= clipped.stop <= n_samples


@given(spans(), st.integers(1, 16))
def test_aligned_edges_are_multiples_and_no_further_than_needed(span: Span, step: int) -> None:
    aligned = span.align(step)
    assert aligned.start % step == aligned.stop % step == 0
    assert span.start - step < aligned.start <= span.start
    assert span.stop <= aligned.stop < span.stop + step


@given(spans(), st.integers(1, 20))
def test_blocks_put_together_are_the_span(span: Span, size: int) -> None:
    blocks = list(span.blocks(size))
    assert [sample for block in blocks for sample in range(block.start, block.stop)] == sorted(samples(span))
    assert all(len(block) == size for block in blocks[:-1])
    assert all(0 < len(block) <= size for block in blocks)


def test_padding_shifting_and_membership() -> None:
    span = Span(10, 20)
    assert span.pad(3) == Span(7, 23)
    assert span.pad(3, 0) == Span(7, 20)
    assert span.shift(-10) == Span(0, 10)
    assert 10 in span
    assert 20 not in span
    assert span.seconds(10.0) == (1.0, 2.0)


def test_impossible_spans_are_refused() -> None:
    with pytest.raises(ValueError, match="before its start"):
        Span(3, 2)
    with pytest.raises(ValueError, match="at least 1 sample"):
        list(Span(0, 3).blocks(0))


@given(st.integers(-10_000, 10_000_000), st.sampled_from([1.0, 12.8, 100.0, 256.0, 487.5, 44100.0]))
def test_the_time_of_a_sample_means_that_sample(sample: int, rate_hz: float) -> None:
    assert first_sample_from(sample / rate_hz, rate_hz) == sample


def test_seconds_become_samples_half_open() -> None:
    assert span_of_seconds(0.1, 0.3, 100.0) == Span(10, 30)
    assert span_of_seconds(0.101, 0.101, 100.0) == Span(11, 11)
