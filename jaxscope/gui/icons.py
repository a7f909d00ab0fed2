"""Icons by name: one table from our names to glyphs of qtawesome's Phosphor and Remix fonts.

A glyph is drawn into a pixmap of the wanted token's colour, so one glyph serves both themes and all states. Pixmaps are
kept by (name, size, token, device pixel ratio) and dropped when the theme changes. No picture files are shipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap

from jaxscope.gui.icon_fonts import characters, icon_font
from jaxscope.gui.theme import colour, theme

#: Our name to (font of qtawesome, glyph). Names are those of the design.
GLYPHS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "menu-2": ("ph", "list"),
        "folder-open": ("ph", "folder-open"),
        "folder": ("ph", "folder"),
        "files": ("ph", "files"),
        "file-export": ("ph", "export"),
        "file-alert": ("ri", "file-warning-line"),
        "file-text": ("ph", "file-text"),
        "device-floppy": ("ph", "floppy-disk"),
        "photo": ("ph", "image"),
        "table": ("ph", "table"),
        "code": ("ph", "code"),
        "cpu": ("ph", "cpu"),
        "cpu-2": ("ph", "cpu"),
        "stack-2": ("ph", "stack"),
        "brand-apple": ("ph", "apple-logo"),
        "bolt": ("ph", "lightning"),
        "arrow-back-up": ("ph", "arrow-u-up-left"),
        "arrow-forward-up": ("ph", "arrow-u-up-right"),
        "chevron-down": ("ph", "caret-down"),
        "chevron-up": ("ph", "caret-up"),
        "chevron-right": ("ph", "caret-right"),
        "chevron-left": ("ph", "caret-left"),
        "dots-vertical": ("ph", "dots-three-vertical"),
        "grip-vertical": ("ph", "dots-six-vertical"),
        "plus": ("ph", "plus"),
        "minus": ("ph", "minus"),
        "x": ("ph", "x"),
        "check": ("ph", "check"),
        "circle": ("ph", "circle"),
        "circle-check": ("ph", "check-circle"),
        "alert-triangle": ("ph", "warning"),
        "alert-circle": ("ph", "warning-circle"),
        "info-circle": ("ph", "info"),
        "clock": ("ph", "clock"),
        "lock": ("ph", "lock"),
        "eraser": ("ph", "eraser"),
        "target": ("ph", "target"),
        "pin": ("ph", "push-pin"),
        "pencil": ("ph", "pencil-simple"),
        "copy": ("ph", "copy"),
        "clipboard": ("ph", "clipboard"),
        "terminal-2": ("ph", "terminal-window"),
        "search": ("ph", "magnifying-glass"),
        "zoom-in": ("ph", "magnifying-glass-plus"),
        "zoom-out": ("ph", "magnifying-glass-minus"),
        "arrows-horizontal": ("ph", "arrows-out-line-horizontal"),
        "arrows-left-right": ("ph", "arrows-left-right"),
        "arrows-vertical": ("ph", "arrows-out-line-vertical"),
        "viewfinder": ("ph", "crosshair-simple"),
        "eye": ("ph", "eye"),
        "eye-off": ("ph", "eye-slash"),
        "filter": ("ph", "funnel"),
        "filter-off": ("ri", "filter-off-line"),
        "player-play": ("ph", "play"),
        "player-pause": ("ph", "pause"),
        "player-stop": ("ph", "stop"),
        "plug-connected-x": ("ri", "plug-2-line"),
        "wave-sine": ("ri", "pulse-line"),
        "refresh": ("ph", "arrows-clockwise"),
        "settings": ("ph", "gear"),
        "keyboard": ("ph", "keyboard"),
        "sun": ("ph", "sun"),
        "moon": ("ph", "moon"),
        "history": ("ph", "clock-counter-clockwise"),
        "trash": ("ph", "trash"),
        "overlay": ("ph", "stack-simple"),
        "split": ("ph", "columns"),
        "curtain": ("ph", "square-half"),
        "difference": ("ph", "intersect"),
        "chain": ("ph", "sliders"),
        "response": ("ph", "chart-line"),
    }
)

_pixmaps: dict[tuple[str, float, str, float], QPixmap] = {}
_follows_theme: list[bool] = []


def icon_pixmap(name: str, size: float, token: str, ratio: float = 1.0) -> QPixmap:
    """Return the icon ``name`` in a token's colour, ``size`` logical pixels wide, for a device pixel ratio."""
    if not _follows_theme:
        theme().changed.connect(_pixmaps.clear)
        _follows_theme.append(True)
    key = (name, size, token, ratio)
    if key not in _pixmaps:
        _pixmaps[key] = _draw(name, size, token, ratio)
    return _pixmaps[key]


def draw_icon(painter: QPainter, name: str, rect: QRectF, token: str, *, opacity: float = 1.0) -> None:
    """Draw an icon centred in ``rect``, as large as its shorter side."""
    device = painter.device()
    ratio = device.devicePixelRatioF() if device is not None else 1.0
    size = min(rect.width(), rect.height())
    pixmap = icon_pixmap(name, size, token, ratio)
    before = painter.opacity()
    painter.setOpacity(before * opacity)
    painter.drawPixmap(QPointF(rect.center().x() - size / 2, rect.center().y() - size / 2), pixmap)
    painter.setOpacity(before)


def icon(name: str, token: str = "text2") -> QIcon:
    """Return a QIcon, for menus, that follows the theme."""
    return QIcon(_ThemeIconEngine(name, token))


def _draw(name: str, size: float, token: str, ratio: float) -> QPixmap:
    prefix, glyph = GLYPHS[name]
    pixels = max(1, round(size * ratio))
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.setFont(icon_font(prefix, pixels))
        painter.setPen(colour(token))
        painter.drawText(QRectF(0, 0, pixels, pixels), Qt.AlignmentFlag.AlignCenter, characters(prefix)[glyph])
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


class _ThemeIconEngine(QIconEngine):
    """Paints a glyph in the theme of the moment it is painted."""

    def __init__(self, name: str, token: str) -> None:
        super().__init__()
        self._name = name
        self._token = token

    def clone(self) -> QIconEngine:
        return _ThemeIconEngine(self._name, self._token)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        token = "off" if mode == QIcon.Mode.Disabled else self._token
        draw_icon(painter, self._name, QRectF(rect), token)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        with QPainter(pixmap) as painter:
            self.paint(painter, pixmap.rect(), mode, state)
        return pixmap
