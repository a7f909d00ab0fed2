"""The spectrum drawer in the window: it takes the place of the overview, and shows, tells and copies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from jaxscope.compute.analysis_frames import (
    AnalysisFrame,
    BandPower,
    Coherences,
    Histogram,
    Plane,
    Sizes,
    SpectrumCurves,
    TimeFrequency,
)
from jaxscope.compute.frames import Opened
from jaxscope.gui.command_table import command
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import text_width
from jaxscope.gui.painting.colour_maps import difference_colours, lab_of, power_colours
from jaxscope.gui.theme import font, theme
from jaxscope.gui.views import spectrum_axes, spectrum_table
from jaxscope.gui.views.spectrum_matrix import pair_values
from jaxscope.session.actions import SetAnalysis, SetCursors
from jaxscope.session.analysis import BAND_SETS, Analysis

HZ = np.arange(65) * 0.5


def spectrum() -> SpectrumCurves:
    before = 100.0 / (1 + HZ)
    bands = (
        BandPower(name="delta", low_hz=0.5, high_hz=4.0, before=80.0, after=8.0, share_before=0.8, share_after=0.5),
        BandPower(name="theta", low_hz=4.0, high_hz=8.0, before=20.0, after=8.0, share_before=0.2, share_after=0.5),
    )
    return SpectrumCurves(
        frequencies_hz=HZ, before=before, after=before / 10, bands=bands, resolution_hz=0.75, n_segments=12
    )


def picture() -> TimeFrequency:
    levels = np.tile(np.linspace(255, 1, 40).astype(np.uint8)[:, None], (1, 50))
    values = (levels / 255 * 40 - 20).astype(np.float32)
    plane, other = Plane(levels=levels, values_db=values), Plane(levels=levels[::-1], values_db=values[::-1])
    return TimeFrequency(
        before=plane,
        after=other,
        difference=plane,
        low_hz=1.0,
        high_hz=50.0,
        is_log=True,
        low_db=-20.0,
        high_db=20.0,
        reach_db=10.0,
        width_s=0.5,
    )


def histogram() -> Histogram:
    shares = np.array([0.1, 0.4, 0.4, 0.1])
    return Histogram(
        edges=np.linspace(-20, 20, 5),
        before=shares,
        after=shares[::-1],
        sizes_before=Sizes(rms=12.0, kurtosis=0.5, clipped=0.02),
        sizes_after=Sizes(rms=6.0, kurtosis=-0.25, clipped=0.0),
    )


def coherences(places: tuple[int, int] | None = (0, 1)) -> Coherences:
    before = np.full((3, 3, 65), 0.25)
    before[..., 20:24] = 0.75
    return Coherences(
        names=("Fp1", "Fp2", "O1"),
        frequencies_hz=HZ,
        before=before,
        after=before / 2,
        places=places,
        level=0.2,
        n_segments=16,
    )


CONTENTS = {
    "spectrum": spectrum,
    "spectrogram": picture,
    "time_frequency": picture,
    "histogram": histogram,
    "coherence": coherences,
}


def show(desk, view: str = "spectrum", **wishes: object):
    """Open the drawer at a view and hand it a content."""
    wish = replace(desk.store.state.viewport.analysis, shown=True, view=view, **wishes)
    desk.store.dispatch(SetAnalysis(analysis=wish))
    frame = AnalysisFrame(
        revision=desk.store.revision,
        recording_id="r",
        view=view,
        start_s=0.0,
        stop_s=10.0,
        is_selection=False,
        title="4 EEG channels",
        unit="uV",
        note="",
        content=CONTENTS[view](),
        kinds=("eeg", "ecg"),
        names=("Fp1", "Fp2", "O1"),
    )
    desk.window.receive(frame)
    desk.pump()
    return desk.window.drawer


@pytest.fixture
def words(monkeypatch) -> list[str]:
    """Return the words that are painted by the parts of the drawer."""
    found: list[str] = []
    for part in ("axes", "table", "picture", "plot", "matrix", "choices"):
        path = f"jaxscope.gui.views.spectrum_{part}.draw_text"
        original = __import__(f"jaxscope.gui.views.spectrum_{part}", fromlist=["draw_text"]).draw_text

        def draw(painter, rect, text, *rest, original=original, **more):
            found.append(text)
            original(painter, rect, text, *rest, **more)

        monkeypatch.setattr(path, draw)
    return found


def test_it_opens_by_key_and_menu_in_the_place_of_the_overview_and_esc_closes_it(desk) -> None:
    window = desk.window
    assert window.overview.isVisible()
    assert not window.drawer.isVisible()
    QTest.keyClick(window.traces, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
    assert window.drawer.isVisible()
    assert not window.overview.isVisible()
    desk.pump()
    assert window.drawer.mapTo(window, QPoint(0, 0)).y() >= window.axis.mapTo(window, QPoint(0, 0)).y()
    assert 318 <= window.drawer.height() <= 398
    assert window.drawer.mapTo(window, QPoint(window.drawer.width(), 0)).x() <= window.dock.x() + window.dock.width()
    assert not window.drawer.geometry().intersects(window.dock.geometry())
    window.actions_.escape()
    assert window.overview.isVisible()
    assert not desk.store.state.viewport.analysis.shown
    assert window.router.run(command("spectrum_histogram"))
    assert window.drawer.shows("histogram")


@pytest.mark.parametrize("mode", ["dark", "light"])
@pytest.mark.parametrize("view", CONTENTS)
def test_every_view_is_painted_and_no_button_or_choice_is_cut(desk, view, mode) -> None:
    theme().set_mode(mode)
    desk.window.resize(1280, 800)
    drawer = show(desk, view)
    image = drawer.grab().toImage()
    shades = {image.pixel(x, y) for x in range(160, image.width(), 7) for y in range(60, image.height(), 5)}
    assert len(shades) > 4
    for select in drawer.choices.selects.values():
        if select.isVisible():
            assert text_width(select.currentText(), font(13)) <= select.width() - 34, select.currentText()
    for part in drawer.findChildren(QWidget):
        if part.isVisible():
            place = part.mapTo(drawer, QPoint(0, 0))
            assert place.x() + part.width() <= drawer.width() + 1, part.accessibleName()
            assert place.y() + part.height() <= drawer.height() + 1, part.accessibleName()


def test_the_spectrum_tells_values_under_the_pointer_with_units(desk, words) -> None:
    drawer = show(desk)
    plot = drawer.curves
    plot.pointer = QPointF(plot.area.right() - 1, plot.area.center().y())
    words.clear()
    plot.grab()
    assert "32 Hz" in words
    assert "4.8 dB" in words  # 10 log10(100 / 33)
    assert "−5.2 dB" in words
    assert "Power density, dB re 1 µV²/Hz" in words
    drawer = show(desk, level_scale="linear")
    plot.pointer = None
    words.clear()
    plot.grab()
    assert "Power density, µV²/Hz" in words
    assert {"Before", "After", "delta"} <= set(words)


def test_band_powers_are_absolute_or_shares_and_tell_their_change(desk, words) -> None:
    drawer = show(desk)
    words.clear()
    drawer.side.table.grab()
    assert {"Power, µV²", "80", "8", "−10.0 dB", "−4.0 dB"} <= set(words)
    QTest.mouseClick(drawer.side.measure.button("relative"), Qt.MouseButton.LeftButton)
    words.clear()
    drawer.side.table.grab()
    assert {"80.0 %", "20.0 %", "50.0 %"} <= set(words)
    assert "delta: before 80.0 %, after 50.0 %, −10.0 dB" in drawer.side.table.accessibleDescription()


@pytest.mark.parametrize(("scale", "width"), [(1.0, 1600), (1.0, 1280), (1.5, 1600)])
def test_powers_of_ten_have_room_beside_each_other(desk, monkeypatch, scale, width) -> None:
    desk.window.resize(width, 1000)
    desk.scale_to(scale)
    drawn = []
    monkeypatch.setattr(
        spectrum_table, "draw_text", lambda _, room, text, with_font, *rest: drawn.append((room, text, with_font))
    )
    small = replace(spectrum().bands[0], name="microseism", before=6.98e3, after=1.3826e-10)
    monkeypatch.setitem(CONTENTS, "spectrum", lambda: replace(spectrum(), bands=(small,)))
    drawer = show(desk)
    drawn.clear()
    drawer.side.table.grab()
    assert "1.38 × 10⁻¹⁰" in {text.replace("\u2009", " ") for _, text, _ in drawn}
    for room, text, with_font in drawn:
        assert text_width(text, with_font) <= room.width(), text


def test_numbers_are_whole_as_long_as_they_are_short() -> None:
    assert [spectrum_axes.number(value) for value in (1023.0, 69.94, 0.00541, -36100.0)] == [
        "1020", "69.9", "0.00541", "−36100",
    ]  # fmt: skip
    assert spectrum_axes.number(1.3826e-10) == "1.38 × 10⁻¹⁰"
    assert spectrum_axes.number(4.56e7) == "4.56 × 10⁷"
    assert spectrum_axes.density_unit("", is_db=True) == "dB re 1/Hz"


def test_one_segment_is_one(desk, monkeypatch) -> None:
    monkeypatch.setitem(CONTENTS, "spectrum", lambda: replace(spectrum(), n_segments=1))
    drawer = show(desk)
    told = [part.text() for part in drawer.findChildren(Label) if "segment" in part.text()]
    assert [text.split(" · ")[-1] for text in told] == ["1 segment"]


def test_a_recording_begins_with_the_bands_of_its_kind_and_leaves_chosen_ones(desk, info) -> None:
    def open_kind(kind: str) -> str:
        channels = tuple(replace(channel, kind=kind) for channel in info.channels)
        desk.window.receive(Opened(recording_id=kind, path=f"/data/{kind}.edf", info=replace(info, channels=channels)))
        return desk.store.state.viewport.analysis.band_set

    assert [open_kind(kind) for kind in ("audio", "eeg", "seismic", "misc")] == ["Audio", "EEG", "Seismic", "EEG"]
    desk.store.dispatch(SetAnalysis(analysis=Analysis(bands=BAND_SETS["Sleep"])))
    assert open_kind("seismic") == "Sleep"


def test_bands_are_chosen_from_sets_or_written_down(desk) -> None:
    drawer = show(desk)
    drawer.side.sets.chosen.emit("Heart rate")
    assert desk.store.state.viewport.analysis.bands == BAND_SETS["Heart rate"]
    field = drawer.side.field
    field.setFocus()
    field.setText("mu 8-13, beta 15 to 25")
    field.editingFinished.emit()
    assert desk.store.state.viewport.analysis.bands == (("mu", 8.0, 13.0), ("beta", 15.0, 25.0))
    assert drawer.side.sets.currentText() == "Own bands"
    field.setText("mu 13-8")
    field.editingFinished.emit()
    assert desk.store.state.viewport.analysis.bands[0] == ("mu", 8.0, 13.0)
    assert field.is_wrong
    assert "mu reaches from 13 to 8 Hz" in drawer.side.complaint.text()


def test_a_picture_is_on_the_axis_of_the_traces_and_a_click_sets_the_cursor(desk, words) -> None:
    drawer = show(desk, "spectrogram", pane="before")
    plot = drawer.picture
    area = plot.panes()[0][1]
    assert (
        plot.mapTo(desk.window, QPoint(round(area.left()), 0)).x()
        == desk.window.traces.mapTo(desk.window, QPoint(0, 0)).x()
    )
    assert area.width() == desk.window.traces.width()
    place = QPointF(area.left() + area.width() * 0.25, area.top() + 1)
    QTest.mouseClick(plot, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert desk.store.state.viewport.cursors_s[0] == pytest.approx(2.5, abs=0.02)
    plot.pointer = place
    words.clear()
    plot.grab()
    assert "20.0 dB" in words
    assert any(word.startswith("0:02.5") for word in words)
    desk.store.dispatch(SetCursors(cursors_s=(1.0, 3.0)))
    QTest.mouseClick(plot, Qt.MouseButton.LeftButton, pos=QPoint(400, 100))
    assert desk.store.state.viewport.cursors_s == (1.0, 3.0), "a click took the selection away"


def test_what_is_not_known_is_blank_and_both_panes_stand_side_by_side(desk) -> None:
    drawer = show(desk, "spectrogram")
    (first, left), (second, right) = drawer.picture.panes()
    assert (first, second) == ("before", "after")
    assert left.right() < right.left()
    levels = np.zeros((40, 50), dtype=np.uint8)
    values = np.full((40, 50), np.nan, dtype=np.float32)
    blank = replace(picture(), before=Plane(levels=levels, values_db=values))
    desk.window.receive(replace(drawer.frame, content=blank))
    image = drawer.picture.grab().toImage()
    assert image.pixelColor(round(left.center().x()), round(left.center().y())).name() == "#0b0e13"


def test_a_pair_is_chosen_in_the_square(desk) -> None:
    drawer = show(desk, "coherence")
    matrix = drawer.matrix
    side = matrix.area.width() / 3
    place = QPoint(round(matrix.area.left() + 2.5 * side), round(matrix.area.top() + 1.5 * side))
    QTest.mouseClick(matrix, Qt.MouseButton.LeftButton, pos=place)
    viewport = desk.store.state.viewport
    assert viewport.selected_channels == ("Fp2",)
    assert viewport.analysis.partner == "O1"
    values = pair_values(coherences(), ("alpha", 10.0, 11.5))
    assert values[1, 0] == 0.75
    assert values[0, 1] == 0.375


def test_what_is_shown_is_copied_as_a_table(desk) -> None:
    for view, wanted in {
        "spectrum": "delta\t0.5\t4\t80\t8\t0.8\t0.5\t-10",
        "histogram": "before\t12\t0.5\t0.02",
        "coherence": "10\t0.75\t0.375",
        "spectrogram": "frequency_hz\tmean before (dB re 1 µV²/Hz)\tmean after",
    }.items():
        drawer = show(desk, view)
        drawer.copy.click()
        assert wanted in QApplication.clipboard().text().splitlines()


def test_a_frame_of_another_view_or_recording_is_not_shown(desk) -> None:
    drawer = show(desk)
    frame = drawer.frame
    desk.window.receive(replace(frame, recording_id="other"))
    assert drawer.frame is frame
    desk.store.dispatch(SetAnalysis(analysis=Analysis(shown=True, view="histogram")))
    assert drawer.histogram._frame is None


def test_colours_rise_evenly_in_lightness_and_a_difference_is_neutral_in_the_middle(desk) -> None:
    assert len(power_colours()) == 256
    light = np.array([lab_of(QColor.fromRgb(shade))[0] for shade in power_colours()[1:]])
    steps = np.diff(light)
    assert (steps > 0).all() or steps.min() > -2e-3
    np.testing.assert_allclose(light, np.linspace(light[0], light[-1], 255), atol=0.012)
    for mode in ("dark", "light"):
        theme().set_mode(mode)
        shades = [lab_of(QColor.fromRgb(shade)) for shade in difference_colours()[1:]]
        size = [float(np.hypot(*lab[1:])) for lab in shades]
        assert size[127] < 0.03 < min(size[0], size[-1])
        # the two ends are told apart without red and green: by blue against yellow
        assert abs(shades[0][2] - shades[-1][2]) > 0.1


def test_the_first_choice_of_channels_says_that_it_is_a_kind(desk) -> None:
    drawer = show(desk, "spectrum")
    kind = drawer.choices.selects["kind"]
    assert kind.itemText(0) == "Main kind"
    assert "most" in kind.toolTip()


def test_where_it_is_narrow_the_numbers_take_the_place_of_the_plot_when_they_are_asked_for(desk):
    drawer = desk.window.drawer
    desk.store.dispatch(SetAnalysis(analysis=Analysis(shown=True)))
    desk.pump()
    assert drawer.side.isVisible()
    assert drawer.views.isVisible()
    assert not drawer.numbers.isVisible()
    desk.scale_to(2.0)
    assert drawer.view_menu.isVisible()
    assert not drawer.views.isVisible()
    assert drawer.curves.width() > 300
    assert not drawer.side.isVisible()
    drawer.numbers.click()
    assert drawer.side.isVisible()
    assert not drawer.curves.isVisible()
    assert drawer.numbers.accessibleName() == "Plot in place of the numbers"
    drawer.view_menu.chosen.emit("histogram")
    assert desk.store.state.viewport.analysis.view == "histogram"
    assert drawer.view_menu.current == "histogram"
