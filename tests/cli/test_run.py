"""The front door: exit codes, one line an error, nothing heavy loaded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jaxscope.cli import run
from jaxscope.cli.output import strict
from jaxscope.cli.run import COMMANDS


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
        (("inof", "a.edf"), 2, "did you mean info"),
        (("fitler", "a.edf", "-o", "b.edf"), 2, "did you mean filter"),
        (("info",), 2, "FILE'; see jaxscope info --help"),
        (("filter", "--jbos", "2"), 2, "see jaxscope filter --help"),
        (("info", "a", "b"), 2, "extra argument"),
        (("info", "nowhere.edf"), 3, "nowhere.edf"),
        (("--wrong",), 2, "--wrong"),
        (("design", "nowhere.json", "--rate", "250"), 4, "nowhere.json"),
        (("filter", "x.edf", "-o", "y.edf"), 2, "--chain"),
        (("bench", "--scene", "moon"), 2, "'moon'"),
        (("demo", "--size", "big"), 2, "1600x1000"),
        (("info", "x.edf", "--rate", "nan"), 2, "nan is not a number above 0"),
        (("info", "x.edf", "--rate", "0"), 2, "0 is not a number above 0"),
        (("design", "x.json", "--rate", "inf"), 2, "inf is not a number above 0"),
        (("filter", "x.edf", "-o", "y.edf", "--chain", "c.json", "--channels", ""), 2, "empty name"),
        (("filter", "x.edf", "-o", "y.edf", "--chain", "c.json", "--channels", "a,,b"), 2, "empty name"),
        (("info", "no\nwhere.edf"), 3, "no where.edf"),
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


def test_a_cutoff_that_does_not_fit_names_its_stage_and_channel(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chain = tmp_path / "chain.json"
    low = {"family": "butterworth", "band": "lowpass", "order": 4, "cutoff_hz": 90.0}
    stages = [{"family": "gain", "gain": 2.0}, low]
    chain.write_text(json.dumps({"format": "jaxscope-chain", "version": 1, "stages": stages}))
    np.savez(tmp_path / "x.npz", Fz=np.ones(50), rate_hz=100.0)
    told = "jaxscope: stage 2 (Low-pass): 90 Hz is above fs/2 = 50 Hz"
    assert run(("design", str(chain), "--rate", "100")) == 4
    assert capsys.readouterr().err == f"{told}; choose less than 50 Hz\n"
    assert run(("filter", str(tmp_path / "x.npz"), "-o", str(tmp_path / "y.npy"), "--chain", str(chain))) == 4
    assert capsys.readouterr().err == f"{told} (channel Fz); choose less than 50 Hz\n"


def test_what_cannot_be_filtered_says_why_and_leaves_nothing(
    chain_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "empty.npy", np.zeros((2, 0)))
    np.save(tmp_path / "large.npy", np.full((2, 500), 1e300))
    rest = ("-o", str(tmp_path / "y.npy"), "--chain", str(chain_file), "--rate", "100", "--precision", "float32")
    for name, code, words in (("empty", 3, "There are no samples in"), ("large", 2, "beyond what float32 can hold")):
        assert run(("filter", str(tmp_path / f"{name}.npy"), *rest)) == code
        captured = capsys.readouterr()
        assert words in captured.err
        assert captured.err.count("\n") == 1
        assert not (tmp_path / "y.npy").exists()


def test_channels_of_several_lengths_are_told_by_their_lengths(
    chain_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "x.npz", a=np.ones(50), b=np.ones(1200), c=np.ones(50), rate_hz=100.0)
    assert run(("filter", str(tmp_path / "x.npz"), "-o", str(tmp_path / "y.npy"), "--chain", str(chain_file))) == 3
    assert "here are 2 channels of 50 samples and 1 channel of 1,200 samples; choose" in capsys.readouterr().err


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


def test_too_little_memory_is_no_bug(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("jaxscope.readers.open_recording", fail)
    assert run(("info", "x.edf")) == 3
    assert capsys.readouterr().err.startswith("jaxscope: there is not enough memory for this; ")


def test_interrupted_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("jaxscope.readers.open_recording", interrupt)
    assert run(("info", "x.edf")) == 130
    assert capsys.readouterr().err == "jaxscope: interrupted; nothing was written\n"


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("--version",), *((name, option) for name in COMMANDS for option in ("--help", "--version"))],
)
def test_help_and_version_everywhere(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
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
    keys = "sections taps poles zeros gain is_stable settling_s minus_3db_hz minus_6db_hz phase report quantised"
    content = json.loads(done.stdout)
    assert set(content) == set(keys.split())
    assert set(content["quantised"]) == {"float32", "q31", "q15"}


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


def test_a_terminal_of_few_characters_is_no_bug(chain_file: Path) -> None:
    command = [sys.executable, "-m", "jaxscope", "design", str(chain_file), "--rate", "250"]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"dB at 40 Hz" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
def test_a_name_in_no_encoding_is_told_as_json(tmp_path: Path) -> None:
    recording = tmp_path / os.fsdecode(b"x\xff.csv")
    recording.write_text("time,a\n0,1\n0.01,2\n")
    chain = tmp_path / "c.json"
    chain.write_text('{"format": "jaxscope-chain", "version": 1, "stages": [{"family": "gain", "gain": 2}]}')
    target = tmp_path / os.fsdecode(b"y\xff.csv")
    done = _run("filter", str(recording), "-o", str(target), "--chain", str(chain), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["outputs"][0]["path"] == str(target)


def test_two_inputs_never_share_an_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in ("a", "b", "out"):
        (tmp_path / folder).mkdir()
    paths = [tmp_path / folder / "x.csv" for folder in ("a", "b")]
    for path in paths:
        path.write_text("time,a\n0,1\n0.01,2\n")
    chain = tmp_path / "c.json"
    chain.write_text('{"format": "jaxscope-chain", "version": 1, "stages": []}')
    options = ("--output-dir", str(tmp_path / "out"), "--chain", str(chain), "--overwrite")
    assert run(("filter", *map(str, paths), *options)) == 2
    assert "would both be written to" in capsys.readouterr().err
    assert run(("filter", str(paths[0]), str(paths[0]), *options)) == 2
    assert not list((tmp_path / "out").iterdir())


def test_a_project_with_a_stage_that_is_not_known_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording, project, target = (tmp_path / name for name in ("x.csv", "p.jaxscope", "y.csv"))
    recording.write_text("time,a\n0,1\n0.01,2\n")
    chain = {"format": "jaxscope-chain", "version": 1, "name": "A", "stages": [{"family": "wavelet", "level": 3}]}
    project.write_text(json.dumps({"format": "jaxscope-project", "version": 1, "chains": [chain]}))
    assert run(("filter", str(recording), "-o", str(target), "--project", str(project))) == 4
    assert '"wavelet"' in capsys.readouterr().err
    assert not target.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends programs without asking")
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_filter_that_is_ended_leaves_nothing_behind(
    number: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording, chain, target = (tmp_path / name for name in ("x.csv", "c.json", "y.edf"))
    recording.write_text("time,a\n0,1\n0.01,2\n0.02,3\n")
    chain.write_text('{"format": "jaxscope-chain", "version": 1, "stages": []}')
    written: list[str] = []

    def stop(*_: object) -> None:
        written.extend(path.suffix for path in tmp_path.iterdir())
        os.kill(os.getpid(), signal.Signals[number])

    monkeypatch.setattr("jaxscope.writers.edf.EdfWriter._write", stop)
    assert run(("filter", str(recording), "-o", str(target), "--chain", str(chain))) == 130
    assert ".part" in written
    assert {path.name for path in tmp_path.iterdir()} == {"x.csv", "c.json"}
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_recording_that_changed_since_the_project_was_saved_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from jaxscope.session.project import Project, reference_to, save_project
    from jaxscope.session.state import Document, EngineChoice, Viewport

    recording, project = tmp_path / "x.csv", tmp_path / "p.jaxscope"
    recording.write_text("time,a\n0,1\n0.01,2\n")
    save_project(
        project,
        Project(document=Document(recording=reference_to(recording)), viewport=Viewport(), engine=EngineChoice()),
    )
    assert run(("filter", "-o", str(tmp_path / "y.csv"), "--project", str(project))) == 0
    assert "has changed" not in capsys.readouterr().err
    recording.write_text("time,a\n0,1\n0.01,3\n")
    assert run(("filter", "-o", str(tmp_path / "z.csv"), "--project", str(project))) == 0
    assert "jaxscope: warning: x.csv has changed since this project was saved" in capsys.readouterr().err


def test_results_are_told_in_the_order_of_the_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from jaxscope.cli import filter as command

    chain = tmp_path / "c.json"
    chain.write_text('{"format": "jaxscope-chain", "version": 1, "stages": []}')
    recordings = [tmp_path / name for name in ("b.csv", "gone.csv", "a.csv")]
    for path in (recordings[0], recordings[2]):
        path.write_text("time,a\n0,1\n0.01,2\n")
    (tmp_path / "out").mkdir()
    run_all = command._run_all
    monkeypatch.setattr(command, "_run_all", lambda *given: reversed(list(run_all(*given))))
    arguments = (*map(str, recordings), "--output-dir", str(tmp_path / "out"), "--chain", str(chain), "--json")
    assert run(("filter", *arguments)) == 3
    content = json.loads(capsys.readouterr().out)
    assert [Path(output["path"]).name for output in content["outputs"]] == ["b.csv", "a.csv"]
    assert [failure["path"] for failure in content["failed"]] == [str(recordings[1])]


def test_a_channel_that_is_not_there_is_told_with_those_that_are(
    chain_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "x.npy", np.zeros((7, 100)))
    rest = (
        "filter",
        str(tmp_path / "x.npy"),
        "-o",
        str(tmp_path / "y.npy"),
        "--chain",
        str(chain_file),
        "--rate",
        "100",
    )
    assert run((*rest, "--channels", "Nix*")) == 2
    listed = "there are ch0, ch1, ch2, ch3, ch4, ch5 and 1 more"
    assert capsys.readouterr().err == f"jaxscope: no channel matches 'Nix*'; {listed}\n"
    assert run((*rest, "--channels", "Nix")) == 2
    assert capsys.readouterr().err == f"jaxscope: no channel is called 'Nix'; {listed}\n"


def test_one_channel_is_no_channels(chain_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "x.npz", Fz=np.ones(1000), rate_hz=100.0)
    assert run(("info", str(tmp_path / "x.npz"))) == 0
    assert "1 channel, 10 s" in capsys.readouterr().out
    arguments = ("filter", str(tmp_path / "x.npz"), "-o", str(tmp_path / "y.npy"), "--chain", str(chain_file))
    assert run(arguments) == 0
    assert "1 channel, 1,000 samples" in capsys.readouterr().out


def test_the_demonstration_has_the_promised_keys(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    promised = (
        "recording channels rate_hz chain rms_before rms_after knob_to_frame_ms compilations_while_tuning screenshot"
    )
    more = "longest_gui_stall_ms longest_gui_work_ms method"
    seen = dict.fromkeys((promised + " " + more).split(), 1)
    monkeypatch.setattr("jaxscope.gui.app.run_demo", lambda **_: seen)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert run(("demo", "--json")) == 0
    assert set(json.loads(capsys.readouterr().out)) == set(promised.split())


def test_a_full_disk_behind_stdout_is_no_bug(chain_file: Path) -> None:
    command = f"{sys.executable} -m jaxscope design {chain_file} --rate 250 --json > /dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("jaxscope: No space left on device")


@pytest.mark.parametrize("name", ["a" * 300 + ".edf", ".."])
def test_an_output_name_that_no_file_can_have_is_refused(
    name: str, chain_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "x.csv"
    recording.write_text("time,a\n0,1\n0.01,2\n0.02,3\n0.03,4\n")
    code = run(("filter", str(recording), "-o", f"{tmp_path}/{name}", "--chain", str(chain_file)))
    captured = capsys.readouterr()
    assert (code, captured.out) == (3, "")
    assert captured.err.count("\n") == 1
    assert "bug" not in captured.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chain.json", "x.csv"]


@pytest.mark.parametrize(("redirected", "code"), [("| true", 0), (">&-", 0)])
def test_a_table_that_nobody_reads_is_no_bug(redirected: str, code: int, chain_file: Path) -> None:
    command = f"{sys.executable} -m jaxscope design {chain_file} --rate 250 {redirected}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize(
    ("name", "size", "code", "said"),
    [
        ("x.xyz", "800x600", 2, "which is no PNG"),
        ("nowhere/x.png", "800x600", 3, "nowhere is not there"),
        ("x.png", "99999x600", 2, "10000 pixels or fewer"),
    ],
)
def test_a_picture_that_cannot_be_is_refused_before_it_is_drawn(
    name: str, size: str, code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(("demo", "--screenshot", str(tmp_path / name), "--size", size)) == code
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
