"""BrainVision: synthetic headers with known content, and every real file against an independent reader."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.compute.summary import summarise
from jaxscope.data.annotations import Annotation, Gap
from jaxscope.errors import ReadError
from jaxscope.readers import open_recording

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
EXPECTED: dict[str, dict[str, Any]] = (
    json.loads((DATA / "expected.json").read_text(encoding="utf-8")) if DATA.is_dir() else {}
)
READABLE = [name for name, entry in EXPECTED.items() if name.endswith(".vhdr") and "refused" not in entry]
#: The other reader turns all of these into SI units.
SCALE = {"V": 1.0, "mV": 1e-3, "uV": 1e-6, "nV": 1e-9, "uS": 1e-6, "S": 1.0, "C": 1.0, "ARU": 1.0, "BS": 1.0}

Make = Callable[..., Path]
STORED = np.arange(-30, 30, dtype="<i2").reshape(3, 20)


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that writes a recording of 3 channels and 20 samples, with changes."""

    def write(
        samples: bytes | None = STORED.T.tobytes(),
        *,
        lines: dict[str, str] | None = None,
        channels: tuple[str, ...] = ("Fp1,,0.5,µV", "Fp2,,0.5,µV", "Cz,,2,mV"),
        more: str = "",
        markers: tuple[str, ...] | None = (),
        encoding: str = "utf-8",
    ) -> Path:
        common = {
            "DataFile": "night.eeg",
            "MarkerFile": "night.vmrk",
            "DataFormat": "BINARY",
            "DataOrientation": "MULTIPLEXED",
            "NumberOfChannels": "3",
            "SamplingInterval": "4000",
            "BinaryFormat": "INT_16",
        } | (lines or {})
        form = common.pop("BinaryFormat")
        text = "Brain Vision Data Exchange Header File Version 1.0\n; comment=3\n\n[Common Infos]\n"
        text += "".join(f"{key}={value}\n" for key, value in common.items())
        text += f"[Binary Infos]\nBinaryFormat={form}\n{more}\n[Channel Infos]\n"
        text += "".join(f"Ch{number}={entry}\n" for number, entry in enumerate(channels, 1))
        text += "[Comment]\nSamplingInterval=1\n[Common Infos]\nDataFile=wrong\n"
        header = tmp_path / "night.vhdr"
        header.write_text(text, encoding=encoding)
        if samples is not None:
            (tmp_path / "night.eeg").write_bytes(samples)
        if markers is not None:
            (tmp_path / "night.vmrk").write_text(
                "Brain Vision Data Exchange Marker File, Version 1.0\n[Marker Infos]\n"
                + "".join(f"Mk{number}={entry}\n" for number, entry in enumerate(markers, 1)),
                encoding=encoding,
            )
        return header

    return write


def test_samples_are_scaled_to_the_unit_of_each_channel(make: Make) -> None:
    with open_recording(make()) as recording:
        info = recording.info
        assert [(channel.name, channel.unit, channel.kind) for channel in info.channels] == [
            ("Fp1", "uV", "eeg"),
            ("Fp2", "uV", "eeg"),
            ("Cz", "mV", "eeg"),
        ]
        assert {channel.rate_hz for channel in info.channels} == {250.0}
        assert info.duration_s == pytest.approx(0.08)
        assert info.warnings == ()
        np.testing.assert_array_equal(recording.read(0, 99), STORED * np.array([[0.5], [0.5], [2.0]]))
        np.testing.assert_array_equal(recording.read(7, 9, [2, 0]), STORED[[2, 0], 7:9] * np.array([[2.0], [0.5]]))


@pytest.mark.parametrize("form", ["INT_16", "INT_32", "IEEE_FLOAT_32", "IEEE_FLOAT_64", "UINT_16"])
@pytest.mark.parametrize("orientation", ["MULTIPLEXED", "VECTORIZED"])
@pytest.mark.parametrize("order", ["<", ">"])
def test_all_layouts_give_the_same(make: Make, form: str, orientation: str, order: str) -> None:
    dtype = order + {
        "INT_16": "i2", "INT_32": "i4", "IEEE_FLOAT_32": "f4", "IEEE_FLOAT_64": "f8", "UINT_16": "u2"
    }[form]  # fmt: skip
    stored = np.abs(STORED).astype(dtype)
    table = stored if orientation == "VECTORIZED" else stored.T
    path = make(
        table.tobytes(),
        lines={"BinaryFormat": form, "DataOrientation": orientation},
        more="UseBigEndianOrder=YES" if order == ">" else "",
    )
    with open_recording(path) as recording:
        np.testing.assert_array_equal(recording.read(3, 17, [1]), np.abs(STORED)[[1], 3:17] * 0.5)
        np.testing.assert_array_equal(recording.read(0, 20, [2, 1]), np.abs(STORED)[[2, 1]] * [[2.0], [0.5]])


@pytest.mark.parametrize(("decimal", "more"), [(".", "DecimalSymbol=."), (",", "DecimalSymbol=,"), (",", "")])
def test_c076_text_samples_are_read_with_points_and_commas(make: Make, decimal: str, more: str) -> None:
    values = STORED / 4
    body = "Fp1 Fp2 Cz\n" + "".join(" ".join(f"{x:.2f}" for x in row) + "\n" for row in values.T)
    path = make(
        body.replace(".", decimal).encode(),
        lines={"DataFormat": "ASCII"},
        more=f"[ASCII Infos]\nSkipLines=1\n{more}",
    )
    with open_recording(path) as recording:
        np.testing.assert_array_equal(recording.read(0, 20), values)
        assert any("decimal commas" in warning for warning in recording.info.warnings) == (not more)
        assert any("no resolution is applied" in warning for warning in recording.info.warnings)


def test_text_samples_may_lie_channel_by_channel(make: Make) -> None:
    body = "".join(f"ch{row} " + " ".join(str(x) for x in values) + "\n" for row, values in enumerate(STORED))
    path = make(
        body.encode(),
        lines={"DataFormat": "ASCII", "DataOrientation": "VECTORIZED"},
        more="[ASCII Infos]\nSkipColumns=1",
    )
    with open_recording(path) as recording:
        np.testing.assert_array_equal(recording.read(0, 20), STORED)
    path.with_name("night.eeg").write_text("a 1 2\nb 1 2\nc 1 x\n")
    with pytest.raises(ReadError, match=r"Line 3 of night\.eeg"):
        open_recording(path)


def test_what_the_header_leaves_out_is_assumed_and_told(make: Make) -> None:
    with open_recording(make(channels=("A\\1B,,0.5,", "Fp2", "x,,nought,mV"))) as recording:
        assert [(channel.name, channel.unit) for channel in recording.info.channels] == [
            ("A,B", "uV"),
            ("Fp2", "uV"),
            ("x", "digital"),
        ]
        np.testing.assert_array_equal(recording.read(0, 20), STORED * np.array([[0.5], [1.0], [1.0]]))
        words = " | ".join(recording.info.warnings)
    assert "no unit for A,B, Fp2: uV is assumed" in words
    assert '"nought" as resolution' in words


def test_codes_are_raw_and_unsigned(make: Make) -> None:
    with open_recording(make(channels=("Fp1,,0.5,µV", "Status,,0.5,µV", "Cz,,2,mV"))) as recording:
        channel = recording.info.channels[1]
        assert (channel.kind, channel.unit) == ("status", "")
        np.testing.assert_array_equal(recording.read(0, 20, [1])[0], STORED[1].view("<u2"))


def test_an_old_code_page_is_read(make: Make) -> None:
    with open_recording(make(channels=("Auge,,1,µV", "Müll,,1,µV", "Cz,,2,°C"), encoding="latin-1")) as recording:
        assert [(channel.name, channel.unit) for channel in recording.info.channels][1:] == [
            ("Müll", "uV"),
            ("Cz", "°C"),
        ]


def test_markers_keep_their_place_and_the_first_tells_the_start(make: Make) -> None:
    markers = (
        "New Segment,,1,1,0,20210302040506500000",
        "Stimulus,S  1,6,2,0",
        "Comment,a\\1b,20,0,0",
        "Late,x,99,1,0",
    )
    with open_recording(make(markers=markers)) as recording:
        info = recording.info
    assert info.start == datetime(2021, 3, 2, 4, 5, 6, 500000)
    assert info.annotations == (
        Annotation(onset_s=0.02, duration_s=0.008, text="Stimulus/S  1"),
        Annotation(onset_s=0.076, duration_s=0.0, text="Comment/a,b"),
    )
    assert any("1 markers lie outside" in warning for warning in info.warnings)


def test_a_pause_between_segments_is_a_gap(make: Make) -> None:
    markers = (
        "New Segment,,1,1,0,20210302040506000000",
        "New Segment,,11,1,0,20210302040516040000",
        "Stimulus,S1,11,1,0",
        "New Segment,,16,1,0,20210302040516061000",
    )
    with open_recording(make(markers=markers)) as recording:
        info = recording.info
        assert recording.read(9, 11, [0]).tolist() == [[-10.5, -10.0]]
    assert info.gaps == (Gap(start_s=pytest.approx(0.04), stop_s=pytest.approx(10.04)),)
    assert info.annotations[1].onset_s == pytest.approx(10.04)
    assert info.duration_s == pytest.approx(10.08)


def test_segments_without_a_date_are_told(make: Make) -> None:
    with open_recording(make(markers=("New Segment,,1,1,0", "New Segment,,11,1,0"))) as recording:
        assert recording.info.gaps == ()
        assert any("do not tell when they began" in warning for warning in recording.info.warnings)


def test_c076_missing_markers_are_told_and_missing_samples_are_named(make: Make) -> None:
    with open_recording(make(markers=None)) as recording:
        assert any("night.vmrk" in warning for warning in recording.info.warnings)
    path = make()
    path.with_name("night.eeg").unlink()
    with pytest.raises(ReadError, match=r"night\.eeg.*is not there"):
        open_recording(path)


def test_samples_and_markers_open_through_their_header(make: Make) -> None:
    header = make()
    for suffix in (".eeg", ".vmrk"):
        with open_recording(header.with_suffix(suffix)) as recording:
            assert recording.info.channels[0].n_samples == 20
    header.unlink()
    with pytest.raises(ReadError, match=r"night\.vhdr"):
        open_recording(header.with_suffix(".eeg"))


def test_a_short_file_gives_whole_samples_and_a_word(make: Make) -> None:
    with open_recording(make(STORED.T.tobytes()[:-8], lines={"DataPoints": "20"})) as recording:
        assert recording.info.channels[0].n_samples == 18
        words = " | ".join(recording.info.warnings)
    assert "promises 20 samples; night.eeg holds 18" in words
    assert "4 bytes after the last whole sample" in words


def test_a_marker_file_that_cannot_be_one_costs_neither_memory_nor_the_recording(make: Make) -> None:
    for name in ("long" * 100, "."):
        with open_recording(make(lines={"MarkerFile": name})) as recording:
            assert recording.info.annotations == ()
    path = make(lines={"MarkerFile": "night.vmrk"})
    with path.with_name("night.vmrk").open("wb") as file:
        file.truncate(1 << 40)  # nothing on disk, and more than any memory
    with open_recording(path) as recording:
        assert any("night.vmrk is too large" in warning for warning in recording.info.warnings)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"samples": b""}, r"night\.eeg.* is empty"),
        ({"samples": b"abc"}, "not even one sample"),
        ({"lines": {"NumberOfChannels": "2000000000"}}, "promises 2,000,000,000 channels and describes 3"),
        ({"lines": {"SamplingInterval": "0"}}, '"0" as sampling interval'),
        ({"lines": {"SamplingInterval": "5e-324"}}, '"5e-324" as sampling interval'),
        ({"lines": {"DataFile": ""}}, "does not name its data file"),
        ({"lines": {"DataFile": "."}}, "does not name its data file"),
        ({"lines": {"DataFile": "long" * 100}}, "is not there"),
        ({"lines": {"DataType": "FREQUENCYDOMAIN"}}, "FREQUENCYDOMAIN"),
        ({"lines": {"BinaryFormat": "INT_12"}}, "INT_12"),
        ({"lines": {"DataOrientation": "DIAGONAL"}}, "DIAGONAL"),
        ({"lines": {"DataOrientation": "VECTORIZED"}, "samples": STORED.tobytes()[:-2]}, "ends before its last"),
        ({"lines": {"DataOrientation": "VECTORIZED", "DataPoints": "21"}}, "21 samples"),
    ],
)
def test_what_has_no_meaning_is_refused(make: Make, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ReadError, match=words) as caught:
        open_recording(make(**changes))
    assert caught.value.hint


@pytest.mark.shared
@pytest.mark.parametrize("name", READABLE)
def test_every_file_agrees_with_an_independent_reader(name: str, shared_data: Path) -> None:
    expected = EXPECTED[name]
    with open_recording(shared_data / name) as recording:
        found = summarise(recording)
    assert found["duration_s"] == pytest.approx(expected["duration_s"])
    assert len(found["channels"]) == expected["n_channels"]
    assert len(found["annotations"]) == expected["n_annotations"]
    for note, (onset_s, duration_s, text) in zip(found["annotations"], expected["annotations"], strict=False):
        assert note == {
            "onset_s": pytest.approx(onset_s, abs=1e-6),
            "duration_s": pytest.approx(duration_s),
            "text": text,
        }
    by_name = {channel["name"]: channel for channel in found["channels"]}
    for right in expected["channels"]:
        channel = by_name[right["name"]]
        scale = SCALE[channel["unit"]]
        assert (channel["n_samples"], channel["n_nan"]) == (right["n"], right["n_nan"])
        assert [channel["rate_hz"]] == expected["rates"]
        np.testing.assert_allclose(np.multiply(channel["first"], scale), right["first"], rtol=1e-6)
        for key in ("min", "max", "mean"):
            atol = 1e-6 * (right["max"] - right["min"])
            np.testing.assert_allclose(channel[key] * scale, right[key], rtol=1e-6, atol=atol)


@pytest.mark.shared
def test_c074_one_value_in_four_units(shared_data: Path) -> None:
    with open_recording(shared_data / "brainvision" / "test_units.vhdr") as recording:
        first = recording.read(0, 1)[:4, 0]
        units = [channel.unit for channel in recording.info.channels[:4]]
    with open_recording(shared_data / "brainvision" / "testv2.vhdr") as recording:
        plain = recording.read(0, 1)[:4, 0]
    assert units == ["nV", "mV", "V", "uV"]
    np.testing.assert_allclose(first, plain * [1e3, 1e-3, 1e-6, 1.0])
    assert plain[0] == -23.5


@pytest.mark.shared
def test_c077_orientation_changes_nothing(shared_data: Path) -> None:
    with open_recording(shared_data / "derived" / "bv_vectorized.vhdr") as recording:
        turned = recording.read(0, 7900)
    with open_recording(shared_data / "brainvision" / "test.vhdr") as recording:
        np.testing.assert_array_equal(recording.read(0, 7900), turned)


@pytest.mark.shared
def test_a_renamed_recording_names_the_missing_file(shared_data: Path) -> None:
    with pytest.raises(ReadError, match=r"test\.eeg"):
        open_recording(shared_data / "derived" / "bv_renamed_set.vhdr")


@pytest.mark.parametrize("later", ["", "1 2\n", "1 x 3\n", "1 nan 3\n", "\n\n4,5 2 3\n"])
def test_text_that_comes_later_is_the_same_where_the_first_part_was_shown(
    later: str, make: Make, opened_in_parts: Callable[..., Any]
) -> None:
    body = "names\n" + "".join(f"{k * 0.25}  {-k}\t{k}\r\n" for k in range(2000)) + later
    path = make(
        body.encode(),
        lines={"DataFormat": "ASCII"},
        more="[ASCII Infos]\nSkipLines=1",
        channels=("Fp1,,1,µV", "Fp2,,1,µV", "Cz,,1,mV"),
        markers=("Stimulus,S  1,6,2,0", "Stimulus,S  2,1900,2,0"),
    )
    if later in ("1 2\n", "1 x 3\n"):  # as one sentence with its line, whether the first part was shown or not
        words = "has 2 numbers, the first has 3" if later == "1 2\n" else "holds something that is no number"
        with pytest.raises(ReadError, match=f"Line 2002 of night.eeg {words}"):
            open_recording(path)
        with pytest.raises(ReadError, match=f"Line 2002 of night.eeg {words}"):
            opened_in_parts(path)
        return
    shown, whole = opened_in_parts(path)
    assert 0 < shown.channels[0].n_samples < 2000 <= whole.channels[0].n_samples
    assert [note.text for note in whole.annotations] == ["Stimulus/S  1", "Stimulus/S  2"]
    assert ("decimal commas" in str(whole.warnings)) == ("," in later)


def test_a_header_that_names_itself_holds_no_samples(tmp_path: Path) -> None:
    (tmp_path / "x.vhdr").write_text(
        "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nDataFile=x.vhdr\nNumberOfChannels=1\n"
        "SamplingInterval=1000\n[Binary Infos]\nBinaryFormat=INT_16\n[Channel Infos]\nCh1=Fz,,1,uV\n"
    )
    with pytest.raises(ReadError, match="names itself"):
        open_recording(tmp_path / "x.vhdr")
