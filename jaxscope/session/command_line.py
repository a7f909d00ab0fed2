"""What the window would do as a line for a terminal: the same file, chains, channels, time and engine.

The line stands alone: chains that no saved project holds are written into it as the JSON of a chain file, which
``--chain`` takes as well as a path. What is at its default is left out.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from typing import Any

from jaxscope.filters.chain_file import chain_to_dict
from jaxscope.filters.montage_file import word_of
from jaxscope.filters.spec import FilterChain
from jaxscope.session.state import EngineChoice, SessionState

_USUAL: dict[str, Any] = {
    key: value for key, value in chain_to_dict(FilterChain()).items() if key not in ("format", "version", "stages")
}


def chain_words(chain: FilterChain) -> str:
    """Return a chain as short JSON: fields at their defaults left out."""
    content = {key: value for key, value in chain_to_dict(chain).items() if _USUAL.get(key, ...) != value}
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False)


def filter_command(
    state: SessionState,
    source: str,
    target: str,
    *,
    channels: tuple[str, ...] = (),
    start_s: float | None = None,
    stop_s: float | None = None,
    project: str = "",
) -> str:
    """Return the line that filters a recording as the window does.

    Parameters
    ----------
    state : SessionState
    source, target : str
        The recording, and the file to write.
    channels : tuple of str
        What is written; empty for all.
    start_s, stop_s : float or None
    project : str
        A saved project that holds the same chains; empty writes them into the line.
    """
    words = ["jaxscope", "filter", source, "-o", target]
    if project:
        words += ["--project", project]
    else:
        chains = state.document.chains if state.document.filter_on else (FilterChain(),)
        for chain in chains or (FilterChain(),):
            words += ["--chain", chain_words(chain)]
        if state.document.montage is not None:
            words += ["--montage", word_of(state.document.montage)]
        if state.document.bad_spans != "keep":
            words += ["--bad-spans", state.document.bad_spans]
    recording = state.document.recording
    if recording is not None and recording.path == source:
        words += [] if recording.rate_hz is None else ["--rate", _number(recording.rate_hz)]
        for name, value in recording.options:
            words += ["--option", f"{name}={value}"]
    if channels:
        words += ["--channels", ",".join(channels)]
    for option, second in (("--start", start_s), ("--stop", stop_s)):
        if second is not None:
            words += [option, _number(second)]
    return quoted([*words, *_engine_words(state.engine)])


def _number(value: float) -> str:
    """Return a number with all its digits: a time may be that of one sample far behind."""
    return repr(float(value)).removesuffix(".0")


def _engine_words(engine: EngineChoice) -> list[str]:
    usual = EngineChoice()
    backend, _, number = engine.device.partition(":")
    words = []
    if engine.device != usual.device:
        words += ["--backend", backend, "--device", number or "0"]
    for option, value, default in (
        ("--precision", engine.precision, usual.precision),
        ("--method", engine.method, usual.method),
    ):
        if value != default:
            words += [option, value]
    return words


def quoted(words: list[str]) -> str:
    """Return words as one line that the shell of this system takes apart again."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
