"""The oracle for a stretch is the oracle for the whole, with starts, padding and holes, for fewer products."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.compute.designs import design_or_refusal
from jaxscope.engines import scipy_stretch
from jaxscope.engines.program import make_program
from jaxscope.engines.scipy_stretch import reference_stretch
from jaxscope.filters.fir import FirWindow
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.smoothing import Median, SavitzkyGolay
from jaxscope.filters.spec import FilterChain, Padding, Stage

RATE_HZ = 200.0
N = 900
FIR = Stage(spec=FirWindow(band="lowpass", taps=101, cutoff_hz=30.0))
LONG = Stage(spec=FirWindow(band="highpass", taps=501, cutoff_hz=2.0))
MEDIAN = Stage(spec=Median(window=5))
IIR = Stage(spec=Butterworth(band="bandpass", order=2, cutoff_hz=(1.0, 40.0)))
STAGES = {
    "fir": (FIR,),
    "long": (LONG,),
    "two": (LONG, FIR),
    "apart": (LONG, MEDIAN, FIR),
    "iir": (IIR,),
    "before": (FIR, IIR),
    "after": (IIR, FIR),
    "median": (FIR, MEDIAN, Stage(spec=SavitzkyGolay(window=31, polynomial=3))),
    "smooth": (Stage(spec=SavitzkyGolay(window=31, polynomial=3)), MEDIAN, FIR),
}
SPANS = ((0, 50), (30, 31), (400, 500), (640, 700), (N - 50, N))


def signal_with(holes: str) -> np.ndarray:
    x = 50.0 + np.random.default_rng(3).standard_normal(N).cumsum()
    if holes in ("missing", "both"):
        x[410:415] = np.nan
        x[0] = np.nan
    if holes in ("infinite", "both"):
        x[660] = np.inf
    return x


def compare(chain: FilterChain, x: np.ndarray) -> None:
    design = design_or_refusal(chain, RATE_HZ)
    whole = make_program(design, n_channels=1, method="scipy").run(x[None])[0]
    for first, stop in SPANS:
        own = reference_stretch(x, design, first, stop)
        np.testing.assert_allclose(own, whole[first:stop], rtol=1e-13, atol=1e-12, err_msg=f"{first}")


@pytest.mark.parametrize("holes", ["none", "both"])
@pytest.mark.parametrize("gaps", ["segment", "propagate"])
@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize(
    ("phase", "padding"),
    [("causal", "odd"), *(("zero", kind) for kind in ("odd", "constant", "none"))],
)
def test_a_stretch_is_that_of_the_whole(phase: str, padding: str, name: str, gaps: str, holes: str) -> None:
    chain = FilterChain(phase=phase, padding=Padding(kind=padding), gaps=gaps, stages=STAGES[name])
    compare(chain, signal_with(holes))


@pytest.mark.parametrize("name", ["before", "smooth"])
def test_ends_that_are_fitted_are_those_of_the_whole(name: str) -> None:
    chain = FilterChain(phase="zero", padding=Padding(kind="gustafsson"), stages=STAGES[name])
    compare(chain, signal_with("none"))


@pytest.mark.parametrize("initial", ["rest", "steady"])
def test_the_start_is_that_of_the_chain(initial: str) -> None:
    compare(FilterChain(initial=initial, stages=STAGES["two"]), signal_with("none"))


def test_no_more_products_are_summed_than_the_stretch_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    summed: list[tuple[int, int]] = []
    products = scipy_stretch._products

    def counted(taps: np.ndarray, joined: np.ndarray) -> np.ndarray:
        y = products(taps, joined)
        summed.append((len(taps), len(y)))
        return y

    monkeypatch.setattr(scipy_stretch, "_products", counted)
    x = np.random.default_rng(0).standard_normal(50_000)
    expected = {
        "causal": [(501, 144), (101, 40)],
        "zero": [(501, 748), (501, 248), (101, 140), (101, 40)],
    }
    for phase, products_of in expected.items():
        summed.clear()
        reference_stretch(
            x, design_or_refusal(FilterChain(phase=phase, stages=STAGES["apart"]), RATE_HZ), 20_000, 20_040
        )
        assert summed == products_of
