from __future__ import annotations

from jaxscope.filters import FAMILIES
from jaxscope.filters.spec import Stage
from jaxscope.gui.views.running_edit import RunningEdit
from jaxscope.session.actions import PutStageBack

FIRST, SECOND = (Stage(spec=FAMILIES["gain"](gain=gain)) for gain in (2.0, 3.0))


def test_what_was_there_first_is_put_back_where_it_was():
    running = RunningEdit()
    assert running.begin("drag-1", (0, 2), FIRST)
    assert not running.begin("drag-1", (0, 2), SECOND)
    assert running.stage_before == FIRST
    put_back = []
    for _ in range(2):
        running.give_up("drag-1", put_back.append)
    assert put_back == [PutStageBack(chain=0, stage=2, content=FIRST, merge_key="drag-1")]


def test_another_key_or_another_place_is_another_edit():
    running = RunningEdit()
    running.begin("drag-1", (0, 0), FIRST)
    assert running.begin("drag-1", (0, 1), SECOND)
    assert running.stage_before == SECOND
    put_back = []
    running.give_up("drag-2", put_back.append)
    assert put_back == []
    assert running.stage_before is None
