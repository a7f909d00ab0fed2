"""Work in shares that run side by side: on the threads that the whole program has for this, one a core.

NumPy and jax let other threads run while they work on arrays, so shares of one array take turns with nobody. Nothing
that may wait for a drive belongs here: a share that never ends would keep all others waiting.

Invariant: a share never waits for other shares, for they may stand in the same queue.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Share = TypeVar("Share")
Result = TypeVar("Result")

#: beyond this many cores memory is the limit
MOST_THREADS = 8

_LOCK = threading.Lock()
_pools: list[ThreadPoolExecutor] = []


def n_threads() -> int:
    """Return how many shares may run at once on this machine."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux alone has it
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return min(cores, MOST_THREADS)


def side_by_side(function: Callable[[Share], Result], shares: Sequence[Share]) -> list[Result]:
    """Return ``function`` of every share, in order; the first failure is raised when all have ended."""
    with _LOCK:
        if not _pools:
            _pools.append(ThreadPoolExecutor(n_threads(), thread_name_prefix="share"))
        pool = _pools[0]
    futures: list[Future[Result]] = [pool.submit(function, own) for own in shares]
    failures = [failure for failure in (future.exception() for future in futures) if failure is not None]
    if failures:
        raise failures[0]
    return [future.result() for future in futures]
