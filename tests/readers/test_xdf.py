"""XDF: small files made here chunk by chunk, and the real ones against the reference reader."""

from __future__ import annotations

import json
import struct
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
FILES = {name: entry for name, entry in EXPECTED.items() if name.endswith(".xdf")}
BOUNDARY = bytes.fromhex("43a546dccbf5410fb30ed5467383cbe4")
FORMATS = {"float32": "<f4", "double64": "<f8", "int16": "<i2", "int32": "<i4", "int8": "<i1", "int64": "<i8"}


def chunk(tag: int, content: bytes) -> bytes:
    return b"\x04" + struct.pack("<IH", len(content) + 2, tag) + content


def header(number: int, name: str, rate: float, n_channels: int = 1, kind: str = "float32", **words: str) -> bytes:
    channels = "".join(
        f"<channel><label>{label}</label><unit>{words.get('unit', '')}</unit></channel>"
        for label in words.get("labels", "").split()
    )
    text = (
        f"<info><name>{name}</name><type>{words.get('type', 'EEG')}</type><channel_count>{n_channels}</channel_count>"
    )
    text += f"<nominal_srate>{rate}</nominal_srate><channel_format>{kind}</channel_format>"
    text += f"<desc><channels>{channels}</channels></desc></info>"
    return chunk(2, struct.pack("<I", number) + b'<?xml version="1.0"?>' + text.encode())


def samples(number: int, values: np.ndarray, stamps: list[float | None], kind: str = "float32") -> bytes:
    body = struct.pack("<I", number) + b"\x04" + struct.pack("<I", len(stamps))
    for row, stamp in zip(values, stamps, strict=True):
        body += b"\0" if stamp is None else b"\x08" + struct.pack("<d", stamp)
        body += np.asarray(row).astype(FORMATS[kind]).tobytes()
    return chunk(3, body)


def texts(number: int, words: list[str], stamps: list[float]) -> bytes:
    body = struct.pack("<I", number) + b"\x01" + bytes([len(words)])
    for word, stamp in zip(words, stamps, strict=True):
        body += b"\x08" + struct.pack("<d", stamp) + b"\x01" + bytes([len(word.encode())]) + word.encode()
    return chunk(3, body)


def offset(number: int, time: float, value: float) -> bytes:
    return chunk(4, struct.pack("<Idd", number, time, value))


def write(path: Path, *chunks: bytes) -> Path:
    path.write_bytes(b"XDF:" + chunk(1, b"<info><version>1.0</version></info>") + b"".join(chunks))
    return path


def stamps_of(n_samples: int, rate: float, start: float = 100.0) -> list[float | None]:
    return [start + k / rate for k in range(n_samples)]


VALUES = np.arange(600).reshape(300, 2) * 0.5


@pytest.mark.parametrize("kind", list(FORMATS))
@pytest.mark.parametrize("stamped", ["all", "first", "some", "none"])
def test_every_type_and_way_of_stamping_gives_the_same_samples(kind: str, stamped: str, tmp_path: Path) -> None:
    values = np.arange(100).reshape(50, 2)
    full = stamps_of(50, 100)
    chosen: dict[str, list[float | None]] = {
        "all": full,
        "first": [stamp if k % 25 == 0 else None for k, stamp in enumerate(full)],
        "some": [stamp if k % 7 == 0 else None for k, stamp in enumerate(full)],
        "none": [stamp if k == 0 else None for k, stamp in enumerate(full)],
    }
    stamps = chosen[stamped]
    parts = [samples(1, values[k : k + 25], stamps[k : k + 25], kind) for k in (0, 25)]
    with open_recording(write(tmp_path / "x.xdf", header(1, "amp", 100, 2, kind), *parts)) as recording:
        assert [channel.name for channel in recording.info.channels] == ["amp 1", "amp 2"]
        assert recording.info.channels[0].rate_hz == pytest.approx(100, rel=1e-9)
        np.testing.assert_array_equal(recording.read(0, 50), values.T)
        np.testing.assert_array_equal(recording.read(20, 31, [1]), values[20:31, 1:].T)


def test_streams_keep_their_rate_their_length_and_their_start(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.xdf",
        header(1, "EEG amplifier", 100, 2, labels="Fp1 Fp2", unit="microvolts"),
        header(7, "mic", 480, 1, "int16", type="Audio"),
        header(9, "keys", 0, 1, "string", type="Markers"),
        samples(1, VALUES, stamps_of(300, 100)),
        samples(7, np.arange(960)[:, np.newaxis], stamps_of(960, 480, 100.25), "int16"),
        texts(9, ["start", "größer"], [99.5, 101.25]),
    )
    with open_recording(path) as recording:
        info = recording.info
        rows = [(c.name, c.unit, c.kind, round(c.rate_hz or 0, 6), c.n_samples) for c in info.channels]
        assert rows == [("Fp1", "uV", "eeg", 100, 300), ("Fp2", "uV", "eeg", 100, 300), ("mic", "", "audio", 480, 960)]
        notes = [(round(note.onset_s, 6), note.text) for note in info.annotations]
        assert notes == [(-0.5, "start"), (1.25, "größer")]
        assert info.timeline_of(2).second_of(0, 480) == pytest.approx(0.25)
        assert info.timeline_of(0).second_of(0, 100) == 0
        assert any("mic (stream 7) begins 0.25 s after" in words for words in info.warnings)
        assert info.duration_s == pytest.approx(3.0)
        np.testing.assert_array_equal(recording.read(0, 300, [1, 0]), VALUES.T[::-1])
        np.testing.assert_array_equal(recording.read(900, 960, [2])[0], np.arange(900, 960))


def test_c081_streams_of_one_name_are_told_apart_by_number(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.xdf",
        *(header(number, "amp", 100, 2) for number in (3, 5)),
        *(samples(number, VALUES + number, stamps_of(300, 100)) for number in (3, 5)),
    )
    with open_recording(path) as recording:
        assert [channel.name for channel in recording.info.channels] == [
            "amp (3) 1",
            "amp (3) 2",
            "amp (5) 1",
            "amp (5) 2",
        ]
        assert recording.read(0, 1, [2])[0, 0] == 5


def test_clock_offsets_bring_streams_together(tmp_path: Path) -> None:
    offsets = [offset(2, 1000 + 5.0 * k, -900 + 0.001 * 5 * k) for k in range(5)]
    offsets[2] = offset(2, 1010, -899.5)  # one bad measurement moves nothing
    path = write(
        tmp_path / "x.xdf",
        header(1, "a", 100, 2),
        header(2, "b", 100, 2),
        samples(1, VALUES, stamps_of(300, 100)),
        samples(2, VALUES, stamps_of(300, 100, 1000.0)),
        *(offset(1, 100.0 + 5 * k, 0.0) for k in range(3)),
        *offsets,
    )
    with open_recording(path) as recording:
        info = recording.info
        assert info.channels[2].rate_hz == pytest.approx(100 / 1.001, rel=1e-6)
        assert info.timeline_of(2).second_of(0, 100) == pytest.approx(0.0, abs=2e-4)


def test_clock_offsets_of_any_size_are_no_bug(tmp_path: Path) -> None:
    pairs = [(0.0, float("nan")), (1.0, 1e308), (2.0, -1e308), (float("inf"), 0.0), (-1.7e308, 1.0), (1.7e308, 1.0)]
    path = write(
        tmp_path / "x.xdf",
        header(1, "a", 100, 2),
        *(offset(1, time, value) for time, value in pairs),
        samples(1, VALUES, stamps_of(300, 100)),
    )
    with open_recording(path) as recording:
        assert recording.info.channels[0].n_samples == 300
        np.testing.assert_array_equal(recording.read(0, 300), VALUES.T)


def test_a_pause_is_a_gap_of_its_stream_alone(tmp_path: Path) -> None:
    stamps = stamps_of(300, 100)
    late = [stamp if k < 150 else stamp + 5.0 for k, stamp in enumerate(stamps) if stamp is not None]
    path = write(
        tmp_path / "x.xdf",
        header(1, "a", 100, 2),
        header(2, "b", 100, 2),
        samples(1, VALUES, list(late)),
        samples(2, VALUES, stamps),
    )
    with open_recording(path) as recording:
        info = recording.info
        assert info.gaps == ()
        assert [round(info.timeline_of(k).second_of(150, 100), 6) for k in (0, 2)] == [6.5, 1.5]
        assert any("a (stream 1) has 1 gap of its own" in words for words in info.warnings)


def test_c080_sparse_streams_keep_their_stamps(tmp_path: Path) -> None:
    times = np.cumsum(np.random.default_rng(0).uniform(0.5, 3.0, 396)) + 100
    path = write(
        tmp_path / "x.xdf",
        header(1, "amp", 100, 2),
        header(2, "triggers", 10000, 1, "int16", type="Markers"),
        samples(1, VALUES, stamps_of(300, 100)),
        samples(2, np.arange(396)[:, np.newaxis], times.tolist(), "int16"),
    )
    with open_recording(path) as recording:
        assert len(recording.info.channels) == 2
        notes = recording.info.annotations
        np.testing.assert_allclose([note.onset_s for note in notes], times - 100, atol=1e-6)
        assert [note.text for note in notes] == [str(k) for k in range(396)]


def test_c085_sound_beside_eeg(tmp_path: Path) -> None:
    sound = np.random.default_rng(0).integers(-9000, 9000, (48000, 1))
    parts = [samples(2, sound[k : k + 4800], [100 + k / 48000, *[None] * 4799], "int16") for k in range(0, 48000, 4800)]
    path = write(
        tmp_path / "x.xdf",
        header(1, "amp", 100, 2),
        header(2, "mic", 48000, 1, "int16", type="Audio"),
        samples(1, VALUES, stamps_of(300, 100)),
        *parts,
    )
    with open_recording(path) as recording:
        assert recording.info.channels[2].kind == "audio"
        assert recording.info.channels[2].rate_hz == pytest.approx(48000, rel=1e-6)
        np.testing.assert_array_equal(recording.read(4000, 45000, [2])[0], sound[4000:45000, 0])


def test_signals_without_a_rate_are_shown_at_their_mean_rate_and_say_so(tmp_path: Path) -> None:
    times = np.sort(np.random.default_rng(0).uniform(0, 10, 301)) + 100
    values = np.random.default_rng(1).standard_normal((301, 2))
    path = write(tmp_path / "x.xdf", header(1, "gaze", 0, 2, type="Gaze"), samples(1, values, times.tolist()))
    with open_recording(path) as recording:
        assert recording.info.channels[0].rate_hz == pytest.approx(300 / np.ptp(times))
        assert "has no even rate" in recording.info.warnings[0]


def test_a_stream_whose_stamps_stand_still_takes_the_rate_that_is_given(tmp_path: Path) -> None:
    values = np.arange(3.0)[:, None]
    path = write(tmp_path / "x.xdf", header(1, "still", 0.0), samples(1, values, [100.0, 100.0, 100.0]))
    with open_recording(path) as recording:
        assert recording.info.channels[0].rate_hz is None
        assert "rate of still (stream 1) is not known: give one" in recording.info.warnings[-1]
    with open_recording(path, rate_hz=10.0) as recording:
        assert recording.info.channels[0].rate_hz == 10.0
        assert recording.info.duration_s == pytest.approx(0.3)
        assert recording.info.warnings == ()


def test_damage_is_stepped_over_up_to_the_next_mark(tmp_path: Path) -> None:
    good = [samples(1, VALUES[k : k + 100], stamps_of(300, 100)[k : k + 100]) for k in (0, 100, 200)]
    mark = chunk(5, BOUNDARY)
    broken = bytearray(good[1])
    broken[16] ^= 0x55  # the sign before the first stamp
    path = write(tmp_path / "x.xdf", header(1, "amp", 100, 2), good[0], mark, bytes(broken), mark, good[2])
    with open_recording(path) as recording:
        assert recording.info.channels[0].n_samples == 200
        assert "One place in the file is damaged" in recording.info.warnings[0]
        np.testing.assert_array_equal(recording.read(100, 200), VALUES[200:].T)


@pytest.mark.parametrize(
    "text", [b"<!DOCTYPE x [<!ENTITY a 'aaaa'>]><info>&a;</info>", b"<info><channel_count>-3</channel_count></info>"]
)
def test_headers_that_mean_harm_are_refused(text: bytes, tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="holds no stream"):
        open_recording(write(tmp_path / "x.xdf", chunk(2, struct.pack("<I", 1) + text)))


def test_lengths_past_the_end_cost_no_memory(tmp_path: Path) -> None:
    lie = b"\x08" + struct.pack("<QH", 1 << 40, 3) + struct.pack("<I", 1)
    path = write(tmp_path / "x.xdf", header(1, "amp", 100, 2), samples(1, VALUES, stamps_of(300, 100)), lie)
    with open_recording(path) as recording:
        assert recording.info.channels[0].n_samples == 300
        assert "stops inside a chunk" in recording.info.warnings[0]


@pytest.mark.shared
@pytest.mark.parametrize("name", FILES)
def test_every_real_file_agrees_with_the_reference_reader(name: str, shared_data: Path) -> None:
    with open_recording(shared_data / name) as recording:
        found = summarise(recording)
        info = recording.info
    streams = FILES[name]["streams"]
    signals = [stream for stream in streams if stream["n"] and stream["format"] != "string"]
    assert len(info.channels) == sum(stream["n_channels"] for stream in signals)
    assert len(info.annotations) == sum(stream["n"] for stream in streams if stream["format"] == "string")
    index = 0
    for stream in signals:
        channel, expected = found["channels"][index], stream["ch0"]
        assert channel["rate_hz"] == pytest.approx(stream["effective_srate"], rel=1e-9)
        assert (channel["n_samples"], channel["n_nan"]) == (stream["n"], 0)
        np.testing.assert_allclose(channel["first"], expected["first"], rtol=1e-6)
        for key in ("min", "max", "mean"):
            np.testing.assert_allclose(channel[key], expected[key], rtol=1e-6, err_msg=key)
        segments = info.timeline_of(index).segments(channel["rate_hz"], stream["n"])
        assert [[part.first_sample, part.stop_sample - 1] for part in segments] == stream["segments"]
        lasted = stream["t_last"] - stream["t_first"] + 1 / stream["effective_srate"]
        assert found["duration_s"] == pytest.approx(lasted, rel=1e-4)
        index += stream["n_channels"]
    for stream in streams:
        if not stream["n"]:
            assert any(stream["name"] in words and "has no samples" in words for words in info.warnings)


@pytest.mark.shared
def test_markers_keep_their_place_across_a_clock_reset(shared_data: Path) -> None:
    markers, amplifier = FILES["xdf/clock_resets.xdf"]["streams"]
    with open_recording(shared_data / "xdf" / "clock_resets.xdf") as recording:
        onsets = [note.onset_s for note in recording.info.annotations]
        assert any("claims 100 Hz; its stamps show 92.9344 Hz" in words for words in recording.info.warnings)
        assert any("was reset once" in words for words in recording.info.warnings)
    assert onsets[0] == pytest.approx(markers["t_first"] - amplifier["t_first"], abs=1e-4)
    assert onsets[-1] == pytest.approx(markers["t_last"] - amplifier["t_first"], abs=1e-4)


@pytest.mark.shared
def test_c082_what_lies_before_the_cut_is_recovered(shared_data: Path) -> None:
    with open_recording(shared_data / "derived" / "xdf_truncated_60pct.xdf") as recording:
        assert recording.info.channels[0].n_samples == 5520
        assert any("stops inside a chunk" in words for words in recording.info.warnings)


def test_chunks_of_many_lengths_between_those_of_others_are_put_together(tmp_path: Path) -> None:
    generator = np.random.default_rng(6)
    values = generator.standard_normal((2000, 3)).astype("<f4")
    chunks, at = [header(1, "amp", 100.0, 3), header(2, "other", 100.0)], 0
    stamps = stamps_of(2000, 100.0)
    while at < 2000:
        count = int(generator.choice([1, 10, 10, 10, 10, 37]))
        part = slice(at, min(at + count, 2000))
        chunks.append(samples(1, values[part], stamps[part]))
        if generator.random() < 0.2:
            chunks.append(samples(2, values[part, :1], stamps[part]))
        at += count
    with open_recording(write(tmp_path / "x.xdf", *chunks)) as recording:
        whole = recording.read(0, 2000, [0, 1, 2])
        np.testing.assert_array_equal(whole, values.T)
        for chosen in ([1], [0, 2], [2, 1], [1, 2]):
            start, stop = sorted(generator.integers(0, 2000, 2).tolist())
            np.testing.assert_array_equal(recording.read(start, stop, chosen), whole[chosen, start:stop])


@pytest.mark.parametrize("later", ["nothing", "a stream", "a pause", "a clock reset", "damage", "a cut"])
def test_what_comes_later_is_the_same_where_the_first_part_was_shown(later: str, opened_in_parts, tmp_path) -> None:
    def parts(start: float) -> list[bytes]:
        found = []
        for k in range(0, 1000, 50):
            found.append(samples(1, np.arange(100).reshape(50, 2) + k, stamps_of(50, 100, start + k / 100)))
            found.append(offset(1, start + k / 100, 0.25))
            if k % 200 == 0:
                found.append(texts(3, [f"m{k}"], [start + k / 100]))
                found.append(chunk(5, BOUNDARY))
        return found

    body = [header(1, "amp", 100, 2), header(3, "mark", 0, 1, "string", type="Markers"), *parts(100.0)]
    body += {
        "nothing": [],
        "a stream": [header(2, "late", 50), samples(2, np.arange(100)[:, None], stamps_of(100, 50, 105.0))],
        "a pause": parts(150.0),
        "a clock reset": [*parts(5.0), *(offset(1, 15.0 + k, 95.25) for k in range(20))],
        "damage": [b"\xff" * 100, chunk(5, BOUNDARY), *parts(110.0)],
        "a cut": [samples(1, np.zeros((50, 2)), stamps_of(50, 100, 110.0))[:200]],
    }[later]
    shown, whole = opened_in_parts(write(tmp_path / "x.xdf", *body))
    assert 0 < shown.channels[0].n_samples < whole.channels[0].n_samples
    assert 0 < len(shown.annotations) < len(whole.annotations)
    assert {
        "nothing": "no clock offsets" in whole.warnings[0] and len(whole.warnings) == 1,
        "a stream": len(whole.channels) == 3,
        "a pause": len(whole.gaps) == 1,
        "a clock reset": "was reset once" in str(whole.warnings),
        "damage": "One place in the file is damaged" in str(whole.warnings),
        "a cut": "stops inside a chunk" in str(whole.warnings),
    }[later], whole
