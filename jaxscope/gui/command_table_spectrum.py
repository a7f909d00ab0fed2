"""The commands of the spectrum drawer."""

from __future__ import annotations

from jaxscope.gui.commands import Command, has_recording, here
from jaxscope.session.analysis import AnalysisView


def _view(view: AnalysisView, text: str) -> Command:
    return Command(
        name=f"spectrum_{view}",
        text=text,
        run=lambda window: window.window.drawer.show_view(view),
        is_enabled=has_recording,
        is_on=lambda window: window.window.drawer.shows(view),
    )


SPECTRUM = (
    Command(
        name="spectrum",
        text="Spectrum of the window or selection",
        rows=here("spectrum, spectrogram, histogram, coherence"),
        menu="View",
        section=3,
        icon="response",
        run=lambda window: window.window.drawer.toggle(),
        is_enabled=has_recording,
        is_on=lambda window: window.shell.viewport.analysis.shown,
    ),
    _view("spectrum", "Spectrum and band powers"),
    _view("spectrogram", "Spectrogram"),
    _view("time_frequency", "Time–frequency with wavelets"),
    _view("histogram", "Histogram"),
    _view("coherence", "Coherence between channels"),
)
