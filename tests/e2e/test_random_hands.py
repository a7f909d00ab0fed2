"""Hands without sense on the real window: actions, keys and drags at random; it goes on, and all is undone."""

from __future__ import annotations

import os
from random import Random
from types import ModuleType

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QInputDialog, QMenu, QMessageBox, QWidget

from jaxscope.compute.demo import demo_chains
from jaxscope.gui.session import WindowSession, make_application
from jaxscope.gui.views.banner import Notice
from jaxscope.resource_files import resource_path
from jaxscope.session.settings import Settings

STEPS = 400 if os.environ.get("JAXSCOPE_SLOW_TESTS") else 40
PLAIN = Qt.KeyboardModifier.NoModifier
KEYS = (
    *(Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_N, Qt.Key.Key_Insert),
    *(Qt.Key.Key_Delete, Qt.Key.Key_G, Qt.Key.Key_L, Qt.Key.Key_0, Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_V),
    *(Qt.Key.Key_M, Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_4, Qt.Key.Key_P, Qt.Key.Key_Space, Qt.Key.Key_Escape),
    *(Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_PageUp, Qt.Key.Key_Home, Qt.Key.Key_BracketLeft, Qt.Key.Key_F2),
)


class Hands:
    """Does something to a window, again and again."""

    def __init__(self, session: WindowSession, editor, seed: int) -> None:
        self.session, self.editor, self.random = session, editor, Random(seed)

    def parts(self) -> list[QWidget]:
        window = self.session.window
        dock = window.dock
        parts = (
            dock.response.plot, dock.response.curves, dock.poles_zeros.plane, dock.chain, dock.coefficients,
            window.traces, window.overview, dock.design,
        )  # fmt: skip
        return [part for part in parts if part.isVisible()]

    def do(self) -> None:
        chance = self.random.random()
        if chance < 0.4:
            self.session.window.shell.dispatch(self.editor.action(self.session.store.state))
        elif chance < 0.5:
            self.random.choice((self.session.store.undo, self.session.store.redo))()
        elif chance < 0.7:
            self.press_key()
        elif chance < 0.9:
            self.drag()
        else:
            self.turn_wheel()
        for menu in QApplication.topLevelWidgets():
            if isinstance(menu, QMenu) and menu.isVisible():
                menu.close()

    def place(self, part: QWidget) -> QPointF:
        return QPointF(self.random.uniform(0, part.width() - 1), self.random.uniform(0, part.height() - 1))

    def press_key(self) -> None:
        part = self.random.choice(self.parts())
        part.setFocus()
        held = self.random.choice((PLAIN, PLAIN, Qt.KeyboardModifier.ShiftModifier))
        QTest.keyClick(QApplication.focusWidget() or part, self.random.choice(KEYS), held)

    def drag(self) -> None:
        part = self.random.choice(self.parts())
        start = self.place(part)
        plot = self.session.window.dock.response.plot
        if part is plot and plot.handle_points():
            start = self.random.choice(plot.handle_points())
        left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
        self.send(part, QEvent.Type.MouseButtonPress, start, left, left)
        for _ in range(self.random.randrange(4)):
            self.send(part, QEvent.Type.MouseMove, self.place(part), none, left)
            QApplication.processEvents()
        if self.random.random() < 0.2:
            QTest.keyClick(part, Qt.Key.Key_Escape)
        self.send(part, QEvent.Type.MouseButtonRelease, self.place(part), left, none)
        if self.random.random() < 0.2:
            self.send(part, QEvent.Type.MouseButtonDblClick, start, left, left)
            self.send(part, QEvent.Type.MouseButtonRelease, start, left, none)

    def turn_wheel(self) -> None:
        part = self.random.choice(self.parts())
        place = self.place(part)
        turn = QPoint(0, self.random.choice((-240, -120, 120)))
        scroll = Qt.ScrollPhase.NoScrollPhase
        event = QWheelEvent(
            place, part.mapToGlobal(place), QPoint(), turn, Qt.MouseButton.NoButton, PLAIN, scroll, False
        )
        QApplication.sendEvent(part, event)

    def send(self, part, kind, place, button, buttons) -> None:
        QApplication.sendEvent(part, QMouseEvent(kind, place, part.mapToGlobal(place), button, buttons, PLAIN))


@pytest.fixture
def no_dialogs(monkeypatch):
    """Turn every dialog that would wait for a person away."""
    monkeypatch.setattr(QMessageBox, "exec", lambda box: QMessageBox.StandardButton.Cancel)
    monkeypatch.setattr(QDialog, "exec", lambda dialog: QDialog.DialogCode.Rejected)
    for name in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_, **__: ("", ""))
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("", False))
    monkeypatch.setattr(QMenu, "exec", lambda menu, *_: None)


def test_the_window_goes_on_whatever_hands_do(qtbot, no_dialogs, monkeypatch, random_edits: ModuleType) -> None:
    make_application()
    said: list[Notice] = []
    session = WindowSession(Settings(), demo_chains())
    window = session.window
    show = window.notices.show
    monkeypatch.setattr(window.notices, "show", lambda notice: (said.append(notice), show(notice)))
    window.resize(1440, 900)
    window.show()
    try:
        window.actions_.open_path(str(resource_path("demo.edf")))
        qtbot.waitUntil(lambda: window.traces.picture is not None, timeout=30_000)
        first = session.store.state.document
        names = window.shell.data_channels
        hands = Hands(session, random_edits.Editor(7, names, 256.0), 7)
        for _ in range(STEPS):
            hands.do()
            QApplication.processEvents()
        wrong = [notice for notice in said if "went wrong" in notice.sentence]
        assert [(notice.sentence, notice.hint) for notice in wrong] == []
        assert session.conductor.wait_idle(60.0)
        QApplication.processEvents()
        session.store.go_to(0)
        assert session.store.state.document == first
        qtbot.waitUntil(lambda: not window.is_blocked, timeout=30_000)
    finally:
        session.dispose()
