"""What is on the screen is the whole recording filtered in one go, cut to the window: for random windows and chains."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from jaxscope.compute import library
from jaxscope.compute.designs import design_or_refusal
from jaxscope.compute.library import ProgramLibrary, WindowCache
from jaxscope.compute.plan import lengthened, plan
from jaxscope.compute.render import chunks_of, render
from jaxscope.compute.stream import Source, filtered_blocks
from jaxscope.data.annotations import Gap
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.display.envelope import min_max
from jaxscope.engines.program import make_program
from jaxscope.filters.fir import FirWindow
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.resonators import Notch
from jaxscope.filters.smoothing import Median
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.state import Document, EngineChoice, SessionState, Viewport

RATE = 200.0
PROGRAMS = ProgramLibrary()
CHAINS = {
    "band": (Stage(spec=Butterworth(band="bandpass", order=4, cutoff_hz=(1.0, 40.0))),),
    "notch": (Stage(spec=Notch(frequency_hz=50.0, q=30.0)), Stage(spec=FirWindow(band="lowpass", taps=101))),
    "median": (Stage(spec=Median(window=5)), Stage(spec=Butterworth(band="lowpass", order=2, cutoff_hz=30.0))),
}


def recording_of(x, gaps=(), rate=RATE):
    channels = tuple(Channel(name=f"E{n}", kind="eeg", rate_hz=rate, n_samples=x.shape[1]) for n in range(x.shape[0]))
    missing = sum(gap.stop_s - gap.start_s for gap in gaps)
    info = RecordingInfo(format="test", duration_s=x.shape[1] / rate + missing, channels=channels, gaps=gaps)
    return ArrayRecording(info, list(x))


def signal(seed, n_samples=12_000, n_channels=3):
    rng = np.random.default_rng(seed)
    drift = rng.standard_normal((n_channels, n_samples)).cumsum(axis=1) * 0.1
    return 1000.0 + drift + rng.standard_normal((n_channels, n_samples))


def state_of(chain, start_s, duration_s, method="auto", precision="float64"):
    return SessionState(
        document=Document(chains=(chain,)),
        viewport=Viewport(start_s=start_s, duration_s=duration_s),
        engine=EngineChoice(method=method, precision=precision),
    )


def whole(x, chain, borders):
    """Filter each segment of the whole recording with the oracle."""
    design = design_or_refusal(chain, RATE)
    parts = [
        make_program(design, n_channels=x.shape[0], method="scipy").run(x[:, first:stop])
        for first, stop in pairwise(borders)
    ]
    return np.concatenate(parts, axis=1)


def compare(block, y, x, shift_of):
    """Each bin of a block holds the extremes of the whole result; NaN columns are only at gaps."""
    rows = np.flatnonzero(np.isfinite(block.times_s))
    scale = np.abs(y[np.isfinite(y)]).max()
    for column in rows:
        first = round((block.times_s[column] - shift_of(block.times_s[column])) * RATE)
        stop = (first // block.bin_samples + 1) * block.bin_samples
        for envelope, samples in ((block.before, x), (block.after, y)):
            own = samples[:, first:stop]
            known = np.isfinite(own).any(axis=1)
            assert np.array_equal(np.isfinite(envelope.low[:, column]), known)
            low = np.nanmin(own[known], axis=1) if known.any() else []
            high = np.nanmax(own[known], axis=1) if known.any() else []
            at_edge = column in (rows[0], rows[-1])
            if not at_edge:
                np.testing.assert_allclose(envelope.low[known, column], low, atol=2e-9 * scale, rtol=0)
                np.testing.assert_allclose(envelope.high[known, column], high, atol=2e-9 * scale, rtol=0)


@pytest.mark.parametrize("method", ["scipy", "auto"])
@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize("name", list(CHAINS))
def test_a_window_equals_the_whole(name, phase, method):
    chain = FilterChain(phase=phase, stages=CHAINS[name])
    x = signal(1)
    recording = recording_of(x)
    y = whole(x, chain, [0, x.shape[1]])
    cache = WindowCache(recording)
    rng = np.random.default_rng(len(name))
    for _ in range(4):
        duration = float(10 ** rng.uniform(-0.5, 1.7))
        start = float(rng.uniform(-1, 59))
        request = plan(state_of(chain, start, duration, method), recording.info, 200)
        (block,) = render(request, cache, PROGRAMS).blocks
        assert request.settled
        compare(block, y, x, lambda second: 0.0)
        shown = (block.times_s[0], block.times_s[-1])
        assert shown[0] <= max(start, 0) + 1 / RATE
        assert shown[1] >= min(start + duration, 59.9) - 2 * block.bin_samples / RATE


@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_a_window_across_gaps_and_missing_samples_equals_the_whole(phase):
    x = signal(2)
    x[1, 3000:3100] = np.nan
    gaps = (Gap(start_s=20.0, stop_s=25.0), Gap(start_s=30.0, stop_s=30.5))
    recording = recording_of(x, gaps)
    chain = FilterChain(phase=phase, stages=CHAINS["band"])
    borders = [0, 4000, 5000, x.shape[1]]
    y = whole(x, chain, borders)
    request = plan(state_of(chain, 14.0, 20.0), recording.info, 300)
    (block,) = render(request, WindowCache(recording), PROGRAMS).blocks
    assert np.count_nonzero(np.isnan(block.times_s)) == 2
    assert np.isnan(block.after.low[:, np.isnan(block.times_s)]).all()

    def shift(second):
        return 0.0 if second < 20 else 5.0 if second < 30 else 5.5

    compare(block, y, x, shift)


def test_c118_the_view_equals_the_slice_at_any_scroll():
    x = np.random.default_rng(0).standard_normal((8, 100_000))
    recording = recording_of(x)
    chain = FilterChain(stages=CHAINS["band"])
    y = whole(x, chain, [0, x.shape[1]])
    cache = WindowCache(recording)
    for start in (0.0, 0.003, 123.456, 250.0, 489.99, 495.0):
        request = plan(state_of(chain, start, 10.0), recording.info, 2000)
        (block,) = render(request, cache, PROGRAMS).blocks
        assert block.bin_samples == 1
        first = round(block.times_s[0] * RATE)
        assert block.after.low.shape == (8, block.times_s.size)
        np.testing.assert_allclose(block.after.low, y[:, first : first + block.times_s.size], atol=1e-8, rtol=0)


def test_a_long_window_in_chunks_equals_the_whole(monkeypatch):
    monkeypatch.setattr("jaxscope.compute.render.CHUNK_VALUES", 6_000)
    x = signal(3)
    recording = recording_of(x)
    for phase in ("causal", "zero"):
        chain = FilterChain(phase=phase, stages=CHAINS["notch"])
        request = plan(state_of(chain, 0.0, 60.0), recording.info, 100)
        assert len(chunks_of(request.groups[0].pieces[0], request.groups[0])) > 2
        (block,) = render(request, WindowCache(recording), PROGRAMS).blocks
        y = whole(x, chain, [0, x.shape[1]])
        low, high = min_max(y, first_sample=0, bin_samples=block.bin_samples)
        np.testing.assert_allclose(block.after.low, low, atol=1e-6, rtol=0)
        np.testing.assert_allclose(block.after.high, high, atol=1e-6, rtol=0)


@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize("name", list(CHAINS))
def test_blocks_equal_the_whole(name, phase):
    x = signal(4)
    x[2, 700:705] = np.nan
    gaps = (Gap(start_s=20.0, stop_s=25.0),)
    recording = recording_of(x, gaps)
    chain = FilterChain(phase=phase, stages=CHAINS[name])
    design = design_or_refusal(chain, RATE)
    source = Source(
        recording=recording,
        rate_hz=RATE,
        channels=(0, 1, 2),
        designs=(design, None, design),
        device="cpu:0",
        precision="float64",
        method="auto",
    )
    y = whole(x, chain, [0, 4000, x.shape[1]])
    y[1] = x[1]
    blocks = list(filtered_blocks(source, PROGRAMS, grain=1024, block_values=6_144))
    assert len(blocks) > 3
    np.testing.assert_allclose(np.concatenate([b.after for b in blocks], axis=1), y, atol=1e-6, rtol=0)
    assert [b.first_sample for b in blocks[1:]] == [b.first_sample + b.after.shape[1] for b in blocks[:-1]]
    part = list(filtered_blocks(source, PROGRAMS, first_sample=3900, stop_sample=4321, grain=1024, block_values=6_144))
    np.testing.assert_allclose(np.concatenate([b.after for b in part], axis=1), y[:, 3900:4321], atol=1e-6, rtol=0)


def test_context_that_cannot_be_reached_is_said(monkeypatch):
    x = signal(5)
    recording = recording_of(x)
    chain = FilterChain(stages=(Stage(spec=Butterworth(band="highpass", order=2, cutoff_hz=0.02)),))
    state = state_of(chain, 50.0, 5.0)
    monkeypatch.setattr("jaxscope.compute.plan.LEAST_TILE", 256)
    monkeypatch.setattr("jaxscope.compute.plan.MOST_TILE", 256)
    assert not plan(state, recording.info, 500, live_values=6_000).settled
    assert plan(state, recording.info, 500).settled
    assert plan(state_of(chain, 0.0, 5.0), recording.info, 500, live_values=4_000).settled


def test_raw_channels_pass_and_have_no_difference():
    x = signal(6)
    recording = recording_of(x)
    chain = FilterChain(channels=("E1",), stages=CHAINS["band"])
    state = state_of(chain, 0, 10)
    state = replace(state, viewport=replace(state.viewport, mode="difference"))
    (block,) = render(plan(state, recording.info, 500), WindowCache(recording), PROGRAMS).blocks
    assert block.filtered == (False, True, False)
    np.testing.assert_array_equal(block.after.low[0], block.before.low[0])
    assert np.isnan(block.difference.low[0]).all()
    assert np.isnan(block.removed_rms[[0, 2]]).all()
    y = whole(x, FilterChain(stages=CHAINS["band"]), [0, x.shape[1]])
    expected = np.sqrt(np.mean((x[1, : block.times_s.size * 4] - y[1, : block.times_s.size * 4]) ** 2))
    assert block.removed_rms[1] == pytest.approx(expected, rel=1e-6)


def test_what_is_taken_away_is_worked_out_only_where_it_is_looked_at():
    recording = recording_of(signal(7))
    request = plan(state_of(FilterChain(stages=CHAINS["band"]), 0, 10), recording.info, 500)
    (block,) = render(request, WindowCache(recording), PROGRAMS).blocks
    assert block.after is not None
    assert block.difference is None
    assert np.isnan(block.removed_rms).all()


def test_before_is_reduced_once_for_many_edits(monkeypatch):
    recording = recording_of(signal(8))
    cache, reduced = WindowCache(recording), []
    real = library.tile_extremes
    monkeypatch.setattr(library, "tile_extremes", lambda x, *how: reduced.append(x.shape) or real(x, *how))
    monkeypatch.setattr("jaxscope.compute.plan.LEAST_TILE", 256)
    monkeypatch.setattr("jaxscope.compute.plan.MOST_TILE", 256)
    lows, counts = [], []
    for start_s in (10.0, 10.0, 20.0):
        request = plan(state_of(FilterChain(stages=CHAINS["band"]), start_s, 10), recording.info, 200)
        (block,) = render(request, cache, PROGRAMS).blocks
        assert block.bin_samples > 1
        lows.append(block.before.low)
        counts.append(len(reduced))
    assert 0 < counts[0] == counts[1] < counts[2]
    np.testing.assert_array_equal(lows[0], lows[1])
    assert not np.array_equal(lows[0], lows[2])


def test_a_length_that_has_run_is_read_again_rather_than_a_new_one():
    recording = recording_of(signal(9))
    chain = FilterChain(phase="zero", stages=CHAINS["band"])
    request = plan(state_of(chain, 20, 4), recording.info, 200, live_values=15_000)
    (group,) = request.groups
    (piece,) = group.pieces
    own = piece.read_stop - piece.read_first
    assert lengthened(group, ()) == group
    assert lengthened(group, {own - 1, 3 * own}) == group, "shorter ones do not do, far longer ones cost too much"
    (longer,) = lengthened(group, {own + 200, own + 100}).pieces
    assert longer.read_stop - longer.read_first == own + 100
    assert longer.segment_first <= longer.read_first <= piece.read_first
    assert piece.read_stop <= longer.read_stop <= longer.segment_stop
    assert (longer.show_first, longer.show_stop) == (piece.show_first, piece.show_stop)
    whole_segment = replace(piece, read_first=piece.segment_first, read_stop=piece.segment_stop)
    n_samples = piece.segment_stop - piece.segment_first
    assert lengthened(replace(group, pieces=(whole_segment,)), {n_samples + 50}).pieces == (whole_segment,)
