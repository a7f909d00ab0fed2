"""The import sheet: fields from the table of options, a preview of what would be read, the answer in the project."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt

from jaxscope.compute.import_form import preview_import
from jaxscope.errors import ReadError
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.theme import theme
from jaxscope.gui.views.import_sheet import ImportSheet

NUMBERS = np.arange(60).reshape(20, 3)


@pytest.fixture
def raw_path(tmp_path: Path) -> Path:
    path = tmp_path / "night.dat"
    path.write_bytes(NUMBERS.astype("<i2").tobytes())
    return path


def test_a_preview_is_what_would_be_read(raw_path: Path) -> None:
    told = {"format": "raw", "channels": "3", "unit": "uV"}
    preview = preview_import(str(raw_path), told, 100.0)
    assert preview.rows[1] == ("ch1, uV", "1", "4", "7", "10", "13")
    assert preview.facts == "3 channels · 20 samples each · 100 Hz · 0.2 s"
    assert (preview.problem, preview.has_rate) == ("", True)
    assert {field.name for field in preview.fields} >= {"channels", "dtype", "byteorder", "order", "offset", "scale"}
    assert "rate" not in {field.name for field in preview.fields}
    assert "not told how they lie" in preview_import(str(raw_path), {"format": "raw"}, None).problem
    with pytest.raises(ReadError):
        preview_import(str(raw_path), {}, None)


def test_a_preview_tells_lengths_that_differ(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", eeg=np.zeros((2, 400)), motion=np.zeros((3, 1000)))
    assert preview_import(str(tmp_path / "x.npz"), {}, None).facts == "5 channels · 400 to 1,000 samples"


@pytest.fixture
def window(qtbot):  # type: ignore[no-untyped-def]
    from PySide6.QtWidgets import QWidget

    made = QWidget()
    made.resize(1000, 800)
    qtbot.addWidget(made)
    theme().dress(made)
    made.show()
    return made


@pytest.fixture
def sheet(window):  # type: ignore[no-untyped-def]
    made = ImportSheet(window, lambda path, told, rate: made.show_frame(preview_import(path, told, rate)))
    return made


def test_fields_are_told_and_the_file_is_opened_as_its_preview_shows(sheet, raw_path: Path) -> None:
    answers: list[object] = []
    sheet.answered.connect(lambda *parts: answers.append(parts))
    sheet.ask(str(raw_path), {"format": "raw"})
    assert "not told how they lie" in sheet.problem.text()
    sheet._fields["channels"].setText("3")
    sheet._fields["dtype"].set_current("uint16")
    sheet.open_button.click()
    assert sheet.field.is_wrong
    assert answers == []
    assert len(sheet.table.rows) == 3
    sheet.field.setText("250")
    sheet.open_button.click()
    ((path, rate_hz, told),) = answers  # type: ignore[misc]
    assert (path, rate_hz) == (str(raw_path), 250.0)
    assert dict(told) == {"format": "raw", "channels": "3", "dtype": "uint16"}
    assert not sheet.isVisible()


def test_what_is_typed_wrong_is_told_and_nothing_opened(sheet, raw_path: Path) -> None:
    answers: list[object] = []
    sheet.answered.connect(lambda *parts: answers.append(parts))
    sheet.ask(str(raw_path), {"format": "raw"})
    sheet.field.setText("250")
    for text, words in (("0", 'channels is "0"'), ("many", 'channels is "many"'), ("99", "holds no sample")):
        sheet._fields["channels"].setText(text)
        sheet.open_button.click()
        assert words in sheet.problem.text()
        assert answers == []


def test_a_sheet_that_is_asked_again_begins_anew(sheet, raw_path: Path, tmp_path: Path) -> None:
    sheet.ask(str(raw_path), {"format": "raw"})
    sheet._fields["channels"].setText("3")
    sheet.close_floating()
    table = tmp_path / "x.csv"
    table.write_text("a,b\n" + "1,2\n" * 9)
    sheet.ask(str(table))
    assert set(sheet._fields) == {"time", "separator", "decimal", "header"}
    assert sheet.table.rows[0][0] == "a"
    sheet.close_floating()
    sheet.ask(str(raw_path), {"format": "raw"})
    assert sheet._fields["channels"].text() == ""


def test_everything_that_was_mended_is_told(window) -> None:
    from PySide6.QtGui import QGuiApplication

    from jaxscope.gui.views.warnings_sheet import MOST_SHOWN, WarningsSheet

    sheet = WarningsSheet(window)
    sheet.show_sentences(["one", "two"])
    assert sheet.shown == ("one", "two")
    many = [f"sentence {number}" for number in range(MOST_SHOWN + 3)]
    sheet.show_sentences(many)
    assert sheet.shown[:MOST_SHOWN] == tuple(many[:MOST_SHOWN])
    assert sheet.shown[-1].startswith("And 3 more")
    sheet.copy.click()
    assert QGuiApplication.clipboard().text() == "\n".join(many)


def test_enter_opens_with_a_rate_that_was_clicked(qtbot, sheet, tmp_path: Path) -> None:
    path = tmp_path / "ecg.csv"
    path.write_text("I,II\n1,2\n3,4\n5,6\n")
    answers: list[object] = []
    sheet.answered.connect(lambda *parts: answers.append(parts))
    sheet.ask(str(path))
    sheet.window().activateWindow()
    button = next(one for one in sheet.findChildren(Button) if one.text() == "500")
    button.setFocus()
    button.click()
    assert sheet.focusWidget() is sheet.field
    qtbot.keyClick(sheet.field, Qt.Key.Key_Return)
    assert [answer[1] for answer in answers] == [500.0]  # type: ignore[index]
