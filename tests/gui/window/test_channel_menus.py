"""The menus of a channel lead to the chain that it has."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from jaxscope.session import actions as act


@pytest.fixture
def tag_menu(desk):
    """Return what opens the menu of a channel's tag and gives its entries by their words."""

    def opened(name):
        desk.window.actions_.menus.open_tag_menu(name, QPoint(0, 0))
        menu = desk.window.findChildren(QMenu)[-1]
        return {entry.text(): entry for entry in menu.actions()}

    return opened


def test_the_tag_of_a_channel_leads_to_its_chain(desk, tag_menu):
    assert desk.store.state.viewport.active_chain == 0
    tag_menu("ECG")["Edit chain B"].trigger()
    assert desk.store.state.viewport.active_chain == 1
    assert desk.window.dock.header.chooser.accessibleName().startswith("Chain B")


def test_a_channel_without_a_chain_has_none_to_edit(desk, tag_menu):
    tag_menu("ECG")["raw, no filter"].trigger()
    desk.show_frame()
    assert not [words for words in tag_menu("ECG") if words.startswith("Edit")]


def test_a_selected_channel_of_another_chain_says_how_to_edit_that_one(desk):
    status, usual = desk.window.status, desk.window.status.hint()
    desk.store.dispatch(act.SelectChannels(names=("Fp1",)))
    assert status.hint() == usual
    desk.store.dispatch(act.SelectChannels(names=("Fp1", "ECG")))
    assert status.hint() == "ECG runs chain B, the dock shows chain A. G shows chain B"
    desk.window.traces.setFocus()
    QTest.keyClick(desk.window.traces, Qt.Key.Key_G)
    assert desk.store.state.viewport.active_chain == 1
    assert status.hint() == usual
    desk.store.dispatch(act.SelectChannels(names=("VEOG",)))
    QTest.keyClick(desk.window.traces, Qt.Key.Key_G)
    assert (desk.store.state.viewport.active_chain, status.hint()) == (1, usual)


def test_what_the_dock_shows_already_need_not_be_gone_to(desk, tag_menu):
    assert not tag_menu("Fp1")["Edit chain A"].isEnabled()


def test_a_hidden_channel_is_not_selected_and_its_menu_harms_nothing(desk):
    desk.store.dispatch(act.SelectChannels(names=("Fp1", "ECG")))
    menus = desk.window.actions_.menus
    menus.open_channel_menu("ECG", QPoint(0, 0))
    entries = [entry for menu in desk.window.findChildren(QMenu) for entry in menu.actions()]
    (alone,) = [entry for entry in entries if entry.text() == "This channel alone"]
    desk.store.dispatch(act.HideChannels(names=("ECG",)))
    assert desk.store.state.viewport.selected_channels == ("Fp1",)
    alone.trigger()
    assert desk.store.state.viewport.lane_count is None
