"""Sparse mixing equals dense mixing, under jit and grad, and dense functions are made sparse unchanged."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.dsp.sparse import mixed, sparse_matrix, sparsify

M = np.array([[0.0, 1.0, 0.0, 2.0], [3.0, 0.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0]])
Y = np.array([3.0, 6.0, 5.0])


def test_the_example_of_the_sparse_pages() -> None:
    matrix = sparse_matrix(M)
    assert matrix.nse == 4
    np.testing.assert_array_equal(matrix.todense(), M)
    np.testing.assert_array_equal(matrix.T @ jnp.asarray(Y), [18, 3, 20, 6])

    def function(matrix, vector):
        return 2 * jnp.dot(jnp.log1p(matrix.T), vector) + 1

    expected = [17.635532, 5.158883, 17.09438, 7.591674]
    np.testing.assert_allclose(function(jnp.asarray(M), jnp.asarray(Y)), expected, rtol=1e-6)
    np.testing.assert_allclose(sparsify(function)(matrix, jnp.asarray(Y)), expected, rtol=1e-6)


def test_a_bipolar_montage_equals_the_dense_one() -> None:
    bipolar = np.eye(9, 10) - np.eye(9, 10, k=1)
    x = jnp.asarray(np.random.default_rng(0).standard_normal((10, 50)))
    np.testing.assert_allclose(jax.jit(mixed)(sparse_matrix(bipolar), x), bipolar @ np.asarray(x), atol=1e-14)
    np.testing.assert_allclose(mixed(jnp.asarray(bipolar), x), bipolar @ np.asarray(x), atol=1e-14)
    slope = jax.grad(lambda v: jnp.sum(mixed(sparse_matrix(bipolar), v) ** 2))(x)
    np.testing.assert_allclose(slope, 2 * bipolar.T @ bipolar @ np.asarray(x), atol=1e-12)
