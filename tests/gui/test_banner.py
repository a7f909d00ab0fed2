"""The banner says its sentence from its first picture on, however late its buttons come to their places."""

from __future__ import annotations

import pytest

from jaxscope.gui.theme import theme
from jaxscope.gui.views import banner as banners
from jaxscope.gui.views.banner import Banner, Notice


@pytest.fixture
def banner(qtbot):
    made = Banner(lambda: None)
    qtbot.addWidget(made)
    theme().dress(made)
    made.resize(1200, 36)
    return made


@pytest.fixture
def drawn(monkeypatch):
    """Return the rooms that texts were drawn in, by text: the newest of each."""
    rooms = {}
    real = banners.draw_text

    def draw(painter, rect, text, *rest, **more):
        rooms[text] = rect.width()
        real(painter, rect, text, *rest, **more)

    monkeypatch.setattr(banners, "draw_text", draw)
    return rooms


def notice(*labels):
    """Return a notice with buttons."""
    actions = tuple((label, None, lambda: None) for label in labels)
    return Notice(cause="c", kind="danger", sentence="A pole lies outside", hint="After is held", actions=actions)


def test_the_sentence_has_room_before_the_buttons_have_their_places(banner, drawn):
    banner.show()
    banner.show_notice(notice("Undo", "Move inside, to 0.9129"))
    banner.grab()
    assert drawn["A pole lies outside."] > 100
    assert drawn["After is held."] > 60


def test_a_banner_that_comes_with_its_notice_is_painted_again_when_its_buttons_move(qtbot, banner, drawn):
    banner.show_notice(notice("Undo"))
    banner.show()
    qtbot.waitExposed(banner)
    qtbot.waitUntil(lambda: drawn.get("A pole lies outside.", 0) > 100)
    room = drawn["After is held."]
    banner.show_notice(notice("Undo", "Move inside, to 0.9129", "Another way"))
    qtbot.waitUntil(lambda: drawn["After is held."] < room)
    assert drawn["A pole lies outside."] > 100
