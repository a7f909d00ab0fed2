"""Text that is laid out once looks as it does when Qt lays it out anew, and columns follow the size of text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import CENTRE, LEFT, RIGHT, begin, draw_text, fitting, ink
from jaxscope.gui.components.rows import keep_width
from jaxscope.gui.theme import font, theme


def painted(draw, ratio: float) -> QImage:
    image = QImage(round(240 * ratio), round(40 * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    with begin(image) as painter:
        draw(painter)
    return image


def by_qt(painter, rect, text, with_font, align) -> None:
    painter.setFont(fitting(with_font, text))
    painter.setPen(ink("text"))
    painter.drawText(rect, int(align) | int(Qt.TextFlag.TextSingleLine), text)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize("align", [LEFT, RIGHT, CENTRE, Qt.AlignmentFlag.AlignHCenter])
@pytest.mark.parametrize(
    ("text", "px", "width"),
    [("Fp1", 12, 200.0), ("−12.5 µV", 11, 180.5), ("Zero-phase", 13, 150.25), ("too long for its room", 13, 40.0)],
)
def test_text_is_painted_as_qt_paints_it(qapp, ratio, align, text, px, width):
    rect = QRectF(7.5, 3.25, width, 24.0)
    for _ in range(2):  # the second time it is laid out already
        ours = painted(lambda painter: draw_text(painter, rect, text, font(px, 500), "text", align), ratio)
    assert ours == painted(lambda painter: by_qt(painter, rect, text, font(px, 500), align), ratio)


def test_a_text_is_elided_where_its_room_is_too_small(qapp):
    def draw(text):
        return painted(
            lambda painter: draw_text(painter, QRectF(0, 0, 60, 20), text, font(12), elide=Qt.TextElideMode.ElideRight),
            1.0,
        )

    assert draw("a name that is too long") == draw("a name that is too longer still")
    assert draw("short") != draw("shore")


def test_a_column_follows_the_text_and_never_cuts_its_words(qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    label, column = Label("Montage", 13, 600, parent=holder), QWidget(holder)
    keep_width(label, 20)
    keep_width(column, 100)
    widths = {}
    try:
        for scale in (1.0, 2.0):
            theme().set_text_scale(scale)
            widths[scale] = column.width()
            assert label.width() >= label.sizeHint().width()
    finally:
        theme().set_text_scale(1.0)
    assert widths == {1.0: 100, 2.0: 200}
    column.setParent(None)
    column.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    theme().set_text_scale(1.5)  # nobody is told who has gone
    theme().set_text_scale(1.0)
