"""A process that dies is noticed at once, whenever that happens, and others are ended with it."""

from __future__ import annotations

import os
import signal
import sys
import time
from multiprocessing import active_children
from multiprocessing.connection import Connection
from typing import Any

import pytest

from jaxscope.compute import watched_processes
from jaxscope.compute.watched_processes import Died, WatchedProcesses


def doubled(number: int) -> int:
    return 2 * number


def failing(number: int) -> int:
    raise LookupError(f"no such number: {number}")


def waiting_for_ever(number: int) -> int:
    time.sleep(3600.0)
    return number


def kill_self(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return waiting_for_ever(number)


def test_each_tells_what_came_of_its_argument() -> None:
    told: list[int | Died] = []
    with WatchedProcesses(doubled, [1, 2, 3]) as processes:
        for outcomes in processes.outcomes(0.1):
            told += outcomes
    assert sorted(told) == [2, 4, 6]
    assert not active_children()


def test_all_are_waited_for_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[int] = []
    real = watched_processes.wait

    def counted(lines: list[Connection], timeout: float) -> list[Any]:
        waits.append(len(lines))
        return real(lines, timeout)

    monkeypatch.setattr(watched_processes, "wait", counted)
    with WatchedProcesses(waiting_for_ever, [1, 2, 3]) as processes:
        outcomes = processes.outcomes(0.01)
        assert [next(outcomes) for _ in range(4)] == [[]] * 4
    assert waits == [3] * 4


def test_an_error_that_nobody_foresaw_is_raised_with_its_text() -> None:
    with WatchedProcesses(failing, [7]) as processes, pytest.raises(RuntimeError, match="no such number: 7"):
        list(processes.outcomes(0.1))
    assert not active_children()


def test_an_argument_longer_than_a_pipe_holds_arrives() -> None:
    with WatchedProcesses(len, ["x" * 1_000_000]) as processes:
        assert [outcome for outcomes in processes.outcomes(0.1) for outcome in outcomes] == [1_000_000]


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_one_that_dies_at_its_work_is_noticed_while_another_waits() -> None:
    with WatchedProcesses(kill_self, [0, 1]) as processes:
        assert next(outcomes for outcomes in processes.outcomes(0.1) if outcomes) == [Died()]
    assert not active_children()


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("words", ["x", "x" * 1_000_000])
def test_one_that_dies_as_it_starts_is_noticed(number: int, words: str) -> None:
    with WatchedProcesses(_sleep_on, [words, words]) as processes:
        child = sorted(process.pid or 0 for process in active_children())[number]
        os.kill(child, signal.SIGKILL)
        assert next(outcomes for outcomes in processes.outcomes(0.1) if outcomes) == [Died()]
    assert not active_children()


def _sleep_on(words: str) -> None:
    waiting_for_ever(len(words))
