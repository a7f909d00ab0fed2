"""Memory is used again only when nobody sees it any more; groups of channels give what one stream gives."""

from __future__ import annotations

import gc
import weakref

import jax
import numpy as np
import pytest
import scipy.signal

from jaxscope import arena
from jaxscope.dsp.block_fir import new_samples
from jaxscope.engines import jax_engine, row_groups, staging
from jaxscope.engines.base import NotFiniteError
from jaxscope.engines.compiled import compilations
from jaxscope.engines.program import make_program
from jaxscope.engines.staging import Weights, laid_out
from jaxscope.filters.coefficients import Taps
from jaxscope.side_by_side import side_by_side

SHAPE = (4, arena.LEAST_BYTES // 8)
SOS = scipy.signal.butter(2, 0.2, output="sos")


def idle_bytes() -> int:
    """Return how much memory is kept for later."""
    return sum(memory.nbytes for memory in arena._idle)


@pytest.mark.parametrize("backwards", [False, True])
def test_of_filters_that_are_tuned_by_channel_few_matrices_are_kept(backwards, chain, sections) -> None:
    made = []
    for number in range(6):
        cutoffs = (0.3, 0.1 + number / 100)
        designs = [chain(sections(scipy.signal.butter(2, one, output="sos"))) for one in cutoffs]
        program = make_program(designs, n_channels=2, method="block")
        made.append(weakref.ref(program._host_weights(backwards=backwards)[0].drive))
    del program
    gc.collect()
    assert [one() is not None for one in made] == [False] * 4 + [True] * 2


def test_memory_that_returns_in_the_middle_of_a_take_waits_for_its_end() -> None:
    kept = arena.empty(SHAPE, "float64")
    address = kept.ctypes.data
    idle = idle_bytes()
    with arena._LOCK:
        del kept
        assert idle_bytes() == idle
    assert arena.empty(SHAPE, "float64").ctypes.data == address


def test_memory_returns_when_the_last_view_has_gone() -> None:
    first = arena.empty(SHAPE, "float64")
    address = first.ctypes.data
    view = first[1:, ::2]
    del first
    other = arena.empty(SHAPE, "float64")
    assert other.ctypes.data != address
    assert not np.shares_memory(other, view)
    idle = idle_bytes()
    del view
    assert idle_bytes() == min(idle + 4 * arena.LEAST_BYTES, arena.MOST_IDLE_BYTES)
    again = arena.empty(SHAPE, "float64")
    assert again.ctypes.data == address
    assert again.flags.writeable
    assert again.flags.c_contiguous


def test_kept_memory_has_a_limit(monkeypatch) -> None:
    monkeypatch.setattr(arena, "_idle", [])
    monkeypatch.setattr(arena, "MOST_IDLE_BYTES", 5 * arena.LEAST_BYTES)
    arrays = [arena.empty(SHAPE, "float64") for _ in range(2)]
    del arrays
    assert idle_bytes() == 4 * arena.LEAST_BYTES


def test_small_results_are_left_to_numpy() -> None:
    assert arena.empty((2, 3), "float32").base is None


@pytest.mark.parametrize(("n_rows", "at_once", "n_samples"), [(64, 64, 1 << 22), (7, 3, 0), (1, 8, 1 << 22), (0, 1, 0)])
def test_groups_cover_each_row_once(n_rows: int, at_once: int, n_samples: int, monkeypatch) -> None:
    monkeypatch.setattr(row_groups, "n_threads", lambda: 3)
    groups = row_groups.row_groups(n_rows, at_once, n_samples)
    assert [row for own in groups for row in range(n_rows)[own]] == list(range(n_rows))
    assert max(own.stop - own.start for own in groups) == groups[0].stop <= max(at_once, 0)
    assert len(groups) >= min(n_rows, 3 if n_samples else 1)


@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_channels_in_groups_equal_one_stream(phase: str, chain, sections, monkeypatch) -> None:
    designs = [
        chain(sections(scipy.signal.butter(2, cutoff, output="sos")), Taps((0.5, 0.25, 0.25)), phase=phase)
        for cutoff in (0.1, 0.2, 0.3, 0.4, 0.5)
    ]
    x = np.random.default_rng(5).standard_normal((5, 900))
    alone = make_program(designs, n_channels=5, method="block").run(x)
    monkeypatch.setattr(row_groups, "LEAST_SAMPLES", 0)
    monkeypatch.setattr(row_groups, "n_threads", lambda: 2)
    np.testing.assert_allclose(make_program(designs, n_channels=5, method="block").run(x), alone, rtol=0, atol=1e-13)


def test_a_failure_in_a_group_is_raised() -> None:
    def fail(own: slice) -> int:
        if own.start:
            raise NotFiniteError
        return 0

    with pytest.raises(NotFiniteError):
        side_by_side(fail, [slice(0, 1), slice(1, 2)])


def test_gaps_are_found_in_groups_too(chain, sections, monkeypatch) -> None:
    x = np.random.default_rng(6).standard_normal((4, 500))
    x[3, 200:210] = np.nan
    design = chain(sections(SOS))
    monkeypatch.setattr(row_groups, "LEAST_SAMPLES", 0)
    monkeypatch.setattr(row_groups, "n_threads", lambda: 2)
    y = make_program(design, n_channels=4, method="block").run(x)
    expected = make_program(design, n_channels=4, method="scipy").run(x)
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-12)
    assert np.isnan(y).sum() == 10


@pytest.fixture
def three_cores(monkeypatch) -> None:
    """Let one channel be cut in time for three cores, however short it is."""
    monkeypatch.setattr(jax_engine, "n_threads", lambda: 3)
    monkeypatch.setattr(jax_engine, "FEWEST_CHUNKS", 1)
    monkeypatch.setattr(staging, "LONGEST_CHUNK", staging.SHORTEST_CHUNK)


@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_stretches_of_one_channel_equal_one_stream(phase: str, precision: str, chain, sections, request) -> None:
    design = chain(sections(SOS), Taps((0.5, 0.25, 0.25)), phase=phase)
    x = 1e4 + np.random.default_rng(7).standard_normal((2, 40_000)).cumsum(axis=1)
    program = make_program(design, n_channels=2, method="block", precision=precision)
    whole = program.run(x)
    request.getfixturevalue("three_cores")
    cut: list[int] = []
    in_stretches = program._in_stretches
    program._in_stretches = lambda flow, length, halo: cut.append(halo) or in_stretches(flow, length, halo)
    limit = 1e-9 if precision == "float64" else 1e-2
    np.testing.assert_allclose(program.run(x), whole, rtol=0, atol=limit)
    assert cut
    assert min(cut) > 0


def test_what_never_forgets_is_not_cut_in_time(chain, sections, three_cores, monkeypatch) -> None:
    integrator = np.array([[1.0, 0.0, 0.0, 1.0, -1.0, 0.0]])
    x = np.random.default_rng(8).standard_normal((1, 40_000))
    y = make_program(chain(sections(integrator), initial="rest"), n_channels=1, method="block").run(x)
    np.testing.assert_allclose(y, x.cumsum(axis=1), rtol=0, atol=1e-10)


def test_a_gap_in_one_stretch_is_found(chain, sections, three_cores) -> None:
    x = np.random.default_rng(9).standard_normal((1, 40_000))
    x[0, 30_000:30_010] = np.nan
    design = chain(sections(SOS))
    y = make_program(design, n_channels=1, method="block").run(x)
    expected = make_program(design, n_channels=1, method="scipy").run(x)
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-12)


def test_turned_matrices_equal_a_turned_signal(chain, sections, monkeypatch) -> None:
    designs = [chain(sections(scipy.signal.butter(3, cut, output="sos")), phase="zero") for cut in (0.1, 0.2, 0.3)]
    x = np.random.default_rng(10).standard_normal((3, 5_000)).astype(np.float32)
    for own in (designs[0], designs):
        there = make_program(own, n_channels=3, method="block").run(x)
        monkeypatch.setattr(jax_engine.JaxProgram, "turns", False)
        np.testing.assert_allclose(make_program(own, n_channels=3, method="block").run(x), there, rtol=0, atol=1e-13)
        monkeypatch.undo()


def test_weights_lie_where_a_cpu_reads_them_without_a_copy() -> None:
    tree = {"a": np.arange(3.0), "b": (np.arange(4, dtype=np.float32)[::2], np.ones((2, 3, 1)), np.zeros((0, 2)))}
    laid = laid_out(tree)
    for own, other in zip(jax.tree.leaves(laid), jax.tree.leaves(tree), strict=True):
        assert own.ctypes.data % 64 == 0
        assert own.flags.c_contiguous
        assert own.dtype == other.dtype
        np.testing.assert_array_equal(own, other)
    assert not np.shares_memory(laid["a"], tree["a"])


@pytest.mark.parametrize("n_rows", [3, 7, 64])
def test_threads_get_as_many_groups_each(n_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_groups, "n_threads", lambda: 2)
    groups = row_groups.row_groups(n_rows, max(n_rows // 3, 1), row_groups.LEAST_SAMPLES)
    assert sum(group.stop - group.start for group in groups) == n_rows
    assert len(groups) % 2 == 0 or len(groups) == n_rows


@pytest.mark.parametrize("n_samples", [300, 30000, 65536, 1 << 20])
def test_a_chunk_is_no_shorter_than_what_a_transform_adds(n_samples: int, chain, sections) -> None:
    """A transform costs the same however few samples it is for."""
    taps = Taps(tuple(np.ones(10001).tolist()))
    piece = new_samples(10241)
    for parts in ((taps,), (sections(SOS), taps)):
        program = make_program(chain(*parts), n_channels=64, method="overlap-save")
        assert isinstance(program, jax_engine.JaxProgram)
        length, rows = program._chunk(32, n_samples)
        assert length >= min(n_samples, 2 * piece)
        assert rows >= 1


def test_weights_are_handed_to_the_device_once_calls_are_many(chain, sections) -> None:
    """The numbers do not change, and nothing is compiled for it."""
    program = make_program(chain(sections(SOS)), n_channels=2, method="block")
    assert isinstance(program, jax_engine.JaxProgram)
    x = np.random.default_rng(0).standard_normal((2, 500))
    first, kind = program.run(x), type(program.placed_weights()[0].drive)
    before = compilations()
    for _ in range(Weights.MANY):
        np.testing.assert_array_equal(program.run(x), first)
    assert compilations() == before
    assert kind is np.ndarray
    assert isinstance(program.placed_weights()[0].drive, jax.Array)


@pytest.mark.parametrize("n_channels", [1, 2, 3, 64])
def test_chunks_of_few_channels_are_longer_where_each_is_many_calls(n_channels: int) -> None:
    usual = staging.chunk_samples(n_channels, 4, 1)
    by_calls = staging.chunk_samples(n_channels, 4, 1, by_calls=True)
    assert (by_calls > usual) == (n_channels <= staging.FEW_CHANNELS)
    assert by_calls * n_channels * 4 <= max(staging.LONG_CHUNK_BYTES, usual * n_channels * 4)


def test_a_channel_is_cut_in_time_however_long_its_chunks_are(chain, sections, monkeypatch) -> None:
    """Longer chunks leave no core idle."""
    monkeypatch.setattr(jax_engine, "n_threads", lambda: 2)
    n_samples = jax_engine.FEWEST_CHUNKS * staging.LONGEST_CHUNK * 2
    program = make_program(chain(sections(SOS)), n_channels=1, method="block", precision="float32")
    length, _, may_cut = program._shares(1, n_samples, 1)
    assert length > staging.LONGEST_CHUNK
    assert may_cut
    assert not program._shares(1, n_samples - 1, 1)[2]
