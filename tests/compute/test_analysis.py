"""The spectrum drawer: estimates of what is on the screen, before and after, with gaps left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.signal
from scipy.signal import butter, sosfilt, sosfilt_zi

from jaxscope.compute.analysis_frames import AnalysisFrame, Coherences, Histogram, SpectrumCurves, TimeFrequency
from jaxscope.compute.analysis_views import band_powers
from jaxscope.compute.conductor import Conductor
from jaxscope.compute.frames import Opened
from jaxscope.errors import SpecError
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.actions import (
    LookAt,
    OpenedRecording,
    SelectChannels,
    SetAnalysis,
    SetChains,
    SetCursors,
    TurnKnob,
)
from jaxscope.session.analysis import BAND_SETS, Analysis, bands_of, written
from jaxscope.session.state import RecordingRef
from jaxscope.session.store import Store

RATE = 200.0
SOS = butter(4, 30.0, fs=RATE, output="sos")


class Bench:
    """A store on a recording of three channels with a 10 Hz tone in common, low-passed at 30 Hz."""

    def __init__(self, path: str, samples: np.ndarray) -> None:
        np.savez(path, **dict(zip("abc", samples, strict=True)), rate_hz=RATE)
        self.samples, self.store, self.got = samples, Store(), []
        self.conductor = Conductor(self.store, self.got.append, run_inline=True)
        self.conductor.open(path)
        opened = next(outcome for outcome in self.got if isinstance(outcome, Opened))
        chain = FilterChain(stages=(Stage(spec=Butterworth(order=4, cutoff_hz=30.0)),))
        self.store.dispatch(SetChains(chains=(chain,)))
        self.store.dispatch(OpenedRecording(recording=RecordingRef(path=path), duration_s=opened.info.duration_s))

    def show(self, **wishes: object) -> AnalysisFrame:
        now = self.store.state.viewport.analysis
        self.store.dispatch(SetAnalysis(analysis=replace(now, shown=True, **wishes)))
        return self.newest

    @property
    def frames(self) -> list[AnalysisFrame]:
        return [outcome for outcome in self.got if isinstance(outcome, AnalysisFrame)]

    @property
    def newest(self) -> AnalysisFrame:
        return self.frames[-1]


def make_samples() -> np.ndarray:
    rng = np.random.default_rng(1)
    tone = 3 * np.sin(2 * np.pi * 10 * np.arange(12000) / RATE)
    return rng.standard_normal((3, 12000)) + np.stack([tone, tone, np.zeros(12000)]) + 40


@pytest.fixture
def bench(tmp_path):
    made = Bench(str(tmp_path / "noise.npz"), make_samples())
    yield made
    made.conductor.shut_down()


@pytest.fixture
def holed(tmp_path):
    samples = make_samples()
    samples[:, 900:1000] = np.nan
    made = Bench(str(tmp_path / "holes.npz"), samples)
    yield made
    made.conductor.shut_down()


def filtered(x: np.ndarray) -> np.ndarray:
    return np.stack([sosfilt(SOS, row, zi=sosfilt_zi(SOS) * row[0])[0] for row in x])


def test_nothing_is_worked_out_while_the_drawer_is_closed(bench: Bench) -> None:
    assert not bench.frames
    bench.show()
    count = len(bench.frames)
    assert count == 1
    bench.store.dispatch(SetAnalysis(analysis=Analysis(shown=False)))
    bench.store.dispatch(LookAt(start_s=5.0, duration_s=10.0))
    assert len(bench.frames) == count


def test_welch_of_the_window_is_scipys_before_and_after(bench: Bench) -> None:
    bench.store.dispatch(LookAt(start_s=5.0, duration_s=10.0))
    content = bench.show().content
    assert isinstance(content, SpectrumCurves)
    first, stop = 1000, 3000
    for ours, x in ((content.before, bench.samples), (content.after, filtered(bench.samples))):
        f, density = scipy.signal.welch(x[:, first:stop], RATE, nperseg=2 * (content.frequencies_hz.size - 1))
        np.testing.assert_allclose(content.frequencies_hz, f)
        np.testing.assert_allclose(ours, density.mean(axis=0), rtol=0.02, atol=1e-9)
    assert bench.newest.title == "3 channels"
    assert (bench.newest.start_s, bench.newest.stop_s, bench.newest.is_selection) == (5.0, 15.0, False)


def test_a_selection_and_selected_channels_are_what_it_is_of(bench: Bench) -> None:
    bench.show(estimator="multitaper")
    bench.store.dispatch(SelectChannels(names=("c",)))
    bench.store.dispatch(SetCursors(cursors_s=(8.0, 2.0)))
    frame = bench.newest
    assert (frame.title, frame.start_s, frame.stop_s, frame.is_selection) == ("c", 2.0, 8.0, True)
    content = frame.content
    assert isinstance(content, SpectrumCurves)
    # white noise of variance 1: one part in 100 in each hertz, and none of the tone of the others
    assert content.before[2:-2].mean() == pytest.approx(0.01, rel=0.1)
    assert content.after is not None
    assert content.after[content.frequencies_hz > 60].max() < 1e-4


def test_missing_samples_cost_segments_and_nothing_is_filled_in(holed: Bench) -> None:
    whole = np.nan_to_num(holed.samples[:, :2000], nan=0.0)
    content = holed.show().content
    assert isinstance(content, SpectrumCurves)
    length = 2 * (content.frequencies_hz.size - 1)
    x = holed.samples[:, :2000]
    parts = [x[:, k : k + length] for k in range(0, 2000 - length + 1, length // 2)]
    known = [part for part in parts if np.isfinite(part).all()]
    assert 0 < len(known) < len(parts)
    assert content.n_segments == 3 * len(known)
    expected = np.mean([scipy.signal.welch(p, RATE, nperseg=length)[1].mean(axis=0) for p in known], axis=0)
    np.testing.assert_allclose(content.before, expected, rtol=1e-9)
    zeroed = scipy.signal.welch(whole, RATE, nperseg=length)[1].mean(axis=0)
    assert zeroed[1] > 20 * content.before[1]  # what filling with zeros would have told


@pytest.mark.parametrize("view", ["spectrogram", "time_frequency"])
def test_pictures_show_the_tone_and_leave_gaps_blank(holed: Bench, view: str) -> None:
    content = holed.show(view=view, frequency_scale="linear").content
    assert isinstance(content, TimeFrequency)
    assert content.after is not None
    assert content.difference is not None
    n_rows, n_columns = content.before.levels.shape
    rows_hz = content.high_hz - (np.arange(n_rows) + 0.5) / n_rows * (content.high_hz - content.low_hz)
    column = np.flatnonzero((np.arange(n_columns) + 0.5) / n_columns * 10 > 2.5)[0]
    loudest = rows_hz[np.nanargmax(content.before.values_db[:, column])]
    assert loudest == pytest.approx(10.0, abs=2.5)
    in_gap = int(4.75 / 10 * n_columns)
    assert not content.before.levels[:, in_gap].any()
    assert np.isnan(content.before.values_db[:, in_gap]).all()
    above = rows_hz > 60
    assert np.nanmax(content.difference.values_db[above][:, column]) < -10
    assert content.before.levels[~np.isnan(content.before.values_db)].min() >= 1


def test_spectrogram_levels_are_in_db_re_one_unit_squared_per_hertz(bench: Bench) -> None:
    bench.store.dispatch(SelectChannels(names=("c",)))
    content = bench.show(view="spectrogram", frequency_scale="linear").content
    assert isinstance(content, TimeFrequency)
    power = 10 ** (content.before.values_db[20:-20] / 10)
    # interpolating in dB and averaging over it stays within a few parts in ten of 1 / 100
    assert np.nanmean(power) == pytest.approx(0.01, rel=0.3)


def test_histogram_tells_size_shape_and_clipping(bench: Bench) -> None:
    bench.store.dispatch(SelectChannels(names=("c",)))
    frame = bench.show(view="histogram")
    content = frame.content
    assert isinstance(content, Histogram)
    x, y = bench.samples[2:, :2000], filtered(bench.samples[2:])[:, :2000]
    for sizes, signal, shares in (
        (content.sizes_before, x, content.before),
        (content.sizes_after, y, content.after),
    ):
        assert sizes is not None
        assert sizes.rms == pytest.approx(signal.std(), rel=1e-6)
        assert sizes.clipped == 0
        counts = np.histogram(signal - signal.mean(), bins=content.edges)[0]
        np.testing.assert_allclose(shares, counts / 2000, atol=0.6e-3)
    assert frame.unit == ""


def test_coherence_is_high_at_the_common_tone(bench: Bench) -> None:
    bench.store.dispatch(SelectChannels(names=("a",)))
    content = bench.show(view="coherence", partner="b").content
    assert isinstance(content, Coherences)
    assert content.names == ("a", "b", "c")
    assert content.places == (0, 1)
    at = int(np.argmin(np.abs(content.frequencies_hz - 10)))
    assert content.before[0, 1, at] > 0.9
    length = 2 * (content.frequencies_hz.size - 1)
    expected = scipy.signal.coherence(bench.samples[0, :2000], bench.samples[1, :2000], RATE, nperseg=length)[1]
    np.testing.assert_allclose(content.before[0, 1], expected, rtol=1e-6)
    others = content.before[0, 2]
    assert (others > content.level).mean() < 0.2


def test_tuning_and_panning_compile_nothing(bench: Bench) -> None:
    for view in ("spectrum", "spectrogram", "time_frequency", "histogram", "coherence"):
        bench.show(view=view)
        bench.show(view=view, estimator="multitaper")
        bench.store.dispatch(LookAt(start_s=3.0, duration_s=10.0))
        compiled, frames = bench.conductor.compilations(), len(bench.frames)
        for step in range(50 if view == "spectrum" else 10):
            knob = TurnKnob(chain=0, stage=0, name="cutoff_hz", value=20.0 + step)
            bench.store.dispatch(knob)
            bench.store.dispatch(LookAt(start_s=3.0 + 0.3131 * step, duration_s=10.0))
        assert bench.conductor.compilations() == compiled
        assert len(bench.frames) >= frames + 19


def test_band_powers_add_up_to_the_variance() -> None:
    x = np.random.default_rng(2).standard_normal(20000) * 3
    f, density = scipy.signal.welch(x, RATE, nperseg=400)
    bands = band_powers(f, density, density / 4, (("all", 0.0, 100.0), ("half", 0.0, 50.0), ("none", 150.0, 160.0)))
    assert [band.name for band in bands] == ["all", "half"]
    assert bands[0].before == pytest.approx(9.0, rel=0.05)
    assert bands[1].share_before == pytest.approx(0.5, abs=0.03)
    assert bands[1].share_after == pytest.approx(bands[1].share_before)
    assert bands[1].change_db == pytest.approx(-6.02, abs=0.01)


def test_too_little_time_is_said(bench: Bench) -> None:
    bench.store.dispatch(LookAt(start_s=3.0, duration_s=0.02))
    assert bench.show().problem
    assert bench.newest.content is None


def test_bands_are_read_as_they_are_written() -> None:
    for bands in BAND_SETS.values():
        assert bands_of(written(bands)) == bands
    with pytest.raises(SpecError, match="cannot read the band 'theta'"):
        bands_of("delta 1-4, theta")
    with pytest.raises(SpecError, match="theta reaches from 8 to 4 Hz"):
        Analysis(bands=bands_of("theta 8-4"))
