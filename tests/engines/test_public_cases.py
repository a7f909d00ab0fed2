"""Bugs that others met in public, with the right values: they must not be met here."""

from __future__ import annotations

import threading
import tracemalloc

import jax
import numpy as np
import pytest
import scipy.signal

from jaxscope.engines.compiled import compilations
from jaxscope.engines.filter_array import filter_array
from jaxscope.engines.jax_engine import JaxProgram
from jaxscope.engines.program import make_program
from jaxscope.filters.coefficients import Taps


def test_c001_narrow_band_at_a_high_rate_stays_finite(chain, sections) -> None:
    sos = scipy.signal.butter(5, [49, 51], "band", fs=44000, output="sos")
    y = filter_array(np.full(132000, 0.5), chain(sections(sos), initial="rest"))
    assert np.isfinite(y).all()
    assert np.abs(y).argmax() == 25742
    assert np.abs(y).max() == pytest.approx(0.00733123, rel=1e-5)
    assert y[-1] == pytest.approx(-6.009e-06, rel=1e-3)


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_c002_float32_keeps_the_amplitude(precision: str, chain, sections) -> None:
    sos = scipy.signal.butter(5, [49, 51], "band", fs=44000, output="sos")
    x = np.sin(2 * np.pi * 50 * np.arange(20 * 44000) / 44000)
    y = filter_array(x, chain(sections(sos)), precision=precision)
    assert np.abs(y[-44000:]).max() == pytest.approx(0.99999, abs=1e-4)


@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_c021_a_constant_stays_to_the_first_and_last_sample(phase: str, chain, sections) -> None:
    sos = scipy.signal.butter(4, 40, fs=500, output="sos")
    y = filter_array(np.full(500, 1000.0), chain(sections(sos), phase=phase))
    np.testing.assert_allclose(y, 1000.0, rtol=0, atol=1e-9)


def test_c036_block_by_block_equals_whole(chain, sections) -> None:
    x = np.random.default_rng(36).standard_normal((1, 20000)).cumsum(axis=1)
    sos = scipy.signal.butter(4, [0.5, 40], "band", fs=500, output="sos")
    design = chain(sections(sos))
    whole = filter_array(x, design)
    state, pieces = None, []
    for start in range(0, 20000, 1024):
        y, state = filter_array(x[:, start : start + 1024], design, state=state, return_state=True)
        pieces.append(y)
    assert np.abs(np.concatenate(pieces, axis=1) - whole).max() <= 1e-12 * np.abs(x).max()
    without = np.concatenate([filter_array(x[:, k : k + 1024], design) for k in range(0, 20000, 1024)], axis=1)
    assert np.abs(without - whole).max() > 1


def test_c037_a_steady_start_has_no_transient(chain, sections) -> None:
    t = np.arange(5000) / 500
    x = 200000 + np.sin(2 * np.pi * 10 * t)
    sos = scipy.signal.butter(2, 0.1, "high", fs=500, output="sos")
    assert np.abs(filter_array(x, chain(sections(sos)))).max() == pytest.approx(1.0125, abs=1e-4)
    assert np.abs(filter_array(x, chain(sections(sos), initial="rest"))).max() > 199000


def test_c039_float32_keeps_a_small_signal_on_a_large_offset(chain, sections) -> None:
    rng = np.random.default_rng(39)
    x = 175940 + 2.2 * rng.standard_normal((1, 15360)).cumsum(axis=1) / 10
    design = chain(sections(scipy.signal.butter(2, 0.1, "high", fs=128, output="sos")))
    exact = make_program(design, n_channels=1, method="scipy").run(x)
    error = np.abs(make_program(design, n_channels=1, precision="float32").run(x) - exact).max()
    assert error < 1e-5 * np.sqrt(np.mean(exact**2))


def test_c039_on_the_real_channel(shared_data, chain, sections) -> None:
    jaxscope = pytest.importorskip("jaxscope")
    found = sorted(shared_data.rglob("mne_test_edf_stim_channel.edf"))
    if not found:
        pytest.skip("the recording is not there")
    recording = jaxscope.open_recording(found[0])
    names = [channel.name for channel in recording.info.channels]
    number = names.index("EEG Fp1") if "EEG Fp1" in names else 0
    x = recording.read(0, recording.info.channels[number].n_samples, [number])
    design = chain(sections(scipy.signal.butter(2, 0.1, "high", fs=128, output="sos")))
    exact = make_program(design, n_channels=1, method="scipy").run(x)
    error = np.abs(make_program(design, n_channels=1, precision="float32").run(x) - exact).max()
    assert error < 0.01 * np.sqrt(np.mean(exact**2))


def test_c045_what_a_second_of_nan_costs(chain, sections) -> None:
    x = np.random.default_rng(45).standard_normal((1, 6250))
    x[:, :250] = np.nan
    high = sections(scipy.signal.butter(4, 5, "high", fs=250, output="sos"))
    taps = tuple(scipy.signal.firwin(413, 5, fs=250, pass_zero=False).tolist())
    counts = {
        6250: chain(high, gaps="propagate"),
        662: chain(Taps(taps), gaps="propagate"),
        456: chain(Taps(taps, runs_once=True), gaps="propagate", phase="zero"),
        250: chain(high),
    }
    for count, design in counts.items():
        for method in ("auto", "scipy"):
            assert np.isnan(make_program(design, n_channels=1, method=method).run(x)).sum() == count


@pytest.mark.parametrize("method", ["toeplitz", "overlap-save"])
def test_c046_one_nan_costs_as_many_samples_as_there_are_taps(method: str, chain) -> None:
    x = np.random.default_rng(46).standard_normal((1, 10000))
    clean = x.copy()
    x[0, 5000] = np.nan
    taps = Taps(tuple(scipy.signal.firwin(101, 0.2).tolist()))
    program = make_program(chain(taps, gaps="propagate"), n_channels=1, method=method)
    y = program.run(x)
    assert np.isnan(y).sum() == 101
    np.testing.assert_allclose(y[0, :5000], program.run(clean)[0, :5000], atol=1e-14)
    np.testing.assert_allclose(y[0, 5101:], program.run(clean)[0, 5101:], atol=1e-14)


def test_c107_a_single_spike_is_seen_at_full_zoom(chain) -> None:
    x = np.zeros((1, 10_000_000), dtype=np.float32)
    x[0, 7_654_321] = 1.0
    program = make_program(chain(), n_channels=1)
    seen = program.view(x, 0, 8192, slice(0, x.shape[1]))
    assert seen.before_max.shape == (1, -(-10_000_000 // 8192))
    assert seen.before_max[0, 7_654_321 // 8192] == 1.0
    assert seen.after_max.sum() == 1.0
    assert seen.before_min.max() == 0.0


def test_c118_any_view_is_a_slice_of_the_whole(chain, sections) -> None:
    x = np.random.default_rng(118).standard_normal((8, 100_000))
    program = make_program(chain(sections(scipy.signal.butter(4, [5, 40], "band", fs=250, output="sos"))), n_channels=8)
    whole = program.run(x)
    context = program.context_samples
    for first in (0, 1, 50_000, 77_777, 99_000):
        stop = min(first + 1000, 100_000)
        begin = max(first - context, 0)
        seen = program.view(x[:, begin:stop], begin, 1, slice(first - begin, stop - begin))
        np.testing.assert_allclose(seen.after_min, whole[:, first:stop], rtol=0, atol=1e-6)
        np.testing.assert_allclose(seen.difference_max, (x - whole)[:, first:stop], rtol=0, atol=1e-6)


def test_c122_the_chosen_device_does_the_work(chain, sections, monkeypatch) -> None:
    from jaxscope.engines import compiled, jax_engine

    used: list[set[jax.Device]] = []
    real = compiled.advance

    def spy(*arguments: object, **options: object) -> object:
        out = real(*arguments, **options)
        used.append(out[0].devices())
        return out

    monkeypatch.setattr(jax_engine.compiled, "advance", spy)
    design = chain(sections(scipy.signal.butter(2, 0.2, output="sos")))
    x = np.ones((2, 100))
    for device, number in (("cpu:0", 0), ("cpu:1", 1), ("cpu", 0)):
        program = make_program(design, n_channels=2, device=device)
        assert isinstance(program, JaxProgram)
        assert program.device == f"cpu:{number}"
        assert program.backend == "cpu"
        program.run(x)
        assert used.pop() == {jax.devices("cpu")[number]}
        assert not used


def test_c123_c124_float64_and_the_device_hold_in_a_worker_thread(chain, sections) -> None:
    design = chain(sections(scipy.signal.butter(2, 0.2, output="sos")))
    x = np.random.default_rng(123).standard_normal((2, 500))
    found: list[np.ndarray] = []

    def work() -> None:
        found.append(make_program(design, n_channels=2, device="cpu:1", method="block").run(x))

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert found[0].dtype == np.float64
    exact = make_program(design, n_channels=2, method="scipy").run(x)
    assert np.abs(found[0] - exact).max() < 1e-13


def test_c126_lengths_share_compilations_and_the_tail_changes_nothing(chain, sections) -> None:
    design = chain(sections(scipy.signal.butter(5, 0.3, output="sos")))
    program = make_program(design, n_channels=2, method="block")
    x = np.random.default_rng(126).standard_normal((2, 1200))
    whole = program.run(x)
    before = compilations()
    for n in range(1000, 1101, 7):
        y, state = program.step(x[:, :n], program.start())
        np.testing.assert_allclose(y, whole[:, :n], rtol=0, atol=1e-13)
        rest, _ = program.step(x[:, n:], state)
        np.testing.assert_allclose(rest, whole[:, n:], rtol=0, atol=1e-13)
    assert compilations() - before <= 4  # two for the lengths, two for what is left


def test_a_hundred_moves_of_a_knob_compile_once(chain, sections) -> None:
    x = np.random.default_rng(1).standard_normal((2, 1000))
    for phase in ("causal", "zero"):
        counts = []
        for cutoff in np.linspace(0.05, 0.45, 50):
            design = chain(sections(scipy.signal.butter(3, [cutoff, cutoff + 0.1], "band", output="sos")), phase=phase)
            program = make_program(design, n_channels=2, method="block")
            program.run(x)
            program.view(x, 0, 16, slice(100, 900))
            counts.append(compilations())
        assert counts[-1] == counts[0]


def test_memory_does_not_grow_with_chunks(chain, sections) -> None:
    design = chain(sections(scipy.signal.butter(2, 0.2, output="sos")))
    x = np.zeros((4, 1 << 21), dtype=np.float32)
    program = make_program(design, n_channels=4, precision="float32", method="block")
    program.run(x[:, :1000])
    tracemalloc.start()
    program.run(x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2.5 * x.nbytes
