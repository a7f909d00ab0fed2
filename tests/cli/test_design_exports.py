"""``design --export`` into files: text and the compiled program; nothing is replaced unasked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxscope.cli.run import run
from jaxscope.compute.code_export import SUFFIXES

CHAIN = {"format": "jaxscope-chain", "version": 1, "stages": [{"family": "butterworth", "cutoff_hz": 40.0}]}


@pytest.fixture
def chain(tmp_path: Path) -> str:
    (tmp_path / "c.json").write_text(json.dumps(CHAIN))
    return str(tmp_path / "c.json")


@pytest.mark.parametrize("target", SUFFIXES)
def test_every_export_is_written_into_a_file(target: str, chain: str, tmp_path: Path) -> None:
    path = tmp_path / f"out{SUFFIXES[target]}"
    arguments = ("design", chain, "--rate", "256", "--export", target, "-o", str(path), "--samples", "100")
    assert run(arguments) == 0
    content = path.read_bytes()
    assert (
        content[:4] == b"ML\xefR"
        if target == "stablehlo"
        else "sampled at 256 Hz" in " ".join(content.decode().split())
    )
    assert run(arguments) == 3
    assert path.read_bytes() == content
    assert run((*arguments, "--overwrite", "--json")) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--export", "stablehlo"), "stablehlo is not text"),
        (("-o", "x.py"), "-o names a file for an export"),
        (("--export", "pyton"), 'did you mean "python"'),
    ],
)
def test_what_makes_no_sense_is_told(arguments, words, chain: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(("design", chain, "--rate", "256", *arguments)) == 2
    assert words in capsys.readouterr().err


def test_of_hundreds_of_edges_the_first_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comb = {**CHAIN, "stages": [{"family": "comb", "frequency_hz": 10.0, "q": 30.0}]}
    (tmp_path / "comb.json").write_text(json.dumps(comb))
    assert run(("design", str(tmp_path / "comb.json"), "--rate", "1000")) == 0
    (listed,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("−3 dB at"))
    assert listed.startswith("−3 dB at 0.166")
    assert listed.count(",") == 11
    assert listed.endswith("Hz and 88 more")
