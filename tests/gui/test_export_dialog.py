"""The export dialog: what is asked for, what is refused, progress, cancel and outcome."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from jaxscope.compute.conductor import ExportRequest
from jaxscope.compute.formats import writable_format, writable_titles
from jaxscope.compute.frames import ExportProgress, Failure, Opened
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.gui.theme import theme
from jaxscope.gui.views.export_dialog import ExportDialog, format_for_source
from jaxscope.gui.views.export_dialog_parts import applied_lines, clock, format_of, free_path, suggested_path, time_left
from jaxscope.resource_files import resource_path
from jaxscope.session.state import ChannelLook, Document, RecordingRef, SessionState, Viewport
from jaxscope.writers import WRITERS

JOB = 7


@pytest.fixture
def source(tmp_path):
    made = tmp_path / "night.edf"
    made.write_bytes(b"0")
    return made


@pytest.fixture
def state(source):
    chain = FilterChain(name="EEG", channels=("Fp1", "O1"), phase="zero", stages=(Stage(spec=FAMILIES["notch"]()),))
    return SessionState(
        document=Document(
            recording=RecordingRef(path=str(source)), chains=(chain,), looks=(("ECG", ChannelLook(hidden=True)),)
        ),
        viewport=Viewport(start_s=2.0, duration_s=5.0, selected_channels=("O1",)),
    )


@pytest.fixture
def dialog(qtbot, state, source):
    window = QWidget()
    qtbot.addWidget(window)
    theme().dress(window)
    window.resize(1100, 700)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    started, cancelled = [], []

    def start(request: ExportRequest) -> int:
        started.append(request)
        return JOB

    made = ExportDialog(window, start, cancelled.append)
    made.started, made.cancelled, made.host = started, cancelled, window
    names = ("Fp1", "O1", "ECG")
    channels = tuple(Channel(name=name, kind="eeg", rate_hz=256.0, n_samples=2560) for name in names)
    made.show_frame(
        Opened(
            recording_id="r", path=str(source), info=RecordingInfo(format="edf", duration_s=724.0, channels=channels)
        )
    )
    made.show_state(state, state)
    made.open_sheet()
    return made


def click(qtbot, widget):
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


@pytest.fixture
def formats_asked(monkeypatch):
    """Note which formats are imported."""
    asked, real = [], type(WRITERS).__getitem__

    def note(registry, name):
        if registry is WRITERS:
            asked.append(name)
        return real(registry, name)

    writable_format.cache_clear()
    monkeypatch.setattr(type(WRITERS), "__getitem__", note)
    return asked


def test_it_opens_without_importing_a_format_but_the_one_it_offers(formats_asked, dialog):
    assert set(formats_asked) == {"edf"}


def test_the_defaults_are_everything_beside_the_recording(qtbot, dialog, source):
    click(qtbot, dialog.export_button)
    assert dialog.started == [ExportRequest(path=str(source.with_name("night-filtered.edf")))]


@pytest.mark.parametrize("suffix", [suffix for suffix, _ in writable_titles()])
def test_a_format_changes_the_suffix_and_the_other_way_round(qtbot, dialog, suffix):
    one = writable_format(suffix)
    dialog.format.activated.emit(dialog.format.keys().index(one.suffix))
    assert dialog.path.text().endswith(f"night-filtered{one.suffix}")
    assert dialog.format_note.text() == one.note
    dialog.path.selectAll()
    qtbot.keyClicks(dialog.path, f"x{one.suffix}")
    assert dialog.format.current == one.suffix


def test_channels_and_time_go_into_the_request(qtbot, dialog):
    assert dialog.channels.keys() == ("all", "shown", "chosen")
    click(qtbot, dialog.channels.button("shown"))
    assert dialog.request().channels == ("Fp1", "O1")
    click(qtbot, dialog.channels.button("chosen"))
    assert dialog.request().channels == ("O1",)
    click(qtbot, dialog.span.button("window"))
    assert (dialog.request().start_s, dialog.request().stop_s) == (2.0, 7.0)
    click(qtbot, dialog.span.button("range"))
    dialog.first.selectAll()
    qtbot.keyClicks(dialog.first, "3")
    assert (dialog.request().start_s, dialog.request().stop_s) == (3.0, 7.0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Choose where to save."),
        ("clean.xyz", "clean.xyz has no suffix of a format that can be written"),
        ("SOURCE", "That is the recording itself"),
    ],
)
def test_what_cannot_be_written_is_said_and_not_started(qtbot, dialog, source, text, sentence):
    dialog.path.setText(str(source) if text == "SOURCE" else text)
    click(qtbot, dialog.export_button)
    assert dialog.trouble.text().startswith(sentence)
    assert dialog.trouble.isVisible()
    assert dialog.started == []


def test_an_end_before_the_beginning_is_refused(qtbot, dialog):
    click(qtbot, dialog.span.button("range"))
    dialog.last.show_value(1.0)
    click(qtbot, dialog.export_button)
    assert dialog.trouble.text() == "The end must be after the beginning."


def test_an_existing_file_is_replaced_only_after_a_second_click(qtbot, dialog, tmp_path):
    (tmp_path / "night-filtered.edf").write_bytes(b"1")
    click(qtbot, dialog.export_button)
    assert dialog.started == []
    assert dialog.trouble.text() == "night-filtered.edf exists."
    assert dialog.export_button.text() == "Replace"
    assert dialog.save_other.text() == "Save as night-filtered-2.edf"
    click(qtbot, dialog.export_button)
    assert dialog.started[0].overwrite


def test_another_name_can_be_taken_instead(qtbot, dialog, tmp_path):
    (tmp_path / "night-filtered.edf").write_bytes(b"1")
    click(qtbot, dialog.export_button)
    click(qtbot, dialog.save_other)
    assert dialog.started == [ExportRequest(path=str(tmp_path / "night-filtered-2.edf"))]


def test_typing_another_name_takes_the_question_back(qtbot, dialog, tmp_path):
    (tmp_path / "night-filtered.edf").write_bytes(b"1")
    click(qtbot, dialog.export_button)
    qtbot.keyClicks(dialog.path, "x")
    assert dialog.export_button.text() == "Export recording"
    assert not dialog.save_other.isVisible()


def test_progress_then_done_says_where_and_what_was_lost(qtbot, dialog):
    click(qtbot, dialog.export_button)
    dialog.show_frame(ExportProgress(job=JOB, share=0.38, seconds_left=4.0))
    assert dialog.progress.words == "38 %, 4 s left"
    assert dialog.export_button.is_busy
    dialog.show_frame(ExportProgress(job=99, share=0.9))
    assert dialog.progress.words == "38 %, 4 s left"
    dialog.show_frame(
        ExportProgress(job=JOB, share=1.0, done=True, path="/x/a.edf", warnings=("events were left out",))
    )
    assert dialog.outcome.text() == "Saved /x/a.edf. events were left out."
    assert not dialog.progress.isVisible()
    assert not dialog.export_button.is_busy
    assert dialog.cancel_button.text() == "Close"
    assert dialog.applied.height() >= dialog.applied.sizeHint().height()


def test_cancel_cancels_the_job_first_and_closes_only_without_one(qtbot, dialog):
    click(qtbot, dialog.export_button)
    click(qtbot, dialog.cancel_button)
    assert dialog.cancelled == [JOB]
    assert dialog.isVisible()
    dialog.show_frame(ExportProgress(job=JOB, share=0.4, cancelled=True))
    assert dialog.trouble.text() == "Cancelled. Nothing was written."
    click(qtbot, dialog.cancel_button)
    assert not dialog.isVisible()


def test_a_failure_is_said_with_its_hint(qtbot, dialog):
    click(qtbot, dialog.export_button)
    dialog.show_frame(
        Failure(revision=1, what="export", sentence="Not enough room in /data", hint="choose another folder")
    )
    assert dialog.trouble.text() == "Not enough room in /data. Choose another folder."
    assert not dialog.export_button.is_busy


def test_closing_and_opening_again_finds_the_running_export(qtbot, dialog):
    click(qtbot, dialog.export_button)
    dialog.show_frame(ExportProgress(job=JOB, share=0.5))
    dialog.close_floating()
    dialog.open_sheet()
    assert dialog.progress.isVisible()
    assert dialog.export_button.is_busy


def test_the_card_says_what_is_applied_to_which_channels(dialog, state):
    assert dialog.applied.lines() == [
        ("EEG, 2", "Notch 50.0 Hz · Q 30; forward and backward, zero-phase"),
        ("ECG", "as recorded"),
    ]
    off = replace(state, document=replace(state.document, filter_on=False))
    assert applied_lines(off.document, None) == [("All", "as recorded: the filter is off")]


def test_the_sentence_can_be_copied(qtbot, dialog, state, frame_of):
    assert not dialog.copy.isVisible()
    dialog.show_frame(frame_of(state, 1))
    click(qtbot, dialog.copy)
    assert QGuiApplication.clipboard().text() == "A sentence."


@pytest.mark.parametrize(("seconds", "words"), [(724.0, "12:04"), (3723.0, "1:02:03"), (4.4, "0:04")])
def test_lengths_are_written_as_clocks(seconds, words):
    assert clock(seconds) == words


def test_small_names_and_times(tmp_path):
    assert time_left(4.2) == "4 s"
    assert time_left(130.0) == "2:10"
    assert format_of("A.EDF").title == "EDF+"
    assert format_of("a.xyz") is None
    assert format_for_source("a.wav") == ".wav"
    assert format_for_source("a.xdf") == ".edf"
    (tmp_path / "a.edf").touch()
    (tmp_path / "a-2.edf").touch()
    assert free_path(str(tmp_path / "a.edf")).endswith("a-3.edf")


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_nothing_of_a_page_is_squeezed_where_text_is_large(dialog, scale):
    theme().set_text_scale(scale)
    dialog.host.resize(1280, 800)
    QApplication.processEvents()
    assert dialog.applied.height() == dialog.applied.sizeHint().height()
    note = dialog.format_note
    assert note.height() >= note.heightForWidth(note.width())
    page = dialog.parts.recording
    assert page.rect().contains(note.geometry())
    assert page.rect().contains(dialog.applied.geometry())


def test_what_is_made_of_the_demonstration_goes_to_a_persons_own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    demo = resource_path("demo.edf")
    assert suggested_path(str(demo), ".edf") == str(tmp_path / "demo-filtered.edf")
    own = tmp_path / "data" / "night.edf"
    assert suggested_path(str(own), ".bdf") == str(own.with_name("night-filtered.bdf"))


def test_a_chain_without_a_name_is_called_by_its_letter(state):
    chains = tuple(replace(chain, name="") for chain in state.document.chains)
    lines = applied_lines(replace(state.document, chains=chains), None)
    assert lines[0][0] == "Chain A"
