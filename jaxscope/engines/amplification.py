"""How much a cascade amplifies between its sections what it damps as a whole, and with it what is rounded off there.

Between two sections a signal is rounded to the precision in use. Where the sections before a place let a frequency grow
and those behind it another, the rounding grows, too, although the chain as a whole lets neither through so strongly:
high orders of some families do so by a million and more, which leaves nothing of the seven digits of float32.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from jaxscope.filters.coefficients import Sections

#: frequencies that are looked at: evenly spread, and ever closer to 0 Hz and to half the rate
_ANGLES = np.unique(
    np.concatenate([np.linspace(0, np.pi, 129), np.geomspace(1e-6, 0.1, 48), np.pi - np.geomspace(1e-6, 0.1, 48)])
)
_DELAY = np.exp(-1j * _ANGLES)


@lru_cache(maxsize=256)
def amplification(part: Sections) -> float:
    """Return by how much rounding between the sections of one pass is amplified, relative to its largest gain, or to 1.

    Each place between two sections counts with the largest gain before it times the largest gain behind it.
    """
    rows = np.array(part.rows, dtype=np.float64)
    if len(rows) < 2:
        return 1.0
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        above = rows[:, 0:1] + rows[:, 1:2] * _DELAY + rows[:, 2:3] * _DELAY**2
        below = rows[:, 3:4] + rows[:, 4:5] * _DELAY + rows[:, 5:6] * _DELAY**2
        gains = np.abs(above / below)
        heads = np.cumprod(gains, axis=0)
        tails = np.cumprod(gains[::-1], axis=0)[::-1]
        places = heads[:-1].max(axis=1) * tails[1:].max(axis=1)
        found = float(places.max() / max(1.0, float(heads[-1].max())))
    return found if np.isfinite(found) else 1.0
