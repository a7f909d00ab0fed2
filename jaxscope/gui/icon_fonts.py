"""The fonts of the icons, out of qtawesome's folder: their files and which character each glyph is.

The package itself is not imported: it brings a layer over all of Qt's modules that this program has no use for, which
takes a fifth of the time until the window is there.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase

#: prefix of a font to what its files begin with
_FILES = {"ph": "phosphor", "ri": "remixicon"}


@cache
def icon_family(prefix: str) -> str:
    """Register an icon font with Qt, once, and return its family. Needs a running ``QGuiApplication``."""
    path = _newest(f"{_FILES[prefix]}-*.ttf")
    families = QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(path)))
    if not families:
        raise RuntimeError(f"Qt cannot read {path.name}")
    return families[0]


def icon_font(prefix: str, px: int) -> QFont:
    """Return an icon font of a size in pixels."""
    font = QFont(icon_family(prefix))
    font.setPixelSize(px)
    return font


@cache
def characters(prefix: str) -> dict[str, str]:
    """Return the character of each glyph of a font, by its name."""
    path = _newest(f"{_FILES[prefix]}-charmap-*.json")
    codes: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return {name: chr(int(code, 16)) for name, code in codes.items()}


@cache
def _folder() -> Path:
    spec = find_spec("qtawesome")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("qtawesome is not installed; run pip install qtawesome")
    return Path(spec.submodule_search_locations[0]) / "fonts"


def _newest(pattern: str) -> Path:
    found = sorted(_folder().glob(pattern))
    if not found:
        raise FileNotFoundError(f"there is no {pattern} in {_folder()}")
    return found[-1]
