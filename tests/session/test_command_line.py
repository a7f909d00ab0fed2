"""The window as a line for a terminal: it says the same and gives the same numbers."""

from __future__ import annotations

import shlex
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from jaxscope.cli.run import run
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.session.command_line import filter_command
from jaxscope.session.state import Document, EngineChoice, RecordingRef, SessionState

CHAIN = FilterChain(name="It's", channels=("a*",), phase="zero", stages=(Stage(spec=FAMILIES["butterworth"]()),))
STATE = SessionState(document=Document(chains=(CHAIN,)))


def test_what_is_usual_is_left_out_and_names_are_quoted() -> None:
    line = filter_command(STATE, "my night.edf", "out.edf", channels=("a", "b c"), start_s=1.5)
    words = shlex.split(line)
    assert words[:5] == ["jaxscope", "filter", "my night.edf", "-o", "out.edf"]
    assert words[6].startswith('{"format":"jaxscope-chain","version":1,"name":"It\'s","channels":["a*"],"phase":"zero"')
    assert "gaps" not in words[6]
    assert words[7:] == ["--channels", "a,b c", "--start", "1.5"]
    left_out = replace(STATE, document=replace(STATE.document, bad_spans="exclude"))
    assert shlex.split(filter_command(left_out, "a", "b"))[-2:] == ["--bad-spans", "exclude"]
    other = replace(STATE, engine=EngineChoice(device="gpu:1", precision="float32", method="scan"))
    assert shlex.split(filter_command(other, "a", "b", project="p.jaxscope"))[5:] == [
        "--project", "p.jaxscope", "--backend", "gpu", "--device", "1", "--precision", "float32", "--method", "scan",
    ]  # fmt: skip


def test_times_and_rates_keep_all_their_digits() -> None:
    start_s, rate_hz = 123456.78903333, 29999.999837
    recording = RecordingRef(path="a", rate_hz=rate_hz)
    state = replace(STATE, document=replace(STATE.document, recording=recording))
    words = shlex.split(filter_command(state, "a", "b", start_s=start_s, stop_s=2e5))
    told = dict(pairwise(words))
    assert (float(told["--start"]), told["--stop"], float(told["--rate"])) == (start_s, "200000", rate_hz)


@pytest.mark.parametrize("project", ["", "p.jaxscope"])
def test_what_was_told_of_the_file_is_told_again(project: str) -> None:
    # a project lends it to its own recording alone, and the line names a file
    recording = RecordingRef(path="a.raw", rate_hz=500.0, options=(("format", "raw"), ("names", "left ear,b")))
    state = replace(STATE, document=replace(STATE.document, recording=recording))
    words = shlex.split(filter_command(state, "a.raw", "b.edf", project=project))
    assert words[-6:] == ["--rate", "500", "--option", "format=raw", "--option", "names=left ear,b"]
    assert "--option" not in shlex.split(filter_command(state, "other.raw", "b.edf", project=project))


@pytest.mark.parametrize("on", [True, False])
def test_the_line_runs(on: bool, tmp_path: Path) -> None:
    x = np.random.default_rng(1).normal(size=(2, 512))
    np.savez(tmp_path / "x.npz", a1=x[0], b=x[1], rate_hz=256.0)
    state = replace(STATE, document=replace(STATE.document, filter_on=on))
    line = filter_command(state, str(tmp_path / "x.npz"), str(tmp_path / "y.npy"))
    assert run(shlex.split(line)[1:]) == 0
    y = np.load(tmp_path / "y.npy")
    assert np.array_equal(y[1], x[1])
    assert np.array_equal(y[0], x[0]) is not on
