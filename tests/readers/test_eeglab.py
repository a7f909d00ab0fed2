"""EEGLAB datasets in every shape: a struct or its fields, samples inside or beside, epochs and events."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io

from jaxscope.compute.summary import summarise
from jaxscope.errors import ReadError
from jaxscope.readers import open_recording

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SAMPLE = "eeglab/sub-S1_ses-01_task-Experiment_run-01_eeg.set"
EXPECTED: dict[str, dict[str, Any]] = (
    json.loads((DATA / "expected.json").read_text(encoding="utf-8")) if DATA.is_dir() else {}
)
Write = Callable[..., Path]
VALUES = np.arange(60, dtype=np.float32).reshape(3, 20)


def structs(rows: list[dict[str, Any]]) -> np.ndarray:
    array = np.empty(len(rows), dtype=[(name, object) for name in rows[0]])
    for number, row in enumerate(rows):
        array[number] = tuple(row.values())
    return array


PLACES = [{"labels": "Fp1", "type": "EEG"}, {"labels": "X1", "type": "EOG"}, {"labels": "Cz", "type": ""}]
EVENTS = [
    {"latency": 1.0, "type": "go", "duration": 0.0},
    {"latency": 6.5, "type": 7.0, "duration": 5.0},
    {"latency": 99.0, "type": "late", "duration": 0.0},
    {"latency": 11.0, "type": "boundary", "duration": 3.0},
]


@pytest.fixture
def write(mat73: Callable[..., Path]) -> Write:
    """Return a function that writes a dataset of 3 channels and 20 samples, with changes."""

    def make(path: Path, *, version: str = "6", flat: bool = False, **changes: Any) -> Path:
        fields: dict[str, Any] = {"nbchan": 3.0, "pnts": 20.0, "trials": 1.0, "srate": 100.0, "data": VALUES}
        fields |= {"chanlocs": PLACES, "event": EVENTS} | changes
        if version == "7.3":
            return mat73(path, fields if flat else {"EEG": fields})
        for name in ("chanlocs", "event"):
            if fields[name]:
                fields[name] = structs(fields[name])
            else:
                del fields[name]
        scipy.io.savemat(path, fields if flat else {"EEG": fields}, do_compression=version == "7")
        return path

    return make


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "night.set"


@pytest.mark.parametrize("version", ["6", "7", "7.3"])
@pytest.mark.parametrize("flat", [False, True])
def test_c078_each_shape_gives_the_same(write: Write, version: str, flat: bool, path: Path) -> None:
    with open_recording(write(path, version=version, flat=flat)) as recording:
        info = recording.info
        np.testing.assert_array_equal(recording.read(0, 20), VALUES)
        np.testing.assert_array_equal(recording.read(3, 8, [2, 0]), VALUES[[2, 0], 3:8])
    assert [(c.name, c.unit, c.kind, c.rate_hz) for c in info.channels] == [
        ("Fp1", "uV", "eeg", 100.0),
        ("X1", "uV", "eog", 100.0),
        ("Cz", "uV", "eeg", 100.0),
    ]
    assert [(note.onset_s, note.duration_s, note.text) for note in info.annotations] == [
        (0.0, 0.0, "go"),
        (0.055, 0.05, "7"),
        (0.1, 0.03, "boundary"),
    ]
    words = " | ".join(info.warnings)
    assert "1 events have no place" in words
    assert "cut out at 1 boundaries" in words
    assert "uV is assumed" in words


@pytest.mark.parametrize("version", ["6", "7", "7.3"])
def test_samples_may_lie_beside(write: Write, version: str, path: Path) -> None:
    write(path, version=version, data="night.fdt")
    path.with_name("night.fdt").write_bytes(VALUES.T.tobytes())
    with open_recording(path) as recording:
        np.testing.assert_array_equal(recording.read(2, 20, [1, 2]), VALUES[1:, 2:])
    with open_recording(path.with_suffix(".fdt")) as recording:
        np.testing.assert_array_equal(recording.read(0, 20), VALUES)


def test_old_samples_beside_lie_channel_by_channel(write: Write, path: Path) -> None:
    write(path, data="night.dat")
    path.with_name("night.dat").write_bytes(VALUES.tobytes())
    with open_recording(path) as recording:
        np.testing.assert_array_equal(recording.read(5, 9), VALUES[:, 5:9])


def test_missing_and_renamed_samples(write: Write, path: Path) -> None:
    write(path, data="before.fdt")
    with pytest.raises(ReadError, match=r"before\.fdt.* is not there"):
        open_recording(path)
    path.with_suffix(".fdt").write_bytes(VALUES.T.tobytes())
    with open_recording(path) as recording:
        np.testing.assert_array_equal(recording.read(0, 20), VALUES)
        assert any("before.fdt is not there: night.fdt" in warning for warning in recording.info.warnings)
    path.with_suffix(".fdt").write_bytes(VALUES.T.tobytes()[:-4])
    with pytest.raises(ReadError, match=r"before\.fdt"):
        open_recording(path)
    path.unlink()
    with pytest.raises(ReadError, match=r"night\.set, which is not there"):
        open_recording(path.with_suffix(".fdt"))


def test_a_short_file_of_samples_is_told(write: Write, path: Path) -> None:
    write(path, data="night.fdt")
    path.with_name("night.fdt").write_bytes(VALUES.T.tobytes()[:-13])
    with open_recording(path) as recording:
        assert recording.info.channels[0].n_samples == 18
        assert any("holds 18 samples of each channel, 20 are promised" in w for w in recording.info.warnings)


@pytest.mark.parametrize("version", ["6", "7.3"])
def test_epochs_are_shown_one_after_the_other(write: Write, version: str, path: Path) -> None:
    cube = np.arange(60.0).reshape(3, 5, 4)
    write(path, version=version, data=cube, pnts=5.0, trials=4.0, event=EVENTS[:1])
    with open_recording(path) as recording:
        np.testing.assert_array_equal(recording.read(0, 20), cube.transpose(0, 2, 1).reshape(3, 20))
        notes = [(note.onset_s, note.text) for note in recording.info.annotations]
        assert notes == [(0.0, "epoch 1"), (0.0, "go"), (0.05, "epoch 2"), (0.1, "epoch 3"), (0.15, "epoch 4")]
        assert any("4 epochs of 5 samples" in warning for warning in recording.info.warnings)


@pytest.mark.parametrize("version", ["6", "7.3"])
def test_numbers_that_are_none_name_events_and_channels(write: Write, version: str, path: Path) -> None:
    events = [{"latency": 1.0, "type": np.nan, "duration": 0.0}, {"latency": 2.0, "type": np.inf, "duration": np.nan}]
    with open_recording(write(path, version=version, event=events)) as recording:
        assert [(note.text, note.duration_s) for note in recording.info.annotations] == [("nan", 0.0), ("inf", 0.0)]


def test_without_names_channels_are_numbered_and_numbers_that_differ_are_told(write: Write, path: Path) -> None:
    with open_recording(write(path, chanlocs=[], event=[], pnts=30.0)) as recording:
        assert [channel.name for channel in recording.info.channels] == ["E1", "E2", "E3"]
        assert any("3 channels of 30 samples; it holds 3 of 20" in w for w in recording.info.warnings)
    with open_recording(write(path, chanlocs=PLACES[:2], event=[])) as recording:
        assert any("names 2 of 3 channels" in warning for warning in recording.info.warnings)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"nbchan": -1.0}, "no number of channels"),
        ({"pnts": 1e300}, "no number of channels"),
        ({"pnts": np.nan}, "no number of channels"),
        ({"trials": np.inf}, "no number of channels"),
        ({"data": "long" * 100 + ".fdt"}, "is not there"),
        ({"data": np.zeros((0, 0))}, "holds no samples"),
    ],
)
def test_what_makes_no_sense_is_refused(write: Write, changes: dict[str, Any], words: str, path: Path) -> None:
    with pytest.raises(ReadError, match=words) as caught:
        open_recording(write(path, **changes))
    assert caught.value.hint


def test_a_matlab_file_without_a_dataset_is_refused_and_a_dataset_opens_as_one(write: Write, path: Path) -> None:
    scipy.io.savemat(path, {"x": VALUES}, appendmat=False)
    with pytest.raises(ReadError, match=r"without an EEGLAB dataset: it holds x"):
        open_recording(path)
    other = write(path).rename(path.with_suffix(".mat"))
    with open_recording(other) as recording:
        assert recording.info.format == "EEGLAB (MATLAB 5)"


@pytest.mark.shared
def test_the_real_dataset_agrees_with_an_independent_reader(shared_data: Path) -> None:
    expected = EXPECTED[SAMPLE]
    with open_recording(shared_data / SAMPLE) as recording:
        found = summarise(recording)
    assert found["duration_s"] == expected["duration_s"]
    assert len(found["channels"]) == expected["n_channels"]
    assert len(found["annotations"]) == expected["n_annotations"]
    for note, (onset_s, duration_s, text) in zip(found["annotations"], expected["annotations"], strict=False):
        assert note == {"onset_s": pytest.approx(onset_s, abs=1e-6), "duration_s": duration_s, "text": text}
    by_name = {channel["name"]: channel for channel in found["channels"]}
    for right in expected["channels"]:
        channel = by_name[right["name"]]
        assert (channel["unit"], channel["kind"]) == ("uV", "eeg")
        assert (channel["n_samples"], channel["n_nan"]) == (right["n"], right["n_nan"])
        assert [channel["rate_hz"]] == expected["rates"]
        np.testing.assert_allclose(np.array(channel["first"]) / 1e6, right["first"], rtol=1e-6)
        for key in ("min", "max", "mean"):
            np.testing.assert_allclose(channel[key] / 1e6, right[key], rtol=1e-6)
