"""The running median of every length of window, against the median of each window taken by itself."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.dsp.running_median import running_median


def naive(x: np.ndarray, past: np.ndarray) -> np.ndarray:
    joined = np.concatenate([past, x], axis=1)
    windows = np.lib.stride_tricks.sliding_window_view(joined, past.shape[1] + 1, axis=1)
    return np.median(windows, axis=-1)


@pytest.mark.parametrize(("window", "n"), [(1, 40), (9, 40), (11, 1), (11, 600), (1001, 300)])
def test_it_is_the_median_of_each_window(window, n):
    noise = np.random.default_rng(window).standard_normal((2, window - 1 + n))
    joined = np.concatenate([noise, np.round(2 * noise), np.ones_like(noise[:1]), np.sort(noise, axis=1)])
    past, x = joined[:, : window - 1], joined[:, window - 1 :]
    y, _ = jax.jit(running_median)(jnp.asarray(x), jnp.asarray(past), jnp.int32(n))
    np.testing.assert_array_equal(np.asarray(y), naive(x, past))


def test_block_by_block_equals_whole_to_the_bit():
    x = np.random.default_rng(0).standard_normal((3, 640)).astype(np.float32)
    past = jnp.zeros((3, 64), jnp.float32)
    whole, _ = jax.jit(running_median)(jnp.asarray(x), past, jnp.int32(640))
    parts = []
    for block in np.split(x, 5, axis=1):
        y, past = jax.jit(running_median)(jnp.asarray(block), past, jnp.int32(128))
        parts.append(np.asarray(y))
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), np.asarray(whole))
