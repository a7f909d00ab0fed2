"""Number fields: live while typing, wrong text stays with the reason, keys spin, letters never leak."""

from __future__ import annotations

import string

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QShortcut, QWheelEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from jaxscope.gui.components.expressions import reader
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.numbers import MINUS, NumberRange, parse_plain, write_exact, write_number
from jaxscope.gui.components.text_field import TextField


@pytest.fixture
def window(qtbot):
    made = QWidget()
    QVBoxLayout(made)
    qtbot.addWidget(made)
    return made


@pytest.fixture
def field(qtbot, window):
    made = NumberField(
        "Cutoff",
        span=NumberRange(low=1e-9, step=0.05, log=True, default=40.0),
        parse=reader(512.0),
        check=lambda value: None if value < 256 else f"{value:g} Hz is above fs/2 = 256 Hz",
        unit="Hz",
    )
    made.show_value(13.0)
    window.layout().addWidget(made)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    made.setFocus()
    made.sent, made.said = [], []
    made.edited.connect(lambda value, key: made.sent.append((value, key)))
    made.complained.connect(made.said.append)
    return made


def press(target, key, modifiers=Qt.KeyboardModifier.NoModifier, text=""):
    QApplication.sendEvent(target, QKeyEvent(QEvent.Type.KeyPress, key, modifiers, text))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (40.0, "40.0"),
        (8.0, "8.00"),
        (0.5, "0.50"),
        (0.125, "0.125"),
        (12.5, "12.5"),
        (-1.2672, f"{MINUS}1.2672"),
        (1e-7, "1.0e-7".replace("-", MINUS)),
    ],
)
def test_numbers_are_written_with_the_digits_they_have(value, written):
    assert write_exact(value) == written


@pytest.mark.parametrize("value", [40.0, 0.123456, 3.25e-6, -17.5, 123456.0, 1e9])
def test_what_is_written_is_read_back(value):
    assert parse_plain(write_number(value, 7)) == pytest.approx(value, rel=1e-6)


def test_showing_a_value_emits_nothing(field):
    field.show_value(20.0)
    assert field.text() == "20.0"
    assert field.sent == []


def test_typing_is_live_with_one_merge_key(qtbot, field):
    field.selectAll()
    qtbot.keyClicks(field, "25")
    assert [value for value, _ in field.sent] == [2.0, 25.0]
    assert len({key for _, key in field.sent}) == 1


def test_a_new_visit_has_another_merge_key(qtbot, field):
    field.selectAll()
    qtbot.keyClicks(field, "2")
    press(field, Qt.Key.Key_Return)
    field.selectAll()
    qtbot.keyClicks(field, "3")
    assert len({key for _, key in field.sent}) == 2
    assert field.hasFocus()


def test_an_expression_is_shown_while_focused_and_its_value_after(qtbot, field):
    field.selectAll()
    qtbot.keyClicks(field, "fs/8")
    assert field.sent[-1][0] == 64.0
    field.show_value(64.0)
    assert field.text() == "fs/8"
    field.clearFocus()
    assert field.text() == "64.0"
    assert "fs/8" in field.toolTip()
    field.setFocus()
    assert field.text() == "fs/8"


def test_a_value_that_cannot_be_used_stays_and_says_what_is_still_used(qtbot, field):
    field.selectAll()
    qtbot.keyClicks(field, "fs/2+10")
    assert field.is_wrong
    assert field.text() == "fs/2+10"
    assert field.said[-1] == "266 Hz is above fs/2 = 256 Hz. Still using 13 Hz."
    assert all(value < 256 for value, _ in field.sent)


def give_up_with(field, way):
    if way == "focus":
        field.clearFocus()
    else:
        press(field, way)


@pytest.mark.parametrize("way", [Qt.Key.Key_Return, Qt.Key.Key_Escape, "focus"])
def test_typing_that_ends_wrong_goes_back_to_the_value_before_it(qtbot, field, way):
    field.edited.connect(lambda value, _key: field.show_value(value))
    field.show_value(5.0)
    field.selectAll()
    qtbot.keyClicks(field, "500")
    assert [value for value, _ in field.sent] == [5.0, 50.0]
    assert field.said[-1] == "500 Hz is above fs/2 = 256 Hz. Still using 50 Hz."
    give_up_with(field, way)
    assert field.sent[-1][0] == 5.0
    assert len({key for _, key in field.sent}) == 1
    assert (field.value, field.text(), field.is_wrong) == (5.0, "5.00", False)
    assert field.said[-1] == ""


@pytest.mark.parametrize("way", [Qt.Key.Key_Return, Qt.Key.Key_Escape, "focus"])
def test_typing_that_ends_well_stays(qtbot, field, way):
    field.edited.connect(lambda value, _key: field.show_value(value))
    field.selectAll()
    qtbot.keyClicks(field, "50")
    give_up_with(field, way)
    assert field.sent[-1][0] == field.value == 50.0
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "500")
    give_up_with(field, way)
    assert field.sent[-1][0] == field.value == 50.0


def test_text_that_cannot_be_read_says_so(qtbot, field):
    field.selectAll()
    qtbot.keyClicks(field, "2*pi*")
    assert field.is_wrong
    assert 'Can\'t read "2*pi*"' in field.said[-1]
    assert field.said[-1].endswith("Hz.")


def test_escape_restores_the_text_and_asks_for_the_traces(qtbot, field):
    field.selectAll()
    qtbot.keyClicks(field, "zz")
    with qtbot.waitSignal(field.escaped):
        press(field, Qt.Key.Key_Escape)
    assert field.text() == "13.0"
    assert not field.is_wrong


def test_a_value_from_elsewhere_replaces_wrong_text(qtbot, field):
    field.selectAll()
    qtbot.keyClicks(field, "zz")
    field.show_value(13.0)
    assert field.text() == "zz"
    field.show_value(14.0)
    assert field.text() == "14.0"
    assert not field.is_wrong


@pytest.mark.parametrize(
    ("key", "modifiers", "expected"),
    [
        (Qt.Key.Key_Up, Qt.KeyboardModifier.NoModifier, 13.0 * 1.05),
        (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier, 13.0 / 1.05),
        (Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier, 13.0 * 1.05**10),
        (Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier, 13.0 * 1.05**0.1),
        (Qt.Key.Key_PageUp, Qt.KeyboardModifier.NoModifier, 26.0),
        (Qt.Key.Key_PageDown, Qt.KeyboardModifier.NoModifier, 6.5),
        (Qt.Key.Key_Home, Qt.KeyboardModifier.AltModifier, 40.0),
    ],
)
def test_keys_spin_the_number(field, key, modifiers, expected):
    press(field, key, modifiers)
    assert field.sent[-1][0] == pytest.approx(expected, rel=6e-3)


def test_whole_numbers_step_by_one_and_stay_in_their_limits(qtbot, window):
    field = NumberField("Order", span=NumberRange(low=1, high=5, whole=True), arrows=True, width=64)
    window.layout().addWidget(field)
    field.show_value(4.0)
    sent = []
    field.edited.connect(lambda value, _: sent.append(value))
    press(field, Qt.Key.Key_Up)
    press(field, Qt.Key.Key_Up)
    press(field, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert sent == [5.0, 5.0, 1.0]


def test_the_small_arrows_step(qtbot, window):
    field = NumberField("Order", span=NumberRange(low=1, high=9, whole=True), arrows=True, width=64)
    window.layout().addWidget(field)
    window.show()
    field.show_value(4.0)
    with qtbot.waitSignal(field.edited) as sent:
        qtbot.mouseClick(field, Qt.MouseButton.LeftButton, pos=QPoint(field.width() - 8, 5))
    assert sent.args[0] == 5.0


def wheel(target, notches):
    centre = QPointF(target.rect().center())
    event = QWheelEvent(
        centre, target.mapToGlobal(centre), QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(target, event)


def test_the_wheel_spins_only_a_focused_field(field):
    wheel(field, 1)
    assert len(field.sent) == 1
    field.clearFocus()
    wheel(field, 1)
    assert len(field.sent) == 1


@pytest.mark.parametrize("make", [lambda: TextField("Text"), lambda: NumberField("Number")])
def test_no_letter_digit_or_arrow_leaks_to_a_shortcut_of_the_window(qtbot, window, make):
    field = make()
    window.layout().addWidget(field)
    leaked = []
    names = [
        *string.ascii_letters,
        *string.digits,
        "Space",
        "Left",
        "Right",
        "Up",
        "Down",
        "Delete",
        "+",
        "-",
        "[",
        "?",
    ]
    for name in {name.lower() for name in names}:
        action = QAction(window, shortcut=QKeySequence(name))
        action.triggered.connect(lambda _=False, at=name: leaked.append(at))
        window.addAction(action)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    field.setFocus()
    for letter in string.ascii_letters + string.digits + " +-[?":
        qtbot.keyClicks(field, letter)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Delete):
        qtbot.keyClick(field, key)
    assert leaked == []
    assert field.hasFocus()


def test_undo_belongs_to_the_text_only_while_it_is_not_taken(qtbot, field, window):
    undone = []
    QShortcut(QKeySequence.StandardKey.Undo, window, lambda: undone.append(1))
    qtbot.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert undone == [1]
    field.selectAll()
    qtbot.keyClicks(field, "25")
    qtbot.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert undone == [1]


def test_a_field_has_a_name_for_screen_readers(field):
    assert field.accessibleName() == "Cutoff"
