"""WFDB: every layout written by naive encoders, segments and annotations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from jaxscope.errors import ReadError
from jaxscope.readers import open_recording
from jaxscope.readers.wfdb_decode import decode


def bits_of(values: np.ndarray, bits: int) -> list[int]:
    return [int(value) & ((1 << bits) - 1) for value in values]


def pack_212(values: np.ndarray) -> bytes:
    codes = [*bits_of(values, 12), *([0] if len(values) % 2 else [])]
    packs = [bytes([a & 255, a >> 8 | (b >> 8) << 4, b & 255]) for a, b in zip(codes[::2], codes[1::2], strict=True)]
    return b"".join(packs)[: -1 if len(values) % 2 else None]


def pack_310(values: np.ndarray) -> bytes:
    codes = [*bits_of(values, 10), *[0] * (-len(values) % 3)]
    words = zip(codes[::3], codes[1::3], codes[2::3], strict=True)
    return b"".join(
        (a << 1 | (c & 31) << 11).to_bytes(2, "little") + (b << 1 | c >> 5 << 11).to_bytes(2, "little")
        for a, b, c in words
    )


def pack_311(values: np.ndarray) -> bytes:
    codes = [*bits_of(values, 10), *[0] * (-len(values) % 3)]
    words = zip(codes[::3], codes[1::3], codes[2::3], strict=True)
    return b"".join((a | b << 10 | c << 20).to_bytes(4, "little") for a, b, c in words)


#: Format to what writes it, and the number of bits.
ENCODERS: dict[int, tuple[Callable[[np.ndarray], bytes], int]] = {
    16: (lambda values: values.astype("<i2").tobytes(), 16),
    24: (lambda values: b"".join(code.to_bytes(3, "little") for code in bits_of(values, 24)), 24),
    32: (lambda values: values.astype("<i4").tobytes(), 32),
    61: (lambda values: values.astype(">i2").tobytes(), 16),
    80: (lambda values: (values + 128).astype("<u1").tobytes(), 8),
    160: (lambda values: (values + 32768).astype("<u2").tobytes(), 16),
    212: (pack_212, 12),
    310: (pack_310, 10),
    311: (pack_311, 10),
}


def samples_of(bits: int, count: int) -> np.ndarray:
    half = 1 << (bits - 1)
    values = np.random.default_rng(bits).integers(-half + 1, half, count)
    values[[3, 4]] = half - 1, -half + 1
    return values


@pytest.mark.parametrize("form", sorted(ENCODERS))
def test_every_layout_is_decoded_from_any_sample_on(form: int, tmp_path: Path) -> None:
    encode, bits = ENCODERS[form]
    flat = samples_of(bits, 3 * 101)
    flat[30] = -(1 << (bits - 1))
    (tmp_path / "x.dat").write_bytes(b"skip" + encode(flat))
    signals = "".join(f"x.dat {form}+4 1(0)/mV {bits} 0 0 0 0 s{n}\n" for n in range(3))
    (tmp_path / "x.hea").write_text(f"x 3 100 101\n{signals}")
    whole = flat.reshape(101, 3).T.astype(float)
    whole[0, 10] = np.nan
    with open_recording(tmp_path / "x.hea") as recording:
        np.testing.assert_array_equal(recording.read(0, 101), whole)
        for start in range(0, 14):
            np.testing.assert_array_equal(recording.read(start, start + 7, [2, 0]), whole[[2, 0], start : start + 7])
        np.testing.assert_array_equal(recording.read(5, 9, [1, 1]), whole[[1, 1], 5:9])
        assert recording.info.warnings == ()


def test_differences_add_up_from_any_sample_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jaxscope.readers.wfdb_decode._STRIDE", 16)
    steps = np.random.default_rng(8).integers(-100, 100, (200, 3))
    (tmp_path / "x.dat").write_bytes(steps.astype("<i1").tobytes())
    lines = "x 2 100 200\nx.dat 8x2 1/mV 12 0 500 0 0 fast\nx.dat 8 1/mV 12 0 -7 0 0 slow\n"
    (tmp_path / "x.hea").write_text(lines)
    fast, slow = 500 + np.cumsum(steps[:, :2].reshape(-1)), -7 + np.cumsum(steps[:, 2])
    with open_recording(tmp_path / "x.hea") as recording:
        assert [channel.rate_hz for channel in recording.info.channels] == [200.0, 100.0]
        np.testing.assert_array_equal(recording.read(0, 400, [0])[0], fast)
        for start in (0, 15, 16, 17, 100, 193):
            np.testing.assert_array_equal(recording.read(start, start + 21, [1])[0], slow[start : start + 21])
            np.testing.assert_array_equal(recording.read(start, start + 21, [0])[0], fast[start : start + 21])


def test_flac_signals_are_decoded(tmp_path: Path) -> None:
    import soundfile

    values = np.random.default_rng(5).integers(-(2**15) + 1, 2**15, (600, 2)).astype(np.int16)
    soundfile.write(tmp_path / "x.flac", values, 96000, subtype="PCM_16")
    (tmp_path / "x.flac").rename(tmp_path / "x.dat")
    lines = "x 2 100 200\nx.dat 516x3 2/mV 16 0 0 0 0 a\nx.dat 516x3 2/mV 16 0 0 0 0 b\n"
    (tmp_path / "x.hea").write_text(lines)
    with open_recording(tmp_path / "x.hea") as recording:
        assert recording.info.channels[0].rate_hz == 300.0
        np.testing.assert_array_equal(recording.read(0, 600), values.T / 2)
        np.testing.assert_array_equal(recording.read(101, 304, [1]), values.T[[1], 101:304] / 2)


def test_a_skewed_signal_is_moved_and_its_end_is_missing(tmp_path: Path) -> None:
    stored = np.arange(60).reshape(20, 3)
    (tmp_path / "x.dat").write_bytes(stored.astype("<i2").tobytes())
    lines = "x 2 100 20\nx.dat 16x2:4 1/mV 16 0 0 0 0 early\nx.dat 16 1/mV 16 0 0 0 0 late\n"
    (tmp_path / "x.hea").write_text(lines)
    with open_recording(tmp_path / "x.hea") as recording:
        early = recording.read(0, 40, [0])[0]
        np.testing.assert_array_equal(early[:32], stored[:, :2].reshape(-1)[8:])
        assert np.isnan(early[32:]).all()
        np.testing.assert_array_equal(recording.read(30, 35, [0])[0], early[30:35])
        np.testing.assert_array_equal(recording.read(0, 20, [1])[0], stored[:, 2])


def test_what_a_header_leaves_out_has_a_meaning(tmp_path: Path) -> None:
    (tmp_path / "x.dat").write_bytes(np.arange(20, dtype="<i2").tobytes())
    (tmp_path / "x.hea").write_text("# note\n\nx 1\nx.dat 16\n")
    with open_recording(tmp_path / "x.hea") as recording:
        channel = recording.info.channels[0]
        assert (channel.name, channel.unit, channel.rate_hz, channel.n_samples) == ("Signal 1", "mV", 250.0, 20)
        assert recording.read(4, 5)[0, 0] == 4 / 200
        assert any("200 per mV is assumed" in warning for warning in recording.info.warnings)
    (tmp_path / "x.hea").write_text("x 1 100 0 1:02:03.5 24/12/2001\nx.dat 16 10(5)/uV 12 7 1 2 3 a name\n")
    with open_recording(tmp_path / "x.hea") as recording:
        assert recording.info.start == datetime(2001, 12, 24, 1, 2, 3, 500000)
        assert recording.info.channels[0].name == "a name"
        assert recording.read(4, 5)[0, 0] == (4 - 5) / 10


def test_codes_are_raw_and_unsigned(tmp_path: Path) -> None:
    (tmp_path / "x.dat").write_bytes(np.array([0, 7, -1, -32768], dtype="<i2").tobytes())
    (tmp_path / "x.hea").write_text("x 1 100 4\nx.dat 16 200(5)/mV 16 0 0 0 0 Status\n")
    with open_recording(tmp_path / "x.hea") as recording:
        channel = recording.info.channels[0]
        assert (channel.kind, channel.unit) == ("status", "")
        assert recording.read(0, 4)[0].tolist() == [0.0, 7.0, 65535.0, 32768.0]


@pytest.fixture
def segments(tmp_path: Path) -> Path:
    """Write a record of a layout, a stretch of nothing and two segments with different signals and gains."""
    (tmp_path / "m.hea").write_text("m/4 2 100 50 10:00:00 01/02/2003\nm_0 0\n~ 10\nm_1 20\nm_2 20\n")
    (tmp_path / "m_0.hea").write_text("m_0 2 100 0\n~ 0 1/mV 16 0 0 0 0 a\n~ 0 1/mV 16 0 0 0 0 b\n")
    for number, gain, names in ((1, 2, "b"), (2, 4, "ab")):
        signals = "".join(f"m_{number}.dat 16 {gain}/mV 16 0 0 0 0 {name}\n" for name in names)
        (tmp_path / f"m_{number}.hea").write_text(f"m_{number} {len(names)} 100 20\n{signals}")
        stored = np.arange(20 * len(names), dtype="<i2") + 100 * number
        (tmp_path / f"m_{number}.dat").write_bytes(stored.tobytes())
    return tmp_path / "m.hea"


def test_segments_follow_each_other_with_their_own_gains(segments: Path) -> None:
    a = np.full(50, np.nan)
    b = np.full(50, np.nan)
    b[10:30] = (np.arange(20) + 100) / 2
    a[30:], b[30:] = (np.arange(40) + 200).reshape(20, 2).T / 4
    with open_recording(segments) as recording:
        assert [channel.name for channel in recording.info.channels] == ["a", "b"]
        np.testing.assert_array_equal(recording.read(0, 50), np.stack([a, b]))
        np.testing.assert_array_equal(recording.read(8, 33, [1, 0]), np.stack([b, a])[:, 8:33])
        assert recording.info.warnings == ()


def test_a_missing_segment_is_told_and_its_time_is_kept(segments: Path) -> None:
    segments.with_name("m_1.dat").unlink()
    with open_recording(segments) as recording:
        block = recording.read(0, 50)
        assert np.isnan(block[1, :30]).all()
        assert np.isfinite(block[:, 30:]).all()
        assert any("m_1.dat" in warning and "missing" in warning for warning in recording.info.warnings)
    segments.with_name("m_2.hea").unlink()
    with pytest.raises(ReadError, match=r"m\.hea has no segment that can be read: m_1\.dat"):
        open_recording(segments)


def test_a_record_of_itself_ends(segments: Path) -> None:
    segments.write_text("m/2 2 100 50\nm 10\nm 10\n")
    with pytest.raises(ReadError, match="segments of its own"):
        open_recording(segments)


def test_a_layout_alone_is_refused(segments: Path) -> None:
    with pytest.raises(ReadError, match="holds no samples"):
        open_recording(segments.with_name("m_0.hea"))


def words(*pairs: tuple[int, int]) -> bytes:
    return b"".join((code << 10 | value).to_bytes(2, "little") for code, value in pairs)


def test_annotations_beside_the_header_are_shown(segments: Path) -> None:
    skip = words((59, 0)) + (1).to_bytes(2, "little") + (200).to_bytes(2, "little")
    body = words((1, 50), (28, 100), (63, 3)) + b"(N\0\0" + skip + words((5, 0), (61, 1), (62, 0), (0, 0))
    segments.with_suffix(".atr").write_bytes(body)
    with open_recording(segments) as recording:
        notes = [(note.onset_s, note.text) for note in recording.info.annotations]
    assert notes == [(0.5, "N"), (1.5, "+ (N"), (pytest.approx((150 + 65536 + 200) / 100), "V")]


def test_an_annotation_file_may_have_a_rate_of_its_own_and_be_cut(segments: Path) -> None:
    note = b"## time resolution: 1000"
    body = words((22, 0), (63, len(note))) + note + words((1, 500), (1, 500))
    segments.with_suffix(".atr").write_bytes(body)
    segments.with_suffix(".qrs").write_bytes(words((1, 10), (0, 0)))
    with open_recording(segments) as recording:
        notes = [(note.onset_s, note.text) for note in recording.info.annotations]
        assert any("m.atr ends too early: 2 annotations" in warning for warning in recording.info.warnings)
    assert notes == [(0.1, "qrs: N"), (0.5, "atr: N"), (1.0, "atr: N")]


def test_samples_without_a_suffix_of_their_own_name_their_header(tmp_path: Path) -> None:
    (tmp_path / "x.dat").write_bytes(bytes(40))
    with pytest.raises(ReadError, match=r"can't read \.dat files"):
        open_recording(tmp_path / "x.dat")
    (tmp_path / "x.hea").write_text("x 1 100 20\nx.dat 16 1/mV\n")
    with pytest.raises(ReadError, match=r"is in x\.hea") as caught:
        open_recording(tmp_path / "x.dat")
    assert caught.value.hint == "open x.hea"


def test_a_huge_file_of_annotations_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x.dat").write_bytes(bytes(40))
    (tmp_path / "x.hea").write_text("x 1 100 20\nx.dat 16 1/mV\n")
    with (tmp_path / "x.atr").open("wb") as file:
        file.truncate(1 << 40)  # nothing on disk, and more than any memory
    with open_recording(tmp_path / "x.hea") as recording:
        assert recording.info.annotations == ()
        assert any("x.atr is too large" in warning for warning in recording.info.warnings)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("x 3 100 20\nx.dat 16 1/mV\n", "promises 3 signals and describes 1"),
        ("x 1 0 20\nx.dat 16 1/mV\n", '"0" as sampling rate'),
        ("x 1 100 20\nx.dat 17 1/mV\n", "format 17"),
        ("x 1 100 20\nx.dat 16x0 1/mV\n", "0 samples per frame"),
        ("x 1 100 20\ny.dat 16 1/mV\n", r"y\.dat.* is not there"),
        ("x 2 100 20\nx.dat 16 1/mV\nx.dat 212 1/mV\n", "more than one format"),
        ("x/2 2 100 20\ny 10\n", "promises 2 segments"),
        ("hello world\n", "not a WFDB header"),
        (f"x 1 100 20\n{'long' * 100} 16 1/mV\n", "is not there"),
        (f"x 1 100 {'9' * 5000}\nx.dat 16 1/mV\n", "not a WFDB header"),
    ],
)
def test_what_makes_no_sense_is_refused(lines: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "x.dat").write_bytes(bytes(40))
    (tmp_path / "x.hea").write_text(lines)
    with pytest.raises(ReadError, match=found) as caught:
        open_recording(tmp_path / "x.hea")
    assert caught.value.hint


@pytest.mark.parametrize("form", sorted(ENCODERS))
def test_every_layout_gives_the_whole_range_of_its_integers(form: int) -> None:
    encode, bits = ENCODERS[form]
    half = 1 << (bits - 1)
    values = np.array(
        [-half, half - 1, -1, 0, 1, -half + 1, 37 % half, -38 % half - half, half // 3, -half // 3, 5, -6]
    )
    np.testing.assert_array_equal(decode(form, np.frombuffer(encode(values), np.uint8)), values)


def test_a_gain_that_makes_samples_infinite_is_none(tmp_path: Path) -> None:
    (tmp_path / "x.hea").write_text("x 1 100 3\nx.dat 16 1e-320/mV\n")
    (tmp_path / "x.dat").write_bytes(np.array([0, 200, -400], dtype="<i2").tobytes())
    with open_recording(tmp_path / "x.hea") as recording:
        assert any("200 per mV is assumed" in words for words in recording.info.warnings)
        np.testing.assert_array_equal(recording.read(0, 3)[0], [0.0, 1.0, -2.0])


def test_a_header_holds_no_samples_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "x.hea").write_text("x 1 100 3\nx.hea 8 200\n")
    with pytest.raises(ReadError, match=r"x\.hea, a header"):
        open_recording(tmp_path / "x.hea")


def test_signals_side_by_side_are_as_each_by_itself(tmp_path: Path) -> None:
    stored = np.random.default_rng(3).integers(-32000, 32000, (70, 5)).astype("<i2")
    stored[[3, 50], [0, 2]] = -(1 << 15)
    (tmp_path / "x.dat").write_bytes(stored.tobytes())
    given = [(200, 0), (1, 7), (3.5, -100), (1, 0), (10, 5)]
    lines = [f"x.dat 16 {gain}({baseline})/uV 16 0 0 0 0 E{place}" for place, (gain, baseline) in enumerate(given)]
    (tmp_path / "x.hea").write_text("\n".join(["x 5 100 70", *lines]) + "\n")
    expected = np.array(
        [(stored[:, place].astype(float) - baseline) / gain for place, (gain, baseline) in enumerate(given)]
    )
    expected[[0, 2], [3, 50]] = np.nan
    with open_recording(tmp_path / "x.hea") as recording:
        for chosen in ([0, 1, 2, 3, 4], [1, 2, 3], [4, 2, 0], [2], [2, 3, 2], [0, 1, 3, 4]):
            np.testing.assert_array_equal(recording.read(1, 69, chosen), expected[chosen][:, 1:69])
