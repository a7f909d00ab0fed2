"""How a device is named on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxscope.cli import run


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    chain, table = tmp_path / "chain.json", tmp_path / "a.csv"
    chain.write_text('{"format": "jaxscope-chain", "version": 1, "stages": [{"family": "gain", "gain": 2}]}')
    table.write_text("time,a\n" + "".join(f"{n / 100},{n % 7}\n" for n in range(40)))
    return ["filter", str(table), "-o", str(tmp_path / "b.csv"), "--chain", str(chain), "--json"]


@pytest.mark.parametrize(
    ("told", "used"),
    [
        (["--device", "1"], "cpu:1"),
        (["--device", "cpu:1"], "cpu:1"),
        (["--device", "cpu"], "cpu:0"),
        (["--backend", "cpu", "--device", "1"], "cpu:1"),
        (["--backend", "cpu"], "cpu:0"),
        ([], "cpu:0"),
    ],
)
def test_a_device_is_named_by_number_by_backend_or_by_both(
    told: list[str], used: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, *told]) == 0
    assert json.loads(capsys.readouterr().out)["outputs"][0]["device"] == used


@pytest.mark.parametrize(("told", "said"), [("tpu", "tpu cannot be used"), ("cpu:x", "'x' in device 'cpu:x'")])
def test_a_device_that_cannot_be_used_is_told_as_it_was_named(
    told: str, said: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, "--device", told]) == 5
    assert capsys.readouterr().err.startswith(f"jaxscope: {said}")
