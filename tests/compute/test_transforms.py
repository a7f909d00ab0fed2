"""Transforms of Before are made once while a filter is tuned, and anew for any other sample or length."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.compute import transforms as module
from jaxscope.compute.transforms import KeptTransforms


@pytest.fixture
def made(monkeypatch):
    made, real = [], module.transforms
    monkeypatch.setattr(module, "transforms", lambda x, length: made.append(x.shape) or real(x, length))
    return made


def test_samples_that_are_the_same_are_transformed_once(made):
    x, kept = np.random.default_rng(0).standard_normal((2, 500)), KeptTransforms()
    x[1, 7] = np.nan
    first = kept.of([x], 64)
    again = kept.of([x.copy()], 64)
    assert made == [(2, 500)]
    np.testing.assert_array_equal(again[0][0], module.transforms(x, 64)[0])
    assert first[0][1] is again[0][1]


@pytest.mark.parametrize("change", ["a sample", "the length", "a signal more", "a sample that is missing now"])
def test_anything_else_is_transformed_anew(made, change):
    x, kept = np.random.default_rng(0).standard_normal((2, 500)), KeptTransforms()
    kept.of([x], 64)
    made.clear()
    other, length = x.copy(), 64
    if change == "the length":
        length = 128
    elif change.startswith("a sample"):
        other[0, 3] = np.nan if "missing" in change else 9.0
    signals = [other, other] if change == "a signal more" else [other]
    found = kept.of(signals, length)
    assert len(made) == len(signals)
    np.testing.assert_array_equal(found[0][0], module.transforms(other, length)[0])


def test_those_of_long_signals_are_not_held(monkeypatch, made):
    monkeypatch.setattr(module, "MOST_KEPT", 100)
    x, kept = np.ones((2, 500)), KeptTransforms()
    for _ in range(2):
        kept.of([x], 64)
    assert len(made) == 2
