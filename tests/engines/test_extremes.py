"""Extremes per bin by a compiled program: the numbers of numpy's way."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.display.envelope import min_max
from jaxscope.engines.extremes import extremes


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("bin_samples", [2, 8, 32, 128])
def test_the_numbers_are_those_of_numpy(dtype, bin_samples):
    x = np.random.default_rng(1).standard_normal((5, 1024)).astype(dtype)
    x[0, 3:200] = np.nan
    x[1, 10] = np.inf
    x[1, 300] = -np.inf
    x[2, ::3] = np.nan
    x[3] = np.inf
    x[4] = 0.1
    for ours, theirs in zip(extremes(x, bin_samples), min_max(x, first_sample=0, bin_samples=bin_samples), strict=True):
        assert ours.dtype == np.float64
        np.testing.assert_array_equal(ours, theirs)
