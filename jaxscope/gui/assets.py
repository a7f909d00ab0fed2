"""The data files that the window is drawn from: colour tokens and the table of keys.

Both are read once, through ``resource_path``, so that the window looks the same from the source tree, a wheel and the
frozen app. Invariant: every token exists in both modes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from jaxscope.errors import JaxscopeError
from jaxscope.resource_files import resource_path


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyBinding:
    """One row of the table of keys: where it acts, the keys that do it, what they do, and the task it is for."""

    context: str
    keys: tuple[str, ...]
    does: str
    group: str = ""


@cache
def tokens() -> Mapping[str, Mapping[str, str]]:
    """Return colour tokens as ``{"dark" | "light": {token: "#RRGGBB"}}``."""
    table = json.loads(resource_path("tokens.json").read_text(encoding="utf-8"))
    lacking = set(table["dark"]) ^ set(table["light"])
    if lacking:
        raise JaxscopeError(
            f"tokens.json has {', '.join(sorted(lacking))} in one mode only", hint="install jaxscope again"
        )
    return MappingProxyType({mode: MappingProxyType(table[mode]) for mode in ("dark", "light")})


@cache
def keymap() -> tuple[KeyBinding, ...]:
    """Return the table of keys in the order of its file."""
    rows = json.loads(resource_path("keymap.json").read_text(encoding="utf-8"))
    return tuple(
        KeyBinding(
            context=row["context"], keys=tuple(row["keys"]), does=row["does"], group=row.get("group", row["context"])
        )
        for row in rows
    )
