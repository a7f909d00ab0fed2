"""SAC files: small ones made here word by word, and every real one against an independent reader."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
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
FILES = {name: entry for name, entry in EXPECTED.items() if name.startswith("sac/") and "channels" in entry}
SAMPLES = np.arange(50, dtype=np.float32) * 0.25 - 3


def sac_bytes(order: str = "<", version: int = 6, delta: float = 0.01, n_samples: int = 50, **integers: int) -> bytes:
    floats = np.full(70, -12345, dtype=f"{order}f4")
    floats[[0, 5, 8]] = delta, 2.5, 3.0
    words = np.full(40, -12345, dtype=f"{order}i4")
    words[:7] = 2020, 61, 3, 4, 5, 250, version
    words[9], words[15], words[16], words[35] = n_samples, 1, 7, 1
    for place, value in integers.items():
        words[int(place[1:])] = value
    texts = [b"-12345  "] * 24
    texts[0], texts[20], texts[21] = b"STA\0junk", b"BHZ     ", b"NET     "
    body = floats.tobytes() + words.tobytes() + b"".join(texts) + SAMPLES.astype(f"{order}f4").tobytes()
    if version == 7:
        body += np.array([delta, 2.5, *[-12345.0] * 20], dtype=f"{order}f8").tobytes()
    return body


@pytest.mark.parametrize("order", ["<", ">"])
def test_both_byte_orders_give_name_rate_start_picks_and_samples(order: str, tmp_path: Path) -> None:
    path = tmp_path / "x.sac"
    path.write_bytes(sac_bytes(order))
    with open_recording(path) as recording:
        info = recording.info
        (channel,) = info.channels
        assert (channel.name, channel.unit, channel.kind) == ("NET.STA..BHZ", "nm/s", "seismic")
        assert (channel.rate_hz, channel.n_samples) == (100.0, 50)
        assert info.start == datetime(2020, 3, 1, 3, 4, 7, 750000, tzinfo=UTC)
        assert [(note.onset_s, note.text) for note in info.annotations] == [(0.5, "first arrival")]
        np.testing.assert_array_equal(recording.read(3, 9)[0], SAMPLES[3:9])
        assert info.warnings == ()


def test_version_7_tells_its_interval_in_double_precision(tmp_path: Path) -> None:
    path = tmp_path / "x.sac"
    path.write_bytes(sac_bytes(version=7, delta=1 / 44100))
    with open_recording(path) as recording:
        assert recording.info.channels[0].rate_hz == pytest.approx(44100, rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"w15": 2}, "holds a spectrum"), ({"w15": 4}, "pairs of x and y"), ({"w35": 0}, "uneven sample times")],
)
def test_what_is_no_even_time_series_is_refused(changes: dict[str, int], words: str, tmp_path: Path) -> None:
    path = tmp_path / "x.sac"
    path.write_bytes(sac_bytes(**changes))
    with pytest.raises(ReadError, match=words):
        open_recording(path)


def test_a_header_that_promises_more_samples_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.sac"
    path.write_bytes(sac_bytes(n_samples=2_000_000_000))
    with open_recording(path) as recording:
        assert recording.info.channels[0].n_samples == 50
        assert "promises 2,000,000,000 samples, the file holds 50" in recording.info.warnings[0]


@pytest.mark.parametrize("version", [6, 7])
def test_bytes_after_the_samples_are_told(version: int, tmp_path: Path) -> None:
    path = tmp_path / "x.sac"
    path.write_bytes(sac_bytes(version=version))
    known = 0 if version == 6 else 176
    whole = path.read_bytes()[: 632 + 4 * 50] + bytes(known)
    path.write_bytes(whole)
    with open_recording(path) as recording:
        assert not any("left out" in warning for warning in recording.info.warnings)
    path.write_bytes(whole + bytes(8))
    with open_recording(path) as recording:
        assert any("8 bytes after the last sample of x.sac are left out" in w for w in recording.info.warnings)


def test_a_date_that_is_none_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.sac"
    path.write_bytes(sac_bytes(w0=99999))
    with open_recording(path) as recording:
        assert recording.info.start is None
        assert "date in the header makes no sense" in recording.info.warnings[0]


@pytest.mark.shared
@pytest.mark.parametrize("name", FILES)
def test_every_real_file_agrees_with_an_independent_reader(name: str, shared_data: Path) -> None:
    (expected,) = FILES[name]["channels"]
    with open_recording(shared_data / name) as recording:
        found = summarise(recording)
    (channel,) = found["channels"]
    assert channel["name"] == expected["name"]
    assert channel["rate_hz"] == pytest.approx(expected["rate"], rel=1e-9)
    assert (channel["n_samples"], channel["n_nan"]) == (expected["n"], expected["n_nan"])
    # The written form of SAC has seven digits, and the other reader keeps them as float32.
    tolerance = {"rtol": 1e-6, "atol": 1e-7 * (expected["max"] - expected["min"])}
    np.testing.assert_allclose(channel["first"], expected["first"], **tolerance)
    for key in ("min", "max", "mean"):
        np.testing.assert_allclose(channel[key], expected[key], **tolerance, err_msg=key)
    told = datetime.fromisoformat(expected["start"])
    if told.year == 1970:  # the other reader's way to say that there is none
        assert found["start"] is None or datetime.fromisoformat(found["start"]) == told
    else:
        assert abs(datetime.fromisoformat(found["start"]) - told) <= timedelta(microseconds=10)


@pytest.mark.shared
def test_a_file_that_is_8_bytes_short_says_so(shared_data: Path) -> None:
    with open_recording(shared_data / "sac" / "seism-shorter.sac") as recording:
        assert recording.info.channels[0].n_samples == 998
        assert "(2 are missing)" in recording.info.warnings[0]


@pytest.mark.shared
def test_c049_the_interval_that_drifted_is_told(shared_data: Path) -> None:
    with open_recording(shared_data / "sac" / "II.TLY.BHZ.SAC") as recording:
        assert "0.05000016 s is taken to mean 0.05 s" in recording.info.warnings[0]
        assert recording.read(0, 400).mean() == pytest.approx(-1600, abs=50)
