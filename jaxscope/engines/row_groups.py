"""Channels in groups that are filtered side by side: channels do not wait for each other, products of matrices do.

Measured: two threads with half the channels each are quicker than one stream whose products are shared out, as copying
and thin products run on one core there.

Invariant: the groups cover each row once, in order, and none is larger than the first.
"""

from __future__ import annotations

from jaxscope.side_by_side import n_threads

#: samples below which one stream is quicker
LEAST_SAMPLES = 1 << 20


#: groups for each thread where a group costs nothing by itself: a core that is held up takes fewer of them
ROUNDS = 4
#: halos from which a stretch of time hardly notices its own
MANY_HALOS = 16


def rounds_of(n_samples: int) -> int:
    """Return how many shares each thread may have of ``n_samples`` of all channels, none of them being short.

    Examples
    --------
    >>> [rounds_of(n) for n in (1 << 20, 1 << 23, 1 << 26)]
    [1, 2, 4]
    """
    return min(max(n_samples // max(4 * LEAST_SAMPLES, 1), 1), ROUNDS)


def stretch_count(n_samples: int, halo: int, cores: int) -> int:
    """Return in how many stretches of time samples go to ``cores``: several for each that hardly notice their halo.

    Examples
    --------
    >>> [stretch_count(1 << 24, halo, 2) for halo in (1000, 200_000, 4_000_000)]
    [8, 4, 2]
    """
    return cores * min(max(n_samples // max(MANY_HALOS * halo * cores, 1), 1), rounds_of(n_samples))


def row_groups(n_rows: int, at_once: int, n_samples: int, rounds: int = 1) -> list[slice]:
    """Cut rows into groups of at most ``at_once``, ``rounds`` for each thread where there are ``n_samples`` enough.

    Examples
    --------
    >>> row_groups(5, 2, 0)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    wanted = -(-n_rows // max(at_once, 1))
    if n_samples >= LEAST_SAMPLES:
        shares = n_threads() * rounds
        wanted = min(-(-wanted // shares) * shares, n_rows)
    size = -(-n_rows // max(wanted, 1)) or 1
    return [slice(first, min(first + size, n_rows)) for first in range(0, n_rows, size)] or [slice(0, 0)]
