"""Taps as stems and as a grid: dragged, painted, mirrored, given up."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from jaxscope.filters import FAMILIES
from jaxscope.session.actions import ReplaceSpec

RATE_HZ = 512.0


def test_taps_are_a_grid_with_stems(qtbot, taps):
    assert taps.view.form() == "taps"
    assert taps.view.taps.isVisibleTo(taps.view)
    assert taps.view.model.rowCount() == 6
    assert taps.view.model.address(taps.view.model.index(5, 1)) is None


def test_ten_thousand_taps_are_painted_by_columns_of_pixels(qtbot, taps, monkeypatch):
    plot, asked = taps.view.taps, []
    values = [0.0] * 10_001
    values[5000], values[2503] = 1.0, -0.5
    plot.show_taps(tuple(values), RATE_HZ, None)
    monkeypatch.setattr(plot, "tip_of", lambda tap, real=plot.tip_of: (asked.append(tap), real(tap))[1])
    plot.grab()
    assert len(asked) < 3 * plot.width()
    assert {5000, 2503} <= set(asked), "the highest and the lowest are always there"


def test_dragging_a_stem_moves_its_mirror_too_and_is_one_step(qtbot, taps):
    plot = taps.view.taps
    tip = plot.tip_of(4).toPoint()
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=tip)
    place = QPointF(tip.x(), tip.y() - 20)
    event = QMouseEvent(
        QEvent.Type.MouseMove, place, plot.mapToGlobal(place), Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(plot, event)
    values = taps.stage().spec.values
    assert values[4] == values[16]
    assert values[4] > FAMILIES["fir_window"](taps=21).design(RATE_HZ).values[4]
    qtbot.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=place.toPoint())
    taps.store.undo()
    assert taps.stage().spec.family == "fir_window"


def test_without_symmetry_one_tap_moves_alone(qtbot, taps):
    qtbot.mouseClick(taps.view.symmetric, Qt.MouseButton.LeftButton)
    taps.view.taps._ask(4, 0.5, "k")
    values = taps.stage().spec.values
    assert (values[4], values[16]) != (values[16], values[4])
    assert values[4] == 0.5


def test_a_stem_that_is_given_up_and_stems_painted_with_shift(qtbot, taps):
    before, plot = taps.stage(), taps.view.taps
    start = plot.tip_of(4)
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=start.toPoint())
    qtbot.mouseMove(plot, (start - QPointF(0, 20)).toPoint())
    assert taps.stage() != before
    qtbot.keyClick(plot, Qt.Key.Key_Escape)
    assert taps.stage() == before
    assert not taps.store.can_undo
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=start.toPoint())
    end = QPointF(plot.tip_of(8).x(), start.y() - 30)
    event = QMouseEvent(
        QEvent.Type.MouseMove, end, plot.mapToGlobal(end), Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.ShiftModifier,
    )  # fmt: skip
    QApplication.sendEvent(plot, event)
    qtbot.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=end.toPoint())
    values = taps.stage().spec.values
    assert len(set(values[5:9])) == 1
    assert values[12:16] == values[5:9]
    assert values[4] == before.spec.design(RATE_HZ).values[4]
    taps.store.undo()
    assert taps.stage() == before


def test_very_many_taps_are_looked_at_only_where_they_are_seen(qtbot, taps, monkeypatch):
    from jaxscope.gui.views.coefficients_model import CoefficientModel

    model, asked = taps.view.model, []
    monkeypatch.setattr(CoefficientModel, "flat", lambda self: asked.append("flat") or [])
    real = CoefficientModel.value
    monkeypatch.setattr(CoefficientModel, "value", lambda self, at: (asked.append(at), real(self, at))[1])
    taps.dispatch(ReplaceSpec(chain=0, stage=0, spec=FAMILIES["taps"](values=tuple(float(n) for n in range(100_001)))))
    taps.view.grab()
    assert model.rowCount() == 25_001
    assert "flat" not in asked
    assert len(asked) < 500


def test_the_lowest_and_the_highest_of_each_column_are_the_stems_that_are_painted():
    import numpy as np

    from jaxscope.gui.views.coefficients_taps import ends_of

    values = np.random.default_rng(4).normal(size=1003)
    naive = []
    for first in range(0, 1003, 10):
        run = values[first : first + 10]
        naive += [first + int(run.argmin()), first + int(run.argmax())]
    assert ends_of(values, 10) == sorted(naive)
