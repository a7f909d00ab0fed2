"""``design`` and ``--chain`` take filters of other programs, and say what they assumed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import signal

from jaxscope.cli.run import run

SOS = signal.butter(4, 40, fs=256, output="sos")


@pytest.mark.parametrize("name", ["f.csv", "f.mat", "f.py", "f.npy", "f.json"])
def test_design_takes_a_filter_of_another_program(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    match path.suffix:
        case ".csv":
            np.savetxt(path, SOS, delimiter=",", fmt="%.17g")
        case ".mat":
            scipy_io.savemat(path, {"sos": SOS})
        case ".py":
            path.write_text("import scipy.signal as ss\nb, a = ss.butter(4, 0.3125)\n")
        case ".npy":
            np.save(path, SOS)
        case ".json":
            path.write_text(json.dumps({"sos": SOS.tolist()}))
    assert run(("design", str(path), "--rate", "256", "--json")) == 0
    told = capsys.readouterr()
    content = json.loads(told.out)
    assert content["minus_3db_hz"] == pytest.approx([40.0], rel=1e-6)
    expected = "0.3125 of half of the recording's 256 Hz is 40 Hz" if name == "f.py" else "name no rate"
    assert expected in told.err


def test_filter_takes_the_rate_of_the_recording_for_a_part_of_half_the_rate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = np.random.default_rng(1).normal(size=512)
    np.savez(tmp_path / "x.npz", x=x, rate_hz=256.0)
    (tmp_path / "f.m").write_text("[b,a] = butter(4, 0.3125); % 40 Hz at 256 Hz\n")
    target = tmp_path / "y.npy"
    assert run(("filter", str(tmp_path / "x.npz"), "-o", str(target), "--chain", str(tmp_path / "f.m"))) == 0
    wanted = signal.sosfilt(SOS, x, zi=signal.sosfilt_zi(SOS) * x[0])[0]
    np.testing.assert_allclose(np.load(target)[0], wanted, atol=1e-9)
    assert "40 Hz" in capsys.readouterr().err


def test_each_file_has_its_own_rate_for_a_part_of_half_the_rate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = np.random.default_rng(1).normal(size=512)
    rates = {"a": 256.0, "b": 512.0, "c": 256.0}
    for name, rate_hz in rates.items():
        np.savez(tmp_path / f"{name}.npz", x=x, rate_hz=rate_hz)
    np.save(tmp_path / "d.npy", x[None])  # tells no rate
    (tmp_path / "f.m").write_text("[b,a] = butter(4, 0.3125);\n")
    files = [str(tmp_path / f"{name}.npz") for name in rates]
    arguments = (
        "--output-dir",
        str(tmp_path / "out"),
        "--chain",
        str(tmp_path / "f.m"),
        "--gaps",
        "propagate",
        "--json",
    )
    assert run(("filter", *files, str(tmp_path / "d.npy"), *arguments)) == 3
    told = capsys.readouterr()
    outcome = json.loads(told.out)
    (failed,) = outcome["failed"]
    assert failed["path"].endswith("d.npy")
    assert "is a part of half the rate, which is not known" in failed["error"]
    assert len(outcome["outputs"]) == 3
    wanted = signal.sosfilt(SOS, x, zi=signal.sosfilt_zi(SOS) * x[0])[0]  # the same part of each rate
    for name, rate_hz in rates.items():
        with np.load(tmp_path / "out" / f"{name}.npz") as file:
            written = next(file[key] for key in file if file[key].size == 512)
        np.testing.assert_allclose(written.ravel(), wanted, atol=1e-9)
        (chain,) = json.loads((tmp_path / "out" / f"{name}.npz.json").read_text())["chains"]
        assert chain["stages"][0]["cutoff_hz"] == pytest.approx(0.3125 * rate_hz / 2)
        assert chain["gaps"] == "propagate"
    assert told.err.count("of half of the recording's 256 Hz is 40 Hz") == 1
    assert told.err.count("of half of the recording's 512 Hz is 80 Hz") == 1


def test_what_was_assumed_is_said_once_although_a_rate_is_looked_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "x.npz", x=np.arange(512.0), rate_hz=256.0)
    np.savetxt(tmp_path / "first.csv", SOS, delimiter=",", fmt="%.17g")
    (tmp_path / "then.m").write_text("[b,a] = butter(4, 0.3125);\n")
    chains = ("--chain", str(tmp_path / "first.csv"), "--chain", str(tmp_path / "then.m"))
    assert run(("filter", str(tmp_path / "x.npz"), "-o", str(tmp_path / "y.npz"), *chains)) == 0
    assert capsys.readouterr().err.count("name no rate") == 1


def test_what_is_no_filter_is_one_line_and_exit_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f.csv").write_text("1,2\n3,four\n")
    assert run(("design", str(tmp_path / "f.csv"), "--rate", "256")) == 4
    assert capsys.readouterr().err == (
        'jaxscope: f.csv: line 2: "four" is not a number; give numbers, or a comment after #\n'
    )
    (tmp_path / "f.py").write_text("b, a = butter(4, 0.3)\n")
    assert run(("filter", "none.edf", "-o", str(tmp_path / "y.edf"), "--chain", str(tmp_path / "f.py"))) == 4
    assert "is a part of half the rate, which is not known" in capsys.readouterr().err


def test_what_is_told_of_a_file_is_told_where_its_rate_is_looked_up(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("import scipy.signal as ss\nb, a = ss.butter(4, 0.3125)\n")
    x = np.random.default_rng(2).normal(size=512).astype("<f4")
    (tmp_path / "x.raw").write_bytes(x.tobytes())
    given = ["filter", str(tmp_path / "x.raw"), "--chain", str(tmp_path / "f.py"), "--raw-layout"]
    assert run([*given, "channels=1,dtype=float32,rate=256", "-o", str(tmp_path / "y.npy")]) == 0
    wanted = signal.sosfilt(SOS, x, zi=signal.sosfilt_zi(SOS) * x[0])[0]
    np.testing.assert_allclose(np.load(tmp_path / "y.npy")[0], wanted, atol=1e-9)
