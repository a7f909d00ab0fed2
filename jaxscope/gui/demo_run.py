"""The demonstration: opens it, turns its cutoff as a hand would, and measures what a person would feel.

"Knob to frame" is the time from the action of a knob to the repaint of the traces with a frame of that state or a newer
one, on the real window with its real threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QEventLoop, QPointF, QTimer
from PySide6.QtWidgets import QApplication

from jaxscope.compute.demo import demo_chains
from jaxscope.compute.frames import Frame, Opened, TraceBlock
from jaxscope.errors import JaxscopeError, ReadError, WriteError
from jaxscope.filters.shapes import stage_title
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.session import WindowSession
from jaxscope.gui.watchdog import Watchdog
from jaxscope.resource_files import resource_path
from jaxscope.session.actions import Action, LookAt, SelectChannels, SelectStage, SetChains, TurnKnob

MOVES = 60
_PATIENCE_S = 90.0
_EXACT_WINDOW_S = 2.0
_USUAL_WINDOW_S = 10.0
#: Knobs that hold a frequency.
_KNOBS_HZ = ("cutoff_hz", "frequency_hz")


def open_demo(session: WindowSession, file: str | None, rate_hz: float | None = None) -> str:
    """Open the demonstration's recording with its chains, or ``file`` with chains that suit it; return the path."""
    if file is None:
        _show_chains(session, demo_chains())
    else:
        session.bridge.received.connect(partial(_filter_when_open, session, file))
    path = file or str(resource_path("demo.edf"))
    if rate_hz is None:
        session.window.actions_.open_recording(path)
    else:
        session.window.actions_.open_with_rate(path, rate_hz)
    return path


def _filter_when_open(session: WindowSession, file: str, outcome: object) -> None:
    if isinstance(outcome, Opened) and outcome.path == file and not session.store.state.document.chains:
        _show_chains(session, demo_chains(outcome.info))


def _show_chains(session: WindowSession, chains: tuple[FilterChain, ...]) -> None:
    session.store.dispatch(SetChains(chains=chains))
    session.store.mark_saved()  # whoever only looks around has nothing to lose


def measure_demo(
    session: WindowSession, *, file: str | None, screenshot: str | None, rate_hz: float | None = None
) -> dict[str, object]:
    """Run the demonstration in a window that is shown, and return its figures.

    Raises
    ------
    ReadError
        Where the file cannot be opened, or does not tell its rate and none is given.
    WriteError
        Where the picture cannot be written.
    """
    path = open_demo(session, file, rate_hz)
    window = session.window
    traces = window.traces
    wait(lambda: window.shell.has_recording or bool(window.start.failure_words) or _asks_rate(session))
    if _asks_rate(session):
        raise ReadError(f"{path} does not tell its sampling rate", hint="give it in Hz with --rate")
    if not window.shell.has_recording:
        raise ReadError(window.start.failure_words, hint="choose another recording")
    info = window.shell.info
    wait(lambda: _shows(session, 0))
    rms_before, rms_after = _exact_rms(session)
    _look_at_something(session)
    tuned = tune(session)
    _wait_for_background(session)
    _finish_picture(session)
    if screenshot is not None and not window.grab().save(screenshot):
        raise WriteError(f"{screenshot} cannot be written", hint="choose a folder that can be written")
    rates = sorted({channel.rate_hz for channel in info.channels if channel.rate_hz}) if info is not None else []
    return {
        "recording": path if file else "demo.edf",
        "channels": len(info.channels) if info is not None else 0,
        "rate_hz": rates[-1] if rates else None,
        "chain": _chain_words(session),
        "rms_before": rms_before,
        "rms_after": rms_after,
        **tuned,
        "method": traces.model.frame.method if traces.model.frame is not None else None,
        "screenshot": screenshot,
    }


def tune(session: WindowSession, moves: int = MOVES) -> dict[str, Any]:
    """Drag the cutoff of the selected stage up and down and return the figures; nothing where there is no knob."""
    found = _knob_to_turn(session)
    watchdog = Watchdog()
    if found is None:
        return {
            "knob_to_frame_ms": {"p50": None, "p95": None},
            "compilations_while_tuning": 0,
            "longest_gui_stall_ms": None,
            "longest_gui_work_ms": None,
            "gui_work_per_edit_ms": None,
        }
    stage, knob, values = found
    # the first moves pay for what is compiled once
    for value in values[:3]:
        change(session, _turn(stage, knob, value))
    wait(lambda: session.conductor.wait_idle(0.0))
    compiled = session.conductor.compilations()
    watchdog.start()
    times_ms = []
    worked = time.thread_time()
    for value in (values * (moves // len(values) + 1))[:moves]:
        begun = time.perf_counter()
        change(session, _turn(stage, knob, value))
        times_ms.append((time.perf_counter() - begun) * 1e3)
    watchdog.stop()
    worked = time.thread_time() - worked
    return {
        "knob_to_frame_ms": {
            "p50": float(np.percentile(times_ms, 50)) if times_ms else None,
            "p95": float(np.percentile(times_ms, 95)) if times_ms else None,
        },
        "compilations_while_tuning": session.conductor.compilations() - compiled,
        "longest_gui_stall_ms": watchdog.longest_ms,
        "longest_gui_work_ms": watchdog.longest_work_ms,
        "gui_work_per_edit_ms": worked * 1e3 / max(1, len(times_ms)),
    }


def _knob_to_turn(session: WindowSession) -> tuple[tuple[int, int], str, list[object]] | None:
    """Return a stage, the name of a knob in Hz, and values around the one it has: a low-pass first, else what there is.

    None where no stage that is on has a frequency.
    """
    found: list[tuple[int, int, int, str, float | tuple[float, ...]]] = []
    for number, chain in enumerate(session.store.state.document.chains):
        for place, stage in enumerate(chain.stages):
            for name in _KNOBS_HZ if stage.enabled else ():
                value = getattr(stage.spec, name, None)
                if isinstance(value, int | float | tuple):
                    is_edge = isinstance(value, int | float) and name == "cutoff_hz"
                    liking = 2 * is_edge + (getattr(stage.spec, "band", "") == "lowpass")
                    found.append((-liking, number, -place, name, value))
    if not found:
        return None
    _, number, place, name, value = min(found, key=lambda item: item[:4])
    session.store.dispatch(SelectStage(chain=number, stage=-place))
    factors = [float(2 ** (0.4 * share)) for share in np.sin(np.linspace(0, 2 * np.pi, MOVES // 2 + 1))[1:]]
    return (number, -place), name, [_times(value, factor) for factor in factors]


def _times(value: float | tuple[float, ...], factor: float) -> float | tuple[float, ...]:
    """Return a frequency times a factor; of a band its lower edge, and downwards, so that it stays below the upper."""
    if isinstance(value, tuple):
        return (round(value[0] * min(factor, 1 / factor), 6), *value[1:])
    return round(float(value) * factor, 6)


def _turn(stage: tuple[int, int], knob: str, value: object) -> TurnKnob:
    return TurnKnob(chain=stage[0], stage=stage[1], name=knob, value=value, merge_key="demonstration")


def _asks_rate(session: WindowSession) -> bool:
    sheet = session.window.floating.import_sheet
    return sheet is not None and sheet.isVisible()


def _shows(session: WindowSession, revision: int) -> bool:
    """Whether the traces of a state, or of a newer one, are on the screen; filtered where something filters them."""
    traces = session.window.traces
    if not traces.model.lanes:
        return session.window.shell.has_recording
    if traces.picture is None or traces.painted_revision < revision:
        return False
    frame = traces.picture.scene.frame
    return any(block.after is not None for block in frame.blocks) or all(lane.is_raw for lane in traces.model.lanes)


def change(session: WindowSession, action: Action) -> None:
    """Dispatch an action and wait until its traces are on the screen."""
    before = session.store.revision
    session.store.dispatch(action)
    if session.store.revision != before:
        revision = session.store.revision
        wait(lambda: _shows(session, revision))


def _exact_rms(session: WindowSession) -> tuple[float | None, float | None]:
    """Return root mean squares of Before and After, over a window that shows every sample; None of nothing."""
    change(session, LookAt(start_s=0.0, duration_s=_EXACT_WINDOW_S))
    frame = session.window.traces.model.frame
    if frame is None:
        return None, None
    return _rms(frame, is_after=False), _rms(frame, is_after=True)


def _rms(frame: Frame, *, is_after: bool) -> float | None:
    squares: list[np.ndarray] = []
    for block in frame.blocks:
        values = _values(block, is_after=is_after)
        if values is not None:
            squares.append(values[np.isfinite(values)] ** 2)
    known = np.concatenate(squares) if squares else np.zeros(0)
    return float(np.sqrt(np.mean(known))) if known.size else None


def _values(block: TraceBlock, *, is_after: bool) -> np.ndarray | None:
    """Return the filtered channels of a block, each without its centre."""
    chosen = np.flatnonzero(block.filtered)
    traces = block.after if is_after else block.before
    if traces is None or not len(chosen):
        return None
    offset = block.after_offset if is_after else block.before_offset
    return (traces.low[chosen] + traces.high[chosen]) / 2 - offset[chosen, None]


def _look_at_something(session: WindowSession) -> None:
    """Show ten seconds with an event a quarter of the way in, and select a channel at the back of the head."""
    info = session.window.shell.info
    events = sorted(event.onset_s for event in session.store.state.document.annotations)
    closed = [event.onset_s for event in session.store.state.document.annotations if "closed" in event.text]
    onset_s = (closed or events or [0.0])[0]
    total_s = info.duration_s if info is not None else None
    change(session, LookAt(start_s=max(0.0, onset_s - 2.5), duration_s=_USUAL_WINDOW_S, total_s=total_s))
    names = [] if info is None else [channel.name for channel in info.channels]
    wanted: Sequence[str] = [name for name in names if name.endswith("O1")] or names[:1]
    if wanted and total_s is not None:
        session.store.dispatch(SelectChannels(names=(wanted[0],)))


def _wait_for_background(session: WindowSession) -> None:
    """Wait until the overview and the agreement are there, but not for ever."""
    session_end = time.monotonic() + 20.0

    def is_done() -> bool:
        frame = session.window.overview.frame
        done = frame is not None and frame.read_share >= 1
        is_told = done and session.window.top.readout.has_agreement
        return is_told or session.conductor.wait_idle(0.0) or time.monotonic() > session_end

    wait(is_done)


def _finish_picture(session: WindowSession) -> None:
    """Put the pointer where values are to be seen, and wait for a picture at rest quality."""
    traces = session.window.traces
    lanes = [lane.name for lane in traces.model.lanes]
    selected = session.store.state.viewport.selected_channels
    row = lanes.index(selected[0]) if selected and selected[0] in lanes else 0
    height = traces.height() / max(1, len(lanes))
    traces.set_pointer(QPointF(traces.width() * 0.62, (row + 0.5) * height))
    traces.rest_now()
    wait(lambda: traces.is_resting or not lanes)
    _pump(0.3)


def _chain_words(session: WindowSession) -> str:
    chains = session.store.state.document.chains
    words = ", ".join(stage_title(stage) for chain in chains[:1] for stage in chain.active_stages)
    return words or "no filter"


def wait(is_done: Callable[[], bool]) -> None:
    """Serve events until something is so."""
    deadline = time.monotonic() + _PATIENCE_S
    loop = QEventLoop()
    wake = QTimer()
    wake.setInterval(20)
    wake.timeout.connect(lambda: None)
    wake.start()
    while not is_done():
        if time.monotonic() > deadline:
            raise JaxscopeError(
                f"the window did not answer within {_PATIENCE_S:.0f} s", hint="look at the log for what went wrong"
            )
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    wake.stop()


def _pump(seconds: float) -> None:
    """Serve events for a time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(0.005)
