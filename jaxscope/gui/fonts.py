"""Inter for words and JetBrains Mono for coefficients, taken at run time from their packages.

Both come as variable fonts. Qt does not move the weight axis of a font of the application by ``QFont.weight`` (500
would look like 400), so weight and optical size are set as axes. Digits are tabular, mono has no ligatures, hinting is
off: a number that changes must not move what is beside it. Where the packages are missing the system's fonts are used,
and the log says so.
"""

from __future__ import annotations

import logging
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase

_LOG = logging.getLogger(__name__)

#: (package, file below ``files/``, family)
_PACKAGES = (
    ("fontpkg_inter", "Inter[opsz,wght].ttf", "Inter"),
    ("fontpkg_jetbrains_mono", "JetBrainsMono[wght].ttf", "JetBrains Mono"),
)
_DISPLAY_FROM_PX = 20


@cache
def load_fonts() -> tuple[str, ...]:
    """Register the packaged fonts with Qt, once, and return the families that are there.

    Needs a running ``QGuiApplication``. A package that is missing or a file that Qt refuses is logged; Qt then
    substitutes a font of the system for that family.
    """
    families: list[str] = []
    for package, file_name, family in _PACKAGES:
        try:
            root = Path(import_module(package).ROOT)
        except ImportError as error:
            _LOG.warning("%s is not installed, a font of the system stands in for %s: %s", package, family, error)
            continue
        number = QFontDatabase.addApplicationFont(str(root / "files" / file_name))
        if number < 0:
            _LOG.warning("Qt cannot read %s; a font of the system stands in for %s", file_name, family)
            continue
        families.extend(QFontDatabase.applicationFontFamilies(number))
    return tuple(families)


@lru_cache(maxsize=256)
def make_font(px: float, weight: int = 400, *, mono: bool = False) -> QFont:
    """Return the font of one size and weight; treat it as read only, it is shared.

    Parameters
    ----------
    px : float
        Size in logical pixels, text scale already applied.
    weight : {400, 500, 600}
        Weight.
    mono : bool
        JetBrains Mono instead of Inter.
    """
    font = QFont("JetBrains Mono" if mono else "Inter")
    font.setStyleHint(QFont.StyleHint.Monospace if mono else QFont.StyleHint.SansSerif)
    font.setPixelSize(max(1, round(px)))
    font.setWeight(QFont.Weight(weight))
    font.setVariableAxis(QFont.Tag("wght"), float(weight))
    if not mono:
        font.setVariableAxis(QFont.Tag("opsz"), 32.0 if px >= _DISPLAY_FROM_PX else 14.0)
    font.setFeature(QFont.Tag("tnum"), 1)
    if mono:
        font.setFeature(QFont.Tag("calt"), 0)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def proportional(font: QFont) -> QFont:
    """Return the same font without tabular figures, for words; treat it as read only."""
    key = font.key()
    if key not in _proportional:
        made = QFont(font)
        made.unsetFeature(QFont.Tag("tnum"))
        _proportional[key] = made
    return _proportional[key]


_proportional: dict[str, QFont] = {}
