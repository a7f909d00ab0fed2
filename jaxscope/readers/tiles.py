"""Parts of a block, made into values side by side, and samples that are turned from columns into rows.

While the bytes of one part are made into values the next ones come from the drive. Each part is small enough to stay
in the cache of a core from its bytes to its values, and rows of a part are long, as short ones cost more in turning to
the next one than they save (measured: 4096 samples and more).

Invariant: parts are begun in order, so a file is read from its begin to its end; each gives the same as by itself.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray
from jaxscope.side_by_side import n_threads

Part = TypeVar("Part")
Fetched = TypeVar("Fetched")

#: Values below which one thread has them made before another has begun.
LEAST_VALUES = 1 << 19
#: More threads wait for memory.
MOST_THREADS = 4
#: Bytes of the numbers that columns are turned by: several samples at a time.
_WIDE = np.dtype("u8")


def each_part(
    parts: Sequence[Part], n_values: int, fetch: Callable[[Part], Fetched], make: Callable[[Part, Fetched], None]
) -> None:
    """Fetch the bytes of every part, of ``n_values`` together, and make values of them; side by side where it pays.

    Parts are fetched in order, one at a time: read in two places at once, a file comes half as fast from its drive, as
    the system reads ahead in one. Meanwhile those that are fetched are made. The thread that calls works as well, and
    those that help it help nobody else until it ends: a drive may never answer, and then nobody but the reading must
    wait for it. The first failure is raised, and no part is begun after it. NaNs and absurd gains are no failures.
    """
    waiting = deque(parts)
    order = threading.Lock()

    def work_off() -> None:
        # Some NaNs, cast to float64, raise a flag that means nothing here, and absurd gains make infinities.
        with np.errstate(invalid="ignore", over="ignore"):
            try:
                while True:
                    with order:
                        if not waiting:
                            return
                        part = waiting.popleft()
                        fetched = fetch(part)
                    make(part, fetched)
            except BaseException:
                waiting.clear()
                raise

    _with_helpers(work_off, min(n_threads(), MOST_THREADS, len(parts)) - 1 if n_values >= LEAST_VALUES else 0)


class _Helper:
    """A thread that works along with readings, one after the other, and is nobody's while it waits."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        threading.Thread(target=self._work, name="reads-along", daemon=True).start()

    def begin(self, work: Callable[[], None]) -> Future[None]:
        """Have it work; return what tells that it has ended, and how."""
        ended: Future[None] = Future()

        def job() -> None:
            failure: BaseException | None = None
            try:
                work()
            except BaseException as error:  # noqa: BLE001  (raised by the thread that is helped)
                failure = error
            _idle.append(self)  # before anybody is told, who may want it again
            ended.set_exception(failure)

        self._jobs.put(job)
        return ended

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            job()
            del job  # what it has read is not held until the next one


#: those that wait; one that stands before a drive that never answers is none of them
_idle: list[_Helper] = []
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_idle.clear)


def _with_helpers(work: Callable[[], None], n_helpers: int) -> None:
    """Work on this thread and on others; raise the first failure when all have ended."""
    begun: list[Future[None]] = []
    try:
        for _ in range(n_helpers):
            try:
                helper = _idle.pop()
            except IndexError:
                try:
                    helper = _Helper()
                except RuntimeError:  # the system gives no more threads: those that are there have it all to do
                    break
            begun.append(helper.begin(work))
        work()
    finally:
        failures = [failure for failure in (ended.exception() for ended in begun) if failure is not None]
    if failures:
        raise failures[0]


def turn(raw: npt.NDArray[np.uint8], dtype: np.dtype[Any], offset: int, step_bytes: int, into: FloatArray) -> None:
    """Make values of samples that lie side by side, those of the next moment ``step_bytes`` further on.

    Parameters
    ----------
    raw : ndarray of uint8, shape (n_bytes,)
    dtype : dtype
    offset : int
        Where the first sample of the first row begins.
    step_bytes : int
    into : ndarray of float64, shape (n_rows, n_samples)
    """
    turn_table(np.ndarray(into.shape[::-1], dtype, raw.data, offset, (step_bytes, dtype.itemsize)), into)


def turn_table(table: npt.NDArray[Any], into: FloatArray) -> None:
    """Make values of a table of shape (n_samples, n_rows) whose samples of a moment lie side by side."""
    if table.strides[1] != table.itemsize or into.shape[0] == 1:
        into[...] = table.T
        return
    cut, n_wide = _wide_columns(table)
    for number in range(n_wide):
        into[number : n_wide * len(cut) : n_wide] = cut[:, :, number]
    rest = into[n_wide * len(cut) :]
    rest[...] = table[:, n_wide * len(cut) :].T


def near_columns(table: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    """Return the columns of a table of narrow numbers whose rows are contiguous; what one holds lies close together.

    Parameters
    ----------
    table : ndarray, shape (n_samples, n_columns)

    Returns
    -------
    list of ndarray, each of shape (n_samples,)
    """
    cut, n_wide = _wide_columns(table)
    n_near = n_wide * len(cut)
    near = [cut[column // n_wide, :, column % n_wide] for column in range(n_near)]
    return near + [table[:, column] for column in range(n_near, table.shape[1])]


def _wide_columns(table: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int]:
    """Return columns some at a time, shape (n_times, n_samples, n_wide), and how many these are; the rest is left.

    Several narrow samples are moved as one wide number and cut apart in the cache: fewer and longer steps.
    """
    n_samples, n_columns = table.shape
    n_wide = _WIDE.itemsize // table.itemsize
    n_times = n_columns // n_wide if n_wide > 1 else 0
    wide = table[:, : n_times * n_wide].view(_WIDE) if n_times else np.empty((n_samples, 0), dtype=_WIDE)
    turned = np.ascontiguousarray(wide.T)
    return turned.view(table.dtype).reshape(n_times, n_samples, n_wide), n_wide


def turn24(raw: npt.NDArray[np.uint8], offset: int, step_bytes: int, into: FloatArray) -> None:
    """Do as ``turn`` does with little-endian integers of three bytes.

    Read with the byte before it, a sample is the upper three bytes of an integer, and a shift keeps its sign.
    """
    n_rows, n_samples = into.shape
    values = np.empty(into.shape, dtype=np.int32)
    begin, places = offset - 1, (3, step_bytes)
    if begin >= 0:
        values[...] = np.ndarray(into.shape, "<i4", raw.data, begin, places)
    else:  # there is no byte before the very first sample
        values[0, 0] = int.from_bytes(raw[:3].tobytes(), "little", signed=True) << 8
        if n_samples > 1:
            values[0, 1:] = np.ndarray((n_samples - 1,), "<i4", raw.data, begin + step_bytes, (step_bytes,))
        if n_rows > 1:
            values[1:] = np.ndarray((n_rows - 1, n_samples), "<i4", raw.data, begin + 3, places)
    values >>= 8
    into[...] = values
