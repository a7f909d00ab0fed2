"""How far a result is from the float64 oracle: the figure that the window and the provenance file show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.engines.scipy_reference import ScipyProgram
from jaxscope.filters.coefficients import ChainDesign

Array = npt.NDArray[Any]


def max_abs_vs_reference(
    design: ChainDesign | Sequence[ChainDesign], x: Array, y: Array, *, keep: slice | None = None
) -> float:
    """Return the largest difference between ``y`` and what SciPy makes of ``x`` in float64.

    Parameters
    ----------
    design : ChainDesign or sequence of ChainDesign
        One, or one for each channel.
    x : (n_channels, n_samples)
        As a whole signal, or with its context around ``keep``.
    y : (n_channels, n_samples)
    keep : slice or None
        Samples that are compared; None compares all.

    Returns
    -------
    float
        In the units of ``x``; 0 where no sample is compared, infinite where NaN are in different places.
    """
    designs = (design,) if isinstance(design, ChainDesign) else tuple(design)
    oracle = ScipyProgram(designs, n_channels=x.shape[0], device="cpu:0", precision="float64", reason="the oracle")
    span = slice(None) if keep is None else keep
    expected = oracle.run(np.asarray(x))[:, span]
    found = np.asarray(y, dtype=np.float64)[:, span]
    missing = np.isnan(expected)
    if not np.array_equal(missing, np.isnan(found)):
        return float("inf")
    return float(np.max(np.abs(found - expected), where=~missing, initial=0.0))
