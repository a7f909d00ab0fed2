"""A small part of the soak: a case of every thirtieth structure, always the same ones."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "soak.py"


@pytest.fixture(scope="module", name="soak")
def soak_fixture() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("soak", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["soak"] = module  # dataclasses look themselves up
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules["soak"]


def test_some_cases_equal_the_oracle(soak: ModuleType) -> None:
    numbers = range(0, soak.N_STRUCTURES * soak.CASES_OF_ONE, 30 * soak.CASES_OF_ONE)
    assert [failure for failure in map(soak.failure_of, numbers) if failure] == []


def test_a_wrong_result_is_seen(soak: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    real = soak.make_program

    class Off:
        def __init__(self, program) -> None:
            self._program, self.is_causal, self.reason = program, False, program.reason

        def run(self, x):
            return self._program.run(x) * 1.001 + 1e-3

    def make(designs, **wishes):
        program = real(designs, **wishes)
        return program if wishes["method"] == "scipy" else Off(program)

    monkeypatch.setattr(soak, "make_program", make)
    failures = [soak.failure_of(number) for number in range(4)]
    assert any(failure and "error" in failure for failure in failures)
