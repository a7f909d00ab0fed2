"""The scenes of the benchmark: ours and a peer's, measured alternately in one run.

A figure means nothing without the reference beside it: every scene returns both, with their ratio and the largest
difference of their results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxscope.errors import UsageError
from jaxscope.registry import Registry

Scene = Callable[[float], list[dict[str, Any]]]

SCENES: Registry[Scene] = Registry(
    "scene",
    {
        "seed": "jaxscope.engines.seed_scene:run",
        "iir": "jaxscope.engines.bench_scenes:run_iir",
        "fir": "jaxscope.engines.bench_scenes:run_fir",
        "zero-phase": "jaxscope.engines.bench_scenes:run_zero_phase",
        "view": "jaxscope.compute.bench_view:run",
    },
)


def run_scenes(
    scene: str, *, seconds: float, report: Callable[[float, str], None] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Run one scene, or all of them within about ``seconds``.

    Returns
    -------
    dict
        ``{"scenes": [{name, ours_ns_per_sample, reference, reference_ns_per_sample, ratio, max_abs_error}]}``

    Raises
    ------
    UsageError
        For a scene that does not exist.
    """
    names = list(SCENES) if scene == "all" else [scene]
    if any(name not in SCENES for name in names):
        raise UsageError(f"there is no scene {scene!r}", hint=f"choose one of {', '.join((*SCENES, 'all'))}")
    results: list[dict[str, Any]] = []
    for done, name in enumerate(names):
        if report is not None:
            report(done / len(names), name)
        results.extend(SCENES[name](seconds / len(names)))
    return {"scenes": results}
