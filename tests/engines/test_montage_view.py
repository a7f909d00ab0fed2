"""A montage in front, a chain per channel, the envelope behind: one compiled program, equal to the slow way."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

from jaxscope.engines.compiled import compilations
from jaxscope.engines.mixing import SPARSE_BELOW, on_device
from jaxscope.engines.mixing_host import mixed_on_host
from jaxscope.engines.program import make_program
from jaxscope.engines.windows import view_on_host

RNG = np.random.default_rng(12)
RECORDED = 120
X = RNG.standard_normal((RECORDED, 1500)).cumsum(axis=1) + 40
BIPOLAR = np.eye(5, RECORDED) - np.eye(5, RECORDED, k=1)
AVERAGE = np.eye(5, RECORDED) - 1.0 / RECORDED
CUT = slice(200, 1300)


def designs(chain, sections, phase: str, low: float = 0.05) -> list:
    edges = np.linspace(low, 4 * low, 5)
    return [chain(sections(scipy.signal.butter(3, edge, output="sos")), phase=phase) for edge in edges]


def assert_same(seen, expected) -> None:
    for ours, theirs in zip(seen, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10)


@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize("montage", [BIPOLAR, AVERAGE], ids=["sparse", "dense"])
def test_all_in_one_program(phase: str, montage: np.ndarray, chain, sections) -> None:
    program = make_program(designs(chain, sections, phase), n_channels=5, method="block")
    before = compilations()
    seen = program.view(X, 77, 9, CUT, montage)
    assert compilations() == before + 1
    mixed = montage @ X
    assert_same(seen, view_on_host(mixed, program.run(mixed), 77, 9, CUT))
    oracle = make_program(designs(chain, sections, phase), n_channels=5, method="scipy")
    assert_same(seen, oracle.view(X, 77, 9, CUT, montage))


def test_other_weights_and_coefficients_compile_nothing(chain, sections) -> None:
    make_program(designs(chain, sections, "causal"), n_channels=5, method="block").view(X, 0, 9, CUT, BIPOLAR)
    before = compilations()
    program = make_program(designs(chain, sections, "causal", low=0.03), n_channels=5, method="block")
    other = np.roll(BIPOLAR, 7, axis=1) * 2.0
    other[0, 60] = 0.25
    other[0] *= other[0] > 0
    seen = program.view(X, 0, 9, CUT, other)
    assert compilations() == before
    assert_same(seen, view_on_host(other @ X, program.run(other @ X), 0, 9, CUT))


def test_few_weights_are_kept_sparse_and_many_dense() -> None:
    assert np.count_nonzero(BIPOLAR) < SPARSE_BELOW * BIPOLAR.size < np.count_nonzero(AVERAGE)
    assert on_device(BIPOLAR, np.float64, None).nse == 12
    assert on_device(AVERAGE, np.float64, None).shape == AVERAGE.shape


def test_what_has_no_weight_is_not_heard(chain, sections) -> None:
    holes = X.copy()
    holes[3, 500:520] = np.nan
    holes[40] = np.nan
    assert not np.isnan(mixed_on_host(BIPOLAR, holes)[4]).any()
    program = make_program(designs(chain, sections, "causal"), n_channels=5, method="block")
    seen = program.view(holes, 0, 9, CUT, BIPOLAR)
    mixed = np.stack([holes[k] - holes[k + 1] for k in range(5)])
    assert_same(seen, view_on_host(mixed, program.run(mixed), 0, 9, CUT))
    assert np.isnan(seen.after_min[2]).any()
    assert not np.isnan(seen.after_min[4]).any()


def test_a_montage_that_does_not_fit_is_refused(chain, sections) -> None:
    program = make_program(designs(chain, sections, "causal"), n_channels=5, method="block")
    with pytest.raises(ValueError, match="montage has shape"):
        program.view(X, 0, 9, CUT, BIPOLAR[:4])
    with pytest.raises(ValueError, match="not finite"):
        program.view(X, 0, 9, CUT, np.where(BIPOLAR > 0, np.inf, BIPOLAR))
