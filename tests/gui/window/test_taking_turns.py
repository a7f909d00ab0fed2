"""Parts that are painted one an event: in their order, all of them, and at once where no event loop runs."""

from __future__ import annotations

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from jaxscope.gui.assets import tokens
from jaxscope.gui.components.labels import Label
from jaxscope.gui.taking_turns import TakingTurns
from jaxscope.gui.theme import theme
from jaxscope.gui.views import keys_sheet


class _Part(QWidget):
    def __init__(self, parent: QWidget, name: str, log: list[str]) -> None:
        super().__init__(parent)
        self._name, self._log = name, log
        self.resize(20, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._log.append(self._name)


def _in_a_loop(call, is_over) -> None:
    """Call inside an event loop and leave it when all is over."""
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if is_over() else None)
    QTimer.singleShot(0, call)
    QTimer.singleShot(0, timer.start)
    QTimer.singleShot(20_000, loop.quit)
    loop.exec()


def test_each_part_is_prepared_and_painted_in_an_event_of_its_own(qtbot):
    holder, log, events = QWidget(), [], []
    qtbot.addWidget(holder)
    parts = [_Part(holder, name, log) for name in "abc"]
    for place, part in enumerate(parts):
        part.move(30 * place, 0)  # one that lies under another is painted with it
    holder.show()
    qtbot.waitExposed(holder)
    log.clear()
    turns = TakingTurns()
    turns._timer.timeout.connect(lambda: events.append(len(log)))
    prepared = []
    _in_a_loop(lambda: turns.take(parts, prepared.append), lambda: turns.is_over)
    assert prepared == parts
    assert log == ["a", "b", "c"]
    assert events[:3] == [1, 2, 3]
    assert all(part.updatesEnabled() for part in parts)


def test_a_part_that_goes_meanwhile_is_passed_over(qtbot):
    holder, log = QWidget(), []
    qtbot.addWidget(holder)
    first, second = (_Part(holder, name, log) for name in "ab")
    holder.show()
    turns = TakingTurns()

    def begin() -> None:
        turns.take((first, second))
        first.setParent(None)
        first.deleteLater()

    _in_a_loop(begin, lambda: turns.is_over)
    assert second.updatesEnabled()
    assert "b" in log


def test_another_theme_reaches_every_part_of_the_window(desk):
    dock = desk.window.dock

    def is_over() -> bool:
        return theme().turns.is_over and not theme().is_dark

    _in_a_loop(lambda: theme().set_mode("light"), is_over)
    assert all(tokens()["light"]["line2"] in part.styleSheet() for part in (dock.header, dock.chain, dock.design))
    waiting = [part for part in desk.window.findChildren(QWidget) if not part.updatesEnabled()]
    assert waiting == []


def test_without_an_event_loop_nothing_waits(desk):
    theme().set_mode("light")
    assert theme().turns.is_over
    assert desk.window.dock.updatesEnabled()
    assert tokens()["light"]["line2"] in desk.window.dock.header.styleSheet()


def test_a_part_that_is_asked_for_twice_is_still_prepared(qtbot):
    holder, log, prepared = QWidget(), [], []
    qtbot.addWidget(holder)
    part = _Part(holder, "a", log)
    holder.show()
    turns = TakingTurns()

    def begin() -> None:
        turns.take([part], prepared.append)
        turns.take([part])

    _in_a_loop(begin, lambda: turns.is_over)
    assert prepared == [part]


def test_the_list_of_keys_is_filled_in_turns_and_painted_once(desk, monkeypatch):
    filled, painted = [], []
    for part, name, log in ((keys_sheet._Group, "fill", filled), (keys_sheet._Page, "paintEvent", painted)):
        real = getattr(part, name)
        monkeypatch.setattr(
            part, name, lambda own, *given, real=real, log=log: (log.append(len(painted)), real(own, *given))
        )
    sheet = keys_sheet.KeysSheet(desk.window)
    _in_a_loop(sheet.open_sheet, lambda: sheet._turns.is_over and bool(painted))
    groups = sheet.findChildren(keys_sheet._Group)
    assert len(filled) == len(groups) > 5
    assert set(filled) == {0}, "nothing is painted before all is there"
    assert all(part.updatesEnabled() for part in groups)
    assert sum(label.isVisible() for label in sheet.findChildren(Label)) > 50
