"""Preferences in force: one place puts them into the theme and the keys, keeps them, and tells every window.

Windows of one process share them, so none writes back what another has changed meanwhile.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from jaxscope.gui.key_table import key_table
from jaxscope.gui.settings_writer import SettingsWriter
from jaxscope.gui.theme import ThemeMode, theme
from jaxscope.session.settings import Settings

_MODES: dict[str, ThemeMode] = {"dark": "dark", "light": "light", "system": "system"}


class Preferences(QObject):
    """Tells windows of other settings."""

    #: the settings that are in force now
    changed = Signal(object)
    #: why they cannot be kept
    not_kept = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.writer = SettingsWriter(self.not_kept.emit)
        self._instead: tuple[str, str] | None = None

    def put_in_force(self, settings: Settings, *, theme_now: str | None = None) -> None:
        """Dress the application and bind the keys by the settings.

        ``theme_now`` is a theme for this start alone: it stays until another one is chosen, and is not kept.
        """
        if theme_now is not None:
            self._instead = (settings.theme, theme_now)
        elif self._instead is not None and self._instead[0] != settings.theme:
            self._instead = None
        mode = settings.theme if self._instead is None else self._instead[1]
        if settings.text_scale != theme().text_scale:
            theme().set_text_scale(settings.text_scale)
        if settings.contrast != theme().contrast:
            theme().set_contrast("more" if settings.contrast == "more" else "system")
        if mode != theme().mode:
            theme().set_mode(_MODES[mode])
        key_table().choose(settings.keys, settings.page_keys)

    def keep(self, settings: Settings) -> None:
        """Put settings into force, tell every window, and have them written down."""
        self.put_in_force(settings)
        self.changed.emit(settings)
        self.writer.write(settings)


_preferences: list[Preferences] = []


def preferences() -> Preferences:
    """Return the preferences of this process."""
    if not _preferences:
        _preferences.append(Preferences())
    return _preferences[0]
