"""Make the demonstration recording: 21 EEG channels, VEOG, EMG and ECG, from a seed.

Everything a filter is for is in it: a pink background that neighbours share, alpha waves that come with closed eyes
and are strongest at the back, mains hum that differs from electrode to electrode, slow drift, blinks, bursts of muscle,
a heart, a gap and events. The same seed makes the same bytes, so the file in ``resources/`` can be checked.

Usage: python packaging/make_demo_recording.py [OUTPUT]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.recording import Channel
from jaxscope.writers import WriteRequest, open_writer

RATE_HZ = 256.0
#: Recorded time is the first part, a gap, and the second part.
GAP = Gap(start_s=92.0, stop_s=96.0)
DURATION_S = 144.0
SEED = 20

Array = npt.NDArray[np.float64]

#: Place on the head seen from above: right, front.
POSITIONS = {
    "Fp1": (-0.3, 0.95), "Fpz": (0.0, 1.0), "Fp2": (0.3, 0.95), "F7": (-0.8, 0.6), "F3": (-0.4, 0.55),
    "Fz": (0.0, 0.5), "F4": (0.4, 0.55), "F8": (0.8, 0.6), "T7": (-1.0, 0.0), "C3": (-0.5, 0.0), "Cz": (0.0, 0.0),
    "C4": (0.5, 0.0), "T8": (1.0, 0.0), "P7": (-0.8, -0.6), "P3": (-0.4, -0.55), "Pz": (0.0, -0.5),
    "P4": (0.4, -0.55), "P8": (0.8, -0.6), "O1": (-0.3, -0.95), "Oz": (0.0, -1.0), "O2": (0.3, -0.95),
}  # fmt: skip
EEG_NAMES = tuple(POSITIONS)

#: When the eyes are closed, in seconds.
EYES_CLOSED_S = ((36.5, 66.0), (104.0, 130.0))
#: Electrodes with a poor contact take up more of the mains, in uV.
HUM_UV = {"T8": 18.0, "P7": 14.0, "Fp2": 12.5, "F7": 13.0, "O2": 10.0}
#: Electrodes that drift more than the rest, in uV.
DRIFT_UV = {"T7": 38.0, "F8": 34.0, "C3": 28.0, "P4": 30.0}
ANNOTATIONS = (
    Annotation(onset_s=4.0, text="eyes open"),
    Annotation(onset_s=20.0, duration_s=3.0, text="clench jaw"),
    Annotation(onset_s=36.5, text="eyes closed"),
    Annotation(onset_s=66.0, text="eyes open"),
    Annotation(onset_s=78.0, duration_s=4.0, text="speech"),
    Annotation(onset_s=104.0, text="eyes closed"),
    Annotation(onset_s=130.0, text="eyes open"),
)
#: Bursts of muscle: middle, width, strength.
MUSCLE_BURSTS = (
    (8.2, 0.5, 1.0), (21.5, 1.1, 3.2), (27.0, 0.4, 0.8), (34.6, 0.55, 1.5), (36.9, 0.25, 2.4), (39.6, 0.4, 0.5),
    (41.9, 0.22, 1.8), (47.5, 0.6, 0.9), (58.0, 0.4, 1.3), (67.0, 0.3, 1.4), (79.0, 0.7, 1.6), (80.8, 0.6, 2.0),
    (101.0, 0.5, 0.9), (112.0, 0.4, 1.2), (121.0, 0.3, 0.7), (131.5, 0.4, 2.1), (138.0, 0.5, 1.0),
)  # fmt: skip
#: Blinks of the window that the pictures show; others come at random.
FIRST_BLINKS_S = (34.35, 35.28, 36.12, 37.72)


def make_samples() -> tuple[tuple[str, ...], Array]:
    """Return names and samples of all 24 channels over the whole time, gap included, shape (24, n_samples)."""
    rng = np.random.default_rng(SEED)
    n_samples = round(DURATION_S * RATE_HZ)
    seconds = np.arange(n_samples) / RATE_HZ
    places = np.array([POSITIONS[name] for name in EEG_NAMES])
    hum_phase = 2 * np.pi * 50.0 * seconds + 0.8 * _noise(rng, n_samples, 0.0, 0.2)
    blinks = _blinks(rng, seconds)
    muscle = _muscle(rng, seconds)

    eeg = _background(rng, places, n_samples) + _alpha(rng, places, seconds) + _beta(rng, places, n_samples)
    eeg += 135.0 * _near(places, (0.0, 1.05), 0.22)[:, None] * blinks
    eeg += 0.11 * (_near(places, (-1.1, 0.2), 0.12) + _near(places, (1.1, 0.2), 0.12))[:, None] * muscle
    eeg += _drift(rng, n_samples)
    eeg += _hum(rng, hum_phase, seconds)

    veog = 220.0 * blinks + 11.0 * _pink(rng, n_samples, 0.6) + 20.0 * _noise(rng, n_samples, 0.0, 0.3)
    veog += 8.0 * np.sin(hum_phase + 0.3)
    emg = muscle + 12.0 * np.sin(hum_phase + 1.0) + 14.0 * _noise(rng, n_samples, 0.05, 0.5)
    ecg = _heart(rng, seconds) + 0.06 * np.sin(hum_phase + 0.5) + 0.012 * rng.standard_normal(n_samples)
    return (*EEG_NAMES, "VEOG", "EMG", "ECG"), np.vstack([eeg, veog, emg, ecg])


def _noise(rng: np.random.Generator, n_samples: int, low_hz: float, high_hz: float) -> Array:
    """Return noise of unit deviation whose spectrum is flat between two frequencies, with soft edges."""
    frequency = np.fft.rfftfreq(n_samples, 1 / RATE_HZ)
    gain = 1 / np.sqrt(1 + (frequency / high_hz) ** 8)
    if low_hz:
        with np.errstate(divide="ignore"):
            gain /= np.sqrt(1 + (low_hz / frequency) ** 8)
    gain[0] = 0
    return _shaped(rng, gain, n_samples)


def _pink(rng: np.random.Generator, n_samples: int, corner_hz: float, slope: float = 1.0) -> Array:
    """Return noise of unit deviation whose amplitude falls with frequency above a corner."""
    frequency = np.fft.rfftfreq(n_samples, 1 / RATE_HZ)
    gain = 1 / np.maximum(frequency, corner_hz) ** slope
    gain[0] = 0
    return _shaped(rng, gain, n_samples)


def _shaped(rng: np.random.Generator, gain: Array, n_samples: int) -> Array:
    spectrum = gain * np.exp(2j * np.pi * rng.random(gain.size))
    noise = np.fft.irfft(spectrum, n_samples)
    return noise / noise.std()


def _near(places: Array, centre: tuple[float, float], spread: float) -> Array:
    """Return how strongly each electrode sees a source: 1 at its place, less around it."""
    return np.exp(-((places - centre) ** 2).sum(axis=1) / spread)


def _background(rng: np.random.Generator, places: Array, n_samples: int) -> Array:
    """Return activity that neighbours share, about 8 uV, and a little that they do not."""
    sources = rng.uniform(-1.1, 1.1, (16, 2))
    signs = rng.choice([-1.0, 1.0], len(sources))
    mix = np.stack([sign * _near(places, tuple(at), 0.35) for sign, at in zip(signs, sources, strict=True)], axis=1)
    shared = mix @ np.stack([_pink(rng, n_samples, 0.7, 0.95) for _ in sources])
    own = np.stack([_pink(rng, n_samples, 3.0, 0.4) for _ in places])
    return 7.5 * shared / shared.std(axis=1, keepdims=True) + 1.8 * own


def _alpha(rng: np.random.Generator, places: Array, seconds: Array) -> Array:
    """Return waxing and waning waves of about 10 Hz, strong while the eyes are closed."""
    closed = np.zeros_like(seconds)
    for start_s, stop_s in EYES_CLOSED_S:
        closed += 0.5 * (np.tanh((seconds - start_s - 0.25) / 0.3) - np.tanh((seconds - stop_s) / 0.2))
    total = np.zeros((len(places), seconds.size))
    for centre, frequency_hz, strength_uv in (
        ((-0.25, -1.0), 10.1, 19.0),
        ((0.35, -0.85), 10.5, 15.0),
        ((0.0, -0.4), 9.6, 8.0),
    ):
        swell = np.clip(0.8 + 0.75 * _noise(rng, seconds.size, 0.0, 0.5), 0.06, 2.4)
        wander = 2 * np.pi * np.cumsum(frequency_hz + 0.3 * _noise(rng, seconds.size, 0.0, 0.4)) / RATE_HZ
        wave = swell * (np.sin(wander) + 0.22 * np.sin(2 * wander + 0.4)) * (0.12 + 0.88 * closed)
        total += strength_uv * _near(places, centre, 0.55)[:, None] * wave
    return total


def _beta(rng: np.random.Generator, places: Array, n_samples: int) -> Array:
    left, right = (_noise(rng, n_samples, 17.0, 25.0) for _ in range(2))
    return 2.2 * (_near(places, (-0.5, 0.0), 0.2)[:, None] * left + _near(places, (0.5, 0.0), 0.2)[:, None] * right)


def _blinks(rng: np.random.Generator, seconds: Array) -> Array:
    """Return a row of blinks of height about 1: a steep rise, a slower fall, a small swing back."""
    times = list(FIRST_BLINKS_S)
    at = 1.5
    while at < DURATION_S - 2:
        is_closed = any(start - 1 < at < stop for start, stop in EYES_CLOSED_S)
        if not is_closed and not 33.0 < at < 38.5:
            times.append(at)
        at += 1.3 + rng.exponential(2.4)
    total = np.zeros_like(seconds)
    for time_s in sorted(times):
        height, width_s = rng.uniform(0.8, 1.15), rng.uniform(0.3, 0.4)
        rise = (seconds - time_s) / width_s
        inside, after = (rise >= 0) & (rise < 1), (rise >= 1) & (rise < 2)
        total[inside] += height * np.sin(np.pi * rise[inside] ** 0.75) ** 2
        total[after] -= 0.07 * height * np.sin(np.pi * (rise[after] - 1))
    return total


def _muscle(rng: np.random.Generator, seconds: Array) -> Array:
    """Return muscle activity in uV: a low tone throughout, and bursts."""
    strength = 5.0 + 1.5 * np.abs(_noise(rng, seconds.size, 0.0, 1.0))
    for middle_s, width_s, height in MUSCLE_BURSTS:
        rise = np.exp(-0.5 * ((seconds - middle_s) / (0.55 * width_s)) ** 2)
        strength = strength + 34.0 * height * rise * (0.75 + 0.25 * np.abs(_noise(rng, seconds.size, 0.0, 6.0)))
    return strength * _noise(rng, seconds.size, 20.0, 110.0)


def _drift(rng: np.random.Generator, n_samples: int) -> Array:
    rows = []
    for name in EEG_NAMES:
        size_uv = DRIFT_UV.get(name, rng.uniform(8.0, 20.0))
        rows.append(
            size_uv * _pink(rng, n_samples, 0.02, 1.3) * 0.5 + 0.7 * size_uv * _noise(rng, n_samples, 0.0, 0.12)
        )
    return np.stack(rows)


def _hum(rng: np.random.Generator, phase: Array, seconds: Array) -> Array:
    """Return the mains of each electrode, with a weak second harmonic (the third is above the Nyquist frequency)."""
    rows = []
    for name in EEG_NAMES:
        size_uv = HUM_UV.get(name, rng.uniform(3.5, 8.0))
        swing = 1 + 0.25 * np.sin(2 * np.pi * seconds / rng.uniform(8.0, 11.0) + rng.uniform(0, 6.28))
        lag = rng.uniform(-0.5, 0.5)
        rows.append(size_uv * swing * (np.sin(phase + lag) + 0.15 * np.sin(2 * phase + lag)))
    return np.stack(rows)


def _heart(rng: np.random.Generator, seconds: Array) -> Array:
    """Return heart beats in mV (P, Q, R, S, T), with breathing in their rhythm and their baseline."""
    waves = (
        (-0.17, 0.13, 0.024),
        (-0.026, -0.11, 0.0095),
        (0.0, 1.2, 0.0105),
        (0.028, -0.27, 0.0105),
        (0.25, 0.32, 0.05),
    )
    total = 0.12 * np.sin(2 * np.pi * 0.22 * seconds) + 0.13 * _noise(rng, seconds.size, 0.0, 0.15)
    at = 0.4
    while at < DURATION_S:
        for offset_s, height_mv, width_s in waves:
            total += height_mv * np.exp(-0.5 * ((seconds - at - offset_s) / width_s) ** 2)
        at += 0.88 + 0.05 * np.sin(2 * np.pi * 0.22 * at) + 0.018 * rng.standard_normal()
    return total


def write_recording(path: Path) -> None:
    """Write the demonstration recording to a path; an existing file is replaced."""
    names, whole = make_samples()
    first, stop = round(GAP.start_s * RATE_HZ), round(GAP.stop_s * RATE_HZ)
    samples = np.concatenate([whole[:, :first], whole[:, stop:]], axis=1)
    request = WriteRequest(
        channels=_channels(names, samples.shape[1]),
        start=datetime(2025, 3, 12, 10, 30),
        annotations=ANNOTATIONS,
        gaps=(GAP,),
        ranges=tuple((float(row.min()), float(row.max())) for row in samples),
    )
    with open_writer(path, request, overwrite=True) as writer:
        writer.write(samples)


def _channels(names: Sequence[str], n_samples: int) -> tuple[Channel, ...]:
    kinds = {"VEOG": "eog", "EMG": "emg", "ECG": "ecg"}
    return tuple(
        Channel(
            name=name,
            unit="mV" if name == "ECG" else "uV",
            kind=kinds.get(name, "eeg"),  # type: ignore[arg-type]
            rate_hz=RATE_HZ,
            n_samples=n_samples,
        )
        for name in names
    )


def main() -> None:
    """Write to the given path, or to its place in the project."""
    resources = Path(__file__).resolve().parents[1] / "resources"
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else resources / "demo.edf"
    write_recording(path)
    print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
