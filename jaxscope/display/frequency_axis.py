"""Where a logarithmic axis of frequencies begins."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, inf, log10


def axis_begin(usual_hz: float, marked_hz: Iterable[float]) -> float:
    """Return where an axis begins that holds what is marked on it: the usual frequency, or whole decades below it.

    Parameters
    ----------
    usual_hz : float
    marked_hz : iterable of float
        Frequencies above 0; each lies at least an octave inside.

    Examples
    --------
    >>> axis_begin(0.12, [0.5, 40.0]), axis_begin(0.12, [0.1, 0.01])
    (0.12, 0.0012)
    """
    least_hz = min(marked_hz, default=inf) / 2
    if least_hz >= usual_hz:
        return usual_hz
    return float(usual_hz / 10 ** ceil(log10(usual_hz / least_hz) - 1e-9))
