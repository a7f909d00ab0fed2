"""The delay of a chain: told at a frequency that it passes, against SciPy's group delay."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

from jaxscope.compute.delays import delay_of, delay_sentence, passed_hz
from jaxscope.compute.design_job import design_frame
from jaxscope.filters import FAMILIES
from jaxscope.filters.design import design_chain
from jaxscope.filters.limits import Limit
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.state import Document, Pin, SessionState, Viewport

RATE_HZ = 500.0


def chain_of(phase="causal", **fields):
    return FilterChain(phase=phase, stages=(Stage(spec=FAMILIES["butterworth"](order=2, **fields)),))


@pytest.mark.parametrize(
    ("band", "cutoff_hz", "expected_hz"),
    [
        ("lowpass", 40.0, 10.0),
        ("lowpass", 0.3, 0.075),
        ("highpass", 0.5, 10.0),
        ("highpass", 100.0, 175.0),
        ("bandpass", (60.0, 90.0), 73.48),
        ("bandstop", (8.0, 13.0), 2.0),
    ],
)
def test_the_delay_is_told_where_the_chain_passes(band, cutoff_hz, expected_hz) -> None:
    chain = chain_of(band=band, cutoff_hz=cutoff_hz)
    delay_s, at_hz = delay_of(chain, RATE_HZ)
    if band != "bandstop":  # there either side will do
        assert at_hz == pytest.approx(expected_hz, rel=0.1)
    b, a = scipy.signal.butter(2, cutoff_hz, band, fs=RATE_HZ)
    _, response = scipy.signal.freqz(b, a, [at_hz], fs=RATE_HZ)
    assert abs(response[0]) > 0.7
    _, samples = scipy.signal.group_delay((b, a), [at_hz], fs=RATE_HZ)
    assert delay_s == pytest.approx(samples[0] / RATE_HZ, rel=1e-3)


def test_the_words_name_the_frequency_and_the_direction() -> None:
    late, _, at = delay_sentence(chain_of(band="lowpass", cutoff_hz=0.3), RATE_HZ).partition(" late at ")
    assert late == "790 ms"
    assert 0.06 < float(at.removesuffix(" Hz")) < 0.08
    assert delay_sentence(chain_of("zero", band="lowpass", cutoff_hz=0.3), RATE_HZ) == "No delay"
    assert delay_sentence(chain_of(band="lowpass", cutoff_hz=300.0), RATE_HZ) == ""
    early = FilterChain(stages=(Stage(spec=FAMILIES["butterworth"](band="highpass", order=1, cutoff_hz=9.0)),))
    assert " early at " in delay_sentence(early, RATE_HZ) or "late" in delay_sentence(early, RATE_HZ)
    silent = FilterChain(stages=(Stage(spec=FAMILIES["gain"](gain=0.0)),))
    assert delay_of(silent, RATE_HZ) is None
    assert passed_hz(design_chain(silent, RATE_HZ)) is None


def test_taps_are_late_by_half_their_length() -> None:
    chain = FilterChain(stages=(Stage(spec=FAMILIES["fir_window"](band="lowpass", taps=101, cutoff_hz=40.0)),))
    assert delay_of(chain, RATE_HZ)[0] == pytest.approx(50 / RATE_HZ)


def test_the_frame_tells_limits_pin_and_delays() -> None:
    low = chain_of(band="lowpass", cutoff_hz=40.0)
    document = Document(
        chains=(low, chain_of(band="lowpass", cutoff_hz=5.0)),
        pins=(Pin(name="other", chain=chain_of("zero", band="lowpass", cutoff_hz=20.0)),),
        limits=(Limit(kind="stop", low_hz=60.0, level_db=40.0), Limit(kind="stop", low_hz=60.0, level_db=1.0, chain=1)),
    )
    frame = design_frame(SessionState(document=document, viewport=Viewport(line_up=True)), 1, None)
    sos = scipy.signal.butter(2, 40.0, fs=256.0, output="sos")
    level_db = 20 * np.log10(abs(scipy.signal.freqz_sos(sos, [60.0], fs=256.0)[1][0]))
    (verdict,) = frame.verdicts
    assert verdict.excess_db == pytest.approx(40 + level_db)
    assert (verdict.at_hz, verdict.is_kept) == (60.0, False)
    name, levels = frame.pin
    sos = scipy.signal.butter(2, 20.0, fs=256.0, output="sos")
    _, response = scipy.signal.freqz_sos(sos, frame.frequencies_hz, fs=256.0)
    seen = frame.frequencies_hz < 120
    np.testing.assert_allclose(levels[seen], 40 * np.log10(abs(response))[seen], atol=1e-6)
    assert name == "other"
    assert [delay_of(chain, 256.0)[0] for chain in document.chains] == list(frame.delays_s)


def test_interior_edges_of_a_design_by_edges_are_handles() -> None:
    spec = FAMILIES["fir_least_squares"](taps=51, edges_hz=(0.0, 20.0, 30.0, 128.0), gains=(1.0, 1.0, 0.0, 0.0))
    frame = design_frame(SessionState(document=Document(chains=(FilterChain(stages=(Stage(spec=spec),)),))), 1, None)
    assert [(handle[0], *handle[3:]) for handle in frame.handles] == [(20.0, "edges_hz", 1), (30.0, "edges_hz", 2)]
