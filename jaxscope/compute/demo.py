"""The chains of the demonstration: what one would do to its recording of eyes closed, hum, blinks and drift."""

from __future__ import annotations

from jaxscope.filters.spec import FilterChain, Stage


def demo_chains() -> tuple[FilterChain, ...]:
    """Return chain A for the 21 EEG channels, B for the ECG, C for the EMG; VEOG stays raw."""
    from jaxscope.filters.iir import Butterworth
    from jaxscope.filters.resonators import Notch, Peak

    def highpass(cutoff_hz: float, order: int = 4) -> Stage:
        spec = Butterworth(band="highpass", order=order, cutoff_hz=cutoff_hz)
        return Stage(spec=spec, name="High-pass")

    def lowpass(cutoff_hz: float, order: int = 4) -> Stage:
        return Stage(spec=Butterworth(band="lowpass", order=order, cutoff_hz=cutoff_hz), name="Low-pass")

    notch = Stage(spec=Notch(frequency_hz=50.0, q=30.0), name="Notch")
    peak = Stage(spec=Peak(frequency_hz=10.0, q=2.0), name="Peak", enabled=False)
    return (
        FilterChain(
            name="EEG",
            channels=("F*", "T*", "C*", "P*", "O*"),
            phase="zero",
            stages=(notch, highpass(0.5), lowpass(40.0), peak),
        ),
        FilterChain(name="ECG", channels=("ECG",), phase="zero", stages=(notch, highpass(0.5, 2), lowpass(40.0, 2))),
        FilterChain(name="EMG", channels=("EMG",), phase="zero", stages=(notch, highpass(20.0))),
    )
