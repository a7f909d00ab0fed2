"""FIF files, made with the library's writer, and the real ones against an independent reading."""

from __future__ import annotations

import json
import sys
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.compute.summary import summarise
from jaxscope.errors import ReadError
from jaxscope.readers import open_recording

mne = pytest.importorskip("mne", reason="MNE is not installed (the extra eeg)")
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
EXPECTED: dict[str, dict[str, Any]] = (
    json.loads((DATA / "expected.json").read_text(encoding="utf-8")) if DATA.is_dir() else {}
)
FILES = {name: entry for name, entry in EXPECTED.items() if name.startswith("fif/")}
VALUES = np.random.default_rng(5).standard_normal((3, 2000)) * 1e-5
VALUES[2] = np.arange(2000) % 7
START = datetime(2021, 2, 3, 4, 5, 6, tzinfo=UTC)


def write(path: Path, notes: Any = None, first_samp: int = 0) -> Path:
    info = mne.create_info(["Fz", "heart", "STI 014"], 500.0, ["eeg", "ecg", "stim"])
    raw = mne.io.RawArray(VALUES, info, first_samp=first_samp, verbose="ERROR")
    raw.set_meas_date(START)
    if notes is not None:
        raw.set_annotations(notes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        raw.save(path, overwrite=True, fmt="double", verbose="ERROR")
    return path


def test_channels_kinds_units_and_samples(tmp_path: Path) -> None:
    with open_recording(write(tmp_path / "x.fif")) as recording:
        info = recording.info
        rows = [(c.name, c.unit, c.kind, c.rate_hz, c.n_samples) for c in info.channels]
        assert rows == [
            ("Fz", "V", "eeg", 500, 2000),
            ("heart", "V", "ecg", 500, 2000),
            ("STI 014", "", "trigger", 500, 2000),
        ]
        assert (info.format, info.start, info.duration_s, info.warnings) == ("FIF", START, 4.0, ())
        np.testing.assert_array_equal(recording.read(100, 777, [2, 0, 0]), VALUES[[2, 0, 0], 100:777])


def test_annotations_count_from_the_first_sample_that_was_kept(tmp_path: Path) -> None:
    notes = mne.Annotations([2.5], [0.25], ["blink"], orig_time=START)
    with open_recording(write(tmp_path / "x.fif", notes, first_samp=500)) as recording:
        (note,) = recording.info.annotations
        assert (note.onset_s, note.duration_s, note.text) == (1.5, 0.25, "blink")
        assert recording.info.start == START.replace(second=7)


def test_what_was_not_recorded_is_missing_and_not_zero(tmp_path: Path) -> None:
    notes = mne.Annotations([1.0], [0.5], ["BAD_ACQ_SKIP"], orig_time=START)
    with open_recording(write(tmp_path / "x.fif", notes)) as recording:
        samples = recording.read(400, 900, [0])[0]
        assert np.flatnonzero(np.isnan(samples)).tolist() == list(range(100, 350))
        assert recording.info.annotations == ()
        assert "250 samples were not recorded" in recording.info.warnings[0]


def test_annotations_without_a_recording_open(tmp_path: Path) -> None:
    path = tmp_path / "x-annot.fif"
    mne.Annotations([1.0, 2.0], [0.5, 0.0], ["a", "b"]).save(path, verbose="ERROR")
    with open_recording(path) as recording:
        assert recording.info.channels == ()
        assert [note.text for note in recording.info.annotations] == ["a", "b"]


def test_tags_that_lead_in_a_circle_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.fif")
    content = bytearray(path.read_bytes())
    content[48:52] = (36).to_bytes(4, "big")  # the second tag names itself as the next
    path.write_bytes(content)
    with pytest.raises(ReadError, match="is damaged at byte 36"):
        open_recording(path)


def test_without_the_library_the_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "x.fif")
    monkeypatch.setitem(sys.modules, "mne", None)
    with pytest.raises(ReadError, match="FIF files need the library mne") as caught:
        open_recording(path)
    assert caught.value.hint == 'pip install "jaxscope[eeg]"'


@pytest.mark.parametrize("suffix", [".cnt", ".nedf", ".lay", ".snirf", ".sqd", ".con", ".cdt"])
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_other_formats_refuse_noise_in_one_sentence(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_bytes(np.random.default_rng(0).bytes(5000))
    with pytest.raises(ReadError) as caught:
        open_recording(path)
    assert path.name in caught.value.message or "need the library" in caught.value.message
    assert "\n" not in caught.value.sentence()


@pytest.mark.shared
@pytest.mark.parametrize("name", FILES)
def test_every_real_file_agrees_with_an_independent_reading(name: str, shared_data: Path) -> None:
    expected = FILES[name]
    with open_recording(shared_data / name) as recording:
        found = summarise(recording)
    assert len(found["channels"]) == expected["n_channels"]
    assert found["duration_s"] == pytest.approx(expected["duration_s"], rel=1e-6)
    by_name = {channel["name"]: channel for channel in found["channels"]}
    for entry in expected["channels"]:
        channel = by_name[entry["name"]]
        assert channel["rate_hz"] == pytest.approx(expected["rates"][0], rel=1e-6)
        assert (channel["n_samples"], channel["n_nan"]) == (entry["n"], entry["n_nan"])
        assert (channel["kind"], channel["unit"]) == (("trigger", "") if entry["type"] == "stim" else ("misc", "T"))
        tolerance = {"rtol": 1e-6, "atol": 1e-9 * (entry["max"] - entry["min"])}
        np.testing.assert_allclose(channel["first"], entry["first"], **tolerance)
        for key in ("min", "max", "mean"):
            np.testing.assert_allclose(channel[key], entry[key], **tolerance, err_msg=key)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["test_raw-annot.fif", "test_raw-eve.fif"])
def test_files_without_samples_are_refused_in_one_sentence(name: str, shared_data: Path) -> None:
    with pytest.raises(ReadError, match=name) as caught:
        open_recording(shared_data / "fif" / name)
    assert "\n" not in caught.value.sentence()
