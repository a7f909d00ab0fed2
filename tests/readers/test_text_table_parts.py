"""Tables of text in parts and at once: the same numbers whatever is shown first and however they are parsed."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.data.recording import Recording
from jaxscope.errors import ReadError
from jaxscope.readers import open_recording, text_table_pieces, text_table_rows
from jaxscope.readers.base import OpenOptions
from jaxscope.readers.text_table import FORMAT
from jaxscope.readers.text_table_cells import number_columns


def read(path: Path, rate_hz: float | None = None) -> Recording:
    return FORMAT.open(path, OpenOptions(rate_hz=rate_hz))


def make(tmp_path: Path, text: str, encoding: str = "utf-8") -> Recording:
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(encoding))
    return read(path)


@pytest.mark.parametrize(
    ("later", "words"),
    [
        ("", ""),
        ("2000.5,oops,-inf\n", "infinite values are read as missing (row 2001)"),
        ("2000.5,1\n", "Row 2001 has too few cells"),
        ("2000.5,1,2,3\n", "Row 2001 has more cells than columns"),
        ("2500,1,2\n", ""),
        ("1000,1,2\n", "time goes back at rows 2000/2001"),
        ("\n\n2000,1,2\n\n\n", "2 empty lines are left out"),
        ("# a word\n2000,1,2", ""),
        ('2000,"1,234",2\n', "marks between thousands"),
        ("2000,1,\xb5\n", "is not in UTF-8"),
        ('2000,1,"a\nb"\n2001,3,4\n', "1 cell is no number"),
    ],
)
def test_what_comes_later_is_the_same_where_the_first_part_was_shown(
    later: str, words: str, opened_in_parts, tmp_path
) -> None:
    rows = "".join(f"{k},{k * 0.25},{-k}\n" for k in range(2000))
    path = tmp_path / "x.csv"
    path.write_bytes(b"time,a,b\n" + rows.encode() + later.encode("latin-1"))
    shown, whole = opened_in_parts(path)
    assert 0 < shown.channels[0].n_samples < 2000 <= whole.channels[0].n_samples
    assert words in " | ".join(whole.warnings)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_parts_of_every_encoding_join_without_a_seam(encoding: str, line_end: str, opened_in_parts, tmp_path) -> None:
    rows = [f"{k}\t{k * 0.25:.2f}\t{-k}" for k in range(2000)]
    path = tmp_path / "x.tsv"
    path.write_bytes(line_end.join(["time\tä (µV)\tb", *rows, ""]).encode(encoding))
    _, whole = opened_in_parts(path)
    assert [(one.name, one.unit, one.n_samples) for one in whole.channels] == [("ä", "uV", 2000), ("b", "", 2000)]


@pytest.mark.parametrize(
    "cell",
    ["5.", ".5", "+.5e3", "1e999", "-0", "0.1234567890123456789012345", "9007199254740993", "4.9e-324", "1.e5", "1E+5"],
)
def test_numbers_are_the_same_parsed_at_once_and_cell_by_cell(
    cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "a,b\n" + "1.5,2\n" * 500 + f"{cell},3\n" * 600
    at_once = []

    def noted(*given: Any) -> Any:
        at_once.append(number_columns(*given))
        return at_once[-1]

    monkeypatch.setattr(text_table_pieces, "PIECE_BYTES", 1000)
    monkeypatch.setattr(text_table_rows, "number_columns", noted)
    quick = make(tmp_path, text)
    assert at_once[-1] is not None
    monkeypatch.setattr(text_table_rows, "number_columns", lambda *_given: None)
    careful = make(tmp_path, text)
    assert quick.info == careful.info
    values = [recording.read(0, 2000, ["a"]) for recording in (quick, careful)]
    assert values[0].tobytes() == values[1].tobytes()


def test_a_first_row_with_too_few_cells_is_told_and_no_reason_to_give_up(tmp_path: Path) -> None:
    recording = make(tmp_path, "a,b,c\n1,2\n" + "1,2,3\n" * 20)
    assert recording.info.warnings[0].startswith("Row 1 has too few cells")
    np.testing.assert_array_equal(recording.read(0, 2), [[1, 1], [2, 2], [np.nan, 3]])


@pytest.mark.parametrize("named", [True, False])
def test_a_column_that_begins_as_times_and_is_none_is_a_channel(named: bool, opened_in_parts, tmp_path) -> None:
    times = [k / 10 for k in range(2000)] + [3.0 * (-1) ** k for k in range(900)]
    path = tmp_path / "x.csv"
    path.write_text("time,a\n" * named + "".join(f"{time},{k}\n" for k, time in enumerate(times)))
    shown, whole = opened_in_parts(path, rate_hz=10.0)
    assert len(shown.channels) == 1
    assert [channel.n_samples for channel in whole.channels] == [2900, 2900]
    np.testing.assert_array_equal(read(path, 10.0).read(0, 2900)[0], times)


def test_times_that_are_told_and_turn_out_to_be_none_are_refused(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "".join(f"{k if k < 500 else 'oops'},{k}\n" for k in range(1000)))
    monkeypatch.setattr(text_table_pieces, "PIECE_BYTES", 1000)
    with pytest.raises(ReadError, match="a holds no times"):
        open_recording(path, options={"time": "a"})


@pytest.mark.parametrize("header", ["Time", "Date,Time"])
def test_stamps_go_on_in_the_next_piece(header: str, opened_in_parts, tmp_path) -> None:
    begin = datetime(2024, 2, 27, 20, 0, 0)
    pattern = "%H:%M:%S" if header == "Time" else "%Y-%m-%d,%H:%M:%S"
    stamps = [(begin + timedelta(seconds=60 * k)).strftime(pattern) for k in range(3000)]
    stamps[240] = "?" + "," * header.count(",")
    path = tmp_path / "x.csv"
    path.write_text(f"{header},a\n" + "".join(f"{stamp},{k}\n" for k, stamp in enumerate(stamps)))
    _, whole = opened_in_parts(path)
    assert whole.channels[0].rate_hz == pytest.approx(1 / 60)
    assert whole.start == (None if header == "Time" else begin)
    assert "1 time cannot be read" in " | ".join(whole.warnings)
    assert "goes back" not in " | ".join(whole.warnings)
