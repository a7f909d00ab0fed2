"""The question that this program grew from, then and now: 192 × 334 samples, a filter of third order.

Its three programs as they were meant (a loop, a scan and a vmap over columns of ``jnp.convolve`` with the impulse
response cut off after 20 taps; on all columns, ``.at[].set`` in place of the removed ``index_update``), SciPy's exact
``lfilter``, and ours, exact. They run in float32, as there; their error is against float64.
"""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import lax
from scipy import signal

from jaxscope.engines.program import make_program
from jaxscope.engines.timing import medians
from jaxscope.filters.coefficients import ChainDesign, Row, Sections

Array = npt.NDArray[Any]

B = (0.054778173164082, 0.164334519492245, 0.164334519492245, 0.054778173164082)
A = (1.0, -1.086740193996892, 0.649914553946275, -0.124948974636730)
SHAPE = (192, 334)
TAPS = 20
#: Seconds from which the loop is compiled over all columns, which alone takes a dozen; below, over so many.
WHOLE_LOOP_S = 30.0
LOOP_COLUMNS = 32


@partial(jax.jit, static_argnames="n_rows")
def loop_over_columns(x: Any, taps: Any, *, n_rows: int) -> Any:
    """Convolve column after column, unrolled by Python: slow to compile and to run."""
    y = jnp.zeros_like(x)
    for column in range(x.shape[1]):
        y = y.at[:, column].set(jnp.convolve(x[:, column], taps)[:n_rows])
    return y


@partial(jax.jit, static_argnames="n_rows")
def scan_over_columns(x: Any, taps: Any, *, n_rows: int) -> Any:
    """Convolve column after column in a compiled scan."""

    def one(carried: Any, column: Any) -> tuple[Any, Any]:
        return carried, jnp.convolve(column, taps)[:n_rows]

    return lax.scan(one, 0, x.T)[1].T


@partial(jax.jit, static_argnames="n_rows")
def vmap_over_columns(x: Any, taps: Any, *, n_rows: int) -> Any:
    """Convolve all columns at once, mapped along axis 1."""
    return jax.vmap(lambda column: jnp.convolve(column, taps)[:n_rows], in_axes=1, out_axes=1)(x)


def exact_design() -> ChainDesign:
    """Return the filter of the question as sections, starting at rest as there."""
    rows = signal.tf2sos(B, A)
    return ChainDesign(
        rate_hz=1.0,
        parts=(Sections(tuple(cast(Row, tuple(row.tolist())) for row in rows)),),
        phase="causal",
        initial="rest",
        padding_kind="odd",
        padding_samples=None,
        gaps="propagate",
    )


def run(seconds: float = 20.0, *, shape: tuple[int, int] = SHAPE) -> list[dict[str, Any]]:
    """Time the programs of the question beside ours.

    Parameters
    ----------
    seconds : float
        About how long it takes. The loop is compiled over its first columns only where that is short.
    shape : (n_samples, n_columns)

    Returns
    -------
    list of dict
        ``name, ours_ns_per_sample, reference, reference_ns_per_sample, ratio, max_abs_error``; ours is the program
        named, the reference is SciPy's ``lfilter`` in the same run. ``ratio`` above 1 is faster than it.
    """
    x = np.random.default_rng(1701).random(shape, dtype=np.float32)
    exact = signal.lfilter(B, A, x.astype(np.float64), axis=0)
    impulse = np.zeros(TAPS)
    impulse[0] = 1.0
    taps = jnp.asarray(signal.lfilter(B, A, impulse), dtype=jnp.float32)
    on_device = jnp.asarray(x)
    ours = make_program(exact_design(), n_channels=shape[1], precision="float32", method="block")
    n_looped = shape[1] if seconds >= WHOLE_LOOP_S else min(LOOP_COLUMNS, shape[1])
    looped = "seed: loop, 20 taps" + ("" if n_looped == shape[1] else f", {n_looped} of {shape[1]} columns")
    first = on_device[:, :n_looped]
    double = make_program(exact_design(), n_channels=shape[1], precision="float64", method="block")
    cut_off = make_program(exact_design(), n_channels=shape[1], precision="float32", method=f"truncated:{TAPS}")
    columns = np.ascontiguousarray(x.T)
    wide = columns.astype(np.float64)
    programs: dict[str, Any] = {
        looped: lambda: np.asarray(loop_over_columns(first, taps, n_rows=shape[0])),
        "seed: scan, 20 taps": lambda: np.asarray(scan_over_columns(on_device, taps, n_rows=shape[0])),
        "seed: vmap, 20 taps": lambda: np.asarray(vmap_over_columns(on_device, taps, n_rows=shape[0])),
        "seed: truncated, 20 taps": lambda: cut_off.run(columns).T,
        "seed: block, exact": lambda: ours.run(columns).T,
        "seed: block, exact, float64": lambda: double.run(wide).T,
    }
    results = {name: program() for name, program in programs.items()}
    reference = "scipy.signal.lfilter"
    times = medians({**programs, reference: lambda: signal.lfilter(B, A, wide, axis=1)}, budget_s=seconds)
    return [
        {
            "name": name,
            "ours_ns_per_sample": times[name] / results[name].size * 1e9,
            "reference": reference,
            "reference_ns_per_sample": times[reference] / x.size * 1e9,
            "ratio": times[reference] / x.size / (times[name] / results[name].size),
            "max_abs_error": float(np.abs(results[name] - exact[:, : results[name].shape[1]]).max()),
        }
        for name in programs
    ]
