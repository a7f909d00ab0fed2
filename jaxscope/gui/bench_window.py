"""The benchmark's window: knobs, pans and zooms on the real window with its real threads, and a peer's beside it.

What is told is what a person feels: from the hand to the painted frame, how long the window did not answer, and how
much of the processor the GUI thread took. A machine that others use at the same time makes the first two longer, not
the last.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtGui import QGuiApplication

from jaxscope.errors import UsageError
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.gui.bench_start import measure_start
from jaxscope.gui.demo_run import change, tune, wait
from jaxscope.gui.session import WindowSession, make_application
from jaxscope.gui.watchdog import Watchdog
from jaxscope.session.actions import ChooseEngine, LookAt, SetChains
from jaxscope.session.settings import Settings

_WINDOW_PX = (1600, 1000)
#: An edit takes about so long; the moves follow from the time there is.
_MOVE_S = 0.03
_LEAST_MOVES, _MOST_MOVES = 20, 200
#: Below this time there is only the usual size, and no start and no peer.
_WHOLE_FROM_S = 10.0
_PEER_PATIENCE_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """What is shown: so many channels over so much time."""

    n_channels: int
    rate_hz: float
    shown_s: float

    @property
    def words(self) -> str:
        """The size in words."""
        return f"{self.n_channels} channels x {self.shown_s:g} s at {self.rate_hz:g} Hz"


USUAL = Size(n_channels=64, rate_hz=1000.0, shown_s=10.0)
SIZES = (
    USUAL,
    Size(n_channels=256, rate_hz=1000.0, shown_s=10.0),
    Size(n_channels=384, rate_hz=30_000.0, shown_s=2.0),
)
SCROLLED = Size(n_channels=40, rate_hz=1000.0, shown_s=5.0)


def measure_windows(
    seconds: float, *, peer_python: str | None = None, report: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Measure the window at all sizes, its start, and scrolling beside mne-qt-browser; with little time, one size.

    Parameters
    ----------
    seconds : float
        Time to spend on knobs, pans and zooms; starting and the peer come on top.
    peer_python : str, optional
        Interpreter of an environment that has mne-qt-browser; without it ours scrolls alone.

    Returns
    -------
    dict
        The figures of the usual size (see ``measure_window``); ``sizes``, those of all; ``scroll`` and ``start``.
    """
    if seconds < _WHOLE_FROM_S and peer_python is None:
        return measure_window(seconds)
    sizes = []
    for size in SIZES:
        report(size.words)
        sizes.append(measure_window(seconds / len(SIZES), size=size))
    report("scroll")
    scroll = measure_scroll(peer_python)
    report("start")
    return {**sizes[0], "sizes": sizes, "scroll": scroll, "start": measure_start()}


def measure_window(seconds: float, *, size: Size = USUAL) -> dict[str, Any]:
    """Turn a low-pass over noise for about ``seconds``, then pan and zoom, and return the figures.

    Each of the three begins once the window is calm, as a hand takes a while from one to the next.

    Returns
    -------
    dict
        ``name, knob_to_frame_ms {p50, p95}, pan_to_frame_ms, zoom_to_frame_ms (alike), longest_gui_stall_ms,
        longest_gui_work_ms, gui_work_per_edit_ms, compilations_while_tuning``
    """
    moves = min(_MOST_MOVES, max(_LEAST_MOVES, round(seconds / _MOVE_S / 2)))
    with _window_of(size) as session:
        _calm(session)
        told = tune(session, moves)
        watchdog = Watchdog()
        watchdog.start()
        _calm(session)
        pans = _pans(session, size, moves)
        _calm(session)
        zooms = _zooms(session, size, moves)
        watchdog.stop()
        longest = {
            "longest_gui_stall_ms": max(told["longest_gui_stall_ms"], watchdog.longest_ms),
            "longest_gui_work_ms": max(told["longest_gui_work_ms"], watchdog.longest_work_ms),
        }
    return {
        "name": f"window, {size.words}, causal, float32",
        **told,
        **longest,
        "pan_to_frame_ms": _percentiles(pans),
        "zoom_to_frame_ms": _percentiles(zooms),
    }


def measure_scroll(peer_python: str | None, *, steps: int = 100) -> dict[str, Any]:
    """Scroll by a quarter of the window as fast as pictures come; the peer alone after us, at the same places.

    Returns
    -------
    dict
        ``name, ours_per_s, peer, peer_per_s, ratio``; without a peer the last three are None.
    """
    with tempfile.TemporaryDirectory(prefix="jaxscope-bench-") as folder:
        path = _noise(Path(folder), SCROLLED)
        with _window_of(SCROLLED, path) as session:
            _calm(session)  # what is done once has been done; the peer waits as well
            places_s = _length_s(SCROLLED) - SCROLLED.shown_s
            begun = time.perf_counter()
            for step in range(steps):
                start_s = (step * SCROLLED.shown_s / 4) % places_s
                change(session, LookAt(start_s=start_s, duration_s=SCROLLED.shown_s))
            ours = steps / (time.perf_counter() - begun)
        peer = None if peer_python is None else _peer(peer_python, path, steps)
    return {
        "name": f"scroll, {SCROLLED.words}; ours filters as well",
        "ours_per_s": ours,
        "peer": None if peer is None else peer["name"],
        "peer_per_s": None if peer is None else peer["per_s"],
        "ratio": None if peer is None else ours / peer["per_s"],
    }


@contextmanager
def _window_of(size: Size, path: Path | None = None) -> Iterator[WindowSession]:
    """Open a window of a size on noise, filtered causally in float32; close it afterwards."""
    make_application()
    chain = FilterChain(
        stages=(
            Stage(spec=Butterworth(band="highpass", order=4, cutoff_hz=1.0)),
            Stage(spec=Butterworth(band="lowpass", order=4, cutoff_hz=40.0)),
        )
    )
    with tempfile.TemporaryDirectory(prefix="jaxscope-bench-") as folder:
        session = WindowSession(Settings(), ())
        try:
            session.window.resize(*_WINDOW_PX)
            session.window.show()
            session.window.actions_.open_recording(str(path or _noise(Path(folder), size)))
            wait(lambda: session.window.shell.has_recording)
            session.store.dispatch(ChooseEngine(precision="float32"))
            change(session, LookAt(start_s=size.shown_s, duration_s=size.shown_s))
            change(session, SetChains(chains=(chain,)))
            yield session
        finally:
            session.dispose()


def _calm(session: WindowSession) -> None:
    """Wait until nothing is worked on."""
    wait(lambda: session.conductor.wait_idle(0.0))


def _length_s(size: Size) -> float:
    """Return the length of the noise: six windows, few of the long ones."""
    return min(6 * size.shown_s, max(3 * size.shown_s, 30.0))


def _noise(folder: Path, size: Size) -> Path:
    """Write noise."""
    path = folder / f"noise-{size.n_channels}.npz"
    shape = (size.n_channels, int(_length_s(size) * size.rate_hz))
    x = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
    np.savez(path, x=x, rate_hz=size.rate_hz)
    return path


def _pans(session: WindowSession, size: Size, moves: int) -> list[float]:
    """Return the times from a step of a tenth of the window to its frame, to and fro."""
    shares = 0.5 * (1 - np.cos(np.linspace(0, 2 * np.pi * moves / 40, moves + 1)))[1:]
    return [
        _timed(session, LookAt(start_s=size.shown_s * (0.5 + float(share)), duration_s=size.shown_s))
        for share in shares
    ]


def _zooms(session: WindowSession, size: Size, moves: int) -> list[float]:
    """Return the times from a step of zoom to its frame, between a quarter of the window and all of it."""
    factors = 2.0 ** (np.cos(np.linspace(0, 2 * np.pi * moves / 40, moves + 1))[1:] - 1)
    return [
        _timed(session, LookAt(start_s=size.shown_s, duration_s=size.shown_s * float(factor))) for factor in factors
    ]


def _timed(session: WindowSession, action: LookAt) -> float:
    begun = time.perf_counter()
    change(session, action)
    return (time.perf_counter() - begun) * 1e3


def _percentiles(times_ms: list[float]) -> dict[str, float]:
    return {"p50": float(np.percentile(times_ms, 50)), "p95": float(np.percentile(times_ms, 95))}


def _peer(python: str, path: Path, steps: int) -> dict[str, Any]:
    """Run the peer in its own environment and return what it says."""
    script = Path(__file__).with_name("bench_peer.py")
    # on the same kind of screen as ours
    environment = {**os.environ, "QT_QPA_PLATFORM": QGuiApplication.platformName(), "PYTHONPATH": ""}
    command = [python, str(script), str(path), str(SCROLLED.shown_s), str(steps), *map(str, _WINDOW_PX)]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_PEER_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"the peer cannot be run with {python}: {error}", hint="give another --peer-python") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise UsageError(f"the peer failed with {python}: {last}", hint="install mne and mne-qt-browser there")
    told: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return told
