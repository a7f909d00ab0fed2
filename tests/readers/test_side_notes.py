"""A table of text that jaxscope wrote comes back with the units, kinds and events that stand beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.compute.batch import filter_file
from jaxscope.readers import open_recording, side_notes
from jaxscope.resource_files import resource_path


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return two seconds of the demonstration as CSV, with what is told beside it."""
    path = tmp_path_factory.mktemp("written") / "x.csv"
    filter_file(str(resource_path("demo.edf")), str(path), (), start_s=40.0, stop_s=60.0)
    return path


def changed(written: Path, tmp_path: Path, change: Any) -> Path:
    path = tmp_path / "x.csv"
    path.write_bytes(written.read_bytes())
    beside = json.loads(Path(f"{written}.json").read_text(encoding="utf-8"))
    change(beside)
    Path(f"{path}.json").write_text(json.dumps(beside), encoding="utf-8")
    return path


def test_what_is_written_as_a_table_is_read_back_as_it_was(written: Path) -> None:
    with open_recording(resource_path("demo.edf")) as source, open_recording(written) as found:
        assert found.info.channels == tuple(replace(one, n_samples=20 * 256) for one in source.info.channels)
        span = source.read(40 * 256, 60 * 256)
        np.testing.assert_array_equal(found.read(0, 20 * 256), span)
        expected = [(note.onset_s - 40, note.text) for note in source.info.annotations if 40 <= note.onset_s < 60]
        assert [(note.onset_s, note.text) for note in found.info.annotations] == expected
        assert found.info.warnings == ()


def test_a_table_that_was_changed_since_says_that_nothing_is_taken(written: Path, tmp_path: Path) -> None:
    path = changed(written, tmp_path, lambda beside: None)
    with path.open("a") as file:
        file.write("99,\n")
    with open_recording(path) as found:
        assert {channel.unit for channel in found.info.channels} == {""}
        assert "x.csv.json tells of another table" in " | ".join(found.info.warnings)


def test_columns_that_are_left_out_do_not_shift_the_others(written: Path, tmp_path: Path) -> None:
    def add(beside: Any) -> None:
        beside["output"]["channels"].insert(0, {**beside["output"]["channels"][0], "name": "empty", "unit": "V"})

    with open_recording(changed(written, tmp_path, add)) as found:
        assert {channel.unit for channel in found.info.channels if channel.kind == "eeg"} == {"uV"}


@pytest.mark.parametrize("wrong", [None, [], "x", {"kind": "none"}, {"unit": 3}, {"name": None}])
def test_what_makes_no_sense_is_not_taken(written: Path, tmp_path: Path, wrong: Any) -> None:
    def spoil(beside: Any) -> None:
        first = beside["output"]["channels"][0]
        beside["output"]["channels"][0] = {**first, **wrong} if isinstance(wrong, dict) else wrong

    with open_recording(changed(written, tmp_path, spoil)) as found:
        assert found.info.channels[0].unit == ""
        assert "tells of another table" in " | ".join(found.info.warnings)


@pytest.mark.parametrize("text", ["null", "{]", "[1]", '{"format": "other"}', '{"format": "other', "[" * 100_000])
def test_a_file_of_others_beside_a_table_is_nothing(text: str, written: Path, tmp_path: Path) -> None:
    path = changed(written, tmp_path, lambda beside: None)
    Path(f"{path}.json").write_text(text)
    with open_recording(path) as found:
        assert found.info.warnings == ()


@pytest.mark.parametrize("n_bytes", [0, 1, 20, 100, -30, -3])
def test_a_file_that_was_cut_off_is_told(n_bytes: int, written: Path, tmp_path: Path) -> None:
    path = changed(written, tmp_path, lambda beside: None)
    beside = Path(f"{path}.json")
    beside.write_bytes(Path(f"{written}.json").read_bytes()[:n_bytes])
    with open_recording(path) as found:
        assert {channel.unit for channel in found.info.channels} == {""}
        assert found.info.warnings == ("x.csv.json is cut off: units and events in it are not used",)


def test_a_file_that_is_too_long_is_told_where_it_is_one_of_ours(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = changed(written, tmp_path, lambda beside: None)
    monkeypatch.setattr(side_notes, "_MOST_BYTES", 100)
    with open_recording(path) as found:
        assert found.info.warnings == ("x.csv.json is too long: units and events in it are not used",)
    Path(f"{path}.json").write_text(json.dumps({"of": "others", "more": "x" * 100}))
    with open_recording(path) as found:
        assert found.info.warnings == ()


def test_a_file_that_cannot_be_read_is_told(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, real = changed(written, tmp_path, lambda beside: None), Path.open

    def refuse(self: Path, *given: Any, **named: Any) -> Any:
        if self.suffix == ".json":
            raise PermissionError(13, "Permission denied")
        return real(self, *given, **named)

    monkeypatch.setattr(Path, "open", refuse)
    with open_recording(path) as found:
        assert found.info.warnings == ("x.csv.json cannot be read: units and events in it are not used",)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_single_sample_comes_back_as_it_was(suffix: str, tmp_path: Path) -> None:
    source, target = tmp_path / "x.npz", tmp_path / f"y{suffix}"
    np.savez(source, data=np.array([[1.5], [2.5]]), rate_hz=100.0)
    filter_file(str(source), str(target), ())
    with open_recording(source) as before, open_recording(target) as found:
        assert found.info.channels == before.info.channels
        np.testing.assert_array_equal(found.read(0, 9), [[1.5], [2.5]])
