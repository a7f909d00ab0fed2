"""How high lanes are by themselves: peaks of a signal of peaks stay near its lane, an artefact decides nothing."""

import numpy as np
import pytest

from jaxscope.compute.scales import automatic_scales
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.recording import Channel, RecordingInfo

RATE = 250.0


@pytest.fixture
def scale_of():
    """Return what tells the scale of one channel of samples."""

    def scale(x: np.ndarray) -> float:
        channel = Channel(name="a", unit="mV", kind="ecg", rate_hz=RATE, n_samples=len(x))
        info = RecordingInfo(format="made", duration_s=len(x) / RATE, channels=(channel,))
        return automatic_scales(ArrayRecording(info, [x]))["ecg"]

    return scale


def heartbeat(n_s: int) -> np.ndarray:
    t = np.arange(int(n_s * RATE)) / RATE
    return np.exp(-0.5 * (((t % 0.8) - 0.4) / 0.01) ** 2) + 0.02 * np.sin(2 * np.pi * 7 * t)


def test_the_peaks_of_a_heart_stay_inside_their_lane(scale_of):
    assert scale_of(heartbeat(60)) > 1.9  # a peak of 1 is half a lane


def test_noise_fills_its_lane(scale_of):
    assert scale_of(np.random.default_rng(0).standard_normal(60 * 250)) == pytest.approx(2 * 2.33, rel=0.15)


def test_one_artefact_decides_nothing(scale_of):
    x = np.random.default_rng(0).standard_normal(60 * 250)
    quiet = scale_of(x)
    x[5000:5050] = 1000.0
    assert scale_of(x) == pytest.approx(quiet, rel=0.1)
