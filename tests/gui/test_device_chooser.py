"""The device chooser: what is here and what is not, measured on request, and the times of the last redraws."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from jaxscope.compute.device_frames import DeviceChoice, Devices
from jaxscope.compute.frames import AgreementFrame, Busy, Frame
from jaxscope.engines.methods import METHODS
from jaxscope.gui.components.painting import text_width
from jaxscope.gui.theme import theme
from jaxscope.gui.views.devices import AbsentRow, CpuDevices, DevicesPopover, method_title
from jaxscope.gui.views.devices_history import write_error, write_ms
from jaxscope.session.actions import ChooseEngine
from jaxscope.session.state import EngineChoice, SessionState

DEVICES = Devices(
    devices=(
        DeviceChoice(id="cpu:0", title="CPU", detail="16 cores", available=True, measured_ms=9.4),
        DeviceChoice(id="gpu:0", title="GPU 0", detail="some card", available=True, measured_ms=3.1),
        DeviceChoice(id="tpu:0", title="TPU", detail="", available=False, reason="no TPU here"),
    ),
    methods=("auto", "block", "scan", "scipy"),
)


def frame(ms: float, **fields: object) -> Frame:
    made = Frame(
        revision=1, recording_id="r", start_s=0.0, stop_s=10.0, blocks=(), settled=True, compute_ms=ms, method="block",
        method_reason="measured", device="cpu:0", precision="float64", n_channels=21, n_samples=5120, scales={},
        settling_99_s=0.0, settling_9999_s=0.0,
    )  # fmt: skip
    return replace(made, **fields)


@pytest.fixture
def chooser(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1000, 700)
    anchor = QPushButton("chip", window)
    anchor.setGeometry(700, 10, 250, 32)
    window.show()
    log, asked = [], []
    stopped, wanted = [], [1]

    def want(count: int) -> None:
        wanted[0] = count

    parts = CpuDevices(read=lambda: wanted[0], change=want)
    made = DevicesPopover(
        window, log.append, lambda *, measure: asked.append(measure), lambda: stopped.append(True), parts
    )
    made.stopped, made.wanted = stopped, wanted
    made.log, made.asked, made.anchor, made.host = log, asked, anchor, window
    made.show_state(SessionState(), SessionState())
    made.open_under(anchor)
    made.show_frame(DEVICES)
    return made


def test_opening_asks_for_the_devices_without_measuring(chooser):
    assert chooser.asked == [False]
    chooser.close_floating()
    chooser.open_under(chooser.anchor)
    assert chooser.asked == [False]


@pytest.mark.parametrize("text_scale", [1.0, 1.25, 1.5])
def test_no_method_is_cut(qtbot, chooser, text_scale):
    theme().set_text_scale(text_scale)
    chooser.host.resize(round(1000 * text_scale), 700)
    chooser.show_frame(replace(DEVICES, methods=("auto", *METHODS)))
    chooser.close_floating()
    chooser.open_under(chooser.anchor)
    qtbot.wait(1)
    buttons = chooser.method.findChildren(QToolButton)
    assert len(buttons) == len(METHODS) + 1
    for button in buttons:
        assert text_width(button.text(), button.font()) <= button.width(), button.text()
    assert chooser.method.width() >= chooser.method.sizeHint().width()


def test_what_is_here_can_be_chosen_and_the_rest_says_why(chooser):
    assert [row.choice.id for row in chooser.rows] == ["cpu:0", "gpu:0"]
    absent = chooser.findChildren(AbsentRow)
    assert [row.choice.title for row in absent if row.isVisible()] == ["TPU"]
    assert "no TPU here" in absent[0].accessibleName()


def test_the_device_of_the_state_is_marked_and_a_click_chooses_another(qtbot, chooser):
    assert [row.isChecked() for row in chooser.rows] == [True, False]
    assert chooser.log == []
    qtbot.mouseClick(chooser.rows[1], Qt.MouseButton.LeftButton)
    assert chooser.log == [ChooseEngine(device="gpu:0")]
    chooser.show_state(SessionState(engine=EngineChoice(device="gpu:0")), SessionState())
    assert [row.isChecked() for row in chooser.rows] == [False, True]


def test_the_fastest_is_marked_only_among_measured_ones(chooser):
    assert [row._is_fastest for row in chooser.rows] == [False, True]
    devices = tuple(replace(one, measured_ms=None) for one in DEVICES.devices)
    chooser.show_frame(replace(DEVICES, devices=devices))
    assert [row._is_fastest for row in chooser.rows] == [False, False]


def test_measuring_is_asked_for_and_shown_as_busy_until_the_answer(qtbot, chooser):
    qtbot.mouseClick(chooser.measure, Qt.MouseButton.LeftButton)
    assert chooser.asked == [False, True]
    chooser.show_frame(Busy(what="measuring", label="Measuring GPU 0, 2 of 3", share=0.3))
    assert chooser.progress.text() == "Measuring GPU 0, 2 of 3"
    assert chooser.measure.text() == "Cancel"
    chooser.show_frame(Busy(what="measuring", label="", done=True))
    assert (chooser.progress.text(), chooser.measure.text()) == ("", "Measure here")


def test_measuring_can_be_cancelled(qtbot, chooser):
    chooser.show_frame(Busy(what="measuring", label="Measuring CPU 0, 1 of 3", share=0.0))
    qtbot.mouseClick(chooser.measure, Qt.MouseButton.LeftButton)
    assert chooser.asked == [False]
    assert chooser.stopped == [True]


def test_what_ran_is_what_the_results_tell(chooser):
    chooser.show_frame(frame(3.0, ran_on=("cpu:0", "cpu:1")))
    assert chooser.ran_on.text() == "The results are on CPU 0 and CPU 1, in float64"
    chooser.show_frame(frame(3.0, method="scipy"))
    assert chooser.ran_on.text() == "SciPy ran on the processor"


def test_another_number_of_cpu_devices_says_that_it_needs_a_new_start(qtbot, chooser):
    assert chooser.parts.text() == "1"
    chooser.parts.stepped.emit(1)
    chooser.parts.stepped.emit(1)
    assert chooser.wanted == [3]
    assert chooser.parts_note.text() == "1 now; 3 after jaxscope is started again"
    chooser.parts.typed.emit("900")
    assert chooser.wanted == [64]
    chooser.parts.typed.emit("1")
    assert chooser.parts_note.text() == "devices made of this processor"


def test_a_device_that_cannot_run_the_view_says_why(chooser):
    choice = replace(DEVICES.devices[1], measured_ms=None, reason="GPU 0 has no room for this view")
    plain = chooser.grab().toImage()
    chooser.show_frame(replace(DEVICES, devices=(DEVICES.devices[0], choice)))
    assert chooser.grab().toImage() != plain
    assert chooser.rows[1].choice.reason in chooser.rows[1].accessibleName()


def test_precision_and_method_are_chosen(qtbot, chooser):
    qtbot.mouseClick(chooser.precision.button("float32"), Qt.MouseButton.LeftButton)
    qtbot.mouseClick(chooser.method.button("scan"), Qt.MouseButton.LeftButton)
    assert chooser.log == [ChooseEngine(precision="float32"), ChooseEngine(method="scan")]


def test_one_line_says_what_auto_picked(chooser):
    chooser.show_frame(frame(3.0))
    assert chooser.reason.text() == "Auto picked Block: 21 × 5120 samples, measured"
    chooser.show_state(SessionState(engine=EngineChoice(method="block")), SessionState())
    chooser.show_frame(frame(3.0))
    assert chooser.reason.text() == "Block, chosen by hand: 21 × 5120 samples"


def test_typical_is_the_median_and_slowest_in_20_the_95th_percentile_of_the_last_120(chooser):
    for _ in range(50):
        chooser.show_frame(frame(1000.0))
    for number in range(120):
        chooser.show_frame(frame(1.0 + number / 100))
    assert chooser.history.typical() == "1.6 ms"
    assert chooser.history.slowest() == "2.1 ms"


def test_it_paints_the_error_by_its_size(chooser):
    pictures = []
    for relative in (2e-7, 1e-3, 0.5, None):
        agreement = AgreementFrame(revision=1, relative_error=relative, max_abs=None, checked="2 s of 3 channels")
        chooser.show_frame(agreement)
        pictures.append(chooser.history.grab().toImage())
    assert all(one != other for at, one in enumerate(pictures) for other in pictures[at + 1 :])


@pytest.mark.parametrize(("value", "words"), [(3.14, "3.1 ms"), (123.4, "123 ms")])
def test_times_are_written_with_a_unit(value, words):
    assert write_ms(value) == words


@pytest.mark.parametrize(("value", "words"), [(2.3e-7, "2 × 10⁻⁷"), (0.0, "0"), (9.6e-5, "1 × 10⁻⁴")])
def test_errors_are_written_as_powers(value, words):
    assert write_error(value) == words


def test_methods_have_titles():
    assert [method_title(name) for name in ("auto", "overlap-save", "scipy")] == ["Auto", "Overlap-save", "SciPy"]
