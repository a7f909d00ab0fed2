"""How long the program takes to start, in a process of its own: window visible, Before, After.

Measured twice with one folder for compiled programs: the first time it is empty, the second time it is not. Times count
from just before the process is made, so the interpreter and every import are in them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from jaxscope.errors import JaxscopeError

_PATIENCE_S = 120.0


def measure_start() -> dict[str, Any]:
    """Start the program on its demonstration twice.

    Returns
    -------
    dict
        ``cold`` and ``warm``, each ``window_s, before_s, after_s``, and the processor time of all threads until then
        as ``window_cpu_s`` and so on: a machine that others use makes the first three longer, not these.
    """
    with tempfile.TemporaryDirectory(prefix="jaxscope-compiled-") as folder:
        return {"cold": _started(folder), "warm": _started(folder)}


def _started(compiled: str) -> dict[str, float]:
    environment = {
        **os.environ,
        "JAX_COMPILATION_CACHE_DIR": compiled,
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.1",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0",
    }
    begun = time.time()
    done = subprocess.run(
        [sys.executable, "-m", "jaxscope.gui.bench_start", repr(begun)],
        env=environment, capture_output=True, text=True, timeout=_PATIENCE_S, check=False,
    )  # fmt: skip
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise JaxscopeError(f"the window did not start: {last}", hint="look at the log for what went wrong")
    told: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return told


def _start(begun: float) -> dict[str, float]:
    """Show the window with the demonstration and note when what was there."""
    from jaxscope.gui.start_quietly import pause_collections, resume_collections

    pause_collections()
    from jaxscope.gui.demo_run import open_demo, wait
    from jaxscope.gui.session import WindowSession, make_application
    from jaxscope.session.settings import Settings

    make_application()
    session = WindowSession(Settings(), ())
    session.window.resize(1600, 1000)
    session.window.show()
    resume_collections()
    wait(lambda: session.window.windowHandle().isExposed())
    told: dict[str, float] = {}

    def note(what: str) -> None:
        told[f"{what}_s"], told[f"{what}_cpu_s"] = time.time() - begun, time.process_time()

    note("window")
    open_demo(session, None)
    traces = session.window.traces
    wait(lambda: traces.picture is not None)
    note("before")
    wait(lambda: traces.picture is not None and any(b.after is not None for b in traces.picture.scene.frame.blocks))
    note("after")
    session.dispose()
    return told


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_start(float(sys.argv[1]))) + "\n")
    sys.stdout.flush()
