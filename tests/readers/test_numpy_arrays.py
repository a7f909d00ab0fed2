"""NPY and NPZ: values, lazy reading, rates, and files that lie about their size."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from jaxscope.errors import ReadError
from jaxscope.readers import open_recording
from jaxscope.readers.base import OpenOptions
from jaxscope.readers.numpy_arrays import FORMAT

PLAIN = OpenOptions()


def npy_bytes(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.shared
@pytest.mark.parametrize("name", ["pitsa_noise.npy", "pywt_ecg.npz", "pywt_sst_nino3.npz", "scipy_ecg.dat"])
def test_agrees_with_the_reference_reader(name: str, shared_data: Path) -> None:
    entry = json.loads((shared_data / "expected.json").read_text())[f"npz/{name}"]
    arrays = entry.get("arrays") or {"": {"shape": entry["shape"], **entry["stats"]}}
    recording = FORMAT.open(shared_data / "npz" / name, PLAIN)
    ((label, wanted),) = arrays.items()
    n_channels = wanted["shape"][0] if len(wanted["shape"]) == 2 else 1
    channels = recording.info.channels
    assert len(channels) == n_channels
    assert all(channel.name.startswith(label or "ch0") for channel in channels)
    assert {channel.n_samples for channel in channels} == {wanted["shape"][-1]}
    flat = recording.read(0, 10**9).reshape(-1)
    np.testing.assert_allclose(flat[:4], wanted["first"], rtol=1e-6)
    found = [flat[-1], flat.min(), flat.max(), flat.mean()]
    np.testing.assert_allclose(found, [wanted[key] for key in ("last", "min", "max", "mean")], rtol=1e-6, atol=1e-9)
    assert {channel.rate_hz for channel in channels} == {None}
    assert any("no sampling rate" in warning for warning in recording.info.warnings)


def test_rows_are_channels_and_samples_first_turns_them(tmp_path: Path) -> None:
    array = np.arange(6.0).reshape(2, 3)
    np.save(tmp_path / "a.npy", array)
    recording = FORMAT.open(tmp_path / "a.npy", OpenOptions(rate_hz=10.0))
    np.testing.assert_array_equal(recording.read(0, 3), array)
    assert [channel.name for channel in recording.info.channels] == ["ch0", "ch1"]
    assert recording.info.duration_s == pytest.approx(0.3)
    assert recording.info.warnings == ()
    turned = FORMAT.open(tmp_path / "a.npy", OpenOptions(rate_hz=10.0, samples_first=True))
    np.testing.assert_array_equal(turned.read(0, 2), array.T)


def test_an_array_that_looks_turned_says_how_to_turn_it(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((1000, 8)))
    info = FORMAT.open(tmp_path / "a.npy", OpenOptions(rate_hz=1.0)).info
    assert any("--samples-first" in warning for warning in info.warnings)


@pytest.mark.parametrize("dtype", ["<i2", ">i4", "<u8", "<f4", ">f8", "<f2", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_types_and_orders(dtype: str, order: str, tmp_path: Path) -> None:
    array = np.asarray(np.arange(12).reshape(3, 4) % 2, dtype=dtype, order=order)
    np.save(tmp_path / "a.npy", array)
    np.testing.assert_array_equal(FORMAT.open(tmp_path / "a.npy", PLAIN).read(1, 3, [2, 0]), array[[2, 0], 1:3])


def test_npy_is_read_where_it_lies_and_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.zeros((2, 5000)))
    recording = FORMAT.open(path, PLAIN)
    with path.open("rb+") as file:
        file.seek(-8, 2)
        file.write(np.float64(5.0).tobytes())
    assert recording.read(4999, 5000)[1, 0] == 5.0


def test_npz_with_rate_groups_and_other_things(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "a.npz",
        EMG=np.arange(5),
        Fp1=np.arange(5.0),
        pair=np.ones((2, 5)),
        cube=np.zeros((2, 2, 2)),
        label=np.array("text"),
        rate_hz=np.array(250.0),
    )
    recording = FORMAT.open(tmp_path / "a.npz", PLAIN)
    channels = recording.info.channels
    assert [channel.name for channel in channels] == ["EMG", "Fp1", "pair[0]", "pair[1]"]
    assert [channel.kind for channel in channels[:2]] == ["emg", "eeg"]
    assert {channel.rate_hz for channel in channels} == {250.0}
    assert recording.info.duration_s == pytest.approx(0.02)
    assert recording.info.warnings == (
        "cube has 3 dimensions and is left out",
        "label holds text and is left out",
    )


def test_npz_own_rate_wins_over_a_given_one(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.zeros(4), rate_hz=100)
    info = FORMAT.open(tmp_path / "a.npz", OpenOptions(rate_hz=50.0)).info
    assert info.channels[0].rate_hz == 100.0
    assert "100 Hz" in info.warnings[0]
    np.savez(tmp_path / "b.npz", x=np.zeros(4), rate_hz=-3)
    info = FORMAT.open(tmp_path / "b.npz", OpenOptions(rate_hz=50.0)).info
    assert info.channels[0].rate_hz == 50.0
    assert "makes no sense" in info.warnings[0]


def test_objects_are_refused_unopened(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ReadError, match="Python objects"):
        FORMAT.open(tmp_path / "a.npy", PLAIN)


@pytest.mark.parametrize("array", [np.zeros(3, complex), np.array(["a"]), np.array(["2020-01-01"], "M8[s]")])
def test_what_is_no_real_number_is_refused(array: np.ndarray, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ReadError, match="not real numbers"):
        FORMAT.open(tmp_path / "a.npy", PLAIN)


def test_a_header_that_claims_more_than_the_file_is_refused(tmp_path: Path) -> None:
    data = npy_bytes(np.zeros((2, 1000))).replace(b"(2, 1000)", b"(9, 9000)")
    (tmp_path / "a.npy").write_bytes(data)
    with pytest.raises(ReadError, match="648,000 bytes"):
        FORMAT.open(tmp_path / "a.npy", PLAIN)


@pytest.mark.parametrize("cut", [3, 7, 9, 40, 127])
def test_a_cut_header_is_refused(cut: int, tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(npy_bytes(np.zeros(10))[:cut])
    with pytest.raises(ReadError):
        FORMAT.open(tmp_path / "a.npy", PLAIN)


def test_a_header_that_is_code_is_refused(tmp_path: Path) -> None:
    data = npy_bytes(np.zeros(10)).replace(b"'<f8'", b"f(1) ")
    (tmp_path / "a.npy").write_bytes(data)
    with pytest.raises(ReadError, match="makes no sense"):
        FORMAT.open(tmp_path / "a.npy", PLAIN)


def test_npz_members_that_lie_about_their_size_cost_no_memory(tmp_path: Path) -> None:
    data = npy_bytes(np.zeros((2, 1000))).replace(b"(2, 1000), }      ", b"(2, 10000000), }  ")
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", data)
    with pytest.raises(ReadError, match="promises"):
        FORMAT.open(tmp_path / "a.npz", PLAIN)


def test_npz_damage_and_emptiness(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", x=np.random.default_rng(0).standard_normal(5000))
    data = bytearray((tmp_path / "a.npz").read_bytes())
    data[len(data) // 2] ^= 0xFF
    (tmp_path / "b.npz").write_bytes(data)
    with pytest.raises(ReadError, match="damaged"):
        FORMAT.open(tmp_path / "b.npz", PLAIN)
    (tmp_path / "c.npz").write_bytes(data[: len(data) // 2])
    with pytest.raises(ReadError, match="damaged"):
        FORMAT.open(tmp_path / "c.npz", PLAIN)
    np.savez(tmp_path / "d.npz", label=np.array("text"))
    with pytest.raises(ReadError, match="no arrays"):
        FORMAT.open(tmp_path / "d.npz", PLAIN)


def test_bytes_after_the_array_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(npy_bytes(np.zeros(4)) + b"tail")
    assert any("4 bytes after" in warning for warning in FORMAT.open(tmp_path / "a.npy", PLAIN).info.warnings)


def test_sniffing_knows_its_own() -> None:
    assert FORMAT.sniff(npy_bytes(np.zeros(1))[:64])
    assert not FORMAT.sniff(b"PK\x03\x04 a document")


def test_signalling_nan_is_nan(tmp_path: Path) -> None:
    data = npy_bytes(np.zeros(4, "<f4"))
    (tmp_path / "a.npy").write_bytes(data[:-4] + b"\x01\x00\x80\x7f")
    np.testing.assert_array_equal(FORMAT.open(tmp_path / "a.npy", PLAIN).read(0, 4), [[0, 0, 0, np.nan]])


def test_the_first_known_key_tells_the_rate_and_others_are_told(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.zeros(4), fs=20.0, rate_hz=10.0)
    info = FORMAT.open(tmp_path / "a.npz", PLAIN).info
    assert info.channels[0].rate_hz == 10.0
    assert info.warnings == ("The file tells several rates (rate_hz = 10 Hz, fs = 20 Hz): rate_hz is used",)


def test_a_file_that_shrinks_while_it_is_open_is_an_error_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.zeros((2, 50000)))
    recording = FORMAT.open(path, PLAIN)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ReadError, match="has become shorter"):
        recording.read(40000, 50000)
    recording.close()
    with pytest.raises(ReadError, match="closed"):
        recording.read(0, 1)


@pytest.mark.parametrize("shape", [(0,), (3, 0)])
def test_channels_without_samples_are_channels(shape: tuple[int, ...], tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(shape))
    recording = FORMAT.open(tmp_path / "a.npy", OpenOptions(rate_hz=10.0))
    assert recording.read(0, 5).shape == (shape[0] or 1, 0)
    assert recording.info.duration_s == 0.0


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((0, 4), "holds no channels"),
        ((), "a.npy has 0 dimensions"),
        ((2, 3, 4), "a.npy has 3 dimensions"),
        ((70000, 2), "70,000 channels"),
    ],
)
def test_shapes_that_are_no_recording_are_refused(shape: tuple[int, ...], words: str, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(shape, "i1"))
    with pytest.raises(ReadError, match=words) as caught:
        FORMAT.open(tmp_path / "a.npy", PLAIN)
    assert caught.value.hint


@pytest.mark.parametrize("order", ["C", "F"])
def test_npz_arrays_read_back_whichever_way_they_lie(order: str, tmp_path: Path) -> None:
    pair = np.asarray(np.arange(10).reshape(2, 5), order=order)  # type: ignore[call-overload]
    np.savez(tmp_path / "a.npz", one=np.arange(5.0), pair=pair, turned=pair.T)
    recording = FORMAT.open(tmp_path / "a.npz", PLAIN)
    np.testing.assert_array_equal(recording.read(1, 4, [0, 2, 1]), [[1, 2, 3], [6, 7, 8], [1, 2, 3]])
    turned = FORMAT.open(tmp_path / "a.npz", OpenOptions(samples_first=True))
    names = [channel.name for channel in turned.info.channels]
    np.testing.assert_array_equal(turned.read(0, 5, [0, names.index("turned[1]")]), [np.arange(5), pair[1]])


@pytest.mark.parametrize("dtype", ["<i8", ">i8", "<u8"])
def test_integers_beyond_float64_are_told(dtype: str, tmp_path: Path) -> None:
    values = np.arange(400_000).reshape(2, -1).astype(dtype)
    values[0, 0] = 2**53
    large = values.copy()
    large[1, 150_000] = 2**53 + 1
    for name, array, n_told in (("small", values, 0), ("large", large, 1)):
        np.save(tmp_path / f"{name}.npy", array)
        np.savez(tmp_path / f"{name}.npz", a=array, b=values)
        for suffix in (".npy", ".npz"):
            with open_recording(tmp_path / f"{name}{suffix}", rate_hz=100.0) as recording:
                assert sum("beyond ±2^53" in words for words in recording.info.warnings) == n_told


def test_an_archive_whose_members_lie_before_its_begin_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, a=np.arange(50.0))
    raw = bytearray(path.read_bytes())
    end = raw.rindex(b"PK\x05\x06")
    # the directory seems to lie further on than it does, so all places move before the begin of the file
    raw[end + 16 : end + 20] = (int.from_bytes(raw[end + 16 : end + 20], "little") + 4096).to_bytes(4, "little")
    path.write_bytes(raw)
    with pytest.raises(ReadError, match="is damaged"):
        open_recording(path)


def test_names_in_an_archive_tell_kinds(tmp_path: Path) -> None:
    names, units = np.array(["Fp1", "ECG", "Status", "load"]), np.array(["uV", "mV", "", "N"])
    np.savez(tmp_path / "x.npz", data=np.zeros((4, 20)), names=names, units=units, rate_hz=10.0)
    with open_recording(tmp_path / "x.npz") as recording:
        found = [(channel.name, channel.unit, channel.kind) for channel in recording.info.channels]
    # nothing in such a file says that a channel holds codes, so what is called so is a signal
    assert found == [("Fp1", "uV", "eeg"), ("ECG", "mV", "ecg"), ("Status", "", "misc"), ("load", "N", "misc")]
