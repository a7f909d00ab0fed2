"""The chains of the demonstration, and how long it takes from turning a knob to its frame.

The measurement goes the whole way of the window, without the window: a store, a conductor with its real threads, one
action after the other, each waiting for the frame of its own state or a newer one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from jaxscope.compute.conductor import Conductor
from jaxscope.compute.frames import Blocked, Failure, Frame, Opened, Outcome
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import JaxscopeError, ReadError, SpecError
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.resonators import Notch, Peak
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.actions import LookAt, OpenedRecording, SetChains, TurnKnob
from jaxscope.session.state import RecordingRef, SessionState
from jaxscope.session.store import Store

#: The electrodes of the demonstration recording.
EEG_NAMES = (
    *("Fp1", "Fpz", "Fp2", "F7", "F3", "Fz", "F4", "F8", "T7", "C3", "Cz", "C4", "T8"),
    *("P7", "P3", "Pz", "P4", "P8", "O1", "Oz", "O2"),
)
PATIENCE_S = 60.0
#: Moves that pay for what is compiled once, and moves that count.
WARM_UP, MOVES = 3, 60


def demo_chains(info: RecordingInfo | None = None) -> tuple[FilterChain, ...]:
    """Return the chains of the demonstration: A for EEG, B for ECG, C for EMG; the eyes stay raw.

    Parameters
    ----------
    info : RecordingInfo or None
        Another recording: the chains are then for its channels by kind, and A for all signals where none is EEG.
    """
    if info is None:
        names = {"eeg": EEG_NAMES, "ecg": ("ECG",), "emg": ("EMG",)}
        rates_hz: tuple[float, ...] = ()
    else:
        names = {
            kind: tuple(channel.name for channel in info.channels if channel.kind == kind)
            for kind in ("eeg", "ecg", "emg")
        }
        names["eeg"] = names["eeg"] or tuple(channel.name for channel in info.channels if channel.is_data)
        rates_hz = tuple({channel.rate_hz for channel in info.channels if channel.is_data and channel.rate_hz})
    return tuple(
        FilterChain(name=title, channels=names[kind], phase="zero", stages=_fitting(stages, rates_hz))
        for title, kind, stages in (
            ("EEG", "eeg", _eeg_stages()),
            ("ECG", "ecg", _stages_between(0.5, 60.0)),
            ("EMG", "emg", _stages_between(20.0, 110.0)),
        )
        if names[kind]
    )


def _fitting(stages: tuple[Stage, ...], rates_hz: Sequence[float]) -> tuple[Stage, ...]:
    """Return the stages with those switched off that do not fit one of the rates."""
    return tuple(replace(stage, enabled=stage.enabled and _fits(stage, rates_hz)) for stage in stages)


def _fits(stage: Stage, rates_hz: Sequence[float]) -> bool:
    try:
        for rate_hz in rates_hz:
            stage.spec.check(rate_hz)
    except SpecError:
        return False
    return True


def _eeg_stages() -> tuple[Stage, ...]:
    return (
        Stage(spec=Notch(frequency_hz=50.0, q=30.0)),
        Stage(spec=Butterworth(band="highpass", order=4, cutoff_hz=0.5)),
        Stage(spec=Butterworth(band="lowpass", order=4, cutoff_hz=40.0)),
        Stage(spec=Peak(frequency_hz=10.0, q=2.0), enabled=False),
    )


def _stages_between(low_hz: float, high_hz: float) -> tuple[Stage, ...]:
    return (
        Stage(spec=Notch(frequency_hz=50.0, q=30.0)),
        Stage(spec=Butterworth(band="bandpass", order=2, cutoff_hz=(low_hz, high_hz))),
    )


class Inbox:
    """Takes outcomes from the workers and lets one thread wait for some of them."""

    def __init__(self) -> None:
        self._outcomes: list[Outcome] = []
        self._changed = threading.Condition()

    def __call__(self, outcome: Outcome) -> None:
        """Take an outcome (on a worker)."""
        with self._changed:
            self._outcomes.append(outcome)
            self._changed.notify_all()

    def wait_opened(self) -> Opened:
        """Return the recording that was opened.

        Raises
        ------
        ReadError
            Where it could not be.
        """
        found = self._wait(lambda outcome: isinstance(outcome, Opened | Failure))
        if isinstance(found, Failure):
            raise ReadError(found.sentence, hint=found.hint)
        if not isinstance(found, Opened):
            raise TypeError(f"{found} is not an opened recording")
        return found

    def wait_frame(self, revision: int) -> Frame:
        """Return the first frame with a filter of this state or a newer one.

        Raises
        ------
        JaxscopeError
            Where there can be none.
        """

        def suits(outcome: Outcome) -> bool:
            if isinstance(outcome, Frame):
                return outcome.revision >= revision and any(block.after is not None for block in outcome.blocks)
            return isinstance(outcome, Blocked | Failure) and outcome.revision >= revision

        found = self._wait(suits)
        if isinstance(found, Frame):
            return found
        if isinstance(found, Blocked):
            raise JaxscopeError(found.reason, hint=found.hint)
        raise JaxscopeError(found.sentence if isinstance(found, Failure) else "there is no frame")

    def _wait(self, suits: object) -> Outcome:
        if not callable(suits):
            raise TypeError("give a function")
        deadline = time.monotonic() + PATIENCE_S
        seen = 0
        with self._changed:
            while True:
                for outcome in self._outcomes[seen:]:
                    if suits(outcome):
                        return outcome
                seen = len(self._outcomes)
                if not self._changed.wait(deadline - time.monotonic()) and time.monotonic() > deadline:
                    raise JaxscopeError("nothing came in time", hint="look at the log for what went wrong")

    def forget(self) -> None:
        """Let go of what has come."""
        with self._changed:
            self._outcomes.clear()


def knob_to_frame(
    path: str,
    *,
    chains: Sequence[FilterChain] | None = None,
    window_s: float = 10.0,
    width_px: int = 1048,
    moves: int = MOVES,
    state: SessionState | None = None,
) -> dict[str, float]:
    """Open a recording, turn the last low-pass cutoff of the first chain, and measure.

    Returns
    -------
    dict
        ``p50_ms``, ``p95_ms`` from the action to the frame, ``compilations`` while tuning, ``channels``, ``samples``.
    """
    inbox = Inbox()
    store = Store(state or SessionState())
    conductor = Conductor(store, inbox)
    try:
        conductor.set_width_px(width_px, width_px)
        conductor.open(path)
        opened = inbox.wait_opened()
        store.dispatch(SetChains(chains=tuple(chains or demo_chains(opened.info))))
        store.dispatch(OpenedRecording(recording=RecordingRef(path=path), duration_s=opened.info.duration_s))
        store.dispatch(LookAt(start_s=0.0, duration_s=window_s))
        inbox.wait_frame(store.revision)
        # what runs in the background for the first time compiles for itself; that is not tuning
        conductor.wait_idle(PATIENCE_S)
        return _tuned(store, conductor, inbox, moves)
    finally:
        conductor.shut_down()


def _tuned(store: Store, conductor: Conductor, inbox: Inbox, moves: int) -> dict[str, float]:
    number, cutoff_hz = _knob(store.state.document.chains[0])
    times_ms: list[float] = []
    compiled = 0
    frame: Frame | None = None
    for move in range(WARM_UP + moves):
        if move == WARM_UP:
            compiled = conductor.compilations()
        value = cutoff_hz * 2 ** (0.4 * np.sin(0.7 + move / 5))
        inbox.forget()
        begun = time.perf_counter()
        store.dispatch(TurnKnob(chain=0, stage=number, name="cutoff_hz", value=float(value), merge_key="demonstration"))
        frame = inbox.wait_frame(store.revision)
        if move >= WARM_UP:
            times_ms.append((time.perf_counter() - begun) * 1e3)
    return {
        "p50_ms": float(np.percentile(times_ms, 50)),
        "p95_ms": float(np.percentile(times_ms, 95)),
        "compilations": conductor.compilations() - compiled,
        "channels": frame.n_channels if frame is not None else 0,
        "samples": frame.n_samples if frame is not None else 0,
    }


def _knob(chain: FilterChain) -> tuple[int, float]:
    for number in reversed(range(len(chain.stages))):
        spec = chain.stages[number].spec
        if chain.stages[number].enabled and isinstance(spec, Butterworth) and isinstance(spec.cutoff_hz, float):
            return number, spec.cutoff_hz
    raise JaxscopeError("the chain has no cutoff to turn", hint="add a low-pass")
