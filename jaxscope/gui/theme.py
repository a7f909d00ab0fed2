"""One theme object: tokens, text scale, and what Qt's own widgets need of them.

Painted components read ``colour(token)`` and ``font(px)`` in ``paintEvent``, so that switching the theme is one
palette, one style sheet for each window and one update. Invariant: no colour and no size is written anywhere else.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, get_args

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette, QStyleHints
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from jaxscope.errors import JaxscopeError
from jaxscope.gui.assets import tokens
from jaxscope.gui.fonts import load_fonts, make_font
from jaxscope.gui.style_sheet import style_sheet
from jaxscope.gui.taking_turns import TakingTurns

ThemeMode = Literal["dark", "light", "system"]

Contrast = Literal["system", "more"]

SMALLEST_SCALE, LARGEST_SCALE = 0.8, 2.0
#: tokens that give way to a stronger one where more contrast is wanted
_STRONGER = {"line2": "text2", "field": "text2"}

_PALETTE = (
    (QPalette.ColorRole.Window, "bar"),
    (QPalette.ColorRole.WindowText, "text"),
    (QPalette.ColorRole.Base, "canvas"),
    (QPalette.ColorRole.AlternateBase, "bar"),
    (QPalette.ColorRole.Text, "text"),
    (QPalette.ColorRole.PlaceholderText, "text3"),
    (QPalette.ColorRole.Button, "raised"),
    (QPalette.ColorRole.ButtonText, "text"),
    (QPalette.ColorRole.BrightText, "danger"),
    (QPalette.ColorRole.Highlight, "after"),
    (QPalette.ColorRole.HighlightedText, "after_text"),
    (QPalette.ColorRole.ToolTipBase, "raised"),
    (QPalette.ColorRole.ToolTipText, "text"),
    (QPalette.ColorRole.Link, "after"),
    (QPalette.ColorRole.LinkVisited, "after"),
    (QPalette.ColorRole.Light, "hover"),
    (QPalette.ColorRole.Midlight, "line2"),
    (QPalette.ColorRole.Mid, "line2"),
    (QPalette.ColorRole.Dark, "line"),
    (QPalette.ColorRole.Shadow, "scrim"),
    (QPalette.ColorRole.Accent, "after"),
)
_DISABLED_ROLES = (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText)


class _AtShow(QObject):
    """Dresses what is about to be shown."""

    def __init__(self, dress: Callable[[QWidget], None]) -> None:
        super().__init__()
        self._dress = dress

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            self._dress(watched)
        return False


class Theme(QObject):
    """Dark, light or the system's choice, and the text scale.

    ``changed`` is emitted after the application wears the new look; ``update()`` is enough for painted widgets.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mode: ThemeMode = "dark"
        self._text_scale = 1.0
        self._contrast: Contrast = "system"
        self._system_wants_contrast = False
        self._hints: tuple[QStyleHints, Any] | None = None
        self._installed = False
        self._colours: dict[tuple[str, float | None], QColor] = {}
        self._here = threading.local()
        #: on how many threads another theme is worn: mostly none, and then nobody need ask on which
        self._n_worn, self._counting = 0, threading.Lock()
        #: what always wears the theme of now, and what does while it is open
        self._parts: weakref.WeakSet[QWidget] = weakref.WeakSet()
        self._floating: weakref.WeakSet[QWidget] = weakref.WeakSet()
        #: of those, what stands in a layout of the window: hidden it still has a say in the sizes of what is seen
        self._standing: weakref.WeakSet[QWidget] = weakref.WeakSet()
        self._at_show = _AtShow(self.dress_to_open)
        #: parts that have still to put the theme of now on
        self.turns = TakingTurns(self)

    @contextmanager
    def worn_here(self, mode: Literal["dark", "light"]) -> Iterator[None]:
        """Wear another theme, at text scale 1, on this thread alone: what is painted for paper needs no window's."""
        self._here.mode, self._here.colours = mode, {}
        with self._counting:
            self._n_worn += 1
        try:
            yield
        finally:
            with self._counting:
                self._n_worn -= 1
            del self._here.mode, self._here.colours

    @property
    def _mode_here(self) -> str | None:
        """The theme that this thread alone wears."""
        return getattr(self._here, "mode", None) if self._n_worn else None

    @property
    def mode(self) -> ThemeMode:
        """The chosen mode, which may be ``system``."""
        return self._mode

    @property
    def is_dark(self) -> bool:
        """Whether the dark tokens are in use now."""
        if self._mode_here is not None:
            return self._mode_here == "dark"
        if self._mode != "system":
            return self._mode == "dark"
        return QGuiApplication.styleHints().colorScheme() != Qt.ColorScheme.Light

    @property
    def contrast(self) -> Contrast:
        """Whether more contrast is wanted, or what the system says."""
        return self._contrast

    @property
    def is_high_contrast(self) -> bool:
        """Whether borders are stronger, tinted grounds are outlines, and Before is drawn in full."""
        return self._contrast == "more" or self._system_wants_contrast

    @property
    def text_scale(self) -> float:
        """Factor of all text sizes and of the heights that follow from them."""
        return self._text_scale if not self._n_worn or self._mode_here is None else 1.0

    def install(self, application: QApplication) -> None:
        """Load the fonts, follow the system's colour scheme, and dress the application."""
        load_fonts()
        application.setStyle("Fusion")
        application.styleHints().colorSchemeChanged.connect(self._follow_system)
        self._listen_for_contrast(application.styleHints())
        self._installed = True
        self._dress()

    def _listen_for_contrast(self, style: QStyleHints) -> None:
        """Follow the system's wish for contrast where Qt tells it (from 6.10 on)."""
        reader = getattr(style, "accessibility", None)
        if reader is None:
            return
        # both are kept: the binding takes the second away together with the Python object of the first
        self._hints = (style, reader())
        self._hints[1].contrastPreferenceChanged.connect(self._take_contrast)
        self._system_wants_contrast = self._hints[1].contrastPreference() == Qt.ContrastPreference.HighContrast

    def dress(self, part: QWidget) -> None:
        """Give a part of a window, and all that is in it, the style sheet of now and of every later theme.

        A sheet of the application would say the same, but Qt then polishes each widget once for each of its ancestors;
        one of a whole window dresses what is closed as well.
        """
        self._parts.add(part)
        part.setStyleSheet(self._sheet())

    def dress_to_open(self, part: QWidget) -> None:
        """Give something that is about to be shown the style sheet of now: while it is closed no theme costs it any."""
        if part.styleSheet() != self._sheet():
            part.setStyleSheet(self._sheet())
        self._floating.add(part)

    def dress_when_shown(self, part: QWidget) -> None:
        """Give a part the style sheet of the theme whenever it is shown, and while it is."""
        self._standing.add(part)
        part.installEventFilter(self._at_show)
        if not part.isHidden():
            self.dress_to_open(part)

    def set_mode(self, mode: ThemeMode) -> None:
        """Switch to ``dark``, ``light`` or ``system``."""
        if mode not in get_args(ThemeMode):
            raise JaxscopeError(f"there is no theme {mode!r}", hint="choose dark, light or system", field="theme")
        self._mode = mode
        self._dress()

    def set_contrast(self, contrast: Contrast) -> None:
        """Want more contrast, or what the system says."""
        if contrast not in get_args(Contrast):
            raise JaxscopeError(f"there is no contrast {contrast!r}", hint="choose system or more", field="contrast")
        self._contrast = contrast
        self._dress()

    def set_text_scale(self, scale: float) -> None:
        """Set the text scale, held between 0.8 and 2."""
        self._text_scale = min(LARGEST_SCALE, max(SMALLEST_SCALE, float(scale)))
        self._dress(also_hidden=True)  # what is hidden has a say in the sizes of what is seen

    def colour(self, token: str, alpha: float | None = None) -> QColor:
        """Return the colour of a token, at an opacity of 0 to 1 where one is given."""
        key = (token, alpha)
        colours = self._colours if self._mode_here is None else self._here.colours
        if key not in colours:
            colour = QColor(self._table()[token])
            if alpha is not None:
                colour.setAlphaF(alpha)
            colours[key] = colour
        found: QColor = colours[key]
        return found

    def _take_contrast(self, wanted: Qt.ContrastPreference) -> None:
        self._system_wants_contrast = wanted == Qt.ContrastPreference.HighContrast
        self._dress()

    def _follow_system(self) -> None:
        if self._mode == "system":
            self._dress()

    def _dress(self, *, also_hidden: bool = False) -> None:
        self._colours.clear()
        application = QApplication.instance()
        if self._installed and isinstance(application, QApplication):
            application.setPalette(self._palette())
            application.setFont(make_font(13 * self._text_scale))
            standing = self._standing if also_hidden else ()
            at_times = {*standing, *(part for part in self._floating if isValid(part) and not part.isHidden())}
            self.turns.take((part for part in (*self._parts, *at_times) if isValid(part)), self._put_on)
        self.changed.emit()

    def _put_on(self, part: QWidget) -> None:
        part.setStyleSheet(self._sheet())

    def _sheet(self) -> str:
        return style_sheet(self._table(), self._text_scale, is_dark=self.is_dark)

    def _table(self) -> Mapping[str, str]:
        """Return the tokens of now."""
        table = tokens()["dark" if self.is_dark else "light"]
        if not self.is_high_contrast:
            return table
        return {token: table[_STRONGER.get(token, token)] for token in table}

    def _palette(self) -> QPalette:
        palette = QPalette()
        for role, token in _PALETTE:
            palette.setColor(role, self.colour(token))
        for role in _DISABLED_ROLES:
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.colour("off"))
        return palette


_theme: list[Theme] = []


def theme() -> Theme:
    """Return the one theme of this process."""
    if not _theme:
        _theme.append(Theme())
    return _theme[0]


def colour(token: str, alpha: float | None = None) -> QColor:
    """Return a token's colour in the theme of now; do not keep it over a change of theme."""
    return theme().colour(token, alpha)


def font(px: float = 13, weight: int = 400, *, mono: bool = False) -> QFont:
    """Return the font of a size in the design's pixels, at the text scale of now."""
    return make_font(px * theme().text_scale, weight, mono=mono)


def scaled(px: float) -> int:
    """Return a height or width that must grow with the text, in logical pixels."""
    return round(px * theme().text_scale)
