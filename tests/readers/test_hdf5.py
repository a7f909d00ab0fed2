"""HDF5: what counts as samples in any tree, what is refused, and the recordings of OpenSignals."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.compute.summary import summarise
from jaxscope.errors import ReadError
from jaxscope.readers import open_recording
from jaxscope.readers.byte_file import ByteFile
from jaxscope.readers.grids import FileGrid
from jaxscope.readers.hdf5_file import grid_of
from jaxscope.readers.sources import BlockSource

h5py = pytest.importorskip("h5py", reason="HDF5 needs h5py")

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
EXPECTED: dict[str, dict[str, Any]] = (
    json.loads((DATA / "expected.json").read_text(encoding="utf-8")) if DATA.is_dir() else {}
)
OPENSIGNALS = [name for name in EXPECTED if name.startswith("h5_opensignals/")]
WIDE = np.arange(60.0).reshape(3, 20)

Write = Callable[[Callable[[Any], None]], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that makes a file and lets its argument fill it."""

    def make(fill: Callable[[Any], None]) -> Path:
        path = tmp_path / "x.h5"
        with h5py.File(path, "w") as file:
            fill(file)
        return path

    return make


def test_datasets_become_channels_with_names_units_and_the_nearest_rate(write: Write) -> None:
    def fill(file: Any) -> None:
        file.attrs["fs"] = 100.0
        file["a/eeg"] = WIDE
        file["a/eeg"].attrs.update({"unit": "µV", "channel_names": ["Fp1", "Fp2", "ECG"], "sampling_rate": 250})
        file["b/eeg"] = WIDE[0]
        file["c"] = WIDE.T[:, :2].astype("<i2")

    with open_recording(write(fill)) as recording:
        info = recording.info
        assert [(c.name, c.unit, c.kind, c.rate_hz) for c in info.channels] == [
            ("Fp1", "uV", "eeg", 250.0),
            ("Fp2", "uV", "eeg", 250.0),
            ("ECG", "uV", "ecg", 250.0),
            ("b/eeg", "", "eeg", 100.0),
            ("c[0]", "", "misc", 100.0),
            ("c[1]", "", "misc", 100.0),
        ]
        np.testing.assert_array_equal(recording.read(3, 9, [2, 0]), WIDE[[2, 0], 3:9])
        np.testing.assert_array_equal(recording.read(3, 9, [5, 3, 4]), WIDE[[1, 0, 0], 3:9])
        assert info.duration_s == pytest.approx(0.2)
        assert any("the longer is time" in warning for warning in info.warnings)


def test_a_number_or_even_times_may_give_the_rate(write: Write) -> None:
    def number(file: Any) -> None:
        file["x"], file["srate"], file["tiny"] = np.arange(1000.0), 500.0, np.arange(3)
        file["note"] = "some text"

    with open_recording(write(number)) as recording:
        assert [(c.name, c.rate_hz) for c in recording.info.channels] == [("x", 500.0)]
        assert any("left out: tiny" in warning for warning in recording.info.warnings)

    def times(file: Any) -> None:
        file["x"], file["time"] = WIDE[0], np.arange(20) / 50

    with open_recording(write(times)) as recording:
        assert [(c.name, c.rate_hz) for c in recording.info.channels] == [("x", 50.0)]
        assert any("taken to be in seconds" in warning for warning in recording.info.warnings)
    with open_recording(write(times), rate_hz=99.0) as recording:
        assert {channel.rate_hz for channel in recording.info.channels} == {99.0}
        assert sum("99 Hz, as given, is used; t" in warning for warning in recording.info.warnings) == 1


def test_the_rate_of_a_group_is_that_of_all_it_holds_and_of_nothing_else(write: Write) -> None:
    table = np.zeros(1000, dtype=[("a", "f4"), ("b", "f4")])

    def fill(file: Any) -> None:
        for group, rate in (("one", 100.0), ("two", 200.0)):
            file[f"{group}/fs"], file[f"{group}/table"] = rate, table
            file[f"{group}/deep/plain"] = np.arange(1000.0)
        for group, rate in (("three", 300.0), ("four", 400.0)):
            file[f"times/{group}/x"], file[f"times/{group}/time"] = np.arange(1000.0), np.arange(1000) / rate

    with open_recording(write(fill)) as recording:
        rates = {channel.name: channel.rate_hz for channel in recording.info.channels}
    for group, rate in (("one", 100.0), ("two", 200.0)):
        assert [rates[f"{group}/{name}"] for name in ("table/a", "table/b", "deep/plain")] == [rate] * 3
    assert [rates[f"times/{group}/x"] for group in ("three", "four")] == pytest.approx([300.0, 400.0])


def test_without_a_rate_one_may_be_given(write: Write) -> None:
    path = write(lambda file: file.create_dataset("x", data=WIDE))
    with open_recording(path) as recording:
        assert recording.info.duration_s is None
        assert any("no sampling rate" in warning for warning in recording.info.warnings)
    with open_recording(path, rate_hz=10.0) as recording:
        assert recording.info.duration_s == 2.0
    with open_recording(path, samples_first=True) as recording:
        np.testing.assert_array_equal(recording.read(0, 3), WIDE.T)


def test_loops_and_links_to_other_files_are_not_followed(write: Write, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["secret"] = WIDE[0]

    def fill(file: Any) -> None:
        file["g/x"] = WIDE[0]
        file["g/self"] = file["g"]
        file["soft"] = h5py.SoftLink("/g/x")
        file["outside"] = h5py.ExternalLink("other.h5", "/secret")
        layout = h5py.VirtualLayout((20,), dtype="f8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "secret", (20,))
        file.create_virtual_dataset("virtual", layout)

    with open_recording(write(fill)) as recording:
        assert [channel.name for channel in recording.info.channels] == ["x"]
        assert any("virtual lies in another file" in warning for warning in recording.info.warnings)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"shape": (10**12,), "chunks": (1000,), "dtype": "f8"}, "holds no samples yet"),
        ({"shape": (10**12,), "chunks": (1000,), "dtype": "f8", "touch": True}, "promises 8,000,000,000,000 bytes"),
        ({"data": np.zeros(20_000_000, "f8"), "chunks": (20_000_000,), "compression": "gzip"}, "pieces of 160 MB"),
    ],
)
def test_datasets_that_promise_too_much_are_refused(options: dict[str, Any], words: str, write: Write) -> None:
    def fill(file: Any) -> None:
        touch = options.pop("touch", False)
        dataset = file.create_dataset("x", **options)
        if touch:
            dataset[:5] = 1.0

    with pytest.raises(ReadError, match=words):
        open_recording(write(fill))


def test_a_file_without_samples_is_refused(write: Write) -> None:
    with pytest.raises(ReadError, match="holds no dataset of samples"):
        open_recording(write(lambda file: file.create_dataset("x", data="text")))


def test_without_h5py_the_remedy_is_named(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    path = write(lambda file: file.create_dataset("x", data=WIDE))
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ReadError, match="not installed") as caught:
        open_recording(path)
    assert 'pip install "jaxscope[formats]"' in caught.value.hint


@pytest.mark.shared
@pytest.mark.parametrize("name", OPENSIGNALS)
def test_every_recording_agrees_with_an_independent_reader(name: str, shared_data: Path) -> None:
    expected = EXPECTED[name]
    with open_recording(shared_data / name) as recording:
        found = summarise(recording)
    assert found["format"] == "OpenSignals"
    # The other reader looks at the first of two devices only.
    assert len(found["channels"]) == expected["n_channels"] + ("8_16_bits" in name)
    for channel, right in zip(found["channels"], expected["channels"], strict=False):
        assert (channel["name"], channel["unit"]) == (right["name"], right["unit"])
        assert (channel["n_samples"], channel["n_nan"]) == (right["n"], right["n_nan"])
        assert channel["rate_hz"] == expected["rates"][0]
        assert channel["first"] == right["first"]
        for key in ("min", "max", "mean"):
            np.testing.assert_allclose(channel[key], right[key], rtol=1e-6)


@pytest.mark.shared
def test_r25_the_same_recording_as_text_is_equal(shared_data: Path) -> None:
    with open_recording(shared_data / "h5_opensignals" / "plux_supine_1min.h5") as recording:
        info, stored = recording.info, recording.read(0, 60000)[0]
    with open_recording(shared_data / "txt_opensignals" / "plux_supine_1min.txt") as recording:
        text = recording.read(0, 60000, [recording.info.index_of("CH1")])[0]
    np.testing.assert_array_equal(stored, text)
    assert info.start == datetime(2019, 2, 7, 15, 11, 20, 455000)
    assert info.channels[0].kind == "ecg"


@pytest.mark.shared
def test_a_recording_that_is_cut_off_is_refused(shared_data: Path) -> None:
    with pytest.raises(ReadError, match=r"plux_ecg_sample_truncated\.h5 is damaged: it is cut off"):
        open_recording(shared_data / "derived" / "plux_ecg_sample_truncated.h5")


@pytest.mark.parametrize("dtype", ["<i2", ">i2", "<f4", "<f8"])
@pytest.mark.parametrize("layout", ["contiguous", "chunks", "user block", "one row"])
def test_a_dataset_in_one_piece_is_read_where_it_lies(tmp_path: Path, dtype: str, layout: str) -> None:
    samples = np.random.default_rng(2).integers(-3000, 3000, (1 if layout == "one row" else 3, 500)).astype(dtype)
    for name, stored in (("rows", samples), ("columns", np.ascontiguousarray(samples.T))):
        path = tmp_path / f"{name}.h5"
        with h5py.File(path, "w", userblock_size=512 if layout == "user block" else 0) as file:
            data = stored.reshape(-1) if layout == "one row" else stored
            made = file.create_dataset("x", data=data, chunks=True if layout == "chunks" else None)
            made.attrs["rate_hz"] = 100.0
        with open_recording(path) as recording:
            np.testing.assert_array_equal(recording.read(0, 500), samples)
            np.testing.assert_array_equal(recording.read(3, 499, [len(samples) - 1, 0]), samples[[-1, 0], 3:499])
        with h5py.File(path) as file:
            grid = grid_of(file["x"], ByteFile(path), is_last_time=name == "rows", name="x")
            assert isinstance(grid, FileGrid) == (layout != "chunks")


@pytest.mark.parametrize("chunks", [None, (64,)])
def test_the_columns_of_a_table_are_channels_and_its_times_give_the_rate(chunks: Any, tmp_path: Path) -> None:
    kinds = [("t", "f8"), ("Fz", "f4"), ("flag", "i2"), ("note", "S4"), ("pair", "f4", (2,))]
    table = np.zeros(1000, dtype=kinds)
    table["t"], table["Fz"], table["flag"] = np.arange(1000) / 250, np.sin(np.arange(1000)), np.arange(1000) % 7
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("log/eeg", data=table, chunks=chunks)
    with open_recording(path) as found:
        assert [(one.name, one.rate_hz, one.n_samples) for one in found.info.channels] == [
            ("Fz", 250.0, 1000),
            ("flag", 250.0, 1000),
        ]
        np.testing.assert_array_equal(found.read(100, 300), [table["Fz"][100:300], table["flag"][100:300]])
        assert "What holds no samples is left out: log/eeg/note, log/eeg/pair" in found.info.warnings


def test_of_thousands_of_datasets_one_is_chosen_and_all_are_too_many(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for number in range(4200):
            file.create_dataset(f"d{number}", data=np.full(3, number))
    with pytest.raises(ReadError, match="more than 4,096 lists"):
        open_recording(tmp_path / "x.h5")
    with open_recording(tmp_path / "x.h5", options={"dataset": "d4100"}) as recording:
        np.testing.assert_array_equal(recording.read(0, 3), [[4100, 4100, 4100]])


def test_few_datasets_are_open_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for number in range(300):
            file.create_dataset(f"group{number % 3}/d{number}", data=np.full(50, number))
        file["group1"].attrs["fs"] = 250.0
    counts: list[int] = []

    def counted(*args: Any, **named: Any) -> BlockSource:
        counts.append(h5py.h5f.get_obj_count(h5py.h5f.OBJ_ALL, h5py.h5f.OBJ_DATASET))
        return grid_of(*args, **named)

    monkeypatch.setattr("jaxscope.readers.hdf5.grid_of", counted)
    with open_recording(tmp_path / "x.h5") as recording:
        assert len(counts) == 300
        assert max(counts) <= 2
        assert [recording.info.channels[place].rate_hz for place in (0, 100, 199, 200)] == [None, 250.0, 250.0, None]
        index = recording.info.index_of("d298")
        np.testing.assert_array_equal(recording.read(48, 50, [index]), [[298, 298]])
