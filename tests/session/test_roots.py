"""Zeros and poles moved by hand: the stage that results, its origin, and the way back inside the circle."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.response import sections_response
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.filters.stability import is_stable, plane_of, pole_radius
from jaxscope.session import actions as act
from jaxscope.session.project import Project, project_from_dict, project_to_dict
from jaxscope.session.reduce import reduce
from jaxscope.session.state import Document, SessionState
from jaxscope.session.store import Store

RATE_HZ = 512.0
LOW = Stage(spec=FAMILIES["butterworth"](band="lowpass", order=4, cutoff_hz=40.0))
ANGLES = np.linspace(0.0, np.pi, 200)


def _state(stage: Stage = LOW) -> SessionState:
    return SessionState(document=Document(chains=(FilterChain(stages=(stage,)),)))


def _edit(zeros: tuple, poles: tuple, gain: float = 1.0, merge_key: str | None = None) -> act.EditRoots:
    return act.EditRoots(chain=0, stage=0, zeros=zeros, poles=poles, gain=gain, merge_key=merge_key)


def _stage(state: SessionState) -> Stage:
    return state.document.chains[0].stages[0]


def test_moved_roots_make_a_manual_stage_that_remembers_its_design() -> None:
    state = reduce(_state(), _edit(((-1.0, 0.0), (-1.0, 0.0)), ((0.6, 0.3),), 0.25))
    stage = _stage(state)
    assert stage.spec.family == "zpk"
    assert stage.origin == LOW.spec
    plane = plane_of(stage.spec.parts(RATE_HZ))
    np.testing.assert_allclose(sorted(plane.poles, key=lambda root: root.imag), [0.6 - 0.3j, 0.6 + 0.3j], atol=1e-12)
    np.testing.assert_allclose(plane.zeros, [-1.0, -1.0])
    assert plane.gain == pytest.approx(0.25)
    again = reduce(state, _edit((), ((0.5, 0.1),)))
    assert _stage(again).origin == LOW.spec
    assert _stage(reduce(again, act.RevertToDesign(chain=0, stage=0))) == LOW


@pytest.mark.parametrize("name", ["zeros", "poles"])
def test_a_root_below_the_axis_is_refused(name: str) -> None:
    both = {"zeros": (), "poles": ()} | {name: ((0.5, -0.2),)}
    with pytest.raises(SpecError) as caught:
        reduce(_state(), _edit(both["zeros"], both["poles"]))
    assert caught.value.field == name


def test_a_drag_is_one_step_of_undo_in_words() -> None:
    store = Store(_state())
    for radius in (0.5, 0.6, 0.7):
        store.dispatch(_edit((), ((radius, 0.1),), merge_key="drag"))
    assert store.undo_text == "Poles and zeros of Low-pass"
    store.dispatch(_edit((), ((0.3, 0.1),), merge_key="other"))
    assert store.undo_text == "Move poles of Low-pass"
    store.dispatch(_edit(((0.5, 0.5),), ((0.3, 0.1),)))
    assert store.undo_text == "Add zeros of Low-pass"
    for _ in range(3):
        store.undo()
    assert _stage(store.state) == LOW


@pytest.mark.parametrize(
    "spec",
    [
        FAMILIES["zpk"](zeros=((1.0, 0.0),), poles=((0.9, 0.6), (0.9, -0.6), (0.5, 0.0)), gain=0.5),
        FAMILIES["zpk"](zeros=(), poles=((-1.2, 0.0), (0.5, 0.0)), gain=2.0),
        FAMILIES["sections"](rows=((1.0, 0.5, 0.0, 1.0, -1.8, 1.2), (1.0, 0.0, 0.0, 1.0, -0.5, 0.1))),
        FAMILIES["transfer_function"](b=(1.0, 0.3), a=(1.0, -2.5, 1.1)),
    ],
)
def test_poles_move_inside_and_the_magnitude_stays(spec) -> None:
    moved = _stage(reduce(_state(Stage(spec=spec, origin=LOW.spec)), act.MovePolesInside(chain=0, stage=0)))
    before, after = spec.parts(1.0), moved.spec.parts(1.0)
    assert not is_stable(before)
    assert is_stable(after)
    assert moved.origin == LOW.spec
    np.testing.assert_allclose(
        np.abs(sections_response(after[0], ANGLES)), np.abs(sections_response(before[0], ANGLES)), rtol=1e-9
    )


def test_a_pole_on_the_circle_moves_in_a_little_and_a_stable_stage_stays() -> None:
    on = Stage(spec=FAMILIES["zpk"](poles=((0.0, 1.0), (0.0, -1.0))))
    moved = _stage(reduce(_state(on), act.MovePolesInside(chain=0, stage=0)))
    assert pole_radius(moved.spec.parts(1.0)) == pytest.approx(0.9999)
    state = _state()
    assert reduce(state, act.MovePolesInside(chain=0, stage=0)) is state


def test_moved_roots_their_face_and_view_live_through_a_project(tmp_path) -> None:
    state = reduce(_state(), _edit(((-1.0, 0.0),), ((0.6, 0.3),), 0.25))
    for action in (act.ChooseFace(face="poles_zeros", form="zpk"), act.ChooseResponse(view="phase")):
        state = reduce(state, action)
    saved = Project(document=state.document, viewport=state.viewport, engine=state.engine)
    project = project_from_dict(project_to_dict(saved, folder=tmp_path), folder=tmp_path)
    assert project.document.chains == state.document.chains
    assert project.viewport == state.viewport


def test_a_stage_put_back_as_it_was_leaves_no_step() -> None:
    store = Store(_state())
    store.dispatch(_edit((), ((0.5, 0.1),), merge_key="drag"))
    store.dispatch(act.PutStageBack(chain=0, stage=0, content=LOW, merge_key="drag"))
    assert _stage(store.state) == LOW
    assert not store.can_undo
    store.dispatch(_edit((), ((0.5, 0.1),), merge_key="drag"))
    store.undo()
    assert _stage(store.state) == LOW
