"""What a rate means that is given for a file, and a channel that the file does not have, whatever the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from jaxscope.readers import open_recording

NOISE = np.random.default_rng(8).standard_normal((2, 50)) / 8


@pytest.fixture(params=[".wav", ".flac", ".npz", ".csv", ".edf", ".bdf"])
def path(request: pytest.FixtureRequest, tmp_path: Path, plain_edf: Any, plain_bdf: Any) -> Path:
    path = tmp_path / f"x{request.param}"
    rows = [f"{index / 100:.2f},{a!r},{b!r}" for index, (a, b) in enumerate(NOISE.T.tolist())]
    writers: dict[str, Callable[[], Any]] = {
        ".wav": lambda: soundfile.write(path, NOISE.T, 100),
        ".flac": lambda: soundfile.write(path, NOISE.T, 100),
        ".npz": lambda: np.savez(path, a=NOISE[0], b=NOISE[1], rate_hz=100.0),
        ".csv": lambda: path.write_text("\n".join(["time_s,a,b", *rows])),
        ".edf": lambda: path.write_bytes(plain_edf.to_bytes()),
        ".bdf": lambda: path.write_bytes(plain_bdf.to_bytes()),
    }
    writers[request.param]()
    return path


def test_the_rate_of_the_file_wins_and_is_told_once(path: Path) -> None:
    with open_recording(path) as plain, open_recording(path, rate_hz=123.0) as recording:
        assert [channel.rate_hz for channel in recording.info.channels] == [
            channel.rate_hz for channel in plain.info.channels
        ]
        assert recording.info.duration_s == plain.info.duration_s
        assert not any("as given" in warning for warning in plain.info.warnings)
        assert sum("123 Hz, as given" in warning for warning in recording.info.warnings) == 1


def test_a_channel_that_is_not_there_is_an_error(path: Path) -> None:
    with open_recording(path) as recording:
        for index in (-1, len(recording.info.channels)):
            with pytest.raises(IndexError, match="no channel"):
                recording.read(0, 1, [index])
