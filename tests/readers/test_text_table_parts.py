"""Tables of text in parts and at once: the same numbers whatever is shown first and however they are parsed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.data.recording import Recording
from jaxscope.readers import text_table, text_table_pieces
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
    monkeypatch.setattr(text_table, "number_columns", noted)
    quick = make(tmp_path, text)
    assert at_once[-1] is not None
    monkeypatch.setattr(text_table, "number_columns", lambda *_given: None)
    careful = make(tmp_path, text)
    assert quick.info == careful.info
    values = [recording.read(0, 2000, ["a"]) for recording in (quick, careful)]
    assert values[0].tobytes() == values[1].tobytes()


def test_a_first_row_with_too_few_cells_is_told_and_no_reason_to_give_up(tmp_path: Path) -> None:
    recording = make(tmp_path, "a,b,c\n1,2\n" + "1,2,3\n" * 20)
    assert recording.info.warnings[0].startswith("Row 1 has too few cells")
    np.testing.assert_array_equal(recording.read(0, 2), [[1, 1], [2, 2], [np.nan, 3]])
