"""GDF 1.x and 2.x, written byte by byte after the specification, and the two real files."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, replace
from datetime import datetime
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
SAMPLE = "gdf/biosig_sample.gdf"
TYPES = {1: "i1", 2: "u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<i8", 8: "<u8", 16: "<f4", 17: "<f8"}


@dataclass(frozen=True, kw_only=True)
class Signal:
    label: bytes = b"Fp1"
    unit: bytes = b"\xb5V"
    unit_code: int = 4275
    physical: tuple[float, float] = (-100.0, 100.0)
    digital: tuple[int, int] = (-1000, 1000)
    per_record: int = 4
    type: int = 3
    stored: tuple[int, ...] = tuple(range(-6, 6))

    def record(self, number: int) -> bytes:
        values = self.stored[number * self.per_record : (number + 1) * self.per_record]
        if self.type in (279, 535):
            return b"".join((value & 0xFFFFFF).to_bytes(3, "little") for value in values)
        return np.array(values).astype(TYPES[self.type]).tobytes()


@dataclass(frozen=True, kw_only=True)
class GdfFile:
    version: float = 1.25
    signals: tuple[Signal, ...] = (Signal(), Signal(label=b"Slow", unit=b"mV", unit_code=4274, per_record=1, type=17))
    n_records: int = 3
    told_records: int | None = None
    record: tuple[int, int] = (1, 2)
    date: bytes = b"2021030204050625"
    events: bytes = b""

    def to_bytes(self) -> bytes:
        is_new = self.version >= 1.9
        count = len(self.signals)
        head = f"GDF {self.version:.2f}".encode().ljust(168, b"\0")
        if is_new:
            days = (datetime(2021, 3, 2, 4, 5, 6) - datetime(1, 1, 1)).total_seconds() / 86400 + 367
            head += struct.pack("<QQH", round(days * 2**32), 0, count + 1) + bytes(50)
        else:
            head += self.date + struct.pack("<q", 256 * (count + 1)) + bytes(44)
        head += struct.pack("<q", self.n_records if self.told_records is None else self.told_records)
        seconds = struct.pack("<d", self.record[0] / self.record[1] if self.record[1] else 0.0)
        head += seconds if self.version >= 2.21 else struct.pack("<II", *self.record)
        head += struct.pack("<HH" if is_new else "<I", *((count, 0) if is_new else (count,)))
        records = b"".join(s.record(n) for n in range(self.n_records) for s in self.signals)
        return head + self._signal_headers(is_new) + records + self.events

    def _signal_headers(self, is_new: bool) -> bytes:
        limit = "<d" if is_new else "<q"
        columns = [
            [s.label.ljust(16) for s in self.signals],
            [bytes(80) for _ in self.signals],
            [s.unit.ljust(6 if is_new else 8) for s in self.signals],
            [struct.pack("<H", s.unit_code) if is_new else b"" for s in self.signals],
            *([struct.pack("<d", s.physical[side]) for s in self.signals] for side in (0, 1)),
            *([struct.pack(limit, s.digital[side]) for s in self.signals] for side in (0, 1)),
            [bytes(80) for _ in self.signals],
            [struct.pack("<I", s.per_record) for s in self.signals],
            [struct.pack("<I", s.type) for s in self.signals],
            [bytes(32) for _ in self.signals],
        ]
        return b"".join(b"".join(column) for column in columns)


def write(path: Path, **changes: Any) -> Path:
    path.write_bytes(replace(GdfFile(), **changes).to_bytes())
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.gdf"


@pytest.mark.parametrize("version", [1.25, 1.99, 2.10, 2.51])
def test_each_version_gives_the_same(version: float, path: Path) -> None:
    with open_recording(write(path, version=version)) as recording:
        info = recording.info
        assert [(c.name, c.unit, c.rate_hz, c.n_samples) for c in info.channels] == [
            ("Fp1", "uV", 8.0, 12),
            ("Slow", "mV", 2.0, 3),
        ]
        assert info.start == datetime(2021, 3, 2, 4, 5, 6, 250000 if version < 1.9 else 0)
        assert info.duration_s == 1.5
        assert info.warnings == ()
        np.testing.assert_allclose(recording.read(0, 12, [0])[0], np.arange(-6, 6) / 10, atol=1e-12)
        np.testing.assert_allclose(recording.read(3, 9, [0])[0], np.arange(-3, 3) / 10, atol=1e-12)
        np.testing.assert_allclose(recording.read(0, 3, [1])[0], np.arange(-6, -3) / 10, atol=1e-12)


@pytest.mark.parametrize("number", [*TYPES, 279, 535])
def test_every_type_of_number_is_decoded(number: int, path: Path) -> None:
    is_signed = number not in (2, 4, 6, 8, 535)
    stored = tuple(range(-6, 6)) if is_signed else tuple(range(100, 112))
    signals = (Signal(stored=stored, type=number, physical=(-1000.0, 1000.0)), Signal(label=b"Fp2"))
    with open_recording(write(path, signals=signals)) as recording:
        np.testing.assert_allclose(recording.read(0, 12, [0])[0], stored)
        np.testing.assert_allclose(recording.read(5, 12, [1, 0])[1], stored[5:])


def test_codes_are_raw_and_unsigned(path: Path) -> None:
    with open_recording(write(path, signals=(Signal(label=b"Status"),))) as recording:
        channel = recording.info.channels[0]
        assert (channel.kind, channel.unit) == ("status", "")
        assert recording.read(0, 2)[0].tolist() == [65530.0, 65531.0]


def test_large_records_are_read_in_part(path: Path) -> None:
    stored = tuple((np.arange(400_000) % 2000 - 1000).tolist())
    signals = tuple(Signal(label=name, stored=stored, per_record=200_000, type=5) for name in (b"Fp1", b"Fp2"))
    with open_recording(write(path, signals=signals, n_records=2, record=(100, 1))) as recording:
        part = recording.read(199_990, 200_020)
    np.testing.assert_allclose(part, np.array([stored[199_990:200_020]] * 2) / 10, atol=1e-12)


def test_events_with_durations(path: Path) -> None:
    events = bytes([3, 8, 0, 0]) + struct.pack("<I", 2) + struct.pack("<II", 9, 5) + struct.pack("<HH", 768, 785)
    events += struct.pack("<HH", 0, 0) + struct.pack("<II", 4, 0)
    with open_recording(write(path, events=events)) as recording:
        notes = [(note.onset_s, note.duration_s, note.text) for note in recording.info.annotations]
    assert notes == [(0.5, 0.0, "785"), (1.0, 0.5, "768")]


def test_events_that_end_with_another(path: Path) -> None:
    events = (
        bytes([1, 2, 0, 0]) + struct.pack("<f", 4.0) + struct.pack("<II", 1, 5) + struct.pack("<HH", 10, 10 + 0x8000)
    )
    with open_recording(write(path, version=2.2, events=events)) as recording:
        notes = [(note.onset_s, note.duration_s, note.text) for note in recording.info.annotations]
    assert notes == [(0.0, 1.0, "10")]


def test_a_table_of_events_that_is_cut_off_is_told(path: Path) -> None:
    events = bytes([3, 8, 0, 0]) + struct.pack("<I", 2_000_000_000) + bytes(12)
    with open_recording(write(path, events=events)) as recording:
        assert recording.info.annotations == ()
        assert any("2000000000 events" in warning for warning in recording.info.warnings)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"told_records": -1}, "does not tell the number of data records; the file has room for 3"),
        ({"told_records": 7}, "7 data records are promised, 3 are there"),
        ({"record": (0, 0)}, "sampling rate is not known"),
        ({"date": b"2021139904050625"}, "no valid date"),
        ({"signals": (Signal(), Signal(label=b"Flat", digital=(5, 5)))}, "Flat is shown in digital values"),
        ({"signals": (Signal(), Signal(label=b"None", per_record=0))}, "None has no samples"),
        ({"events": b"\0" * 9}, "9 bytes after the last data record"),
        ({"version": 2.2, "signals": (Signal(unit=b"", unit_code=9999),)}, "unit of code 9999"),
    ],
)
def test_each_repair_is_told(changes: dict[str, Any], words: str, path: Path) -> None:
    with open_recording(write(path, **changes)) as recording:
        assert sum(words in warning for warning in recording.info.warnings) == 1


def test_a_rate_may_be_given_where_there_is_none(path: Path) -> None:
    with open_recording(write(path, record=(0, 0)), rate_hz=400.0) as recording:
        assert [channel.rate_hz for channel in recording.info.channels] == [400.0, 100.0]


@pytest.mark.parametrize(
    ("changes", "cut", "words"),
    [
        ({}, 100, "stops inside its header"),
        ({}, 300, "tells of 2 signals"),
        ({}, 770, "before the end of its first data record"),
        ({"signals": (Signal(per_record=0),)}, None, "has no samples"),
    ],
)
def test_what_has_no_meaning_is_refused(changes: dict[str, Any], cut: int | None, words: str, path: Path) -> None:
    write(path, **changes)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ReadError, match=words) as caught:
        open_recording(path)
    assert caught.value.hint


def test_a_type_that_is_not_known_is_named(path: Path) -> None:
    content = bytearray(write(path).read_bytes())
    content[256 + 2 * 220 : 256 + 2 * 220 + 4] = struct.pack("<I", 18)
    path.write_bytes(content)
    with pytest.raises(ReadError, match="type 18"):
        open_recording(path)


@pytest.mark.shared
def test_the_real_recording_agrees_with_an_independent_reader(shared_data: Path) -> None:
    expected = EXPECTED[SAMPLE]
    with open_recording(shared_data / SAMPLE) as recording:
        found = summarise(recording)
    assert found["duration_s"] == expected["duration_s"]
    assert found["warnings"] == []
    assert len(found["annotations"]) == expected["n_annotations"]
    for note, (onset_s, duration_s, text) in zip(found["annotations"], expected["annotations"], strict=False):
        # The other reader makes a duration of 0 one sample long.
        assert note["onset_s"] == pytest.approx(onset_s, abs=1e-6)
        assert note["duration_s"] == (0.0 if duration_s == 1 / 256 else duration_s)
        assert note["text"] == text
    for channel, right in zip(found["channels"], expected["channels"], strict=True):
        # The header says microvolts, and values of 20 are; the other reader takes them for volts.
        assert (channel["name"], channel["unit"], channel["n_samples"]) == (right["name"], "uV", right["n"])
        assert [channel["rate_hz"]] == expected["rates"]
        np.testing.assert_allclose(channel["first"], right["first"], rtol=1e-6)
        for key in ("min", "max", "mean"):
            np.testing.assert_allclose(channel[key], right[key], rtol=1e-6)


@pytest.mark.shared
def test_a_recording_without_events_opens(shared_data: Path) -> None:
    with open_recording(shared_data / "gdf" / "ch1undch2stoerung.gdf") as recording:
        info = recording.info
        stored = recording.read(0, 16040)
    assert (info.format, info.annotations, info.warnings) == ("GDF 1.24", (), ())
    assert [(channel.name, channel.unit, channel.rate_hz) for channel in info.channels] == [
        ("ch1", "mV", 256.0),
        ("ch2", "mV", 256.0),
    ]
    assert stored[0].min() == -5.0
    assert stored[0].max() == 5.0
