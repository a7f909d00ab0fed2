"""The picture of the benchmark shows the rows that there are, and says so where there is nothing to show."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from jaxscope.errors import WriteError
from jaxscope.gui.bench_picture import draw_bench, panels, tick_words


def point(sweep: str, value: float, ours: float, precision: str = "float32") -> dict:
    return {
        "name": f"grid: {sweep}", "sweep": sweep, "value": value, "precision": precision, "ours_ns_per_sample": ours,
        "reference_ns_per_sample": 10.0, "threads_ns_per_sample": None, "ratio": 10.0 / ours,
    }  # fmt: skip


ROWS = [
    *(point("channels", value, ours, kind) for value, ours in ((1, 5.0), (64, 1.0)) for kind in ("float32", "float64")),
    point("taps", 32, 1.0),
    *({"name": "growth", "n_total": n, "ours_ns_per_sample": 2.0, "reference_ns_per_sample": 9.0} for n in (100, 1000)),
    *({"name": f"sparse: montage of {d}", "density": d, "ratio": 0.1 / d} for d in (0.01, 0.1, 1.0)),
]


def test_a_panel_shows_the_rows_of_its_sweep() -> None:
    channels, growth, sparse = panels(ROWS)  # one point of taps makes no line
    assert [line.title for line in channels.lines] == ["float32", "float64", "SciPy"]
    assert channels.lines[0].points == ((1.0, 5.0), (64.0, 1.0))
    assert [point[1] for point in growth.lines[0].points] == pytest.approx([0.0002, 0.002])
    assert [point[1] for point in sparse.lines[0].points] == pytest.approx([10.0, 1.0, 0.1])


def test_it_is_drawn_in_the_colours_of_its_lines(qapp, tmp_path: Path) -> None:
    draw_bench(ROWS, str(tmp_path / "bench.png"))
    image = QImage(str(tmp_path / "bench.png"))
    assert (image.width(), image.height()) == (3200, 2000)
    seen = {image.pixelColor(x, y).name() for x in range(0, 3200, 7) for y in range(0, 2000, 3)}
    assert {"#0b62c9", "#6a4bd0", "#6b5f4c"} <= seen


def test_numbers_on_the_axes() -> None:
    assert [tick_words(value) for value in (0.5, 1000.0, 1e4, 2e6, 1e10)] == ["0.5", "1,000", "10⁴", "2·10⁶", "10¹⁰"]


def test_nothing_to_draw_and_no_place_for_it_are_told(qapp, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="nothing to draw"):
        draw_bench(ROWS[4:5], str(tmp_path / "bench.png"))
    with pytest.raises(WriteError, match="cannot be written"):
        draw_bench(ROWS, str(tmp_path / "nowhere" / "bench.png"))
