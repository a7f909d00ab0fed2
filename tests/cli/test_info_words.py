"""What info says to a person."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jaxscope.cli import run


def test_info_tells_how_a_rate_is_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 100)))
    assert run(("info", str(tmp_path / "x.npy"))) == 0
    told = capsys.readouterr().out
    assert "2 channels, of unknown length" in told
    assert "with --rate" in told
    assert run(("info", str(tmp_path / "x.npy"), "--rate", "50")) == 0
    assert "--rate" not in capsys.readouterr().out
