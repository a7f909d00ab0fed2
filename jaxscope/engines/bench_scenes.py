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
from jaxscope.engines.row_groups import row_groups
from jaxscope.engines.timing import medians
from jaxscope.filters.coefficients import ChainDesign, Realisation, Row, Sections, Taps
from jaxscope.side_by_side import n_threads, side_by_side

Array = npt.NDArray[Any]

RATE_HZ = 1000.0
#: Samples of a comparison by the least seconds there are for it.
N_SAMPLES_BY_S = ((20.0, 1 << 26), (5.0, 1 << 24), (0.0, 1 << 22))
#: one channel has fewer samples
MOST_OF_ONE = 1 << 24
#: SciPy's function over groups of channels, side by side
THREADS = "threads over scipy"
#: taps beyond which ``lfilter`` is not tried
MOST_LFILTER_TAPS = 101
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


def noise(n_channels: int, n_samples: int, dtype: str) -> Array:
    """Return white noise, the same each time."""
    return np.random.default_rng(7).standard_normal((n_channels, n_samples), dtype=np.float32).astype(dtype)


def _length(n_samples: int | None, seconds: float) -> int:
    """Return the samples of a comparison that takes about ``seconds``, unless they are given."""
    if n_samples:
        return n_samples
    return next(count for least_s, count in N_SAMPLES_BY_S if seconds >= least_s)


def compared(
    name: str,
    x: Array,
    design: ChainDesign,
    references: Mapping[str, Reference],
    seconds: float,
    *,
    method: str = "auto",
) -> dict[str, Any]:
    """Time our program on ``x`` against the fastest of the references, which is also the exact result.

    The first of the references runs over groups of channels in threads as well, so that several cores flatter nobody.
    """
    n_channels, n_samples = x.shape
    program = make_program(design, n_channels=n_channels, precision=str(x.dtype), method=method, n_samples=n_samples)
    y = program.run(x)
    contenders: dict[str, Callable[[], Any]] = {name: partial(function, x) for name, function in references.items()}
    expected = contenders[next(iter(contenders))]()
    groups = row_groups(n_channels, -(-n_channels // n_threads()), 0)
    if len(groups) > 1:
        first = references[next(iter(references))]
        contenders[THREADS] = partial(side_by_side, lambda own: first(x[own]), groups)
    times = medians({"ours": partial(program.run, x), **contenders}, budget_s=seconds)
    best = min(references, key=lambda key: times[key])
    threads_s = times.get(THREADS)
    return {
        "name": f"{name}, {n_channels} × {n_samples}, {x.dtype}, {program.method}",
        "ours_ns_per_sample": times["ours"] / x.size * 1e9,
        "reference": best,
        "reference_ns_per_sample": times[best] / x.size * 1e9,
        "ratio": times[best] / times["ours"],
        "max_abs_error": float(np.abs(y - expected).max()),
        "threads_ns_per_sample": None if threads_s is None else threads_s / x.size * 1e9,
        "ratio_to_threads": None if threads_s is None else threads_s / times["ours"],
        "method": program.method,
        "precision": str(x.dtype),
        "n_channels": n_channels,
        "n_samples": n_samples,
    }


def run_iir(seconds: float = 20.0, *, n_samples: int | None = None) -> list[dict[str, Any]]:
    """Time recursive filters of 64 channels and of one, ``n_samples`` in all, against ``scipy.signal.sosfilt``."""
    sos = band_pass()
    jobs = [(n_channels, dtype) for n_channels in (64, 1) for dtype in ("float32", "float64")]
    n_samples = _length(n_samples, seconds / len(jobs))
    rows = []
    for n_channels, dtype in jobs:
        x = noise(n_channels, min(n_samples // n_channels, MOST_OF_ONE), dtype)
        references = {"scipy.signal.sosfilt": partial(signal.sosfilt, sos)}
        rows.append(compared("iir: 4 sections", x, design_of(sections_of(sos)), references, seconds / len(jobs)))
    return rows


def run_zero_phase(seconds: float = 20.0, *, n_samples: int | None = None) -> list[dict[str, Any]]:
    """Time filters of zero phase against ``scipy.signal.sosfiltfilt``."""
    sos = band_pass()
    n_samples = _length(n_samples, seconds / 2)
    rows = []
    for dtype in ("float32", "float64"):
        x = noise(64, n_samples // 64, dtype)
        references = {"scipy.signal.sosfiltfilt": partial(signal.sosfiltfilt, sos)}
        design = design_of(sections_of(sos), phase="zero")
        rows.append(compared("zero-phase: 4 sections", x, design, references, seconds / 2))
    return rows


def overlap_added(taps: Array, x: Array) -> Array:
    """Return what ``scipy.signal.oaconvolve`` makes of channels, causally."""
    return np.asarray(signal.oaconvolve(x, taps[np.newaxis], axes=1)[:, : x.shape[1]])


def fir_references(taps: Array, dtype: str) -> dict[str, Reference]:
    """Return the ways of SciPy to filter with taps, of which the faster counts."""
    own = taps.astype(dtype)
    references: dict[str, Reference] = {"scipy.signal.oaconvolve": partial(overlap_added, own)}
    if len(taps) <= MOST_LFILTER_TAPS:  # beyond, it takes ten times as long
        references["scipy.signal.lfilter"] = partial(signal.lfilter, own, np.ones(1, dtype=dtype))
    return references


def run_fir(seconds: float = 20.0, *, n_samples: int | None = None) -> list[dict[str, Any]]:
    """Time filters of finite length against the faster of ``lfilter`` and ``oaconvolve``."""
    jobs = [(n_taps, dtype) for n_taps in (21, 101, 1001, 10001) for dtype in ("float32", "float64")]
    n_samples = _length(n_samples, seconds / len(jobs))
    rows = []
    for n_taps, dtype in jobs:
        taps = np.asarray(signal.firwin(n_taps, 0.2))
        x = noise(64, n_samples // 64, dtype)
        references = fir_references(taps, dtype)
        design = design_of(Taps(tuple(taps.tolist())))
        rows.append(compared(f"fir: {n_taps} taps", x, design, references, seconds / len(jobs)))
    return rows
