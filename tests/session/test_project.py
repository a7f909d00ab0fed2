"""Project files come back as they were saved, and wrong ones say what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jaxscope.data.annotations import Annotation
from jaxscope.errors import ChainError
from jaxscope.filters import FAMILIES
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.project import Project, fingerprint, load_project, reference_to, save_project
from jaxscope.session.state import ChannelLook, Document, EngineChoice, Viewport

GOLDEN = Path(__file__).parent / "golden"


def _project(folder: Path) -> Project:
    recording = folder / "data" / "night.edf"
    recording.parent.mkdir()
    recording.write_bytes(bytes(range(256)) * 9000)
    chain = FilterChain(name="EEG", channels=("Fp*",), phase="zero", stages=(Stage(spec=FAMILIES["notch"]()),))
    return Project(
        document=Document(
            recording=reference_to(recording),
            chains=(chain, FilterChain(channels=None)),
            channel_order=("Fp2", "Fp1"),
            looks=(("Fp1", ChannelLook(gain=2.0, hidden=True, offset=-0.5, label="left front")),),
            annotations=(Annotation(onset_s=1.5, duration_s=None, text="blink"),),
        ),
        viewport=Viewport(
            start_s=3.0,
            duration_s=4.0,
            mode="split",
            scales=(("eeg", 50.0),),
            cursors_s=(1.0, 2.0),
            split_share=0.25,
            curtain_share=0.75,
            arrangement="butterfly",
            together=("Fp1", "Fp2"),
            lock_scales=False,
            sensitivities=(("ecg", 0.1), ("eeg", 7.0)),
            paper_mm_s=30.0,
        ),
        engine=EngineChoice(precision="float32"),
    )


def test_a_project_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    project = _project(tmp_path)
    save_project(tmp_path / "night.jaxscope", project)
    assert load_project(tmp_path / "night.jaxscope") == project
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["night.jaxscope"]


def test_the_recording_is_found_after_the_folder_moved(tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    save_project(before / "night.jaxscope", _project(before))
    before.rename(tmp_path / "after")
    recording = load_project(tmp_path / "after" / "night.jaxscope").document.recording
    assert recording is not None
    assert Path(recording.path) == tmp_path / "after" / "data" / "night.edf"


def test_the_fingerprint_sees_both_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    marks = set()
    for first, last in ((0, 0), (1, 0), (0, 1)):
        path.write_bytes(bytes([first]) + bytes(3 * 2**20) + bytes([last]))
        marks.add(fingerprint(path))
    assert len(marks) == 3


def test_projects_of_every_version_still_open() -> None:
    paths = list(GOLDEN.glob("*.jaxscope"))
    assert [path.stem for path in paths] == ["version-1"]
    for path in paths:
        project = load_project(path)
        assert project.warnings == ()
        assert project.document.chains[0].stages[1].origin is not None
        assert project.document.chains[0].stages[0].spec.family == "notch"
        assert project.viewport.mode == "split"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "something"}, "not a jaxscope project"),
        ({"version": 9}, "version 9"),
        ({"chains": {}}, "chains"),
        ({"view": {"start_s": "soon"}}, "view.start_s"),
        ({"view": {"mode": "sideways"}}, "view.mode"),
        ({"view": {"colour": 1}}, 'unknown field "colour"'),
        ({"annotations": [{"text": "x"}]}, "annotations"),
        ({"filter_on": "yes"}, "filter_on"),
        ({"version": True}, "version true"),
        ({"chains": [{"format": "jaxscope-chain", "version": 1}] * 27}, "27 chains"),
        ({"chains": [{"format": "jaxscope-chain", "version": 1, "stages": [3]}]}, "x.jaxscope: chain A: stage 1: "),
        ({"view": {"start_s": -5}}, "view.start_s of the project is -5"),
        ({"view": {"duration_s": 0}}, "view.duration_s"),
        ({"view": {"first_lane": 1.5}}, "view.first_lane of the project is 1.5"),
        ({"view": {"lane_count": 0}}, "view.lane_count"),
        ({"view": {"scales": {"eeg": 0}}}, "scales"),
        ({"looks": {"Fp1": {"gain": 0}}}, "looks.gain"),
        ({"recording": {}}, 'recording of the project has no field "path"'),
        ({"view": {"start_s": 10**400}}, "view.start_s of the project is 1000"),
        ({"view": {"chosen_pin": 10**400}}, "view.chosen_pin of the project is 1000"),
    ],
)
def test_a_wrong_project_says_what_is_wrong(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    path = tmp_path / "x.jaxscope"
    path.write_text(json.dumps({"format": "jaxscope-project", "version": 1, **change}))
    with pytest.raises(ChainError, match=words) as caught:
        load_project(path)
    assert caught.value.message.startswith("x.jaxscope: ")
    assert caught.value.hint


def test_a_byte_order_mark_is_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "x.jaxscope"
    path.write_bytes(b'\xef\xbb\xbf{"format": "jaxscope-project", "version": 1}')
    assert load_project(path).warnings == ()


HEAD = b'{"format": "jaxscope-project", "version": 1, '


@pytest.mark.parametrize(
    "content",
    [
        HEAD + b'"filter_on": true, "filter_on": false}',
        HEAD + b'"view": {"start_s": NaN}}',
        b'{"version": ' + b"9" * 5000 + b"}",
        b"",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b"no",
    ],
)
def test_what_is_not_json_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.jaxscope"
    path.write_bytes(content)
    with pytest.raises(ChainError, match=r"x.jaxscope is not (JSON|a text file)"):
        load_project(path)
    with pytest.raises(ChainError, match="does not exist"):
        load_project(tmp_path / "y.jaxscope")


def test_an_unknown_part_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.jaxscope"
    path.write_text(json.dumps({"format": "jaxscope-project", "version": 1, "wavelets": []}))
    assert "'wavelets'" in load_project(path).warnings[0]


def test_a_failed_save_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "night.jaxscope"
    project = _project(tmp_path)
    save_project(path, project)
    old = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(ChainError, match="No space left"):
        save_project(path, project)
    assert path.read_bytes() == old
    assert [item.name for item in tmp_path.iterdir() if item.is_file()] == ["night.jaxscope"]


def test_what_was_told_about_a_recording_is_kept(tmp_path: Path) -> None:
    source = tmp_path / "x.dat"
    source.write_bytes(bytes(80))
    told = (("format", "raw"), ("channels", "4"), ("names", "a,b,c,d"))
    document = Document(recording=reference_to(source, rate_hz=100.0, options=told))
    save_project(tmp_path / "p.jaxscope", Project(document=document, viewport=Viewport(), engine=EngineChoice()))
    assert load_project(tmp_path / "p.jaxscope").document.recording == document.recording
    content = json.loads((tmp_path / "p.jaxscope").read_text())
    del content["recording"]["options"]
    (tmp_path / "old.jaxscope").write_text(json.dumps(content))
    assert load_project(tmp_path / "old.jaxscope").document.recording.options == ()  # type: ignore[union-attr]
    content["recording"]["options"] = [["a"]]
    (tmp_path / "bad.jaxscope").write_text(json.dumps(content))
    with pytest.raises(ChainError, match=r"recording\.options"):
        load_project(tmp_path / "bad.jaxscope")
