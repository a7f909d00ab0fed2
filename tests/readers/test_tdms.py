"""TDMS: small files made with the library's writer, and the real ones against an independent reading."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.compute.summary import summarise
from jaxscope.errors import ReadError
from jaxscope.readers import open_recording

nptdms = pytest.importorskip("nptdms", reason="npTDMS is not installed (the extra formats)")
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
EXPECTED: dict[str, dict[str, Any]] = (
    json.loads((DATA / "expected.json").read_text(encoding="utf-8")) if DATA.is_dir() else {}
)
FILES = {name: entry for name, entry in EXPECTED.items() if name.startswith("tdms/")}
VALUES = np.arange(400) * 0.5


def write(path: Path, *channels: Any) -> Path:
    with nptdms.TdmsWriter(str(path)) as writer:
        writer.write_segment(list(channels))
    return path


def channel(group: str, name: str, values: np.ndarray, **properties: Any) -> Any:
    return nptdms.ChannelObject(group, name, values, properties=properties)


def test_channels_keep_their_rates_units_and_starts(tmp_path: Path) -> None:
    start = np.datetime64("2024-03-01T10:00:00.250", "us")
    path = write(
        tmp_path / "x.tdms",
        channel("fast", "U", VALUES, wf_increment=0.001, wf_start_time=start, unit_string="µV"),
        channel("slow", "U", VALUES[:40], wf_increment=0.01, wf_start_time=start + np.timedelta64(500, "ms")),
        channel("slow", "T", VALUES[:40].astype(np.int16), wf_increment=0.01, wf_start_time=start),
    )
    with open_recording(path) as recording:
        info = recording.info
        rows = [(c.name, c.unit, c.rate_hz, c.n_samples) for c in info.channels]
        assert rows == [("fast/U", "uV", 1000, 400), ("slow/U", "", 100, 40), ("T", "", 100, 40)]
        assert info.start == datetime(2024, 3, 1, 10, 0, 0, 250000, tzinfo=UTC)
        assert info.timeline_of(1).second_of(0, 100) == pytest.approx(0.5)
        assert any("slow/U begins 0.5 s after" in words for words in info.warnings)
        np.testing.assert_array_equal(recording.read(7, 91, [0])[0], VALUES[7:91])


def test_many_channels_without_samples_are_told_in_one_short_sentence(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.tdms",
        *(channel("g", f"note {number}", np.array(["a"])) for number in range(50)),
        channel("g", "U", VALUES, wf_increment=0.001),
    )
    with open_recording(path) as recording:
        (words,) = recording.info.warnings
        assert "note 5 and 44 more holds" in words


def test_text_and_times_are_left_out_by_name(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.tdms",
        channel("g", "notes", np.array(["a", "b"])),
        channel("g", "clock", np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[us]")),
        channel("g", "U", VALUES),
    )
    with open_recording(path) as recording:
        assert [c.name for c in recording.info.channels] == ["U"]
        words = " | ".join(recording.info.warnings)
        assert "notes holds no real numbers" in words
        assert "clock holds times" in words
        assert "tells no sampling rate" in words
    with open_recording(path, rate_hz=50) as recording:
        assert recording.info.duration_s == pytest.approx(8)


def test_without_the_library_the_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "x.tdms", channel("g", "U", VALUES))
    monkeypatch.setitem(sys.modules, "nptdms", None)
    with pytest.raises(ReadError, match="need the library nptdms") as caught:
        open_recording(path)
    assert caught.value.hint == 'pip install "jaxscope[formats]"'


@pytest.mark.shared
@pytest.mark.parametrize("name", FILES)
def test_every_real_file_agrees_with_an_independent_reading(name: str, shared_data: Path) -> None:
    with open_recording(shared_data / name) as recording:
        found = summarise(recording)
    assert len(found["channels"]) == FILES[name]["n_channels"]
    for channel, expected in zip(found["channels"], FILES[name]["channels"], strict=True):
        assert channel["name"] == expected["name"]
        assert channel["unit"] == (expected["unit"] or "")
        assert channel["rate_hz"] == pytest.approx(1 / expected["wf_increment"], rel=1e-12)
        assert (channel["n_samples"], channel["n_nan"]) == (expected["n"], 0)
        np.testing.assert_allclose(channel["first"], expected["first"], rtol=1e-6, atol=1e-12)
        for key in ("min", "max", "mean"):
            np.testing.assert_allclose(channel[key], expected[key], rtol=1e-6, atol=1e-12, err_msg=key)


@pytest.mark.shared
def test_1904_is_no_start(shared_data: Path) -> None:
    with open_recording(shared_data / "tdms" / "big_endian.tdms") as recording:
        assert recording.info.start is None
    with open_recording(shared_data / "tdms" / "raw1.tdms") as recording:
        assert recording.info.start == datetime(2016, 12, 15, 22, 35, 21, tzinfo=UTC)
        assert recording.info.channels[0].rate_hz == 50000
