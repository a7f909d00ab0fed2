"""The parts in which the filtered overview is worked out: all of it once, far apart first, and the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.compute import overview_jobs
from jaxscope.compute.designs import design_or_refusal
from jaxscope.compute.library import ProgramLibrary
from jaxscope.compute.overview_jobs import after_spans
from jaxscope.compute.stream import Source, filtered_blocks
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage

RATE = 100.0
N_SAMPLES = 64_000


@pytest.fixture
def source_of(monkeypatch):
    monkeypatch.setattr(overview_jobs, "STEP_VALUES", 2000)
    x = np.random.default_rng(0).standard_normal((2, N_SAMPLES))
    recording = ArrayRecording.from_array(x, rate_hz=RATE, kinds=["eeg", "eeg"])

    def make(phase="causal", **choices):
        chain = FilterChain(phase=phase, stages=(Stage(spec=Butterworth(**choices)),))
        return Source(
            recording=recording, rate_hz=RATE, channels=(0, 1), designs=(design_or_refusal(chain, RATE),) * 2,
            device="cpu:0", precision="float64", method="scipy",
        )  # fmt: skip

    return make


def test_parts_cover_everything_once_and_begin_far_apart(source_of):
    spans = list(after_spans(source_of(band="lowpass", order=2, cutoff_hz=20.0), 16))
    assert len(spans) >= overview_jobs.FEWEST_PARTS
    covered = np.zeros(N_SAMPLES, int)
    for first, stop in spans:
        assert first % 16 == 0
        covered[first:stop] += 1
    assert (covered == 1).all()
    assert spans[1][0] >= N_SAMPLES / 4, "the second part is far from the first"


def test_a_filter_that_remembers_long_is_worked_out_in_one_part(source_of):
    assert list(after_spans(source_of(band="highpass", order=2, cutoff_hz=0.01), 16)) == [(0, N_SAMPLES)]


@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_parts_are_the_numbers_of_the_whole(source_of, phase):
    source, programs = source_of(phase=phase, band="bandpass", order=2, cutoff_hz=(5.0, 20.0)), ProgramLibrary()
    whole = np.concatenate([block.after for block in filtered_blocks(source, programs)], axis=1)
    spans = list(after_spans(source, 16))
    assert len(spans) > 1
    for first, stop in spans:
        blocks = filtered_blocks(source, programs, first_sample=first, stop_sample=stop)
        part = np.concatenate([block.after for block in blocks], axis=1)
        np.testing.assert_allclose(part, whole[:, first:stop], atol=1e-8)
