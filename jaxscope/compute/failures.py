"""Errors of jobs as what a person is told: one sentence, what to do, and the details where it is a bug.

Made on the worker that met the error, as looking whether a file is still there may take its time.
"""

from __future__ import annotations

import traceback
from pathlib import Path

from jaxscope.compute.frames import Failure
from jaxscope.compute.trace_job import trouble_of
from jaxscope.errors import JaxscopeError, ReadError
from jaxscope.session.state import SessionState

#: What a failed lane is called in ``Failure.what``.
FAILED_PART = {"open": "open", "traces": "frame", "settle": "frame", "devices": "device", "preview": "preview"}


def failure_of(lane: str, error: BaseException, state: SessionState, revision: int) -> Failure:
    """Return what is told of an error that ended a job of ``lane``."""
    path = _path_of(lane, error, state)
    error = _gone(path) or trouble_of(error, state.engine.device) or error
    if not isinstance(error, JaxscopeError):
        return Failure(
            revision=revision,
            what="export" if lane.startswith("export-") else "part",
            sentence=f"Something went wrong ({lane})",
            hint="the rest goes on",
            details="".join(traceback.format_exception(error)),
        )
    what = "export" if lane.startswith("export-") else FAILED_PART.get(lane, "part")
    return Failure(revision=revision, what=what, sentence=error.message, hint=error.hint, path=path)


def _path_of(lane: str, error: BaseException, state: SessionState) -> str | None:
    """Return the file that could not be read while it was open; one that cannot be opened is another matter."""
    recording = state.document.recording
    is_read = isinstance(error, ReadError) and lane != "open"
    return recording.path if is_read and recording is not None else None


def _gone(path: str | None) -> ReadError | None:
    """Return what is to be said of a file that could not be read because it is not there any more."""
    if path is None or Path(path).exists():
        return None
    return ReadError(
        f"{Path(path).name} is not there any more",
        hint="it was moved or deleted, or its disk was taken out; what has been read stays on the screen",
    )
