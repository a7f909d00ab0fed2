"""Requests of three channels as writers get them, with samples of very different sizes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import numpy as np
import pytest

from jaxscope.data.annotations import Annotation
from jaxscope.data.recording import Channel
from jaxscope.writers import WriteRequest


def _samples_of(n_channels: int = 3, n_samples: int = 5000) -> np.ndarray:
    return np.random.default_rng(4).standard_normal((n_channels, n_samples)) * [[100.0], [1.0], [1e-3]][:n_channels]


def _request_for(samples: np.ndarray, rate_hz: float = 250.0, **changes: object) -> WriteRequest:
    names = ("Fp1", "resp", "x, y")
    channels = tuple(
        Channel(name=names[index], unit="uV", kind="eeg", rate_hz=rate_hz, n_samples=samples.shape[1])
        for index in range(samples.shape[0])
    )
    ranges = tuple((float(row.min()), float(row.max())) for row in samples)
    return WriteRequest(channels=channels, ranges=ranges, **changes)  # type: ignore[arg-type]


def _told_request(samples: np.ndarray, **changes: object) -> WriteRequest:
    notes = (Annotation(onset_s=1.0, duration_s=0.5, text="Stimulus/S 1"), Annotation(onset_s=3.0, text="Comment/äöü"))
    start = datetime(2024, 5, 6, 7, 8, 9)
    return _request_for(samples, start=start, annotations=notes, history="Butterworth, 40 Hz", **changes)


@pytest.fixture
def samples_of() -> Callable[..., np.ndarray]:
    """Return a function of n_channels and n_samples that makes samples of that shape."""
    return _samples_of


@pytest.fixture
def request_for() -> Callable[..., WriteRequest]:
    """Return a function of samples that makes the request to write them, with such fields as are given."""
    return _request_for


@pytest.fixture
def told_request() -> Callable[..., WriteRequest]:
    """Return a function of samples that makes a request with a start, events and a history."""
    return _told_request
