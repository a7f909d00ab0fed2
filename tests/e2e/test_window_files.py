"""Files in the real window: recordings, projects, exports and folders, and what cannot be read."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from jaxscope.compute.conductor import ExportRequest
from jaxscope.session import actions as act
from jaxscope.session.project import load_project


@pytest.mark.parametrize(
    ("name", "content"),
    [("empty.edf", b""), ("wrong.edf", b"%PDF-1.4 nothing of an EDF in here" * 20), ("odd.xyz", b"\x00\x01" * 50)],
)
def test_bad_file_is_explained_on_the_start_screen(driver, tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    window = driver.session.window
    window.actions_.open_path(str(path))
    driver.wait(lambda: bool(window.start.failure_words))
    assert window.start.isVisible()
    assert not window.shell.has_recording


def test_bad_file_leaves_the_open_recording_on_the_screen(driver, demo, tmp_path):
    driver.open(demo)
    path = tmp_path / "broken.edf"
    path.write_bytes(b"0       broken")
    window = driver.session.window
    window.actions_.open_path(str(path))
    driver.wait(lambda: window.notices.current is not None)
    assert "broken.edf" in window.notices.current.sentence
    assert window.shell.path == demo
    assert window.traces.picture is not None


def test_project_is_saved_and_brings_everything_back(driver, demo, tmp_path):
    driver.open(demo)
    window, store = driver.session.window, driver.session.store
    store.dispatch(act.LookAt(start_s=40.0, duration_s=5.0))
    store.dispatch(act.HideChannels(names=("Fp1",)))
    assert store.has_unsaved_changes
    path = str(tmp_path / "work.jaxscope")
    window.actions_.project_path = path
    assert window.actions_.save()
    assert not store.has_unsaved_changes
    assert load_project(path).document.chains == store.state.document.chains
    window.actions_.close_recording()
    store.dispatch(act.SetChains(chains=()))
    window.actions_.project_path = ""
    window.actions_.discards = True  # or it would ask about the chains that are gone
    window.actions_.open_path(path)
    driver.wait(lambda: window.shell.has_recording)
    driver.wait_for_after()
    assert (store.state.viewport.start_s, store.state.viewport.duration_s) == (40.0, 5.0)
    assert window.rail.lanes[0].name == "Fpz"
    assert len(store.state.document.chains) == 3


def test_export_writes_what_the_window_shows(driver, demo, tmp_path):
    driver.open(demo)
    window = driver.session.window
    target = tmp_path / "out.npy"
    driver.session.conductor.export(ExportRequest(path=str(target), channels=("O1",), start_s=34.0, stop_s=36.0))
    driver.wait(lambda: window.notices.current is not None)
    assert window.notices.current.sentence == "Saved out.npy"
    driver.change(act.LookAt(start_s=34.0, duration_s=2.0))
    block = window.traces.picture.scene.frame.blocks[0]
    assert block.bin_samples == 1
    seen = (block.times_s >= 34.0) & (block.times_s < 36.0)
    written = np.load(target).ravel()
    shown = block.after.low[block.channels.index(18)][seen]
    np.testing.assert_allclose(shown, written[: len(shown)], atol=1e-3)


def test_recording_that_is_closed_while_it_opens_stays_closed(driver, demo):
    window = driver.session.window
    window.actions_.open_path(demo)
    assert driver.session.conductor.wait_idle(60)
    window.actions_.close_recording()
    for _ in range(20):
        QApplication.processEvents()
    assert not window.shell.has_recording
    driver.open(demo)


def test_rate_is_asked_for_where_the_file_does_not_tell_it(driver, tmp_path):
    path = tmp_path / "plain.npy"
    np.save(path, np.sin(np.arange(4000) / 9.0)[None])
    window = driver.session.window
    window.actions_.open_path(str(path))
    driver.wait(lambda: window.floating.import_sheet is not None and window.floating.import_sheet.isVisible())
    sheet = window.floating.import_sheet
    sheet.field.setText("fast")
    sheet.open_button.click()
    assert sheet.isVisible()
    assert sheet.field.is_wrong
    sheet.field.setText("200 Hz")
    sheet.open_button.click()
    driver.wait(lambda: window.shell.has_recording)
    assert window.shell.info.channels[0].rate_hz == 200.0
    assert driver.session.store.state.document.recording.rate_hz == 200.0
    driver.wait(lambda: window.traces.picture is not None)


def test_a_folder_is_filtered_from_the_start_screen(driver, tmp_path):
    folder = tmp_path / "night"
    folder.mkdir()
    (folder / "a.npz").write_bytes(b"PK?")
    for name in ("b.npz", "c.npz"):
        np.savez(folder / name, data=np.random.default_rng(1).normal(size=(2, 2000)), rate_hz=250.0)
    window = driver.session.window
    window.actions_.filter_folder(str(folder))
    driver.wait(lambda: window.folder.isVisible())
    assert window.shell.path == str(folder / "b.npz")  # the first one that can be read
    assert [row.name for row in window.folder.table.rows.rows] == ["a.npz", "b.npz", "c.npz"]
    window.folder.go.click()
    driver.wait(lambda: not window.folder.is_running and window.folder.table.rows.count("saved") == 2)
    assert sorted(path.name for path in (tmp_path / "night-filtered").glob("*.npz")) == ["b.npz", "c.npz"]


def test_a_recording_that_cannot_be_opened_brings_none_of_a_folder_that_was_closed(driver, tmp_path):
    folder = tmp_path / "night"
    folder.mkdir()
    for name in ("a.npz", "b.npz"):
        np.savez(folder / name, data=np.random.default_rng(1).normal(size=(2, 2000)), rate_hz=250.0)
    (tmp_path / "broken.npz").write_bytes(b"PK?")
    window = driver.session.window
    window.actions_.filter_folder(str(folder))
    driver.wait(lambda: window.shell.path == str(folder / "a.npz"))
    window.actions_.close_recording()
    assert not window.shell.has_recording
    window.actions_.open_path(str(tmp_path / "broken.npz"))
    driver.wait(lambda: bool(window.start.failure_words))
    assert window.actions_.conductor.wait_idle()
    QApplication.processEvents()
    assert not window.shell.has_recording
    assert "broken.npz" in window.start.failure_words


def test_a_folder_without_recordings_is_told_on_the_start_screen(driver, tmp_path):
    window = driver.session.window
    window.actions_.filter_folder(str(tmp_path))
    driver.wait(lambda: bool(window.start.failure_words))
    assert "holds no recordings" in window.start.failure_words
    assert not window.folder.is_open
