"""Seismic formats through ObsPy: SEG-Y and SU, made with the library's writers, and AH written here."""

from __future__ import annotations

import pickle
import sys
import warnings
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from jaxscope.errors import ReadError
from jaxscope.readers import obspy_formats, open_recording

obspy = pytest.importorskip("obspy", reason="ObsPy is not installed (the extra seismic)")
VALUES = np.random.default_rng(3).integers(-5000, 5000, 600).astype(np.int32)
START = datetime(2022, 3, 4, 5, 6, 7, 500000, tzinfo=UTC)


def trace(values: np.ndarray, second: float = 0.0, channel: str = "BHZ", rate: float = 50.0) -> object:
    header = {"network": "XX", "station": "STA", "channel": channel, "sampling_rate": rate}
    return obspy.Trace(values, {**header, "starttime": obspy.UTCDateTime(START) + second})


def write(path: Path, format_: str, *traces: object) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        obspy.Stream(list(traces)).write(str(path), format=format_)
    return path


def test_late_starts_and_overlaps_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = write(tmp_path / "x.sgy", "SEGY", trace(VALUES.astype(np.float32)))
    parts = [trace(VALUES[:200]), trace(VALUES[200:400], 10.0), trace(VALUES, 1.0, "BHN"), trace(VALUES[:100], 11.0)]
    monkeypatch.setattr(obspy, "read", lambda *_, **__: obspy.Stream(parts))
    with open_recording(path) as recording:
        info = recording.info
        rows = {c.name: (c.kind, c.rate_hz, c.n_samples) for c in info.channels}
        assert rows == {
            "XX.STA..BHZ": ("seismic", 50, 400),
            "XX.STA..BHZ #2": ("seismic", 50, 100),
            "XX.STA..BHN": ("seismic", 50, 600),
        }
        assert info.start == START
        up, again, north = (info.index_of(f"XX.STA..{name}") for name in ("BHZ", "BHZ #2", "BHN"))
        assert info.timeline_of(up).second_of(200, 50) == pytest.approx(10)
        assert info.timeline_of(again).second_of(0, 50) == pytest.approx(11)
        assert info.timeline_of(north).second_of(0, 50) == pytest.approx(1)
        assert info.duration_s == pytest.approx(14)
        assert any("overlap in time" in words for words in info.warnings)
        np.testing.assert_array_equal(recording.read(150, 300, [up])[0], VALUES[150:300])


def test_seg_y_traces_without_names_are_numbered(tmp_path: Path) -> None:
    traces = [trace(VALUES.astype(np.float32) + k) for k in range(3)]
    with open_recording(write(tmp_path / "x.sgy", "SEGY", *traces)) as recording:
        assert [c.name for c in recording.info.channels] == ["trace 1", "trace 2", "trace 3"]
        np.testing.assert_array_equal(recording.read(0, 600, [2])[0], VALUES + 2)


class Harm:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (Path.touch, (Path("harm-was-done"),))  # type: ignore[return-value]


@pytest.mark.parametrize("suffix", sorted(obspy_formats.FORMAT.suffixes))
def test_pickles_are_never_unpacked(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"x{suffix}"
    path.write_bytes(pickle.dumps(Harm()))
    with pytest.raises(ReadError) as caught:
        open_recording(path)
    assert "\n" not in caught.value.sentence()
    assert not (tmp_path / "harm-was-done").exists()


def test_without_the_library_the_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "x.sgy", "SEGY", trace(VALUES.astype(np.float32)))
    monkeypatch.setitem(sys.modules, "obspy", None)
    with pytest.raises(ReadError, match="SEGY files need the library obspy") as caught:
        open_recording(path)
    assert caught.value.hint == 'pip install "jaxscope[seismic]"'


def packaged() -> list[Path]:
    """Return recordings of real instruments that the library brings along for its own tests."""
    folder = Path(obspy.__file__).parent / "io"
    found = [path for path in folder.rglob("*") if path.suffix.lower() in PACKAGED and path.is_file()]
    return sorted(found)


#: What the library calls the formats of these suffixes.
PACKAGED = {
    ".sgy": "SEGY",
    ".segy": "SEGY",
    ".su": "SU",
    ".sg2": "SEG2",
    ".seg2": "SEG2",
    ".ah": "AH",
    ".evt": "KINEMETRICS_EVT",
}


@pytest.mark.parametrize("path", packaged(), ids=lambda path: f"{path.parents[2].name}/{path.name}")
def test_recordings_of_real_instruments_have_all_their_samples(path: Path) -> None:
    told = {"unpack_trace_headers": False} if PACKAGED[path.suffix.lower()] == "SEGY" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            stream = obspy.read(str(path), format=PACKAGED[path.suffix.lower()], **told)
        except Exception:  # noqa: BLE001  (whatever the library says of a file that it keeps because it is bad)
            with pytest.raises(ReadError):
                open_recording(path)
            return
    by_rate: dict[float, list[np.ndarray]] = {}
    for one in stream:
        by_rate.setdefault(float(one.stats.sampling_rate), []).append(one.data.astype(np.float64))
    with open_recording(path) as recording:
        channels = recording.info.channels
        for rate in {channel.rate_hz for channel in channels}:
            numbers = [n for n, channel in enumerate(channels) if channel.rate_hz == rate]
            ours = [recording.read(0, channels[n].n_samples, [n])[0] for n in numbers]
            theirs = by_rate.pop(rate)
            np.testing.assert_array_equal(np.sort(np.concatenate(ours)), np.sort(np.concatenate(theirs)))
    assert not by_rate
