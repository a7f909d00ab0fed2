"""What the spectrum drawer shows is part of the view: an action, no undo step, saved with the project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxscope.errors import ChainError, JaxscopeError
from jaxscope.session.actions import SetAnalysis
from jaxscope.session.analysis import BAND_SETS, Analysis
from jaxscope.session.project import Project, project_from_dict, project_to_dict
from jaxscope.session.reduce import reduce
from jaxscope.session.state import SessionState

OTHER = Analysis(
    shown=True,
    view="coherence",
    estimator="multitaper",
    level_scale="linear",
    frequency_scale="linear",
    pane="difference",
    kind="eeg",
    partner="O1",
    bands=BAND_SETS["Heart rate"],
)


def saved(state: SessionState) -> dict:
    project = Project(document=state.document, viewport=state.viewport, engine=state.engine)
    return json.loads(json.dumps(project_to_dict(project, folder=Path())))


def opened(content: dict) -> Analysis:
    return project_from_dict(content, folder=Path()).viewport.analysis


def test_it_is_kept_in_a_project_and_changes_no_document() -> None:
    state = SessionState()
    after = reduce(state, SetAnalysis(analysis=OTHER))
    assert after.viewport.analysis == OTHER
    assert after.document is state.document
    assert opened(saved(after)) == OTHER


def test_a_project_without_it_opens_and_a_wrong_one_says_where() -> None:
    content = saved(SessionState())
    del content["view"]["analysis"]
    assert opened(content) == Analysis()
    content = saved(SessionState())
    content["view"]["analysis"]["view"] = "cepstrum"
    with pytest.raises(ChainError, match=r'analysis\.view of the project is "cepstrum"'):
        opened(content)
    content["view"]["analysis"] = {"bands": [["theta", 8, 4]]}
    with pytest.raises(JaxscopeError, match="theta reaches"):
        opened(content)
    content["view"]["analysis"] = {"bands": [["theta", 8]]}
    with pytest.raises(ChainError, match="bands of the project"):
        opened(content)
