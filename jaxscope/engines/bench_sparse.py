"""From which density a sparse product is worth it: montages, and filters of finite length that are mostly zeros.

Both are ``dsp.sparse``: the same code with a dense and a sparse matrix. The reference is the dense way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from jaxscope.dsp.sparse import fir_matrix, mixed, sparse_matrix
from jaxscope.engines.bench_scenes import noise
from jaxscope.engines.setup import prepare_jax
from jaxscope.engines.timing import medians

Array = npt.NDArray[Any]

#: channels and samples of the montage, and its entries a row
MONTAGE = (256, 4096)
ENTRIES = (1, 2, 4, 8, 16, 64)
#: channels, samples and taps of the filter, and how many of its taps are not 0
FILTER = (4, 2048, 512)
TAPS = (1, 4, 16, 64)

_mixed = jax.jit(mixed)


def montage(entries: int) -> Array:
    """Return a matrix with so many entries a row, at places as a montage of neighbours has them."""
    n = MONTAGE[0]
    matrix = np.zeros((n, n), dtype=np.float32)
    for k in range(entries):
        matrix[np.arange(n), (np.arange(n) + k) % n] = 1.0 if k == 0 else -1.0 / entries
    return matrix


def comb(entries: int) -> Array:
    """Return taps of which so many are not 0, evenly spread."""
    taps = np.zeros(FILTER[2])
    taps[:: FILTER[2] // entries] = 1.0 / entries
    return taps


def run(seconds: float = 10.0) -> list[dict[str, Any]]:
    """Return a row for each density, ``pays_below`` in the last of each kind: the density where both take as long."""
    prepare_jax()
    each_s = seconds / (len(ENTRIES) + len(TAPS))
    x = jnp.asarray(noise(*MONTAGE, "float32"))
    montages = []
    for entries in ENTRIES:
        matrix = montage(entries)
        dense, thin = (partial(_mixed, form, x) for form in (jnp.asarray(matrix), sparse_matrix(matrix)))
        name = f"sparse: montage of {MONTAGE[0]}, {entries} a row"
        montages.append(_row(name, thin, dense, x.size, entries / MONTAGE[0], each_s))
    rows = jnp.asarray(noise(FILTER[0], FILTER[1], "float32")).astype(jnp.float64)
    filters = []
    for entries in TAPS:
        matrix_of_taps = fir_matrix(comb(entries), FILTER[1])
        dense, thin = (partial(_mixed, form, rows.T) for form in (matrix_of_taps.todense(), matrix_of_taps))
        name = f"sparse: FIR of {FILTER[2]}, {entries} taps not 0"
        filters.append(_row(name, thin, dense, rows.size, entries / FILTER[2], each_s))
    for kind in (montages, filters):
        kind[-1]["pays_below"] = break_even([row["density"] for row in kind], [row["ratio"] for row in kind])
    return montages + filters


def break_even(densities: list[float], ratios: list[float]) -> float | None:
    """Return the density at which the ratio falls to 1, between the points in logarithms; None where it is never above.

    Examples
    --------
    >>> break_even([0.01, 0.1, 1.0], [10.0, 1.0, 0.1])
    0.1
    """
    above = [number for number, ratio in enumerate(ratios) if ratio >= 1.0]
    if not above:
        return None
    last = above[-1]
    if last == len(ratios) - 1:
        return densities[-1]
    share = np.log(ratios[last]) / np.log(ratios[last] / ratios[last + 1])
    return float(densities[last] * (densities[last + 1] / densities[last]) ** share)


def _row(
    name: str, thin: Callable[[], Any], dense: Callable[[], Any], n_values: int, density: float, seconds: float
) -> dict[str, Any]:
    ours, reference = thin(), dense()
    times = medians(
        {"ours": lambda: thin().block_until_ready(), "dense": lambda: dense().block_until_ready()}, budget_s=seconds
    )
    return {
        "name": name,
        "ours_ns_per_sample": times["ours"] / n_values * 1e9,
        "reference": "dense",
        "reference_ns_per_sample": times["dense"] / n_values * 1e9,
        "ratio": times["dense"] / times["ours"],
        "max_abs_error": float(jnp.abs(ours - reference).max()),
        "density": density,
    }
