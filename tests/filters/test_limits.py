"""Limits of a response: what fails, by how much and where, against SciPy's own responses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import signal

from jaxscope.errors import ChainError, SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.design import design_chain
from jaxscope.filters.limits import Limit, judge, limit_from_dict, limit_to_dict, load_limits, verdicts_on
from jaxscope.filters.spec import FilterChain, Stage

RATE_HZ = 512.0


def chain_of(phase: str = "causal") -> FilterChain:
    low = FAMILIES["butterworth"](band="lowpass", order=4, cutoff_hz=40.0)
    return FilterChain(phase=phase, stages=(Stage(spec=low),))  # type: ignore[arg-type]


def scipy_db(frequency_hz: float) -> float:
    sos = signal.butter(4, 40.0, fs=RATE_HZ, output="sos")
    return float(20 * np.log10(np.abs(signal.freqz_sos(sos, [frequency_hz], fs=RATE_HZ)[1][0])))


@pytest.mark.parametrize(("phase", "passes"), [("causal", 1), ("zero", 2)])
def test_the_worst_excess_of_a_monotonic_response_is_at_the_edges(phase: str, passes: int) -> None:
    limits = (
        Limit(kind="pass", high_hz=30.0, level_db=0.1),
        Limit(kind="stop", low_hz=61.0, level_db=80.0),
        Limit(kind="stop", low_hz=200.0, level_db=3.0),
    )
    low, high, kept = judge(design_chain(chain_of(phase), RATE_HZ), limits)
    assert low.excess_db == pytest.approx(-passes * scipy_db(30.0) - 0.1, abs=1e-9)
    assert low.at_hz == pytest.approx(30.0)
    assert (low.is_high, low.is_kept) == (False, False)
    assert high.excess_db == pytest.approx(80.0 + passes * scipy_db(61.0), abs=1e-9)
    assert high.sentence() == f"stop band: {high.excess_db:.1f} dB too little at 61 Hz"
    assert kept.is_kept
    assert kept.sentence().startswith("stop band: kept, ")


def test_an_edge_that_is_just_kept_is_kept() -> None:
    level_db = -scipy_db(40.0)
    (verdict,) = judge(design_chain(chain_of(), RATE_HZ), (Limit(kind="pass", high_hz=40.0, level_db=level_db),))
    assert verdict.is_kept


def test_a_ripple_is_found_between_the_edges() -> None:
    spec = FAMILIES["chebyshev1"](band="lowpass", order=5, cutoff_hz=60.0, ripple_db=2.0)
    design = design_chain(FilterChain(stages=(Stage(spec=spec),)), RATE_HZ)
    (verdict,) = judge(design, (Limit(kind="pass", low_hz=1.0, high_hz=55.0, level_db=0.5),))
    grid = np.linspace(1.0, 55.0, 200_001)
    sos = signal.cheby1(5, 2.0, 60.0, fs=RATE_HZ, output="sos")
    levels = 20 * np.log10(np.abs(signal.freqz_sos(sos, grid, fs=RATE_HZ)[1]))
    assert verdict.excess_db == pytest.approx(-levels.min() - 0.5, abs=0.01)
    assert 1.0 < verdict.at_hz < 55.0


def test_a_band_that_the_rate_does_not_have_is_left_out() -> None:
    frequencies = np.array([1.0, 40.0])
    limits = (Limit(kind="stop", low_hz=300.0, high_hz=400.0), Limit(kind="pass", low_hz=0.5, high_hz=2.0))
    assert [v.limit for v in verdicts_on(limits, frequencies, np.zeros(2), RATE_HZ)] == [limits[1]]


def test_a_tall_pass_band_is_too_high() -> None:
    (verdict,) = verdicts_on((Limit(kind="pass", level_db=1.0),), np.array([5.0]), np.array([4.0]), RATE_HZ)
    assert verdict.sentence() == "pass band: 3.0 dB too high at 5 Hz"


@pytest.mark.parametrize(
    "limit", [Limit(kind="stop", low_hz=60.0, level_db=40.0, chain=2), Limit(kind="pass", high_hz=30.0, level_db=0.5)]
)
def test_a_limit_comes_back_as_it_was_written(limit: Limit) -> None:
    assert limit_from_dict(json.loads(json.dumps(limit_to_dict(limit)))) == limit


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (3, "a limit is 3"),
        ({"kind": "pass", "depth": 3}, 'no field "depth"'),
        ({"kind": "pass", "chain": -1}, "chain is -1"),
        ({"kind": "pass", "low_hz": -1}, "negative"),
        ({"kind": "pass", "low_hz": float("nan")}, "low_hz is nan"),
        ({"kind": "pass", "level_db": 1e9}, "not above 0|1e"),
    ],
)
def test_a_wrong_limit_says_what_is_wrong(content: object, words: str) -> None:
    with pytest.raises((ChainError, SpecError), match=words):
        limit_from_dict(content)


def test_a_file_of_limits_is_read(tmp_path: Path) -> None:
    path = tmp_path / "limits.json"
    path.write_text(
        json.dumps(
            {"format": "jaxscope-limits", "version": 1, "limits": [{"kind": "stop", "low_hz": 60, "level_db": 40}]}
        )
    )
    assert load_limits(path) == (Limit(kind="stop", low_hz=60.0, level_db=40.0),)
    path.write_text(json.dumps({"format": "jaxscope-limits", "version": 1, "limits": []}))
    with pytest.raises(ChainError, match="has no limits"):
        load_limits(path)
    path.write_text("{}")
    with pytest.raises(ChainError, match="not a file of limits"):
        load_limits(path)
