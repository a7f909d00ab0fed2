"""What a rate means that is given for a file, and a channel that the file does not have, whatever the format."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from jaxscope.readers import open_recording

NOISE = np.random.default_rng(8).standard_normal((2, 50)) / 8


def _wfdb(path: Path) -> None:
    path.write_text("x 2 100 50\nx.dat 16 200 16 0 0 0 0 a\nx.dat 16 200 16 0 0 0 0 b\n")
    path.with_suffix(".dat").write_bytes(np.arange(100, dtype="<i2").tobytes())


def _gdf(path: Path) -> None:
    head = b"GDF 1.25".ljust(168, b"\0") + b"2021030204050625" + struct.pack("<q", 512) + bytes(44)
    head += struct.pack("<qIII", 5, 1, 10, 1)
    signal = b"Fp1".ljust(96, b"\0") + b"uV".ljust(8, b"\0") + struct.pack("<ddqq", -1, 1, -100, 100)
    signal += bytes(80) + struct.pack("<II", 10, 3) + bytes(32)
    path.write_bytes(head + signal.ljust(256, b"\0") + np.arange(50, dtype="<i2").tobytes())


def _mseed(path: Path) -> None:
    records = b""
    for second in (0, 1):
        head = b"000001D STA  00BHZNE" + struct.pack(">HHBBBxH", 2020, 2, 12, 0, second, 0)
        head += struct.pack(">Hhh4B i HH", 100, 100, 1, 0, 0, 0, 1, 0, 64, 48) + struct.pack(
            ">HHBBBx", 1000, 0, 3, 1, 9
        )
        records += (head.ljust(64, b"\0") + np.arange(100).astype(">i4").tobytes()).ljust(512, b"\0")
    path.write_bytes(records)


def _tdms(path: Path) -> None:
    nptdms = pytest.importorskip("nptdms", reason="npTDMS is not installed (the extra formats)")
    with nptdms.TdmsWriter(str(path)) as writer:
        writer.write_segment(
            [nptdms.ChannelObject("g", name, NOISE[0], properties={"wf_increment": 0.01}) for name in "abc"]
        )


def _hdf5(path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed (the extra formats)")
    with h5py.File(path, "w") as file:
        for name, row in zip("ab", NOISE, strict=True):
            file[name] = row
            file[name].attrs["fs"] = 100.0


SUFFIXES = [".wav", ".flac", ".npz", ".csv", ".edf", ".bdf", ".hea", ".gdf", ".mseed", ".tdms", ".h5"]


@pytest.fixture(params=SUFFIXES)
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
        ".hea": lambda: _wfdb(path),
        ".gdf": lambda: _gdf(path),
        ".mseed": lambda: _mseed(path),
        ".tdms": lambda: _tdms(path),
        ".h5": lambda: _hdf5(path),
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


def test_a_rate_that_is_the_own_rate_is_no_news(path: Path) -> None:
    with open_recording(path) as plain:
        rates = {channel.rate_hz for channel in plain.info.channels}
        rate_hz = max(rate for rate in rates if rate is not None)
    with open_recording(path, rate_hz=rate_hz) as recording:
        assert sum("as given" in warning for warning in recording.info.warnings) == (len(rates) > 1)


def test_a_channel_that_is_not_there_is_an_error(path: Path) -> None:
    with open_recording(path) as recording:
        for index in (-1, len(recording.info.channels)):
            with pytest.raises(IndexError, match="no channel"):
                recording.read(0, 1, [index])
