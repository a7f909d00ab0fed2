"""miniSEED: small files made here record by record, and every real one against an independent reader."""

from __future__ import annotations

import json
import struct
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.compute.summary import summarise
from jaxscope.errors import ReadError
from jaxscope.readers import mseed, open_first_part, open_recording, sniff_format

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
EXPECTED: dict[str, dict[str, Any]] = (
    json.loads((DATA / "expected.json").read_text(encoding="utf-8")) if DATA.is_dir() else {}
)
FILES = {name: entry for name, entry in EXPECTED.items() if name.startswith("mseed") and "channels" in entry}
#: The other reader lists six traces at most.
WHOLE = [name for name, entry in FILES.items() if len(entry["channels"]) == entry["n_traces"]]
REFUSED = [name for name, entry in EXPECTED.items() if name.startswith("mseed") and "refused" in entry]
RATE = 100


def record(
    samples: np.ndarray,
    second: float = 0.0,
    channel: bytes = b"BHZ",
    encoding: int = 3,
    n_bytes: int = 512,
    body: bytes | None = None,
) -> bytes:
    """Return a big-endian record that begins so many seconds after noon of 2 January 2020."""
    whole, fraction = divmod(round(second * 10000), 10000)
    head = b"000001D " + b"STA  00" + channel + b"NE"
    head += struct.pack(">HHBBBxH", 2020, 2, 12, whole // 60, whole % 60, fraction)
    head += struct.pack(">Hhh4B i HH", len(samples), RATE, 1, 0, 0, 0, 1, 0, 64, 48)
    head += struct.pack(">HHBBBx", 1000, 0, encoding, 1, n_bytes.bit_length() - 1)
    kind = {1: ">i2", 3: ">i4", 4: ">f4", 5: ">f8"}.get(encoding, ">i4")
    return (head.ljust(64, b"\0") + (samples.astype(kind).tobytes() if body is None else body)).ljust(n_bytes, b"\0")


def write(path: Path, *records: bytes) -> Path:
    path.write_bytes(b"".join(records))
    return path


def steim1(samples: list[int], last: int | None = None) -> bytes:
    """Return one frame of up to 13 differences of 32 bits each."""
    steps = [0, *np.diff(samples).tolist()]
    code = sum(3 << (30 - 2 * (3 + number)) for number in range(len(steps)))
    return struct.pack(f">Iii{len(steps)}i", code, samples[0], samples[-1] if last is None else last, *steps)


def test_records_in_a_row_are_one_channel(tmp_path: Path) -> None:
    values = np.arange(1000)
    path = write(tmp_path / "x.mseed", *(record(values[k : k + 100], k / RATE) for k in range(0, 1000, 100)))
    with open_recording(path) as recording:
        info = recording.info
        (channel,) = info.channels
        assert (channel.name, channel.kind, channel.rate_hz, channel.n_samples) == (
            "NE.STA.00.BHZ",
            "seismic",
            100,
            1000,
        )
        assert info.start == datetime(2020, 1, 2, 12, tzinfo=UTC)
        assert (info.gaps, info.warnings, info.duration_s) == ((), (), 10.0)
        np.testing.assert_array_equal(recording.read(250, 731)[0], values[250:731])
    assert sniff_format(path.read_bytes()[:4096]) == "mseed"


def test_records_out_of_order_and_of_other_lengths_are_put_in_order(tmp_path: Path) -> None:
    values = np.arange(300)
    parts = [
        record(values[100:200], 1.0, n_bytes=1024),
        record(values[:100]),
        record(values[200:], 2.0, encoding=5, n_bytes=2048),
    ]
    with open_recording(write(tmp_path / "x.mseed", *parts)) as recording:
        np.testing.assert_array_equal(recording.read(0, 300)[0], values)
        assert recording.info.gaps == ()


def test_a_gap_takes_time_and_no_samples(tmp_path: Path) -> None:
    values = np.arange(200)
    with open_recording(write(tmp_path / "x.mseed", record(values[:100]), record(values[100:], 3.0))) as recording:
        (gap,) = recording.info.gaps
        assert (gap.start_s, gap.stop_s) == (1.0, pytest.approx(3.0))
        assert recording.info.duration_s == pytest.approx(4.0)
        assert recording.info.timeline.second_of(100, RATE) == pytest.approx(3.0)
        np.testing.assert_array_equal(recording.read(90, 110)[0], values[90:110])


def test_the_same_time_told_twice_is_a_second_channel(tmp_path: Path) -> None:
    values = np.arange(200)
    parts = [record(values[:100]), record(values[100:], 0.4), record(values[:50], 1.4)]
    with open_recording(write(tmp_path / "x.mseed", *parts)) as recording:
        info = recording.info
        assert [(channel.name, channel.n_samples) for channel in info.channels] == [
            ("NE.STA.00.BHZ", 100),
            ("NE.STA.00.BHZ #2", 150),
        ]
        assert "overlap in time: 150 samples" in info.warnings[0]
        assert info.timeline_of(1).second_of(0, RATE) == pytest.approx(0.4)
        np.testing.assert_array_equal(recording.read(0, 150, [1])[0], [*values[100:], *values[:50]])


def test_channels_that_begin_at_different_times_keep_theirs(tmp_path: Path) -> None:
    values = np.arange(100)
    parts = [record(values, 0.5), record(values, 0.0, b"BHN"), record(values, 1.5), record(values, 3.0, b"BHN")]
    with open_recording(write(tmp_path / "x.mseed", *parts)) as recording:
        info = recording.info
        late, early = info.index_of("NE.STA.00.BHZ"), info.index_of("NE.STA.00.BHN")
        assert info.start == datetime(2020, 1, 2, 12, tzinfo=UTC)
        assert info.gaps == ((info.gaps[0]),) if info.gaps else True
        assert info.timeline_of(late).second_of(0, RATE) == pytest.approx(0.5)
        assert info.timeline_of(early).second_of(100, RATE) == pytest.approx(3.0)
        assert info.duration_s == pytest.approx(4.0)
        assert any("begins 0.5 s after the recording" in words for words in info.warnings)
        assert any("BHN has 1 gap of its own" in words for words in info.warnings)


def test_a_steim_record_that_misses_its_own_check_is_missing(tmp_path: Path) -> None:
    good, bad = list(range(10, 20)), list(range(30, 40))
    parts = [
        record(np.zeros(10), 0.0, encoding=10, body=steim1(good)),
        record(np.zeros(10), 0.1, encoding=10, body=steim1(bad, last=7)),
        record(np.zeros(10), 0.2, encoding=10, body=steim1(good)),
    ]
    with open_recording(write(tmp_path / "x.mseed", *parts)) as recording:
        np.testing.assert_array_equal(recording.read(0, 30)[0], [*good, *[np.nan] * 10, *good])
    with open_recording(write(tmp_path / "y.mseed", parts[1])) as recording:
        np.testing.assert_array_equal(recording.read(0, 10)[0], bad)
        assert "disagrees with its own check" in recording.info.warnings[0]


def test_what_is_no_record_is_stepped_over_and_told(tmp_path: Path) -> None:
    values = np.arange(100)
    path = write(tmp_path / "x.mseed", record(values), b"\xff" * 512, record(values, 1.0), record(values, 2.0)[:300])
    with open_recording(path) as recording:
        assert recording.info.channels[0].n_samples == 200
        assert "stops inside its last record: 300 bytes" in recording.info.warnings[0]
        assert "512 bytes that belong to no data record" in recording.info.warnings[1]


def test_more_samples_than_a_record_has_room_for_are_not_believed(tmp_path: Path) -> None:
    lie = bytearray(record(np.arange(100)))
    lie[30:32] = struct.pack(">H", 5000)
    with pytest.raises(ReadError, match="promise more samples than they have room for"):
        open_recording(write(tmp_path / "x.mseed", bytes(lie)))


def test_an_encoding_that_is_not_known_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "x.mseed", record(np.arange(9)), record(np.arange(9), encoding=19, channel=b"BHN"))
    with open_recording(path) as recording:
        assert len(recording.info.channels) == 1
        assert "Steim 3 (encoding 19)" in recording.info.warnings[0]


def test_the_same_time_told_without_end_is_cut_short_and_told(tmp_path: Path) -> None:
    with open_recording(write(tmp_path / "x.mseed", *[record(np.arange(100))] * 80)) as recording:
        assert len(recording.info.channels) == 64
        assert any("16 more records" in words and "left out" in words for words in recording.info.warnings)


def test_records_of_many_layouts_in_turn_are_all_found(tmp_path: Path) -> None:
    values = np.arange(60)
    parts = []
    for second in range(40):
        for name, encoding in ((b"BHZ", 3), (b"BHN", 1), (b"BHE", 5)):
            parts.append(record(values, second * 0.6, name, encoding, 1024))
    with open_recording(write(tmp_path / "x.mseed", *parts)) as recording:
        assert {channel.n_samples for channel in recording.info.channels} == {2400}
        assert (recording.info.gaps, recording.info.warnings) == ((), ())
        np.testing.assert_array_equal(recording.read(50, 70, [1])[0], [*values[50:], *values[:10]])


def test_the_correction_of_the_clock_is_applied_once(tmp_path: Path) -> None:
    for flag, second in ((0, 1.5), (2, 0.0)):
        corrected = bytearray(record(np.arange(9)))
        corrected[36], corrected[40:44] = flag, struct.pack(">i", 15000)
        with open_recording(write(tmp_path / f"{flag}.mseed", bytes(corrected))) as recording:
            assert recording.info.start == datetime(2020, 1, 2, 12, tzinfo=UTC) + timedelta(seconds=second)


@pytest.mark.shared
@pytest.mark.parametrize("name", WHOLE)
def test_every_real_file_agrees_with_an_independent_reader(name: str, shared_data: Path) -> None:
    traces: dict[tuple[str, float], list[dict[str, Any]]] = {}
    for trace in FILES[name]["channels"]:
        if trace["n"] and trace.get("first"):
            traces.setdefault((trace["name"], trace["rate"]), []).append(trace)
    with open_recording(shared_data / name) as recording:
        found = summarise(recording)
        assert len(found["channels"]) == len(traces)
        for (label, rate), parts in traces.items():
            index = recording.info.index_of(label)
            check_trace(found["channels"][index], rate, parts)
            parts.sort(key=lambda part: part["start"])
            check_times(recording.info, index, parts)


def check_trace(channel: dict[str, Any], rate: float, parts: list[dict[str, Any]]) -> None:
    n_samples = sum(part["n"] for part in parts)
    assert channel["rate_hz"] == pytest.approx(rate, rel=1e-9)
    assert (channel["n_samples"], channel["n_nan"]) == (n_samples, 0)
    first = min(parts, key=lambda part: part["start"])["first"]
    np.testing.assert_allclose(channel["first"][: len(first)], first, rtol=1e-6)
    np.testing.assert_allclose(channel["min"], min(part["min"] for part in parts), rtol=1e-6)
    np.testing.assert_allclose(channel["max"], max(part["max"] for part in parts), rtol=1e-6)
    mean = sum(part["mean"] * part["n"] for part in parts) / n_samples
    np.testing.assert_allclose(channel["mean"], mean, rtol=1e-6)


def check_times(info: Any, index: int, parts: list[dict[str, Any]]) -> None:
    timeline, sample = info.timeline_of(index), 0
    for part in parts:
        second = timeline.second_of(sample, info.channels[index].rate_hz)
        told = datetime.fromisoformat(part["start"])
        assert abs(info.start + timedelta(seconds=second) - told) < timedelta(microseconds=2)
        sample += part["n"]


@pytest.mark.shared
def test_records_that_repeat_a_time_are_all_kept(shared_data: Path) -> None:
    name = "mseed/qualityflags.mseed"
    with open_recording(shared_data / name) as recording:
        info = recording.info
        assert [channel.n_samples for channel in info.channels] == [412] * FILES[name]["n_traces"]
        assert info.gaps == ()
        assert "overlap in time: 7,004 samples" in info.warnings[0]


@pytest.mark.shared
def test_records_in_mixed_order_and_length_are_one_series(shared_data: Path) -> None:
    name = "mseed/libmseed_Int32-oneseries-mixedlengths-mixedorder.mseed"
    parts = sorted(FILES[name]["channels"], key=lambda part: part["start"])
    with open_recording(shared_data / name) as recording:
        (channel,) = recording.info.channels
        assert (recording.info.gaps, recording.info.warnings) == ((), ())
        samples = recording.read(0, channel.n_samples)[0]
        for part in parts:
            begun = datetime.fromisoformat(part["start"]) - recording.info.start
            first = round(begun.total_seconds() * part["rate"])
            np.testing.assert_array_equal(samples[first : first + 4], part["first"])
            assert samples[first + part["n"] - 1] == part["last"]


@pytest.mark.shared
def test_c048_gaps_are_gaps_and_no_fill_values(shared_data: Path) -> None:
    with open_recording(shared_data / "mseed" / "gaps.mseed") as recording:
        gaps = [(gap.start_s, gap.stop_s) for gap in recording.info.gaps]
        np.testing.assert_allclose(gaps, [(2.06, 4.12), (8.24, 10.3), (14.42, 18.54)], atol=1e-9)
        assert np.abs(recording.read(0, 52728)).max() < 1000


@pytest.mark.shared
def test_log_records_become_annotations(shared_data: Path) -> None:
    with open_recording(shared_data / "mseed" / "rt130_sr0_cropped.mseed") as recording:
        assert recording.info.channels == ()
        assert len(recording.info.annotations) == 5
        assert recording.info.annotations[1].text == "001:01:52:59 ATD INTERRUPT ERROR"


@pytest.mark.shared
@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_no_records_is_refused_in_one_sentence(name: str, shared_data: Path) -> None:
    with pytest.raises(ReadError) as caught:
        open_recording(shared_data / name)
    assert Path(name).name in caught.value.message
    assert caught.value.hint
    assert "\n" not in caught.value.sentence()


@pytest.mark.parametrize("at_once", [1, 2, 3, 1000])
def test_gaps_are_found_wherever_records_are_taken_apart(
    tmp_path: Path, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mseed, "_AT_ONCE", at_once)
    values = np.arange(700)
    begins = [0, 1, 2, 5, 6, 9, 12]
    parts = [record(values[100 * n : 100 * n + 100], second) for n, second in enumerate(begins)]
    other = [record(values[:100], second, channel=b"BHN") for second in (0, 1)]
    mixed = [parts[0], other[0], *parts[1:5], other[1], *parts[5:]]
    with open_recording(write(tmp_path / "x.mseed", *mixed)) as recording:
        assert [(channel.name[-3:], channel.n_samples) for channel in recording.info.channels] == [
            ("BHN", 200),
            ("BHZ", 700),
        ]
        gaps = recording.info.timeline_of(1).gaps
        assert [(round(gap.start_s, 6), round(gap.stop_s, 6)) for gap in gaps] == [(3, 5), (7, 9), (10, 12)]
        assert not recording.info.timeline_of(0).gaps
        np.testing.assert_array_equal(recording.read(0, 700, [1])[0], values)
    overlapping = [*parts, record(values[:100], 11.5)]
    with open_recording(write(tmp_path / "y.mseed", *overlapping)) as recording:
        assert [channel.n_samples for channel in recording.info.channels] == [700, 100]


def test_the_index_of_a_long_file_takes_few_bytes_a_record(tmp_path: Path) -> None:
    n_records = 40_000
    table = np.tile(np.frombuffer(record(np.arange(10), n_bytes=128), np.uint8), (n_records, 1))
    seconds, parts = np.divmod(np.arange(n_records) * 1000, 10_000)
    table[:, 25], table[:, 26] = seconds // 60 % 60, seconds % 60
    table[:, 24] = 12 + seconds // 3600
    table[:, 28:30] = parts.astype(">u2").view(np.uint8).reshape(-1, 2)
    path = write(tmp_path / "x.mseed", table.tobytes())
    open_recording(path).close()
    tracemalloc.start()
    with open_recording(path) as recording:
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert recording.info.channels[0].n_samples == 10 * n_records
        assert not recording.info.gaps
        np.testing.assert_array_equal(recording.read(300_005, 300_015)[0], [5, 6, 7, 8, 9, 0, 1, 2, 3, 4])
    assert held < 40 * n_records


def in_a_row(n_records: int, channels: tuple[bytes, ...] = (b"BHZ",), start: float = 0.0) -> list[bytes]:
    """Return records of 50 samples of some channels in turn."""
    return [
        record(np.arange(50) + k, start + k // len(channels) * 0.5, channels[k % len(channels)])
        for k in range(n_records)
    ]


LATER: dict[str, list[bytes]] = {
    "nothing else": [],
    "a gap": in_a_row(20, start=200.0),
    "the same time again": in_a_row(20, start=4.25),
    "an earlier time": [record(np.arange(50), 0.0)],
    "channels that end sooner": in_a_row(21, (b"BHZ", b"BHN", b"BHE"), start=60.0),
    "a longer record": [record(np.arange(100), 100.0, n_bytes=1024), *in_a_row(4, start=101.0)],
    "a damaged header": [b"\xff" * 512, *in_a_row(3, start=60.0)],
    "a blockette that leads nowhere": [
        bytearray(record(np.arange(50), 60.0))[:50] + b"\0\7" + record(np.arange(50), 60.0)[52:],
        *in_a_row(3, start=61.0),
    ],
    "an encoding that is not known": [record(np.arange(50), 60.0, encoding=99)],
    "a record that is cut off": [record(np.arange(50), 60.0)[:300]],
    "a log record": [record(np.arange(5), 1.0, b"LOG", encoding=0, body=b"hello")],
}


@pytest.mark.parametrize("what", list(LATER))
def test_what_comes_later_is_the_same_where_the_first_part_was_shown(what: str, opened_in_parts, tmp_path) -> None:
    path = write(tmp_path / "x.mseed", *in_a_row(60, (b"BHZ", b"BHN"), 1.0), *map(bytes, LATER[what]))
    shown, whole = opened_in_parts(path)
    assert 0 < shown.channels[0].n_samples < whole.channels[0].n_samples
    told = {
        "a gap": bool(whole.gaps) or any(channel.gaps for channel in whole.channels),
        "the same time again": "overlap in time" in str(whole.warnings),
        "channels that end sooner": len(whole.channels) == 3,
        "a damaged header": "512 bytes that belong to no data record" in str(whole.warnings),
        "a blockette that leads nowhere": "damaged headers" in str(whole.warnings),
        "an encoding that is not known": "encoding 99" in str(whole.warnings),
        "a record that is cut off": "300 bytes of it are there" in str(whole.warnings),
        "a log record": [note.text for note in whole.annotations] == ["hello"],
    }
    assert told.get(what, True)


def test_a_first_part_reads_no_further_bytes(opened_in_parts, tmp_path, monkeypatch) -> None:
    furthest = [0]
    read = mseed.ByteFile.read

    def noted(self: Any, position: int, n_bytes: int) -> Any:
        furthest[0] = max(furthest[0], position + n_bytes)
        return read(self, position, n_bytes)

    monkeypatch.setattr(mseed.ByteFile, "read", noted)
    path = write(tmp_path / "x.mseed", *in_a_row(100))
    first = open_first_part(path)
    assert furthest[0] == 8 * 512
    assert first.recording.info.channels[0].n_samples == 8 * 50
    first.recording.close()
    assert first.indexing is not None
    first.indexing.close()


def test_a_first_part_without_samples_is_no_reason_to_give_up(opened_in_parts, tmp_path) -> None:
    notes = [record(np.arange(5), float(k), b"LOG", encoding=0, body=b"hello") for k in range(20)]
    first = open_first_part(write(tmp_path / "x.mseed", *notes, *in_a_row(20)))
    assert first.indexing is None
    assert (len(first.recording.info.annotations), first.recording.info.channels[0].n_samples) == (20, 1000)
    first.recording.close()
