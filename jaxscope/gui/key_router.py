"""Keys to commands: shortcuts of the window, and single keys of the view that has the focus.

Keys of the context ``anywhere`` are shortcuts of the window. Keys of ``traces`` and ``overview`` act only while that
view has the focus, so a letter typed into a field never changes the view. One key is special (R, where nobody has
changed it): held down it hides the filter as long as it is held, tapped it turns that on or off. Space, held, lets the
left button pan; tapped it does what the table says.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from jaxscope.gui.command_table import COMMANDS
from jaxscope.gui.commands import RAW_ROW, Command
from jaxscope.gui.key_table import key_table, key_words, portable
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
            table[portable(key)] = command
    return table


def bound_rows() -> frozenset[tuple[str, str]]:
    """Return the rows of the table, as (context, words), that do something now."""
    return frozenset(row for command in COMMANDS for row in command.rows) | {(RAW_ROW[0], RAW_ROW[2])}


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
        self._window = window
        self._listening: dict[QObject, str] = {}
        self._contexts: dict[str, dict[str, Command]] = {}
        self._shortcuts: list[QShortcut] = []
        self._raw_keys: frozenset[str] = frozenset()
        self._raw_key: int | None = None
        self._raw_since_ms: int | None = None
        self._raw_before = False
        self._space_since_ms: int | None = None
        self._bind()
        key_table().changed.connect(self._bind)

    def listen(self, widget: QWidget, context: str) -> None:
        """Run the commands of a context for keys pressed in a widget."""
        self._listening[widget] = context
        widget.installEventFilter(self)

    def _bind(self) -> None:
        """Take the keys that are in force now."""
        for shortcut in self._shortcuts:
            shortcut.setEnabled(False)
            shortcut.deleteLater()
        self._shortcuts = []
        for key, command in table_of("anywhere").items():
            shortcut = QShortcut(QKeySequence(key), self._window)
            shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
            shortcut.activated.connect(lambda command=command: self.run(command))
            self._shortcuts.append(shortcut)
        self._contexts = {context: table_of(context) for context in ("traces", "overview", "fit")}
        self._raw_keys = frozenset(portable(key) for key in key_table().keys_of(RAW_ROW[0], RAW_ROW[2]))

    def run(self, command: Command) -> bool:
        """Run a command if it can be run now; return whether it was."""
        if command.is_enabled is not None and not command.is_enabled(self._actions):
            return False
        command.run(self._actions)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched not in self._listening:
            return False
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._press(watched, event)
        if event.type() == QEvent.Type.KeyRelease and isinstance(event, QKeyEvent):
            return self._release(event)
        if event.type() == QEvent.Type.FocusOut:
            self._end_raw(is_tap=False)
        return False

    def _press(self, watched: QObject, event: QKeyEvent) -> bool:
        sequence = normal_sequence(event)
        if sequence in self._raw_keys:
            self._begin_raw(event)
            return True
        if event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            if not event.isAutoRepeat():
                self._space_since_ms = event.timestamp()
            self._actions.hold_space(held=True)
            return True
        context = self._listening[watched]
        if context == "traces" and self._actions.window.fit.is_open:
            fitting = self._contexts["fit"].get(sequence)
            if fitting is not None and self.run(fitting):
                return True
        command = self._contexts[context].get(sequence)
        if command is None:
            return False
        self.run(command)
        return True

    def _release(self, event: QKeyEvent) -> bool:
        if event.isAutoRepeat():
            return False
        if event.key() == Qt.Key.Key_Space:
            self._end_space(event)
            return True
        if event.key() == self._raw_key and self._raw_since_ms is not None:
            self._end_raw(is_tap=event.timestamp() - self._raw_since_ms < TAP_MS)
            return True
        return False

    def _end_space(self, event: QKeyEvent) -> None:
        """End panning with Space; a tap without it is a key like any other."""
        has_panned = self._actions.hold_space(held=False)
        is_tap = self._space_since_ms is not None and event.timestamp() - self._space_since_ms < TAP_MS
        self._space_since_ms = None
        command = self._contexts["traces"].get("Space")
        if is_tap and not has_panned and command is not None:
            self.run(command)

    def _begin_raw(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat() or self._raw_since_ms is not None or not self._actions.shell.has_recording:
            return
        self._raw_since_ms, self._raw_key = event.timestamp(), event.key()
        self._raw_before = self._actions.shell.viewport.raw
        self._actions.shell.show_raw(raw=True)
        self._actions.say(f"Raw while {key_words(normal_sequence(event))} is held")

    def _end_raw(self, *, is_tap: bool) -> None:
        if self._raw_since_ms is None:
            return
        self._raw_since_ms = None
        self._actions.say("")
        self._actions.shell.show_raw(raw=not self._raw_before if is_tap else self._raw_before)
