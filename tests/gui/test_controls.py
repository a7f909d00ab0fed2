"""Buttons, segments, switches, sliders, labels: what a person does is told once, what the state does is not."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage

from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.labels import Chip, KeyCap, Label, Note, Paragraph
from jaxscope.gui.components.scrub_label import ScrubLabel
from jaxscope.gui.components.segmented import Segment, SegmentedControl
from jaxscope.gui.components.select import Select
from jaxscope.gui.components.slider import ValueSlider
from jaxscope.gui.components.stepper import Stepper
from jaxscope.gui.components.switch import Switch
from jaxscope.gui.components.tabs import FaceTabs
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.theme import colour, theme


def heard(signal):
    told = []
    signal.connect(lambda *args: told.append(args[0] if len(args) == 1 else args))
    return told


def shown(qtbot, widget):
    qtbot.addWidget(widget)
    widget.show()
    widget.activateWindow()
    qtbot.waitUntil(widget.isActiveWindow)
    return widget


def test_a_button_keeps_its_width_when_busy_and_then_ignores_clicks(qtbot):
    button = shown(qtbot, Button("Export", "primary", icon="file-export"))
    width, clicks = button.sizeHint().width(), heard(button.clicked)
    button.set_busy(busy=True)
    assert button.sizeHint().width() == width
    qtbot.keyClick(button, Qt.Key.Key_Return)
    assert clicks == []
    button.set_busy(busy=False)
    qtbot.keyClick(button, Qt.Key.Key_Return)
    assert len(clicks) == 1


@pytest.mark.parametrize("kind", ["primary", "plain", "quiet", "danger", "link"])
def test_every_kind_of_button_paints_in_every_state(qtbot, kind):
    button = shown(qtbot, Button("Keep", kind, key="K", trailing="chevron-down"))
    button.clearFocus()
    rest = button.grab().toImage()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert button.grab().toImage() != rest
    button.clearFocus()
    button.setEnabled(False)
    assert button.grab().toImage() != rest


def test_clicking_a_button_leaves_the_focus_where_it_was(qtbot):
    assert not Button("Keep").focusPolicy() & Qt.FocusPolicy.ClickFocus
    assert not IconButton("copy", "Copy").focusPolicy() & Qt.FocusPolicy.ClickFocus


def test_an_icon_button_is_named_by_the_first_words_of_its_tip(qtbot):
    button = shown(qtbot, IconButton("arrow-back-up", "Undo: Low-pass cutoff 40 → 38 Hz [Ctrl Z]"))
    assert button.accessibleName() == "Undo"
    assert "Ctrl Z" in button.accessibleDescription()


def test_segments_tell_a_click_and_not_the_state(qtbot):
    control = shown(qtbot, SegmentedControl([("a", "One"), ("b", "Two"), ("c", "Three")], name="Mode"))
    told = heard(control.chosen)
    control.set_current("b")
    assert told == []
    qtbot.mouseClick(control.button("c"), Qt.MouseButton.LeftButton)
    assert told == ["c"]
    assert control.current == "c"


def test_segments_are_one_tab_stop_and_arrows_move_past_disabled_ones(qtbot):
    control = SegmentedControl(
        [("a", "One"), Segment(key="b", label="Two", enabled=False), ("c", "Three")], name="Mode"
    )
    shown(qtbot, control)
    control.set_current("a")
    told = heard(control.chosen)
    stops = [key for key in "abc" if control.button(key).focusPolicy() & Qt.FocusPolicy.TabFocus]
    assert stops == ["a"]
    control.button("a").setFocus()
    qtbot.keyClick(control.button("a"), Qt.Key.Key_Right)
    assert told == ["c"]
    assert control.button("c").hasFocus()


def test_segments_may_show_nothing_as_chosen(qtbot):
    control = shown(qtbot, SegmentedControl([("a", "One"), ("b", "Two")], name="Mode"))
    control.set_current("a")
    control.set_current(None)
    assert control.current is None


def test_new_segments_leave_none_of_the_old_on_show(qtbot):
    control = shown(qtbot, SegmentedControl([("a", "One")], name="Mode"))
    old = control.button("a")
    control.set_segments([("a", "One"), ("b", "Two")])
    assert not old.isVisible()
    assert control.keys() == ("a", "b")
    assert control.button("b").isVisible()


def test_a_switch_tells_a_click_by_clicked_only(qtbot):
    switch = shown(qtbot, Switch("Filter"))
    told = []
    switch.clicked.connect(lambda on: told.append(on))
    switch.setChecked(True)
    assert told == []
    qtbot.mouseClick(switch, Qt.MouseButton.LeftButton)
    assert told == [False]
    assert switch.height() >= 24


def test_a_select_tells_a_choice_and_not_the_state_nor_the_wheel(qtbot):
    select = shown(qtbot, Select("Family", [("b", "Butterworth"), ("e", "Elliptic")]))
    told = heard(select.chosen)
    select.set_current("e")
    assert (told, select.current) == ([], "e")
    select.activated.emit(0)
    assert told == ["b"]
    select.set_choices([("e", "Elliptic"), ("x", "Bessel")])
    assert select.current == "e"


@pytest.fixture
def slider(qtbot):
    made = ValueSlider("Cutoff", 0.1, 1000.0, log=True)
    made.show_values([10.0])
    made.resize(216, 28)
    made.told = heard(made.moved)
    return shown(qtbot, made)


def drag(qtbot, widget, start, stop, modifiers=Qt.KeyboardModifier.NoModifier, release=True):
    qtbot.mousePress(widget, Qt.MouseButton.LeftButton, modifiers, QPoint(*start))
    for step in range(1, 5):
        x = start[0] + (stop[0] - start[0]) * step // 4
        y = start[1] + (stop[1] - start[1]) * step // 4
        event_pos = QPoint(x, y)
        move(widget, event_pos, modifiers)
    if release:
        qtbot.mouseRelease(widget, Qt.MouseButton.LeftButton, modifiers, QPoint(*stop))


def move(widget, position, modifiers=Qt.KeyboardModifier.NoModifier):
    from PySide6.QtCore import QEvent, QPointF
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QApplication

    spot = QPointF(position)
    held = Qt.MouseButton.LeftButton
    moved = QMouseEvent(QEvent.Type.MouseMove, spot, widget.mapToGlobal(spot), Qt.MouseButton.NoButton, held, modifiers)
    QApplication.sendEvent(widget, moved)


def test_a_slider_is_logarithmic_and_tells_every_move_with_one_key(qtbot, slider):
    assert slider._x(10.0) == pytest.approx(108, abs=1)
    drag(qtbot, slider, (108, 14), (158, 14))
    assert len(slider.told) == 4
    assert len({key for _, key in slider.told}) == 1
    assert slider.told[-1][0][0] == pytest.approx(100.0, rel=0.02)


def test_shift_makes_a_slider_ten_times_finer(qtbot, slider):
    drag(qtbot, slider, (108, 14), (158, 14), Qt.KeyboardModifier.ShiftModifier)
    assert slider.told[-1][0][0] == pytest.approx(10**1.1, rel=0.02)


def test_escape_during_a_drag_puts_the_value_back_with_the_same_key(qtbot, slider):
    drag(qtbot, slider, (108, 14), (158, 14), release=False)
    qtbot.keyClick(slider, Qt.Key.Key_Escape)
    assert slider.told[-1][0] == (10.0,)
    assert len({key for _, key in slider.told}) == 1


def test_showing_values_on_a_slider_tells_nothing(slider):
    slider.show_values([20.0])
    assert slider.told == []


def test_two_knobs_push_and_never_cross(qtbot, slider):
    slider.show_values([5.0, 20.0])
    left = round(slider._x(5.0))
    drag(qtbot, slider, (left, 14), (left + 100, 14))
    low, high = slider.told[-1][0]
    assert low < high
    assert high > 20.0


def test_arrow_keys_move_the_active_knob_and_tab_the_other(qtbot, slider):
    slider.show_values([5.0, 20.0])
    slider.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert slider.told[-1][0][0] > 5.0
    slider.focusNextPrevChild(True)
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert slider.told[-1][0][1] > 20.0


def test_scrubbing_a_label_counts_pixels(qtbot):
    label = shown(qtbot, ScrubLabel("Cutoff"))
    told, cancelled = heard(label.scrubbed), heard(label.cancelled)
    drag(qtbot, label, (5, 5), (25, 5), release=False)
    assert sum(steps for steps, _ in told) == 20
    qtbot.keyClick(label, Qt.Key.Key_Escape)
    assert cancelled == [told[0][1]]
    drag(qtbot, label, (5, 5), (15, 5), Qt.KeyboardModifier.ShiftModifier)
    assert sum(steps for steps, key in told if key == told[-1][1]) == 100


def test_a_stepper_steps_and_tells_what_was_typed(qtbot):
    stepper = shown(qtbot, Stepper("Window"))
    stepper.show_text("10 s")
    steps, typed = heard(stepper.stepped), heard(stepper.typed)
    qtbot.mouseClick(stepper._less, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(stepper._more, Qt.MouseButton.LeftButton)
    assert steps == [-1, 1]
    stepper.field.setFocus()
    stepper.field.selectAll()
    qtbot.keyClicks(stepper.field, "5 s")
    qtbot.keyClick(stepper.field, Qt.Key.Key_Return)
    assert typed == ["5 s"]
    stepper.show_text("5 s")
    assert stepper.text() == "5 s"


def test_tabs_tell_a_click_and_not_the_state(qtbot):
    tabs = shown(qtbot, FaceTabs([("d", "Design", ""), ("c", "Coefficients", "")], name="Faces"))
    told = heard(tabs.chosen)
    tabs.set_current("c")
    assert told == []
    qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(0).center())
    assert told == ["d"]


def test_a_label_elides_and_then_shows_all_in_its_tooltip(qtbot):
    label = shown(qtbot, Label("a very long name of a channel indeed", shrink=True))
    label.resize(60, 20)
    label.grab()
    assert label.toolTip() == label.text()
    label.resize(400, 20)
    label.grab()
    assert label.toolTip() == ""


def test_a_paragraph_grows_when_it_is_narrow(qtbot):
    words = Paragraph("The line under a number shows how strongly it moves After")
    qtbot.addWidget(words)
    assert words.heightForWidth(120) > words.heightForWidth(600)


@pytest.mark.parametrize(
    "make", [lambda: Chip("unstable", "danger"), lambda: KeyCap("Ctrl K"), lambda: Note("Careful")]
)
def test_small_parts_look_different_in_the_other_theme(qtbot, make):
    part = shown(qtbot, make())
    dark: QImage = part.grab().toImage()
    theme().set_mode("light")
    assert part.grab().toImage() != dark


def test_the_list_of_a_bare_select_is_as_wide_as_its_longest_entry(qtbot):
    select = Select("View", [("a", "A"), ("b", "A much longer entry of the list")], bare=True)
    qtbot.addWidget(select)
    select.set_current("a")
    select.show()
    select.showPopup()
    assert select.view().minimumWidth() > select.width()
    assert select.view().minimumWidth() > select.view().sizeHintForColumn(0) - 1
    select.hidePopup()


@pytest.mark.parametrize("mode", ["dark", "light"])
def test_a_field_that_is_disabled_keeps_a_border_that_is_seen(qtbot, mode):
    theme().set_mode(mode)
    field = TextField("Name", width=120)
    qtbot.addWidget(field)
    theme().dress(field)
    field.setEnabled(False)
    image = field.grab().toImage()
    middle = image.height() // 2
    assert image.pixelColor(0, middle).name() == colour("line2").name()


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_label_in_a_column_is_as_wide_as_the_text_scale_says(qtbot, scale):
    label = Label("Bad spans", width=96)
    qtbot.addWidget(label)
    theme().set_text_scale(scale)
    assert label.sizeHint().width() == label.minimumSizeHint().width() == round(96 * scale)
