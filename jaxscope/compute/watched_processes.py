"""Processes that do one thing each and tell what came of it; one that dies is noticed at once, however early.

Each has a line of its own to the process that made it. A line breaks with the process at its other end, also while that
one is still starting, so nobody has to be asked whether it lives.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from time import monotonic
from typing import Generic, TypeVar

from jaxscope.interruption import keep_tracker, signals_held, take_signals

A = TypeVar("A")
T = TypeVar("T")

#: seconds in which processes that are told to end may tidy up
ORDERLY_S = 2.0


@dataclass(frozen=True, slots=True)
class Died:
    """What came of a process that ended before it told anything."""


@dataclass(frozen=True, slots=True)
class _Unforeseen:
    """An error that the work doesn't know of, as text: not every error can be sent."""

    text: str


def _work_and_tell(line: Connection, work: Callable[[A], T]) -> None:
    take_signals()
    try:
        outcome: T | _Unforeseen = work(line.recv())
    except Exception:  # noqa: BLE001  (raised again where it is told)
        outcome = _Unforeseen(traceback.format_exc())
    line.send(outcome)


class WatchedProcesses(Generic[A, T]):
    """One process for each argument; a context that ends those that still run.

    Parameters
    ----------
    work : function of a module
        Called with its argument in a new process.
    arguments : sequence
        What can be pickled, one for each process.
    """

    def __init__(self, work: Callable[[A], T], arguments: Sequence[A]) -> None:
        self._work, self._arguments = work, tuple(arguments)
        self._processes: list[SpawnProcess] = []
        self._lines: list[Connection] = []

    def __enter__(self) -> WatchedProcesses[A, T]:
        keep_tracker()
        context = get_context("spawn")
        try:
            for _ in self._arguments:
                own, far = context.Pipe()
                self._lines.append(own)
                with far, signals_held():
                    process = context.Process(target=_work_and_tell, args=(far, self._work), daemon=True)
                    process.start()
                    self._processes.append(process)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *failure: object) -> None:
        for line in self._lines:
            line.close()
        self.end()

    def end(self) -> None:
        """End those that run: one that waits for another, which has gone, would do so for minutes and hears nothing."""
        for process in self._processes:
            process.terminate()
        moment = monotonic() + ORDERLY_S
        for process in self._processes:
            process.join(max(0.0, moment - monotonic()))
            if process.is_alive():
                process.kill()
                process.join()

    def outcomes(self, look_s: float) -> Iterator[list[T | Died]]:
        """Yield what was told since the last look, at least every ``look_s`` seconds, until all have told or died.

        Raises
        ------
        RuntimeError
            Where the work raised; with the text of it.
        """
        told = [self._sent(line, argument) for line, argument in zip(self._lines, self._arguments, strict=True)]
        waiting: list[Connection] = [line for line, is_sent in zip(self._lines, told, strict=True) if is_sent]
        dead: list[T | Died] = [Died() for is_sent in told if not is_sent]
        if dead:
            yield dead
        while waiting:
            found = wait(waiting, look_s)
            ready = [line for line in waiting if line in found]
            waiting = [line for line in waiting if line not in ready]
            yield [self._received(line) for line in ready]

    @staticmethod
    def _sent(line: Connection, argument: A) -> bool:
        try:
            line.send(argument)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    @staticmethod
    def _received(line: Connection) -> T | Died:
        try:
            outcome = line.recv()
        except (EOFError, ConnectionResetError):
            return Died()
        if isinstance(outcome, _Unforeseen):
            raise RuntimeError(outcome.text)
        return outcome  # type: ignore[no-any-return]  # what a line brings is what the work returned
