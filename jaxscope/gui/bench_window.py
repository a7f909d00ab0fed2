"""The benchmark's window: a knob turned on the real window with its real threads, at the size the engine is built for.

What is told is what a person feels: from the knob to the painted frame, how long the window did not answer, and how
much of the processor the GUI thread took. A machine that others use at the same time makes the first two longer, not
the last.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.gui.demo_run import change, tune, wait
from jaxscope.gui.session import WindowSession, make_application
from jaxscope.session.actions import ChooseEngine, SetChains
from jaxscope.session.settings import Settings

RATE_HZ = 1000.0
N_CHANNELS = 64
RECORDED_S = 60.0
_SIZE = (1600, 1000)
#: An edit takes about so long; the moves follow from the time there is.
_MOVE_S = 0.03


def measure_window(seconds: float, *, n_channels: int = N_CHANNELS) -> dict[str, object]:
    """Turn a low-pass over ten seconds of noise for about ``seconds``, and return the figures.

    Returns
    -------
    dict
        ``name, knob_to_frame_ms {p50, p95}, longest_gui_stall_ms, longest_gui_work_ms, gui_work_per_edit_ms,
        compilations_while_tuning``
    """
    make_application()
    chain = FilterChain(
        stages=(
            Stage(spec=Butterworth(band="highpass", order=4, cutoff_hz=1.0)),
            Stage(spec=Butterworth(band="lowpass", order=4, cutoff_hz=40.0)),
        )
    )
    with tempfile.TemporaryDirectory(prefix="jaxscope-bench-") as folder:
        path = Path(folder) / "noise.npz"
        x = np.random.default_rng(0).standard_normal((n_channels, int(RECORDED_S * RATE_HZ)), dtype=np.float32)
        np.savez(path, x=x, rate_hz=RATE_HZ)
        session = WindowSession(Settings(), ())
        try:
            session.window.resize(*_SIZE)
            session.window.show()
            session.window.actions_.open_recording(str(path))
            wait(lambda: session.window.shell.has_recording)
            session.store.dispatch(ChooseEngine(precision="float32"))
            change(session, SetChains(chains=(chain,)))
            told = tune(session, max(20, round(seconds / _MOVE_S)))
        finally:
            session.dispose()
    return {"name": f"window, {n_channels} channels x 10 s at {RATE_HZ:g} Hz, causal, float32", **told}
