"""The fused view equals filtering, cutting and taking extremes one after the other."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

from jaxscope.engines import fused_view
from jaxscope.engines.program import make_program
from jaxscope.engines.windows import view_on_host
from jaxscope.filters.coefficients import Taps

SOS = scipy.signal.butter(2, [1, 40], "band", fs=1000, output="sos")
VIEWS = [(1003, 64, slice(333, 2000)), (12345, 4096, slice(2000, 2990))]


def signal_of(*, with_gap: bool) -> np.ndarray:
    x = np.random.default_rng(4).standard_normal((3, 3000)).cumsum(axis=1) + 175_000
    if with_gap:
        x[1, 1000:1600] = np.nan
    return x


@pytest.mark.parametrize(("precision", "with_gap"), [("float64", False), ("float32", False), ("float64", True)])
@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_view_equals_the_slow_way(phase: str, precision: str, with_gap: bool, chain, sections) -> None:
    x = signal_of(with_gap=with_gap)
    for parts in ((sections(SOS),), (Taps((0.25, 0.5, 0.25)), sections(SOS)))[: 1 if precision == "float32" else 2]:
        design = chain(*parts, phase=phase)
        program = make_program(design, n_channels=3, precision=precision, method="block")
        oracle = make_program(design, n_channels=3, method="scipy")
        for first, bin_size, cut in VIEWS:
            seen = program.view(x, first, bin_size, cut)
            for found, expected in zip(seen, oracle.view(x, first, bin_size, cut), strict=True):
                assert found.dtype == np.float64
                np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 if precision == "float64" else 2e-3)


@pytest.mark.parametrize("montage", [None, np.eye(3) - 1 / 3], ids=["as recorded", "average"])
@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_float32_samples_are_seen_in_float64(phase: str, montage: np.ndarray | None, chain, sections) -> None:
    drift = np.random.default_rng(1).standard_normal((3, 3000)).cumsum(axis=1) / 10
    x = (drift + np.array([[3.0], [-2.0], [1e-3]])).astype(np.float32)
    mixed = x.astype(np.float64) if montage is None else montage @ x.astype(np.float64)
    cut = slice(100, 2900)
    for method in ("block", "scipy"):
        program = make_program(chain(sections(SOS), phase=phase), n_channels=3, method=method)
        expected = view_on_host(mixed, program.run(mixed), 0, 16, cut)
        for found, wanted in zip(program.view(x, 0, 16, cut, montage), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11)


def test_bins_stay_where_they_are_while_the_view_pans(chain, sections) -> None:
    x = np.random.default_rng(8).standard_normal((1, 4000))
    program = make_program(chain(), n_channels=1)
    reference = program.view(x, 0, 32, slice(0, 4000)).before_max
    for first in (5, 64, 1001):
        seen = program.view(x[:, first:], first, 32, slice(0, 500)).before_max
        whole = slice(first // 32 + 1, (first + 500) // 32)
        np.testing.assert_array_equal(seen[:, 1 : 1 + whole.stop - whole.start], reference[:, whole])


def test_large_views_go_in_pieces_and_are_the_same(chain, sections, monkeypatch) -> None:
    x = np.random.default_rng(8).standard_normal((2, 3000))
    program = make_program(chain(sections(SOS)), n_channels=2, method="block")
    expected = program.view(x, 13, 16, slice(100, 2900))
    monkeypatch.setattr(fused_view, "LARGEST_FUSED", 0)
    monkeypatch.setattr(fused_view, "AT_ONCE", 1024)
    for found, wanted in zip(program.view(x, 13, 16, slice(100, 2900)), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_channels_in_several_calls_are_the_same(phase: str, chain, sections, monkeypatch) -> None:
    x = np.random.default_rng(9).standard_normal((5, 3000)) + np.arange(5.0)[:, np.newaxis]
    designs = [chain(sections(scipy.signal.butter(2, cut, output="sos")), phase=phase) for cut in np.arange(1, 6) / 10]
    program = make_program(designs, n_channels=5, method="block")
    expected = program.view(x, 13, 16, slice(100, 2900))
    monkeypatch.setattr(fused_view, "AT_ONCE", 2 * 3000)
    monkeypatch.setattr(fused_view, "_in_pieces", None)
    for found, wanted in zip(program.view(x, 13, 16, slice(100, 2900)), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def test_an_empty_cut_has_no_bins(chain, sections) -> None:
    seen = make_program(chain(sections(SOS)), n_channels=2).view(np.ones((2, 10)), 0, 8, slice(5, 5))
    assert all(values.shape == (2, 0) for values in seen)
