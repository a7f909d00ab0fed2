"""What a sweep measures belongs to the view: an action, no undo step, saved in the project; a wrong one says where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxscope.errors import ChainError, SpecError
from jaxscope.session.actions import SetSweepMeasures
from jaxscope.session.project import Project, project_from_dict, project_to_dict
from jaxscope.session.reduce import reduce
from jaxscope.session.state import SessionState
from jaxscope.session.sweep_measures import HEIGHT, MOST_MEASURES, SweepMeasure, band_measure, hum


def _saved(state: SessionState) -> dict:
    project = Project(document=state.document, viewport=state.viewport, engine=state.engine)
    return json.loads(json.dumps(project_to_dict(project, folder=Path())))


def _opened(content: dict) -> tuple[SweepMeasure, ...] | None:
    return project_from_dict(content, folder=Path()).viewport.sweep_measures


@pytest.mark.parametrize("measures", [None, (), (band_measure("sigma", 12.0, 16.0), hum(60.0), HEIGHT)])
def test_they_are_kept_in_a_project_and_change_no_document(measures) -> None:
    state = SessionState()
    after = reduce(state, SetSweepMeasures(measures=measures))
    assert after.document is state.document
    assert _opened(_saved(after)) == measures


def test_a_project_without_them_has_the_usual_ones_and_a_wrong_one_says_where() -> None:
    content = _saved(SessionState())
    del content["view"]["sweep_measures"]
    assert _opened(content) is None
    for wrong, words in (
        ([{"kind": "loudness", "name": "x"}], "of the kind 'loudness'"),
        ([{"kind": "band", "name": "x", "low_hz": 9, "high_hz": 4}], "x reaches from 9 to 4 Hz"),
        ([{"kind": "rms", "name": " "}], "no name"),
        ([7], "must be an object"),
        (7, "must be a list"),
    ):
        content["view"]["sweep_measures"] = wrong
        with pytest.raises(ChainError) as caught:
            _opened(content)
        assert words in f"{caught.value.message}; {caught.value.hint}"


def test_there_are_never_more_than_can_be_told_apart() -> None:
    many = tuple(band_measure(f"band {number}", number, number + 1.0) for number in range(MOST_MEASURES + 3))
    assert len(reduce(SessionState(), SetSweepMeasures(measures=many)).viewport.sweep_measures) == MOST_MEASURES


def test_a_band_needs_limits() -> None:
    with pytest.raises(SpecError, match="reaches"):
        SweepMeasure(kind="band", name="nothing")
