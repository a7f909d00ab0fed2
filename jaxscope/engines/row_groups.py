"""Channels in groups that are filtered side by side: channels do not wait for each other, products of matrices do.

Measured: two threads with half the channels each are quicker than one stream whose products are shared out, as copying
and thin products run on one core there.

Invariant: the groups cover each row once, in order, and none is larger than the first.
"""

from __future__ import annotations

from jaxscope.side_by_side import n_threads

#: samples below which one stream is quicker
LEAST_SAMPLES = 1 << 20


def row_groups(n_rows: int, at_once: int, n_samples: int) -> list[slice]:
    """Cut rows into groups of at most ``at_once``, as many for each thread where there are ``n_samples`` enough.

    Examples
    --------
    >>> row_groups(5, 2, 0)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    wanted = -(-n_rows // max(at_once, 1))
    if n_samples >= LEAST_SAMPLES:
        wanted = min(-(-wanted // n_threads()) * n_threads(), n_rows)
    size = -(-n_rows // max(wanted, 1)) or 1
    return [slice(first, min(first + size, n_rows)) for first in range(0, n_rows, size)] or [slice(0, 0)]
