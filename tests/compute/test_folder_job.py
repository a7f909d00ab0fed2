"""Filtering a folder from the window: what the command line would do, told file by file, stopped and taken up again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from jaxscope.compute.batch import filter_file
from jaxscope.compute.folder_frames import FolderListed, FolderProgress
from jaxscope.compute.folder_job import FolderControl, FolderJobs, FolderRequest, folder_steps, listed, results_folder
from jaxscope.compute.lanes import window_lanes
from jaxscope.compute.scheduler import CancelToken, Scheduler
from jaxscope.compute.workbench import Workbench
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.state import Document, EngineChoice, RecordingRef

DOCUMENT = Document(
    chains=(FilterChain(name="low", stages=(Stage(spec=Butterworth(order=2, cutoff_hz=5.0)),), channels=()),)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with three recordings, one of them broken, and notes."""
    made = tmp_path / "night"
    (made / "deep").mkdir(parents=True)
    rng = np.random.default_rng(0)
    for name in ("a.csv", "deep/c.csv"):
        times = np.arange(400) / 100
        lines = [
            f"{second:.2f},{x:.5f},{y:.5f}" for second, x, y in zip(times, *rng.standard_normal((2, 400)), strict=True)
        ]
        (made / name).write_text("\n".join(["time,one,two", *lines]) + "\n", encoding="utf-8")
    (made / "b.edf").write_bytes(b"0       nothing like a header")
    (made / "notes.md").write_text("no recording", encoding="utf-8")
    return made


def _bench() -> tuple[Workbench, list[object]]:
    told: list[object] = []
    return Workbench(deliver=told.append), told


def _request(folder: Path, target: Path, **more: object) -> FolderRequest:
    rows = listed(str(folder), str(target)).rows
    return FolderRequest(rows=rows, target=str(target), document=DOCUMENT, engine=EngineChoice(), **more)  # type: ignore[arg-type]


def _last_rows(told: list[object]) -> dict[str, FolderProgress]:
    return {step.row.name: step for step in told if isinstance(step, FolderProgress) and step.row is not None}


def _run(bench: Workbench, request: FolderRequest) -> None:
    for _ in folder_steps(bench, request, CancelToken()):
        pass


def test_the_recordings_of_a_folder_are_listed_without_those_of_the_outputs(folder, tmp_path):
    target = folder / "filtered"
    target.mkdir()
    (target / "a.csv").write_text("time,x\n0,1\n", encoding="utf-8")
    found = listed(str(folder), str(target))
    assert [row.name for row in found.rows] == ["a.csv", "b.edf", "deep/c.csv"]
    assert all(row.state == "waiting" and row.size_bytes > 0 for row in found.rows)
    (tmp_path / "empty").mkdir()
    assert "holds no recordings" in listed(str(tmp_path / "empty"), str(target)).problem


def test_results_go_beside_their_folder_and_those_of_a_whole_disk_onto_it(tmp_path):
    assert results_folder(str(tmp_path / "night")) == results_folder(f"{tmp_path / 'night'}/")
    assert results_folder(str(tmp_path / "night")) == str(tmp_path / "night-filtered")
    disk = Path(tmp_path.anchor)
    assert results_folder(str(disk)) == str(disk / "-filtered")


def test_each_is_filtered_as_by_the_command_line_and_one_that_fails_says_why(folder, tmp_path):
    bench, told = _bench()
    target = tmp_path / "clean"
    _run(bench, _request(folder, target))
    last = _last_rows(told)
    assert {name: step.row.state for name, step in last.items()} == {
        "a.csv": "saved", "b.edf": "failed", "deep/c.csv": "saved",
    }  # fmt: skip
    assert last["b.edf"].row.sentence
    assert last["a.csv"].row.facts == "2 channels · 4 s"
    ours = (target / "deep" / "c.csv").read_text(encoding="utf-8")
    theirs = tmp_path / "theirs.csv"
    filter_file(str(folder / "deep" / "c.csv"), str(theirs), DOCUMENT.chains)
    assert ours == theirs.read_text(encoding="utf-8")
    shares = [step.share for step in told]
    assert shares == sorted(shares)
    assert (told[-1].share, told[-1].over) == (1.0, True)
    assert not bench.writing


def test_what_was_finished_is_skipped_and_another_filter_says_that_the_output_exists(folder, tmp_path):
    target = tmp_path / "clean"
    _run(_bench()[0], _request(folder, target))
    before = (target / "a.csv").stat().st_mtime_ns
    bench, told = _bench()
    _run(bench, _request(folder, target))
    assert _last_rows(told)["a.csv"].row.state == "before"
    assert (target / "a.csv").stat().st_mtime_ns == before
    other = replace(DOCUMENT, filter_on=False)
    bench, told = _bench()
    _run(bench, replace(_request(folder, target), document=other))
    row = _last_rows(told)["a.csv"].row
    assert row.state == "failed"
    assert "exists" in row.sentence
    bench, told = _bench()
    _run(bench, replace(_request(folder, target), document=other, overwrite=True))
    assert _last_rows(told)["a.csv"].row.state == "saved"
    assert (target / "a.csv").stat().st_mtime_ns != before


def test_closing_it_half_way_leaves_no_half_of_a_file_and_no_empty_folder(folder, tmp_path):
    bench, told = _bench()
    target = tmp_path / "clean"
    steps = folder_steps(bench, _request(folder, target), CancelToken())
    while not any(isinstance(step, FolderProgress) and step.row is not None and step.row.facts for step in told):
        next(steps)
    steps.close()
    assert told[-1].over
    assert not target.exists()
    assert not bench.writing


def test_a_folder_that_cannot_be_made_fails_in_the_row_of_its_file(folder, tmp_path):
    (tmp_path / "clean").write_text("a file", encoding="utf-8")
    bench, told = _bench()
    _run(bench, _request(folder, tmp_path / "clean"))
    assert {step.row.state for step in _last_rows(told).values()} == {"failed"}
    assert "cannot be made" in _last_rows(told)["a.csv"].row.sentence


def test_the_window_lists_begins_and_stops_on_its_lanes(folder, tmp_path):
    bench, told = _bench()
    errors: list[object] = []
    scheduler = Scheduler(window_lanes(0.0), on_error=lambda *given: errors.append(given), run_inline=True)
    jobs = FolderJobs(bench, scheduler)
    target = tmp_path / "clean"
    jobs.list(str(folder), str(target))
    assert isinstance(told[0], FolderListed)
    jobs.begin(_request(folder, target))
    assert told[-1].over
    jobs.stop()
    assert not errors
    assert scheduler.shut_down()


def test_what_the_open_recording_was_told_is_taken_for_the_others_of_its_format(tmp_path):
    folder, target = tmp_path / "night", tmp_path / "clean"
    folder.mkdir()
    values = np.random.default_rng(0).standard_normal(400)
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text("\n".join(["x", *(f"{value:.5f}" for value in values)]) + "\n", encoding="utf-8")
    np.save(folder / "c.npy", values)
    (folder / "d.csv").write_text(
        "\n".join(["time,x", *(f"{n / 50},{value:.5f}" for n, value in enumerate(values))]), encoding="utf-8"
    )
    document = replace(DOCUMENT, recording=RecordingRef(path=str(folder / "a.csv"), rate_hz=100.0))
    bench, told = _bench()
    _run(bench, replace(_request(folder, target), document=document))
    rows = {name: step.row for name, step in _last_rows(told).items()}
    assert {name: row.state for name, row in rows.items()} == {
        "a.csv": "saved", "b.csv": "saved", "c.npy": "failed", "d.csv": "saved",
    }  # fmt: skip
    assert rows["a.csv"].facts == "1 channel · 4 s"
    assert rows["b.csv"].facts == "1 channel · 4 s · read like a.csv"
    assert rows["d.csv"].facts.startswith("1 channel · 8 s"), "it tells its own rate, and keeps it"
    assert "open one such recording" in rows["c.npy"].hint
    assert "--rate" not in rows["c.npy"].hint


def test_a_job_that_is_held_waits_and_rows_are_left_out_and_taken_again(folder, tmp_path):
    bench, told = _bench()
    control = FolderControl()
    control.skipped.add(0)
    control.again.append(1)
    control.hold(held=True)
    steps = folder_steps(bench, _request(folder, tmp_path / "clean"), CancelToken(), control)
    for _ in range(20):
        next(steps)
    assert told == []
    control.hold(held=False)
    for _ in steps:
        pass
    assert {name: step.row.state for name, step in _last_rows(told).items()} == {
        "a.csv": "skipped", "b.edf": "failed", "deep/c.csv": "saved",
    }  # fmt: skip
    running = [step.row for step in told if step.row is not None and step.row.state == "running"]
    begun = [row.name for row in running if not row.share]
    assert begun[0] == "b.edf"
    assert begun[-1] == "b.edf"
    assert control.passed == {0, 1, 2}


def test_results_may_be_of_another_format_and_never_take_the_place_of_each_other(folder, tmp_path):
    (folder / "a.tsv").write_text((folder / "a.csv").read_text().replace(",", "\t"), encoding="utf-8")
    bench, told = _bench()
    _run(bench, _request(folder, tmp_path / "clean", suffix=".npz"))
    rows = {name: step.row for name, step in _last_rows(told).items()}
    assert rows["a.csv"].state == rows["deep/c.csv"].state == "saved"
    assert (tmp_path / "clean" / "deep" / "c.npz").is_file()
    assert rows["a.tsv"].sentence.startswith("a.csv would be written to")
