"""Files filtered by the workers of a cluster of dask.distributed, one that exists or one on this machine.

A worker gets plain values and gives plain values back; it opens the paths itself, so they must be the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import Any

from jaxscope.errors import UsageError, WriteError

#: In place of an address: a cluster of this machine, as large as ``--jobs``.
LOCAL = "local"
_SECONDS = 10


def run_on_cluster(
    address: str, work: Callable[[Any], Any], jobs: Sequence[Any], n_local: int
) -> Iterator[tuple[Any, Any]]:
    """Yield (job, what ``work`` returned) as they end.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``"tcp://10.0.0.1:8786"``, or ``"local"``.
    work : callable
        Takes a job; both must pickle.
    jobs : sequence
    n_local : int
        Workers of a local cluster.

    Raises
    ------
    UsageError
        Where dask.distributed is not installed, or no scheduler answers.
    """
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        raise UsageError(
            "--scheduler needs dask.distributed, which is not installed",
            hint='install it with pip install "jaxscope[cluster]", or use --jobs',
        ) from error
    with ExitStack() as stack:
        try:
            if address == LOCAL:
                cluster = distributed.LocalCluster(n_workers=n_local, threads_per_worker=1, dashboard_address=None)
                address = stack.enter_context(cluster)
            client = stack.enter_context(distributed.Client(address, timeout=_SECONDS))
        except (OSError, TimeoutError, ValueError) as error:
            raise UsageError(
                f"no scheduler answers at {address}", hint="check the address, or use --scheduler local"
            ) from error
        futures = {client.submit(work, job, pure=False): job for job in jobs}
        for future in distributed.as_completed(futures):
            try:
                outcome = future.result()
            except Exception as error:  # noqa: BLE001  (a worker that died, or a bug there: the other files go on)
                what = " ".join(f"{type(error).__name__}: {error}".split())
                outcome = WriteError(f"a worker of the cluster failed ({what})", hint="filter this file by itself")
            yield futures[future], outcome
