"""Sparse arrays, and one program for many layers of weights: where this program comes from, at work in filters."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import scipy.signal
from jax.experimental import sparse

from jaxscope import dsp
from jaxscope.dsp.sparse import fir_matrix, mixed, sparse_matrix, sparsify

M = np.array([[0.0, 1.0, 0.0, 2.0], [3.0, 0.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0]])
Y = np.array([3.0, 6.0, 5.0])
#: 2 · dot(log1p(Mᵀ), v) + 1
ANSWER = np.array([17.635532, 5.158883, 17.09438, 7.591674])
RNG = np.random.default_rng(2)
SOS = np.stack([scipy.signal.butter(2, cutoff, output="sos") for cutoff in (0.1, 0.2, 0.3)])


def function(matrix, vector):
    return 2 * jnp.dot(jnp.log1p(matrix.T), vector) + 1


def test_data_indices_and_products_of_a_sparse_array() -> None:
    matrix = sparse_matrix(M)
    np.testing.assert_array_equal(matrix.data, [1, 2, 3, 4])
    np.testing.assert_array_equal(matrix.indices, [[0, 1], [0, 3], [1, 0], [2, 2]])
    np.testing.assert_array_equal(matrix.todense(), M)
    np.testing.assert_array_equal(matrix.T @ jnp.asarray(Y), [18, 3, 20, 6])
    np.testing.assert_array_equal(matrix @ jnp.ones(4), M.sum(axis=1))


def test_jit_vmap_and_grad_go_through_sparse_arrays() -> None:
    matrix, y = sparse_matrix(M), jnp.asarray(Y)
    sparse_function = sparsify(function)
    np.testing.assert_allclose(jax.jit(sparse_function)(matrix, y), ANSWER, rtol=1e-6)
    many = jnp.stack([y, 2 * y])
    together = jax.vmap(lambda v: sparse_function(matrix, v))(many)
    np.testing.assert_allclose(together, [ANSWER, 2 * ANSWER - 1], rtol=1e-6)
    slope = jax.grad(lambda v: sparse_function(matrix, v).sum())(y)
    np.testing.assert_allclose(slope, 2 * np.log1p(M).sum(axis=1), rtol=1e-12)
    by_data = sparse.grad(lambda m: (m.T @ y).sum())(matrix).data
    np.testing.assert_array_equal(by_data, [3, 3, 6, 5])


def test_one_montage_and_filter_serves_dense_and_sparse() -> None:
    def shown(montage, x):
        return dsp.sosfilt(SOS[0], mixed(montage, x))

    x = RNG.standard_normal((10, 100))
    bipolar = np.eye(9, 10) - np.eye(9, 10, k=1)
    expected = scipy.signal.sosfilt(SOS[0], bipolar @ x)
    run = jax.jit(shown)
    np.testing.assert_allclose(run(jnp.asarray(bipolar), x), expected, atol=1e-13)
    np.testing.assert_allclose(run(sparse_matrix(bipolar), x), expected, atol=1e-13)


def test_an_echo_is_a_sparse_filter() -> None:
    taps = np.zeros(41)
    taps[0], taps[40] = 1.0, 0.5
    x = RNG.standard_normal((2, 100))
    matrix = fir_matrix(taps, 100)
    assert matrix.nse == 160
    expected = scipy.signal.lfilter(taps, [1.0], x)
    np.testing.assert_allclose(mixed(matrix, jnp.asarray(x.T)).T, expected, atol=1e-14)
    np.testing.assert_allclose(dsp.fir(taps, x), expected, atol=1e-14)
    assert fir_matrix(np.zeros(3), 5).nse == 0


def test_every_channel_has_weights_of_its_own_and_epochs_are_an_outer_batch() -> None:
    epochs = RNG.standard_normal((4, 3, 60))
    by_channel = jax.vmap(dsp.sosfilt)
    by_epoch = jax.jit(jax.vmap(by_channel, in_axes=(None, 0)))
    expected = [[scipy.signal.sosfilt(SOS[k], epoch[k]) for k in range(3)] for epoch in epochs]
    np.testing.assert_allclose(by_epoch(SOS, epochs), expected, atol=1e-13)

    def loss(weights):
        return jnp.sum(by_epoch(weights, epochs)[:, 0] ** 2)

    slope = jax.jit(jax.grad(loss))(SOS)
    assert np.abs(slope[0]).max() > 1
    np.testing.assert_array_equal(slope[1:], 0)
    step = np.zeros_like(SOS)
    step[0, 0, 4] = 1e-6
    difference = (loss(SOS + step) - loss(SOS - step)) / 2e-6
    np.testing.assert_allclose(slope[0, 0, 4], difference, rtol=1e-6)
