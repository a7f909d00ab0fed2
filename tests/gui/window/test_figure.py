"""Figures of the traces, and the targets of the export dialog."""

from __future__ import annotations

import threading
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage

from jaxscope.compute.view_export import ViewRequest
from jaxscope.errors import WriteError
from jaxscope.gui.assets import tokens
from jaxscope.gui.figure import PNG_SCALE, FigureRequest, cut, write_figure
from jaxscope.gui.painting.scene import Line
from jaxscope.gui.theme import theme
from jaxscope.session import actions as act

SVG = "{http://www.w3.org/2000/svg}"


def pixels(path: Path) -> np.ndarray:
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    memory = np.frombuffer(image.bits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return memory[:, : image.width()] & 0xFFFFFF


def rgb(token: str, look: str) -> int:
    return QColor(tokens()[look][token]).rgb() & 0xFFFFFF


def written(desk, path: Path, look: str = "light") -> None:
    """Write a figure on another thread, as the window does."""
    figure = desk.window.actions_.figure(look)
    failed = []

    def run() -> None:
        try:
            write_figure(figure, path, path.suffix)
        except WriteError as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_picture_has_twice_the_pixels_in_the_theme_that_was_asked_for(desk, tmp_path, look):
    written(desk, tmp_path / "x.png", look)
    drawn = pixels(tmp_path / "x.png")
    traces = desk.window.traces
    assert drawn.shape[1] > PNG_SCALE * traces.width()
    assert drawn.shape[0] > PNG_SCALE * traces.height()
    assert drawn[2, 2] == rgb("canvas", look)
    for token in ("before" if look == "light" else "before_mixed", "eeg", "ecg", "text"):
        wanted = 0x756C60 if token == "before_mixed" else rgb(token, look)
        assert (drawn == wanted).sum() > 20, token
    assert theme().is_dark


def test_lines_names_and_times_are_in_the_drawing(desk, tmp_path):
    desk.store.dispatch(act.SetLook(channel="O1", look=desk.store.state.document.look_of("O1")))
    written(desk, tmp_path / "x.svg")
    root = ElementTree.parse(tmp_path / "x.svg").getroot()
    words = {"".join(text.itertext()).strip() for text in root.iter(f"{SVG}text")}
    assert {"Fp1", "Fp2", "O1", "O2", "VEOG", "ECG", "Before", "After", "six.edf", "offset removed", "00:05"} <= words
    assert any(word.endswith("µV") for word in words)
    assert len(list(root.iter(f"{SVG}polyline"))) >= 11


def test_difference_and_curtain_are_drawn_as_they_are_seen(desk, tmp_path):
    desk.store.dispatch(act.ChooseMode(mode="difference"))
    written(desk, tmp_path / "difference.png")
    drawn = pixels(tmp_path / "difference.png")
    traces = drawn[:, PNG_SCALE * 112 :]
    assert not (traces == rgb("eeg", "light")).any()
    assert "Difference" in [entry.name for entry in desk.window.strip.legend.entries()]
    desk.store.dispatch(act.HideChannels(names=("VEOG", "ECG")))
    desk.store.dispatch(act.ChooseMode(mode="curtain"))
    for name in ("show_events", "show_scale_bars"):
        desk.store.dispatch(act.SetDisplay(name=name, value=False))
    written(desk, tmp_path / "curtain.png")
    drawn = pixels(tmp_path / "curtain.png")[300:]
    left_of = np.flatnonzero((drawn == rgb("before", "light")).any(axis=0))
    right_of = np.flatnonzero((drawn[:, 300:] == rgb("eeg", "light")).any(axis=0)) + 300
    assert left_of.max() <= right_of.min() + 4


def test_a_paper_page_is_as_large_as_the_figure(desk, tmp_path):
    written(desk, tmp_path / "x.pdf")
    content = (tmp_path / "x.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    wide, high = (float(number) for number in content.split(b"/MediaBox [0 0 ")[1].split(b"]")[0].split())
    traces = desk.window.traces
    assert wide / high == pytest.approx((traces.width() + 128) / (traces.height() + 114), rel=0.01)


def test_other_suffixes_are_refused_by_name(desk, tmp_path):
    with pytest.raises(WriteError, match=r"\.bmp"):
        written(desk, tmp_path / "x.bmp")


def test_a_trace_is_cut_at_the_edges_of_its_pane():
    line = Line(x=np.arange(5.0), top=np.ones(5), bottom=np.ones(5), is_exact=True)
    assert np.isnan(cut(line, 1.0, 3.0).top).tolist() == [True, False, False, False, True]


def choose(dialog, key: str) -> None:
    for row in range(dialog.targets.count()):
        if dialog.targets.item(row).data(Qt.ItemDataRole.UserRole) == key:
            dialog.targets.setCurrentRow(row)
            return
    raise AssertionError(key)


def test_the_dialog_saves_a_figure_and_what_is_seen(desk, tmp_path):
    desk.window.floating.open_export()
    dialog = desk.window.floating._export
    choose(dialog, "figure")
    page = dialog.pages["figure"]
    assert dialog.export_button.text() == "Save figure"
    assert page.path.text().endswith("six-figure.png")
    page.path.setText(str(tmp_path / "x.png"))
    page.format.chosen.emit(".pdf")
    assert page.path.text() == str(tmp_path / "x.pdf")
    dialog.export_button.click()
    name, request = desk.conductor.asked[-1]
    assert (name, type(request), request.path) == ("export", FigureRequest, str(tmp_path / "x.pdf"))
    dialog._finish()
    choose(dialog, "seen")
    seen = dialog.pages["seen"]
    seen.path.setText(str(tmp_path / "x.txt"))
    dialog.export_button.click()
    assert "must end in .csv" in dialog.trouble.accessibleName() or dialog.trouble.isVisible()
    (tmp_path / "x.csv").write_text("mine")
    seen.path.setText(str(tmp_path / "x.csv"))
    dialog.export_button.click()
    assert dialog.export_button.text() == "Replace"
    dialog.export_button.click()
    assert desk.conductor.asked[-1] == ("export", ViewRequest(path=str(tmp_path / "x.csv"), overwrite=True))
    dialog._finish()
    choose(dialog, "recording")
    assert dialog.export_button.text() == "Export recording"
    dialog.close_floating()
