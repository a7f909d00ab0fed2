"""Annotations, record times and gaps in made EDF+ and BDF+ files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxscope.data.annotations import Annotation, Gap
from jaxscope.readers import byte_file, open_first_part, open_recording
from jaxscope.readers.base import OpenOptions
from jaxscope.readers.edf import EDF_FORMAT
from jaxscope.readers.edf_annotations import gaps_between

Write = Callable[..., Path]


def keep_time(*onsets: str, extra: dict[int, bytes] | None = None) -> tuple[bytes, ...]:
    """Return the annotation bytes of records that begin at these times."""
    return tuple(f"{onset}\x14\x14\0".encode() + (extra or {}).get(i, b"") for i, onset in enumerate(onsets))


def plus(
    file: Any, *onsets: str, extra: dict[int, bytes] | None = None, reserved: str = "EDF+C", **changes: Any
) -> Any:
    return file.with_changes(tals=keep_time(*onsets, extra=extra), reserved=reserved, **changes)


def test_annotations_of_all_shapes(plain_edf: Any, write: Write) -> None:
    extra = {
        0: b"+0.5\x151.25\x14blink\x14\0+2\x14one\x14two\x14\0",
        1: "+0.25\x14Größe\x14\0".encode() + b"-0.5\x14before\x14\0",
        3: b"+3\x14Gr\xf6\xdfe\x14\0",
        4: b"+4\x152\x14\x14\0",
    }
    with open_recording(write(plus(plain_edf, "+0", "+1", "+2", "+3", "+4", extra=extra))) as recording:
        assert recording.info.warnings == ()
        assert recording.info.annotations == (
            Annotation(onset_s=-0.5, text="before"),
            Annotation(onset_s=0.25, text="Größe"),
            Annotation(onset_s=0.5, duration_s=1.25, text="blink"),
            Annotation(onset_s=2.0, text="one"),
            Annotation(onset_s=2.0, text="two"),
            Annotation(onset_s=3.0, text="Größe"),
            Annotation(onset_s=4.0, duration_s=2.0, text=""),
        )


@pytest.mark.parametrize("bdf", [False, True])
def test_a_start_between_two_seconds(bdf: bool, plain_edf: Any, plain_bdf: Any, write: Write) -> None:
    file = plus(
        plain_bdf if bdf else plain_edf, "+0.25", "+1.25", "+2.25", "+3.25", "+4.25", extra={1: b"+2\x14x\x14\0"}
    )
    with open_recording(write(file)) as recording:
        assert recording.info.start == datetime(2021, 3, 2, 4, 5, 6, 250_000)
        assert recording.info.annotations == (Annotation(onset_s=1.75, text="x"),)


def test_gaps_follow_from_the_times_of_the_records(plain_edf: Any, write: Write) -> None:
    file = plus(
        plain_edf, "+0.5", "+1.5", "+12.75", "+13.75", "+20", reserved="EDF+D", extra={4: b"+20.25\x14late\x14\0"}
    )
    with open_recording(write(file)) as recording:
        info = recording.info
        assert info.gaps == (Gap(start_s=2.0, stop_s=12.25), Gap(start_s=14.25, stop_s=19.5))
        assert info.duration_s == 20.5
        assert info.annotations == (Annotation(onset_s=19.75, text="late"),)
        assert [info.timeline.second_of(sample, 8.0) for sample in (15, 16, 31, 32, 39)] == [
            1.875,
            12.25,
            14.125,
            19.5,
            20.375,
        ]
        assert info.timeline.second_of(8, 4.0) == 12.25
        assert info.channels[0].n_samples == 40


def test_gaps_in_a_file_that_says_it_has_none_are_told(plain_edf: Any, write: Write) -> None:
    with open_recording(write(plus(plain_edf, "+0", "+1", "+2", "+63", "+64"))) as recording:
        assert recording.info.gaps == (Gap(start_s=3.0, stop_s=63.0),)
        assert any("marked as continuous" in warning for warning in recording.info.warnings)


@pytest.mark.parametrize(
    ("onsets", "words"),
    [
        (("+0", "+1", "+0.5", "+3", "+4"), "begin before the one before them ends"),
        (("+0", "+1", "later", "+3", "+4"), "do not tell when they begin"),
    ],
)
def test_times_that_make_no_sense_are_told(onsets: tuple[str, ...], words: str, plain_edf: Any, write: Write) -> None:
    with open_recording(write(plus(plain_edf, *onsets, reserved="EDF+D"))) as recording:
        assert any(words in warning for warning in recording.info.warnings)
        assert recording.info.gaps == ()


@pytest.mark.parametrize("onset", ["+1e12", "+1e30"])
def test_a_first_record_beyond_all_dates_leaves_the_start_unknown(onset: str, plain_edf: Any, write: Write) -> None:
    with open_recording(write(plus(plain_edf, onset, onset, onset, onset, onset))) as recording:
        assert recording.info.start is None
        assert any("the start is not known" in warning for warning in recording.info.warnings)
        assert np.isfinite(recording.read(0, 4, [0])).all()


def test_unreadable_annotations_are_counted(plain_edf: Any, write: Write) -> None:
    extra = {1: b"soon\x14x\x14\0", 2: b"+2\x15long\x14y\x14\0", 3: b"+3.5\x14good\x14\0"}
    with open_recording(write(plus(plain_edf, "+0", "+1", "+2", "+3", "+4", extra=extra))) as recording:
        assert recording.info.warnings == ("Annotations that cannot be read (2) are left out",)
        assert recording.info.annotations == (Annotation(onset_s=3.5, text="good"),)


def test_annotations_alone_are_a_recording(plain_edf: Any, write: Write) -> None:
    extra = {0: b"+30\x1530\x14Sleep stage W\x14\0"}
    file = plus(plain_edf, "+0", extra=extra, signals=(), record_s=0)
    with open_recording(write(file)) as recording:
        assert recording.info.channels == ()
        assert recording.info.duration_s == 0.0
        assert recording.info.warnings == ()
        assert recording.info.annotations == (Annotation(onset_s=30.0, duration_s=30.0, text="Sleep stage W"),)
        assert recording.read(0, 10).shape == (0, 0)


def test_a_second_annotation_signal_is_read_too(plain_edf: Any, write: Write) -> None:
    text = b"+1.5\x14second\x14\0".ljust(16, b"\0") + b"+2\x14third\x14\0".ljust(16, b"\0") + bytes(48)
    stored = np.frombuffer(text, dtype="<i2").tolist()
    second = replace(plain_edf.signals[0], label="EDF Annotations", stored=stored, per_record=8)
    # The first annotation signal of the file keeps the time, so the other one stands after it.
    first = b"".join(
        tal.ljust(16, b"\0") for tal in keep_time("+0", "+1", "+2", "+3", "+4", extra={3: b"+9\x14a\x14\0"})
    )
    keeper = replace(second, stored=np.frombuffer(first, dtype="<i2").tolist())
    file = plain_edf.with_changes(signals=(plain_edf.signals[0], keeper, second), reserved="EDF+C")
    with open_recording(write(file)) as recording:
        assert [channel.name for channel in recording.info.channels] == ["EEG Fz"]
        assert [(note.onset_s, note.text) for note in recording.info.annotations] == [
            (1.5, "second"),
            (2.0, "third"),
            (9.0, "a"),
        ]


def test_a_gap_mark_without_times_is_told(plain_edf: Any, write: Write) -> None:
    with open_recording(write(plain_edf.with_changes(reserved="EDF+D"))) as recording:
        assert any("no annotation signal" in warning for warning in recording.info.warnings)


def test_annotations_in_many_records_are_all_found(plain_edf: Any, write: Write) -> None:
    n_records = 500
    signal = replace(plain_edf.signals[0], stored=list(range(n_records)), per_record=1)
    extra = {i: f"+{i}.5\x14n{i}\x14\0".encode() for i in range(0, n_records, 7)}
    file = plus(plain_edf, *(f"+{i}" for i in range(n_records)), extra=extra, signals=(signal,))
    with open_recording(write(file)) as recording:
        assert [(note.onset_s, note.text) for note in recording.info.annotations] == [
            (i + 0.5, f"n{i}") for i in range(0, n_records, 7)
        ]


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 50)), max_size=5), st.sampled_from([0.5, 1.0, 9.59375]))
def test_gaps_between_records_against_a_walk(pieces: list[tuple[int, int]], record_s: float) -> None:
    onsets, gaps, now = [7.25], [], record_s
    for n_records, eighths in pieces:
        for _ in range(n_records):
            onsets.append(7.25 + now)
            now += record_s
        gaps.append(Gap(start_s=now, stop_s=now + eighths / 8))
        now += eighths / 8
        onsets.append(7.25 + now)
        now += record_s
    found, n_backwards = gaps_between(np.array(onsets), record_s, 1e-4)
    assert n_backwards == 0
    assert found == tuple(gaps)


def test_rounded_times_are_no_gaps() -> None:
    onsets = np.round(np.arange(1000) * 0.33333, 4)
    assert gaps_between(onsets, 0.33333, 2e-4) == ((), 0)


def test_a_clock_that_drifts_slowly_makes_no_gaps() -> None:
    onsets = np.arange(1000) * 1.00005
    assert gaps_between(onsets, 1.0, 1e-3) == ((), 0)


@pytest.mark.parametrize("reserved", ["EDF+C", "EDF+D"])
@pytest.mark.parametrize("later", ["nothing", "a gap", "a step back", "no time", "a duration", "damage", "two signs"])
def test_what_comes_later_is_the_same_where_the_first_part_was_shown(
    reserved: str, later: str, plain_edf: Any, write: Write, opened_in_parts: Callable[..., Any]
) -> None:
    n_records = 300
    tals = list(keep_time(*map(str, range(n_records)), extra={k: b"+%d\x14note\x14\0" % k for k in (3, 150, 299)}))
    tals[280] = {
        "nothing": tals[280],
        "a gap": tals[280],
        "a step back": b"+270\x14\x14\0",
        "no time": b"",
        "a duration": b"+280\x151\x14\x14\0",
        "damage": b"+280\x14\x14\0junk\0",
        "two signs": b"+2-80\x14\x14\0",
    }[later]
    if later == "a gap":
        tals[280:] = keep_time(*(str(k + 50) for k in range(280, n_records)), extra={19: b"+349\x14note\x14\0"})
    signals = tuple(replace(one, stored=list(one.stored) * (n_records // 5)) for one in plain_edf.signals)
    path = write(plain_edf.with_changes(signals=signals, tals=tuple(tals), reserved=reserved))
    shown, whole = opened_in_parts(path)
    n_shown = shown.channels[0].n_samples
    if reserved == "EDF+C" and later != "a gap":
        assert n_shown == 2400  # they follow each other, so all are known
    else:
        assert 0 < n_shown < 2400
    assert [note.text for note in shown.annotations] == ["note"]
    assert [note.text for note in whole.annotations] == ["note"] * 3
    assert len(whole.gaps) == (later == "a gap")
    words = {
        "a gap": "marked as continuous" if reserved == "EDF+C" else "",
        "a step back": "begin before the one before" if reserved == "EDF+D" else "",
        "no time": "do not tell when they begin (1)" if reserved == "EDF+D" else "",
        "damage": "cannot be read (1)" if reserved == "EDF+D" else "",
        "two signs": "cannot be read (1)" if reserved == "EDF+D" else "",
    }.get(later, "")
    assert words in " | ".join(whole.warnings)
    assert bool(words) == bool(whole.warnings)


def test_a_file_without_annotations_has_nothing_to_go_through(plain_edf: Any, write: Write) -> None:
    with open_first_part(write(plain_edf)).recording as recording:
        assert recording.info.channels[0].n_samples == 40
    scan = EDF_FORMAT.scan
    assert scan is not None
    assert scan(write(plain_edf), OpenOptions()) is None


def test_a_file_that_is_gone_through_soon_is_read_whole_at_once(plain_edf: Any, write: Write) -> None:
    assert open_first_part(write(plus(plain_edf, "0", "1", "2", "3", "4"))).indexing is None


def test_annotations_that_lie_far_apart_are_expected_and_read_the_same(
    plain_edf: Any, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected: list[tuple[int, ...]] = []
    expect = byte_file.ByteFile.expect

    def noted(self: Any, *rows: int) -> None:
        expected.append(rows)
        expect(self, *rows)

    monkeypatch.setattr(byte_file.ByteFile, "expect", noted)
    wide = replace(plain_edf.signals[0], stored=list(range(5 * 4000)), per_record=4000)
    path = write(
        plus(plain_edf.with_changes(signals=(wide,)), "0", "1", "2", "3", "4", extra={4: b"+4.5\x14late\x14\0"})
    )
    with open_recording(path) as recording:
        assert recording.info.annotations == (Annotation(onset_s=4.5, text="late"),)
        assert recording.read(0, 5 * 4000, [0]).shape == (1, 20000)
    assert expected == [(256 * 3 + 8000, 8060, 5, 60)]
