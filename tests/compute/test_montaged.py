"""A recording through a montage: window, whole file and command line say the same numbers; nothing else changes."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from jaxscope.compute.batch import filter_file
from jaxscope.compute.batch_plan import BatchOptions, plan_batch
from jaxscope.compute.conductor import Conductor
from jaxscope.compute.export_job import ExportRequest
from jaxscope.compute.frames import ExportProgress, Failure, Frame, Opened, OverviewFrame
from jaxscope.compute.montaged import MontagedRecording, as_formulas, montaged, montaged_info, what_is_made
from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import SpecError
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.montage import Montage
from jaxscope.filters.montage_file import WORDS
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.readers import open_recording
from jaxscope.resource_files import resource_path
from jaxscope.session.actions import LookAt, OpenedRecording, SetChains, SetMontage
from jaxscope.session.state import RecordingRef
from jaxscope.session.store import Store

BAND = FilterChain(stages=(Stage(spec=Butterworth(band="bandpass", order=2, cutoff_hz=(1.0, 40.0))),))


@pytest.fixture(scope="module")
def demo():
    return str(resource_path("demo.edf"))


@pytest.fixture
def bench(demo):
    """Return a store, a conductor that works inline on the demonstration, and what it delivered."""
    outcomes = []
    store = Store()
    conductor = Conductor(store, outcomes.append, run_inline=True)
    conductor.open(demo)
    store.dispatch(SetChains(chains=(BAND,)))
    store.dispatch(OpenedRecording(recording=RecordingRef(path=demo), duration_s=144.0))
    store.dispatch(LookAt(start_s=20.0, duration_s=1.0))
    yield store, conductor, outcomes
    conductor.shut_down()


def last(outcomes, kind):
    return next(one for one in reversed(outcomes) if isinstance(one, kind))


@pytest.mark.parametrize("word", ["average", "bipolar", "laplacian"])
def test_window_whole_file_and_export_say_the_same(bench, demo, tmp_path, word):
    store, conductor, outcomes = bench
    store.dispatch(SetMontage(montage=WORDS[word]))
    opened, frame = last(outcomes, Opened), last(outcomes, Frame)
    assert opened.is_same
    assert frame.recording_id == opened.recording_id
    assert last(outcomes, OverviewFrame).recording_id == opened.recording_id
    conductor.export(ExportRequest(path=str(tmp_path / "window.npy"), channels=("*-*",)))
    assert last(outcomes, ExportProgress).done
    filter_file(demo, str(tmp_path / "file.npy"), (BAND,), montage=WORDS[word], channels=("*-*",))
    by_window, by_file = np.load(tmp_path / "window.npy"), np.load(tmp_path / "file.npy")
    np.testing.assert_array_equal(by_window, by_file)
    (block,) = [one for one in frame.blocks if len(one.channels) > 1]
    names = [opened.info.channels[number].name for number in block.channels]
    wanted = [one.name for one in opened.info.channels if "-" in one.name]
    rows = [names.index(name) for name in wanted]
    first, size = round(float(block.times_s[0]) * 256), block.bin_samples
    found = block.after.low[rows][:, : 256 // size]
    expected = by_file[:, first : first + 256 // size * size].reshape(len(wanted), -1, size).min(axis=2)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_turning_a_montage_off_shows_the_recording_again(bench):
    store, _, outcomes = bench
    store.dispatch(SetMontage(montage=WORDS["average"]))
    store.undo()
    opened, frame = last(outcomes, Opened), last(outcomes, Frame)
    assert opened.is_same
    assert opened.info.channels[0].name == "Fp1"
    assert frame.recording_id == opened.recording_id


def test_a_montage_that_does_not_fit_is_told_and_nothing_else_is_shown(bench):
    store, _, outcomes = bench
    outcomes.clear()
    store.dispatch(SetMontage(montage=Montage(kind="reference", reference=("Nope",))))
    assert not [one for one in outcomes if isinstance(one, Frame)]
    assert last(outcomes, Failure).sentence == "no channel is called Nope"


def test_beside_the_output_it_says_which_montage(demo, tmp_path):
    target = tmp_path / "out.edf"
    result = filter_file(demo, str(target), (BAND,), montage=WORDS["transverse"])
    told = json.loads((tmp_path / "out.edf.json").read_text())
    assert told["options"]["montage"] == {
        "format": "jaxscope-montage",
        "version": 1,
        "kind": "bipolar",
        "pairs": "transverse",
    }
    assert result["max_abs_vs_reference"] < 1e-6
    with open_recording(target) as written:
        names = [one.name for one in written.info.channels]
        assert names[:3] == ["F7-Fp1", "Fp1-Fp2", "Fp2-F8"]
        assert names[-3:] == ["VEOG", "EMG", "ECG"]
        assert written.info.channels[0].unit == "uV"
    again = filter_file(demo, str(target), (BAND,), montage=WORDS["transverse"], resume=True)
    assert "finished by an earlier run and left as it is" in again["warnings"]
    fresh = filter_file(demo, str(target), (BAND,), montage=WORDS["bipolar"], resume=True, overwrite=True)
    assert "finished by an earlier run and left as it is" not in fresh["warnings"]


def test_any_part_of_a_montage_is_the_same_as_the_whole():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(5, 400))
    x[1, 100:110] = np.nan
    base = ArrayRecording.from_array(x, rate_hz=100.0, names=["Fp1", "F7", "T7", "P7", "O1"], units="uV")
    for montage in (WORDS["average"], WORDS["bipolar"], WORDS["laplacian"]):
        seen = montaged(base, montage)
        whole = seen.read(0, 400)
        for _ in range(20):
            start, stop = sorted(rng.integers(0, 401, size=2).tolist())
            some = sorted(rng.choice(len(whole), size=2, replace=False).tolist())
            np.testing.assert_array_equal(seen.read(start, stop, some), whole[some, start:stop])
    assert montaged(base, None) is base


def test_gaps_events_and_time_stay_and_notes_are_warnings():
    base = ArrayRecording.from_array(
        np.zeros((3, 200)), rate_hz=100.0, names=["Fp1", "F7", "x"], units="uV", gaps=(Gap(start_s=1.0, stop_s=4.0),)
    )
    info = MontagedRecording(base, WORDS["bipolar"]).info
    assert (info.gaps, info.duration_s) == (base.info.gaps, base.info.duration_s)
    assert [one.name for one in info.channels] == ["Fp1-F7", "x"]
    assert info.channels[1] is base.info.channels[2]
    assert info.warnings[0].startswith("pairs are left out because an electrode is not there: F7-T7")


def test_a_recording_that_grows_grows_through_its_montage():
    class Growing(ArrayRecording):
        def grow(self, info: RecordingInfo) -> None:
            self._info = info

    base = Growing.from_array(np.zeros((2, 200)), rate_hz=100.0, names=["Fp1", "F7"], units="uV")
    seen = MontagedRecording(base, WORDS["bipolar"])
    longer = tuple(replace(one, n_samples=300) for one in base.info.channels)
    base.grow(replace(base.info, channels=longer, duration_s=3.0))
    assert seen.info.channels[0].n_samples == 300
    assert seen.info is seen.info


def test_what_each_channel_is_made_of():
    info = ArrayRecording.from_array(np.zeros((3, 9)), rate_hz=9.0, names=["Fp1", "F7", "T7"], units="uV").info
    assert what_is_made(info, WORDS["bipolar"]) == (("Fp1-F7", "Fp1 - F7"), ("F7-T7", "F7 - T7"))
    with pytest.raises(SpecError, match="no channel is called Cz"):
        montaged_info(info, Montage(kind="formulas", rows=(("a", "Cz - Fp1"),)))


def test_what_is_bad_of_a_recorded_channel_is_bad_of_all_that_is_made_of_it(tmp_path):
    rng = np.random.default_rng(8)
    bad = Annotation(onset_s=1.0, duration_s=0.5, text="BAD electrode", channels=("F7",), is_bad=True)
    base = ArrayRecording.from_array(
        rng.normal(size=(4, 400)), rate_hz=100.0, names=["Fp1", "F7", "T7", "P7"], units="uV", annotations=(bad,)
    )
    seen = montaged(base, WORDS["bipolar"])
    assert seen.info.channels[1].made_of == ("F7", "T7")
    options = BatchOptions(source="x.npy", target=str(tmp_path / "y.npy"), bad_spans="exclude")
    plan = plan_batch(seen, (BAND,), options)
    (group,) = plan.groups
    assert group.source.bad.rows == (((100, 150),), ((100, 150),), ())
    (written,) = plan.request.annotations
    assert written.channels == ("Fp1-F7", "F7-T7")


def test_formulas_are_the_same_channels_and_too_many_weights_are_refused():
    x = np.random.default_rng(2).normal(size=(5, 40))
    base = ArrayRecording.from_array(x, rate_hz=100.0, names=["Fp1", "F7", "T7", "P7", "O1"], units="uV")
    for montage in (WORDS["average"], WORDS["laplacian"], WORDS["bipolar"]):
        same = montaged(base, as_formulas(base.info, montage))
        assert [one.name for one in same.info.channels] == [one.name for one in montaged(base, montage).info.channels]
        np.testing.assert_allclose(same.read(0, 40), montaged(base, montage).read(0, 40), atol=1e-12)
    many = ArrayRecording.from_array(np.zeros((80, 2)), rate_hz=9.0, units="uV", kinds=["eeg"] * 80).info
    with pytest.raises(SpecError, match="Average reference has 6,400 weights here, too many to be edited one by one"):
        as_formulas(many, WORDS["average"])
