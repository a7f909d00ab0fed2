"""The demonstration on a file of one's own: what suits it is filtered and turned, what is missing is said."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.errors import ReadError
from jaxscope.gui.app import run_demo


def written(folder, rate_hz, name="own.npz"):
    path = folder / name
    x = np.random.default_rng(0).standard_normal((2, 4000))
    np.savez(path, x=x, **({} if rate_hz is None else {"rate_hz": rate_hz}))
    return str(path)


def test_a_slow_recording_is_filtered_by_what_suits_its_rate(qapp, tmp_path):
    target = tmp_path / "drawn.png"
    told = run_demo(file=written(tmp_path, 0.5), screenshot=str(target), size=(1100, 700))
    assert (told["channels"], told["rate_hz"], told["chain"]) == (2, 0.5, "High-pass, Low-pass")
    assert told["rms_after"] < told["rms_before"]
    assert target.read_bytes().startswith(b"\x89PNG")


def test_what_fits_the_rate_is_turned(qapp, tmp_path):
    told = run_demo(file=written(tmp_path, 60.0), size=(1100, 700))
    assert told["chain"] == "High-pass, Low-pass"  # the notch at 50 Hz is off
    assert told["knob_to_frame_ms"]["p50"] > 0
    assert told["rms_before"] == pytest.approx(1.0, rel=0.2)


def test_a_file_without_a_rate_says_so_at_once_and_opens_with_one(qapp, tmp_path):
    path = written(tmp_path, None)
    with pytest.raises(ReadError, match="does not tell its sampling rate"):
        run_demo(file=path, size=(1100, 700))
    told = run_demo(file=path, rate_hz=250.0, size=(1100, 700))
    assert told["rate_hz"] == 250.0
    assert told["rms_after"] < told["rms_before"]


def test_a_file_that_cannot_be_read_is_named(qapp, tmp_path):
    path = tmp_path / "broken.edf"
    path.write_bytes(b"0       broken")
    with pytest.raises(ReadError, match=r"broken\.edf"):
        run_demo(file=str(path), size=(1100, 700))
