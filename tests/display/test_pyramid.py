"""The pyramid says what the samples say, in whatever order the blocks come."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.display.pyramid import Pyramid, base_for, overview_edges, spread_order


def filled(x, order, block):
    pyramid = Pyramid(x.shape[0], x.shape[1])
    for number in order:
        pyramid.add(number * block, x[:, number * block : (number + 1) * block])
    return pyramid


@pytest.mark.parametrize("seed", range(20))
def test_overview_holds_every_sample(seed):
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(1, 60_000))
    x = rng.standard_normal((2, n_samples))
    block = 16 * int(rng.integers(1, 200))
    pyramid = filled(x, rng.permutation(-(-n_samples // block)), block)
    assert pyramid.share == 1.0
    edges = overview_edges(n_samples, int(rng.integers(1, 400)))
    low, high = pyramid.overview(edges)
    assert low.shape == (2, len(edges) - 1)
    np.testing.assert_array_equal(low.min(axis=1), x.min(axis=1))
    np.testing.assert_array_equal(high.max(axis=1), x.max(axis=1))


def test_overview_bins_equal_slices_where_edges_are_bins():
    x = np.random.default_rng(2).standard_normal((1, 1 << 15))
    pyramid = filled(x, range(8), 1 << 12)
    edges = np.arange(0, (1 << 15) + 1, 1 << 7)
    low, high = pyramid.overview(edges)
    np.testing.assert_array_equal(low[0], x.reshape(-1, 128).min(axis=1))
    np.testing.assert_array_equal(high[0], x.reshape(-1, 128).max(axis=1))


def test_what_has_not_been_added_is_nan_and_not_counted():
    pyramid = Pyramid(1, 4096)
    pyramid.add(1024, np.ones((1, 1024)))
    low, _ = pyramid.overview(np.array([0, 1024, 2048, 4096]))
    assert np.isnan(low[0]).tolist() == [True, False, True]
    assert pyramid.share == 0.25


def test_a_block_across_a_bin_border_is_refused():
    with pytest.raises(ValueError, match="does not keep to bins"):
        Pyramid(1, 4096).add(3, np.ones((1, 100)))


@pytest.mark.parametrize(("n_channels", "n_samples"), [(1, 1000), (24, 10**6), (64, 10**9), (1024, 10**10)])
def test_memory_is_bounded(n_channels, n_samples):
    base = base_for(n_channels, n_samples, max_bytes=1 << 24)
    assert n_channels * (n_samples / base) * 16 * 4 / 3 <= 1 << 24


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 33, 100])
def test_spread_order_visits_each_once_and_far_apart_first(count):
    order = list(spread_order(count))
    assert sorted(order) == list(range(count))
    if count >= 8:
        assert abs(order[1] - order[0]) >= count // 4
