"""A peer that cannot be measured is told before anything is measured."""

from __future__ import annotations

import sys

import pytest

from jaxscope.cli import run
from jaxscope.compute import bench


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the scenes that are measured."""
    scenes: list[str] = []
    monkeypatch.setattr(bench, "run_scenes", lambda scene, **_: scenes.append(scene) or {"scenes": []})
    return scenes


def test_an_interpreter_that_cannot_be_run_is_told_first(measured, capsys, tmp_path):
    # one that is there, and is no program
    (tmp_path / "python").write_text("")
    assert run(["bench", "--scene", "view", "--peer-python", str(tmp_path / "python")]) == 2
    assert "the peer cannot be run" in capsys.readouterr().err
    assert measured == []


def test_an_interpreter_without_the_peer_is_told_first(measured, capsys, tmp_path, monkeypatch):
    # whatever this interpreter has, it does not have it in an isolated mode without its packages
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    assert run(["bench", "--scene", "view", "--peer-python", str(bare)]) == 2
    assert "install mne and mne-qt-browser there" in capsys.readouterr().err
    assert measured == []
