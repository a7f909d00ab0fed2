"""The chains of the demonstration, for its own recording or, by kind of channel, for any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import SpecError
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.resonators import Notch, Peak
from jaxscope.filters.shapes import new_spec
from jaxscope.filters.spec import FilterChain, Stage

#: where a recording tells no rate
_DEFAULT_RATE_HZ = 256.0
#: The electrodes of the demonstration recording.
EEG_NAMES = (
    *("Fp1", "Fpz", "Fp2", "F7", "F3", "Fz", "F4", "F8", "T7", "C3", "Cz", "C4", "T8"),
    *("P7", "P3", "Pz", "P4", "P8", "O1", "Oz", "O2"),
)


def demo_chains(info: RecordingInfo | None = None) -> tuple[FilterChain, ...]:
    """Return the chains of the demonstration: A for EEG, B for ECG, C for EMG; the eyes stay raw.

    Parameters
    ----------
    info : RecordingInfo or None
        Another recording: the chains are then for its channels by kind. Where none is EEG, A is for those that are no
        ECG or EMG either, its edges at parts of their rate.
    """
    if info is None:
        names = {"eeg": EEG_NAMES, "ecg": ("ECG",), "emg": ("EMG",)}
        rates_hz: tuple[float, ...] = ()
    else:
        names = {
            kind: tuple(channel.name for channel in info.channels if channel.kind == kind)
            for kind in ("eeg", "ecg", "emg")
        }
        rates_hz = tuple({channel.rate_hz for channel in info.channels if channel.is_data and channel.rate_hz})
    signals = () if info is None or names["eeg"] else _other_signals(info)
    others = FilterChain(name="Signals", channels=signals, phase="zero", stages=_signal_stages(rates_hz))
    return (others,) * bool(signals) + tuple(
        FilterChain(name=title, channels=names[kind], phase="zero", stages=_fitting(stages, rates_hz))
        for title, kind, stages in (
            ("EEG", "eeg", _eeg_stages()),
            ("ECG", "ecg", _stages_between(0.5, 60.0)),
            ("EMG", "emg", _stages_between(20.0, 110.0)),
        )
        if names[kind]
    )


def _other_signals(info: RecordingInfo) -> tuple[str, ...]:
    return tuple(channel.name for channel in info.channels if channel.is_data and channel.kind not in ("ecg", "emg"))


def _signal_stages(rates_hz: Sequence[float]) -> tuple[Stage, ...]:
    """Return notch, high-pass and low-pass at the rate of any signals."""
    rate_hz = max(rates_hz, default=_DEFAULT_RATE_HZ)
    bands = (new_spec("butterworth", rate_hz, band=band) for band in ("highpass", "lowpass"))
    return _fitting((Stage(spec=Notch(frequency_hz=50.0, q=30.0)), *(Stage(spec=spec) for spec in bands)), rates_hz)


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
