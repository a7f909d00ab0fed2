"""A text of code that is only read: numbers of lines at the left, quiet colours for what a word is.

The colours are tokens of the theme and are taken anew with ``dress``. Rows of rules stand for the languages; none is
parsed, so what is inside a comment or a string wins over everything in it by coming first in its pattern.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from jaxscope.gui.components.painting import RIGHT, draw_text, text_width
from jaxscope.gui.theme import colour, font, scaled, theme

_NUMBER = r"(?P<number>(?<![\w.])[+-]?(?:0x[0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)f?(?![\w.]))"
_PYTHON = r"\b(?:import|from|as|def|return|for|in|if|elif|else|break|not|and|or|None|True|False|lambda)\b"
_C = r"#\s*\w+|\b(?:static|inline|const|double|int|void|char|size_t|float|struct|typedef|return|for|if|else|sizeof)\b"
_MATLAB = r"\b(?:function|end|for|if|elseif|else|switch|case|return|true|false)\b"
_TEXT = r"(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"


def _rules(comment: str, keyword: str, text: str = _TEXT) -> re.Pattern[str]:
    return re.compile(f"(?P<comment>{comment})|{text}|(?P<keyword>{keyword})|{_NUMBER}")


_C_RULES = _rules(r"/\*.*?(?:\*/|$)|//.*", _C)
#: rules by the name of the export
LANGUAGES: Mapping[str, re.Pattern[str]] = {
    "python": _rules("#.*", _PYTHON),
    "jaxscope": _rules("#.*", _PYTHON),
    # after a name or a bracket a quote transposes
    "matlab": _rules("%.*", _MATLAB, r"(?P<text>(?<![\w.)\]])'[^'\n]*')"),
    "c": _C_RULES,
    "c_header": _C_RULES,
    "cmsis": _C_RULES,
    "csv": _rules("#.*", "(?!)"),
    "json": _rules("(?!)", r"\b(?:true|false|null)\b"),
}
#: texts that go over several lines: what begins and ends them, and what they are
_BLOCKS: Mapping[str, tuple[str, str, str]] = {
    "python": ('"""', '"""', "comment"),
    "jaxscope": ('"""', '"""', "comment"),
    "c": ("/*", "*/", "comment"),
    "c_header": ("/*", "*/", "comment"),
    "cmsis": ("/*", "*/", "comment"),
}
TOKENS: Mapping[str, str] = {"comment": "text3", "text": "t3", "number": "t2", "keyword": "t7"}


class Highlighter(QSyntaxHighlighter):
    """Colours comments, strings, numbers and keywords of one language."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._language = ""
        self._formats: dict[str, QTextCharFormat] = {}
        self.dress()

    def dress(self) -> None:
        """Take the colours of the theme; ``set_language`` or a new text shows them."""
        self._formats = {kind: QTextCharFormat() for kind in TOKENS}
        for kind, token in TOKENS.items():
            self._formats[kind].setForeground(colour(token))

    def set_language(self, name: str) -> None:
        """Go by the rules of an export; one that has none stays plain."""
        self._language = name
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        self.setCurrentBlockState(0)
        rules = LANGUAGES.get(self._language)
        if rules is None:
            return
        if self._language in _BLOCKS:
            self._blocks(text, rules, *_BLOCKS[self._language])
        else:
            self._words(text, rules, 0, len(text))

    def _words(self, text: str, rules: re.Pattern[str], first: int, stop: int) -> None:
        for found in rules.finditer(text, first, stop):
            self._colour(found.lastgroup or "comment", *found.span())

    def _colour(self, kind: str, first: int, stop: int) -> None:
        self.setFormat(first, stop - first, self._formats[kind])

    def _blocks(self, text: str, rules: re.Pattern[str], begins: str, ends: str, kind: str) -> None:
        """Colour a line of a language with texts over several lines: one may be open, and one may stay open."""
        at, is_open = 0, self.previousBlockState() == 1
        while True:
            start = at if is_open else text.find(begins, at)
            self._words(text, rules, at, len(text) if start < 0 else start)
            if start < 0:
                return
            end = text.find(ends, start if is_open else start + len(begins))
            at, is_open = end + len(ends), False
            self._colour(kind, start, len(text) if end < 0 else at)
            if end < 0:
                self.setCurrentBlockState(1)
                return


class CodeView(QPlainTextEdit):
    """Code to be read and copied.

    Parameters
    ----------
    name : str
        Accessible name.
    is_prose : bool
        Whether it is a text of sentences: it wraps, in the face of the window, without numbers of lines.
    """

    def __init__(self, name: str, *, is_prose: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_prose = is_prose
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(name)
        wrap = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(wrap.WidgetWidth if is_prose else wrap.NoWrap)
        self._numbers = _Numbers(self)
        self._numbers.setVisible(not is_prose)
        self.highlighter = Highlighter(self.document())
        self.blockCountChanged.connect(lambda _: self._make_room())
        self.updateRequest.connect(lambda _rect, _dy: self._numbers.update())

    @property
    def gutter_px(self) -> int:
        """How wide the numbers of the lines are."""
        if self._is_prose:
            return 0
        digits = max(2, len(str(self.blockCount())))
        return int(text_width("0" * digits, self._face())) + scaled(26)

    def dress(self) -> None:
        """Take the colours and the size of text of the theme."""
        face = self._face()
        self.setFont(face)
        ground = colour("canvas" if theme().is_dark else "bar").name()
        self.setStyleSheet(
            f"QPlainTextEdit {{ background: {ground}; color: {colour('text').name()}; border: 1px solid "
            f"{colour('line2').name()}; border-radius: 6px; padding: 8px; font-family: '{face.family()}'; "
            f"font-size: {face.pixelSize()}px; }} QPlainTextEdit::corner {{ background: transparent; border: 0; }}"
        )
        self.highlighter.dress()
        self.highlighter.rehighlight()
        self._make_room()

    def show_code(self, text: str, language: str) -> None:
        """Show a text, by the rules of the export that made it."""
        self.setPlainText(text)
        self.highlighter.set_language(language)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._make_room()

    def _face(self):
        return font(12, mono=not self._is_prose)

    def _make_room(self) -> None:
        self.setViewportMargins(self.gutter_px, 0, 0, 0)
        seen = self.viewport().geometry()
        self._numbers.setGeometry(QRect(seen.left() - self.gutter_px, seen.top(), self.gutter_px, seen.height()))
        self._numbers.update()

    def paint_numbers(self, painter: QPainter) -> None:
        """Paint the numbers of the lines that are seen."""
        block = self.firstVisibleBlock()
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if place.top() > self.viewport().height():
                return
            spot = QRectF(0, place.top(), self.gutter_px - scaled(14), place.height())
            draw_text(painter, spot, str(block.blockNumber() + 1), self._face(), "off", RIGHT)
            block = block.next()


class _Numbers(QWidget):
    """The numbers of the lines of a text."""

    def __init__(self, view: CodeView) -> None:
        super().__init__(view)
        self._view = view
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def sizeHint(self) -> QSize:
        return QSize(self._view.gutter_px, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        # not by ``begin``: the ground is that of the text below
        with QPainter(self) as painter:
            self._view.paint_numbers(painter)
