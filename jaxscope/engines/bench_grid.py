"""How the engine's figures move: by channels, samples, sections, taps and precision, each against SciPy.

One of them moves at a time, the others stay at the job that the figures are usually told for. With more time there are
more points and more samples, up to the largest that are meaningful.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import signal

from jaxscope.engines.bench_scenes import RATE_HZ, Reference, compared, design_of, fir_references, noise, sections_of
from jaxscope.filters.coefficients import ChainDesign, Taps

#: what moves, and its values from coarse to fine: the first ones where there is little time
SWEEPS: dict[str, tuple[tuple[float, ...], ...]] = {
    "channels": ((1, 32, 1024), (1, 4, 16, 64, 256, 1024), (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)),
    "samples": ((3, 4.5, 6), (3, 4, 5, 6, 7), (3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5)),
    "sections": ((1, 4, 16), (1, 2, 4, 8, 16), (1, 2, 3, 4, 6, 8, 12, 16)),
    "taps": ((16, 128, 1024), (16, 64, 256, 1024, 8192), (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)),
}
#: least seconds for each of the three, and the samples of all channels where samples are not what moves
STEPS = ((0.0, 1 << 19), (30.0, 1 << 20), (90.0, 1 << 22))
CHANNELS, SECTIONS = 16, 4
PRECISIONS = ("float32", "float64")
#: samples of one point; 16 channels of 10^7.5 would be half a billion, so that sweep has fewer channels at its end
MOST_SAMPLES = 1 << 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One measurement: what moves, and the whole of the job."""

    sweep: str
    value: float
    n_channels: int
    n_samples: int
    size: int
    precision: str


def points(seconds: float) -> Iterator[Point]:
    """Yield the points that are measured in about ``seconds``."""
    step = max(number for number, (least_s, _) in enumerate(STEPS) if seconds >= least_s)
    total = STEPS[step][1]
    for sweep, values in SWEEPS.items():
        for value in values[step]:
            for precision in PRECISIONS:
                job = {"n_channels": CHANNELS, "n_samples": total // CHANNELS, "size": SECTIONS}
                if sweep == "channels":
                    job |= {"n_channels": int(value), "n_samples": max(total // int(value), 1024)}
                elif sweep == "samples":
                    n = round(10**value)
                    job |= {"n_samples": n, "n_channels": max(min(CHANNELS, MOST_SAMPLES // n), 1)}
                else:
                    job["size"] = int(value)
                shown = job["n_samples"] if sweep == "samples" else value
                yield Point(sweep=sweep, value=shown, precision=precision, **job)


def job_of(point: Point) -> tuple[ChainDesign, dict[str, Reference]]:
    """Return the chain of a point, and SciPy's ways to run it."""
    if point.sweep == "taps":
        taps = np.asarray(signal.firwin(point.size, 0.2))
        return design_of(Taps(tuple(taps.tolist()))), fir_references(taps, point.precision)
    if point.size == 1:
        sos = np.asarray(signal.butter(2, 40.0, fs=RATE_HZ, output="sos"))
    else:
        sos = np.asarray(signal.butter(point.size, [1.0, 40.0], "bandpass", fs=RATE_HZ, output="sos"))
    return design_of(sections_of(sos)), {"scipy.signal.sosfilt": partial(signal.sosfilt, sos)}


def run(seconds: float = 20.0) -> list[dict[str, Any]]:
    """Return a row for each point, with ``sweep`` and ``value`` beside the usual keys."""
    jobs = list(points(seconds))
    rows = []
    for point in jobs:
        design, references = job_of(point)
        x = noise(point.n_channels, point.n_samples, point.precision)
        name = f"grid: {point.sweep}, {point.size} {'taps' if point.sweep == 'taps' else 'sections'}"
        row = compared(name, x, design, references, seconds / len(jobs))
        rows.append({**row, "sweep": point.sweep, "value": point.value})
    return rows
