"""The theme: contrast as the design promises, one switch for all, fonts and icons from their packages."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QFontInfo, QFontMetricsF, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import delete

from jaxscope.errors import JaxscopeError
from jaxscope.gui.assets import keymap, tokens
from jaxscope.gui.components.painting import rounded
from jaxscope.gui.fonts import load_fonts, make_font
from jaxscope.gui.icons import GLYPHS, icon_pixmap
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.traces_picture import trace_colours


def luminance(hex_colour: str) -> float:
    parts = [int(hex_colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", ["dark", "light"])
@pytest.mark.parametrize(
    ("front", "behind", "needed"),
    [
        ("text", "panel", 4.5),
        ("text2", "panel", 4.5),
        ("text3", "panel", 4.5),
        ("text3", "hover", 4.5),
        ("after_text", "after", 4.5),
        ("danger", "danger_bg", 4.5),
        ("warn", "warn_bg", 4.5),
        ("ok", "ok_bg", 4.5),
        ("text", "press", 4.5),
        ("field", "panel", 3.0),
        ("focus", "panel", 3.0),
        ("before", "canvas", 3.0),
    ],
)
def test_pairs_of_tokens_can_be_told_apart(mode, front, behind, needed):
    table = tokens()[mode]
    assert contrast(table[front], table[behind]) >= needed


def test_switching_the_theme_changes_palette_colours_and_tells_once(qtbot):
    seen = []
    told = theme().changed.connect(lambda: seen.append(colour("canvas").name()))
    theme().set_mode("light")
    theme().disconnect(told)
    assert seen == ["#ffffff"]
    assert QApplication.palette().color(QPalette.ColorRole.Window).name() == tokens()["light"]["bar"].lower()


def test_an_unknown_theme_is_refused():
    with pytest.raises(JaxscopeError, match="no theme 'sepia'"):
        theme().set_mode("sepia")


def test_text_scale_is_held_and_grows_sizes():
    theme().set_text_scale(9)
    assert theme().text_scale == 2.0
    assert scaled(30) == 60
    assert font(13).pixelSize() == 26


def test_fonts_come_from_the_packages_with_all_weights():
    assert {"Inter", "JetBrains Mono"} <= set(load_fonts())
    assert QFontInfo(make_font(13)).family() == "Inter"
    assert QFontInfo(make_font(11, mono=True)).family() == "JetBrains Mono"
    widths = [QFontMetricsF(make_font(13, weight)).horizontalAdvance("Butterworth") for weight in (400, 500, 600)]
    assert widths[0] < widths[1] < widths[2]


def test_digits_are_tabular():
    metrics = QFontMetricsF(make_font(13))
    assert len({metrics.horizontalAdvance(digit) for digit in "0123456789"}) == 1


@pytest.mark.parametrize("name", list(GLYPHS))
def test_every_icon_draws_something(qapp, name):
    image = icon_pixmap(name, 18, "text2", 2.0).toImage()
    assert image.width() == 36
    assert any(image.pixelColor(x, y).alpha() for x in range(36) for y in range(36))


def test_icons_follow_the_theme(qapp):
    def ink() -> str:
        image = icon_pixmap("plus", 18, "text", 1.0).toImage()
        pixels = [image.pixelColor(x, y) for x in range(18) for y in range(18)]
        return max(pixels, key=lambda pixel: pixel.alpha()).name()

    dark = ink()
    theme().set_mode("light")
    assert dark != ink()


def test_no_key_is_bound_twice_in_a_context_nor_reused_from_anywhere():
    taken: dict[tuple[str, str], str] = {}
    for row in keymap():
        for key in row.keys:
            assert (row.context, key) not in taken
            taken[(row.context, key)] = row.does


def test_more_contrast_makes_borders_and_before_stronger_and_tints_outlines():
    usual = {token: colour(token).name() for token in ("line2", "field", "text2", "danger", "danger_bg")}
    theme().set_contrast("more")
    try:
        assert colour("line2").name() == colour("field").name() == usual["text2"]
        assert trace_colours(set())["before_mixed"] == colour("before").rgb()
        image = QImage(40, 20, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(0)
        painter = QPainter(image)
        rounded(painter, QRectF(0, 0, 40, 20), 0, "danger_bg")
        painter.end()
        assert image.pixelColor(20, 10).alpha() == 0
        assert image.pixelColor(20, 0).name() == usual["danger"]
    finally:
        theme().set_contrast("system")
    assert colour("line2").name() == usual["line2"]
    assert trace_colours(set())["before_mixed"] != colour("before").rgb()


def test_the_system_may_want_more_contrast():
    theme()._take_contrast(Qt.ContrastPreference.HighContrast)
    try:
        assert theme().is_high_contrast
        assert colour("field") == colour("text2")
    finally:
        theme()._take_contrast(Qt.ContrastPreference.NoPreference)
    assert not theme().is_high_contrast


class Polished(QWidget):
    """Counts how often it is told of a style."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.times = 0

    def event(self, event: QEvent) -> bool:
        self.times += event.type() == QEvent.Type.StyleChange
        return super().event(event)


def test_a_dressed_window_follows_the_theme_and_what_is_deep_in_it_is_polished_no_oftener(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    line = [Polished(window)]
    for _ in range(5):
        line.append(Polished(line[-1]))
    theme().dress(window)
    window.show()
    for part in line:
        part.times = 0
    theme().set_mode("light")
    assert tokens()["light"]["raised"] in window.styleSheet()
    assert line[-1].times == line[0].times > 0
    assert QApplication.instance().styleSheet() == ""


def test_a_window_that_is_gone_is_dressed_no_more():
    window = QWidget()
    theme().dress(window)
    delete(window)
    theme().set_mode("light")
    assert theme().mode == "light"
