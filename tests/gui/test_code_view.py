"""Code that is read: its colours are those of the theme, by what a word is; its lines are numbered."""

from __future__ import annotations

import pytest

from jaxscope.gui.components.code_view import TOKENS, CodeView
from jaxscope.gui.theme import colour


@pytest.fixture
def view(qtbot):
    made = CodeView("Code")
    qtbot.addWidget(made)
    made.resize(400, 200)
    made.dress()
    return made


def colours(view, line):
    """Return {word: kind} of the coloured words of a line."""
    block = view.document().findBlockByNumber(line)
    kinds = {colour(token).name(): kind for kind, token in TOKENS.items()}
    return {
        block.text()[part.start : part.start + part.length]: kinds[part.format.foreground().color().name()]
        for part in block.layout().formats()
    }


@pytest.mark.parametrize(
    ("language", "text", "line", "wanted"),
    [
        ("python", 'import x  # of 2 "a"', 0, {"import": "keyword", '# of 2 "a"': "comment"}),
        ("python", 'y1 = -1.5e-3 + f("for # 3")', 0, {"-1.5e-3": "number", '"for # 3"': "text"}),
        ("python", '"""One\nfor 2\n"""\nreturn 3', 1, {"for 2": "comment"}),
        ("python", '"""One\nfor 2\n"""\nreturn 3', 3, {"return": "keyword", "3": "number"}),
        ("python", '"""One."""\nreturn 3', 1, {"return": "keyword", "3": "number"}),
        ("c", "/* of\n 2 */ const x = 2;", 1, {" 2 */": "comment", "const": "keyword", "2": "number"}),
        ("c", "return x; /* for 2 */", 0, {"return": "keyword", "/* for 2 */": "comment"}),
        ("matlab", "y = y.'; z = 'end'; % 4", 0, {"'end'": "text", "% 4": "comment"}),
        ("json", '{"a": 2, "b": true}', 0, {'"a"': "text", "2": "number", '"b"': "text", "true": "keyword"}),
        ("methods", "for 2 in x", 0, {}),
    ],
)
def test_words_are_coloured_by_what_they_are(view, language, text, line, wanted):
    view.show_code(text, language)
    assert colours(view, line) == wanted
    assert view.toPlainText() == text


def test_the_numbers_of_the_lines_have_the_room_they_need(view):
    view.show_code("x\n" * 20, "python")
    narrow = view.gutter_px
    assert view.viewportMargins().left() == narrow > 0
    view.show_code("x\n" * 2000, "python")
    assert view.viewportMargins().left() == view.gutter_px > narrow
    prose = CodeView("Text", is_prose=True)
    prose.dress()
    assert prose.gutter_px == prose.viewportMargins().left() == 0
