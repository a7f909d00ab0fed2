"""Projects of a newer version: they open, what is not known is off, and saving loses nothing of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from jaxscope.errors import ChainError
from jaxscope.filters import FAMILIES
from jaxscope.filters.limits import Limit
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.project import Project, load_project, save_project
from jaxscope.session.state import Document, EngineChoice, Pin, Viewport

NEWER = Path(__file__).parent / "golden_newer" / "version-2.jaxscope"
LOW = Stage(spec=FAMILIES["butterworth"](band="lowpass", order=4, cutoff_hz=40.0))


def test_a_newer_project_opens_with_what_is_known_and_says_who_made_it() -> None:
    project = load_project(NEWER, tolerant=True)
    assert project.warnings == ("This project was made by jaxscope 1.4",)
    assert project.document.chains[0].stages[0] == LOW
    wavelet = project.document.chains[0].stages[1]
    assert (wavelet.spec.family, wavelet.enabled) == ("unknown", False)
    assert (project.viewport.start_s, project.viewport.mode) == (3.0, Viewport().mode)
    assert project.engine.precision == "float64"
    assert project.document.look_of("Fp1").gain == 2.0


def test_saving_a_newer_project_keeps_what_is_not_known(tmp_path: Path) -> None:
    project = load_project(NEWER, tolerant=True)
    chain = project.document.chains[0]
    edited = replace(chain, stages=(replace(chain.stages[0], enabled=False), chain.stages[1]))
    target = tmp_path / "night.jaxscope"
    save_project(target, replace(project, document=replace(project.document, chains=(edited,))))
    before, after = json.loads(NEWER.read_text()), json.loads(target.read_text())
    assert after["hypnogram"] == before["hypnogram"]
    assert (after["version"], after["program"]) == (2, "jaxscope 1.4")
    assert after["view"]["tilt_deg"] == 12.5
    assert after["recording"]["mirror"] == "nas"
    assert after["looks"]["Fp1"]["glow"] == 3
    assert after["chains"][0]["colour"] == "teal"
    assert after["chains"][0]["stages"][0]["enabled"] is False
    assert after["chains"][0]["stages"][1] == before["chains"][0]["stages"][1]
    again = load_project(target, tolerant=True)
    assert again.document.chains == (edited,)


def test_the_command_line_refuses_a_newer_project() -> None:
    with pytest.raises(ChainError, match="version 2, and this program knows 1"):
        load_project(NEWER)


def test_pins_and_limits_come_back_as_they_were_saved(tmp_path: Path) -> None:
    chain = FilterChain(name="EEG", stages=(LOW,))
    document = Document(
        chains=(chain, chain),
        pins=(Pin(name="before lunch", chain=replace(chain, phase="zero"), at=1),),
        limits=(
            Limit(kind="pass", high_hz=30.0, level_db=1.0),
            Limit(kind="stop", low_hz=60.0, level_db=40.0, chain=1),
        ),
    )
    viewport = Viewport(chosen_pin=0, shows_pin=True, line_up=True)
    project = Project(document=document, viewport=viewport, engine=EngineChoice())
    save_project(tmp_path / "x.jaxscope", project)
    assert load_project(tmp_path / "x.jaxscope") == project


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"pins": [{"name": "x"}]}, "pin 1"),
        ({"pins": [{"name": 3, "chain": {"format": "jaxscope-chain", "version": 1}}]}, r"pins.name"),
        ({"limits": [{"kind": "middle"}]}, "kind"),
        ({"limits": [{"kind": "stop", "low_hz": 5, "high_hz": 4}]}, "above 5 Hz"),
        ({"limits": [{"kind": "stop", "level_db": 0}]}, "not above 0"),
        ({"limits": [{"kind": "stop"}] * 25}, "25 limits"),
    ],
)
def test_wrong_pins_and_limits_say_what_is_wrong(tmp_path: Path, part: dict[str, object], words: str) -> None:
    path = tmp_path / "x.jaxscope"
    path.write_text(json.dumps({"format": "jaxscope-project", "version": 1, **part}))
    with pytest.raises(ChainError, match=words):
        load_project(path)


def test_a_project_with_pins_and_limits_still_opens() -> None:
    project = load_project(Path(__file__).parent / "golden_compared" / "version-1.jaxscope")
    document = project.document
    assert project.warnings == ()
    assert document.pins[0].name == "before lunch"
    assert document.pins[0].chain.stages == (LOW,)
    assert document.limits == (
        Limit(kind="pass", low_hz=1.0, high_hz=30.0, level_db=1.0),
        Limit(kind="stop", low_hz=60.0, level_db=40.0),
    )
    assert (document.chains[0].padding.samples, document.chains[0].gaps) == (64, "propagate")
    assert (project.viewport.response_view, project.viewport.line_up, project.viewport.shows_pin) == (
        "gain",
        True,
        True,
    )
