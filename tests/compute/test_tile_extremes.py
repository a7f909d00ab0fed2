"""Extremes of tiles: the same numbers whoever works them out, and nothing compiled in front of a hand."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.compute import tile_extremes
from jaxscope.compute.tile_extremes import compile_extremes, quick_extremes
from jaxscope.display.envelope import min_max
from jaxscope.engines.compiled import compilations


@pytest.fixture(autouse=True)
def _no_programs(monkeypatch):
    monkeypatch.setattr(tile_extremes, "_ready", set())


def test_a_tile_has_no_quick_extremes_before_its_program_was_compiled():
    x = np.random.default_rng(2).standard_normal((3, 256))
    before = compilations()
    assert quick_extremes(x, 0, 8) is None
    expected = tile_extremes.tile_extremes(x, 0, 8)
    assert compilations() == before
    assert compile_extremes(3, 256, "float64", 8)
    assert not compile_extremes(3, 256, "float64", 8)
    found = quick_extremes(x, 512, 8)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_tile_that_begins_inside_a_bin_and_a_part_of_one_go_the_other_way():
    assert compile_extremes(2, 256, "float32", 16)
    x = np.random.default_rng(2).standard_normal((2, 256)).astype(np.float32)
    assert quick_extremes(x, 3, 16) is None
    assert quick_extremes(x[:, :100], 0, 16) is None
    assert quick_extremes(x.astype(np.float64), 0, 16) is None
    for first, part in ((3, x), (0, x[:, :100])):
        found = tile_extremes.tile_extremes(part, first, 16)
        for ours, theirs in zip(found, min_max(part, first_sample=first, bin_samples=16), strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("bin_samples", [1, 24])
def test_bins_that_do_not_divide_a_tile_have_no_program(bin_samples):
    assert not compile_extremes(2, 256, "float64", bin_samples)
