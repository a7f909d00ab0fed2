"""Blocks worked out by NumPy give what the compiled block filter gives."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import signal

from jaxscope.dsp import block_iir, host_blocks, host_iir
from jaxscope.dsp.block_matrices import BLOCK, BlockMatrices, block_matrices, turned
from jaxscope.dsp.realisation import cascade_state_space, stacked


def matrices(dtype: str, *cutoffs: float, backwards: bool = False) -> BlockMatrices:
    spaces = [
        cascade_state_space(tuple(map(tuple, signal.butter(3, cutoff, output="sos").tolist()))) for cutoff in cutoffs
    ]
    found = block_matrices(spaces[0] if len(spaces) == 1 else stacked(spaces), dtype)
    return turned(found) if backwards else found


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("by_channel", [False, True])
@pytest.mark.parametrize(
    ("n_blocks", "n_valid"), [(1, 7), (7, 200), (12, 12 * BLOCK), (320, 320 * BLOCK - 5), (9216, 9216 * BLOCK - 40)]
)
def test_the_host_gives_what_the_compiled_filter_gives(
    n_blocks: int, n_valid: int, by_channel: bool, backwards: bool
) -> None:
    assert block_iir.block_multiple(n_blocks) == n_blocks
    rng = np.random.default_rng(n_blocks)
    n = n_blocks * BLOCK
    x = rng.standard_normal((3, n))
    x[:, slice(n - n_valid) if backwards else slice(n_valid, None)] = 0
    weights = matrices("float64", *((0.01, 0.2, 0.4) if by_channel else (0.02,)), backwards=backwards)
    state = rng.standard_normal((3, 4))
    if by_channel:
        compiled = block_iir.block_filter_rows_backwards if backwards else block_iir.block_filter_rows
        expected, after = compiled(x, state, jnp.int32(n_valid), weights)
    else:
        expected, after = block_iir.block_filter(x, state, jnp.int32(n_valid), weights, backwards=backwards)
    wide = np.full((3, n + 8), 7.0)  # channels that do not follow each other in memory
    y = wide[:, :n]
    begun = state.copy()
    scratch = host_blocks.Scratch()
    end = host_iir.block_filter(x, state, n_valid, weights, y, scratch, backwards=backwards)
    valid = slice(n - n_valid, n) if backwards else slice(n_valid)
    np.testing.assert_allclose(y[:, valid], np.asarray(expected)[:, valid], rtol=0, atol=1e-12)
    np.testing.assert_allclose(end, after, rtol=0, atol=1e-12)
    wide[:, valid] = 7.0
    assert (wide == 7.0).all(), "results that are not valid go nowhere"
    np.testing.assert_array_equal(state, begun)
    # nobody wants the samples: the same state, from the same scratch
    again = host_iir.block_filter(x, state, n_valid, weights, None, scratch, backwards=backwards)
    np.testing.assert_array_equal(again, end)


@pytest.mark.parametrize("by_channel", [False, True])
@pytest.mark.parametrize("n_rows", [1, 127, 129, 300])
def test_products_in_pieces_are_products(n_rows: int, by_channel: bool) -> None:
    rng = np.random.default_rng(n_rows)
    rows, matrix = rng.standard_normal((3, n_rows + 1, 40)), rng.standard_normal((3, 40, 32))
    matrix = matrix if by_channel else matrix[1]
    for used in (rows[:, 1:], rows[:, :-1, 3:35], np.ascontiguousarray(rows[:, 1:])):
        own = matrix[..., : used.shape[2], :]
        out = np.empty((3, n_rows, 32))
        assert host_blocks.product(used, own, out) is out
        np.testing.assert_allclose(out, used @ own, rtol=0, atol=1e-12)


def test_what_is_too_small_leaves_the_states() -> None:
    weights = matrices("float32", 0.001)
    state = np.full((1, 4), 1e-30, dtype=np.float32)
    silence = np.zeros((1, 128 * BLOCK), dtype=np.float32)
    for _ in range(40):
        state = host_iir.block_filter(silence, state, silence.shape[1], weights, None, host_blocks.Scratch())
        assert not ((state != 0) & (np.abs(state) < np.finfo(np.float32).tiny)).any()
    assert not state.any()


def test_scratch_is_used_again_by_name_and_shape() -> None:
    scratch = host_blocks.Scratch()
    first = scratch.room("a", (2, 3), "float32")
    assert scratch.room("a", (2, 3), "float32") is first
    assert scratch.room("b", (2, 3), "float32") is not first
    assert scratch.room("a", (2, 3), "float64").dtype == np.float64
    assert scratch.room("a", (3, 3), "float64").shape == (3, 3)


def test_what_a_stream_leaves_serves_the_next_one(monkeypatch) -> None:
    monkeypatch.setattr(host_blocks, "_left", [])
    made: list[int] = []

    def make() -> list[int]:
        made.append(1)
        return made

    with host_blocks.Scratch() as scratch:
        room = scratch.room("a", (4, 4), "float64")
        assert scratch.made("key", make) is made
        with host_blocks.Scratch() as other:
            assert not np.shares_memory(other.room("a", (4, 4), "float64"), room), "two at a time have their own"
    with host_blocks.Scratch() as scratch:
        assert np.shares_memory(scratch.room("a", (2, 3), "float32"), room)
        assert scratch.made("key", make) is made
    assert made == [1]
    monkeypatch.setattr(host_blocks, "SMALL_BYTES", 0)
    with host_blocks.Scratch():
        pass
    with host_blocks.Scratch() as scratch:
        scratch.made("key", make)
    assert made == [1, 1], "of large ones memory alone is kept"


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("n_blocks", [3, 60])
def test_an_offset_is_taken_off_and_results_may_lie_on_the_samples(n_blocks: int, backwards: bool) -> None:
    rng = np.random.default_rng(n_blocks)
    weights = matrices("float64", 0.1, backwards=backwards)
    x, offset, state = (
        rng.standard_normal((2, n_blocks * BLOCK - 5)),
        np.array([3.0, -2.0]),
        rng.standard_normal((2, 4)),
    )
    expected = np.empty_like(x)
    run = (state, x.shape[1], weights)
    end = host_iir.block_filter(x - offset[:, None], *run, expected, host_blocks.Scratch(), backwards=backwards)
    scratch = host_blocks.Scratch()
    np.copyto(scratch.room("joined", (2, block_iir.block_multiple(n_blocks), BLOCK + 4), "float64"), np.nan)
    after = host_iir.block_filter(x, *run, x, scratch, offset=offset, backwards=backwards)
    np.testing.assert_array_equal(x, expected)
    np.testing.assert_array_equal(after, end)
