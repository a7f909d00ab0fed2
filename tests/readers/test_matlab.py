"""MATLAB files of every version: what counts as samples, what is refused, and the real and broken files."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io

from jaxscope.compute.summary import groups_of_equal_length
from jaxscope.data.recording import Recording
from jaxscope.errors import ReadError
from jaxscope.readers import open_recording

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
EXPECTED: dict[str, dict[str, Any]] = (
    json.loads((DATA / "expected.json").read_text(encoding="utf-8")) if DATA.is_dir() else {}
)
MATLAB = {name: entry for name, entry in EXPECTED.items() if name.startswith(("mat/", "mat_broken/"))}
#: Files that hold arrays of numbers at their top; the others hold text, cells, structs, or are broken.
READABLE = [name for name, entry in MATLAB.items() if entry.get("stats")]
#: One that holds samples inside structs, which the other reader does not look into.
NESTED = "mat_broken/scipy_nasty_duplicate_fieldnames.mat"
REFUSED = [name for name, entry in MATLAB.items() if not entry.get("stats") and name != NESTED]

Save = Callable[[Path, dict[str, Any], str], Path]
WIDE = np.arange(60.0).reshape(3, 20)


@pytest.fixture
def save(mat73: Callable[..., Path]) -> Save:
    """Return a function that writes variables to a file of a version; 7 is 6 with compression."""

    def write(path: Path, variables: dict[str, Any], version: str) -> Path:
        if version == "7.3":
            return mat73(path, variables)
        form = "4" if version == "4" else "5"
        scipy.io.savemat(path, variables, format=form, do_compression=version == "7")
        return path

    return write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.mat"


def read_all(recording: Recording) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    for group in groups_of_equal_length(recording.info):
        block = recording.read(0, recording.info.channels[group[0]].n_samples, group)
        found.update(zip((recording.info.channels[index].name for index in group), block, strict=True))
    return found


@pytest.mark.parametrize("version", ["4", "6", "7", "7.3"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "i2", "u1"])
def test_each_version_gives_the_same(save: Save, version: str, dtype: str, path: Path) -> None:
    wide = WIDE.astype(dtype)
    variables = {"wide": wide, "tall": wide.T[:, :2], "one": wide[:1], "fs": 250.0}
    with open_recording(save(path, variables, version)) as recording:
        info = recording.info
        assert {channel.rate_hz for channel in info.channels} == {250.0}
        assert info.duration_s == pytest.approx(0.08)
        found = read_all(recording)
        assert sorted(found) == ["one", "tall[0]", "tall[1]", "wide[0]", "wide[1]", "wide[2]"]
        for row in range(3):
            np.testing.assert_array_equal(found[f"wide[{row}]"], wide[row])
        np.testing.assert_array_equal(found["tall[1]"], wide[1])
        np.testing.assert_array_equal(found["one"], wide[0])
        numbers = [info.index_of(name) for name in ("wide[2]", "tall[0]", "wide[0]")]
        np.testing.assert_array_equal(recording.read(4, 9, numbers), wide[[2, 0, 0], 4:9])
        assert info.warnings == ("tall (20 x 2) is read as 2 channels of 20 samples: the longer is time",), (
            info.warnings
        )


@pytest.mark.parametrize("version", ["6", "7", "7.3"])
def test_samples_are_found_in_structs_and_named(save: Save, version: str, path: Path) -> None:
    variables = {"rec": {"data": WIDE, "sfreq": 100.0, "note": "hello"}}
    if version == "7.3":
        variables["rec"]["labels"] = ["Fp1", "Fp2", "ECG"]
    else:
        variables["rec"]["labels"] = np.array(["Fp1", "Fp2", "ECG"], dtype=object)
    with open_recording(save(path, variables, version)) as recording:
        assert [(c.name, c.kind, c.rate_hz) for c in recording.info.channels] == [
            ("Fp1", "eeg", 100.0),
            ("Fp2", "eeg", 100.0),
            ("ECG", "ecg", 100.0),
        ]
        assert any("rec.note (text)" in warning for warning in recording.info.warnings)
        np.testing.assert_array_equal(recording.read(0, 20), WIDE)


@pytest.mark.parametrize("version", ["6", "7", "7.3"])
def test_pages_follow_each_other(save: Save, version: str, path: Path) -> None:
    cube = np.arange(24.0).reshape(2, 3, 4)
    with open_recording(save(path, {"cube": cube, "fs": 10.0}, version)) as recording:
        expected = cube.transpose(0, 2, 1).reshape(2, 12)
        np.testing.assert_array_equal(recording.read(0, 12), expected)
        np.testing.assert_array_equal(recording.read(2, 7, [1]), expected[1:, 2:7])
        assert any("pages one after the other" in warning for warning in recording.info.warnings)


def test_a_steady_time_gives_the_rate_and_another_is_a_channel(save: Save, path: Path) -> None:
    with open_recording(save(path, {"t": np.round(np.arange(20) / 128, 6), "x": WIDE[0]}, "6")) as recording:
        assert [(c.name, c.rate_hz) for c in recording.info.channels] == [("x", pytest.approx(128.0, rel=1e-4))]
        assert any("taken to be in seconds" in warning for warning in recording.info.warnings)
    with open_recording(path, rate_hz=100.0) as recording:
        assert recording.info.channels[0].rate_hz == 100.0
        assert any("100 Hz, as given, is used; t" in warning for warning in recording.info.warnings)
    jumpy = np.arange(20) / 128
    jumpy[10:] += 5
    with open_recording(save(path, {"t": jumpy, "x": WIDE[0]}, "6")) as recording:
        assert recording.info.channels[0].rate_hz is None
    with open_recording(save(path, {"t": jumpy}, "6")) as recording:
        np.testing.assert_array_equal(recording.read(0, 20)[0], jumpy)


def test_the_rate_in_the_file_wins_and_no_rate_is_told(save: Save, path: Path) -> None:
    save(path, {"x": WIDE[0], "Fs": 50.0}, "6")
    with open_recording(path, rate_hz=99.0) as recording:
        assert recording.info.channels[0].rate_hz == 50.0
        assert any("own rate, 50 Hz" in warning for warning in recording.info.warnings)
    save(path, {"x": WIDE[0], "Fs": -1.0}, "6")
    with open_recording(path) as recording:
        assert recording.info.duration_s is None
        assert any("Fs is -1" in warning for warning in recording.info.warnings)
        assert any("no sampling rate" in warning for warning in recording.info.warnings)
    with open_recording(path, rate_hz=99.0) as recording:
        assert recording.info.channels[0].rate_hz == 99.0


def test_samples_first_turns_a_square(save: Save, path: Path) -> None:
    square = WIDE[:, :3]
    save(path, {"x": square, "fs": 1.0}, "6")
    with open_recording(path) as recording:
        np.testing.assert_array_equal(recording.read(0, 3), square)
    with open_recording(path, samples_first=True) as recording:
        np.testing.assert_array_equal(recording.read(0, 3), square.T)


def test_a_plain_array_is_read_from_where_it_lies(save: Save, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    big = np.arange(400_000.0).reshape(4, -1)
    save(path, {"x": big, "fs": 1.0}, "6")
    from jaxscope.readers import byte_file

    taken: list[int] = []
    read = byte_file.ByteFile.read

    def spy(self: byte_file.ByteFile, position: int, n_bytes: int) -> Any:
        taken.append(n_bytes)
        return read(self, position, n_bytes)

    monkeypatch.setattr(byte_file.ByteFile, "read", spy)
    with open_recording(path) as recording:
        np.testing.assert_array_equal(recording.read(50_000, 50_010), big[:, 50_000:50_010])
    assert sum(taken) < 5000


def element(kind: int, body: bytes) -> bytes:
    return struct.pack("<II", kind, len(body)) + body + bytes(-len(body) % 8)


def matrix(flags: int, shape: tuple[int, ...], *rest: bytes, name: bytes = b"x") -> bytes:
    dims = struct.pack(f"<{len(shape)}i", *shape)
    return element(14, element(6, struct.pack("<II", flags, 0)) + element(5, dims) + element(1, name) + b"".join(rest))


HEADER = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"


def nested(depth: int) -> bytes:
    body = matrix(6, (1, 3), element(9, bytes(24)))
    for _ in range(depth):
        body = matrix(1, (1, 1), body)
    return body


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (matrix(6, (1 << 20, 1 << 10), element(9, bytes(80))), "promises 1048576 x 1024 values and has room for 10"),
        (matrix(1, (1 << 30, 1 << 10)), "elements are promised where there is no room"),
        (matrix(6, (-3, 3), element(9, bytes(80))), r"dimensions \(-3, 3\)"),
        (struct.pack("<II", 14, 1 << 31), "is cut off"),
        (element(15, zlib.compress(bytes(100 << 20))), "does not end where it should"),
        (element(15, zlib.compress(matrix(6, (1, 3), element(9, bytes(24))))[:-3]), "does not end where it should"),
        (element(15, b"\xff" * 40), "cannot be unpacked"),
        (b"", "holds no variables"),
        (matrix(2, (1, 1), element(5, struct.pack("<i", 1 << 24)), element(1, b"abcd")), "fields of a struct"),
        (matrix(6, (1, 3), element(99, bytes(24))), "stored as type 99"),
        (nested(3), "holds no arrays of samples: it holds x"),
    ],
)
def test_what_contradicts_itself_is_refused(body: bytes, words: str, path: Path) -> None:
    path.write_bytes(HEADER + body)
    with pytest.raises(ReadError, match=words) as caught:
        open_recording(path)
    assert caught.value.hint


def test_deep_structs_end(path: Path) -> None:
    from jaxscope.readers.matlab import open_variables

    path.write_bytes(HEADER + nested(300))
    file = open_variables(path)
    value = file.variables["x"]
    for _ in range(24):
        value = value.items()[0]
    with pytest.raises(ReadError, match="nested too deeply"):
        value.items()
    file.close()


def test_what_is_no_dataset_is_left_out(save: Save, path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    save(path, {"x": WIDE, "fs": 10.0}, "7.3")
    with h5py.File(path, "r+") as file:
        file["kind"] = np.dtype("f8")
        file.create_dataset("nothing", data=h5py.Empty("f8"))
    with open_recording(path) as recording:
        assert len(recording.info.channels) == 3
        assert any("kind (an object), nothing (an object)" in warning for warning in recording.info.warnings)


def test_without_h5py_the_remedy_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n" + bytes(900))
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ReadError, match="not installed") as caught:
        open_recording(path)
    assert 'pip install "jaxscope[formats]"' in caught.value.hint


@pytest.mark.shared
@pytest.mark.parametrize("name", READABLE)
def test_every_file_agrees_with_an_independent_reader(name: str, shared_data: Path) -> None:
    if "hdf5" in name:
        pytest.importorskip("h5py")
    with open_recording(shared_data / name) as recording:
        found = read_all(recording)
    for label, right in EXPECTED[name]["stats"].items():
        rows = [values for key, values in found.items() if key == label or key.startswith(f"{label}[")]
        values = np.stack(rows)
        shape = EXPECTED[name]["variables"][label][1]
        if len(shape) == 3:
            values = values.reshape(shape[0], shape[2], shape[1]).transpose(0, 2, 1)
        flat = values.reshape(-1)
        assert len(flat) == right["n"]
        np.testing.assert_allclose(flat[: len(right["first"])], right["first"], rtol=1e-6)
        summary = [flat[-1], flat.min(), flat.max(), flat.mean()]
        np.testing.assert_allclose(summary, [right[key] for key in ("last", "min", "max", "mean")], rtol=1e-6)


@pytest.mark.shared
@pytest.mark.parametrize("name", REFUSED)
def test_files_without_samples_are_refused_in_one_sentence(name: str, shared_data: Path) -> None:
    with pytest.raises(ReadError) as caught:
        open_recording(shared_data / name)
    assert Path(name).name in caught.value.message
    assert "\n" not in caught.value.sentence()


@pytest.mark.shared
def test_fields_of_one_name_do_not_break_a_struct(shared_data: Path) -> None:
    with open_recording(shared_data / NESTED) as recording:
        assert len(recording.info.channels) > 1
        read_all(recording)


def test_links_into_other_files_are_never_entered(save: Save, path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed (the extra formats)")
    save(path, {"x": WIDE[0], "fs": 10.0}, "7.3")
    other = path.with_name("other.mat")
    save(other, {"secret": WIDE[0]}, "7.3")
    with h5py.File(path, "r+") as file:
        file["secret"] = h5py.ExternalLink("other.mat", "/secret")
        file["circle"] = h5py.SoftLink("/circle")
    with open_recording(path) as recording:
        assert [channel.name for channel in recording.info.channels] == ["x"]


def test_a_small_element_that_promises_more_than_it_has_room_for_is_damage(save: Save, path: Path) -> None:
    raw = bytearray(save(path, {"x": np.array([[1, 2, 3]], dtype=np.uint8)}, "6").read_bytes())
    place = raw.index((3 << 16 | 2).to_bytes(4, "little"))
    raw[place : place + 4] = (5 << 16 | 2).to_bytes(4, "little")
    path.write_bytes(raw)
    with pytest.raises(ReadError, match="a small element promises 5 bytes"):
        open_recording(path)
