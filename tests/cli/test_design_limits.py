"""``jaxscope design --limits``: the verdict on each band, as keys and in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxscope.cli import run

LIMITS = [
    {"kind": "pass", "high_hz": 30, "level_db": 1},
    {"kind": "stop", "low_hz": 60, "level_db": 80},
    {"kind": "stop", "low_hz": 900, "level_db": 80},
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    stage = {"family": "butterworth", "band": "lowpass", "order": 4, "cutoff_hz": 40}
    chain, limits = tmp_path / "c.json", tmp_path / "l.json"
    chain.write_text(json.dumps({"format": "jaxscope-chain", "version": 1, "phase": "zero", "stages": [stage]}))
    limits.write_text(json.dumps({"format": "jaxscope-limits", "version": 1, "limits": LIMITS}))
    return str(chain), str(limits)


def test_each_limit_has_its_verdict(files, capsys) -> None:
    chain, limits = files
    assert run(["design", chain, "--rate", "512", "--limits", limits, "--json"]) == 0
    kept, failed, absent = json.loads(capsys.readouterr().out)["limits"]
    assert (kept["is_kept"], failed["is_kept"], absent["is_kept"]) == (True, False, None)
    assert failed["excess_db"] == pytest.approx(49.7277, abs=1e-3)
    assert failed["at_hz"] == pytest.approx(60.0)
    assert failed["verdict"] == "stop band: 49.7 dB too little at 60 Hz"
    assert run(["design", chain, "--rate", "512", "--limits", limits]) == 0
    assert "stop band: not below half the rate" in capsys.readouterr().out


def test_without_limits_there_is_no_such_key_and_a_wrong_file_is_exit_4(files, capsys) -> None:
    chain, _ = files
    assert run(["design", chain, "--rate", "512", "--json"]) == 0
    assert "limits" not in json.loads(capsys.readouterr().out)
    assert run(["design", chain, "--rate", "512", "--limits", chain]) == 4
    assert "is not a file of limits" in capsys.readouterr().err
