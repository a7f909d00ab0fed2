"""Exported code is really run on the view: the same numbers, a broken export, and what cannot be run here."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from jaxscope.compute import code_check, code_runners
from jaxscope.compute.code_check import CodeCheck
from jaxscope.compute.code_frames import CodeChecked
from jaxscope.compute.code_runners import RUNNERS, CodeRunError, Plan, run_code
from jaxscope.compute.conductor import Conductor
from jaxscope.compute.frames import Failure, Opened
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session import actions as act
from jaxscope.session.state import RecordingRef
from jaxscope.session.store import Store

STAGES = (Stage(spec=Butterworth(order=4, cutoff_hz=20.0)), Stage(spec=Butterworth(band="highpass", cutoff_hz=1.0)))
CHAIN = FilterChain(channels=("a", "c"), phase="zero", stages=STAGES)
TOOLS = {"c": "gcc", "c_header": "gcc", "matlab": "octave"}


@pytest.fixture
def check(tmp_path):
    """Return a function that checks an export of a chain on one second of a recording at 100 Hz."""
    x = 100 * np.random.default_rng(0).standard_normal((3, 3000)) + 40
    x[0, 150] = np.nan
    path = str(tmp_path / "noise.npz")
    np.savez(path, a=x[0], b=x[1], c=x[2], rate_hz=100.0)
    store, got = Store(), []
    conductor = Conductor(store, got.append, run_inline=True)
    conductor.open(path)
    opened = next(outcome for outcome in got if isinstance(outcome, Opened))
    store.dispatch(act.OpenedRecording(recording=RecordingRef(path=path), duration_s=opened.info.duration_s))

    def run(target, chain=CHAIN, *, start_s=20.0, used=None):
        store.dispatch(act.SetChains(chains=(used or chain,)))
        store.dispatch(act.LookAt(start_s=start_s, duration_s=1.0))
        job = conductor.export(CodeCheck(target=target, chain=chain, rate_hz=100.0))
        assert not any(isinstance(outcome, Failure) for outcome in got)
        (found,) = [one for one in got if isinstance(one, CodeChecked) and one.job == job]
        return found

    yield run
    conductor.shut_down()


@pytest.mark.parametrize("target", RUNNERS)
def test_the_code_gives_the_numbers_of_the_screen(check, target):
    if target in TOOLS and shutil.which(TOOLS[target]) is None:
        pytest.skip(f"needs {TOOLS[target]}")
    found = check(target, FilterChain(channels=("c",), phase="zero", stages=STAGES))
    assert found.is_same, found
    assert found.channels == ("c",)
    assert found.seconds == 1.0
    assert 50 < found.peak < 500
    assert found.difference < 1e-9 * found.peak


def test_code_of_another_filter_is_told(check, monkeypatch):
    chain = FilterChain(channels=("c",), phase="causal", stages=STAGES)
    assert check("python", chain).is_same
    plain = code_check.exported
    monkeypatch.setattr(
        code_check, "exported", lambda *of: plain(*of).replace(b"    return y\n", b"    return y * 1.01\n")
    )
    found = check("python", chain)
    assert found.is_same is False
    assert found.difference == pytest.approx(0.01 * found.peak)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"def apply(x):\n    raise ValueError('no such thing')\n", "ValueError: no such thing"),
        (b"def apply(x):\n    return x[:, :5]\n", "it gave 5 samples"),
        (b"def apply(x):\n    return x * float('nan')\n", ""),
    ],
)
def test_code_that_breaks_is_told(check, text, words, monkeypatch):
    monkeypatch.setattr(code_check, "exported", lambda *_of: text)
    found = check("python", FilterChain(channels=("c",), stages=STAGES))
    assert not found.is_same
    assert words in found.problem
    assert found.problem or found.difference == np.inf


def test_what_was_not_run_is_not_claimed(check, monkeypatch):
    one = FilterChain(channels=("c",), stages=STAGES)
    assert "samples are missing" in check("python", FilterChain(channels=("a",), stages=STAGES), start_s=1.0).unchecked
    assert "no channel in the view" in check("python", one, used=FilterChain(channels=("c",))).unchecked
    monkeypatch.setattr(code_runners.shutil, "which", lambda _name: None)
    for target, words in (("c", "no C compiler"), ("matlab", "Octave")):
        found = check(target, one)
        assert found.is_same is None
        assert words in found.unchecked
    monkeypatch.setattr(code_check, "MOST_VALUES", 10)
    assert "decide what it shows" in check("python", one).unchecked


def test_a_run_that_takes_too_long_is_ended_and_so_is_one_that_is_given_up(monkeypatch):
    plan = RUNNERS["python"](1, 4)
    assert isinstance(plan, Plan)
    text, x = "import time\ntime.sleep(60)\n", np.zeros((1, 4))
    with pytest.raises(CodeRunError, match="too long"):
        list(run_code(plan, text, x, most_s=0.05))
    started = []
    popen = code_runners.subprocess.Popen
    monkeypatch.setattr(
        code_runners.subprocess, "Popen", lambda *of, **how: started.append(popen(*of, **how)) or started[-1]
    )
    steps = run_code(plan, text, x)
    next(steps)
    steps.close()
    assert started[0].returncode not in (None, 0)
