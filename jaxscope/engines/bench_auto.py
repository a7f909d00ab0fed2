"""What ``auto`` takes against the best that could have been taken, on a grid that is not the one it was measured on.

What could have been taken are the methods that lose no digit on the chain (``methods.candidates``).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from jaxscope.engines.base import structure_of
from jaxscope.engines.bench_scenes import noise
from jaxscope.engines.calibration import designs_for, program_for
from jaxscope.engines.methods import candidates, largest_radius
from jaxscope.engines.program import make_program
from jaxscope.engines.timing import quickest_in_turn

#: kind of part, size, channels, samples; ordered so that the first ones tell most
JOBS = (
    ("sections", 4, 64, 16384), ("taps", 64, 64, 16384), ("sections", 2, 1, 1000), ("taps", 400, 16, 4096),
    ("sections", 4, 1, 200000), ("taps", 101, 2, 50000), ("sections", 1, 4, 100), ("taps", 21, 1, 1000),
    ("sections", 8, 256, 4096), ("taps", 180, 128, 8192), ("sections", 12, 16, 30000), ("taps", 2001, 8, 100000),
    ("sections", 3, 1000, 1000), ("taps", 16, 500, 2000), ("sections", 6, 6, 600), ("taps", 128, 1, 1 << 20),
    ("sections", 2, 32, 60000), ("taps", 48, 4, 300), ("sections", 16, 2, 5000), ("taps", 801, 1, 3000),
    ("sections by channel", 4, 32, 8192), ("taps by channel", 101, 16, 8192),
)  # fmt: skip
#: seconds that a job takes, in a precision
JOB_S = 1.0


def run(seconds: float = 20.0) -> list[dict[str, Any]]:
    """Return a row for each job: ours is what ``auto`` takes, the reference the quickest of all methods it may take."""
    jobs = [(*job, precision) for job in JOBS for precision in ("float32", "float64")]
    jobs = jobs[: max(int(seconds / JOB_S), 2)]
    rows = []
    for kind, size, n_channels, n_samples, precision in jobs:
        designs = designs_for(kind, size, n_channels)
        x = noise(n_channels, n_samples, precision)
        chosen = make_program(designs, n_channels=n_channels, precision=precision, n_samples=n_samples)
        names = candidates(structure_of(designs[0]), largest_radius(designs), precision=precision, with_scipy=True)
        # associative is for accelerators: on a CPU it never wins, and takes longest to compile
        names = tuple(name for name in names if name != "associative")
        programs = {name: program_for(name, designs, n_channels, "cpu:0", precision) for name in names}
        times = quickest_in_turn(
            {name: partial(program.run, x) for name, program in programs.items()}, budget_s=seconds / len(jobs)
        )
        best = min(times, key=lambda name: times[name])
        rows.append(
            {
                "name": f"auto: {size} {kind}, {n_channels} × {n_samples}, {precision}, {chosen.method}",
                "ours_ns_per_sample": times[chosen.method] / x.size * 1e9,
                "reference": best,
                "reference_ns_per_sample": times[best] / x.size * 1e9,
                "ratio": times[best] / times[chosen.method],
                "max_abs_error": float(np.abs(programs[chosen.method].run(x) - programs[best].run(x)).max()),
                "slower_than_best": times[chosen.method] / times[best],
            }
        )
    return rows
