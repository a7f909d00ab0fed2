"""Which files a recording is read from: all of them are told, so that none is replaced and each is judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io

from jaxscope.readers import open_recording

STORED = np.arange(400, dtype="<i2").tobytes()


def test_a_header_tells_samples_and_markers_by_whatever_name(tmp_path: Path) -> None:
    (tmp_path / "a.vhdr").write_text(
        "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nDataFile=b.eeg\nMarkerFile=c.vmrk\n"
        "NumberOfChannels=1\nSamplingInterval=10000\n[Binary Infos]\nBinaryFormat=INT_16\n"
        "[Channel Infos]\nCh1=Fz,,1,uV\n"
    )
    (tmp_path / "b.eeg").write_bytes(STORED)
    with open_recording(tmp_path / "a.vhdr") as recording:
        assert {Path(path).name for path in recording.info.files} == {"a.vhdr", "b.eeg"}
    (tmp_path / "c.vmrk").write_text("Brain Vision Data Exchange Marker File, Version 1.0\n[Marker Infos]\n")
    with open_recording(tmp_path / "a.vhdr") as recording:
        assert {Path(path).name for path in recording.info.files} == {"a.vhdr", "b.eeg", "c.vmrk"}


def test_a_record_of_segments_tells_their_headers_samples_and_annotations(tmp_path: Path) -> None:
    (tmp_path / "m.hea").write_text("m/3 1 100 400\none 200\n~ 100\ntwo 100\n")
    for name, length in (("one", 200), ("two", 100)):
        (tmp_path / f"{name}.hea").write_text(f"{name} 1 100 {length}\nraw_{name}.dat 16 1/mV\n")
        (tmp_path / f"raw_{name}.dat").write_bytes(STORED)
    (tmp_path / "m.atr").write_bytes(b"\x01\x04\0\0")
    with open_recording(tmp_path / "m.hea") as recording:
        told = [Path(path).name for path in recording.info.files]
    assert sorted(told) == ["m.atr", "one.hea", "raw_one.dat", "raw_two.dat", "two.hea"]


def test_a_dataset_tells_its_floats_and_raw_numbers_their_layout(tmp_path: Path) -> None:
    scipy.io.savemat(
        tmp_path / "x.set",
        {"data": "y.fdt", "srate": 100.0, "nbchan": 1.0, "pnts": 20.0, "trials": 1.0},
        appendmat=False,
    )
    (tmp_path / "y.fdt").write_bytes(np.zeros(20, dtype="<f4").tobytes())
    with open_recording(tmp_path / "x.set") as recording:
        assert [Path(path).name for path in recording.info.files] == ["x.set", "y.fdt"]
    (tmp_path / "z.dat").write_bytes(STORED)
    (tmp_path / "z.raw.json").write_text('{"channels": 2, "rate": 100}')
    with open_recording(tmp_path / "z.dat") as recording:
        assert [Path(path).name for path in recording.info.files] == ["z.raw.json"]


def test_a_file_by_itself_tells_no_others(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 50)))
    with open_recording(tmp_path / "x.npy", rate_hz=10.0) as recording:
        assert recording.info.files == ()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_parts_of_a_split_recording_are_told(tmp_path: Path) -> None:
    mne = pytest.importorskip("mne", reason="MNE is not installed (the extra eeg)")
    raw = mne.io.RawArray(np.zeros((4, 300_000)), mne.create_info(4, 1000.0, "eeg"), verbose="ERROR")
    raw.save(tmp_path / "s_raw.fif", split_size="2MB", verbose="ERROR")
    with open_recording(tmp_path / "s_raw.fif") as recording:
        told = {Path(path).name for path in recording.info.files}
    assert told == {path.name for path in tmp_path.iterdir()}
    assert len(told) > 1
