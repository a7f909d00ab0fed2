"""A montage in the document: undo, words, projects of this version, of older ones and of newer ones."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from jaxscope.errors import ChainError
from jaxscope.filters.montage import Montage
from jaxscope.filters.spec import FilterChain
from jaxscope.session.actions import SetMontage, ToggleFilter
from jaxscope.session.command_line import filter_command
from jaxscope.session.project import Project, load_project, save_project
from jaxscope.session.state import Document, EngineChoice, SessionState, Viewport
from jaxscope.session.store import Store

MONTAGES = (
    Montage(kind="average", excluded=("T3",)),
    Montage(kind="formulas", name="mine", rows=(("left", 'C3 - ("EEG A1" + A2)/2'),), others="all"),
    Montage(kind="laplacian", positions=(("a", 0.25, 1.0, -3.5),), neighbours=3),
)


def project_with(montage):
    return Project(document=Document(montage=montage), viewport=Viewport(), engine=EngineChoice())


def test_a_montage_is_undone_and_redone_with_the_channels_of_its_chains():
    store = Store(SessionState(document=Document(chains=(FilterChain(channels=("Fp1",)),))))
    longer = (FilterChain(channels=("Fp1", "Fp1-Av")),)
    store.dispatch(SetMontage(montage=MONTAGES[0], chains=longer))
    assert store.undo_text == "Montage Average reference"
    store.dispatch(ToggleFilter(on=False))
    store.dispatch(SetMontage(montage=None))
    assert store.undo_text == "Montage off"
    assert store.state.document.chains == longer
    for _ in range(3):
        store.undo()
    assert store.state.document.montage is None
    assert store.state.document.chains == (FilterChain(channels=("Fp1",)),)
    store.redo()
    assert (store.state.document.montage, store.state.document.chains) == (MONTAGES[0], longer)


@pytest.mark.parametrize("montage", MONTAGES)
def test_a_project_keeps_its_montage(montage, tmp_path):
    path = tmp_path / "p.jaxscope"
    save_project(path, project_with(montage))
    loaded = load_project(path)
    assert loaded.document.montage == montage
    assert loaded.warnings == ()


def test_a_montage_that_is_wrong_is_told_and_one_of_a_newer_version_is_kept(tmp_path):
    path = tmp_path / "p.jaxscope"
    save_project(path, project_with(MONTAGES[0]))
    content = json.loads(path.read_text())
    content["montage"]["kind"] = "wavelet"
    path.write_text(json.dumps(content))
    with pytest.raises(ChainError, match='montage: kind of the montage is "wavelet", which is not known'):
        load_project(path)
    content["version"] = 2
    path.write_text(json.dumps(content))
    loaded = load_project(path, tolerant=True)
    assert loaded.document.montage is None
    save_project(path, loaded)
    assert json.loads(path.read_text())["montage"] == content["montage"]


def test_the_command_line_says_the_montage():
    state = SessionState(document=Document(montage=Montage(kind="reference", reference=("A1", "A2"))))
    assert "--montage reference:A1,A2" in filter_command(state, "a.edf", "b.edf")
    assert "--montage" not in filter_command(state, "a.edf", "b.edf", project="p.jaxscope")


def test_an_edit_of_one_channel_is_named_after_it():
    store = Store(SessionState(document=Document(montage=MONTAGES[1])))
    store.dispatch(SetMontage(montage=replace(MONTAGES[1], rows=(("left", "C3 - A2"),))))
    assert store.undo_text == "Channel left of the montage"
    store.dispatch(SetMontage(montage=replace(MONTAGES[1], rows=(("left", "C3"), ("right", "C4")))))
    assert store.undo_text == "Montage mine"
