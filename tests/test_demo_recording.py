"""The demonstration recording: it is what its script makes, and it holds what it is meant to show."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy import signal

from jaxscope.data.recording import Recording
from jaxscope.readers import open_recording

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "resources" / "demo.edf"
RATE_HZ = 256.0


@pytest.fixture(scope="module")
def script() -> ModuleType:
    specification = importlib.util.spec_from_file_location(
        "make_demo_recording", ROOT / "packaging" / "make_demo_recording.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["make_demo_recording"] = module
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def demo() -> Recording:
    return open_recording(DEMO)


def power(recording: Recording, name: str, start_s: float, stop_s: float, low_hz: float, high_hz: float) -> float:
    """Return the mean power of a channel between two frequencies."""
    index = recording.info.index_of(name)
    timeline = recording.info.timeline
    first, stop = (timeline.sample_at(second, RATE_HZ) for second in (start_s, stop_s))
    frequency, density = signal.welch(recording.read(first, stop, [index])[0], RATE_HZ, nperseg=512)
    return float(density[(frequency >= low_hz) & (frequency <= high_hz)].mean())


def test_the_stored_file_is_what_the_script_makes(script: ModuleType, demo: Recording, tmp_path: Path) -> None:
    script.write_recording(tmp_path / "demo.edf")
    made = open_recording(tmp_path / "demo.edf")
    assert made.info == demo.info
    n_header = 256 * 26
    assert (tmp_path / "demo.edf").read_bytes()[:n_header] == DEMO.read_bytes()[:n_header]
    whole, again = (recording.read(0, 10**9) for recording in (demo, made))
    # Fourier transforms differ in their last bits between machines, which may move a value by one digital step.
    step = np.ptp(whole, axis=1, keepdims=True) / 65_000
    assert np.all(np.abs(whole - again) <= 1.01 * step)
    assert np.count_nonzero(whole != again) <= whole.size // 100


def test_its_outline(demo: Recording) -> None:
    info = demo.info
    assert DEMO.stat().st_size < 2_000_000
    assert info.format == "EDF+D"
    assert info.warnings == ()
    names = [
        "Fp1",
        "Fpz",
        "Fp2",
        "F7",
        "F3",
        "Fz",
        "F4",
        "F8",
        "T7",
        "C3",
        "Cz",
        "C4",
        "T8",
        "P7",
        "P3",
        "Pz",
        "P4",
        "P8",
        "O1",
        "Oz",
        "O2",
        "VEOG",
        "EMG",
        "ECG",
    ]
    assert [channel.name for channel in info.channels] == names
    assert [channel.kind for channel in info.channels] == ["eeg"] * 21 + ["eog", "emg", "ecg"]
    assert [channel.unit for channel in info.channels] == ["uV"] * 23 + ["mV"]
    assert {channel.rate_hz for channel in info.channels} == {RATE_HZ}
    assert info.duration_s == 144.0
    ((gap_start_s, gap_stop_s),) = [(gap.start_s, gap.stop_s) for gap in info.gaps]
    assert (gap_start_s, gap_stop_s) == (92.0, 96.0)
    assert info.start is not None
    texts = [note.text for note in info.annotations]
    assert texts.count("eyes closed") == 2
    assert texts.count("eyes open") == 3


def test_alpha_comes_with_closed_eyes_and_is_strongest_at_the_back(demo: Recording) -> None:
    closed = {name: power(demo, name, 38, 64, 9, 11) for name in ("O1", "Oz", "O2", "Cz", "Fp1")}
    for name in ("O1", "Oz", "O2"):
        assert closed[name] > 10 * power(demo, name, 4, 32, 9, 11)
        assert closed[name] > 5 * closed["Cz"] > closed["Fp1"]


def test_mains_hum_is_everywhere_and_differs(demo: Recording) -> None:
    hum = [power(demo, channel.name, 10, 80, 49.5, 50.5) for channel in demo.info.channels[:21]]
    beside = [power(demo, channel.name, 10, 80, 42, 46) for channel in demo.info.channels[:21]]
    assert all(peak > 30 * floor for peak, floor in zip(hum, beside, strict=True))
    assert max(hum) > 10 * min(hum)


def test_blinks_are_at_the_front_and_in_the_eog(demo: Recording) -> None:
    first = round(34 * RATE_HZ)
    window = demo.read(first, first + round(4 * RATE_HZ))
    height = dict(zip([channel.name for channel in demo.info.channels], np.ptp(window, axis=1), strict=True))
    assert height["VEOG"] > 150
    assert height["Fp1"] > 80
    assert height["Fpz"] > 80
    assert height["Pz"] < 80


def test_there_is_drift_a_heart_and_bursts_of_muscle(demo: Recording) -> None:
    names = [channel.name for channel in demo.info.channels]
    drift = signal.sosfiltfilt(signal.butter(2, 0.3, fs=RATE_HZ, output="sos"), demo.read(0, 23_000))
    assert all(np.ptp(drift[names.index(name)]) > 60 for name in ("T7", "F8", "C3", "P4"))
    ecg = demo.read(0, 23_000, [names.index("ECG")])[0]
    sos = signal.butter(2, [5, 40], "bandpass", fs=RATE_HZ, output="sos")
    beats, _ = signal.find_peaks(signal.sosfiltfilt(sos, ecg), height=0.5, distance=100)
    rate_per_minute = 60 * RATE_HZ / np.diff(beats)
    assert 60 < rate_per_minute.min() < rate_per_minute.max() < 80
    assert power(demo, "EMG", 20.5, 22.5, 30, 100) > 20 * power(demo, "EMG", 14, 18, 30, 45)


def test_no_sample_is_clipped(demo: Recording) -> None:
    data = DEMO.read_bytes()[256 * 26 :]
    record = np.frombuffer(data, np.uint8).reshape(140, -1)[:, : 24 * 256 * 2]
    digital = np.ascontiguousarray(record).view("<i2")
    assert np.count_nonzero(np.abs(digital) >= 32767) <= 2 * 24
