"""The scenes of the benchmark: ours and a peer's, measured alternately in one run.

A figure means nothing without the reference beside it: every scene returns both, with their ratio and the largest
difference of their results.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from jaxscope.errors import UsageError
from jaxscope.registry import Registry

Scene = Callable[[float], list[dict[str, Any]]]
Report = Callable[[float, str], None]

SCENES: Registry[Scene] = Registry(
    "scene",
    {
        "seed": "jaxscope.engines.seed_scene:run",
        "iir": "jaxscope.engines.bench_scenes:run_iir",
        "fir": "jaxscope.engines.bench_scenes:run_fir",
        "zero-phase": "jaxscope.engines.bench_scenes:run_zero_phase",
        "view": "jaxscope.compute.bench_view:run",
        "grid": "jaxscope.engines.bench_grid:run",
        "growth": "jaxscope.engines.bench_growth:run",
        "sparse": "jaxscope.engines.bench_sparse:run",
        "auto": "jaxscope.engines.bench_auto:run",
        "read": "jaxscope.compute.bench_read:run",
    },
)
#: parts of the time, where all are run; 1 where nothing is said
SHARES = {
    "iir": 2.0,
    "fir": 1.5,
    "grid": 2.5,
    "growth": 1.5,
    "auto": 2.0,
    "view": 0.6,
    "seed": 0.6,
    "sparse": 0.5,
    "read": 0.8,
}


def run_scenes(scene: str, *, seconds: float, report: Report | None = None) -> dict[str, Any]:
    """Run one scene, or all of them within about ``seconds``.

    Returns
    -------
    dict
        ``{"scenes": [{name, ours_ns_per_sample, reference, reference_ns_per_sample, ratio, max_abs_error}]}``, and for
        the scenes that were run ``auto_slower_than_best`` (the worst case), ``growth_exponent``,
        ``sparse_pays_below`` (a density for montages and one for FIR) and ``reads`` (the least and the greatest ratio,
        by where files are read from and the reference).

    Raises
    ------
    UsageError
        For a scene that does not exist.
    """
    names = list(SCENES) if scene == "all" else [scene]
    if any(name not in SCENES for name in names):
        raise UsageError(f"there is no scene {scene!r}", hint=f"choose one of {', '.join((*SCENES, 'all'))}")
    total = sum(SHARES.get(name, 1.0) for name in names)
    results: list[dict[str, Any]] = []
    done = 0.0
    for name in names:
        share = SHARES.get(name, 1.0) / total
        if report is not None:
            report(done, name)
        results.extend(SCENES[name](seconds * share))
        done += share
    return {"scenes": results, **summary(results)}


def summary(scenes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the rows of several scenes say together."""
    found: dict[str, Any] = {}
    worst = [row["slower_than_best"] for row in scenes if "slower_than_best" in row]
    if worst:
        found["auto_slower_than_best"] = max(worst)
    for row in scenes:
        if "exponent" in row:
            found["growth_exponent"] = row["exponent"]
        if "pays_below" in row:
            kind = row["name"].removeprefix("sparse: ").split()[0]
            found.setdefault("sparse_pays_below", {})[kind] = row["pays_below"]
        if "source" in row:
            ends = found.setdefault("reads", {}).setdefault(f"{row['source']}, {row['reference']}", [])
            ends[:] = min([*ends, row["ratio"]]), max([*ends, row["ratio"]])
    return found


def calibrate(target: str | None, *, device: str, report: Report | None = None) -> dict[str, Any]:
    """Measure what the methods cost on a device, for ``auto``, and keep it in a file (None: that of this user)."""
    from jaxscope.engines import calibration, method_costs

    path = method_costs.own_file() if target is None else Path(target)
    return calibration.calibrate(path, device=device, report=report)
