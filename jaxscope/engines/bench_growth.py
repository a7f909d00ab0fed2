"""How time and memory grow with the size of the job, up to 2^27 samples: linearly, or the fitted exponent says not.

Memory is the most that the process held while it ran, less what it held before, beside that of input and result.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import signal

from jaxscope.engines.bench_scenes import band_pass, design_of, noise, sections_of
from jaxscope.engines.program import make_program

CHANNELS = 64
#: powers of two of channels × samples, by the least seconds there are
POWERS = ((40.0, range(20, 28)), (15.0, range(20, 27, 2)), (0.0, range(18, 25, 2)))
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


class PeakMemory:
    """The most that the process held since this was made, above what it held then; None where nobody counts."""

    def __init__(self) -> None:
        try:
            _CLEAR.write_text("5", encoding="ascii")  # the high-water mark begins anew
            self._before = self._held("VmRSS")
        except OSError:
            self._before = None

    @staticmethod
    def _held(name: str) -> int | None:
        for line in _STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
        return None

    def peak_bytes(self) -> int | None:
        """Return the bytes."""
        peak = None if self._before is None else self._held("VmHWM")
        return None if peak is None or self._before is None else max(peak - self._before, 0)


def fitted_exponent(sizes: list[int], seconds: list[float]) -> float:
    """Return p of the power law seconds ∝ sizes^p that fits best.

    Examples
    --------
    >>> round(fitted_exponent([1, 2, 4], [3.0, 6.0, 12.0]), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def run(seconds: float = 20.0, *, powers: range | None = None) -> list[dict[str, Any]]:
    """Return a row for each size, and in the last of them ``exponent``, ours and SciPy's being fitted over all."""
    chosen = powers or next(known for least_s, known in POWERS if seconds >= least_s)
    sos = band_pass()
    design = design_of(sections_of(sos))
    program = make_program(design, n_channels=CHANNELS, precision="float32")
    reference = partial(signal.sosfilt, sos)
    rows: list[dict[str, Any]] = []
    for power in chosen:
        x = noise(CHANNELS, (1 << power) // CHANNELS, "float32")
        program.run(x[:, : 1 << 12])
        watch = PeakMemory()
        y, ours_s = _quickest(partial(program.run, x))
        peak = watch.peak_bytes()
        expected, theirs_s = _quickest(partial(reference, x))
        rows.append(
            {
                "name": f"growth: 2^{power} = {CHANNELS} × {x.shape[1]}, float32, {program.method}",
                "ours_ns_per_sample": ours_s / x.size * 1e9,
                "reference": "scipy.signal.sosfilt",
                "reference_ns_per_sample": theirs_s / x.size * 1e9,
                "ratio": theirs_s / ours_s,
                "max_abs_error": float(np.abs(y - expected).max()),
                "n_total": x.size,
                "peak_bytes": peak,
                "input_bytes": x.nbytes,
                "output_bytes": y.nbytes,
            }
        )
    sizes = [int(row["n_total"]) for row in rows]
    for key, name in (("exponent", "ours_ns_per_sample"), ("reference_exponent", "reference_ns_per_sample")):
        rows[-1][key] = fitted_exponent(sizes, [row[name] * row["n_total"] for row in rows])
    return rows


def _quickest(function: Any, runs: int = 2) -> tuple[Any, float]:
    best = float("inf")
    for _ in range(runs):
        begun = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - begun)
    return result, best
