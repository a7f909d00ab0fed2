"""A file that is being written: followed as it grows, and said where it cannot be followed any more."""

from __future__ import annotations

import os
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from jaxscope.compute.growing_file import LOOK_EVERY_S, GrowingFileSource
from jaxscope.errors import ReadError
from jaxscope.readers import open_recording
from jaxscope.resource_files import resource_path

Grow = Callable[[int], None]


def followed(path: Path, **how: float) -> tuple[GrowingFileSource, list[float]]:
    now = [0.0]
    source = GrowingFileSource(
        str(path), open_recording(path), lambda: open_recording(path), clock=lambda: now[0], **how
    )
    return source, now


def polled(source: GrowingFileSource, now: list[float]) -> list[tuple[int, np.ndarray]]:
    now[0] += 100.0
    return [(block.first_sample, block.samples) for block in source.poll()]


def edf_bytes(told: str | None = None) -> tuple[bytes, int, int]:
    """Return the demonstration with another record count in its header, its header size and the size of a record."""
    data = Path(resource_path("demo.edf")).read_bytes()
    header = int(data[184:192])
    records = int(data[236:244])
    if told is not None:
        data = data[:236] + f"{told:<8}".encode() + data[244:]
    return data, header, (len(data) - header) // records


@pytest.mark.parametrize("told", [None, "-1"])
def test_records_that_are_appended_to_an_edf_arrive_once_and_whole(tmp_path, told):
    data, header, record = edf_bytes(told)
    path = tmp_path / "night.edf"
    path.write_bytes(data[: header + 5 * record])
    source, now = followed(path)
    assert polled(source, now) == []
    assert polled(source, now) == []
    got: list[np.ndarray] = []
    # a record and a half, the rest of it, two more
    for stop in (6.5, 7, 9):
        with path.open("ab") as file:
            file.write(data[path.stat().st_size : header + int(stop * record)])
        got += [samples for _, samples in polled(source, now)]
    source.close()
    whole = open_recording(resource_path("demo.edf"))
    first = source.streams[0].channels
    per_record = whole.info.channels[first[0]].n_samples // int(edf_bytes()[0][236:244])
    expected = whole.read(5 * per_record, 9 * per_record, first)
    rows = [samples for samples in got if samples.shape[0] == len(first)]
    assert np.array_equal(np.concatenate(rows, axis=1), expected)
    assert source.position_s == pytest.approx(9 * per_record / source.streams[0].rate_hz)


def test_history_is_what_is_there_already(tmp_path):
    data, header, record = edf_bytes()
    path = tmp_path / "night.edf"
    path.write_bytes(data[: header + 5 * record])
    source, now = followed(path, history_s=2.0)
    (first, samples), *_ = polled(source, now)
    rate_hz = source.streams[0].rate_hz
    assert samples.shape[1] == round(2.0 * rate_hz)
    assert first + samples.shape[1] == source.recording.info.channels[0].n_samples
    source.close()


def test_a_line_of_text_without_an_end_is_not_taken(tmp_path):
    path = tmp_path / "live.csv"
    rows = [f"{n / 100:.2f},{n * 1.25},{-n}" for n in range(200)]
    path.write_text("time_s,a,b\n" + "\n".join(rows[:100]) + "\n")
    source, now = followed(path)
    assert polled(source, now) == []
    with path.open("a") as file:
        file.write("\n".join(rows[100:120]) + "\n" + rows[120][:-2])
    ((first, samples),) = polled(source, now)
    assert (first, samples.shape[1]) == (100, 20)
    with path.open("a") as file:
        file.write(rows[120][-2:] + "\n")
    ((first, samples),) = polled(source, now)
    assert first == 120
    assert samples[:, 0].tolist() == [150.0, -120.0]
    source.close()


def test_a_wave_file_that_was_not_closed_yet_is_followed(tmp_path):
    path = tmp_path / "voice.wav"
    values = (1000 * np.sin(np.arange(4000) / 7)).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(1000)
        file.writeframes(b"")
    with path.open("ab") as file:
        file.write(values[:1500].tobytes())
    source, now = followed(path)
    polled(source, now)
    with path.open("ab") as file:
        file.write(values[1500:].tobytes())
    ((first, samples),) = polled(source, now)
    assert first == 1500
    assert np.allclose(samples[0] / samples[0].max(), values[1500:] / values[1500:].max())
    source.close()


def test_a_header_that_tells_of_no_more_is_said(tmp_path):
    path = tmp_path / "voice.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(1000)
        file.writeframes(bytes(2000))
    source, now = followed(path)
    polled(source, now)
    with path.open("ab") as file:
        file.write(bytes(400))
    assert polled(source, now) == []
    assert source.note == "grows, but its header tells of no more samples yet"
    source.close()


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 10_000)


def exchanged(path: Path) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(path.read_bytes() + path.read_bytes()[-20_000:])
    other.replace(path)


def begun_anew(path: Path) -> None:
    data = bytearray(path.read_bytes())
    size = len(data)
    data += data[-200_000:]
    data[size - 60_000 : size] = bytes(60_000)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (cut, "has become shorter while it was followed"),
        (exchanged, "was replaced by another file"),
        (begun_anew, "was replaced by another file"),
        (Path.unlink, "is no longer there"),
    ],
)
def test_what_cannot_be_followed_is_said(tmp_path, fault, words):
    data, header, record = edf_bytes("-1")
    path = tmp_path / "night.edf"
    path.write_bytes(data[: header + 20 * record])
    source, now = followed(path)
    polled(source, now)
    fault(path)
    with pytest.raises(ReadError, match=words):
        polled(source, now)
    source.close()


def test_a_file_is_looked_at_now_and_then_and_may_be_unreadable_for_a_while(tmp_path):
    data, header, record = edf_bytes("-1")
    path = tmp_path / "night.edf"
    path.write_bytes(data[: header + 5 * record])
    opened = []
    now = [0.0]
    refuses = [True]

    def reopen():
        opened.append(now[0])
        if refuses[0]:
            raise ReadError("night.edf cannot be read: locked", hint="")
        return open_recording(path)

    source = GrowingFileSource(str(path), open_recording(path), reopen, clock=lambda: now[0])
    source.poll()
    path.write_bytes(data[: header + 6 * record])
    for _ in range(10):
        now[0] += LOOK_EVERY_S / 4
        source.poll()
    assert 2 <= len(opened) <= 3
    assert source.note == "waits: night.edf cannot be read: locked"
    refuses[0] = False
    now[0] += 1.0
    assert source.poll()
    assert source.note == ""
    source.close()
