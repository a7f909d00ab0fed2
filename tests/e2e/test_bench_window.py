"""The window's figures in the benchmark come from pictures that were really painted."""

from __future__ import annotations

from jaxscope.gui.bench_window import measure_window
from jaxscope.gui.views.traces import TracesView


def test_figures_of_the_window(qapp, monkeypatch):
    painted = []
    real = TracesView.paintEvent
    monkeypatch.setattr(TracesView, "paintEvent", lambda view, event: (painted.append(1), real(view, event))[1])
    told = measure_window(0.1, n_channels=3)
    assert told["compilations_while_tuning"] == 0
    assert 0 < told["knob_to_frame_ms"]["p50"] <= told["knob_to_frame_ms"]["p95"]
    assert told["gui_work_per_edit_ms"] > 0
    assert told["longest_gui_work_ms"] > 0
    assert len(painted) >= 20, "one picture an edit at least"
