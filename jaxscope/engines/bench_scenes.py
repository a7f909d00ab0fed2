"""The figures that the engine is judged by, each against SciPy in the same run.

Invariant: every scene gives the same rows (``name, ours_ns_per_sample, reference, reference_ns_per_sample, ratio,
max_abs_error``), and its error is measured on the data that was timed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy import signal

from jaxscope.engines.program import make_program
from jaxscope.engines.timing import medians
from jaxscope.filters.coefficients import ChainDesign, Realisation, Row, Sections, Taps

Array = npt.NDArray[Any]

RATE_HZ = 1000.0
#: Samples of a comparison, and of one for which there are less than ``SHORT_S`` seconds.
N_SAMPLES, N_SAMPLES_SHORT = 1 << 24, 1 << 22
SHORT_S = 5.0
#: a function of SciPy and what it is called with
Reference = Callable[[Array], Any]


def design_of(*parts: Realisation, phase: str = "causal", initial: str = "rest") -> ChainDesign:
    """Return a chain of parts with the defaults of a bench: at rest, SciPy's padding."""
    return ChainDesign(
        rate_hz=RATE_HZ,
        parts=parts,
        phase=phase,
        initial=initial,
        padding_kind="odd",
        padding_samples=None,
        gaps="segment",
    )


def sections_of(rows: Array) -> Sections:
    """Return SciPy's sections as a part."""
    return Sections(tuple(cast(Row, tuple(row.tolist())) for row in rows))


def band_pass() -> Array:
    """Return the filter of the measurements: Butterworth, 1 to 40 Hz at 1 kHz, four sections."""
    return np.asarray(signal.butter(4, [1.0, 40.0], "bandpass", fs=RATE_HZ, output="sos"))


def _noise(n_channels: int, n_samples: int, dtype: str) -> Array:
    return np.random.default_rng(7).standard_normal((n_channels, n_samples), dtype=np.float32).astype(dtype)


def _length(n_samples: int | None, seconds: float) -> int:
    """Return the samples of a comparison that takes about ``seconds``, unless they are given."""
    return n_samples or (N_SAMPLES if seconds >= SHORT_S else N_SAMPLES_SHORT)


def _compared(
    name: str, x: Array, design: ChainDesign, references: Mapping[str, Reference], seconds: float
) -> dict[str, Any]:
    """Time our program on ``x`` against the fastest of the references, which is also the exact result."""
    program = make_program(design, n_channels=x.shape[0], precision=str(x.dtype))
    y = program.run(x)
    contenders: dict[str, Callable[[], Any]] = {name: partial(function, x) for name, function in references.items()}
    times = medians({"ours": partial(program.run, x), **contenders}, budget_s=seconds)
    best = min(references, key=lambda key: times[key])
    expected = contenders[next(iter(contenders))]()
    return {
        "name": f"{name}, {x.shape[0]} × {x.shape[1]}, {x.dtype}, {program.method}",
        "ours_ns_per_sample": times["ours"] / x.size * 1e9,
        "reference": best,
        "reference_ns_per_sample": times[best] / x.size * 1e9,
        "ratio": times[best] / times["ours"],
        "max_abs_error": float(np.abs(y - expected).max()),
    }


def run_iir(seconds: float = 20.0, *, n_samples: int | None = None) -> list[dict[str, Any]]:
    """Time recursive filters of 64 channels and of one, ``n_samples`` in all, against ``scipy.signal.sosfilt``."""
    sos = band_pass()
    jobs = [(n_channels, dtype) for n_channels in (64, 1) for dtype in ("float32", "float64")]
    n_samples = _length(n_samples, seconds / len(jobs))
    rows = []
    for n_channels, dtype in jobs:
        x = _noise(n_channels, n_samples // n_channels, dtype)
        references = {"scipy.signal.sosfilt": partial(signal.sosfilt, sos)}
        rows.append(_compared("iir: 4 sections", x, design_of(sections_of(sos)), references, seconds / len(jobs)))
    return rows


def run_zero_phase(seconds: float = 20.0, *, n_samples: int | None = None) -> list[dict[str, Any]]:
    """Time filters of zero phase against ``scipy.signal.sosfiltfilt``."""
    sos = band_pass()
    n_samples = _length(n_samples, seconds / 2)
    rows = []
    for dtype in ("float32", "float64"):
        x = _noise(64, n_samples // 64, dtype)
        references = {"scipy.signal.sosfiltfilt": partial(signal.sosfiltfilt, sos)}
        design = design_of(sections_of(sos), phase="zero")
        rows.append(_compared("zero-phase: 4 sections", x, design, references, seconds / 2))
    return rows


def _overlap_added(taps: Array, x: Array) -> Array:
    return np.asarray(signal.oaconvolve(x, taps[np.newaxis], axes=1)[:, : x.shape[1]])


def run_fir(seconds: float = 20.0, *, n_samples: int | None = None) -> list[dict[str, Any]]:
    """Time filters of finite length against the faster of ``lfilter`` and ``oaconvolve``."""
    jobs = [(n_taps, dtype) for n_taps in (21, 101, 1001, 10001) for dtype in ("float32", "float64")]
    n_samples = _length(n_samples, seconds / len(jobs))
    rows = []
    for n_taps, dtype in jobs:
        taps = np.asarray(signal.firwin(n_taps, 0.2))
        x = _noise(64, n_samples // 64, dtype)
        own = taps.astype(dtype)
        references: dict[str, Reference] = {"scipy.signal.oaconvolve": partial(_overlap_added, own)}
        if n_taps <= 101:  # beyond, it takes ten times as long
            references["scipy.signal.lfilter"] = partial(signal.lfilter, own, np.ones(1, dtype=dtype))
        design = design_of(Taps(tuple(taps.tolist())))
        rows.append(_compared(f"fir: {n_taps} taps", x, design, references, seconds / len(jobs)))
    return rows
