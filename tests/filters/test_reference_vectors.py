"""Designs against references of 60 digits and of other programs, kept beside the checkout."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from jaxscope.filters import FAMILIES
from jaxscope.filters.design import design_chain
from jaxscope.filters.manual import SectionsSpec, TransferFunction
from jaxscope.filters.response import frequency_response, group_delay_samples
from jaxscope.filters.spec import FilterChain, Stage

FAMILY_NAMES = {
    "butter": "butterworth",
    "cheby1": "chebyshev1",
    "cheby2": "chebyshev2",
    "ellip": "elliptic",
    "bessel": "bessel",
}


def design_of(spec, rate_hz):
    return design_chain(FilterChain(stages=(Stage(spec=spec),)), rate_hz)


@pytest.fixture
def loader(shared_cases):
    where = importlib.util.spec_from_file_location("reference_loader", shared_cases / "vectors" / "loader.py")
    module = importlib.util.module_from_spec(where)
    where.loader.exec_module(module)
    return module


def _complex(block):
    return np.array(block["re"]) + 1j * np.array(block["im"])


def _spec_of(case):
    spec = case["spec"]
    edges = spec["edges_hz"]
    fields = {
        "band": spec["btype"],
        "order": spec["order"],
        "cutoff_hz": tuple(edges) if len(edges) == 2 else edges[0],
        "ripple_db": spec["ripple_db"],
        "attenuation_db": spec["attenuation_db"],
    }
    family = FAMILIES[FAMILY_NAMES[spec["family"]]]
    known = {knob.name for knob in family.knobs()}
    return family(**{name: value for name, value in fields.items() if name in known and value is not None})


def test_recursive_designs_equal_the_truth(loader):
    cases = loader.cases("design_iir")
    assert len(cases) > 20
    for meta in cases:
        case = loader.load(meta["id"])
        truth, rate_hz = case["truth"], case["spec"]["fs"]
        design = design_of(_spec_of(case), rate_hz)
        response = frequency_response(design, truth["freq_hz"])
        error = np.abs(response - _complex(truth["response"]))
        assert (error <= case["tolerance"]["response_abs_via_sos"]).all(), (meta["id"], error.max())


def test_responses_of_given_sections_equal_the_truth(loader):
    for meta in loader.cases("design_iir"):
        case = loader.load(meta["id"])
        truth, rate_hz = case["truth"], case["spec"]["fs"]
        if "response_of_sos" not in truth:
            continue
        design = design_of(SectionsSpec(rows=truth["sos"]), rate_hz)
        exact = _complex(truth["response_of_sos"])
        error = np.abs(frequency_response(design, truth["freq_hz"]) - exact)
        # evaluated from exact sums: close to rounding even for 0.05 Hz at 1 kHz
        assert (error <= 1e-12 * np.abs(exact) + 1e-14).all(), (meta["id"], (error / (np.abs(exact) + 1e-300)).max())


def test_notch_peak_and_comb_equal_the_truth(loader):
    seen = 0
    for meta in loader.cases("design_notch"):
        name = meta["id"].split("_")[1]
        if name not in ("iirnotch", "iirpeak", "iircomb"):
            continue
        case = loader.load(meta["id"])
        text = case["id"]
        q = float(text.split("_q")[1].split("_")[0])
        fields = {"frequency_hz": case["f0_hz"], "q": q}
        if name == "iircomb":
            fields["kind"] = text.split("_")[2]
        family = {"iirnotch": "notch", "iirpeak": "peak", "iircomb": "comb"}[name]
        design = design_of(FAMILIES[family](**fields), float(case["fs"]))
        wanted = _complex(case["response"])
        np.testing.assert_allclose(frequency_response(design, case["freq_hz"]), wanted, atol=1e-9, err_msg=text)
        seen += 1
    assert seen >= 5


def test_k_weighting_equals_the_reference_at_both_rates(loader):
    for name in ("kweight_48k", "kweight_96k"):
        case = loader.load(name)
        design = design_of(FAMILIES["weighting"](curve="K"), float(case["fs"]))
        np.testing.assert_allclose(frequency_response(design, case["freq_hz"]), _complex(case["response"]), atol=1e-10)


def test_raised_cosine_and_smoothing_taps_equal_the_truth(loader):
    seen = 0
    for meta in loader.cases("design_fir"):
        case, name = loader.load(meta["id"]), meta["id"]
        if name.startswith(("fir_rcos", "fir_rrc")):
            rolloff = float(name.split("beta")[1].split("_")[0].replace("p", "."))
            per_symbol = int(name.split("_sps")[1].split("_")[0])
            spec = FAMILIES["raised_cosine"](
                taps=len(case["taps"]), symbol_rate_hz=case["fs"] / per_symbol, rolloff=rolloff, root="rrc" in name
            )
        elif name.startswith("fir_sgolay") and name.endswith("_d0"):
            window, degree = (int(part[1:]) for part in (name.split("_")[3], name.split("_")[2]))
            spec = FAMILIES["savitzky_golay"](window=window, polynomial=degree)
        elif name == "fir_firls_lp40":
            spec = FAMILIES["fir_least_squares"](taps=41, edges_hz=(0, 100, 150, 500), gains=(1, 1, 0, 0))
        else:
            continue
        np.testing.assert_allclose(spec.design(float(case["fs"])).values, case["taps"], atol=2e-13, err_msg=name)
        seen += 1
    assert seen >= 6


def test_analog_weighting_equals_the_formula_in_60_digits(loader):
    from jaxscope.filters.weighting import analog_gain

    for name, curve in (("Aweight_octaves", "A"), ("Cweight_thirds", "C")):
        case = loader.load(name)
        got = 20 * np.log10([analog_gain(curve, value) for value in case["freq_hz"]])
        np.testing.assert_allclose(got, case["exact_db"], atol=1e-9)


def _r06():
    b = 0.05634 * np.convolve([1, 1], [1, -1.0166, 1])
    return TransferFunction(b=tuple(b), a=tuple(np.convolve([1, -0.683], [1, -1.4461, 0.7957])))


def test_r06_matlab_response_delay_impulse_and_step(shared_cases):
    from jaxscope.filters.response import impulse_response, phase_radians, step_response

    folder = shared_cases / "reference" / "dspjl"
    design = design_of(_r06(), 2 * np.pi)
    angle, magnitude = np.loadtxt(folder / "freqz-eg1.txt").T
    np.testing.assert_allclose(np.abs(frequency_response(design, angle)), magnitude, atol=2.4e-12)
    angle, delay = np.loadtxt(folder / "grpdelay_eg1.txt").T
    np.testing.assert_allclose(group_delay_samples(design, angle), delay, atol=4.5e-10)
    assert group_delay_samples(design, [0.0])[0] == pytest.approx(3.238956283522, abs=1e-11)
    angle, impulse, step, magnitude, phase = np.loadtxt(folder / "responses-eg1.txt").T
    np.testing.assert_allclose(impulse_response(design, impulse.size)[1], impulse, atol=1e-11)
    np.testing.assert_allclose(step_response(design, step.size)[1], step, atol=1e-11)
    turns = (phase_radians(design, angle) - phase) / (2 * np.pi)
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-9)


def test_r17_equiripple_taps_equal_the_tables(shared_cases):
    folder = shared_cases / "reference" / "dspjl"
    low = FAMILIES["fir_equiripple"](taps=151, edges_hz=(0, 0.475, 0.5, 1.0), gains=(1.0, 0.0)).design(2.0)
    np.testing.assert_allclose(low.values, np.loadtxt(folder / "remez_151_lpf.txt"), atol=1e-5)
