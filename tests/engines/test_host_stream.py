"""Long signals on the first CPU device go through NumPy's products and give what compiled programs give."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from jaxscope.engines import host_stream, jax_engine, row_groups
from jaxscope.engines.compiled import compilations
from jaxscope.engines.program import make_program
from jaxscope.errors import UsageError
from jaxscope.filters.coefficients import RunningMedian, Taps

SOS = signal.butter(4, [0.01, 0.2], "bandpass", output="sos")


@pytest.fixture
def on_host(monkeypatch) -> list[tuple[str, ...]]:
    """Let the host take every flow, in several groups and chunks; gives the kinds of those that it took."""
    taken: list[tuple[str, ...]] = []
    real = host_stream.stream_on_host

    def noted(flow, length, kinds, *others):
        taken.append(tuple(kinds))
        return real(flow, length, kinds, *others)

    monkeypatch.setattr(jax_engine, "stream_on_host", noted)
    monkeypatch.setattr(host_stream, "LEAST_SAMPLES", 0)
    monkeypatch.setattr(row_groups, "LEAST_SAMPLES", 0)
    monkeypatch.setattr(row_groups, "n_threads", lambda: 2)
    return taken


@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize("by_channel", [False, True])
@pytest.mark.parametrize(("precision", "limit"), [("float64", 1e-9), ("float32", 2e-3)])
def test_the_host_equals_scipy(phase, by_channel, precision, limit, chain, sections, on_host) -> None:
    cutoffs = (0.05, 0.1, 0.2, 0.3, 0.4) if by_channel else (0.2,)
    designs = [chain(sections(signal.butter(3, own, output="sos")), phase=phase) for own in cutoffs]
    x = 1e4 + np.random.default_rng(1).standard_normal((5, 20_011)).cumsum(axis=1)
    program = make_program(designs, n_channels=5, method="block", precision=precision)
    before = x.copy()
    y = program.run(x)
    expected = make_program(designs, n_channels=5, method="scipy").run(x)
    assert y.dtype == precision
    np.testing.assert_allclose(y, expected, rtol=0, atol=limit)
    np.testing.assert_array_equal(x, before)
    assert program.ran_on == ("cpu:0",)
    assert set(on_host) == ({("block",), ("block-backwards",)} if phase == "zero" else {("block",)})


def test_blocks_of_any_length_equal_the_whole(chain, sections, on_host) -> None:
    program = make_program(chain(sections(SOS)), n_channels=3, method="block")
    x = np.random.default_rng(2).standard_normal((3, 9000))
    whole = program.run(x)
    state, parts = program.start(), []
    for first, stop in ((0, 1), (1, 32), (32, 1000), (1000, 8193), (8193, 9000)):
        y, state = program.step(x[:, first:stop], state)
        parts.append(y)
    np.testing.assert_allclose(np.concatenate(parts, axis=1), whole, rtol=0, atol=1e-12)


def test_gaps_split_channels_on_the_host(chain, sections, on_host) -> None:
    x = np.random.default_rng(3).standard_normal((4, 9000))
    x[2, 4000:4010] = np.nan
    design = chain(sections(SOS))
    y = make_program(design, n_channels=4, method="block").run(x)
    np.testing.assert_allclose(y, make_program(design, n_channels=4, method="scipy").run(x), rtol=0, atol=1e-11)
    assert np.isnan(y).sum() == 10
    assert on_host


def test_the_host_compiles_nothing(chain, sections, on_host) -> None:
    x = np.random.default_rng(4).standard_normal((2, 5000))
    before = compilations()
    for order in (1, 5):
        make_program(chain(sections(signal.butter(order, 0.3, output="sos"))), n_channels=2, method="block").run(x)
    assert compilations() == before


def test_the_host_takes_long_flows_of_what_it_knows_alone() -> None:
    pays = host_stream.pays_on_host
    long, short = host_stream.LEAST_SAMPLES, host_stream.LEAST_SAMPLES - 1
    assert pays("cpu:0", ("block",), long)
    assert not pays("cpu:0", ("block",), short)
    assert not pays("cpu:1", ("block",), long)
    assert not pays("cuda:0", ("block",), long)
    assert not pays("cpu:0", ("block", "median"), long)


def test_long_chains_and_single_sections_equal_scipy(chain, sections, on_host) -> None:
    x = np.random.default_rng(5).standard_normal((2, 6000))
    for order in (1, 24):
        design = chain(sections(signal.butter(order, 0.3, output="sos")), initial="rest")
        y = make_program(design, n_channels=2, method="block").run(x)
        np.testing.assert_allclose(y, make_program(design, n_channels=2, method="scipy").run(x), rtol=0, atol=1e-11)


def test_parts_follow_each_other_on_the_host(chain, sections, on_host) -> None:
    low, high = (sections(signal.butter(2, 0.2, kind, output="sos")) for kind in ("lowpass", "highpass"))
    x = 50 + np.random.default_rng(6).standard_normal((3, 6001))
    for phase in ("causal", "zero"):
        design = chain(low, high, low, phase=phase)
        y = make_program(design, n_channels=3, method="block").run(x)
        np.testing.assert_allclose(y, make_program(design, n_channels=3, method="scipy").run(x), rtol=0, atol=1e-10)
    assert ("block", "block", "block") in on_host


def test_what_the_host_does_not_know_stays_with_compiled_programs(chain, sections, on_host) -> None:
    x = np.random.default_rng(7).standard_normal((2, 3000))
    design = chain(sections(SOS), RunningMedian(5))
    y = make_program(design, n_channels=2, method="block").run(x)
    np.testing.assert_allclose(y, make_program(design, n_channels=2, method="scipy").run(x), rtol=0, atol=1e-11)
    assert on_host == []


@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize("n_taps", [1, 2, 32, 33, 101, 200])
def test_taps_on_the_host_equal_scipy(n_taps, phase, chain, on_host) -> None:
    rng = np.random.default_rng(n_taps)
    x = 100 + rng.standard_normal((3, 9001))
    for count in (1, 3):
        designs = [chain(Taps(tuple(rng.standard_normal(n_taps).tolist())), phase=phase) for _ in range(count)]
        y = make_program(designs, n_channels=3, method="toeplitz").run(x)
        expected = make_program(designs, n_channels=3, method="scipy").run(x)
        np.testing.assert_allclose(y, expected, rtol=0, atol=1e-13 * np.abs(expected).max())
    assert set(on_host) == {("toeplitz",)}


def test_taps_behind_sections_step_by_step_and_over_gaps(chain, sections, on_host) -> None:
    design = chain(sections(SOS), Taps(tuple(signal.firwin(75, 0.3).tolist())))
    x = 10 + np.random.default_rng(8).standard_normal((3, 9000))
    x[1, 5000:5003] = np.nan
    program = make_program(design, n_channels=3, method="block")
    whole = program.run(x)
    np.testing.assert_allclose(whole, make_program(design, n_channels=3, method="scipy").run(x), rtol=0, atol=1e-11)
    assert np.isnan(whole).sum() == 3
    state, parts = program.start(), []
    for first, stop in ((0, 40), (40, 4999), (4999, 9000)):
        y, state = program.step(x[:, first:stop], state)
        parts.append(y)
    np.testing.assert_allclose(np.concatenate(parts, axis=1), whole, rtol=0, atol=1e-12)
    assert ("block", "toeplitz") in on_host


def test_a_gap_is_found_where_only_taps_meet_it(chain, on_host) -> None:
    x = np.random.default_rng(9).standard_normal((2, 9000))
    x[0, 8000] = np.nan
    design = chain(Taps((0.5, 0.25, 0.25)))
    y = make_program(design, n_channels=2, method="toeplitz").run(x)
    np.testing.assert_allclose(y, make_program(design, n_channels=2, method="scipy").run(x), rtol=0, atol=1e-13)
    assert np.isnan(y).sum() == 1


def test_samples_too_large_for_float32_less_their_first_one_are_named(chain, sections, on_host) -> None:
    x = np.full((3, 5000), 3e38, dtype=np.float32)
    x[:, 1000:] = -3e38
    program = make_program(chain(sections(SOS)), n_channels=3, method="block", precision="float32")
    with pytest.raises(UsageError, match="beyond what float32 can hold"):
        program.run(x)
