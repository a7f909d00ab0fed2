"""Per-user preferences: a schema as data, kept in one JSON file of the user's configuration folder.

Each field carries what it may hold (``setting``): choices, a span of numbers, or nothing but its type. A file that
cannot be read or holds a wrong value falls back to the default of that value alone, and says so in ``warnings``; a
preference is never a reason not to start.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from platformdirs import user_config_path

from jaxscope.filters.json_file import write_json
from jaxscope.session.state import Face, ResponseView

RECENT_LIMIT = 12
SMALLEST_TEXT, LARGEST_TEXT = 0.8, 2.0
#: Fake CPU devices that may be asked for; more than this only cost memory.
MOST_CPU_DEVICES = 64
_FAR_PX = 100_000

#: Rows of the table of keys that have other keys: ``"context: what it does"`` and the keys, none to switch it off.
KeyChoices = tuple[tuple[str, tuple[str, ...]], ...]


def setting(default: Any, *, choices: tuple[Any, ...] = (), low: float | None = None, high: float | None = None) -> Any:
    """Return a field of ``Settings`` with what it may hold."""
    return field(default=default, metadata=MappingProxyType({"choices": choices, "low": low, "high": high}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Preferences of one person on one machine."""

    theme: str = setting("dark", choices=("dark", "light", "system"))
    contrast: str = setting("system", choices=("system", "more"))
    text_scale: float = setting(1.0, low=SMALLEST_TEXT, high=LARGEST_TEXT)
    device: str = "cpu:0"
    precision: str = setting("float64", choices=("float32", "float64"))
    method: str = "auto"
    recent: tuple[str, ...] = ()
    last_folder: str = ""
    keys: KeyChoices = ()
    #: what PgUp and PgDn page; with Shift they page the other
    page_keys: str = setting("channels", choices=("channels", "time"))
    #: how times are written in a recording that is opened
    times: str = setting("seconds", choices=("seconds", "clock"))
    #: whether traces end at the edges of their lane in a recording that is opened
    lanes: str = setting("free", choices=("free", "clip"))
    #: what is shown after the start: the start screen, or the recording that was open last
    start_up: str = setting("start", choices=("start", "last"))
    #: CPU devices that jax shows; taken before jax is loaded, so another number needs a restart
    cpu_devices: int = setting(1, low=1, high=MOST_CPU_DEVICES)
    #: pixels (at scale 1) on a centimetre of screen, as measured with a ruler; 0 is what the screen says of itself
    pixels_per_cm: float = setting(0.0, low=0.0, high=1000.0)
    #: left, top, width, height of the window and 1 where it was maximised; empty before the first time
    geometry: tuple[int, ...] = ()
    #: width of the dock in pixels at text scale 1; 0 is the usual one
    dock_width: int = setting(0, low=0, high=_FAR_PX)
    face: str = setting("design", choices=get_args(Face))
    response_view: str = setting("magnitude", choices=get_args(ResponseView))

    def with_recent(self, path: str) -> Settings:
        """Return the settings with ``path`` first among the recent recordings."""
        others = tuple(item for item in self.recent if item != path)
        return replace(self, recent=(path, *others)[:RECENT_LIMIT])

    def without_recent(self, path: str) -> Settings:
        """Return the settings without a recording that is not there any more."""
        return replace(self, recent=tuple(item for item in self.recent if item != path))


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
            value, problem = _checked(item, content[item.name], getattr(settings, item.name))
            settings = replace(settings, **{item.name: value})
            warnings.extend([problem] if problem else [])
    return settings, tuple(warnings)


def save_settings(settings: Settings, path: Path | None = None) -> None:
    """Write the preferences; the old file stays until the new one is complete."""
    target = path or settings_path()
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    content = asdict(settings)
    content["keys"] = {row: list(keys) for row, keys in settings.keys}
    write_json(target, content)


def key_row(context: str, does: str) -> str:
    """Return how a row of the table of keys is called in the settings."""
    return f"{context}: {does}"


def _checked(item: Field[Any], value: Any, default: Any) -> tuple[Any, str]:
    """Return the value if it fits, else the default and a sentence."""
    if item.name == "keys":
        read = _key_choices(value)
        good, value = read is not None, read
        shown = "no table of keys"
    else:
        good, shown = _fits(item, value, default), repr(value)
        value = tuple(value) if isinstance(default, tuple) and good else value
    if good:
        return value, ""
    return default, f"the setting {item.name} is {shown}, so {default!r} is used"


def _fits(item: Field[Any], value: Any, default: Any) -> bool:
    if isinstance(default, tuple):
        kind = int if item.name == "geometry" else str
        return isinstance(value, list) and all(type(entry) is kind for entry in value) and _is_whole(item, value)
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, int | float):
        if isinstance(value, bool) or not isinstance(value, (int, float) if isinstance(default, float) else int):
            return False
        low, high = item.metadata.get("low"), item.metadata.get("high")
        return (low is None or value >= low) and (high is None or value <= high)
    choices = item.metadata.get("choices") or (value,)
    return isinstance(value, str) and value in choices


def _is_whole(item: Field[Any], value: list[Any]) -> bool:
    """Whether a list has the length it needs, and numbers that a screen may have."""
    if item.name != "geometry" or not value:
        return True
    return len(value) == 5 and all(abs(number) <= _FAR_PX for number in value) and min(value[2], value[3]) > 0


def _key_choices(value: Any) -> KeyChoices | None:
    if not isinstance(value, Mapping):
        return None
    made: list[tuple[str, tuple[str, ...]]] = []
    for row, keys in value.items():
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            return None
        made.append((row, tuple(keys)))
    return tuple(made)
