"""The extremes of whole tiles, by a program that was compiled while nobody waited, else by numpy.

Tiles have one length, so few programs serve all windows. Nothing is compiled here in front of a hand: a shape that has
no program yet is worked out by numpy, which gives the same numbers.

Invariant: a program is in the table only when it has run.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.display.envelope import min_max

Samples = npt.NDArray[np.floating]
Extremes = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
#: Programs that are kept in mind; more shapes than any window has.
MOST_PROGRAMS = 256

_LOCK = threading.Lock()
_ready: set[tuple[tuple[int, ...], str, int]] = set()


def compile_extremes(n_channels: int, length: int, dtype: npt.DTypeLike, bin_samples: int) -> bool:
    """Make the program for tiles of a shape; return whether there was none yet."""
    key = ((n_channels, length), np.dtype(dtype).char, bin_samples)
    if bin_samples <= 1 or length % bin_samples or key in _ready or len(_ready) >= MOST_PROGRAMS:
        return False
    from jaxscope.engines.extremes import extremes

    extremes(np.zeros((n_channels, length), dtype), bin_samples)
    with _LOCK:
        _ready.add(key)
    return True


def quick_extremes(x: Samples, first_sample: int, bin_samples: int) -> Extremes | None:
    """Return the extremes per bin of a whole tile; None where no program for it has been compiled."""
    key = (x.shape, x.dtype.char, bin_samples)
    if key not in _ready or first_sample % bin_samples:
        return None
    from jaxscope.engines.extremes import extremes

    found: Any = extremes(x, bin_samples)
    return found[0], found[1]


def tile_extremes(x: Samples, first_sample: int, bin_samples: int) -> Extremes:
    """Return the extremes per bin of a tile or a part of one; see ``min_max``."""
    return quick_extremes(x, first_sample, bin_samples) or min_max(
        x, first_sample=first_sample, bin_samples=bin_samples
    )
