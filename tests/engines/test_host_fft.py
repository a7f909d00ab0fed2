"""Long taps on the host: values, pieces, cores, order of memory and what is not finite, against the plain sum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from jaxscope.dsp import host_blocks
from jaxscope.engines import host_fft, host_stream, host_transforms, jax_engine
from jaxscope.engines.compiled import compilations
from jaxscope.engines.program import make_program
from jaxscope.errors import UsageError
from jaxscope.filters.coefficients import Taps

#: relative to the largest result, as everything in a piece is rounded alike
LIMITS = {"float64": 3e-15, "float32": 8e-7}


def random_taps(n_taps: int, seed: int = 0) -> Taps:
    return Taps(tuple(np.random.default_rng(seed).standard_normal(n_taps).tolist()))


def exact(taps: Taps, x: np.ndarray) -> np.ndarray:
    """Return the plain sum in more digits than float64 where the platform has them, from rest."""
    wide, h = x.astype(np.longdouble), taps.to_array().astype(np.longdouble)
    y = np.zeros(x.shape, dtype=np.longdouble)
    for number, tap in enumerate(h[: x.shape[1]]):
        y[:, number:] += tap * wide[:, : x.shape[1] - number]
    return y.astype(np.float64)


def coarse(values: np.ndarray) -> np.ndarray:
    """Return values whose sums have no rounding."""
    return np.round(values * 2**20) / 2**20


@pytest.fixture(autouse=True)
def streams(monkeypatch) -> list[int]:
    """Let the host take every flow, on two threads where there is enough; gives the samples of what it took."""
    taken: list[int] = []
    real = host_fft.stream

    def noted(flow, *others):
        taken.append(flow.x.size)
        return real(flow, *others)

    monkeypatch.setattr(jax_engine.host_fft, "stream", noted)
    monkeypatch.setattr(host_stream, "LEAST_SAMPLES", 0)
    monkeypatch.setattr(host_fft, "LEAST_SHARED", 2000)
    monkeypatch.setattr(host_fft, "MANY_SHARED", 4000)
    monkeypatch.setattr(host_fft, "n_threads", lambda: 2)
    return taken


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize(
    ("n_channels", "n_samples", "n_taps"),
    [(1, 1, 1), (3, 7, 2), (1, 4001, 33), (2, 300, 1001), (17, 2500, 101), (3, 20_000, 400), (40, 130, 64)],
)
def test_values(n_channels, n_samples, n_taps, precision, chain, streams) -> None:
    x = np.random.default_rng(1).standard_normal((n_channels, n_samples)).astype(precision)
    taps = random_taps(n_taps)
    before = x.copy()
    program = make_program(
        chain(taps, initial="rest"), n_channels=n_channels, method="overlap-save", precision=precision
    )
    y, expected = program.run(x), exact(taps, x)
    assert y.dtype == precision
    np.testing.assert_allclose(y, expected, rtol=0, atol=LIMITS[precision] * np.abs(expected).max())
    np.testing.assert_array_equal(x, before)
    assert streams == [x.size]
    assert program.ran_on == ("cpu:0",)


@pytest.mark.parametrize("group_bytes", [1, 1 << 14, 1 << 20])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("in_place", [False, True])
def test_every_way_through_memory_gives_the_same(group_bytes, backwards, in_place, monkeypatch) -> None:
    """Groups of any size, the last sample first in memory, and results where the samples were."""
    monkeypatch.setattr(host_transforms, "GROUP_BYTES", group_bytes)
    host_transforms.plan.cache_clear()
    taps, order = random_taps(65), slice(None, None, -1 if backwards else 1)
    for shape in ((3, 9001), (9, 2000)):
        x = np.random.default_rng(2).standard_normal(shape)
        past = np.random.default_rng(3).standard_normal((shape[0], 70))
        held = x[:, order].copy()
        place = held if in_place else np.empty_like(held)
        flow = jax_engine.Flow(
            x=held[:, order],
            y=place[:, order],
            numbers=[0],
            rows=np.arange(shape[0]),
            states=[past],
            offset=np.zeros(shape[0]),
            level=np.zeros(shape[0]),
        )
        after = host_fft.stream(flow, host_transforms.spectra_of([taps], "float64"), "float64")
        joined = np.concatenate([past, x], axis=1)
        np.testing.assert_allclose(flow.y, exact(taps, joined)[:, 70:], rtol=0, atol=1e-13)
        np.testing.assert_array_equal(after, joined[:, -70:])
    host_transforms.plan.cache_clear()


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_any_blocks_equal_the_whole(precision, chain) -> None:
    program = make_program(chain(random_taps(301)), n_channels=3, method="overlap-save", precision=precision)
    x = 50 + np.random.default_rng(4).standard_normal((3, 12_000))
    whole, state, parts = program.run(x), program.start(), []
    for first, stop in ((0, 1), (1, 200), (200, 201), (201, 7000), (7000, 12_000)):
        y, state = program.step(x[:, first:stop], state)
        parts.append(y)
    limit = LIMITS[precision] * np.abs(whole).max()
    np.testing.assert_allclose(np.concatenate(parts, axis=1), whole, rtol=0, atol=limit)


def test_compiled_blocks_and_those_of_the_host_follow_each_other(chain, monkeypatch) -> None:
    """The state goes from one to the other."""
    program = make_program(chain(random_taps(101)), n_channels=2, method="overlap-save")
    x = np.random.default_rng(5).standard_normal((2, 9000))
    whole, state, parts = program.run(x), program.start(), []
    monkeypatch.setattr(host_stream, "LEAST_SAMPLES", 4000)
    monkeypatch.setattr(host_stream, "ALWAYS", ())
    for first, stop in ((0, 1000), (1000, 6000), (6000, 6400), (6400, 9000)):
        y, state = program.step(x[:, first:stop], state)
        parts.append(y)
    np.testing.assert_allclose(np.concatenate(parts, axis=1), whole, rtol=0, atol=1e-12)


@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize("by_channel", [False, True])
@pytest.mark.parametrize(("precision", "limit"), [("float64", 1e-14), ("float32", 2e-6)])
def test_an_offset_costs_no_digit(phase, by_channel, precision, limit, chain) -> None:
    """Each channel's first sample is taken off in float64 before anything is rounded."""
    every = [coarse(random_taps(149, seed).to_array()) for seed in range(4 if by_channel else 1)]
    designs = [chain(Taps((*taps.tolist(), float(-taps.sum()))), phase=phase) for taps in every]
    drift = coarse(np.random.default_rng(6).standard_normal((4, 6000)))
    drift[:, 0] = 0
    x = np.array([0.0, 1e3, -2e5, 175_940.0])[:, np.newaxis] + drift
    y = make_program(designs, n_channels=4, method="overlap-save", precision=precision).run(x)
    expected = make_program(designs, n_channels=4, method="scipy").run(drift)
    np.testing.assert_allclose(y, expected, rtol=0, atol=limit * np.abs(expected).max())


def test_taps_of_their_own_beyond_what_is_kept(chain, monkeypatch) -> None:
    designs = [chain(random_taps(90, seed)) for seed in range(5)]
    x = np.random.default_rng(7).standard_normal((5, 7000))
    kept = make_program(designs, n_channels=5, method="overlap-save").run(x)
    monkeypatch.setattr(host_transforms, "MOST_KEPT_BYTES", 0)
    np.testing.assert_array_equal(make_program(designs, n_channels=5, method="overlap-save").run(x), kept)
    np.testing.assert_allclose(kept, make_program(designs, n_channels=5, method="scipy").run(x), rtol=0, atol=1e-12)


@pytest.mark.parametrize("by_channel", [False, True])
def test_transforms_of_all_lengths_together_are_kept_up_to_a_limit_and_those_of_before_go(by_channel, monkeypatch):
    n_channels, rows = (6, np.array([1, 4])) if by_channel else (1, np.array([0]))
    spectra = host_transforms.spectra_of([random_taps(90, seed) for seed in range(n_channels)], "float64")
    most = n_channels * 10_000 * 8
    monkeypatch.setattr(host_transforms, "MOST_KEPT_BYTES", most)
    made, real = [], host_transforms._factors

    def note(taps, length, *given, **named):
        made.append(length)
        return real(taps, length, *given, **named)

    monkeypatch.setattr(host_transforms, "_factors", note)
    for length in (512, 1024, 2048, 4096, 8192):
        for backwards in (False, True):
            spectra.of(length, rows, backwards=backwards)
            assert spectra._kept.n_bytes <= most
    spectra[:1].of(8192, rows[:1] * 0, backwards=True)
    assert made == [512, 512, 1024, 1024, 2048, 2048, 4096, 4096, 8192, 8192], "the newest is there"
    found = spectra.of(512, rows, backwards=False)
    assert made[-1] == 512
    expected = host_transforms.spectra_of([random_taps(90, seed) for seed in range(n_channels)], "float64")
    for own, other in zip(found, expected.of(512, rows, backwards=False), strict=True):
        np.testing.assert_array_equal(own, other)


@pytest.mark.parametrize("gaps", ["segment", "propagate"])
@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_gaps(gaps, phase, chain) -> None:
    x = np.random.default_rng(8).standard_normal((3, 8000))
    x[1, 4000:4010] = np.nan
    x[2, 7999] = np.inf if gaps == "propagate" else np.nan
    design = chain(random_taps(120), phase=phase, gaps=gaps)
    y = make_program(design, n_channels=3, method="overlap-save").run(x)
    expected = make_program(design, n_channels=3, method="scipy").run(x)
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-11)
    assert np.isnan(y).any()


def test_channels_beside_each_other_do_not_meet(chain) -> None:
    design = chain(random_taps(200), initial="rest")
    x = np.random.default_rng(9).standard_normal((6, 5000)).astype(np.float32)
    alone = make_program(design, n_channels=6, method="overlap-save", precision="float32").run(x)
    x[[0, 3]] *= np.float32(1e27)
    beside = make_program(design, n_channels=6, method="overlap-save", precision="float32").run(x)
    np.testing.assert_array_equal(beside[[1, 2, 4, 5]], alone[[1, 2, 4, 5]])


def test_what_is_too_large_is_said(chain) -> None:
    program = make_program(chain(random_taps(200)), n_channels=2, method="overlap-save", precision="float32")
    x = np.zeros((2, 5000))
    x[1, 2000] = 1e39
    with pytest.raises(UsageError, match="there are samples beyond what float32 can hold"):
        program.run(x)
    with pytest.raises(UsageError, match="there are coefficients beyond what float32 can hold"):
        make_program(chain(Taps((1e39,) * 200)), n_channels=2, method="overlap-save", precision="float32").run(x)


@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize("n_channels", [2, 5])
def test_behind_other_parts(phase, n_channels, chain, sections) -> None:
    sos = sections(signal.butter(3, [0.02, 0.3], "bandpass", output="sos"))
    designs = [chain(sos, random_taps(130, seed), random_taps(70), phase=phase) for seed in range(n_channels)]
    x = 10 + np.random.default_rng(10).standard_normal((n_channels, 9000))
    for own in (designs, designs[:1]):
        program = make_program(own, n_channels=n_channels, method="overlap-save")
        expected = make_program(own, n_channels=n_channels, method="scipy").run(x)
        limit = 1e-12 * np.abs(expected).max()
        np.testing.assert_allclose(program.run(x), expected, rtol=0, atol=limit)
        if phase == "causal":
            state, parts = program.start(), []
            for first, stop in ((0, 70), (70, 5001), (5001, 9000)):
                y, state = program.step(x[:, first:stop], state)
                parts.append(y)
            np.testing.assert_allclose(np.concatenate(parts, axis=1), expected, rtol=0, atol=limit)


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize(("sizes", "n_samples"), [((64, 64), 3000), ((200, 5), 3000), ((33, 200, 5), 20_011)])
def test_old_memory_comes_into_no_result(sizes, n_samples, precision, chain, monkeypatch) -> None:
    real = host_blocks.Scratch.room

    def poisoned(scratch, name, shape, dtype):
        memory = real(scratch, name, shape, dtype)
        memory.fill(np.nan)
        return memory

    monkeypatch.setattr(host_blocks.Scratch, "room", poisoned)
    design = chain(*(random_taps(size, size) for size in sizes))
    x = np.random.default_rng(9).standard_normal((2, n_samples))
    y = make_program(design, n_channels=2, method="overlap-save", precision=precision).run(x)
    expected = make_program(design, n_channels=2, method="scipy").run(x)
    assert np.abs(y - expected).max() <= 20 * LIMITS[precision] * np.abs(expected).max()


def test_the_shortest_signals_are_the_hosts_own(chain, streams, monkeypatch) -> None:
    monkeypatch.setattr(host_stream, "LEAST_SAMPLES", 1 << 12)
    for shape in ((1, 1), (3, 5), (2, 0)):
        y = make_program(chain(random_taps(9)), n_channels=shape[0], method="overlap-save").run(np.ones(shape))
        assert y.shape == shape
    assert streams[:2] == [1, 15]


def test_nothing_is_compiled(chain) -> None:
    x = np.random.default_rng(11).standard_normal((3, 20_000))
    before = compilations()
    for n_taps in (100, 101, 3000):
        for seed in range(3):
            make_program(chain(random_taps(n_taps, seed)), n_channels=3, method="overlap-save").run(x)
    assert compilations() == before


@pytest.mark.parametrize("reach", [0, 1, 31, 100, 1000, 9999, 300_000])
@pytest.mark.parametrize("n_samples", [1, 63, 1000, 65_536, 1 << 24])
def test_plans_hold_what_they_must(reach, n_samples) -> None:
    for n_rows, itemsize in ((1, 4), (64, 8), (1000, 4)):
        plan = host_transforms.plan(n_rows, n_samples, reach, itemsize)
        assert plan.length % 2 == 0
        assert plan.length == plan.new + reach
        # a piece reads what the one before it has read, and no more
        assert plan.new > reach or plan.new >= n_samples
        assert 1 <= plan.rows <= n_rows
        assert 1 <= plan.pieces <= -(-n_samples // plan.new)
        group = plan.rows * plan.pieces * plan.length * itemsize
        assert group <= max(host_transforms.GROUP_BYTES, host_transforms.EVEN * plan.length * itemsize)
        assert plan.length <= 4 * max(min(n_samples + reach, 8 * reach), host_transforms.LONGEST // 4)


def test_a_transform_that_leaves_its_argument_alone_serves_too(chain, monkeypatch) -> None:
    for name in ("rfft", "irfft"):
        real = getattr(host_transforms.fftpack, name)
        monkeypatch.setattr(host_transforms.fftpack, name, lambda x, real=real, **_: real(x.copy()))
    taps, x = random_taps(101), np.random.default_rng(3).standard_normal((3, 4000))
    made = make_program(chain(taps, initial="rest"), n_channels=3, precision="float64", method="overlap-save")
    np.testing.assert_allclose(made.run(x), exact(taps, x), atol=1e-12)
