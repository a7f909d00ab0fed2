"""The envelope equals a loop over bins, whatever the offset, the bin size and the missing samples."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.display.envelope import bin_size, first_bin, merge, min_max, n_bins, robust_centre, robust_height


def naive(x, first_sample, bin_samples):
    stop = first_sample + x.shape[1]
    bins = range(first_sample // bin_samples, -(-stop // bin_samples)) if x.shape[1] else range(0)
    low = np.full((x.shape[0], len(bins)), np.nan)
    high = low.copy()
    for column, number in enumerate(bins):
        for row in range(x.shape[0]):
            own = x[
                row, max(0, number * bin_samples - first_sample) : max(0, (number + 1) * bin_samples - first_sample)
            ]
            own = own[~np.isnan(own)]
            if own.size:
                low[row, column], high[row, column] = own.min(), own.max()
    return low, high


@pytest.mark.parametrize("seed", range(60))
def test_min_max_equals_the_loop(seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((int(rng.integers(1, 4)), int(rng.integers(0, 200))))
    if seed % 2:
        x[rng.random(x.shape) < rng.choice([0.05, 0.9])] = np.nan
    first, bins = int(rng.integers(0, 1000)), int(2 ** rng.integers(0, 9))
    low, high = min_max(x, first_sample=first, bin_samples=bins)
    expected = naive(x, first, bins)
    np.testing.assert_array_equal(low, expected[0])
    np.testing.assert_array_equal(high, expected[1])
    assert low.shape[1] == n_bins(first, x.shape[1], bins)


@pytest.mark.parametrize("seed", range(30))
def test_merged_bins_equal_coarser_bins(seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((2, int(rng.integers(1, 500))))
    first, factor = 8 * int(rng.integers(0, 50)), int(2 ** rng.integers(0, 4))
    fine = min_max(x, first_sample=first, bin_samples=8)
    low, high = merge(*fine, first=first_bin(first, 8), factor=factor)
    expected = min_max(x, first_sample=first, bin_samples=8 * factor)
    np.testing.assert_array_equal(low, expected[0])
    np.testing.assert_array_equal(high, expected[1])


def test_bins_stay_on_the_same_samples_while_panning():
    x = np.random.default_rng(1).standard_normal((1, 4096))
    whole = min_max(x, first_sample=0, bin_samples=16)
    for shift in range(0, 64, 7):
        low, high = min_max(x[:, shift : shift + 2048], first_sample=shift, bin_samples=16)
        inner = slice(1, -1)
        at = first_bin(shift, 16)
        np.testing.assert_array_equal(low[:, inner], whole[0][:, at : at + low.shape[1]][:, inner])
        np.testing.assert_array_equal(high[:, inner], whole[1][:, at : at + low.shape[1]][:, inner])


@pytest.mark.parametrize(
    ("n_samples", "width_px", "expected"),
    [(10, 1000, 1), (1000, 1000, 1), (1999, 1000, 1), (2000, 1000, 2), (5120, 1048, 4), (1e7, 1000, 8192), (5, 0, 4)],
)
def test_bin_size_is_a_power_of_two_not_above_samples_per_pixel(n_samples, width_px, expected):
    assert bin_size(n_samples, width_px) == expected


def test_c107_a_single_sample_spike_keeps_its_full_height():
    x = np.zeros((1, 10_000_000))
    x[0, 7_654_321] = 1.0
    bins = bin_size(x.shape[1], 1000)
    low, high = min_max(x, first_sample=0, bin_samples=bins)
    assert high.max() == 1.0
    assert int(high[0].argmax()) == 7_654_321 // bins
    assert low.max() == 0.0


def test_one_artefact_moves_neither_centre_nor_height():
    rng = np.random.default_rng(0)
    x = 100.0 + rng.standard_normal((3, 5000))
    low, high = min_max(x, first_sample=0, bin_samples=4)
    high[0, 7] = 1e4
    assert np.allclose(robust_centre(low, high), 100.0, atol=0.2)
    assert 3.0 < robust_height(low, high) < 8.0


def test_nothing_but_nan_has_centre_and_height_zero():
    empty = np.full((2, 4), np.nan)
    assert robust_centre(empty, empty).tolist() == [0.0, 0.0]
    assert robust_height(empty, empty) == 0.0
