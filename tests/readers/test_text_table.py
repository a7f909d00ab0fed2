"""Tables of text: real exports of many programs, and made ones for each way of writing a table."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from jaxscope.data.recording import Recording
from jaxscope.errors import ReadError
from jaxscope.readers import open_recording, text_table_cells, text_table_pieces
from jaxscope.readers.base import OpenOptions
from jaxscope.readers.text_table import FORMAT
from jaxscope.readers.text_table_layout import is_number

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
TIME_NAMES = {"timer", "datetime", "%time", "t", "time", "__time", "Date", "Time"}


def read(path: Path, rate_hz: float | None = None) -> Recording:
    return FORMAT.open(path, OpenOptions(rate_hz=rate_hz))


def make(tmp_path: Path, text: str, encoding: str = "utf-8") -> Recording:
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(encoding))
    return read(path)


def shared_names() -> list[str]:
    if not SHARED.is_dir():
        return []
    table = json.loads((SHARED / "expected.json").read_text())
    return [name for name, entry in table.items() if name.endswith((".csv", ".txt")) and "refused" not in entry]


@pytest.mark.shared
@pytest.mark.parametrize("name", shared_names())
def test_agrees_with_the_reference_reader(name: str, shared_data: Path) -> None:
    entry = json.loads((shared_data / "expected.json").read_text())[name]
    columns = entry.get("columns") or entry.get("channels")
    recording = read(shared_data / name)
    channels = recording.info.channels
    samples = recording.read(0, 10**9)
    by_name = {channel.name: index for index, channel in enumerate(channels)}
    n_compared = 0
    for place, wanted in enumerate(columns):
        label = wanted.get("name", str(place))
        is_text = wanted["n_nan"] == wanted["n"]
        if label in TIME_NAMES or is_text:
            assert label not in by_name
            continue
        # Where the reference reader saw no header, its names are places.
        index = place if label == str(place) else by_name[label]
        row = samples[index]
        assert channels[index].n_samples == wanted["n"]
        assert np.count_nonzero(np.isnan(row)) == wanted["n_nan"]
        first = [np.nan if value is None else value for value in wanted["first"]]
        np.testing.assert_allclose(row[: len(first)], first, rtol=1e-6)
        found = [np.nanmin(row), np.nanmax(row), np.nanmean(row)]
        np.testing.assert_allclose(found, [wanted[key] for key in ("min", "max", "mean")], rtol=1e-6, atol=1e-9)
        n_compared += 1
    assert n_compared or not channels


#: Rate, start, number of channels, and what the warnings must speak of.
REAL = {
    "csv/heartpy_data.csv": (None, None, 1, ["no sampling rate"]),
    "csv/heartpy_data2.csv": (116.98775, None, 1, ["milliseconds"]),
    "csv/heartpy_data3.csv": (
        100.41824,
        datetime(2016, 11, 24, 13, 58, 58, 81000),
        1,
        ["24,775 times repeat", "100.418"],
    ),
    "csv/plotjuggler_fake_joints.csv": (
        1000.16823,
        datetime(2017, 2, 8, 13, 5, 6, 139796, UTC),
        20,
        ["uneven", "field.name0", "field.header.frame_id"],
    ),
    "csv/plotjuggler_motor_data.csv": (1000.0, None, 10, []),
    "csv/plotjuggler_simple_fft.csv": (1000.0, None, 1, []),
    "csv/plotjuggler_turtle.csv": (27.282, datetime(2014, 3, 31, 19, 24, 48, 886000, UTC), 12, ["uneven"]),
    "csv/pyomeca_analogs.csv": (2000.0, None, 40, []),
    "csv/pyomeca_markers.csv": (100.0, None, 155, []),
    "csv/pyomeca_markers_without_header.csv": (None, None, 155, ["no sampling rate"]),
    "csv_cirrus/det_global_0010ms_comma_1dec.csv": (100.0, datetime(2014, 8, 19, 1, 33, 25), 13, []),
    "csv_cirrus/det_third_2000ms_semicolon_2dec.csv": (0.5, datetime(2014, 8, 19, 1, 31, 53), 36, []),
    "csv_cirrus/det_global_general_semicolon_1dec.csv": (None, None, 0, ["Type, Value"]),
    "derived/motor_missing_tokens_row600.csv": (1000.0, None, 10, ["599/600", "infinite"]),
    "derived/motor_nonmonotonic_dup_time.csv": (1000.0, None, 10, ["300/301", "row 400"]),
    "derived/motor_ragged_rows_500_700.csv": (1000.0, None, 10, ["Row 500", "Row 700"]),
    "txt_opensignals/plux_sync_acc_2.txt": (1000.0, datetime(2019, 3, 29, 13, 55, 26, 528000), 5, []),
    "txt_biosppy/acc.txt": (100.0, None, 3, []),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", list(REAL))
def test_real_exports_give_their_rate_start_and_warnings(name: str, shared_data: Path) -> None:
    rate_hz, start, n_channels, words = REAL[name]
    info = read(shared_data / name).info
    assert len(info.channels) == n_channels
    if n_channels:
        (rate,) = {channel.rate_hz for channel in info.channels}
        assert rate == (rate_hz if rate_hz is None else pytest.approx(rate_hz, rel=1e-6))
    assert info.start == start
    told = " | ".join(info.warnings)
    assert all(word in told for word in words), told
    assert bool(info.warnings) is bool(words), told


@pytest.mark.shared
def test_c096_c097_semicolon_twins_equal_comma_ones(shared_data: Path) -> None:
    folder = shared_data / "csv_cirrus"
    for comma in folder.glob("*_comma_*"):
        twin = read(folder / comma.name.replace("comma", "semicolon"))
        recording = read(comma)
        assert recording.info == twin.info
        np.testing.assert_array_equal(recording.read(0, 10**6), twin.read(0, 10**6))
    utf16 = read(shared_data / "derived/cirrus_semicolon_utf16le_bom.csv")
    np.testing.assert_array_equal(utf16.read(0, 100), read(folder / "det_global_0250ms_comma_1dec.csv").read(0, 100))
    assert utf16.info.channels[0].rate_hz == 4.0


@pytest.mark.shared
def test_vicon_names_and_units(shared_data: Path) -> None:
    channels = read(shared_data / "csv/pyomeca_markers.csv").info.channels
    assert [(channel.name, channel.unit) for channel in channels[1:4]] == [
        ("Sub Frame", ""),
        ("boite:gauche_ext X", "mm"),
        ("boite:gauche_ext Y", "mm"),
    ]
    assert len({channel.name for channel in channels}) == 155
    emg = read(shared_data / "csv/pyomeca_analogs.csv").info.channels[8]
    assert (emg.name, emg.unit, emg.kind) == ("EMG1", "V", "emg")


@pytest.mark.parametrize(
    ("separator", "decimal"), [(a, b) for a in (",", ";", "\t", "|", " ", "   ") for b in (".", ",") if a != b]
)
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_layouts(separator: str, decimal: str, header: bool, line_end: str, tmp_path: Path) -> None:
    values = np.round(np.random.default_rng(2).standard_normal((3, 60)), 3)
    rows = [separator.join(f"{value:.3f}".replace(".", decimal) for value in row) for row in values.T]
    lines = [separator.join(["Fp1", "resp", "x"])] * header + rows
    recording = make(tmp_path, line_end.join(lines) + line_end)
    np.testing.assert_array_equal(recording.read(0, 60), values)
    names = [channel.name for channel in recording.info.channels]
    assert names == (["Fp1", "resp", "x"] if header else ["ch0", "ch1", "ch2"])
    assert recording.info.channels[0].kind == ("eeg" if header else "misc")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_encodings(encoding: str, tmp_path: Path) -> None:
    recording = make(tmp_path, "Füße (µV),b\n" + "1.5,2\n" * 20, encoding)
    channel = recording.info.channels[0]
    assert (channel.name, channel.unit) == ("Füße", "uV")
    assert any("not in UTF-8" in warning for warning in recording.info.warnings) is (encoding == "cp1252")


def test_missing_and_bad_cells(tmp_path: Path) -> None:
    text = "a,b\n" + "1,2\n" * 10 + "NA,\n" + ",nan\n" + "-,inf\n" + "oops,3\n" + "4,5\n"
    recording = make(tmp_path, text)
    a, b = recording.read(0, 100)
    np.testing.assert_array_equal(a[10:], [np.nan, np.nan, np.nan, np.nan, 4])
    np.testing.assert_array_equal(b[10:], [np.nan, np.nan, np.nan, 3, 5])
    told = " | ".join(recording.info.warnings)
    assert "a: 1 cell is no number and is read as missing (row 14)" in told
    assert "b: infinite values are read as missing (row 13)" in told


def test_repeated_names_are_numbered(tmp_path: Path) -> None:
    info = make(tmp_path, "a,b,a\n" + "1,2,3\n" * 5).info
    assert [channel.name for channel in info.channels] == ["a", "b", "a #2"]


def test_quotes_comments_empty_lines_and_a_separator_too_many(tmp_path: Path) -> None:
    text = '# Sampling rate: 2 kHz\n\n"a, left";"b";\n"1,5";2;\n\n# note\n3;"4";\n5;6;\n'
    recording = make(tmp_path, text)
    assert [channel.name for channel in recording.info.channels] == ["a, left", "b"]
    assert recording.info.channels[0].rate_hz == 2000.0
    np.testing.assert_array_equal(recording.read(0, 9), [[1.5, 3, 5], [2, 4, 6]])


def test_a_given_rate_serves_where_there_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n" + "1\n2\n" * 5)
    assert read(path, 20.0).info.channels[0].rate_hz == 20.0
    path.write_text("time,a\n" + "".join(f"{index / 10},1\n" for index in range(20)))
    info = read(path, 20.0).info
    assert info.channels[0].rate_hz == 10.0
    assert "10 Hz" in info.warnings[0]


def test_a_summary_without_columns_of_numbers_opens_and_says_so(tmp_path: Path) -> None:
    info = make(tmp_path, '"Type","Value"\n' + "".join(f'"L{n}","{n}.5 dB"\n' for n in range(20))).info
    assert info.channels == ()
    assert info.warnings == ("Columns with text are left out: Type, Value",)


@pytest.mark.parametrize(
    "data",
    [
        b"Dear reader,\nthis is a letter and not a table.\nIt has commas, here, and there.\nYours\n",
        b"Hello, world\n",
        b"It was late, and dark.\nWe went home, slowly.\nThere we slept, at last.\n",
        b"name;city\nTom;Rome\nAnn;Oslo\n",
        b"%PDF-1.4\x00\x01\x02\x03" * 30,
        b"\n\n\n",
        b"# only a comment\n",
        bytes(range(256)) * 8,
    ],
)
def test_what_is_no_table_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    with pytest.raises(ReadError, match=r"a\.csv"):
        read(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("data", "is_table"),
    [
        (b"time,a\n" + b"0.1,2\n" * 50, True),
        (b"1\n2\n3\n4\n5\n", True),
        ("a;b\n1,5;2\n1,5;2\n1,5;2\n1,5;2\n".encode("utf-16"), True),
        (b"Dear reader,\nthis is a letter.\nYours\nsomebody\n", False),
        (b'{"format": "jaxscope-chain",\n "version": 1,\n "stages": []}\n', False),
        (b"name,place\nAnna,Rome\nBert,Oslo\nCarl,Bonn\n", False),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", False),
    ],
)
def test_sniffing_knows_tables_of_numbers(data: bytes, is_table: bool) -> None:
    assert FORMAT.sniff(data) is is_table


def test_pieces_join_without_a_seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f'{index / 10},{index * 3},"a, ""b""\n{index}",{index % 11}' for index in range(3000)]
    rows[2000] = "200.0,oops,x,inf"
    rows[2500] = "250.0,1"
    text = "time,a,note,b\n" + "\n".join(rows) + "\n"
    whole = make(tmp_path, text)
    monkeypatch.setattr(text_table_pieces, "PIECE_BYTES", 1000)
    pieces = make(tmp_path, text)
    assert pieces.info == whole.info
    np.testing.assert_array_equal(pieces.read(0, 10**6), whole.read(0, 10**6))
    assert whole.info.channels[0].rate_hz == 10.0
    assert whole.info.channels[0].n_samples == 3000
    told = " | ".join(whole.info.warnings)
    assert "a: 1 cell is no number and is read as missing (row 2001)" in told
    assert "b: infinite values are read as missing (row 2001)" in told
    assert "Row 2501 has too few cells" in told


def test_line_ends_in_the_header_and_a_line_that_names_the_separator(tmp_path: Path) -> None:
    recording = make(tmp_path, 'sep=;\n"a\n(mV)";"b"\n' + "1,5;2\n2,5;3\n" * 4)
    np.testing.assert_array_equal(recording.read(0, 2), [[1.5, 2.5], [2, 3]])
    assert recording.info.channels[0].n_samples == 8
    assert recording.info.channels[1].name == "b"
    assert [text for text in recording.info.warnings if "cells" in text] == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('time,a\n0.00,"1,234.5"\n0.01,"-12,345,678.25"\n0.02,7\n0.03,"1,500"\n', [1234.5, -12345678.25, 7, 1500]),
        ("time;a\n0,00;1.234,5\n0,01;-12.345.678,25\n0,02;7,5\n0,03;1.500\n", [1234.5, -12345678.25, 7.5, 1500]),
        ("time;a\n0,00;1 234,5\n0,01;1\u202f234,5\n0,02;1’234,5\n0,03;7\n", [1234.5, 1234.5, 1234.5, 7]),
        ("time\ta\n0.00\t1,234.5\n0.01\t2.5\n0.02\t3,000.0\n0.03\t4.0\n", [1234.5, 2.5, 3000, 4]),
    ],
)
def test_marks_between_thousands_are_read_and_told(text: str, values: list[float], tmp_path: Path) -> None:
    recording = make(tmp_path, text)
    np.testing.assert_array_equal(recording.read(0, 9), [values])
    assert recording.info.channels[0].rate_hz == 100.0
    assert "marks between thousands" in recording.info.warnings[0]


def test_a_decimal_point_among_decimal_commas_is_told_and_no_thousand(tmp_path: Path) -> None:
    recording = make(tmp_path, "time;a\n0,00;1.234\n0,01;1.5\n0,02;0.125\n0,03;3\n")
    np.testing.assert_array_equal(recording.read(0, 9), [[1.234, 1.5, 0.125, 3]])
    assert recording.info.warnings == ("a: 3 cells have a decimal point and not the decimal comma of the file",)


def test_the_mathematical_minus_is_a_minus(tmp_path: Path) -> None:
    recording = make(tmp_path, "time,a\n0.0,\u22121.5\n0.1,2\n0.2,\u22123e\u22122\n")
    np.testing.assert_array_equal(recording.read(0, 3), [[-1.5, 2, -0.03]])


def test_empty_lines_among_the_rows_are_told(tmp_path: Path) -> None:
    recording = make(tmp_path, "\n\na\n1.5\n\n2.5\n \n3.5\n\n")
    np.testing.assert_array_equal(recording.read(0, 9), [[1.5, 2.5, 3.5]])
    assert "2 empty lines are left out" in recording.info.warnings
    assert "1 empty line is left out" in make(tmp_path, "a\n1.5\n\n2.5\n").info.warnings


@pytest.mark.parametrize("cell", ["1,234,56", "1a234b567", "0.123.456", "1.23.456", "1,234", "12,34.5"])
def test_what_only_resembles_thousands_is_no_number(cell: str) -> None:
    assert not is_number(cell, ".")


@pytest.mark.parametrize("first", [0, 1])
def test_a_first_column_without_a_name_that_counts_rows_is_left_out_and_told(
    first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_table_pieces, "PIECE_BYTES", 500)
    rows = [f"{k + first},{k * 0.5},{-k}\n" for k in range(200)]
    info = make(tmp_path, ",Fz,Cz\n" + "".join(rows)).info
    assert [channel.name for channel in info.channels] == ["Fz", "Cz"]
    assert "The first column has no name and counts the rows: it is left out" in info.warnings
    rows[150] = "7,1,2\n"
    info = make(tmp_path, ",Fz,Cz\n" + "".join(rows)).info
    assert [channel.name for channel in info.channels] == ["ch0", "Fz", "Cz"]


@pytest.mark.parametrize("unit", ["degC", "DegC", "°F", "cmH2O", "ppm", "kPa"])
def test_units_in_brackets_are_known(unit: str, tmp_path: Path) -> None:
    info = make(tmp_path, f"t,x [{unit}],y ({unit})\n" + "".join(f"{k / 10},{k},{k}\n" for k in range(9))).info
    assert [(channel.name, channel.unit) for channel in info.channels] == [("x", unit), ("y", unit)]


def test_many_columns_are_read_and_too_many_are_refused_by_their_number(tmp_path: Path) -> None:
    n_columns = 20_000
    path = tmp_path / "wide.csv"
    names = ",".join(f"signal {number}" for number in range(n_columns))
    path.write_text(names + "\n" + "".join(",".join([str(row)] * n_columns) + "\n" for row in range(3)))
    with open_recording(path, rate_hz=1.0) as recording:  # its header alone is longer than a cell may be by itself
        assert len(recording.info.channels) == n_columns
        assert recording.info.channels[-1].name == f"signal {n_columns - 1}"
        np.testing.assert_array_equal(recording.read(0, 3, [n_columns - 1])[0], [0, 1, 2])
    path.write_text("1," * 2_000_000)
    with pytest.raises(ReadError, match="more than 32,768 cells"):
        open_recording(path)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "", "3"], [1, math.nan, 3]),
        (["1", "nan", "3"], [1, math.nan, 3]),
        (["1", "inf", "3"], [1, math.nan, 3]),
        (["1", "x", "3"], [1, math.nan, 3]),
        (["1", "1,234", "3"], [1, 1234, 3]),
        (["1", '"2"', "-3e2"], [1, 2, -300]),
    ],
)
def test_plain_cells_are_read_at_once_and_say_the_same(cells: list[str], values: list[float], monkeypatch) -> None:
    def added() -> tuple[text_table_cells.Column, list[str], np.ndarray]:
        column = text_table_cells.Column()
        series = pl.Series(cells, dtype=pl.String).replace("", None)
        found = text_table_cells.add_numbers(column, series, ".", 1)
        return column, column.words("a"), found

    column, words, found = added()
    np.testing.assert_array_equal(found, values)
    monkeypatch.setattr(text_table_cells, "_if_plain", lambda _cells: None)
    other, other_words, slowly = added()
    np.testing.assert_array_equal(found, slowly)
    assert (column.n_filled, words) == (other.n_filled, other_words)


def test_a_cell_without_an_end_is_told_in_a_short_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('time,a\n"' + "x" * 300_000 + "\n1,2\n")
    with pytest.raises(ReadError) as caught:
        open_recording(path)
    assert len(caught.value.sentence()) < 400


def test_a_list_of_samples_is_no_table(tmp_path: Path) -> None:
    head = "TIMESERIES XX_A__BHZ_, 12 samples, 250 sps, 2024-01-01T00:00:00.000000, SLIST, FLOAT, \n"
    (tmp_path / "x.txt").write_text(head + "\t".join(f"{k}.5" for k in range(6)) + "\n" + "\t".join("123456") + "\n")
    with pytest.raises(ReadError, match="several to a line"):
        open_recording(tmp_path / "x.txt")
