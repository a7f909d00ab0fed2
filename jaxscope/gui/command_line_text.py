"""The line for a terminal that does what the window does: the same recording, filter, device, precision and method."""

from __future__ import annotations

import shlex

from jaxscope.gui.views.export_dialog import format_for_source
from jaxscope.gui.views.export_dialog_parts import suggested_path
from jaxscope.session.state import EngineChoice, RecordingRef


def command_line(recording: RecordingRef, project_path: str, engine: EngineChoice) -> str:
    """Return the command; the project is what carries the filter, so it has to be saved.

    Examples
    --------
    >>> command_line(RecordingRef(path="a.edf"), "a.jaxscope", EngineChoice())
    'jaxscope filter a.edf -o a-filtered.edf --project a.jaxscope --backend cpu --device 0 --precision float64'
    """
    backend, _, number = engine.device.partition(":")
    target = suggested_path(recording.path, format_for_source(recording.path))
    parts = ["jaxscope", "filter", recording.path, "-o", target, "--project", project_path]
    if recording.rate_hz is not None:
        parts += ["--rate", f"{recording.rate_hz:g}"]
    parts += ["--backend", backend, "--device", number or "0", "--precision", engine.precision]
    if engine.method != "auto":
        parts += ["--method", engine.method]
    return shlex.join(parts)
