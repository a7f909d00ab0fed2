"""What ``design --json`` says about a chain, the sentence for a paper, facts, shapes and lines."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import signal

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.chain_file import UnknownSpec
from jaxscope.filters.describe import describe
from jaxscope.filters.design import design_chain
from jaxscope.filters.facts import facts
from jaxscope.filters.iir import Bessel, Butterworth, Chebyshev2, Elliptic
from jaxscope.filters.report import PHRASES, report
from jaxscope.filters.response import frequency_response, magnitude_db
from jaxscope.filters.shapes import (
    SHAPES,
    fitted,
    new_spec,
    shape_of,
    stage_line,
    stage_title,
    with_family,
    with_shape,
)
from jaxscope.filters.spec import FilterChain, Stage

KEYS = [
    "sections", "taps", "zeros", "poles", "gain", "is_stable", "settling_s", "minus_3db_hz", "minus_6db_hz", "phase",
    "report",
]  # fmt: skip


def chain_of(*specs, **options):
    return FilterChain(stages=tuple(Stage(spec=spec) for spec in specs), **options)


@pytest.mark.parametrize("phase", ["causal", "zero", "minimum"])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_described_in_strict_json(family, phase):
    rate_hz = 48000.0 if family == "weighting" else 200.0
    chain = chain_of(FAMILIES[family](), phase=phase)
    content = describe(chain, rate_hz)
    assert list(content) == KEYS
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert content["phase"] == phase
    assert content["report"].endswith(".")
    if family == "median":
        return
    # zeros, poles and gain give the response of one pass
    once = design_chain(chain_of(FAMILIES[family](), phase="causal" if phase == "zero" else phase), rate_hz)
    z = np.exp(1j * np.linspace(0.02, 3.1, 33))
    value = content["gain"] * np.prod([z - complex(*root) for root in content["zeros"]], axis=0)
    value = value / np.prod([z - complex(*root) for root in content["poles"]], axis=0)
    wanted = frequency_response(once, np.angle(z) * rate_hz / (2 * np.pi))
    np.testing.assert_allclose(value, wanted, atol=1e-6 * np.abs(wanted).max())


def test_sections_are_scipys_and_taps_the_finite_stages_convolved():
    first, second = FAMILIES["fir_window"](taps=11), FAMILIES["moving_average"](window=3)
    content = describe(chain_of(Butterworth(), first, FAMILIES["gain"](gain=2.0), FAMILIES["notch"](), second), 200.0)
    reference = np.vstack([signal.butter(4, 40, fs=200.0, output="sos"), np.r_[signal.iirnotch(50, 30, fs=200.0)]])
    np.testing.assert_allclose(content["sections"], reference, atol=1e-14)
    taps = 2 * np.convolve(signal.firwin(11, 40, fs=200.0), np.ones(3) / 3)
    np.testing.assert_allclose(content["taps"], taps, atol=1e-15)


def test_an_empty_chain_and_one_that_is_off():
    for chain in (FilterChain(), FilterChain(stages=(Stage(spec=Butterworth(), enabled=False),))):
        content = describe(chain, 200.0)
        assert (content["sections"], content["taps"], content["gain"]) == ([], [], 1.0)
        assert content["is_stable"] is True
        assert "not filtered" in content["report"]


def test_unstable_is_described_and_never_settles():
    content = describe(chain_of(FAMILIES["sections"](rows=((1, 0, 0, 1, 0, 1.1),))), 200.0)
    assert content["is_stable"] is False
    assert content["settling_s"] is None
    assert "It is unstable: the outermost pole is at radius 1.04881" in content["report"]
    assert "dB at" not in content["report"]


def test_c044_order_and_sections_are_both_said():
    text = report(chain_of(Butterworth(band="bandpass", order=4, cutoff_hz=(1.0, 40.0))), 500.0)
    assert "order 4 (8 poles" in text
    assert "4 second-order sections" in text


def test_frequencies_are_said_as_they_were_given():
    text = report(chain_of(Butterworth(band="bandpass", cutoff_hz=(1000.5, 12345.0))), 1234567.0)
    assert "sampled at 1234567 Hz" in text
    assert "cutoffs 1000.5 and 12345 Hz" in text
    assert "e+" not in text


def test_one_of_a_thing_is_no_plural():
    text = report(chain_of(FAMILIES["sections"](rows=((1, 0, 0, 1, 0.5, 0),))), 200.0)
    assert "1 second-order section given" in text
    assert "FIR of 1 tap given" in report(chain_of(FAMILIES["taps"](values=(2.0,))), 200.0)


def test_the_sentence_names_what_papers_ask_for():
    chain = chain_of(Butterworth(cutoff_hz=40.0), phase="zero")
    text = report(chain, 512.0)
    for words in (
        "sampled at 512 Hz", "Butterworth low-pass of order 4", "cutoff 40 Hz", "roll-off 48 dB/octave",
        "−6 dB at 40 Hz",
        "forward and backward", "zero phase", "no delay",
    ):  # fmt: skip
        assert words in text
    text = report(chain_of(Elliptic(ripple_db=0.5, attenuation_db=60.0)), 512.0)
    assert "0.5 dB pass-band ripple" in text
    assert "60 dB stop-band attenuation" in text
    assert "stop-band edge" in report(chain_of(Chebyshev2()), 512.0)
    assert "normalised for delay" in report(chain_of(Bessel(norm="delay")), 512.0)
    assert "delays by 50 samples (97.7 ms)" in report(chain_of(FAMILIES["fir_window"](taps=101)), 512.0)


def test_every_family_has_its_words():
    assert set(PHRASES) == set(FAMILIES)
    listed = [family for shape in SHAPES for family in shape.families]
    assert set(listed) == set(FAMILIES)


@pytest.mark.parametrize("rate_hz", [20.0, 100.0, 256.0, 48000.0])
@pytest.mark.parametrize("family", FAMILIES)
def test_new_stages_fit_the_rate_and_have_facts(family, rate_hz):
    if family == "weighting" and rate_hz < 4000:
        with pytest.raises(SpecError):
            design_chain(chain_of(new_spec(family, rate_hz)), rate_hz)
        return
    if family == "comb":
        rate_hz = min(rate_hz, 5000.0)
    stage = Stage(spec=new_spec(family, rate_hz), enabled=False)
    for phase in ("causal", "zero", "minimum"):
        found = facts(stage, rate_hz, phase)
        assert {"Settles within", "Delay", "Realised as"} <= {fact.label.partition(" at ")[0] for fact in found}
        assert len({fact.label for fact in found}) == len(found)
        assert all(fact.value and fact.tip and not fact.tip.endswith(".") for fact in found)
    assert stage_title(stage)
    assert stage_line(stage)
    assert shape_of(stage.spec).name in {shape.name for shape in SHAPES}


def test_facts_of_both_passes_are_those_of_the_picture():
    found = {fact.label: fact.value for fact in facts(Stage(spec=Butterworth(order=4, cutoff_hz=40.0)), 512.0, "zero")}
    assert list(found)[:4] == ["−6 dB, both passes", "−3 dB, both passes", "Settles within", "Stability margin"]
    assert found["−6 dB, both passes"] == "40.0 Hz"
    assert found["−3 dB, both passes"].startswith(("36.0", "35.9"))
    assert found["Delay"] == "No delay"
    assert found["Roll-off"] == "48 dB/octave"
    assert found["Realised as"] == "4 poles, 2 sections"


def test_a_level_is_told_once_and_half_amplitude_besides():
    stage = Stage(spec=Butterworth(order=4, cutoff_hz=40.0))
    found = {fact.label: fact.value for fact in facts(stage, 512.0, "causal")}
    assert list(found)[:4] == ["−3 dB", "−6 dB", "Settles within", "Stability margin"]
    assert found["−3 dB"] == "40.0 Hz"
    half_hz = float(found["−6 dB"].removesuffix(" Hz"))
    assert abs(magnitude_db(design_chain(chain_of(stage.spec), 512.0), [half_hz])[0] + 6.02) < 0.2
    assert found["Delay at 10.0 Hz"].endswith("ms")


def test_words_of_a_stage():
    assert stage_line(Stage(spec=Butterworth(band="highpass", cutoff_hz=0.5))) == "Butterworth 4 · 0.50 Hz"
    assert stage_title(Stage(spec=Butterworth(band="highpass", cutoff_hz=0.5))) == "High-pass"
    assert stage_line(Stage(spec=Butterworth(band="bandpass", cutoff_hz=(1.0, 40.0)))) == "Butterworth 4 · 1.00–40.0 Hz"
    assert stage_title(Stage(spec=Butterworth(), name="Drift")) == "Drift"
    unknown = Stage(spec=UnknownSpec(family_name="wavelet"), enabled=False)
    assert (stage_title(unknown), stage_line(unknown)) == ("wavelet", "Not known here · off, kept as it is")


def test_changing_family_and_shape_keeps_what_both_have():
    start = Butterworth(band="bandpass", order=6, cutoff_hz=(8.0, 13.0))
    turned = with_family(start, "elliptic", 256.0)
    assert (turned.band, turned.order, turned.cutoff_hz) == ("bandpass", 6, (8.0, 13.0))
    assert with_family(turned, "fir_window", 256.0).cutoff_hz == (8.0, 13.0)
    assert with_family(Butterworth(order=30), "bessel", 256.0).order == FAMILIES["bessel"]().order
    by_name = {shape.name: shape for shape in SHAPES}
    assert with_shape(start, by_name["low"], 256.0) == Butterworth(band="lowpass", order=6, cutoff_hz=13.0)
    assert with_shape(start, by_name["notch"], 256.0).frequency_hz == pytest.approx(10.198, abs=1e-3)
    assert with_shape(FAMILIES["notch"](frequency_hz=60.0), by_name["high"], 256.0).cutoff_hz == 60.0
    assert with_shape(FAMILIES["median"](), by_name["stop"], 256.0).band == "bandstop"
    assert fitted(Butterworth(cutoff_hz=40.0), 60.0).cutoff_hz < 30.0
    assert fitted(Butterworth(cutoff_hz=40.0), 600.0).cutoff_hz == 40.0
    with pytest.raises(SpecError, match="wavelet"):
        new_spec("wavelet", 100.0)


@pytest.mark.parametrize(
    ("rate_hz", "low_hz", "high_hz"), [(250.0, 0.5, 40.0), (512.0, 1.0, 80.0), (44100.0, 90.0, 7000.0)]
)
def test_a_new_stage_begins_where_the_signals_of_its_rate_lie(rate_hz, low_hz, high_hz):
    assert new_spec("butterworth", rate_hz, band="lowpass").cutoff_hz == high_hz
    assert new_spec("butterworth", rate_hz, band="highpass").cutoff_hz == low_hz
    assert new_spec("fir_window", rate_hz, band="bandpass").cutoff_hz == (low_hz, high_hz)
