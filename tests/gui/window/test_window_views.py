"""The rail, the axis, the strip, the bars: what they show, and the actions that they cause."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6 import __version_info__ as PYSIDE_VERSION
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jaxscope.compute.frames import (
    AgreementFrame,
    Blocked,
    Busy,
    ExportProgress,
    Failure,
)
from jaxscope.data.labels import found_name
from jaxscope.errors import SpecError
from jaxscope.gui.painting.geometry import RAIL_PX
from jaxscope.gui.views.status_bar import memory_text
from jaxscope.gui.views.top_bar_readout import error_text, time_text
from jaxscope.session import actions as act

# --- layout


def test_regions_have_the_sizes_of_the_grid(desk):
    window = desk.window
    assert (window.top.height(), window.status.height(), window.axis.height()) == (52, 28, 28)
    assert (window.overview.height(), window.strip.height()) == (76, 36)
    assert window.rail.width() == RAIL_PX == 152
    assert window.dock.width() == 400
    assert window.traces.height() == window.rail.height() == 1000 - 52 - 36 - 28 - 76 - 28
    assert window.traces.mapTo(window, QPoint()).y() == window.rail.mapTo(window, QPoint()).y()


def test_narrow_window_shrinks_dock_and_chip(desk):
    desk.window.resize(1280, 800)
    desk.pump()
    assert desk.window.dock.width() == 360
    assert desk.window.top.chip._words == ("CPU 0", "f64")
    desk.window.resize(1600, 1000)
    desk.pump()
    assert desk.window.dock.width() == 400
    assert desk.window.top.chip._words == ("CPU 0", "float64", "Auto")


def test_widths_are_told_to_the_conductor(desk):
    widths = [asked for asked in desk.conductor.asked if asked[0] == "width"]
    assert widths[-1] == ("width", desk.window.traces.width(), round(desk.window.overview.envelope_width()))


def test_zen_leaves_the_traces(desk):
    desk.window.actions_.toggle_zen()
    assert desk.window.traces.isVisible()
    assert not desk.window.dock.isVisible()
    assert not desk.window.overview.isVisible()
    desk.window.actions_.toggle_zen()
    assert desk.window.dock.isVisible()


# --- rail


def rail_point(desk, row: int, x: int) -> QPoint:
    rail = desk.window.rail
    return QPoint(x, round((row + 0.5) * rail.height() / len(rail.lanes)))


def test_rail_selects_hides_and_shows_alone(desk):
    rail = desk.window.rail
    QTest.mouseClick(rail, Qt.MouseButton.LeftButton, pos=rail_point(desk, 2, 40))
    assert desk.store.state.viewport.selected_channels == ("O1",)
    QTest.mouseClick(rail, Qt.MouseButton.LeftButton, pos=rail_point(desk, 2, 92))
    assert [lane.name for lane in rail.lanes] == ["O1"]
    QTest.mouseClick(rail, Qt.MouseButton.LeftButton, pos=rail_point(desk, 0, 92))
    assert len(rail.lanes) == 6
    QTest.mouseClick(rail, Qt.MouseButton.LeftButton, pos=rail_point(desk, 0, 70))
    assert rail.lanes[0].name == "Fp2"


def test_rail_drag_reorders(desk):
    rail = desk.window.rail
    QTest.mousePress(rail, Qt.MouseButton.LeftButton, pos=rail_point(desk, 0, 40))
    QTest.mouseMove(rail, rail_point(desk, 1, 40))
    QTest.mouseMove(rail, QPoint(40, round(3 * rail.height() / 6)))
    QTest.mouseRelease(rail, Qt.MouseButton.LeftButton, pos=QPoint(40, round(3 * rail.height() / 6)))
    assert [lane.name for lane in rail.lanes] == ["Fp2", "O1", "Fp1", "O2", "VEOG", "ECG"]
    assert [lane.name for lane in desk.window.traces.model.lanes] == [lane.name for lane in rail.lanes]


def test_rail_tag_asks_for_the_chain_and_assigning_changes_it(desk, qtbot):
    rail = desk.window.rail
    rail.tag_menu_asked.disconnect()
    with qtbot.waitSignal(rail.tag_menu_asked) as asked:
        QTest.mouseClick(rail, Qt.MouseButton.LeftButton, pos=rail_point(desk, 4, rail.width() - 20))
    assert asked.args[0] == "VEOG"
    desk.window.shell.assign(("VEOG",), 1)
    assert rail.lanes[4].tag == "B"
    desk.window.shell.assign(("Fp1",), None)
    assert [lane.tag for lane in rail.lanes] == ["", "A", "A", "A", "B", "B"]


def test_rail_says_what_a_row_is(desk):
    rail = desk.window.rail
    assert rail._tip_at(QPointF(rail_point(desk, 0, 40))) == "Fp1, EEG, µV, 100 Hz, gain ×1. Drag to reorder"
    assert "Butterworth" in rail._tip_at(QPointF(rail_point(desk, 0, 140)))
    assert "No filter" in rail._tip_at(QPointF(rail_point(desk, 4, 140)))


# --- time axis


def test_dragging_the_axis_scrolls(desk):
    desk.store.dispatch(act.LookAt(start_s=30.0, duration_s=10.0))
    axis = desk.window.axis
    QTest.mousePress(axis, Qt.MouseButton.LeftButton, pos=QPoint(600, 10))
    QTest.mouseMove(axis, QPoint(600 + desk.window.traces.width() // 10, 10))
    QTest.mouseRelease(axis, Qt.MouseButton.LeftButton, pos=QPoint(700, 10))
    assert desk.store.state.viewport.start_s == pytest.approx(29.0, abs=0.02)


def test_pointer_time_is_told_to_the_axis_and_follows_a_scroll(desk):
    view = desk.window.traces
    view.set_pointer(QPointF(view.width() / 2, 100))
    assert desk.window.axis._pointer_s == pytest.approx(5.0, abs=0.01)
    desk.store.dispatch(act.LookAt(start_s=20.0, duration_s=10.0))
    assert desk.window.axis._pointer_s == pytest.approx(25.0, abs=0.01)


def test_clock_time_needs_a_start(desk):
    axis = desk.window.axis
    desk.store.dispatch(act.SetDisplay(name="clock_time", value=True))
    assert axis._words(61.5, 1) == "09:31:01.5"
    desk.store.dispatch(act.SetDisplay(name="clock_time", value=False))
    assert axis._words(61.5, 1) == "01:01.5"


# --- strip


def test_steppers_change_window_and_all_scales_together(desk):
    strip = desk.window.strip
    assert strip.window_stepper.text() == "10 s"
    assert strip.scale_stepper.text() == "50 µV"
    before = desk.window.shell.scales.in_use(desk.store.state.viewport, ("eeg", "ecg"))
    strip.scale_stepper.stepped.emit(1)
    assert strip.scale_stepper.text() == "100 µV"
    after = desk.window.shell.scales.in_use(desk.store.state.viewport, ("eeg", "ecg"))
    assert after["eeg"] / before["eeg"] == pytest.approx(after["ecg"] / before["ecg"]) == pytest.approx(2.0)
    strip.window_stepper.stepped.emit(-1)
    assert desk.store.state.viewport.duration_s == 5.0
    strip.window_stepper.typed.emit("7.5 s")
    assert desk.store.state.viewport.duration_s == 7.5
    strip.window_stepper.typed.emit("long")
    assert strip.window_stepper.text() == "7.5 s"


def test_search_prefers_the_exact_name():
    names = ["Fp1", "O1", "O11", "Pz", "EEG O1"]
    assert found_name(names, "o1") == "O1"
    assert found_name(names, "p") == "Pz"
    assert found_name(names, "eg o") == "EEG O1"
    assert found_name(names, "Fz2") is None


def test_legend_says_what_is_seen(desk):
    strip = desk.window.strip
    assert [entry.name for entry in strip.legend.entries()] == ["Before", "After"]
    desk.store.dispatch(act.ChooseMode(mode="difference"))
    assert strip.legend.entries()[0].note == "before − after: what the filter took away"
    desk.store.dispatch(act.ShowRaw(raw=True))
    assert strip.legend.entries()[0].name == "Raw, filter hidden"
    desk.store.dispatch(act.ToggleFilter(on=False))
    assert strip.legend.entries()[0].name == "Filter off"


# --- bars and banners


def test_unstable_is_said_everywhere_and_undo_takes_it_away(desk):
    window = desk.window
    desk.store.dispatch(act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=10.0))
    blocked = Blocked(
        revision=desk.store.revision,
        reason="Unstable: a pole pair is outside the circle, at radius 1.018",
        kind="unstable",
        chain=0,
        pole_radius=1.018,
    )
    top_before = window.traces.mapTo(window, QPoint())
    window.receive(blocked)
    desk.pump()
    assert window.notices.current is not None
    assert "1.018" in window.notices.current.sentence
    assert window.banner.isVisible()
    assert not window.strip.isVisible()
    assert window.traces.mapTo(window, QPoint()) == top_before
    assert window.status.badge == "Filter unstable"
    assert not window.top.export_button.isEnabled()
    assert not window.actions_.can_export
    window.notices.current.actions[0][2]()
    assert desk.store.state.document.chains[0].stages[0].spec.cutoff_hz == 20.0
    desk.show_frame()
    assert window.notices.current is None
    assert window.strip.isVisible()
    assert window.top.export_button.isEnabled()


def test_late_block_of_an_older_state_is_not_shown(desk):
    desk.store.dispatch(act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=10.0))
    desk.show_frame()
    desk.window.receive(Blocked(revision=desk.store.revision - 1, reason="Unstable", kind="unstable"))
    assert desk.window.notices.current is None
    assert desk.window.status.badge == "Filter on"


def test_readout_says_time_agreement_and_compiling(desk):
    readout = desk.window.top.readout
    desk.show_frame()
    assert readout.words() == ("", ""), "nothing was edited yet"
    desk.store.dispatch(act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=10.0))
    desk.show_frame()
    assert readout.words() == ("3.1 ms", "")
    desk.window.receive(AgreementFrame(revision=1, relative_error=2.1e-7, max_abs=1e-5, checked="2 s of 3 channels"))
    assert readout.words() == ("3.1 ms", "2 × 10⁻⁷")
    desk.window.receive(Busy(what="compiling", label="x"))
    assert readout._busy
    desk.window.receive(Busy(what="compiling", label="x", done=True))
    assert not readout._busy
    assert (time_text(42.3), time_text(1340.0)) == ("42 ms", "1.3 s")
    assert error_text(AgreementFrame(revision=1, relative_error=0.0, max_abs=0.0, checked="")) == "0"


def test_history_buttons_name_the_edit(desk):
    desk.store.dispatch(act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=10.0))
    top = desk.window.top
    assert top.undo_button.isEnabled()
    assert "20 → 10 Hz" in top.undo_button.toolTip()
    assert top.title._is_dirty
    QTest.mouseClick(top.undo_button, Qt.MouseButton.LeftButton)
    assert top.redo_button.isEnabled()
    assert not top.title._is_dirty


def test_export_progress_can_be_cancelled_from_the_status_bar(desk):
    status = desk.window.status
    desk.window.receive(ExportProgress(job=1, share=0.4, seconds_left=12.0))
    assert status._progress() == (0.4, "Exporting: 40 %, 12 s left")
    status.repaint()
    QTest.mouseClick(status, Qt.MouseButton.LeftButton, pos=status._cancel_rect.center().toPoint())
    assert ("cancel", 1) in desk.conductor.asked
    desk.window.receive(ExportProgress(job=1, share=0.0, done=True, cancelled=True))
    assert desk.window.notices.current.sentence == "The export was cancelled"


def test_failures_become_banners_and_can_be_closed(desk):
    desk.window.receive(Failure(revision=1, what="open", sentence="night.edf is not an EDF file", hint="it is a PDF"))
    assert desk.window.notices.current.sentence == "night.edf is not an EDF file"
    desk.window.notices.close()
    assert desk.window.strip.isVisible()


def test_refused_action_is_told_and_changes_nothing(desk):
    before = desk.store.state
    desk.window.shell.dispatch(act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=-4.0))
    assert desk.store.state is before
    assert desk.window.notices.current is not None
    with pytest.raises(SpecError):
        desk.store.dispatch(act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=-4.0))


def test_hint_never_flickers_with_each_frame(desk):
    desk.store.dispatch(act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=10.0))
    desk.show_frame()
    first = desk.window.status.hint()
    assert "5 channels × 10 s again on CPU 0, about 3.1 ms" in first
    assert desk.window.status.hint() == first
    desk.window.receive(replace(desk.make_frame(revision=desk.store.revision), n_channels=1))
    assert "filters 1 channel × 10 s" in desk.window.status.hint()


def test_memory_is_read_where_the_system_tells_it(tmp_path):
    file = tmp_path / "status"
    file.write_text("Name: x\nVmRSS:\t 1171875 kB\n")
    assert memory_text(file) == "1.2 GB"
    assert memory_text(tmp_path / "missing") == ""


# --- opening


def test_dropped_file_is_opened(desk):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/data/other.edf")])
    buttons, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    # Qt 6.12 tells positions of drags in parts of a pixel
    place = QPointF(10, 10) if PYSIDE_VERSION[:2] >= (6, 12) else QPoint(10, 10)
    enter = QDragEnterEvent(place, Qt.DropAction.CopyAction, data, buttons, none)
    QApplication.sendEvent(desk.window, enter)
    assert enter.isAccepted()
    drop = QDropEvent(QPointF(10, 10), Qt.DropAction.CopyAction, data, buttons, none)
    QApplication.sendEvent(desk.window, drop)
    assert desk.conductor.asked[-1] == ("open", "/data/other.edf")


def test_closing_shows_the_start_screen_and_an_error_is_explained_there(desk):
    desk.window.actions_.close_recording()
    desk.pump()
    window = desk.window
    assert window.start.isVisible()
    assert not window.traces.isVisible()
    assert not window.top.export_button.isVisible()
    assert "Nothing is uploaded" in window.status.hint()
    window.receive(Failure(revision=1, what="open", sentence="jaxscope can't read .xyz files", hint="it reads EDF"))
    assert window.start.failure_words == "jaxscope can't read .xyz files"
    assert window.start._error.isVisible()


def test_unknown_recording_is_remembered_in_the_settings(desk):
    assert desk.window.actions_.settings.recent == ("/data/six.edf",)


def test_dock_folds_in_a_small_window_and_opens_over_the_traces(desk):
    window = desk.window
    window.resize(1024, 640)
    desk.pump()
    assert not window.dock.isVisible()
    assert window.parts.fold.isVisible()
    assert window.parts.fold.width() == 44
    width = window.traces.width()
    QTest.mouseClick(window.parts.fold.button("chain"), Qt.MouseButton.LeftButton)
    desk.pump()
    assert window.dock.isVisible()
    assert window.traces.width() == width, "the traces are not pushed"
    assert window.dock.geometry().right() < window.width() - 44 + 1
    window.actions_.escape()
    assert not window.dock.isVisible()
    window.resize(1600, 1000)
    desk.pump()
    assert window.dock.isVisible()
    assert window.dock.width() == 400
    assert not window.parts.fold.isVisible()
