"""The front door: exit codes, one line an error, nothing heavy loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from jaxscope.cli import run
from jaxscope.cli.output import strict


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "jaxscope", *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
def chain_file(tmp_path: Path) -> Path:
    path = tmp_path / "chain.json"
    stage = {"family": "butterworth", "band": "lowpass", "order": 4, "cutoff_hz": 40.0}
    path.write_text(json.dumps({"format": "jaxscope-chain", "version": 1, "stages": [stage]}))
    return path


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("inof",), 3, "did you mean the command info"),
        (("info",), 2, "FILE"),
        (("info", "a", "b"), 2, "extra argument"),
        (("info", "nowhere.edf"), 3, "nowhere.edf"),
        (("--wrong",), 2, "--wrong"),
        (("design", "nowhere.json", "--rate", "250"), 4, "nowhere.json"),
        (("filter", "x.edf", "-o", "y.edf"), 2, "--chain"),
        (("bench", "--scene", "moon"), 2, "'moon'"),
        (("demo", "--size", "big"), 2, "1600x1000"),
    ],
)
def test_an_error_is_one_line_and_its_exit_code(
    arguments: tuple[str, ...], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("jaxscope: ")
    assert captured.err.count("\n") == 1
    assert words in captured.err


def test_a_bug_is_one_line_with_a_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("jaxscope.readers.open_recording", fail)
    assert run(("info", "x.edf")) == 1
    line = capsys.readouterr().err
    assert line.startswith("jaxscope: this is a bug (ZeroDivisionError: by zero)")
    report = Path(line.split("please send ")[1].strip())
    assert "ZeroDivisionError" in report.read_text()


def test_interrupted_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("jaxscope.readers.open_recording", interrupt)
    assert run(("info", "x.edf")) == 130


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("info", "--help"), ("filter", "--help")])
def test_help_everywhere(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 0
    assert "jaxscope" in capsys.readouterr().out


def test_light_commands_load_neither_qt_nor_jax(chain_file: Path, tmp_path: Path) -> None:
    recording = tmp_path / "x.csv"
    recording.write_text("time,a\n0,1\n0.01,2\n0.02,3\n0.03,4\n")
    script = (
        "import sys; from jaxscope.cli import run; code = run(sys.argv[1:]); "
        "heavy = sorted({name.partition('.')[0] for name in sys.modules} & {'jax', 'jaxlib', 'PySide6', 'pyqtgraph'}); "
        "print(code, heavy, file=sys.stderr)"
    )
    for arguments in (("--help",), ("info", str(recording)), ("design", str(chain_file), "--rate", "250")):
        done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False)
        assert done.stderr.strip() == "0 []", arguments
    done = subprocess.run(
        [sys.executable, "-c", script.replace("code = run(sys.argv[1:])", "import jaxscope; code = 0")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.strip() == "0 []"


def test_info_prints_one_strict_object(tmp_path: Path) -> None:
    recording = tmp_path / "x.csv"
    recording.write_text("time,a\n0,1\n0.01,\n0.02,3\n0.03,4\n")
    done = _run("info", str(recording), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    content = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(name))
    assert set(content) == {"format", "start", "duration_s", "channels", "annotations", "gaps", "warnings"}
    assert content["channels"][0]["first"] == [1.0, None, 3.0, 4.0]
    assert content["channels"][0]["n_nan"] == 1


def test_design_has_the_promised_keys(chain_file: Path) -> None:
    done = _run("design", str(chain_file), "--rate", "250", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    keys = "sections taps poles zeros gain is_stable settling_s minus_3db_hz minus_6db_hz phase report"
    assert set(json.loads(done.stdout)) == set(keys.split())


def test_design_exports_to_stdout(chain_file: Path) -> None:
    done = _run("design", str(chain_file), "--rate", "250", "--export", "csv")
    assert done.returncode == 0
    assert len(done.stdout.strip().splitlines()) >= 2
    with_json = _run("design", str(chain_file), "--rate", "250", "--export", "csv", "--json")
    assert json.loads(with_json.stdout)["export"] == done.stdout


def test_a_closed_pipe_is_no_error(chain_file: Path) -> None:
    command = f"{sys.executable} -m jaxscope design {chain_file} --rate 250 --json | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "0"
    assert done.stderr == ""


def test_what_json_cannot_hold_becomes_null() -> None:
    assert strict({"a": [float("nan"), float("inf"), 1.5, True, None], 2: ("x",)}) == {
        "a": [None, None, 1.5, True, None],
        "2": ["x"],
    }
