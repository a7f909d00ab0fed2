"""The real WFDB records of PhysioNet, beside what an independent reader and the C library give."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.compute.summary import groups_of_equal_length, summarise
from jaxscope.errors import ReadError
from jaxscope.readers import open_recording

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


EXPECTED: dict[str, dict[str, Any]] = (
    json.loads((DATA / "expected.json").read_text(encoding="utf-8")) if DATA.is_dir() else {}
)


#: Headers whose signal files were left out of the collection, with the name of the first of them.
WITHOUT_SAMPLES = {
    "wfdb/100-no-len.hea": "100.dat",
    "wfdb/100skew.hea": "100.dat",
    "wfdb/mixedsignals.hea": "mixedsignals_e.dat",
}


READABLE = [
    name
    for name, entry in EXPECTED.items()
    if name.endswith(".hea") and "refused" not in entry and name not in WITHOUT_SAMPLES
]


#: (file, channel) to the fields that differ: a unit in Latin-1 is no missing unit, and codes are raw integers.
CORRECTIONS: dict[tuple[str, str], dict[str, Any]] = {
    ("wfdb/test_generator_2.hea", "sine 15 Hz"): {"unit": "°"},
    ("wfdb/test_generator_2.hea", "sine 17 Hz"): {"unit": "°"},
    ("wfdb/test_generator_2.hea", "EDF Annotations"): {
        "unit": "",
        "first": [12331.0, 5140.0, 11008.0, 11824.0],
        "min": 0.0,
        "max": 21587.0,
        "mean": 0.018003729 * 32767.5,
    },
}


@pytest.mark.shared
@pytest.mark.parametrize("name", READABLE)
def test_every_record_agrees_with_an_independent_reader(name: str, shared_data: Path) -> None:
    expected = EXPECTED[name]
    with open_recording(shared_data / name) as recording:
        found = summarise(recording)
    json.dumps(found, allow_nan=False)
    assert found["duration_s"] == pytest.approx(expected["duration_s"])
    assert len(found["channels"]) == expected["n_channels"]
    for channel, entry in zip(found["channels"], expected["channels"], strict=False):
        right = {**entry, **CORRECTIONS.get((name, entry["name"]), {})}
        assert (channel["name"], channel["unit"]) == (right["name"], right["unit"])
        assert (channel["n_samples"], channel["n_nan"]) == (right["n"], right["n_nan"])
        assert channel["rate_hz"] == pytest.approx(right["rate"])
        assert channel["first"] == [None if x is None else pytest.approx(x, rel=1e-6) for x in right["first"]]
        for key in ("min", "max", "mean"):
            atol = 1e-6 * (right["max"] - right["min"])
            np.testing.assert_allclose(channel[key], right[key], rtol=1e-6, atol=atol, err_msg=key)


@pytest.mark.shared
@pytest.mark.parametrize("name", WITHOUT_SAMPLES)
def test_a_missing_signal_file_is_named(name: str, shared_data: Path) -> None:
    with pytest.raises(ReadError, match=WITHOUT_SAMPLES[name]):
        open_recording(shared_data / name)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["binformats", "test01_00s_skewframe", "multi-segment/041s/041s", "flac_3_constant"])
def test_parts_of_real_records_equal_slices_of_the_whole(name: str, shared_data: Path) -> None:
    generator = np.random.default_rng(6)
    with open_recording(shared_data / "wfdb" / f"{name}.hea") as recording:
        for group in groups_of_equal_length(recording.info):
            n_samples = min(recording.info.channels[group[0]].n_samples, 20000)
            whole = recording.read(0, n_samples, group)
            for _ in range(10):
                start, stop = sorted(generator.integers(0, n_samples, 2).tolist())
                np.testing.assert_array_equal(recording.read(start, stop, group), whole[:, start:stop])


@pytest.mark.shared
def test_c086_c088_invalid_samples_segment_gains_and_samples_per_frame(shared_data: Path) -> None:
    with open_recording(shared_data / "wfdb" / "v102s.hea") as recording:
        assert int(np.isnan(recording.read(0, 75000)).sum()) == 23
    with open_recording(shared_data / "wfdb" / "03700181.hea") as recording:
        info = recording.info
    assert [channel.rate_hz for channel in info.channels] == [500.0, 125.0, 125.0]
    assert [channel.n_samples for channel in info.channels] == [300000, 75000, 75000]


@pytest.mark.shared
def test_a_short_signal_file_gives_whole_frames_and_a_word(shared_data: Path) -> None:
    with open_recording(shared_data / "derived" / "100_3chan.hea") as recording:
        assert {channel.n_samples for channel in recording.info.channels} == {499}
        assert any("999 frames are promised, 499 are there" in warning for warning in recording.info.warnings)


@pytest.mark.shared
def test_a_record_with_missing_segments_opens_and_names_the_first(shared_data: Path) -> None:
    path = shared_data / "wfdb" / "multi-segment" / "p000878" / "p000878-2137-10-26-16-57.hea"
    with open_recording(path) as recording:
        assert any("3269321_0003.hea is not there, and 29 more" in warning for warning in recording.info.warnings)
        block = recording.read(3750, 3750 + 3750)
    assert np.isfinite(block[0]).sum() > 2000
    assert np.isnan(block[3]).all()


def printed(folder: Path, name: str) -> np.ndarray:
    """Return what the C library printed of a record, shape (n_signals, n_lines); a dash is a missing sample."""
    path = folder / "wfdb" / "target-output" / name
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="ascii")
    rows = [[np.nan if cell == "-" else float(cell) for cell in line.split()] for line in text.splitlines()]
    return np.array(rows).T


@pytest.mark.shared
def test_r28_what_the_c_library_prints(shared_data: Path) -> None:
    with open_recording(shared_data / "wfdb" / "test01_00s.hea") as recording:
        np.testing.assert_allclose(recording.read(0, 4000) * 100, printed(shared_data, "record-1a"), atol=1e-9)
    with open_recording(shared_data / "wfdb" / "binformats.hea") as recording:
        digital = recording.read(0, 499) * 200
        np.testing.assert_allclose(digital, printed(shared_data, "record-1f.gz"), atol=1e-6)
    with open_recording(shared_data / "derived" / "100_3chan.hea") as recording:
        # The signal file was cut to the first half.
        np.testing.assert_allclose(recording.read(0, 499), printed(shared_data, "record-2c")[:, :499], atol=1e-8)
    with open_recording(shared_data / "wfdb" / "test01_00s_skewframe.hea") as recording:
        # The slow signals are printed twice, and nothing where the skewed one has ended.
        expected = printed(shared_data, "record-4d")
        np.testing.assert_allclose(np.repeat(recording.read(0, 3997, [0, 2]), 2, axis=1), expected[[0, 2]], atol=1e-8)
        np.testing.assert_allclose(recording.read(0, 7994, [1])[0], expected[1], atol=1e-8)
