"""The start screen: real pictures of recent recordings, missing ones explained and found, what is dropped."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog

from jaxscope.compute.envelopes import Envelope
from jaxscope.compute.frames import OverviewFrame
from jaxscope.filters.chain_file import save_chain
from jaxscope.gui.preferences import preferences
from jaxscope.gui.recent_cards import MOST_CARDS, card_path, keep_card, load_card, presence_of, when_words
from jaxscope.gui.views.start_screen import StartScreen
from jaxscope.session.settings import load_settings

NOW = datetime(2026, 11, 30, 14, 2)


def overview(read_share: float = 1.0) -> OverviewFrame:
    wave = np.sin(np.linspace(0, 20, 300))[None]
    envelope = Envelope(low=wave - 0.2, high=wave + 0.2)
    return OverviewFrame(
        revision=1,
        recording_id="r",
        edges_s=np.linspace(0, 60, 301),
        before=envelope,
        after=None,
        read_share=read_share,
        filtered_share=0.0,
    )


@pytest.fixture
def here(tmp_path: Path) -> str:
    path = tmp_path / "here.edf"
    path.write_bytes(b"x")
    return str(path)


def drop(window, *paths: str) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(path) for path in paths])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(5, 5), copy, mime, left, none))


def test_a_card_comes_back_with_its_picture(info):
    assert keep_card("/data/a.edf", info, overview(), facts="6 channels", token="ecg", now=NOW)
    card = load_card("/data/a.edf")
    assert (card.facts, card.token, card.opened) == ("6 channels", "ecg", NOW)
    assert len({card.picture.pixel(x, y) for x in range(card.picture.width()) for y in (0, 21)}) > 1
    assert load_card("/data/b.edf") is None


def test_the_oldest_cards_are_forgotten(info):
    for number in range(MOST_CARDS + 3):
        keep_card(f"/data/{number}.edf", info, overview(), facts="", token="eeg", now=NOW)
    assert len(list(card_path("x").parent.glob("*.png"))) <= MOST_CARDS + 1


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (datetime(2026, 11, 30, 9, 5), "Today, 09:05"),
        (datetime(2026, 11, 29, 23, 0), "Yesterday"),
        (datetime(2026, 11, 3), "3 Nov"),
        (datetime(2025, 11, 3), "3 Nov 2025"),
    ],
)
def test_days_are_said_as_people_do(moment, words):
    assert when_words(moment, NOW) == words


def test_presence(here, tmp_path):
    assert presence_of(here) == "here"
    assert presence_of(str(tmp_path / "gone.edf")) == "moved"
    assert presence_of("/no/such/disk/gone.edf") == "away"


def test_a_missing_recording_says_why_and_can_be_found(qtbot, here, tmp_path):
    screen = StartScreen(("EDF",))
    qtbot.addWidget(screen)
    gone = str(tmp_path / "gone.edf")
    screen.show_recent((here, gone))
    screen.show()
    qtbot.waitUntil(lambda: screen.rows[gone].find_button.isVisible())
    assert screen.rows[gone].row.facts == "Moved or deleted"
    assert not screen.rows[gone].row.isEnabled()
    assert screen.rows[here].row.isEnabled()
    with qtbot.waitSignal(screen.find_asked) as found:
        screen.rows[gone].find_button.click()
    assert found.args == [gone]
    with qtbot.waitSignal(screen.chosen) as chosen:
        screen.rows[here].row.click()
    assert chosen.args == [here]


def test_what_was_found_takes_the_place_of_what_was_missing(desk, here, monkeypatch):
    actions = desk.window.actions_
    actions.change_settings(actions.settings.with_recent("/gone/here.edf"))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (here, ""))
    actions.find_recent("/gone/here.edf")
    assert desk.conductor.asked[-1] == ("open", here)
    preferences().writer.wait()
    assert load_settings()[0].recent == ("/data/six.edf",)


def test_the_card_is_kept_once_everything_has_been_read(desk):
    desk.window.receive(overview(0.5))
    assert load_card("/data/six.edf") is None
    desk.window.receive(overview())
    card = load_card("/data/six.edf")
    assert card.facts == "6 channels · 100 Hz · 01:00"
    assert card.token == "eeg"


def test_a_dropped_file_is_opened_and_the_others_are_said(desk, here):
    drop(desk.window, here, "/data/other.edf")
    assert desk.conductor.asked[-1] == ("open", here)
    assert desk.window.status.hint() == "here.edf is opened, the other 1 are not"


def test_a_dropped_folder_opens_the_one_recording_in_it(desk, here):
    drop(desk.window, str(Path(here).parent))
    assert desk.conductor.asked[-1] == ("open", here)


def test_a_dropped_folder_of_several_asks_which(desk, here, monkeypatch):
    (Path(here).parent / "second.edf").write_bytes(b"x")
    asked = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *choices: asked.append(choices[2]) or ("", ""))
    drop(desk.window, str(Path(here).parent))
    assert asked == [str(Path(here).parent)]


def test_a_dropped_chain_filters_and_can_be_undone(desk, tmp_path):
    chain = desk.store.state.document.chains[1]
    path = tmp_path / "ecg.json"
    save_chain(chain, path)
    before = desk.store.state.document.chains
    drop(desk.window, str(path))
    assert desk.store.state.document.chains == (chain,)
    assert desk.window.status.hint() == "Filter ECG taken from ecg.json"
    desk.store.undo()
    assert desk.store.state.document.chains == before
