"""Bad spans that are left out: the window equals the file, each good part stands alone, and what is written says so."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from jaxscope.cli.run import run
from jaxscope.compute.batch import filter_file
from jaxscope.compute.designs import design_or_refusal
from jaxscope.compute.library import ProgramLibrary, WindowCache
from jaxscope.compute.plan import plan
from jaxscope.compute.render import render
from jaxscope.data.annotations import Annotation, EventEdits, Gap, in_order
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.bad_spans import bad_events, bad_samples
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.engines.program import make_program
from jaxscope.filters.chain_file import save_chain
from jaxscope.filters.fir import FirWindow
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.readers import open_recording
from jaxscope.session.project import Project, reference_to, save_project
from jaxscope.session.state import Document, EngineChoice, SessionState, Viewport
from jaxscope.writers import open_writer
from jaxscope.writers.base import WriteRequest

RATE = 200.0
PROGRAMS = ProgramLibrary()
CHAINS = {
    "iir": (Stage(spec=Butterworth(band="bandpass", order=2, cutoff_hz=(1.0, 40.0))),),
    "fir": (Stage(spec=FirWindow(band="lowpass", taps=101, cutoff_hz=30.0)),),
}
EVENTS = in_order(
    (
        Annotation(onset_s=3.0, duration_s=2.0, text="BAD_motion"),
        Annotation(onset_s=4.5, duration_s=1.0, text="bad again"),
        Annotation(onset_s=12.0, duration_s=0.5, text="pop", channels=("E1",), is_bad=True),
        Annotation(onset_s=20.0, duration_s=None, text="BAD without a length"),
        Annotation(onset_s=8.0, duration_s=2.0, text="Eyes closed"),
        Annotation(onset_s=29.0, duration_s=100.0, text="bad to the end and beyond"),
    )
)
#: the same as a file holds them: the last one ends where the recording does
KEPT = (*EVENTS[:-1], replace(EVENTS[-1], duration_s=1.0))
#: half-open samples of each channel that are bad, by hand
BAD = (((600, 1100), (5800, 6000)), ((600, 1100), (2400, 2500), (5800, 6000)), ((600, 1100), (5800, 6000)))


def _info(gaps: tuple[Gap, ...] = (), events: tuple[Annotation, ...] = EVENTS) -> RecordingInfo:
    channels = tuple(Channel(name=f"E{n}", kind="eeg", unit="uV", rate_hz=RATE, n_samples=6000) for n in range(3))
    total_s = 30.0 + sum(gap.stop_s - gap.start_s for gap in gaps)
    return RecordingInfo(format="test", duration_s=total_s, channels=channels, gaps=gaps, annotations=events)


def _signal() -> np.ndarray:
    rng = np.random.default_rng(3)
    return 100.0 + rng.standard_normal((3, 6000)).cumsum(axis=1) * 0.2 + rng.standard_normal((3, 6000))


def _expected(x: np.ndarray, chain: FilterChain) -> np.ndarray:
    """Each good part by itself through SciPy, NaN in between."""
    y = np.full(x.shape, np.nan)
    design = design_or_refusal(chain, RATE)
    for row, spans in enumerate(BAD):
        borders = [0, *(edge for span in spans for edge in span), x.shape[1]]
        for number, (first, stop) in enumerate(pairwise(borders)):
            if number % 2 == 0 and first < stop:
                program = make_program(design, n_channels=1, method="scipy")
                y[row, first:stop] = program.run(x[row : row + 1, first:stop])[0]
    return y


def test_bad_samples_are_those_whose_time_lies_in_a_bad_span() -> None:
    assert bad_samples(bad_events(EVENTS), _info(), (0, 1, 2)).rows == BAD
    assert not bad_samples((), _info(), (0, 1))
    # a gap takes time and no samples
    found = bad_samples(bad_events(EVENTS), _info((Gap(start_s=2.0, stop_s=4.0),)), (0,))
    assert found.rows == (((400, 700), (5400, 6000)),)


def test_a_channel_made_of_others_is_bad_where_any_of_them_is() -> None:
    info = _info()
    made = replace(info.channels[0], name="E1-E2", made_of=("E1", "E2"))
    found = bad_samples(bad_events(EVENTS), replace(info, channels=(made,)), (0,))
    assert found.rows == (BAD[1],)


def test_masking_copies_only_where_something_is_bad() -> None:
    x = np.zeros((3, 100))
    bad = bad_samples(bad_events(EVENTS), _info(), (0, 1, 2))
    assert bad.masked(x, 0) is x
    y = bad.masked(x, 2450)
    assert not np.isnan(x).any()
    assert np.isnan(y[1, :50]).all()
    assert np.isfinite(y[1, 50:]).all()
    assert np.isfinite(y[[0, 2]]).all()


@pytest.mark.parametrize("gaps", ["segment", "propagate"])
@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize("name", list(CHAINS))
def test_a_window_equals_the_good_parts_by_themselves(name: str, phase: str, gaps: str) -> None:
    x, info = _signal(), _info()
    chain = FilterChain(phase=phase, gaps=gaps, stages=CHAINS[name])
    y = _expected(x, chain)
    cache = WindowCache(ArrayRecording(info, list(x)))
    document = Document(chains=(chain,), annotations=EVENTS, bad_spans="exclude")
    for start_s, duration_s in ((0.0, 30.0), (2.5, 1.0), (5.2, 8.0), (3.5, 0.5), (11.9, 0.3), (28.0, 2.0)):
        state = SessionState(document=document, viewport=Viewport(start_s=start_s, duration_s=duration_s))
        request = plan(state, info, 20_000)
        (block,) = render(request, cache, PROGRAMS).blocks
        first = round(block.times_s[0] * RATE)
        span = slice(first, first + len(block.times_s))
        np.testing.assert_array_equal(block.before.low, x[:, span])
        np.testing.assert_allclose(block.after.low, y[:, span], atol=1e-7, rtol=0)


def test_a_window_of_another_policy_or_other_events_is_filtered_anew() -> None:
    x, info = _signal(), _info()
    chain = FilterChain(stages=CHAINS["iir"])
    cache = WindowCache(ArrayRecording(info, list(x)))
    counts = []
    for document in (
        Document(chains=(chain,), annotations=EVENTS),
        Document(chains=(chain,), annotations=EVENTS, bad_spans="exclude"),
        Document(chains=(chain,), annotations=EVENTS[1:], bad_spans="exclude"),
        Document(chains=(chain,), annotations=EVENTS, filter_on=False, bad_spans="exclude"),
    ):
        request = plan(SessionState(document=document, viewport=Viewport(duration_s=10.0)), info, 20_000)
        (block,) = render(request, cache, PROGRAMS).blocks
        counts.append(0 if block.after is None else int(np.isnan(block.after.low[0, :1900]).sum()))
    assert counts == [0, 500, 200, 0]


def test_a_channel_that_nothing_filters_keeps_its_samples() -> None:
    x, info = _signal(), _info()
    chain = FilterChain(stages=CHAINS["iir"], channels=("E0",))
    document = Document(chains=(chain,), annotations=EVENTS, bad_spans="exclude")
    state = SessionState(document=document, viewport=Viewport(duration_s=10.0))
    (block,) = render(plan(state, info, 20_000), WindowCache(ArrayRecording(info, list(x))), PROGRAMS).blocks
    assert np.isnan(block.after.low[0]).sum() == 500
    np.testing.assert_array_equal(block.after.low[1:], x[1:, : block.after.low.shape[1]])


@pytest.fixture
def edf(tmp_path):
    """A recording with events in the file, as EDF+."""
    x, info = _signal(), _info()
    path = tmp_path / "in.edf"
    ranges = tuple((float(row.min()), float(row.max())) for row in x)
    request = WriteRequest(channels=info.channels, annotations=KEPT, ranges=ranges)
    with open_writer(path, request, overwrite=False) as writer:
        writer.write(x, (0, 1, 2))
    return path


def _read(path) -> tuple[np.ndarray, RecordingInfo]:
    with open_recording(str(path)) as recording:
        return recording.read(0, 6000, (0, 1, 2)), recording.info


@pytest.mark.parametrize("processes", [1])
@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_a_file_equals_the_good_parts_by_themselves_and_says_what_is_missing(edf, phase, processes) -> None:
    chain = FilterChain(phase=phase, gaps="propagate", stages=CHAINS["iir"])
    target = edf.with_name("out.npz")
    result = filter_file(str(edf), str(target), (chain,), bad_spans="exclude", processes=processes)
    x, _ = _read(edf)
    y, info = _read(target)
    np.testing.assert_allclose(y, _expected(x, chain), atol=1e-7, rtol=0)
    assert result["max_abs_vs_reference"] < 1e-6
    (said,) = [words for words in result["warnings"] if "left out" in words]
    assert said.startswith("4 bad spans (4 s) left out")
    assert info.annotations == _read(edf)[1].annotations
    kept = filter_file(str(edf), str(edf.with_name("kept.npz")), (chain,))
    assert np.isfinite(_read(kept["path"])[0]).all()


def test_a_part_of_a_file_is_as_in_the_whole(edf) -> None:
    chain = FilterChain(stages=CHAINS["iir"])
    target = edf.with_name("part.npy")
    filter_file(str(edf), str(target), (chain,), bad_spans="exclude", start_s=4.0, stop_s=9.0)
    np.testing.assert_allclose(np.load(target), _expected(_read(edf)[0], chain)[:, 800:1800], atol=1e-7, rtol=0)


def _project(path, edf, *, known: tuple[Annotation, ...], events: tuple[Annotation, ...], bad_spans="exclude"):
    document = Document(
        recording=reference_to(edf),
        chains=(FilterChain(stages=CHAINS["iir"]),),
        annotations=events,
        read_events=known,
        bad_spans=bad_spans,
    )
    save_project(path, Project(document=document, viewport=Viewport(), engine=EngineChoice()))
    return str(path)


def test_the_command_line_writes_the_events_of_a_project_and_leaves_its_bad_spans_out(edf, capsys) -> None:
    found = _read(edf)[1].annotations
    own = Annotation(onset_s=16.0, duration_s=1.0, text="BAD mine")
    edited = in_order((*(event for event in found if event.text != "BAD_motion"), own))
    project = _project(edf.with_name("a.jaxscope"), edf, known=found, events=edited)
    target = edf.with_name("out.edf")
    assert run(["filter", "--project", project, "-o", str(target), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["outputs"][0]
    assert any(words.startswith("4 bad spans (3.5 s) left out") for words in told["warnings"])
    assert any("missing samples of E0 are written as" in words for words in told["warnings"])
    y, info = _read(target)
    assert info.annotations == edited
    # EDF has no missing samples: they hold the one value that no other sample does
    assert np.flatnonzero(y[0] == y[0].min()).tolist() == [*range(900, 1100), *range(3200, 3400), *range(5800, 6000)]
    again = ["filter", "--project", project, "-o", str(target), "--overwrite", "--bad-spans", "keep", "--json"]
    assert run(again) == 0
    assert not any("left out" in words for words in json.loads(capsys.readouterr().out)["outputs"][0]["warnings"])


def test_another_file_keeps_its_own_events_beside_a_project(edf, tmp_path, capsys) -> None:
    other = tmp_path / "other.edf"
    x = _signal()
    ranges = tuple((float(row.min()), float(row.max())) for row in x)
    alone = (Annotation(onset_s=1.0, text="alone"),)
    request = WriteRequest(channels=_info().channels, annotations=alone, ranges=ranges)
    with open_writer(other, request, overwrite=False) as writer:
        writer.write(x, (0, 1, 2))
    found = _read(edf)[1].annotations
    project = _project(edf.with_name("a.jaxscope"), edf, known=found, events=found[1:])
    target = tmp_path / "out.edf"
    assert run(["filter", str(other), "--project", project, "-o", str(target)]) == 0
    capsys.readouterr()
    assert [event.text for event in _read(target)[1].annotations] == ["alone"]
    # the same recording by name is the recording of the project
    copy = tmp_path / "copy.edf"
    copy.write_bytes(edf.read_bytes())
    for source in (edf, copy):
        assert run(["filter", str(source), "--project", project, "-o", str(target), "--overwrite"]) == 0
        assert _read(target)[1].annotations == found[1:]


def test_resuming_knows_other_events_and_another_policy(edf) -> None:
    chain = FilterChain(stages=CHAINS["iir"])
    target = str(edf.with_name("out.npz"))

    def is_left(**more) -> bool:
        result = filter_file(str(edf), target, (chain,), resume=True, overwrite=True, **more)
        return any("left as it is" in words for words in result["warnings"])

    edits = EventEdits(events=EVENTS[:1])
    assert not is_left()
    assert is_left()
    assert not is_left(bad_spans="exclude")
    assert is_left(bad_spans="exclude")
    assert not is_left(bad_spans="exclude", events=edits)
    assert is_left(bad_spans="exclude", events=edits)
    assert not is_left(bad_spans="exclude", events=replace(edits, events=EVENTS[:2]))


def test_the_command_line_takes_bad_spans_with_a_chain(edf, tmp_path, capsys) -> None:
    save_chain(FilterChain(stages=CHAINS["iir"]), tmp_path / "c.json")
    target = tmp_path / "out.npy"
    command = ["filter", str(edf), "--chain", str(tmp_path / "c.json"), "-o", str(target), "--overwrite"]
    assert run(command) == 0
    assert np.isfinite(np.load(target)).all()
    assert run([*command, "--bad-spans", "exclude"]) == 0
    assert np.isnan(np.load(target)).sum(axis=1).tolist() == [700, 800, 700]
    assert "left out" in capsys.readouterr().err
