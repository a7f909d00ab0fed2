"""mne-qt-browser scrolling over a file, for the benchmark: run by an interpreter that has it, never imported by us.

It knows nothing of this package. Usage: ``python bench_peer.py FILE SHOWN_S STEPS WIDTH HEIGHT``; the last line that
it writes is one JSON object: ``name, per_s``.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def measure(path: str, shown_s: float, steps: int, size: tuple[int, int]) -> dict[str, Any]:
    """Scroll by a quarter of the window ``steps`` times, and return pictures a second."""
    import mne  # type: ignore[import-untyped, import-not-found, unused-ignore]
    import mne_qt_browser  # type: ignore[import-untyped, import-not-found, unused-ignore]
    import numpy as np
    from qtpy.QtWidgets import QApplication  # type: ignore[import-untyped, import-not-found, unused-ignore]

    application = QApplication.instance() or QApplication(sys.argv[:1])
    application.setApplicationName("peer")
    mne.set_log_level("ERROR")
    held = np.load(path, allow_pickle=False)
    x, rate_hz = held["x"].astype(np.float64) * 1e-5, float(held["rate_hz"])
    info = mne.create_info(len(x), rate_hz, "eeg")
    raw = mne.io.RawArray(x, info)
    mne.viz.set_browser_backend("qt")
    browser = raw.plot(n_channels=len(x), duration=shown_s, show=False, block=False, show_scrollbars=True)
    browser.resize(*size)
    browser.show()
    for _ in range(20):
        QApplication.processEvents()
    total_s = x.shape[1] / rate_hz
    begun = time.perf_counter()
    for step in range(steps):
        start_s = (step * shown_s / 4) % (total_s - shown_s)
        browser.mne.plt.setXRange(start_s, start_s + shown_s, padding=0)
        browser.mne.view.viewport().repaint()
        QApplication.processEvents()
    per_s = steps / (time.perf_counter() - begun)
    return {"name": f"mne-qt-browser {mne_qt_browser.__version__}", "per_s": per_s}


if __name__ == "__main__":
    file, shown, count, width, height = sys.argv[1:]
    sys.stdout.write(json.dumps(measure(file, float(shown), int(count), (int(width), int(height)))) + "\n")
    sys.stdout.flush()
