"""The shelf of presets: each passes and stops what its name says, and what a rate cannot hold is left out and said."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.filters.design import design_chain
from jaxscope.filters.presets import MAINS_HARMONICS, PRESETS, fit_preset
from jaxscope.filters.response import magnitude_db
from jaxscope.filters.spec import FilterChain
from jaxscope.filters.stability import is_stable

BY_NAME = {preset.name: preset for preset in PRESETS}


def _level(name: str, rate_hz: float, frequencies_hz: list[float]) -> np.ndarray:
    fitted = fit_preset(BY_NAME[name], rate_hz)
    return magnitude_db(design_chain(FilterChain(stages=fitted.stages), rate_hz), frequencies_hz)


def test_names_are_unique_and_every_preset_says_what_it_is_for() -> None:
    assert len(BY_NAME) == len(PRESETS)
    assert all(preset.title and preset.summary and preset.group and preset.source for preset in PRESETS)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_preset_fits_whole_at_a_high_rate_and_is_stable(preset) -> None:
    fitted = fit_preset(preset, 48_000.0)
    assert fitted.left_out == ()
    assert fitted.sentence(48_000.0) == ""
    assert len(fitted.stages) == len(preset.stages)
    assert is_stable(design_chain(FilterChain(stages=fitted.stages), 48_000.0).parts)


@pytest.mark.parametrize(
    ("name", "rate_hz", "edges_hz", "inside_hz", "outside_hz"),
    [
        ("ecg_monitor", 500.0, (0.5, 40.0), 8.0, (0.02, 120.0)),
        ("ecg_diagnostic", 1000.0, (0.05, 150.0), 10.0, (0.002, 450.0)),
        ("eeg_50", 256.0, (0.5, 40.0), 10.0, (0.05, 50.0)),
        ("eeg_60", 256.0, (0.5, 40.0), 10.0, (0.05, 60.0)),
        ("erp", 500.0, (0.1, 30.0), 3.0, (0.01, 120.0)),
        ("lfp", 2000.0, (1.0, 300.0), 20.0, (0.1, 900.0)),
        ("spikes", 30_000.0, (300.0, 6000.0), 1500.0, (30.0, 14_000.0)),
        ("emg", 2000.0, (20.0, 450.0), 100.0, (2.0, 950.0)),
        ("teleseismic", 20.0, (0.01, 0.1), 0.03, (0.001, 1.0)),
        ("local_earthquake", 100.0, (1.0, 20.0), 5.0, (0.1, 45.0)),
        ("machine_vibration", 25_600.0, (10.0, 1000.0), 100.0, (2.0, 5000.0)),
    ],
)
def test_a_band_is_what_its_name_says(name, rate_hz, edges_hz, inside_hz, outside_hz) -> None:
    at_edges = _level(name, rate_hz, list(edges_hz))
    np.testing.assert_allclose(at_edges, -3.01, atol=0.5)
    assert _level(name, rate_hz, [inside_hz])[0] == pytest.approx(0.0, abs=0.2)
    assert np.all(_level(name, rate_hz, list(outside_hz)) < -18)


@pytest.mark.parametrize(("name", "base_hz"), [("mains_50", 50.0), ("mains_60", 60.0)])
def test_mains_takes_out_every_harmonic_below_half_the_rate_and_names_the_rest(name, base_hz) -> None:
    fitted = fit_preset(BY_NAME[name], 512.0)
    below = [base_hz * harmonic for harmonic in range(1, MAINS_HARMONICS + 1) if base_hz * harmonic < 256.0]
    assert np.all(_level(name, 512.0, below) < -100)
    assert np.all(_level(name, 512.0, [hz + base_hz / 2 for hz in below[:-1]]) > -0.1)
    assert len(fitted.stages) + len(fitted.left_out) == MAINS_HARMONICS
    assert f"{base_hz * 6:.0f} Hz" in fitted.sentence(512.0)
    assert BY_NAME[name].adds


def test_what_a_rate_cannot_hold_is_never_moved() -> None:
    fitted = fit_preset(BY_NAME["spikes"], 500.0)
    assert fitted.stages == ()
    assert fitted.left_out == ("high-pass 300 Hz", "low-pass 6000 Hz")
    assert fit_preset(BY_NAME["a_weighting"], 500.0).left_out == ("A-weighting",)
