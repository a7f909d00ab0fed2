"""Every recording with an independent reading: names, rates, lengths, first samples and range, or why they differ."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.data.recording import Channel, Recording
from jaxscope.errors import ReadError
from jaxscope.readers import open_recording

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected.json").read_text("utf-8")) if DATA.is_dir() else {}
#: Statistics are held against channels up to this length.
MOST_SAMPLES = 200_000
#: Where the independent reading is not what the file says, by what it is about.
DEVIATIONS = {
    "edf/mne_test_stim_channel.edf": "trigger channels are raw integers",
    "bdf/mne_test.bdf": "the status channel is unsigned",
    "bdf/mne_test_bdf_stim_channel.bdf": "the status channel is raw",
    "edf/plux_eeg_acoustic_a.edf": "names repeat: the second is RAW #2",
    "derived/edf_duplicate_label.edf": "names repeat",
    "edf/mne_duplicate_channel_labels.edf": "names repeat",
    "derived/edf_decimal_comma_phys.edf": "limits with a decimal comma are read as numbers",
    "derived/edf_ch1_zero_samples.edf": "the header does not fit the size and is refused",
    "wfdb/100-no-len.hea": "its samples are not among the files",
    "wfdb/100skew.hea": "its samples are not among the files",
    "wfdb/mixedsignals.hea": "its samples are not among the files",
    "wfdb/test_generator_2.hea": "annotations stored as a signal are codes",
    "flac_broken/05_-_wrong_total_number_of_samples.flac": "read to its real end",
    "h5_opensignals/plux_emg_1000_hz_8_16_bits.h5": "the second device is shown too",
}
#: miniSEED: the independent reading lists traces between gaps, and log records as traces.
TRACES = "format"


def unit_factor(entry: dict[str, Any], channel: Channel, recording_format: str) -> float:
    """Return what the independent reading, in volts, is multiplied with."""
    if "SI units" not in entry["reader"] or not channel.unit.endswith("V") or recording_format.startswith("GDF"):
        return 1.0  # of GDF the other reader leaves the unit as it is
    return {"n": 1e9, "u": 1e6, "m": 1e3, "": 1.0}[channel.unit[:-1]]


ENTRIES = [
    name
    for name, entry in EXPECTED.items()
    if "channels" in entry and name not in DEVIATIONS and not (TRACES in entry and name.startswith("mseed"))
]


def test_the_reasons_are_about_recordings_that_are_there(shared_data: Path) -> None:
    assert set(DEVIATIONS) <= set(EXPECTED)


@pytest.mark.skipif(not EXPECTED, reason="the shared recordings are not beside this checkout")
@pytest.mark.parametrize("name", ENTRIES)
def test_what_is_read_is_what_others_read(name: str) -> None:
    entry = EXPECTED[name]
    if name.startswith("fif/"):
        pytest.importorskip("mne", reason="FIF files are read through the extra mne")
    with open_recording(DATA / name) as recording:
        info = recording.info
        if "n_channels" in entry:
            assert len(info.channels) == entry["n_channels"]
        if entry.get("n_annotations") is not None:
            assert len(info.annotations) == entry["n_annotations"]
        for told in entry["channels"]:
            check_channel(recording, info.index_of(told["name"]), told, entry)


def check_channel(recording: Recording, index: int, told: dict[str, Any], entry: dict[str, Any]) -> None:
    channel = recording.info.channels[index]
    factor = unit_factor(entry, channel, recording.info.format)
    assert told.get("n") in (None, channel.n_samples), channel.name
    if told.get("rate"):
        assert channel.rate_hz == pytest.approx(told["rate"], rel=1e-6), channel.name
    first = np.array([math.nan if value is None else value for value in told.get("first", [])])
    reach = max(abs(told.get("max") or 0), abs(told.get("min") or 0)) * factor
    found = recording.read(0, len(first), [index])[0]
    np.testing.assert_allclose(found, first * factor, rtol=1e-6, atol=1e-6 * reach, err_msg=channel.name)
    if not 0 < channel.n_samples <= MOST_SAMPLES:
        return
    values = recording.read(0, channel.n_samples, [index])[0]
    assert told.get("n_nan") in (None, np.count_nonzero(np.isnan(values))), channel.name
    for key, measure in (("min", np.nanmin), ("max", np.nanmax), ("mean", np.nanmean)):
        if told.get(key) is not None:
            assert measure(values) == pytest.approx(told[key] * factor, rel=1e-6, abs=1e-6 * reach), channel.name


@pytest.mark.skipif(not EXPECTED, reason="the shared recordings are not beside this checkout")
@pytest.mark.parametrize("name", [name for name, entry in EXPECTED.items() if "refused" in entry])
def test_what_others_refuse_is_read_or_refused_in_words(name: str) -> None:
    try:
        with open_recording(DATA / name) as recording:
            for index, channel in enumerate(recording.info.channels[:4]):
                assert recording.read(0, 100, [index]).shape == (1, min(100, channel.n_samples))
    except ReadError as error:
        sentence = error.sentence()
    else:
        return
    assert "; " in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("plux_ecg_sample.txt", "2017-01-17T14:50:32.316000"),
        ("plux_bvp_sample.txt", "2017-01-17T09:33:55.606000"),
    ],
)
def test_opensignals_tells_when_a_text_began(name: str, start: str, shared_data: Path) -> None:
    found = open_recording(shared_data / "txt_opensignals" / name).info.start
    assert found is not None
    assert found.isoformat() == start
