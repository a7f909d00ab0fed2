"""Many files in one command: folders, patterns, taking up again, the table of what was done, clusters."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from jaxscope.cli import run
from jaxscope.compute.batch_inputs import find_inputs
from jaxscope.errors import UsageError

TABLE = "time,a\n" + "".join(f"{n / 100},{n % 7}\n" for n in range(40))


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    path = tmp_path / "chain.json"
    path.write_text('{"format": "jaxscope-chain", "version": 1, "stages": [{"family": "gain", "gain": 2}]}')
    return path


@pytest.fixture
def night(tmp_path: Path) -> Path:
    """Return a folder of recordings at several depths, with what is none beside them."""
    folder = tmp_path / "night"
    for name in ("b.csv", "a.csv", "deep/er/c.csv", "deep/numbers.txt", ".hidden.csv", ".git/d.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(TABLE)
    (folder / "deep" / "notes.txt").write_text("Bought milk, and bread.\nThen slept.\n")
    (folder / "deep" / "picture.png").write_bytes(b"\x89PNG")
    for name in ("x.vhdr", "x.eeg", "x.vmrk", "alone.eeg"):
        (folder / "deep" / name).write_bytes(b"?")
    return folder


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    def tell(code: int, *arguments: object) -> Any:
        assert run(("filter", *map(str, arguments), "--json")) == code
        return json.loads(capsys.readouterr().out)

    return tell


def test_a_folder_means_the_recordings_in_it(night: Path) -> None:
    (night / "out").mkdir()
    (night / "out" / "a.csv").write_text(TABLE)
    names = [one.name for one in find_inputs([str(night)], besides=str(night / "out"))]
    assert names == [
        "a.csv", "b.csv", *(str(Path("deep", name)) for name in ("alone.eeg", "numbers.txt", "x.vhdr", "er/c.csv"))
    ]  # fmt: skip
    (night / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no recordings"):
        find_inputs([str(night / "empty")], besides=None)


def test_what_was_made_of_a_recording_there_is_left_out_of_a_folder_and_told(
    chain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "all"
    for name in ("night/a.csv", "night/deep/b.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(TABLE)
    night, results = folder / "night", folder / "night-filtered"
    assert run(("filter", str(night), "--output-dir", str(results), "--chain", str(chain))) == 0
    assert run(("filter", str(night / "a.csv"), "-o", str(night / "a-filtered.csv"), "--chain", str(chain))) == 0
    found = {Path(one.name).as_posix(): one.made_of for one in find_inputs([str(folder)], besides=None)}
    assert found == {
        "night/a.csv": "",
        "night/a-filtered.csv": "a.csv",
        "night/deep/b.csv": "",
        "night-filtered/a.csv": "a.csv",
        "night-filtered/deep/b.csv": "b.csv",
    }
    # results by themselves are recordings like any other, and what is named is always taken
    assert [one.made_of for one in find_inputs([str(results)], besides=None)] == ["", ""]
    assert [one.made_of for one in find_inputs([str(night / "a-filtered.csv")], besides=None)] == [""]
    capsys.readouterr()
    assert run(("filter", str(folder), "--output-dir", str(tmp_path / "out"), "--chain", str(chain))) == 0
    assert " and 2 more: left out, made of a.csv beside it; name such a file to filter it" in capsys.readouterr().err
    assert sorted(path.name for path in (tmp_path / "out").rglob("*.csv")) == ["a.csv", "b.csv"]
    (night / "a.csv").write_text(TABLE + "9,9\n")  # another recording than the result was made of
    assert not find_inputs([str(night)], besides=None)[0].made_of


def test_a_pattern_means_what_fits_and_a_file_that_is_named_so_means_itself(night: Path) -> None:
    pattern = str(night / "**" / "[ab].csv")
    assert [one.name for one in find_inputs([pattern], besides=None)] == ["a.csv", "b.csv"]
    assert len(find_inputs([str(night / "b.csv"), pattern], besides=None)) == 2
    odd = night / "[ab].csv"
    odd.write_text(TABLE)
    assert [one.path for one in find_inputs([str(odd)], besides=None)] == [str(odd)]
    with pytest.raises(UsageError, match="no file fits"):
        find_inputs([str(night / "*.edf")], besides=None)


def test_two_hundred_files_with_three_bad_ones_are_taken_up_again(
    tmp_path: Path, chain: Path, told: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "many", tmp_path / "out"
    folder.mkdir()
    for number in range(200):
        np.save(folder / f"{number:03}.npy", [np.arange(30.0) + number])
    for number in (7, 77, 177):
        (folder / f"{number:03}.npy").write_bytes(b"broken")
    command = (folder, "--output-dir", out, "--chain", chain, "--rate", "100")
    first = told(3, *command)
    assert len(first["outputs"]) == 197
    assert [Path(one["path"]).name for one in first["failed"]] == ["007.npy", "077.npy", "177.npy"]
    np.testing.assert_array_equal(np.load(out / "199.npy"), [2 * (np.arange(30.0) + 199)])
    times = {path.name: path.stat().st_mtime_ns for path in out.iterdir()}

    np.save(folder / "007.npy", np.ones((1, 30)))
    np.save(folder / "008.npy", np.zeros((1, 30)))
    second = told(3, *command, "--resume", "--overwrite")
    fresh = [Path(one["path"]).name for one in second["outputs"] if "left as it is" not in " ".join(one["warnings"])]
    assert fresh == ["007.npy", "008.npy"]
    assert not np.load(out / "008.npy").any()
    changed = {path.name for path in out.iterdir() if times.get(path.name) != path.stat().st_mtime_ns}
    assert changed == {"007.npy", "007.npy.json", "008.npy", "008.npy.json"}

    assert run(("filter", *map(str, command), "--resume")) == 3
    captured = capsys.readouterr()
    assert "0 written, 198 finished before, 2 failed" in captured.out
    assert captured.err.count("\n") == 3  # two failures, and one warning for all that were written without a rate


def test_a_file_that_failed_is_named_once(tmp_path: Path, chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        np.save(tmp_path / f"{name}.npy", np.ones((1, 30)))
    (tmp_path / "three.edf").write_bytes(b"broken")
    paths = [str(tmp_path / name) for name in ("one.npy", "two.npy", "three.edf")]
    assert run(("filter", *paths, "--output-dir", str(tmp_path / "out"), "--chain", str(chain))) == 3
    lines = [line for line in capsys.readouterr().err.splitlines() if "warning" not in line]
    assert [line.count(path) for line, path in zip(lines, paths, strict=True)] == [1, 1, 1]
    assert "one.npy does not tell its sampling rate" in lines[0]


@pytest.mark.parametrize(
    "change",
    [
        ("--channels", "a"),
        ("--stop", "0.2"),
        ("--precision", "float32"),
        ("--method", "scipy"),
        ("--gaps", "propagate"),
        ("--rate", "50"),
    ],
)
def test_what_was_made_otherwise_is_not_finished(
    change: tuple[str, str], tmp_path: Path, chain: Path, told: Callable[..., Any]
) -> None:
    source, target = tmp_path / "x.csv", tmp_path / "y.csv"
    source.write_text("a,b\n" + "1,2\n3,5\n" * 20)
    command = (source, "-o", target, "--chain", chain, "--rate", "100")
    told(0, *command)
    assert told(0, *command, "--resume")["outputs"][0]["seconds"] == 0
    assert run(("filter", *map(str, command), *change, "--resume")) == 3  # it exists, and is something else
    target.write_text("changed")
    assert run(("filter", *map(str, command), "--resume")) == 3


def test_a_damaged_provenance_file_tells_of_nothing_finished(
    tmp_path: Path, chain: Path, told: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "x.csv", tmp_path / "y.csv"
    source.write_text("a,b\n" + "1,2\n3,5\n" * 20)
    command = (source, "-o", target, "--chain", chain, "--rate", "100")
    told(0, *command)
    provenance = tmp_path / "y.csv.json"
    whole = json.loads(provenance.read_text())
    damaged: list[Any] = [{**whole, name: value} for name in whole for value in (None, 5, "x", [[]], {})]
    damaged += [{key: value for key, value in whole.items() if key != name} for name in ("output", "warnings", "input")]
    damaged += [{**whole, "output": {**whole["output"], "channels": value}} for value in (None, [], [1], [{}])]
    for content in (*damaged, [], None):
        provenance.write_text(json.dumps(content))
        assert run(("filter", *map(str, command), "--resume")) in (0, 3)
        assert "bug" not in capsys.readouterr().err


def test_samples_that_changed_beside_their_header_are_not_finished(
    tmp_path: Path, chain: Path, told: Callable[..., Any]
) -> None:
    (tmp_path / "x.hea").write_text("x 1 100 20\nsamples.dat 16 1/mV\n")
    samples = tmp_path / "samples.dat"
    samples.write_bytes(bytes(40))
    command = (tmp_path / "x.hea", "-o", tmp_path / "y.csv", "--chain", chain)
    told(0, *command)
    (beside,) = json.loads((tmp_path / "y.csv.json").read_text())["input"]["files"]
    assert (beside["name"], beside["size_bytes"]) == ("samples.dat", 40)
    long_ago = (tmp_path / "y.csv.json").stat().st_mtime_ns - 10**12
    os.utime(samples, None)  # a copy has another time and says the same
    assert told(0, *command, "--resume")["outputs"][0]["seconds"] == 0
    samples.write_bytes(bytes(39) + b"1")
    os.utime(samples, ns=(long_ago, long_ago))
    assert run(("filter", *map(str, command), "--resume")) == 3
    samples.write_bytes(bytes(40))
    assert told(0, *command, "--resume")["outputs"][0]["seconds"] == 0
    samples.unlink()
    assert run(("filter", *map(str, command), "--resume")) == 3


def test_events_that_came_beside_a_recording_since_are_not_finished(
    tmp_path: Path, chain: Path, told: Callable[..., Any]
) -> None:
    (tmp_path / "x.hea").write_text("x 1 100 20\nx.dat 16 1/mV\n")
    (tmp_path / "x.dat").write_bytes(bytes(40))
    command = (tmp_path / "x.hea", "-o", tmp_path / "y.csv", "--chain", chain)
    told(0, *command)
    later = (tmp_path / "y.csv.json").stat().st_mtime_ns + 10
    (tmp_path / "x.atr").write_bytes(b"\x01\x04\0\0")
    os.utime(tmp_path / "x.atr", ns=(later, later))
    assert run(("filter", *map(str, command), "--resume")) == 3


def test_folders_are_made_and_those_that_hold_nothing_are_not_left(tmp_path: Path, night: Path, chain: Path) -> None:
    options = ("--chain", str(chain), "--output-dir")
    assert run(("filter", str(night / "deep" / "notes.txt"), *options, str(tmp_path / "p" / "q"))) == 3
    assert not (tmp_path / "p").exists()
    assert run(("filter", str(night / "a.csv"), *options, str(tmp_path / "p" / "q"))) == 0
    assert (tmp_path / "p" / "q" / "a.csv").is_file()
    (tmp_path / "taken").write_text("x")
    assert run(("filter", str(night / "a.csv"), *options, str(tmp_path / "taken" / "q"))) == 3
    assert run(("filter", str(night / "a.csv"), *options[:2], "-o", str(tmp_path / "none" / "a.csv"))) == 3
    assert not (tmp_path / "none").exists()


def test_a_cluster_filters_the_files_and_a_worker_that_dies_is_told(
    tmp_path: Path, night: Path, chain: Path, told: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Client:
        def __init__(self, address: str, timeout: float) -> None:
            if address != "tcp://here:1":
                raise OSError("timed out")

        def __enter__(self) -> Client:
            return self

        def __exit__(self, *_: object) -> None: ...

        def submit(self, work: Any, job: Any, *, pure: bool) -> Any:
            def result() -> Any:
                if job.source.endswith("b.csv"):
                    raise RuntimeError("worker\nlost")
                return work(job)

            return SimpleNamespace(result=result, key=id(job))

    class Future(SimpleNamespace):
        __hash__ = object.__hash__

    submit = Client.submit
    monkeypatch.setattr(Client, "submit", lambda *given, **named: Future(**vars(submit(*given, **named))))
    monkeypatch.setitem(
        sys.modules, "distributed", SimpleNamespace(Client=Client, as_completed=lambda found: reversed(found))
    )
    command = (night / "a.csv", night / "b.csv", "--output-dir", tmp_path / "out", "--chain", chain)
    content = told(3, *command, "--scheduler", "tcp://here:1")
    assert [Path(one["path"]).name for one in content["outputs"]] == ["a.csv"]
    assert "a worker of the cluster failed (RuntimeError: worker lost)" in content["failed"][0]["error"]
    assert run(("filter", *map(str, command), "--scheduler", "tcp://gone:1")) == 2


def test_without_the_package_of_clusters_there_is_one_sentence(
    tmp_path: Path, chain: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    (tmp_path / "x.csv").write_text(TABLE)
    command = ("filter", str(tmp_path / "x.csv"), "-o", str(tmp_path / "y.csv"), "--chain", str(chain))
    assert run((*command, "--scheduler", "local")) == 2
    assert 'pip install "jaxscope[cluster]"' in capsys.readouterr().err


def test_a_project_tells_what_its_recording_does_not(tmp_path: Path) -> None:
    from jaxscope.session.project import Project, reference_to, save_project
    from jaxscope.session.state import Document, EngineChoice, Viewport

    (tmp_path / "x.dat").write_bytes(np.arange(400, dtype="<i2").tobytes())
    told = (("format", "raw"), ("channels", "2"))
    document = Document(recording=reference_to(tmp_path / "x.dat", rate_hz=100.0, options=told))
    project = tmp_path / "p.jaxscope"
    save_project(project, Project(document=document, viewport=Viewport(), engine=EngineChoice()))
    assert run(("filter", "-o", str(tmp_path / "y.npz"), "--project", str(project))) == 0
    with np.load(tmp_path / "y.npz") as content:
        assert content["rate_hz"] == 100.0
        np.testing.assert_array_equal(content["data"], np.arange(400).reshape(200, 2).T)


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """Return a folder of recordings that lie in several files each, of formats that are read and not written."""
    folder = tmp_path / "ward"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.hea").write_text(f"{name} 1 100 200\n{name}.dat 16 1/mV\n")
        (folder / f"{name}.dat").write_bytes(np.arange(200, dtype="<i2").tobytes())
    (folder / "long.hea").write_text("# several\nlong/3 1 100 400\nlayout 0\none 200\ntwo 200\n")
    (folder / "layout.hea").write_text("layout 1 100 0\n~ 0 1/mV\n")
    (folder / "m.hea").write_text("m 1 100 188\nm.mat 16+24 1/mV\n")
    (folder / "m.mat").write_bytes(bytes(24) + np.arange(188, dtype="<i2").tobytes())
    (folder / "other.vhdr").write_text(
        "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nDataFile=night.eeg\n"
        "MarkerFile=night.vmrk\nNumberOfChannels=1\nSamplingInterval=10000\n[Binary Infos]\nBinaryFormat=INT_16\n"
        "[Channel Infos]\nCh1=Fz,,1,uV\n"
    )
    (folder / "night.eeg").write_bytes(np.arange(200, dtype="<i2").tobytes())
    (folder / "night.vmrk").write_text("Brain Vision Data Exchange Marker File, Version 1.0\n[Marker Infos]\n")
    return folder


def test_parts_of_a_recording_in_a_folder_are_no_recordings(ward: Path) -> None:
    assert [one.name for one in find_inputs([str(ward)], besides=None)] == ["long.hea", "m.hea", "other.vhdr"]
    (ward / "other.vhdr").unlink()  # then nothing tells what these are, and filtering them says so
    names = [one.name for one in find_inputs([str(ward)], besides=None)]
    assert names == ["long.hea", "m.hea", "night.eeg", "night.vmrk"]


def test_a_folder_is_written_in_another_format(
    ward: Path, chain: Path, told: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    refused = told(3, ward, "--chain", chain, "--output-dir", out)
    assert [Path(one["path"]).name for one in refused["outputs"]] == ["other.vhdr"]
    assert all("can't write .hea files; choose a format with --to: edf, " in one["error"] for one in refused["failed"])
    done = told(0, ward, "--chain", chain, "--output-dir", out, "--to", "BDF")
    assert [Path(one["path"]).name for one in done["outputs"]] == ["long.bdf", "m.bdf", "other.bdf"]
    assert [one["n_samples"] for one in done["outputs"]] == [400, 188, 200]
    again = told(0, ward, "--chain", chain, "--output-dir", out, "--to", ".bdf", "--resume")
    assert [one["seconds"] for one in again["outputs"]] == [0, 0, 0]
    capsys.readouterr()
    assert run(("filter", str(ward), "--chain", str(chain), "--output-dir", str(out), "--to", "gdf")) == 2
    assert "is none of edf, bdf, vhdr" in capsys.readouterr().err
    assert run(("filter", str(ward / "m.hea"), "--chain", str(chain), "-o", str(out / "y.csv"), "--to", "edf")) == 2
