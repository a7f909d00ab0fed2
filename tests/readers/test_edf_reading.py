"""Made EDF and BDF files: calibration, ways of reading, headers that lie."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxscope.compute.summary import summarise
from jaxscope.errors import ReadError
from jaxscope.readers import edf_records, open_recording

Write = Callable[..., Path]


def physical(signal: Any) -> np.ndarray:
    """Return the values of a signal by the formula of the specification."""
    (p0, p1), (d0, d1) = signal.physical, signal.digital
    return p0 + (np.array(signal.stored, dtype=np.float64) - d0) * (p1 - p0) / (d1 - d0)


@pytest.mark.parametrize("kind", ["plain_edf", "plain_bdf"])
def test_values_follow_the_formula_of_the_specification(
    kind: str, write: Write, request: pytest.FixtureRequest
) -> None:
    file = request.getfixturevalue(kind)
    with open_recording(write(file)) as recording:
        assert recording.info.duration_s == 5.0
        assert [channel.rate_hz for channel in recording.info.channels[:3]] == [8.0, 8.0, 4.0]
        for index, signal in enumerate(file.signals[:3]):
            found = recording.read(0, 99, [index])[0]
            np.testing.assert_allclose(found, physical(signal), rtol=1e-12, atol=1e-9)


def test_codes_are_unsigned_bits(plain_bdf: Any, write: Write) -> None:
    with open_recording(write(plain_bdf)) as recording:
        status = recording.info.channels[3]
        assert (status.kind, status.unit, status.is_data) == ("status", "", False)
        np.testing.assert_array_equal(recording.read(0, 4, [3])[0], [0x980000, 0x980001, 3, 4])


def test_edf_codes_are_unsigned_too(plain_edf: Any, write: Write) -> None:
    codes = replace(plain_edf.signals[0], label="Trigger", stored=[-1, 0, 1, -32768] * 10)
    with open_recording(write(plain_edf.with_changes(signals=(codes, *plain_edf.signals[1:])))) as recording:
        np.testing.assert_array_equal(recording.read(0, 4, [0])[0], [65535, 0, 1, 32768])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.integers(-3, 45),
    length=st.integers(0, 45),
    chunk=st.sampled_from([1, 100, 1 << 20]),
    large=st.sampled_from([1, 1 << 20]),
    page=st.sampled_from([0, 4096]),
    chosen=st.lists(st.sampled_from([0, 1]), min_size=1, max_size=3),
)
def test_every_way_of_reading_gives_the_same(
    plain_bdf: Any, write: Write, start: int, length: int, chunk: int, large: int, page: int, chosen: list[int]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edf_records, "CHUNK_BYTES", chunk)
        patch.setattr(edf_records, "_LARGE_RECORD_BYTES", large)
        patch.setattr(edf_records, "_PAGE_BYTES", page)
        with open_recording(write(plain_bdf)) as recording:
            found = recording.read(start, start + length, chosen)
    stop = max(start + length, 0)
    expected = np.stack([physical(plain_bdf.signals[index])[max(start, 0) : stop] for index in chosen])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-9)


def test_channels_of_two_rates_are_read_apart(plain_edf: Any, write: Write) -> None:
    with open_recording(write(plain_edf)) as recording:
        with pytest.raises(ReadError, match="EEG Fz and Temp rectal differ"):
            recording.read(0, 4)
        assert recording.read(0, 4, [2]).shape == (1, 4)


def test_a_file_that_shrinks_while_open_is_an_error_and_not_a_crash(plain_edf: Any, write: Write) -> None:
    path = write(plain_edf)
    with open_recording(path) as recording:
        path.write_bytes(path.read_bytes()[:-60])
        with pytest.raises(ReadError, match="has become shorter"):
            recording.read(0, 40, [0])


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("n_records", -1, "does not tell the number of data records; the file holds 5"),
        ("n_records", "abc", 'number of data records is "abc"'),
        ("n_records", 9, "stops too early to be complete: the header promises 9 data records (9 s)"),
        ("n_records", 2, "tells of 2 data records; the file holds 5, and all are read"),
        ("header_bytes", 999, "says that it is 999 bytes long"),
        ("date", "31.02.21", 'has "31.02.21" as date'),
        ("date", "gestern", 'has "gestern" as date'),
        ("date", "02/03/21", 'written "02/03/21"'),
        ("record_s", "1,0", "with a decimal comma; read as 1"),
    ],
)
def test_a_small_error_in_the_header_is_told_and_survived(
    field: str, value: Any, words: str, plain_edf: Any, write: Write
) -> None:
    with open_recording(write(plain_edf.with_changes(**{field: value}))) as recording:
        assert sum(words in warning for warning in recording.info.warnings) == 1
        np.testing.assert_allclose(recording.read(0, 40, [0])[0], physical(plain_edf.signals[0]), rtol=1e-12)


@pytest.mark.parametrize(
    ("date", "recording_field", "year"),
    [
        ("02.03.21", "x", 2021),
        ("02.03.85", "x", 1985),
        ("02.03.84", "x", 2084),
        ("02.03.70", "Startdate 02-MAR-1970 X", 1970),
        ("02.03.70", "Startdate 03-MAR-1970 X", 2070),
    ],
)
def test_two_digits_of_a_year(date: str, recording_field: str, year: int, plain_edf: Any, write: Write) -> None:
    with open_recording(write(plain_edf.with_changes(date=date, recording=recording_field))) as recording:
        assert recording.info.start == datetime(year, 3, 2, 4, 5, 6)


@pytest.mark.parametrize(
    ("changes", "unit", "words"),
    [
        ({"physical": (5, 5)}, "digital", "physical minimum and maximum are both 5"),
        ({"digital": (7, 7)}, "digital", "digital minimum and maximum are both 7"),
        ({"physical": ("low", 5)}, "digital", "not a number"),
    ],
)
def test_a_channel_without_calibration_is_digital(
    changes: dict[str, Any], unit: str, words: str, plain_edf: Any, write: Write
) -> None:
    broken = replace(plain_edf.signals[0], **changes)
    with open_recording(write(plain_edf.with_changes(signals=(broken, *plain_edf.signals[1:])))) as recording:
        assert recording.info.channels[0].unit == unit
        assert any(words in warning for warning in recording.info.warnings)
        np.testing.assert_array_equal(recording.read(0, 40, [0])[0], broken.stored)


def test_an_unknown_rate_may_be_given(plain_edf: Any, write: Write) -> None:
    path = write(plain_edf.with_changes(record_s=0))
    with open_recording(path) as recording:
        assert [channel.rate_hz for channel in recording.info.channels] == [None] * 3
        assert recording.info.duration_s is None
        found = summarise(recording)
        assert [channel["n_samples"] for channel in found["channels"]] == [40, 40, 20]
    with open_recording(path, rate_hz=16.0) as recording:
        assert [channel.rate_hz for channel in recording.info.channels] == [16.0, 16.0, 8.0]
        assert recording.info.duration_s == 2.5
        assert any("16 Hz, as given" in warning for warning in recording.info.warnings)


def test_a_rate_that_the_file_knows_better_is_not_used(plain_edf: Any, write: Write) -> None:
    with open_recording(write(plain_edf), rate_hz=99.0) as recording:
        assert recording.info.channels[0].rate_hz == 8.0
        assert any("used and not 99 Hz, as given" in warning for warning in recording.info.warnings)


def test_the_size_is_held_against_the_counts(plain_edf: Any, write: Write) -> None:
    content = plain_edf.to_bytes()
    with open_recording(write(content + b"footer")) as recording:
        assert recording.info.duration_s == 5.0
        assert recording.info.warnings == ("6 bytes after the last whole data record are left out",)
    with pytest.raises(ReadError, match="does not fit its size"):
        open_recording(write(content + bytes(9001)))
    with pytest.raises(ReadError, match="stops before the end of its first data record"):
        open_recording(write(content[: 256 * 4 + 10]))


@pytest.mark.parametrize(
    ("field", "position", "text"),
    [("signals", 252, b"9999"), ("signals", 252, b"0   "), ("signals", 252, b"-1  "), ("signals", 252, b"xx  ")],
)
def test_a_number_of_signals_that_lies_is_refused(
    field: str, position: int, text: bytes, plain_edf: Any, write: Write
) -> None:
    content = bytearray(plain_edf.to_bytes())
    content[position : position + len(text)] = text
    with pytest.raises(ReadError):
        open_recording(write(bytes(content)))


@pytest.mark.parametrize("samples", ["99999999", "-5", "many", ""])
def test_samples_per_record_that_lie_take_no_memory(samples: str, plain_edf: Any, write: Write) -> None:
    content = bytearray(plain_edf.to_bytes())
    start = 256 + 3 * (16 + 80 + 8 * 5 + 80)
    content[start : start + 8] = samples.encode().ljust(8)
    with pytest.raises(ReadError) as caught:
        open_recording(write(bytes(content)))
    assert "\n" not in caught.value.sentence()


def test_a_signal_without_samples_is_left_out_and_told(plain_edf: Any, write: Write) -> None:
    empty = replace(plain_edf.signals[1], label="Nothing", per_record=0, stored=[])
    with open_recording(write(plain_edf.with_changes(signals=(plain_edf.signals[0], empty)))) as recording:
        assert [channel.name for channel in recording.info.channels] == ["EEG Fz"]
        assert any("Nothing has no samples" in warning for warning in recording.info.warnings)


def test_the_patient_is_in_no_word_of_info(plain_edf: Any, write: Write) -> None:
    with open_recording(write(plain_edf.with_changes(date="xx"))) as recording:
        text = json.dumps(summarise(recording))
    assert "Secretname" not in text
    assert "0234567" not in text


def test_equal_labels_get_numbers(plain_edf: Any, write: Write) -> None:
    twice = plain_edf.with_changes(signals=(plain_edf.signals[0], plain_edf.signals[0]))
    with open_recording(write(twice)) as recording:
        assert [channel.name for channel in recording.info.channels] == ["EEG Fz", "EEG Fz #2"]


@pytest.mark.parametrize("unit", ["µV".encode("latin-1"), "µV".encode(), "μV".encode()])
def test_micro_in_any_encoding_is_ascii(unit: bytes, plain_edf: Any, write: Write) -> None:
    signal = replace(plain_edf.signals[0], unit=unit)
    with open_recording(write(plain_edf.with_changes(signals=(signal,)))) as recording:
        assert recording.info.channels[0].unit == "uV"


def test_a_given_rate_that_is_the_own_one_is_no_news(plain_edf: Any, write: Write) -> None:
    one = plain_edf.with_changes(signals=plain_edf.signals[:2])
    with open_recording(write(one), rate_hz=8.0) as recording:
        assert recording.info.warnings == ()


def test_names_hold_nothing_that_breaks_a_line_or_a_terminal(plain_edf: Any, write: Write) -> None:
    signal = replace(plain_edf.signals[0], label="EEG\x1b[31m\nFz")
    with open_recording(write(plain_edf.with_changes(signals=(signal,)))) as recording:
        assert recording.info.channels[0].name == "EEG [31m Fz"


@pytest.mark.parametrize("physical", [("-1e308", "1e308"), ("-1e-320", "1e-320")])
def test_a_range_that_no_float_holds_is_told_and_not_infinite(physical: Any, plain_edf: Any, write: Write) -> None:
    signal = replace(plain_edf.signals[0], physical=physical)
    with open_recording(write(plain_edf.with_changes(signals=(signal,)))) as recording:
        assert recording.info.channels[0].unit == "digital"
        assert "no float can hold its range" in recording.info.warnings[0]
        np.testing.assert_array_equal(recording.read(0, 40)[0], signal.stored)
