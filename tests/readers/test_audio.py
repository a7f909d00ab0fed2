"""Audio files: values, lengths that headers tell wrong, seeking, and what is refused."""

from __future__ import annotations

import json
import struct
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from jaxscope.errors import ReadError
from jaxscope.readers.audio import FORMAT, AudioRecording
from jaxscope.readers.base import OpenOptions
from jaxscope.readers.flac_frames import PatchedFile, find_end, read_stream_info
from jaxscope.readers.wav_table import find_table

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def expected(kinds: tuple[str, ...], *, is_refused: bool) -> list[str]:
    if not SHARED.is_dir():
        return []
    table = json.loads((SHARED / "expected.json").read_text())
    return [
        name
        for name, entry in table.items()
        if name.startswith(kinds) and name.endswith((".wav", ".flac")) and ("refused" in entry) is is_refused
    ]


#: Where the index says more than the reference reader, which believed the header.
LONGER = {"flac_broken/05_-_wrong_total_number_of_samples.flac"}
#: What the reference reader refused and what can be read all the same: how many samples there are.
READABLE = {
    "flac/45_-_no_total_number_of_samples_set.flac": 336410,
    "flac/claxon_non_subset.flac": 4096,
    "flac_broken/04_-_changing_bitdepth.flac": 495232,
}


@pytest.fixture(scope="session")
def table(shared_data: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((shared_data / "expected.json").read_text())
    return loaded


@pytest.mark.shared
@pytest.mark.parametrize("name", sorted(set(expected(("wav", "flac", "derived"), is_refused=False)) - LONGER))
def test_agrees_with_the_reference_reader(name: str, shared_data: Path, table: dict[str, Any]) -> None:
    recording = AudioRecording(shared_data / name)
    reference = table[name]
    channels = recording.info.channels
    assert [channel.name for channel in channels] == [channel["name"] for channel in reference["channels"]]
    assert {channel.rate_hz for channel in channels} == set(reference["rates"])
    assert recording.info.duration_s == pytest.approx(reference["duration_s"], rel=1e-6)
    samples = recording.read(0, channels[0].n_samples)
    for channel, row, wanted in zip(channels, samples, reference["channels"], strict=True):
        assert (channel.kind, channel.unit, channel.n_samples) == ("audio", "", wanted["n"])
        np.testing.assert_allclose(row[:4], wanted["first"], rtol=1e-6, atol=1e-12)
        found = [row[-1], row.min(), row.max(), row.mean()]
        np.testing.assert_allclose(found, [wanted[key] for key in ("last", "min", "max", "mean")], rtol=1e-6, atol=1e-9)


@pytest.mark.shared
@pytest.mark.parametrize("name", expected(("wav", "flac", "derived"), is_refused=True))
def test_broken_files_are_refused_in_a_sentence_or_read_whole(name: str, shared_data: Path) -> None:
    if name in READABLE:
        recording = AudioRecording(shared_data / name)
        assert recording.read(0, 10**9).shape[1] == READABLE[name] == recording.info.channels[0].n_samples
        return
    with pytest.raises(ReadError) as caught:
        AudioRecording(shared_data / name)
    assert (shared_data / name).name in caught.value.message
    assert caught.value.hint
    assert not caught.value.message.endswith(".")


@pytest.mark.shared
def test_c093_flac_with_a_wrong_length_is_read_to_its_end(shared_data: Path) -> None:
    recording = AudioRecording(shared_data / "flac_broken/05_-_wrong_total_number_of_samples.flac")
    assert recording.read(0, 10**9).shape == (1, 109487)
    (warning,) = recording.info.warnings
    assert "39,842" in warning
    assert "109,487" in warning


@pytest.mark.shared
def test_c090_wav_of_24_bit_has_full_scale_1(shared_data: Path) -> None:
    recording = AudioRecording(shared_data / "wav/scipy_test-8000Hz-le-3ch-5S-24bit.wav")
    np.testing.assert_allclose(recording.read(0, 5, [0])[0], [-1, -0.5, 0, 0.5, 0.9999999], atol=1e-7)


@pytest.mark.shared
def test_c092_unknown_chunks_say_nothing(shared_data: Path) -> None:
    assert AudioRecording(shared_data / "wav/hound_nonstandard-01.wav").info.warnings == ()


@pytest.mark.shared
def test_a_wav_that_ends_early_says_so(shared_data: Path) -> None:
    recording = AudioRecording(shared_data / "wav_broken/scipy_test-44100Hz-le-1ch-4bytes-early-eof.wav")
    assert any("ends early" in warning for warning in recording.info.warnings)


@pytest.mark.shared
def test_a_flac_that_changes_its_channels_is_refused(shared_data: Path) -> None:
    with pytest.raises(ReadError, match="from 1 to 6"):
        AudioRecording(shared_data / "flac_broken/02_-_increasing_number_of_channels.flac")


def noise(n_channels: int, n_samples: int) -> np.ndarray:
    return np.random.default_rng(3).uniform(-0.9, 0.9, (n_channels, n_samples))


@pytest.fixture(params=["FLAC", "WAV", "OGG", "AIFF"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"a.{request.param.lower()}"
    soundfile.write(path, noise(3, 30_011).T, 8000, format=request.param)
    return path


def test_spans_equal_slices_of_the_whole(made: Path) -> None:
    recording = AudioRecording(made)
    whole = recording.read(0, recording.info.channels[0].n_samples)
    assert whole.shape == (3, 30_011)
    rng = np.random.default_rng(1)
    for _ in range(40):
        start, stop = sorted(rng.integers(0, 30_012, 2).tolist())
        np.testing.assert_array_equal(recording.read(start, stop, [2, 0]), whole[[2, 0], start:stop])
    assert recording.read(30_000, 40_000).shape == (3, 11)
    assert recording.read(30_011, 40_000).shape == (3, 0)


def test_several_threads_read_the_same(made: Path) -> None:
    recording = AudioRecording(made)
    whole = recording.read(0, 30_011)
    wrong: list[int] = []

    def look(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(20):
            start = int(rng.integers(0, 29_000))
            if not np.array_equal(recording.read(start, start + 500), whole[:, start : start + 500]):
                wrong.append(start)

    threads = [threading.Thread(target=look, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_reading_falls_back_to_decoding_where_seeking_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from jaxscope.readers import sound_file

    path = tmp_path / "a.flac"
    soundfile.write(path, noise(1, 200_000).T, 8000)
    recording = AudioRecording(path)
    whole = recording.read(0, 200_000)

    def refuse(self: Any, frames: int, whence: int = 0) -> int:
        raise soundfile.LibsndfileError(39)

    monkeypatch.setattr(sound_file.PlainSoundFile, "seek", refuse)
    np.testing.assert_array_equal(recording.read(150_000, 150_100), whole[:, 150_000:150_100])
    np.testing.assert_array_equal(recording.read(10, 20), whole[:, 10:20])


@pytest.mark.parametrize("total", [0, 7, 10**6])
def test_any_length_in_the_header_gives_what_is_there(total: int, tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    soundfile.write(path, noise(2, 20_000).T, 8000)
    data = bytearray(path.read_bytes())
    with path.open("rb") as file:
        stream = read_stream_info(file)
    assert stream is not None
    assert stream.n_samples == 20_000
    word = int.from_bytes(data[stream.offset + 10 : stream.offset + 18], "big")
    data[stream.offset + 10 : stream.offset + 18] = (word >> 36 << 36 | total).to_bytes(8, "big")
    path.write_bytes(data)
    recording = AudioRecording(path)
    assert recording.info.channels[0].n_samples == 20_000
    np.testing.assert_allclose(recording.read(0, 20_000), noise(2, 20_000), atol=2**-15)
    assert bool(recording.info.warnings) is (total != 0)


def test_a_flac_cut_off_inside_a_frame_keeps_the_whole_frames(tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    soundfile.write(path, noise(1, 40_000).T, 8000)
    path.write_bytes(path.read_bytes()[:-3000])
    recording = AudioRecording(path)
    n_samples = recording.info.channels[0].n_samples
    assert 0 < n_samples < 40_000
    assert n_samples % 4096 == 0
    np.testing.assert_allclose(recording.read(0, 50_000), noise(1, 40_000)[:, :n_samples], atol=2**-15)
    assert any("hold no whole frame" in warning for warning in recording.info.warnings)
    assert any("ends early" in warning for warning in recording.info.warnings)


def test_the_end_of_a_flac_ignores_an_id3_tag_after_it(tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    soundfile.write(path, noise(1, 10_000).T, 8000)
    path.write_bytes(path.read_bytes() + b"TAG".ljust(128, b" "))
    with path.open("rb") as file:
        stream = read_stream_info(file)
    assert stream is not None
    end = find_end(path, stream)
    assert end is not None
    assert (end.n_samples, end.n_bytes_after) == (10_000, 0)


def test_patched_file_changes_the_length_and_nothing_else(tmp_path: Path) -> None:
    from dataclasses import replace

    path = tmp_path / "a.flac"
    soundfile.write(path, noise(1, 10_000).T, 8000)
    with path.open("rb") as file:
        stream = read_stream_info(file)
    assert stream is not None
    patched = PatchedFile(path, *replace(stream, n_samples=77).patch())
    whole = patched.read()
    patched.seek(0)
    assert b"".join(iter(lambda: patched.read(5), b"")) == whole
    patched.close()
    plain = path.read_bytes()
    changed = [index for index in range(len(plain)) if plain[index] != whole[index]]
    assert changed
    assert {index - stream.offset for index in changed} <= set(range(13, 18))


def test_float_wav_is_not_clipped(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, np.array([[2.0], [-16411.0], [0.5]]), 100, subtype="FLOAT")
    np.testing.assert_array_equal(AudioRecording(path).read(0, 3)[0], [2.0, -16411.0, 0.5])


def test_the_rate_of_the_file_wins_over_a_given_one_and_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, noise(1, 100).T, 50)
    info = FORMAT.open(path, OpenOptions(rate_hz=100.0)).info
    assert info.channels[0].rate_hz == 50.0
    assert info.duration_s == 2.0
    assert info.warnings == ("The file's own rate, 50 Hz, is used and not 100 Hz, as given",)
    assert FORMAT.open(path, OpenOptions(rate_hz=50.0)).info.warnings == ()


def wav_bytes(
    data: bytes, *, chunks: bytes = b"", size: int | None = None, n_channels: int = 1, rate: int = 8000
) -> bytes:
    """Write a WAV file of 16 bit after the specification, the size of its samples as told."""
    fmt = struct.pack("<IHHIIHH", 16, 1, n_channels, rate, 2 * rate * n_channels, 2 * n_channels, 16)
    body = b"WAVE" + chunks + b"fmt " + fmt + b"data" + struct.pack("<I", len(data) if size is None else size) + data
    return b"RIFF" + struct.pack("<I", 0 if size == 0 else len(body)) + body


SOUND = (np.arange(40) * 100).astype("<i2")


def test_other_parts_are_passed_over_with_their_padding(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav_bytes(SOUND.tobytes(), chunks=b"LIST" + struct.pack("<I", 5) + b"INFOx\0"))
    recording = FORMAT.open(path, OpenOptions())
    np.testing.assert_array_equal(recording.read(0, 40)[0], SOUND / 32768)
    assert recording.info.warnings == ()


def test_a_file_that_was_never_closed_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav_bytes(SOUND.tobytes(), size=0))
    recording = FORMAT.open(path, OpenOptions())
    np.testing.assert_array_equal(recording.read(0, 99)[0], SOUND / 32768)
    assert recording.info.warnings == (
        "a.wav was not closed: its header tells of no samples, 80 bytes are there, read",
    )
    path.write_bytes(wav_bytes(b"LIST" + struct.pack("<I", 4) + b"INFO", size=0))
    assert FORMAT.open(path, OpenOptions()).info.warnings == ("a.wav holds no samples",)


def test_a_last_sample_that_some_channels_lack_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav_bytes(SOUND[:39].tobytes(), n_channels=2))
    info = FORMAT.open(path, OpenOptions()).info
    assert [channel.n_samples for channel in info.channels] == [19, 19]
    assert info.warnings == ("The last 2 bytes of samples in a.wav are no whole sample and are not read",)


@pytest.mark.parametrize(("block", "is_told"), [(8, True), (6, False)])
def test_24_bits_in_4_bytes_are_told(block: int, *, is_told: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    fmt = struct.pack("<IHHIIHH", 16, 1, 2, 8000, 8000 * block, block, 24)
    body = b"WAVEfmt " + fmt + b"data" + struct.pack("<I", 10 * block) + bytes(10 * block)
    path.write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    assert ["24-bit" in words for words in FORMAT.open(path, OpenOptions()).info.warnings] == [True] * is_told


def test_a_rate_of_0_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav_bytes(SOUND.tobytes(), rate=0))
    with pytest.raises(ReadError, match="rate of 0 Hz"):
        FORMAT.open(path, OpenOptions())


def test_sniffing_knows_its_own() -> None:
    assert FORMAT.sniff(b"RIFF\0\0\0\0WAVEfmt ")
    assert FORMAT.sniff(b"fLaC\0")
    assert not FORMAT.sniff(b"RIFF\0\0\0\0AVI ")
    assert not FORMAT.sniff(b"0       X")


def test_wav_without_data_names_the_lack(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(
        b"RIFF" + struct.pack("<I", 28) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16)
    )
    with pytest.raises(ReadError, match="holds no samples"):
        AudioRecording(path)


def test_what_only_looks_like_mpeg_is_refused_without_noise(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"\xff\xff\x00\xb4" * 500)
    with pytest.raises(ReadError, match="not an audio file"):
        FORMAT.open(path, OpenOptions())
    assert capfd.readouterr() == ("", "")


def test_wave64_is_known(tmp_path: Path) -> None:
    path = tmp_path / "a.w64"
    soundfile.write(path, noise(2, 100).T, 8000, format="W64", subtype="DOUBLE")
    np.testing.assert_array_equal(FORMAT.open(path, OpenOptions()).read(0, 100), noise(2, 100))


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"])
def test_plain_samples_are_read_where_they_lie_as_the_decoder_reads_them(tmp_path: Path, subtype: str) -> None:
    samples = np.random.default_rng(1).uniform(-1, 1, (3001, 3))
    samples[:2] = [[-1.0, 0.999, 0.0], [1.0, -1.0, -0.5]]
    soundfile.write(tmp_path / "x.wav", samples, 8000, subtype=subtype)
    expected = soundfile.read(tmp_path / "x.wav", dtype="float64")[0].T
    with AudioRecording(tmp_path / "x.wav") as recording:
        np.testing.assert_array_equal(recording.read(0, 3001), expected)
        np.testing.assert_array_equal(recording.read(17, 2950, [2, 0]), expected[[2, 0], 17:2950])
        assert find_table(tmp_path / "x.wav", "WAV", subtype, 3, 3001) is not None
