"""What can be told about a file: every option of the table opens a file that tells less, and is refused where wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from jaxscope.errors import ReadError, UsageError
from jaxscope.readers import READERS, open_recording

NUMBERS = np.arange(24).reshape(12, 2)


def raw_file(folder: Path, dtype: str = ">i2", order: str = "C", offset: int = 5) -> Path:
    path = folder / "x.dat"
    path.write_bytes(bytes(offset) + NUMBERS.astype(dtype).tobytes(order))
    return path


@pytest.mark.parametrize("name", list(READERS))
def test_the_options_of_a_format_are_whole(name: str) -> None:
    options = READERS[name].options
    assert len({option.name for option in options}) == len(options)
    for option in options:
        assert option.title
        assert option.name.isidentifier()
        assert bool(option.choices) == (option.kind == "choice")
        assert not option.help.endswith(".")


def test_whole_numbers_may_be_written_with_a_comma(tmp_path: Path) -> None:
    options = {"format": "raw", "channels": "2,0", "byteorder": "big", "offset": "5,0"}
    with open_recording(raw_file(tmp_path), options=options) as recording:
        assert len(recording.info.channels) == 2


@pytest.mark.parametrize("dtype", ["<i2", ">i2", "<f4", ">f8", "|u1", "<i8", ">u4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_raw_numbers_of_any_type_and_order(dtype: str, order: str, tmp_path: Path) -> None:
    kind = np.dtype(dtype)
    options = {"format": "raw", "channels": "2", "dtype": kind.name, "offset": "5", "rate": "50", "scale": "-0.5"}
    options |= {"byteorder": "big" if dtype[0] == ">" else "little", "unit": "µV", "names": "Fp1, ECG"}
    options |= {"order": "multiplexed" if order == "C" else "vectorised"}
    with open_recording(raw_file(tmp_path, dtype, order), options=options) as recording:
        assert [(c.name, c.unit, c.kind, c.rate_hz) for c in recording.info.channels] == [
            ("Fp1", "uV", "eeg", 50.0),
            ("ECG", "uV", "ecg", 50.0),
        ]
        np.testing.assert_array_equal(recording.read(0, 99), NUMBERS.T * -0.5)
        np.testing.assert_array_equal(recording.read(3, 7, [1]), NUMBERS.T[1:, 3:7] * -0.5)


def test_a_layout_beside_the_numbers_is_found_and_options_win(tmp_path: Path) -> None:
    path = raw_file(tmp_path)
    (tmp_path / "x.raw.json").write_text(json.dumps({"channels": 2, "byteorder": "big", "offset": 5, "rate": 10}))
    with open_recording(path) as recording:
        np.testing.assert_array_equal(recording.read(0, 99), NUMBERS.T)
    with open_recording(path, options={"rate": "20"}) as recording:
        assert recording.info.channels[0].rate_hz == 20
    with open_recording(path, options={"channels": "5"}) as recording:
        assert recording.info.warnings == ("8 bytes after the last whole sample of x.dat are left out",)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"channels": 0}', 'channels is "0"'),
        ('{"dtype": "int16"}', "not told how they lie"),
        ('{"channels": 2, "type": "int16"}', "no option type"),
        ('{"channels": 2, "names": ["a"]}', "1 names"),
        ('{"channels": 2, "offset": 99999}', "holds no sample"),
        ('{"channels": 1e9}', "1,000,000,000 channels"),
        ("[]", "no JSON object"),
        ("{", "no JSON"),
    ],
)
def test_a_layout_that_makes_no_sense_is_told(content: str, words: str, tmp_path: Path) -> None:
    path = raw_file(tmp_path)
    (tmp_path / "x.raw.json").write_text(content)
    with pytest.raises(ReadError, match=words):
        open_recording(path)


def test_options_that_a_format_does_not_know_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("1,2\n3,4\n5,6\n")
    for options, words in (({"dataset": "a"}, "no option dataset"), ({"header": "-1"}, 'header is "-1"')):
        with pytest.raises(UsageError, match=words):
            open_recording(path, options=options)
    with pytest.raises(UsageError, match='format is "nonsense"'):
        open_recording(path, options={"format": "nonsense"})


def test_a_table_is_read_as_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("depth;clock\n1;2\n" + "".join(f"{k};{k / 4}\n" for k in range(40)))
    with open_recording(path) as plain:
        assert [channel.rate_hz for channel in plain.info.channels] == [None, None]
    told = {"time": "clock 2", "separator": "semicolon", "header": "2", "decimal": "point"}
    with open_recording(path, options=told) as recording:
        ((name, rate_hz),) = [(channel.name, channel.rate_hz) for channel in recording.info.channels]
        assert rate_hz == 4.0
        assert name
        np.testing.assert_array_equal(recording.read(0, 99)[0], np.arange(40))
    with open_recording(path, options={"time": "2"}) as recording:
        assert recording.info.channels[0].rate_hz is not None
    timed = tmp_path / "timed.csv"
    timed.write_text("time_s,a\n" + "".join(f"{k / 4},{k}\n" for k in range(40)))
    with open_recording(timed, options={"time": "none"}) as recording:
        assert [channel.name for channel in recording.info.channels] == ["time_s", "a"]
    with pytest.raises(ReadError, match="no column speed"):
        open_recording(timed, options={"time": "speed"})


def test_what_is_in_a_container_can_be_chosen(tmp_path: Path) -> None:
    import scipy.io

    arrays = {"left": np.arange(50.0), "right": np.arange(50.0) * 2, "other": np.arange(8.0)}
    np.savez(tmp_path / "x.npz", **arrays)  # type: ignore[arg-type]
    scipy.io.savemat(tmp_path / "x.mat", arrays)
    for name, option in (("x.npz", "array"), ("x.mat", "variable")):
        with open_recording(tmp_path / name, options={option: "right,left"}) as recording:
            assert [channel.name for channel in recording.info.channels] == ["right", "left"]
            np.testing.assert_array_equal(recording.read(0, 50, [0])[0], arrays["right"])
        with pytest.raises(ReadError, match=r"called middle"):
            open_recording(tmp_path / name, options={option: "middle"})


def test_a_dataset_can_be_chosen(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="HDF5 needs h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["eeg/raw"], file["eeg/short"] = np.arange(1000.0), np.arange(4.0)
    with open_recording(tmp_path / "x.h5", options={"dataset": "/eeg/short"}) as recording:
        np.testing.assert_array_equal(recording.read(0, 9)[0], np.arange(4.0))
    with pytest.raises(ReadError, match="called no"):
        open_recording(tmp_path / "x.h5", options={"dataset": "no"})
