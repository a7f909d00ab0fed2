"""Electrophysiology formats through Neo: a WinEDR and an AxoGraph file made here, and Neo's own example reader."""

from __future__ import annotations

import struct
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.errors import ReadError
from jaxscope.readers import neo_formats, open_recording
from jaxscope.readers.base import OpenOptions

neo = pytest.importorskip("neo", reason="Neo is not installed (the extra ephys)")
STORED = (np.random.default_rng(7).integers(-30000, 30000, (2, 1000))).astype("<i2")


def write_edr(path: Path, n_samples: int = 1000) -> Path:
    """Write two channels at 2 kHz, 10 V over 32768 steps, gains of 1 and 0.5."""
    fields: dict[str, Any] = {"NC": 2, "NP": 2 * n_samples, "NBH": 2048, "ADCMAX": 32767, "AD": 10.0, "DT": 0.0005}
    for number, (name, unit, factor) in enumerate((("Im", "pA", 1.0), ("Vm", "mV", 0.5))):
        fields |= {f"YCF{number}": factor, f"YAG{number}": 1.0, f"YZ{number}": 0, f"YN{number}": name}
        fields |= {f"YO{number}": number, f"YU{number}": unit}
    head = "".join(f"{key}={value}\r\n" for key, value in fields.items()).encode().ljust(2048, b"\0")
    path.write_bytes(head + STORED.T.tobytes())
    return path


def test_channels_units_rates_and_samples(tmp_path: Path) -> None:
    with open_recording(write_edr(tmp_path / "x.edr")) as recording:
        info = recording.info
        rows = [(c.name, c.unit, c.rate_hz, c.n_samples) for c in info.channels]
        assert rows == [("Im", "pA", 2000, 1000), ("Vm", "mV", 2000, 1000)]
        assert (info.format, info.duration_s, info.gaps) == ("WinEDR", 0.5, ())
        expected = STORED * np.array([[10 / 32768], [20 / 32768]])
        np.testing.assert_allclose(recording.read(90, 800), expected[:, 90:800], rtol=1e-12)
        np.testing.assert_allclose(recording.read(3, 7, [1, 0, 1]), expected[[1, 0, 1], 3:7], rtol=1e-12)


def test_more_samples_than_bytes_are_not_believed(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="promises more samples than it has bytes"):
        open_recording(write_edr(tmp_path / "x.edr", n_samples=10**9))


def test_without_the_library_the_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_edr(tmp_path / "x.edr")
    monkeypatch.setitem(sys.modules, "neo", None)
    with pytest.raises(ReadError, match="WinEDR files need the library neo") as caught:
        open_recording(path)
    assert caught.value.hint == 'pip install "jaxscope[ephys]"'


def test_segments_become_stretches_with_gaps_and_events_annotations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Neo's example reader makes up two streams of 10 s segments, events and spikes, from no file at all.
    path = tmp_path / "x.edr"
    path.write_bytes(bytes(8 << 20))
    monkeypatch.setitem(neo_formats._CLASSES, ".edr", ("Example", "ExampleRawIO", {}))
    with neo_formats.open_with_neo(path, OpenOptions()) as recording:
        info = recording.info
        raw = neo.rawio.ExampleRawIO(filename=str(path))
        raw.parse_header()
        n_segments = raw.segment_count(0)
        assert n_segments > 1
        assert info.channels[0].n_samples == sum(raw.get_signal_size(0, k, 0) for k in range(n_segments))
        first = raw.get_signal_size(0, 0, 0)
        begun = raw.get_signal_t_start(0, 1, 0) - raw.get_signal_t_start(0, 0, 0)
        assert info.timeline_of(0).second_of(first, info.channels[0].rate_hz) == pytest.approx(begun)
        across = recording.read(first - 5, first + 5, [0])[0]
        for segment, span, part in ((0, (first - 5, first), across[:5]), (1, (0, 5), across[5:])):
            stored = raw.get_analogsignal_chunk(0, segment, *span, 0, channel_indexes=[0])
            scaled = raw.rescale_signal_raw_to_float(stored, "float64", 0, channel_indexes=[0])
            np.testing.assert_allclose(part, scaled[:, 0])
        n_events = sum(
            raw.event_count(0, segment, channel)
            for segment in range(n_segments)
            for channel in range(raw.event_channels_count())
        )
        assert len(info.annotations) == n_events > 0
        assert any("channels of spikes, which are not shown" in words for words in info.warnings)
        assert info.start is None or isinstance(info.start, datetime)


@pytest.mark.parametrize("suffix", sorted(neo_formats.FORMAT.suffixes))
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_noise_is_refused_in_one_sentence(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_bytes(struct.pack("<I", 7) + np.random.default_rng(0).bytes(6000))
    with pytest.raises(ReadError) as caught:
        open_recording(path)
    assert "\n" not in caught.value.sentence()
    assert caught.value.hint
