"""Public reports about EDF and BDF readers, as tests of what is right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jaxscope.readers import open_recording

pytestmark = pytest.mark.shared


def test_c039_a_large_offset_keeps_its_small_swing(shared_data: Path) -> None:
    with open_recording(shared_data / "edf" / "mne_test_edf_stim_channel.edf") as recording:
        assert recording.info.duration_s == 9.59375
        x = recording.read(0, 1228, [0])[0]
    assert x.dtype == np.float64
    assert 20.0 < np.ptp(x) < 26.0
    assert x.min() > 175_900.0
    # The samples are whole numbers of digital steps of 25 uV / 65535, of which float32 at this offset knows none.
    steps = (x - 175_921) / (25 / 65535)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-5)
    assert np.float32(x[0]) != x[0]


def test_c054_a_gap_moves_samples_and_annotations_alike(shared_data: Path) -> None:
    with (
        open_recording(shared_data / "derived" / "edfplusD_gap_50s_at_100s.edf") as cut,
        open_recording(shared_data / "edf" / "pyedflib_test_subsecond.edf") as whole,
    ):
        timeline = cut.info.timeline
        assert [(gap.start_s, gap.stop_s) for gap in cut.info.gaps] == [(100.0, 150.0)]
        assert timeline.second_of(12_799, 128.0) == 100.0 - 1 / 128.0
        assert timeline.second_of(12_800, 128.0) == 150.0
        assert cut.info.duration_s == 698.0
        assert cut.info.annotations == whole.info.annotations
        onset_s = cut.info.annotations[2].onset_s
        assert onset_s == pytest.approx(290.5019531, abs=1e-9)
        here, there = timeline.sample_at(onset_s, 128.0), whole.info.timeline.sample_at(onset_s, 128.0)
        assert there - here == 50 * 128
        np.testing.assert_array_equal(cut.read(here - 500, here + 500), whole.read(there - 500, there + 500))


def test_c054_a_discontinuous_file_without_gaps_has_none(shared_data: Path) -> None:
    with open_recording(shared_data / "derived" / "edfplusD_flag_but_contiguous.edf") as recording:
        assert recording.info.gaps == ()
        assert recording.info.format == "EDF+D"


@pytest.mark.parametrize(("name", "seconds"), [("bdf/eeglab_test.bdf", 60.0), ("derived/edf_nrec_-1.edf", 300.0)])
def test_c056_an_unknown_number_of_records_follows_from_the_size(name: str, seconds: float, shared_data: Path) -> None:
    with open_recording(shared_data / name) as recording:
        assert recording.info.duration_s == seconds


def test_c057_a_bdf_cut_inside_a_sample_keeps_58_records(shared_data: Path) -> None:
    with (
        open_recording(shared_data / "derived" / "bdf_truncated_mid_sample.bdf") as cut,
        open_recording(shared_data / "bdf" / "eeglab_test.bdf") as whole,
    ):
        n_samples = cut.info.channels[0].n_samples
        assert n_samples == 58 * 256
        np.testing.assert_array_equal(cut.read(0, n_samples), whole.read(0, n_samples))


def test_c058_a_truncated_edf_keeps_its_whole_records(shared_data: Path) -> None:
    with open_recording(shared_data / "derived" / "edf_truncated_at_record_7.5_of_10.edf") as recording:
        assert recording.info.duration_s == 210.0
        assert any("stops too early to be complete" in warning for warning in recording.info.warnings)


def test_c060_an_uncalibrated_channel_is_digital_and_says_why(shared_data: Path) -> None:
    with open_recording(shared_data / "derived" / "edf_physmin_eq_physmax_ch1.edf") as recording:
        assert recording.info.channels[1].unit == "digital"
        np.testing.assert_array_equal(recording.read(0, 3, [1])[0], [-21.0, 20.0, -38.0])


def test_c061_a_negative_gain_inverts(shared_data: Path) -> None:
    with open_recording(shared_data / "edf" / "pyedflib_test_subsecond.edf") as recording:
        assert recording.read(0, 1)[0, 0] == pytest.approx(6.2473, abs=1e-4)


def test_c062_every_channel_keeps_its_own_rate(shared_data: Path) -> None:
    with open_recording(shared_data / "edf" / "mne_test_uneven_samp.edf") as recording:
        fast, slow = recording.info.channels
        assert (fast.rate_hz, fast.n_samples, slow.rate_hz, slow.n_samples) == (100.0, 11000, 12.8, 1408)
        assert set(np.unique(recording.read(0, 1408, [1]))) == {0.0, 1.0}


def test_c065_a_chinese_annotation_is_read(shared_data: Path) -> None:
    with open_recording(shared_data / "edf" / "pyedflib_test_utf8.edf") as recording:
        notes = {note.text: note.onset_s for note in recording.info.annotations}
    assert notes["中文测试八个字"] == pytest.approx(119.6054688)


def test_c068_a_status_channel_is_not_scaled_by_an_eeg_gain(shared_data: Path) -> None:
    with open_recording(shared_data / "bdf" / "mne_test_bdf_stim_channel.bdf") as recording:
        assert set(np.unique(recording.read(0, 5000, [3]))) == {0x1C0000 + code for code in (0, 1, 2, 4)}


def test_c069_the_lower_16_bits_of_a_status_are_the_trigger(shared_data: Path) -> None:
    with open_recording(shared_data / "bdf" / "mne_test.bdf") as recording:
        status = recording.read(0, 1, [recording.info.index_of("Status")])[0, 0]
    assert int(status) == 0x980000
    assert int(status) & 0xFFFF == 0


def test_c073_samples_outside_the_digital_range_are_shown(shared_data: Path) -> None:
    with open_recording(shared_data / "edf" / "mne_test.edf") as recording:
        assert recording.read(0, 3072, [0]).min() == -206.0
        assert recording.read(0, 3072, [recording.info.index_of("Status")]).max() == 4352.0


def test_a_file_without_a_rate_waits_for_one(shared_data: Path) -> None:
    path = shared_data / "derived" / "edf_record_duration_0.edf"
    with open_recording(path) as recording:
        assert {channel.rate_hz for channel in recording.info.channels} == {None}
        assert recording.info.duration_s is None
        assert any("sampling rate is not known" in warning for warning in recording.info.warnings)
    with open_recording(path, rate_hz=100.0) as recording:
        assert [channel.rate_hz for channel in recording.info.channels] == [100.0] * 3 + [1.0] * 4
        assert recording.info.duration_s == 300.0


def test_the_same_recording_as_edf_and_as_bdf(shared_data: Path) -> None:
    with (
        open_recording(shared_data / "edf" / "edfio_short_psg.edf") as edf,
        open_recording(shared_data / "bdf" / "edfio_short_psg.bdf") as bdf,
    ):
        assert edf.info.channels == bdf.info.channels
        for number in range(len(edf.info.channels)):
            np.testing.assert_array_equal(edf.read(0, 30_000, [number]), bdf.read(0, 30_000, [number]))
