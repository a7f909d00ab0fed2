"""Per-user preferences: a schema as data, kept in one JSON file of the user's configuration folder.

A file that cannot be read or holds a wrong value falls back to the default of that value alone, and says so in
``warnings``; a preference is never a reason not to start.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from jaxscope.filters.json_file import write_json

RECENT_LIMIT = 12
_ALLOWED: dict[str, tuple[Any, ...]] = {
    "theme": ("dark", "light", "system"),
    "precision": ("float32", "float64"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Preferences of one person on one machine."""

    theme: str = "dark"
    text_scale: float = 1.0
    device: str = "cpu:0"
    precision: str = "float64"
    method: str = "auto"
    recent: tuple[str, ...] = ()
    last_folder: str = ""

    def with_recent(self, path: str) -> Settings:
        """Return the settings with ``path`` first among the recent recordings."""
        others = tuple(item for item in self.recent if item != path)
        return replace(self, recent=(path, *others)[:RECENT_LIMIT])


def settings_path() -> Path:
    """Return where the preferences are kept."""
    return user_config_path("jaxscope", appauthor=False) / "settings.json"


def load_settings(path: Path | None = None) -> tuple[Settings, tuple[str, ...]]:
    """Return the preferences and sentences about what could not be used."""
    source = path or settings_path()
    try:
        content = json.loads(source.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings(), ()
    except (OSError, ValueError, RecursionError) as error:
        return Settings(), (f"the settings in {source.name} cannot be read ({error}), so the defaults are used",)
    if not isinstance(content, dict):
        return Settings(), (f"the settings in {source.name} are not an object, so the defaults are used",)
    settings, warnings = Settings(), []
    for item in fields(Settings):
        if item.name in content:
            value, problem = _checked(item.name, content[item.name], getattr(settings, item.name))
            settings = replace(settings, **{item.name: value})
            warnings.extend([problem] if problem else [])
    return settings, tuple(warnings)


def save_settings(settings: Settings, path: Path | None = None) -> None:
    """Write the preferences; the old file stays until the new one is complete."""
    target = path or settings_path()
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_json(target, asdict(settings))


def _checked(name: str, value: Any, default: Any) -> tuple[Any, str]:
    """Return the value if it fits, else the default and a sentence."""
    if isinstance(default, tuple):
        good = isinstance(value, list) and all(isinstance(item, str) for item in value)
        value = tuple(value) if good else value
    elif isinstance(default, float):
        good = isinstance(value, int | float) and not isinstance(value, bool) and 0.8 <= value <= 2.0
    else:
        good = isinstance(value, type(default)) and value in _ALLOWED.get(name, (value,))
    return (value, "") if good else (default, f"the setting {name} is {value!r}, so {default!r} is used")
