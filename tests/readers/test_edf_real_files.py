"""Every EDF and BDF file of the shared recordings, against what an independent reader found in it.

Where that reader is known to be wrong, or keeps another convention, ``CORRECTIONS`` says what is right and why.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.compute.summary import summarise
from jaxscope.errors import ReadError
from jaxscope.readers import open_recording

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
EXPECTED: dict[str, dict[str, Any]] = (
    json.loads((DATA / "expected.json").read_text(encoding="utf-8")) if DATA.is_dir() else {}
)
FILES = {name: entry for name, entry in EXPECTED.items() if name.endswith((".edf", ".bdf"))}
REFUSED = ("edf_ch1_zero_samples.edf", "edf_empty.edf", "edf_header_cut_at_300.edf")
#: The rate is not in the file, and the other reader gives up.
NO_RATE = "derived/edf_record_duration_0.edf"
PSG = "edf/edfio_short_psg.edf"
READABLE = [name for name in FILES if not name.endswith(REFUSED) and name != NO_RATE]

#: (file, channel) to the fields that differ, with the reason.
CORRECTIONS: dict[tuple[str, str], dict[str, Any]] = {
    # Codes are raw unsigned integers without a unit, whatever calibration was copied into their header.
    ("edf/edfio_mne_test.edf", "Status"): {"unit": ""},
    ("edf/mne_test.edf", "Status"): {"unit": ""},
    ("bdf/eeglab_test.bdf", "Status"): {"unit": ""},
    ("derived/bdf_truncated_mid_sample.bdf", "Status"): {"unit": ""},
    ("bdf/mne_test.bdf", "Status"): {
        "unit": "",
        "first": [0x980000] * 4,
        "min": 0x980000,
        "max": 0x980080,
        "mean": -6815742.6875 + 2**24,
    },
    ("bdf/mne_test_bdf_stim_channel.bdf", "Status"): {
        "unit": "",
        "first": [0x1C0000] * 4,
        "min": 0x1C0000,
        "max": 0x1C0004,
        "mean": 0x1C0000 + 0.0026,
    },
    ("edf/mne_test_stim_channel.edf", "stAtUs"): {
        "unit": "",
        "first": [32775.0] * 4,
        "min": 32767.0,
        "max": 32775.0,
        "mean": 32774.92,
    },
    ("edf/mne_test_stim_channel.edf", "tRigGer"): {
        "unit": "",
        "first": [32775.0] * 4,
        "min": 32767.0,
        "max": 32775.0,
        "mean": 32774.92,
    },
    # Without a calibration the values are digital, and say so.
    ("derived/edf_digmin_eq_digmax_ch2.edf", "EOG horizontal"): {"unit": "digital"},
    ("derived/edf_physmin_eq_physmax_ch1.edf", "EEG Pz-Oz"): {"unit": "digital"},
    # Latin-1 in the unit.
    ("derived/edf_latin1_microV.edf", "EEG Fpz-Cz"): {"unit": "uV"},
    ("edf/wfdb_test_generator_2.edf", "sine 15 Hz"): {"unit": "°"},
    ("edf/wfdb_test_generator_2.edf", "sine 17 Hz"): {"unit": "°"},
    # "-192,0" is -192: the channel is that of the file it was made from.
    ("derived/edf_decimal_comma_phys.edf", "EEG Fpz-Cz"): FILES[PSG]["channels"][0] if PSG in FILES else {},
}
#: The other reader joins what a gap of 50 s separates; it knows no start where the date is hidden.
DURATIONS = {"derived/edfplusD_gap_50s_at_100s.edf": 698.0}
STARTS = {"edf/wfdb_test_edfann.edf": "2001-01-01T23:59:30", "derived/edf_invalid_date.edf": None}


@pytest.mark.shared
@pytest.mark.parametrize("name", READABLE)
def test_every_file_agrees_with_an_independent_reader(name: str, shared_data: Path) -> None:
    expected = FILES[name]
    with open_recording(shared_data / name) as recording:
        found = summarise(recording)
    json.dumps(found, allow_nan=False)
    assert found["duration_s"] == DURATIONS.get(name, expected["duration_s"])
    assert found["start"] == STARTS.get(name, expected["start"].replace(" ", "T"))
    assert len(found["channels"]) == expected["n_channels"]
    assert sorted({channel["rate_hz"] for channel in found["channels"]}) == expected["rates"]
    assert len(found["annotations"]) == expected["n_annotations"]
    for note, (onset_s, duration_s, text) in zip(found["annotations"], expected["annotations"], strict=False):
        assert note == {"onset_s": pytest.approx(onset_s, abs=1e-6), "duration_s": duration_s, "text": text}
    check_channels(name, found["channels"], expected["channels"])


def check_channels(name: str, found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    by_name = {channel["name"]: channel for channel in found}
    seen: dict[str, int] = {}
    for entry in expected:
        label = entry["name"]
        seen[label] = seen.get(label, 0) + 1
        channel = by_name[label if seen[label] == 1 else f"{label} #{seen[label]}"]
        right = {**entry, **CORRECTIONS.get((name, label), {})}
        assert (channel["unit"], channel["rate_hz"], channel["n_samples"], channel["n_nan"]) == (
            right["unit"],
            right["rate"],
            right["n"],
            right["n_nan"],
        )
        tolerance = {"rtol": 1e-6, "atol": 1e-6 * (right["max"] - right["min"])}
        np.testing.assert_allclose(channel["first"], right["first"], **tolerance)
        for key in ("min", "max", "mean"):
            np.testing.assert_allclose(channel[key], right[key], **tolerance, err_msg=f"{label} {key}")


@pytest.mark.shared
@pytest.mark.parametrize("name", REFUSED)
def test_files_that_have_no_meaning_are_refused_in_one_sentence(name: str, shared_data: Path) -> None:
    with pytest.raises(ReadError) as caught:
        open_recording(shared_data / "derived" / name)
    assert name in caught.value.message
    assert caught.value.hint
    assert "\n" not in caught.value.sentence()


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bdf/eeglab_test.bdf", "does not tell the number of data records; the file holds 60"),
        ("derived/edf_nrec_-1.edf", "does not tell the number of data records; the file holds 10"),
        ("derived/bdf_truncated_mid_sample.bdf", "6111 bytes after the last whole data record"),
        ("derived/edf_truncated_at_record_7.5_of_10.edf", "the file holds 7 data records (210 s)"),
        ("derived/edf_1000_trailing_bytes.edf", "1000 bytes after the last"),
        ("derived/edf_invalid_date.edf", 'has "00.00.00" as date'),
        ("derived/edf_slash_date_colon_time.edf", 'written "24/04/89"'),
        ("derived/edf_decimal_comma_phys.edf", 'written "-192,0", with a decimal comma'),
        ("derived/edf_physmin_eq_physmax_ch1.edf", "physical minimum and maximum are both 196"),
        ("derived/edf_digmin_eq_digmax_ch2.edf", "digital minimum and maximum are both 2047"),
        ("edf/wfdb_test_edfann.edf", "date is marked as not known"),
    ],
)
def test_each_repair_is_told(name: str, words: str, shared_data: Path) -> None:
    with open_recording(shared_data / name) as recording:
        assert sum(words in warning for warning in recording.info.warnings) == 1


@pytest.mark.shared
@pytest.mark.parametrize(
    "name", ["edf/mne_test.edf", "edf/edfio_short_psg.edf", "bdf/mne_test.bdf", "derived/edfplusD_gap_50s_at_100s.edf"]
)
def test_sound_files_open_without_a_word(name: str, shared_data: Path) -> None:
    with open_recording(shared_data / name) as recording:
        assert recording.info.warnings == ()


@pytest.mark.shared
def test_no_word_of_the_patient_is_kept(shared_data: Path) -> None:
    with open_recording(shared_data / "derived" / "edf_latin1_microV.edf") as recording:
        text = json.dumps(summarise(recording, quick=True), ensure_ascii=False)
    assert "ller" not in text
    assert "Ren" not in text
