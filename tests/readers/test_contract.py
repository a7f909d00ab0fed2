"""What every format keeps, over the table of readers: a new format joins with one line in ``EXAMPLES``."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxscope.compute.summary import groups_of_equal_length, summarise
from jaxscope.data.recording import CHANNEL_KINDS, Recording
from jaxscope.errors import JaxscopeError, ReadError
from jaxscope.readers import (
    READERS,
    audio,
    byte_file,
    edf_records,
    mseed,
    open_recording,
    read_ahead,
    sniff_format,
    tiles,
    wfdb_segment,
    xdf_streams,
)

RNG = np.random.default_rng(11)
NOISE = RNG.standard_normal((2, 3000)) * 0.1


def write_wav(path: Path) -> None:
    import soundfile

    soundfile.write(path, NOISE.T, 500, subtype="PCM_16")


def write_numpy(path: Path) -> None:
    if path.suffix == ".npy":
        np.save(path, NOISE.astype(np.float32))
    else:
        np.savez(path, left=NOISE[0], right=NOISE[1], rate_hz=500.0)


def write_table(path: Path) -> None:
    separator = "\t" if path.suffix == ".tsv" else ","
    rows = [separator.join(["time_s", "a", "b"])]
    rows += [separator.join([f"{i / 500:.3f}", f"{x:.6g}", f"{y:.6g}"]) for i, (x, y) in enumerate(NOISE.T)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def write_brainvision(path: Path) -> None:
    lines = ["Brain Vision Data Exchange Header File Version 1.0", "[Common Infos]", "DataFile=samples.dat"]
    lines += ["NumberOfChannels=2", "SamplingInterval=2000", "[Binary Infos]", "BinaryFormat=INT_16"]
    lines += ["[Channel Infos]", "Ch1=Fp1,,0.1,µV", "Ch2=Fp2,,0.1,µV"]
    path.write_text("\r\n".join(lines), encoding="utf-8")
    path.with_name("samples.dat").write_bytes((NOISE * 10000).astype("<i2").T.tobytes())


def write_wfdb(path: Path) -> None:
    lines = ["x 2 500 3000", "samples.dat 16 1000/mV 16 0 0 0 0 II", "samples.dat 16 1000/mV 16 0 0 0 0 V5"]
    path.write_text("\n".join(lines), encoding="utf-8")
    path.with_name("samples.dat").write_bytes((NOISE * 10000).astype("<i2").T.tobytes())


def write_gdf(path: Path) -> None:
    fixed = b"GDF 1.25".ljust(168) + b"2021030204050600" + (768).to_bytes(8, "little") + bytes(44)
    fixed += (30).to_bytes(8, "little") + b"".join(n.to_bytes(4, "little") for n in (1, 5, 2))
    body = b"".join(text.ljust(16) for text in (b"Fp1", b"Fp2")) + b" " * 160 + b"uV      " * 2
    body += np.array([-1.0, -1.0, 1.0, 1.0]).tobytes() + np.array([-10000, -10000, 10000, 10000]).tobytes()
    body += b" " * 160 + np.array([100, 100, 3, 3], dtype="<i4").tobytes() + bytes(64)
    records = (NOISE * 10000).astype("<i2").reshape(2, 30, 100).transpose(1, 0, 2)
    path.write_bytes(fixed + body + records.tobytes())


def write_matlab(path: Path) -> None:
    import scipy.io

    scipy.io.savemat(path, {"left": NOISE[0], "both": NOISE.astype(np.float32), "fs": 500.0}, do_compression=False)


def write_eeglab(path: Path) -> None:
    import scipy.io

    places = np.array([("Fp1",), ("Fp2",)], dtype=[("labels", object)])
    dataset = {"data": "samples.fdt", "srate": 500.0, "nbchan": 2.0, "pnts": 3000.0, "trials": 1.0, "chanlocs": places}
    scipy.io.savemat(path, {"EEG": dataset})
    path.with_name("samples.fdt").write_bytes(NOISE.astype("<f4").T.tobytes())


def write_hdf5(path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="HDF5 needs h5py")
    with h5py.File(path, "w") as file:
        file.attrs["rate_hz"] = 500.0
        file["left"] = NOISE[0]
        file.create_dataset("both", data=NOISE.astype(np.float32), chunks=(1, 1000), compression="gzip")


def write_sac(path: Path) -> None:
    floats, words = np.full(70, -12345, dtype="<f4"), np.full(40, -12345, dtype="<i4")
    floats[0], words[[6, 9, 15, 35]] = 0.002, (6, 3000, 1, 1)
    path.write_bytes(floats.tobytes() + words.tobytes() + b"-12345  " * 24 + NOISE[0].astype("<f4").tobytes())


def write_mseed(path: Path) -> None:
    with path.open("wb") as file:
        for second in range(30):
            for name, samples in zip((b"BHZ", b"BHN"), NOISE[:, 100 * second :], strict=True):
                head = b"000001D STA    " + name + b"NE" + (2020).to_bytes(2) + b"\0\1\0\0" + bytes([second]) + bytes(3)
                head += (100).to_bytes(2) + b"\0\x64\0\1" + bytes(3) + b"\1" + bytes(4) + b"\0\x40\0\x30"
                head += b"\x03\xe8\0\0\4\1\x09\0" + bytes(8)
                file.write((head + samples[:100].astype(">f4").tobytes()).ljust(512, b"\0"))


def write_xdf(path: Path) -> None:
    def chunk(tag: int, content: bytes) -> bytes:
        return b"\4" + (len(content) + 2).to_bytes(4, "little") + tag.to_bytes(2, "little") + content

    header = "<info><name>amp</name><type>EEG</type><channel_count>2</channel_count><nominal_srate>500</nominal_srate>"
    header += "<channel_format>float32</channel_format></info>"
    parts = [b"XDF:", chunk(1, b"<info/>"), chunk(2, b"\1\0\0\0" + header.encode())]
    row = np.dtype([("flag", "u1"), ("stamp", "<f8"), ("values", "<f4", 2)])
    rows = np.zeros(3000, row)
    rows["flag"], rows["stamp"], rows["values"] = 8, 10 + np.arange(3000) / 500, NOISE.T
    parts += [chunk(3, b"\1\0\0\0\1\x32" + rows[k : k + 50].tobytes()) for k in range(0, 3000, 50)]
    path.write_bytes(b"".join(parts))


def write_tdms(path: Path) -> None:
    nptdms = pytest.importorskip("nptdms", reason="npTDMS is not installed (the extra formats)")
    with nptdms.TdmsWriter(str(path)) as writer:
        rate = {"wf_increment": 0.002}
        writer.write_segment([nptdms.ChannelObject("g", name, x, rate) for name, x in zip("ab", NOISE, strict=True)])


def write_fif(path: Path) -> None:
    mne = pytest.importorskip("mne", reason="MNE is not installed (the extra eeg)")
    raw = mne.io.RawArray(NOISE * 1e-5, mne.create_info(["Fz", "Cz"], 500.0, "eeg"), verbose="ERROR")
    named = path.with_name("x_raw.fif")
    raw.save(named, verbose="ERROR")
    named.rename(path)


def write_columns(path: Path) -> None:
    import polars as pl

    frame = pl.DataFrame({"time_s": np.arange(3000) / 500, "a": NOISE[0], "b": NOISE[1]})
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_ipc(path)


def write_edr(path: Path) -> None:
    pytest.importorskip("neo", reason="Neo is not installed (the extra ephys)")
    fields = {"NC": 2, "NP": 6000, "NBH": 2048, "ADCMAX": 32767, "AD": 1.0, "DT": 0.002}
    for row in range(2):
        fields |= {f"YCF{row}": 1, f"YAG{row}": 1, f"YZ{row}": 0, f"YO{row}": row}
    lines = [f"{key}={value}" for key, value in fields.items()] + ["YN0=Im", "YU0=pA", "YN1=Vm", "YU1=mV", ""]
    path.write_bytes("\r\n".join(lines).encode().ljust(2048, b"\0") + (NOISE * 10000).astype("<i2").T.tobytes())


def write_segy(path: Path) -> None:
    obspy = pytest.importorskip("obspy", reason="ObsPy is not installed (the extra seismic)")
    traces = [obspy.Trace(row.astype(np.float32), {"sampling_rate": 500.0}) for row in NOISE]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the library says that it makes headers
        obspy.Stream(traces).write(str(path), format="SEGY")


def write_raw(path: Path) -> None:
    path.write_bytes((NOISE * 10000).astype("<i2").T.tobytes())
    layout = '{"channels": 2, "dtype": "int16", "rate": 500, "scale": 1e-4, "unit": "uV", "names": ["Fp1", "Fp2"]}'
    path.with_name(f"{path.stem}.raw.json").write_text(layout, encoding="utf-8")


EXAMPLES: dict[str, tuple[tuple[str, Callable[[Path], None]], ...]] = {
    "hdf5": ((".h5", write_hdf5),),
    "matlab": ((".mat", write_matlab),),
    "eeglab": ((".set", write_eeglab),),
    "gdf": ((".gdf", write_gdf),),
    "brainvision": ((".vhdr", write_brainvision),),
    "wfdb": ((".hea", write_wfdb),),
    "audio": ((".wav", write_wav), (".flac", write_wav)),
    "numpy": ((".npy", write_numpy), (".npz", write_numpy)),
    "xdf": ((".xdf", write_xdf),),
    "tdms": ((".tdms", write_tdms),),
    "mne": ((".fif", write_fif),),
    "parquet": ((".parquet", write_columns), (".arrow", write_columns)),
    "neo": ((".edr", write_edr),),
    "obspy": ((".sgy", write_segy),),
    "mseed": ((".mseed", write_mseed),),
    "sac": ((".sac", write_sac),),
    "text": ((".csv", write_table), (".tsv", write_table)),
    "raw": ((".bin", write_raw),),
}
#: What makes the parts of a block so small that the blocks of a test have many, made side by side.
SMALL_PARTS: tuple[tuple[Any, str, int], ...] = (
    (tiles, "LEAST_VALUES", 0),
    (byte_file, "TILE_BYTES", 64),
    (byte_file, "TILE_SAMPLES", 16),
    (edf_records, "CHUNK_BYTES", 64),
    (wfdb_segment, "_BLOCK_SAMPLES", 32),
    (wfdb_segment, "_BLOCK_FRAMES", 16),
    (audio, "_NEAR_VALUES", 32),
    (audio, "_LEAST_FRAMES", 16),
    (read_ahead, "_STEP_BYTES", 32),
    (xdf_streams, "_WINDOW_BYTES", 4000),
    (mseed, "_BATCH_BYTES", 1000),
)
CASES = ["plain.edf", "plain.bdf", *(f"x{suffix}" for files in EXAMPLES.values() for suffix, _ in files)]


@pytest.fixture
def example(tmp_path: Path, plain_edf, plain_bdf) -> Callable[[str], Path]:  # type: ignore[no-untyped-def]
    """Return a function that makes the example file of a name."""

    def make(name: str) -> Path:
        path = tmp_path / name
        if path.suffix == ".edf":
            path.write_bytes(plain_edf.to_bytes())
        elif path.suffix == ".bdf":
            path.write_bytes(plain_bdf.to_bytes())
        else:
            writers = dict(pair for files in EXAMPLES.values() for pair in files)
            writers[path.suffix](path)
        return path

    return make


def read_all(recording: Recording) -> dict[int, np.ndarray]:
    found: dict[int, np.ndarray] = {}
    for group in groups_of_equal_length(recording.info):
        block = recording.read(0, recording.info.channels[group[0]].n_samples, group)
        found.update(zip(group, block, strict=True))
    return found


def test_every_format_has_an_example() -> None:
    assert set(READERS) == {"edf", "bdf", *EXAMPLES}


@pytest.mark.parametrize("name", CASES)
def test_info_is_whole_and_agrees_with_what_is_read(name: str, example: Callable[[str], Path]) -> None:
    with open_recording(example(name)) as recording:
        info = recording.info
        assert info.format
        assert len(info.channels) >= (1 if name.endswith(".sac") else 2)
        assert len({channel.name for channel in info.channels}) == len(info.channels)
        samples = read_all(recording)
        for index, channel in enumerate(info.channels):
            assert channel.kind in CHANNEL_KINDS
            assert samples[index].dtype == np.float64
            assert samples[index].shape == (channel.n_samples,)
            assert channel.n_samples > 0
            if channel.rate_hz is not None:
                assert info.duration_s == pytest.approx(channel.n_samples / channel.rate_hz)


@pytest.mark.parametrize("name", CASES)
def test_random_spans_equal_slices_of_the_whole(name: str, example: Callable[[str], Path]) -> None:
    generator = np.random.default_rng(3)
    with open_recording(example(name)) as recording:
        whole = read_all(recording)
        for group in groups_of_equal_length(recording.info):
            n_samples = recording.info.channels[group[0]].n_samples
            for _ in range(25):
                start, stop = sorted(generator.integers(-5, n_samples + 5, 2).tolist())
                chosen = generator.permutation(group)[: generator.integers(1, len(group) + 1)].tolist()
                expected = np.stack([whole[index][max(start, 0) : max(stop, 0)] for index in chosen])
                np.testing.assert_array_equal(recording.read(start, stop, chosen), expected)


@pytest.mark.parametrize("name", CASES)
def test_blocks_in_small_parts_side_by_side_equal_one_read(
    name: str, example: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(5)
    with open_recording(example(name)) as recording:
        whole = read_all(recording)
    for module, limit, value in SMALL_PARTS:
        monkeypatch.setattr(module, limit, value)
    monkeypatch.setattr(tiles, "n_threads", lambda: 3)
    with open_recording(example(name)) as recording:
        for group in groups_of_equal_length(recording.info):
            n_samples, start = recording.info.channels[group[0]].n_samples, 0
            while start < n_samples:  # block by block, as an export reads
                stop = min(n_samples, start + int(generator.integers(1, 700)))
                expected = np.stack([whole[index][start:stop] for index in group])
                np.testing.assert_array_equal(recording.read(start, stop, group), expected)
                start = stop


@pytest.mark.parametrize("name", CASES)
def test_spans_past_an_end_are_empty(name: str, example: Callable[[str], Path]) -> None:
    with open_recording(example(name)) as recording:
        n_samples = recording.info.channels[0].n_samples
        for start, stop in ((n_samples, n_samples + 9), (n_samples + 3, n_samples + 9), (-9, -3), (4, 4), (5, 2)):
            assert recording.read(start, stop, [0]).shape == (1, 0)


@pytest.mark.parametrize("name", CASES)
def test_reading_from_several_threads_gives_the_same(name: str, example: Callable[[str], Path]) -> None:
    with open_recording(example(name)) as recording:
        n_samples = recording.info.channels[0].n_samples
        whole = recording.read(0, n_samples, [0])
        starts = np.random.default_rng(4).integers(0, n_samples, 120).tolist()
        with ThreadPoolExecutor(4) as pool:
            parts = list(pool.map(lambda start: recording.read(start, start + 40, [0]), starts))
        for start, part in zip(starts, parts, strict=True):
            np.testing.assert_array_equal(part, whole[:, start : start + 40])


@pytest.mark.parametrize("name", CASES)
def test_reading_after_closing_is_an_error_in_words(name: str, example: Callable[[str], Path]) -> None:
    recording = open_recording(example(name))
    recording.close()
    recording.close()
    with pytest.raises(ReadError):
        recording.read(0, 4, [0])


@pytest.mark.parametrize("name", CASES)
def test_a_name_in_capitals_and_an_unknown_suffix_open_all_the_same(name: str, example: Callable[[str], Path]) -> None:
    path = example(name)
    shouting = path.with_name(path.name.upper())
    path.rename(shouting)
    with open_recording(shouting) as recording:
        expected = read_all(recording)
    if sniff_format(shouting.read_bytes()[:4096]) is None:
        pytest.skip("this format cannot be told from its bytes")
    unnamed = shouting.rename(shouting.with_suffix(".unknown"))
    with open_recording(unnamed) as recording:
        found = read_all(recording)
    for index, samples in expected.items():
        np.testing.assert_array_equal(found[index], samples)


@pytest.mark.parametrize("name", CASES)
def test_other_content_under_a_suffix_is_refused(name: str, tmp_path: Path, example: Callable[[str], Path]) -> None:
    suffix = Path(name).suffix
    for content in (b"%PDF-1.7\n" + bytes(5000), RNG.bytes(5000), b"\x89PNG\r\n\x1a\n" + RNG.bytes(900)):
        path = tmp_path / f"lecture{suffix}"
        path.write_bytes(content)
        with pytest.raises(ReadError) as caught:
            open_recording(path)
        assert "lecture" in caught.value.message
    if caught.value.message.endswith("which is not installed"):
        pytest.skip("the library of this format is not installed")
    rival = example("plain.bdf" if suffix != ".bdf" else "plain.edf").rename(tmp_path / f"night{suffix}")
    with pytest.raises(ReadError, match=r"is not an? ") as caught:
        open_recording(rival)
    assert "it looks like" in caught.value.hint


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_told_or_harmless(name: str, data: st.DataObject, example: Callable[[str], Path]) -> None:
    path = example(name)
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans(), "cut"):
        del content[data.draw(st.integers(1, len(content) - 1), "length") :]
    for position in data.draw(st.lists(st.integers(0, min(2000, len(content) - 1)), max_size=6), "positions"):
        content[position] = data.draw(st.integers(0, 255), "byte")
    path.write_bytes(content)
    told: JaxscopeError | None = None
    try:
        with open_recording(path) as recording:
            summarise(recording)
    except JaxscopeError as error:
        told = error
    assert told is None or (told.exit_code == 3 and "\n" not in told.sentence())
