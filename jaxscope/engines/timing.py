"""Timing that is fair on a noisy machine: the contenders take turns, and each is judged by its median."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any


def medians(
    contenders: Mapping[str, Callable[[], Any]], *, budget_s: float, least: int = 3, most: int = 15
) -> dict[str, float]:
    """Return the median time in seconds of each contender.

    Each is called once before (compilation, first touch of memory), which is part of the budget; then all in turn until
    ``most`` rounds are done or the budget is spent, but at least ``least`` rounds, or one where even twice the budget
    is spent.
    """
    begun = time.perf_counter()
    for function in contenders.values():
        function()
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(most):
        spent_s = time.perf_counter() - begun
        if spent_s > budget_s and (number >= least or (number > 0 and spent_s > 2 * budget_s)):
            break
        for name, function in contenders.items():
            begin = time.perf_counter()
            function()
            taken[name].append(time.perf_counter() - begin)
    return {name: statistics.median(times) for name, times in taken.items()}


def quickest_in_turn(
    contenders: Mapping[str, Callable[[], Any]], *, budget_s: float, least: int = 3
) -> dict[str, float]:
    """Return the quickest time in seconds of each contender, in turn for about ``budget_s``; for close comparisons.

    Each is called once before, which is not counted.
    """
    for function in contenders.values():
        function()
    best = dict.fromkeys(contenders, float("inf"))
    begun, rounds = time.perf_counter(), 0
    while rounds < least or time.perf_counter() - begun < budget_s:
        for name, function in contenders.items():
            begin = time.perf_counter()
            function()
            best[name] = min(best[name], time.perf_counter() - begin)
        rounds += 1
    return best
