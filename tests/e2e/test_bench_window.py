"""The window's figures in the benchmark come from pictures that were really painted."""

from __future__ import annotations

from jaxscope.gui.bench_window import Size, measure_window
from jaxscope.gui.views.traces import TracesView


def test_figures_of_the_window(qapp, monkeypatch):
    painted = []
    real = TracesView.paintEvent
    monkeypatch.setattr(TracesView, "paintEvent", lambda view, event: (painted.append(1), real(view, event))[1])
    told = measure_window(0.1, size=Size(n_channels=3, rate_hz=1000.0, shown_s=10.0))
    assert told["compilations_while_tuning"] == 0
    assert 0 < told["knob_to_frame_ms"]["p50"] <= told["knob_to_frame_ms"]["p95"]
    for what in ("pan", "zoom"):
        assert 0 < told[f"{what}_to_frame_ms"]["p50"] <= told[f"{what}_to_frame_ms"]["p95"]
    assert told["gui_work_per_edit_ms"] > 0
    assert told["longest_gui_work_ms"] > 0
    assert len(painted) >= 60, "one picture an edit, a pan and a zoom at least"
