"""Goals of a fit: what is read, what is refused, and that they are undone and saved with the document."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from jaxscope.errors import ChainError, SpecError
from jaxscope.session.actions_fit import LimitFit, RemoveGoal, SetGoal
from jaxscope.session.fit import FitBand, FitGoal, FitPlan, FitSpan, check_goals, fit_bands, with_span
from jaxscope.session.project import Project, load_project, save_project
from jaxscope.session.reduce import reduce
from jaxscope.session.state import Document, EngineChoice, SessionState, Viewport
from jaxscope.session.store import Store

HUM = FitGoal(verb="remove", name="Hum", bands=fit_bands("50 Hz and 150 Hz"))
ALPHA = FitGoal(verb="keep", name="alpha", spans=(FitSpan(start_s=1.0, stop_s=2.0, channels=("O1", "Oz")),))


@pytest.mark.parametrize(
    ("text", "bands"),
    [
        ("50", [(50.0, 50.0)]),
        ("50 Hz and 150 Hz", [(50.0, 50.0), (150.0, 150.0)]),
        ("below 0.4 Hz", [(0.0, 0.4)]),
        ("above 40", [(40.0, None)]),
        ("8-12 Hz", [(8.0, 12.0)]),
        ("8\u201312 hz, 20 to 30", [(8.0, 12.0), (20.0, 30.0)]),
    ],
)
def test_bands_are_read_as_a_person_writes_them(text, bands):
    assert [(band.low_hz, band.high_hz) for band in fit_bands(text)] == bands


@pytest.mark.parametrize("text", ["", "  and ", "alpha", "12-8", "below 0", "above 0", "50 Hz or so"])
def test_what_is_no_band_is_refused_with_a_way_on(text):
    with pytest.raises(SpecError) as refused:
        fit_bands(text)
    assert refused.value.hint


def test_a_single_frequency_is_a_narrow_band_and_an_open_one_ends_at_half_the_rate():
    assert FitBand(low_hz=50.0, high_hz=50.0).limits_hz(256.0) == pytest.approx((49.8, 50.2))
    assert FitBand(low_hz=40.0).limits_hz(256.0) == (40.0, 128.0)
    assert FitBand(high_hz=0.1).limits_hz(256.0) == (0.0, 0.1)


def test_goals_say_what_they_are():
    assert (HUM.sentence, HUM.about) == ("Remove Hum", "50 Hz and 150 Hz")
    assert (ALPHA.sentence, ALPHA.about) == ("Keep Alpha in O1, Oz", "1 marked span")
    assert replace(HUM, name="").sentence == "Remove 50 Hz and 150 Hz"
    assert replace(ALPHA, name="").title == "O1, Oz"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FitGoal(verb="keep"), "bands or marked spans"),
        (lambda: replace(HUM, spans=ALPHA.spans), "not both"),
        (lambda: FitGoal(verb="lose", bands=HUM.bands), "keep or remove"),
        (lambda: FitSpan(start_s=2.0, stop_s=1.0, channels=("O1",)), "from 2 to 1 s"),
        (lambda: FitSpan(start_s=math.nan, stop_s=1.0, channels=("O1",)), "nan"),
        (lambda: FitSpan(start_s=0.0, stop_s=1.0, channels=()), "no channel"),
        (lambda: FitPlan(most_poles=40), "40 poles"),
        (lambda: FitPlan(ringing_s=0.0), "0 s"),
        (lambda: FitPlan(goals=(HUM,) * 13), "13 goals"),
    ],
)
def test_what_cannot_be_is_refused(make, words):
    with pytest.raises(SpecError) as refused:
        make()
    assert words in refused.value.sentence()


def test_spans_join_the_selected_goal_of_the_same_channels_and_are_goals_of_their_own_else():
    span = FitSpan(start_s=3.0, stop_s=4.0, channels=("O1", "Oz"))
    plan, at = with_span(FitPlan(goals=(HUM, ALPHA)), "keep", span, 1)
    assert at == 1
    assert plan.goals[1].spans == (*ALPHA.spans, span)
    plan, at = with_span(plan, "remove", span, 1)
    assert at == 2
    assert plan.goals[2] == FitGoal(verb="remove", spans=(span,))
    plan, at = with_span(plan, "keep", replace(span, channels=("T8",)), 1)
    assert at == 3
    assert plan.goals[at].channels == ("T8",)


@pytest.mark.parametrize(
    ("goals", "words"),
    [
        ((), "no goal yet"),
        ((ALPHA, replace(ALPHA, verb="remove", name="noise")), "the same span of O1 at 1.00 s"),
        ((replace(ALPHA, spans=(replace(ALPHA.spans[0], stop_s=99.0),)),), "1.00 to 99.00 s, outside the recording"),
        ((FitGoal(verb="remove", bands=fit_bands("200")),), "above fs/2 = 128 Hz"),
    ],
)
def test_what_a_recording_cannot_have_is_one_sentence_with_a_way_on(goals, words):
    with pytest.raises(SpecError) as refused:
        check_goals(FitPlan(goals=goals), duration_s=60.0, rate_hz=256.0)
    assert words in refused.value.message
    assert refused.value.hint


def test_goals_that_do_not_meet_are_right():
    other = replace(ALPHA, verb="remove", spans=(FitSpan(start_s=2.0, stop_s=3.0, channels=("O1",)),))
    check_goals(FitPlan(goals=(ALPHA, other, HUM)), duration_s=60.0, rate_hz=512.0)


def test_goals_and_limits_are_undone_in_words_that_name_them():
    store = Store(SessionState())
    store.dispatch(SetGoal(goal=HUM))
    assert store.undo_text == "Add goal: Remove Hum"
    store.dispatch(SetGoal(goal=ALPHA))
    store.dispatch(SetGoal(goal=replace(HUM, name="Mains"), at=0))
    assert store.undo_text == "Change goal: Remove Mains"
    store.dispatch(LimitFit(most_poles=8))
    assert store.undo_text == "Fit: at most 8 poles"
    store.dispatch(LimitFit(ringing_s=0.5))
    assert store.undo_text == "Fit: ringing under 500 ms"
    store.dispatch(RemoveGoal(at=1))
    assert store.undo_text == "Remove goal: Keep Alpha in O1, Oz"
    plan = store.state.document.fit
    assert (len(plan.goals), plan.most_poles, plan.ringing_s) == (1, 8, 0.5)
    store.go_to(1)
    assert store.state.document.fit == FitPlan(goals=(HUM,))


def test_a_goal_that_is_not_there_is_not_removed():
    state = SessionState(document=Document(fit=FitPlan(goals=(HUM,))))
    assert reduce(state, RemoveGoal(at=3)) is state
    with pytest.raises(SpecError):
        reduce(state, LimitFit(most_poles=100))


def test_they_come_back_from_a_project_as_they_were_saved(tmp_path):
    goals = (HUM, ALPHA, FitGoal(verb="keep", bands=fit_bands("above 40")))
    document = Document(fit=FitPlan(goals=goals, most_poles=4))
    path = tmp_path / "a.jaxscope"
    save_project(path, Project(document=document, viewport=Viewport(), engine=EngineChoice()))
    assert load_project(path).document == document


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"goals": [{"verb": "lose", "bands": [{"low_hz": 1}]}]}, "keep, remove"),
        ({"goals": [{"verb": "keep"}]}, "bands or marked spans"),
        ({"most_poles": 1000}, "1000 poles"),
        ({"goals": 3}, "list"),
    ],
)
def test_wrong_goals_in_a_project_say_what_is_wrong(tmp_path, part, words):
    path = tmp_path / "a.jaxscope"
    save_project(path, Project(document=Document(), viewport=Viewport(), engine=EngineChoice()))
    text = path.read_text(encoding="utf-8")

    content = json.loads(text)
    path.write_text(json.dumps({**content, "fit": part}), encoding="utf-8")
    with pytest.raises(ChainError) as refused:
        load_project(path)
    assert words in refused.value.sentence()
