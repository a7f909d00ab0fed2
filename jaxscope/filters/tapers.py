"""Tapers for multitaper spectra: discrete prolate spheroidal sequences, found once in float64 and kept."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
#: a taper that keeps less of its energy inside the bandwidth leaks more than it tells
LEAST_SHARE = 0.9


@lru_cache(maxsize=16)
def slepian_tapers(n_samples: int, half_bandwidth: float = 4.0) -> tuple[FloatArray, FloatArray]:
    """Return the tapers that keep at least 90 % of their energy inside the bandwidth, and their shares.

    Parameters
    ----------
    n_samples : int
    half_bandwidth : float
        Time times half of the bandwidth (often called NW): the bandwidth is ``2 * half_bandwidth * rate / n_samples``.

    Returns
    -------
    tapers : (n_tapers, n_samples)
        Each of unit energy; at most ``2 * half_bandwidth - 1`` of them. Not to be changed: they are kept.
    shares : (n_tapers,)
        The eigenvalues.

    Examples
    --------
    >>> tapers, shares = slepian_tapers(64, 4.0)
    >>> tapers.shape, bool(shares.min() > 0.9)
    ((7, 64), True)
    """
    from scipy.signal.windows import dpss

    held = min(half_bandwidth, n_samples / 2 - 0.5)  # SciPy fails where two samples are asked for two tapers
    tapers, shares = dpss(n_samples, held, max(1, int(2 * held) - 1), return_ratios=True)
    tapers = tapers.reshape(len(shares), n_samples)
    keep = shares > min(LEAST_SHARE, float(shares.max()) * (1 - 1e-9))
    kept, told = np.ascontiguousarray(tapers[keep]), np.asarray(shares[keep])
    kept.flags.writeable = told.flags.writeable = False
    return kept, told
