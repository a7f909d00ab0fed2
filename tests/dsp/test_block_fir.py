"""Filters of finite length against the plain sum: any number of channels, groups that overlap, what went before."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal

from jaxscope.dsp import block_fir

N_TAPS = 33
RNG = np.random.default_rng(5)


def direct(x: np.ndarray, past: np.ndarray, taps: np.ndarray) -> np.ndarray:
    joined = np.concatenate([past, x], axis=1)
    return np.stack([np.convolve(row, taps, mode="valid") for row in joined])


overlap_save = jax.jit(block_fir.fir_overlap_save, static_argnames="group_bytes")
toeplitz = jax.jit(block_fir.fir_toeplitz)


def saved(x: np.ndarray, past: np.ndarray, n_valid: int, spectrum: np.ndarray, group_bytes: int) -> Any:
    return overlap_save(x, past, np.int32(n_valid), spectrum, group_bytes=group_bytes)


@pytest.mark.parametrize("n_channels", [1, 2, 7, 10])
@pytest.mark.parametrize("n_samples", [7, 5000])
@pytest.mark.parametrize("pieces", [1, 4, 1000])
def test_overlap_save_equals_the_sum(n_channels: int, n_samples: int, pieces: int) -> None:
    """Groups that do not divide the channels, and pieces that do not divide the samples, change nothing."""
    taps = RNG.standard_normal(N_TAPS)
    x, past = RNG.standard_normal((n_channels, n_samples)), RNG.standard_normal((n_channels, N_TAPS - 1))
    spectrum = block_fir.taps_spectrum(taps, np.float64)
    y, after = saved(x, past, n_samples, spectrum, pieces * 16 * spectrum.size)
    np.testing.assert_allclose(y, direct(x, past, taps), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(after, np.concatenate([past, x], axis=1)[:, n_samples:])


@pytest.mark.parametrize("n_channels", [2, block_fir.LANES + 1])
def test_the_longest_transforms(n_channels: int) -> None:
    """In pairs where channels are few, else one by one, in groups that overlap; the second chunk goes on."""
    taps = RNG.standard_normal(8200)
    x = RNG.standard_normal((n_channels, 90000))
    spectrum = block_fir.taps_spectrum(taps, np.float64)
    assert spectrum.size > block_fir.LONGEST_EASY
    expected = scipy.signal.oaconvolve(x, taps[np.newaxis], axes=1)[:, :90000]
    state, parts = np.zeros((n_channels, 8199)), []
    for own in (x[:, :60000], x[:, 60000:]):
        y, state = saved(own, state, own.shape[1], spectrum, block_fir.GROUP_BYTES)
        parts.append(y)
    np.testing.assert_allclose(np.concatenate(parts, axis=1), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_valid", [0, 5, 1001, 2999])
@pytest.mark.parametrize("n_channels", [3, 4])
def test_what_follows_the_valid_samples_does_not_matter(n_valid: int, n_channels: int) -> None:
    taps = RNG.standard_normal(N_TAPS)
    x, past = RNG.standard_normal((n_channels, 3000)), RNG.standard_normal((n_channels, N_TAPS - 1))
    expected = direct(x[:, :n_valid], past, taps) if n_valid else np.zeros((n_channels, 0))
    spectrum = block_fir.taps_spectrum(taps, np.float64)
    band = block_fir.toeplitz_band(taps, np.float64)
    whole = x[:, : 3000 // block_fir.BLOCK * block_fir.BLOCK]
    results = [
        saved(x, past, n_valid, spectrum, 1 << 15),
        toeplitz(whole, past, np.int32(min(n_valid, whole.shape[1])), band),
    ]
    for y, after in results:
        stop = min(n_valid, y.shape[1])
        np.testing.assert_allclose(y[:, :stop], expected[:, :stop], rtol=0, atol=1e-12)
        np.testing.assert_array_equal(after, np.concatenate([past, x], axis=1)[:, stop : stop + N_TAPS - 1])


@pytest.mark.parametrize("n_taps", [1, 2, 9, 33, 34, 70])
def test_a_band_equals_the_sum(n_taps: int) -> None:
    taps = RNG.standard_normal(n_taps)
    x, past = RNG.standard_normal((2, 5 * block_fir.BLOCK)), RNG.standard_normal((2, n_taps - 1))
    y, after = toeplitz(x, past, np.int32(x.shape[1]), block_fir.toeplitz_band(taps, np.float64))
    np.testing.assert_allclose(y, direct(x, past, taps), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(after, np.concatenate([past, x], axis=1)[:, x.shape[1] :])


@pytest.mark.parametrize("n_channels", [2, 5])
def test_channels_with_taps_of_their_own(n_channels: int) -> None:
    taps = RNG.standard_normal((n_channels, N_TAPS))
    x, past = RNG.standard_normal((n_channels, 2560)), RNG.standard_normal((n_channels, N_TAPS - 1))
    expected = np.concatenate([direct(x[k, None], past[k, None], taps[k]) for k in range(n_channels)])
    band, spectrum = block_fir.toeplitz_band(taps, np.float64), block_fir.taps_spectrum(taps, np.float64)
    by_sum, _ = jax.jit(block_fir.fir_toeplitz_rows)(x, past, np.int32(2560), band)
    by_transform, _ = jax.jit(block_fir.fir_overlap_save_rows)(x, past, np.int32(2560), spectrum)
    np.testing.assert_allclose(by_sum, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(by_transform, expected, rtol=0, atol=1e-12)


def test_a_channel_of_another_size_changes_nothing() -> None:
    """What is transformed together is of one channel: neither rounding nor NaN reaches another one."""
    taps = RNG.standard_normal(N_TAPS)
    x, past = RNG.standard_normal((4, 3000)), np.zeros((4, N_TAPS - 1))
    spectrum = block_fir.taps_spectrum(taps, np.float64)
    alone, _ = saved(x, past, 3000, spectrum, 1 << 20)
    x[[0, 2]] = [[1e27], [np.nan]]
    beside, _ = saved(x, past, 3000, spectrum, 1 << 20)
    np.testing.assert_array_equal(beside[1::2], alone[1::2])


def test_other_devices_take_all_at_once() -> None:
    """What a CPU does group after group is one group there, with the same result."""
    taps = RNG.standard_normal(N_TAPS)
    x, past = jnp.asarray(RNG.standard_normal((4, 4000))), jnp.asarray(RNG.standard_normal((4, N_TAPS - 1)))
    spectrum = block_fir.taps_spectrum(taps, np.float64)
    run = jax.jit(partial(block_fir._in_groups, x, past, jnp.int32(4000), spectrum), static_argnames="group_bytes")
    np.testing.assert_allclose(run(group_bytes=1 << 40), run(group_bytes=1 << 15), rtol=0, atol=1e-12)
