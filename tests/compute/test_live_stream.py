"""A stream while it runs: equal to the offline causal result, no click when it is tuned, losses as missing samples."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jaxscope.compute.designs import design_or_refusal
from jaxscope.compute.library import ProgramLibrary
from jaxscope.compute.live_stream import LEAST_FADE, StreamRun, Tuning, block_lengths, fade_samples, ring_samples
from jaxscope.data.live import LiveBlock, LiveStream
from jaxscope.engines.filter_array import filter_array
from jaxscope.filters.chain_file import chain_from_dict
from jaxscope.filters.coefficients import ChainDesign

RATE_HZ = 500.0


def design_of(*stages: dict[str, object], **how: object) -> tuple[object, ChainDesign]:
    chain = chain_from_dict(
        {"format": "jaxscope-chain", "version": 1, "phase": "causal", "stages": list(stages), **how}
    )
    design = design_or_refusal(chain, RATE_HZ)
    assert isinstance(design, ChainDesign)
    return chain, design


def low(cutoff_hz: float, order: int = 4) -> dict[str, object]:
    return {"family": "butterworth", "band": "lowpass", "order": order, "cutoff_hz": cutoff_hz}


def tuning(design: ChainDesign | None, n_channels: int = 3) -> Tuning:
    return Tuning(designs=(design,) * n_channels, device="cpu:0", precision="float64", method="auto")


@pytest.fixture
def signal() -> np.ndarray:
    random = np.random.default_rng(4)
    return np.cumsum(random.normal(size=(3, 6000)), axis=1) + 1000.0


def run_of(design: ChainDesign | None) -> StreamRun:
    return StreamRun(LiveStream(rate_hz=RATE_HZ, channels=(0, 1, 2)), tuning(design), ProgramLibrary())


def give(run: StreamRun, x: np.ndarray, first: int, *, begins: bool = False) -> None:
    run.take(LiveBlock(stream=0, first_sample=first, samples=x, begins_segment=begins))
    run.advance()


def after_of(run: StreamRun) -> np.ndarray:
    return run.after.read(0, 10**12)[1]


@pytest.mark.parametrize("cut", [7, 64, 333, 6000])
@pytest.mark.parametrize("initial", ["steady", "rest"])
def test_what_comes_out_is_the_offline_causal_result(signal, cut, initial):
    stages = ({"family": "butterworth", "band": "bandpass", "order": 4, "cutoff_hz": [1.0, 40.0]}, low(60.0))
    chain, design = design_of(*stages, initial=initial)
    run = run_of(design)
    for at in range(0, signal.shape[1], cut):
        give(run, signal[:, at : at + cut], at)
    run.advance(whole=True)
    whole = filter_array(signal, chain, rate_hz=RATE_HZ)
    assert after_of(run).shape == signal.shape
    assert np.abs(after_of(run) - whole).max() < 1e-10 * np.abs(whole).max()


def test_nothing_is_compiled_while_a_prepared_filter_runs(signal):
    from jaxscope.compute.device_choices import count_compilations

    _, design = design_of(low(41.0, 6))
    run = run_of(design)
    run.prepare(tuning(design))
    before = count_compilations()
    for at in range(0, 5000, 171):
        give(run, signal[:, at : at + 171], at)
    assert run.after.stop_sample > 4900
    assert count_compilations() == before


def tuned(signal: np.ndarray, designs: list[ChainDesign | None], every: int) -> tuple[StreamRun, np.ndarray]:
    """Return a run whose filter is changed every so many samples."""
    run = run_of(designs[0])
    changes = iter(designs[1:])
    for at in range(0, signal.shape[1], 50):
        if at and at % every == 0:
            following = next(changes, "none")
            if following != "none":
                run.adopt(run.prepare(tuning(following)))
        give(run, signal[:, at : at + 50], at)
    run.advance(whole=True)
    return run, after_of(run)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((low(60.0),), (low(8.0),)),
        ((low(60.0),), (low(60.0), {"family": "butterworth", "band": "highpass", "order": 2, "cutoff_hz": 0.5})),
        ((low(60.0),), ({"family": "gain", "gain": -1.0},)),
        (
            (low(60.0),),
            ({"family": "fir_window", "band": "lowpass", "taps": 101, "cutoff_hz": 20.0, "window": "hann"},),
        ),
    ],
)
def test_tuning_neither_clicks_nor_resets(signal, one, other):
    old_chain, old = design_of(*one)
    new_chain, new = design_of(*other)
    _, y = tuned(signal, [old, new], 3000)
    before = filter_array(signal, old_chain, rate_hz=RATE_HZ)
    after = filter_array(signal, new_chain, rate_hz=RATE_HZ)
    steps = np.abs(np.diff(y, axis=1))
    slope = np.maximum(np.abs(np.diff(before, axis=1)), np.abs(np.diff(after, axis=1)))
    n = fade_samples(RATE_HZ)
    window = slice(2900, 3100)
    apart = np.abs(after - before)[:, window].max(axis=1, keepdims=True)
    assert (steps[:, window] <= slope[:, window] + apart * math.pi / (2 * n) + 1e-9).all()
    # a plain exchange would jump by all that lies between them: far more than the fade lets through
    assert math.pi / (2 * n) < 0.1
    # before the change it is the old filter, after the fade the new one as if it had always run
    assert np.abs(y - before)[:, :2950].max() < 1e-8
    assert np.abs(y - after)[:, 3000 + n + 100 :].max() < 1e-6 * np.abs(after).max()


def test_a_filter_that_is_switched_on_begins_settled_where_it_begins(signal):
    chain, design = design_of(low(20.0))
    run, y = tuned(signal, [None, design], 3000)
    begun = int(run.filtered_from[0])
    assert 2950 <= begun <= 3050
    whole = filter_array(signal, chain, rate_hz=RATE_HZ)
    assert np.abs(y - whole)[:, begun:].max() < 1e-9 * np.abs(whole).max()


def test_a_drag_of_many_changes_stays_smooth_and_ends_with_the_last(signal):
    designs = [design_of(low(60.0 - k))[1] for k in range(50)]
    last_chain = design_of(low(11.0))[0]
    run, y = tuned(signal, designs, 50)
    whole = [filter_array(signal, design_of(low(f))[0], rate_hz=RATE_HZ) for f in (60.0, 11.0)]
    slope = max(np.abs(np.diff(w[:, 100:], axis=1)).max() for w in whole)
    apart = np.abs(whole[0] - whole[1]).max()
    assert np.abs(np.diff(y[:, 100:], axis=1)).max() <= slope + apart * math.pi / (2 * LEAST_FADE)
    assert run._old is None
    late = filter_array(signal, last_chain, rate_hz=RATE_HZ)
    assert np.abs(y - late)[:, 3500:].max() < 1e-6 * np.abs(late).max()


def test_a_bank_that_was_prepared_long_ago_takes_over_where_the_signal_is(signal):
    _, old = design_of(low(60.0))
    chain, new = design_of(low(10.0))
    run = run_of(old)
    give(run, signal[:, :1000], 0)
    bank = run.prepare(tuning(new))
    give(run, signal[:, 1000:3000], 1000)
    run.adopt(bank)
    give(run, signal[:, 3000:], 3000)
    run.advance(whole=True)
    late = filter_array(signal, chain, rate_hz=RATE_HZ)
    assert np.abs(after_of(run) - late)[:, 3200:].max() < 1e-9 * np.abs(late).max()


def test_lost_samples_are_missing_samples(signal, synthetic_source):
    clock = iter(np.arange(0.0, 40.0, 0.1))
    source = synthetic_source.SyntheticSource(
        n_channels=3, rate_hz=RATE_HZ, clock=lambda: float(next(clock)), lost={900: 40, 2000: 3}
    )
    chain, design = design_of(low(40.0))
    run = run_of(design)
    for _ in range(80):
        for block in source.poll():
            run.take(block)
        run.advance()
    run.advance(whole=True)
    x = source.made(0, run.after.stop_sample)
    x[:, 900:940] = x[:, 2000:2003] = np.nan
    whole = filter_array(x, chain, rate_hz=RATE_HZ)
    assert run.dropped == 43
    assert np.array_equal(np.isnan(after_of(run)), np.isnan(whole))
    assert np.nanmax(np.abs(after_of(run) - whole)) < 1e-9 * np.nanmax(np.abs(whole))


def test_a_gap_in_time_begins_anew_without_taking_samples(signal):
    chain, design = design_of(low(40.0))
    run = run_of(design)
    give(run, signal[:, :2000], 0)
    give(run, signal[:, 2000:], 2000, begins=True)
    run.advance(whole=True)
    parts = [filter_array(part, chain, rate_hz=RATE_HZ) for part in (signal[:, :2000], signal[:, 2000:])]
    whole = np.concatenate(parts, axis=1)
    assert np.abs(after_of(run) - whole).max() < 1e-9 * np.abs(whole).max()


def test_a_leap_longer_than_the_memory_begins_anew(signal):
    chain, design = design_of(low(40.0))
    run = run_of(design)
    give(run, signal[:, :1000], 0)
    give(run, signal[:, 1000:], 10**9)
    run.advance(whole=True)
    whole = filter_array(signal[:, 1000:], chain, rate_hz=RATE_HZ)
    assert run.after.first_sample == 10**9
    assert np.abs(after_of(run) - whole).max() < 1e-9 * np.abs(whole).max()


@pytest.mark.parametrize("rate_hz", [1.0, 256.0, 30_000.0])
@pytest.mark.parametrize("n_channels", [1, 64, 384])
def test_memory_is_bounded(rate_hz, n_channels):
    assert ring_samples(rate_hz, n_channels) * n_channels <= max(8_000_000, 1024 * n_channels)
    lengths = block_lengths(rate_hz, n_channels)
    assert list(lengths) == sorted(lengths, reverse=True)
    assert lengths[-1] / rate_hz <= 0.05 or lengths[-1] == 16
