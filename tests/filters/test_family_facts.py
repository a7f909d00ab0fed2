"""Every family tells what it is: knobs with limits, the realised size, real points that double in zero phase, times."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import signal

from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.filters.coefficients import Sections, Taps
from jaxscope.filters.design import design_chain
from jaxscope.filters.facts import facts
from jaxscope.filters.report import octave_fall_db, report, seconds
from jaxscope.filters.shapes import new_spec
from jaxscope.filters.stability import pole_radius

RATE_HZ = 8000.0
#: what has no meaning below the rates of sound
RATES_HZ = {"weighting": 48_000.0}
BANDED = ("butterworth", "chebyshev1", "chebyshev2", "elliptic", "bessel", "fir_window")


def spec_of(family):
    spec = new_spec(family, rate_of(family))
    return spec.with_value("taps", 401) if family == "fir_window" else spec


def rate_of(family):
    return RATES_HZ.get(family, RATE_HZ)


def told(spec, phase):
    return {fact.label: fact.value for fact in facts(Stage(spec=spec), rate_of(spec.family), phase)}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_every_family_tells_times_delay_and_size(family, phase):
    found = told(spec_of(family), phase)
    assert {"Settles within", "Realised as"} <= set(found)
    delay = next(value for label, value in found.items() if label.startswith("Delay"))
    assert (delay == "No delay") is (phase == "zero")
    assert len(found) == len(facts(Stage(spec=spec_of(family)), rate_of(family), phase)), "no caption twice"


@pytest.mark.parametrize("family", FAMILIES)
def test_every_number_has_limits_and_frequencies_have_a_logarithmic_slider(family):
    for knob in FAMILIES[family].knobs():
        if knob.kind == "count":
            assert knob.low is not None
            assert knob.high is not None
        if knob.kind in ("number", "edges"):
            assert knob.low is not None
            assert knob.high is not None or knob.unit == "Hz"
        if knob.kind in ("number", "edges") and knob.unit == "Hz":
            assert knob.log
            assert FAMILIES[family]().limits(knob.name, RATE_HZ)[1] == RATE_HZ / 2


@pytest.mark.parametrize("family", BANDED)
def test_a_low_pass_tells_its_roll_off_and_real_points_for_the_passes_in_use(family):
    spec = spec_of(family).with_value("cutoff_hz", 1000.0)
    once, twice = told(spec, "causal"), told(spec, "zero")
    assert "dB" in once["Roll-off"]
    made = spec.design(RATE_HZ)
    b_a = signal.sos2tf(made.to_array()) if isinstance(made, Sections) else (made.to_array(), [1.0])
    for found, passes, label in ((once, 1, "−3 dB"), (twice, 2, "−3 dB, both passes")):
        point = float(found[label].removesuffix(" Hz"))
        level = 20 * np.log10(abs(signal.freqz(*b_a, [point], fs=RATE_HZ)[1][0])) * passes
        assert level == pytest.approx(-3.01, abs=0.3)  # the point is shown with three digits


def test_the_fall_within_an_octave_is_what_it_is():
    spec = FAMILIES["chebyshev2"](order=6, attenuation_db=60.0, cutoff_hz=1000.0)
    design = design_chain(FilterChain(stages=(Stage(spec=spec),)), RATE_HZ)
    fall = octave_fall_db(spec, design)
    assert fall == pytest.approx(57.0, abs=0.1), "from −3.01 dB to the ripple of the stop band at −60 dB"
    zero = design_chain(FilterChain(phase="zero", stages=(Stage(spec=spec),)), RATE_HZ)
    assert 100 < octave_fall_db(spec, zero) < 117, "the real edge is lower, so less of the way is left"
    high = FAMILIES["fir_window"](band="highpass", taps=401, cutoff_hz=1000.0)
    alone = design_chain(FilterChain(stages=(Stage(spec=high),)), RATE_HZ)
    assert isinstance(alone.parts[0], Taps)
    assert octave_fall_db(high, alone) > 40
    near = FAMILIES["elliptic"](cutoff_hz=3000.0)
    assert octave_fall_db(near, design_chain(FilterChain(stages=(Stage(spec=near),)), RATE_HZ)) is None


@pytest.mark.parametrize(
    ("family", "words"),
    [
        ("butterworth", ("half-power cutoff 40 Hz", "of order 4 (4 poles", "roll-off 24 dB/octave asymptotically")),
        ("chebyshev1", ("cutoff where the ripple ends 40 Hz", "0.5 dB pass-band ripple")),
        ("chebyshev2", ("stop-band edge 40 Hz", "40 dB stop-band attenuation", "dB or more beyond an octave")),
        ("elliptic", ("0.5 dB pass-band ripple", "40 dB stop-band attenuation", "dB or more beyond an octave")),
        ("fir_window", ("cutoff 40 Hz at −6 dB", "it delays by")),
    ],
)
def test_the_sentence_for_a_paper_has_what_papers_ask_for(family, words):
    chain = FilterChain(stages=(Stage(spec=new_spec(family, 512.0)),))
    sentence = report(chain, 512.0)
    for part in (*words, "sampled at 512 Hz", "applied forward once (causal)", "−3 dB at"):
        assert part in sentence
    if family != "fir_window":
        assert "its delay depends on frequency, from" in sentence
    assert "forward and backward" in report(FilterChain(phase="zero", stages=chain.stages), 512.0)


def test_a_notch_of_a_high_rate_settles_as_slowly_as_its_poles_do():
    stage = Stage(spec=FAMILIES["notch"](frequency_hz=50.0, q=30.0))
    found = {fact.label: fact for fact in facts(stage, 44100.0, "zero")}
    radius = pole_radius((stage.spec.design(44100.0),))
    assert found["Settles within"].value == seconds(math.log(0.01) / math.log(radius) / 44100.0)
    assert "1 %" in found["Settles within"].tip
    assert "Rings for" not in found, "it is said once"
    slow = {fact.label: fact for fact in facts(stage, 250.0, "zero")}
    assert "99.99 %" in slow["Settles within"].tip
    assert "Rings for" in slow
