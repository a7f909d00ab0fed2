"""Keys to commands: shortcuts of the window, and single keys of the view that has the focus.

Keys of the context ``anywhere`` are shortcuts of the window. Keys of ``traces`` and ``overview`` act only while that
view has the focus, so a letter typed into a field never changes the view. R is special: held down it hides the filter
as long as it is held, tapped it turns that on or off.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from jaxscope.gui.command_table import COMMANDS
from jaxscope.gui.commands import Command, key_sequence
from jaxscope.gui.window_actions import WindowActions

#: A key that is held for longer than this is not a tap. Counted from when the keys moved, not from when a busy window
#: came to read it.
TAP_MS = 300
_PLAIN_SIGNS = frozenset("+-=?:[],./")


def normal_sequence(event: QKeyEvent) -> str:
    """Return what was pressed as portable text; Shift is left out where a sign needs it ("?" is Shift and another)."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    key = Qt.Key(event.key())
    if QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText) in _PLAIN_SIGNS:
        modifiers &= ~Qt.KeyboardModifier.ShiftModifier
    if key == Qt.Key.Key_Enter:
        key = Qt.Key.Key_Return
    sequence = QKeySequence(QKeyCombination(modifiers, key))
    return sequence.toString(QKeySequence.SequenceFormat.PortableText)


def table_of(context: str) -> dict[str, Command]:
    """Return the commands of a context by portable key text."""
    table: dict[str, Command] = {}
    for command in COMMANDS:
        for key in command.keys(context):
            text = key_sequence(key.replace("Enter", "Return")).toString(QKeySequence.SequenceFormat.PortableText)
            table[text] = command
    return table


class KeyRouter(QObject):
    """Runs commands for one window.

    Parameters
    ----------
    window : QWidget
        Carries the shortcuts.
    actions : WindowActions
        What commands work on.
    """

    def __init__(self, window: QWidget, actions: WindowActions) -> None:
        super().__init__(window)
        self._actions = actions
        self._contexts: dict[QObject, dict[str, Command]] = {}
        self._raw_since_ms: int | None = None
        self._raw_before = False
        for key, command in table_of("anywhere").items():
            shortcut = QShortcut(QKeySequence(key), window)
            shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
            shortcut.activated.connect(lambda command=command: self.run(command))

    def listen(self, widget: QWidget, context: str) -> None:
        """Run the commands of a context for keys pressed in a widget."""
        self._contexts[widget] = table_of(context)
        widget.installEventFilter(self)

    def run(self, command: Command) -> bool:
        """Run a command if it can be run now; return whether it was."""
        if command.is_enabled is not None and not command.is_enabled(self._actions):
            return False
        command.run(self._actions)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched not in self._contexts:
            return False
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._press(watched, event)
        if event.type() == QEvent.Type.KeyRelease and isinstance(event, QKeyEvent):
            return self._release(event)
        if event.type() == QEvent.Type.FocusOut:
            self._end_raw(is_tap=False)
        return False

    def _press(self, watched: QObject, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_R and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._begin_raw(event)
            return True
        if event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._actions.hold_space(held=True)
            return True
        command = self._contexts[watched].get(normal_sequence(event))
        if command is None:
            return False
        self.run(command)
        return True

    def _release(self, event: QKeyEvent) -> bool:
        if event.isAutoRepeat():
            return False
        if event.key() == Qt.Key.Key_Space:
            self._actions.hold_space(held=False)
            return True
        if event.key() == Qt.Key.Key_R and self._raw_since_ms is not None:
            self._end_raw(is_tap=event.timestamp() - self._raw_since_ms < TAP_MS)
            return True
        return False

    def _begin_raw(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat() or self._raw_since_ms is not None or not self._actions.shell.has_recording:
            return
        self._raw_since_ms = event.timestamp()
        self._raw_before = self._actions.shell.viewport.raw
        self._actions.shell.show_raw(raw=True)
        self._actions.say("Raw while R is held")

    def _end_raw(self, *, is_tap: bool) -> None:
        if self._raw_since_ms is None:
            return
        self._raw_since_ms = None
        self._actions.say("")
        self._actions.shell.show_raw(raw=not self._raw_before if is_tap else self._raw_before)
