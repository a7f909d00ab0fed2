"""Libraries of others that read a format for us: brought in when a file needs them, and held to our manners.

They are heavy and optional, so none is imported at start-up; where one is missing, the sentence says what to install.
On damaged bytes they raise whatever comes to pass; here that becomes one sentence. What they warn of or log is told as
ours: nothing of theirs is printed, as what goes to the output is read by programs.
"""

from __future__ import annotations

import importlib
import io
import logging
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from threading import RLock
from types import ModuleType

from jaxscope.errors import JaxscopeError, ReadError

_CATCHING = RLock()
#: Warnings about a library's own ways with Python and with files: no news of the recording.
_NO_NEWS = (ResourceWarning, DeprecationWarning, PendingDeprecationWarning, FutureWarning)
#: Where in its code a library failed, which some put before what went wrong.
_PLACES = re.compile(r'^.*File "[^"]*", line \d+, in .* (?=\w*(?:Error|Exception|Warning): )', re.DOTALL)
_MOST_LETTERS = 200
#: Libraries that log.
_SPEAKERS = ("mne", "neo", "obspy", "nptdms")


class _Listener(logging.Handler):
    """Keeps what a library logs while a file is opened."""

    def __init__(self, told: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._told = told

    def emit(self, record: logging.LogRecord) -> None:
        self._told.append(record.getMessage())


def need(module: str, extra: str, what: str, *, file: str) -> ModuleType:
    """Import a library, or say which extra brings it.

    Parameters
    ----------
    module : str
        Such as ``"mne"``.
    extra : str
        The extra of this package that installs it.
    what : str
        What is read with it, such as ``"FIF files"``.
    file : str
        Name of the file that is to be read.

    Raises
    ------
    ReadError
        If it is not installed.
    """
    root = module.partition(".")[0]
    # whoever brought the library in before us has chosen what becomes of its log
    is_ours = root not in sys.modules
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        missing = error.name or module
        raise ReadError(
            f"{file}: {what} need the library {missing}, which is not installed",
            hint=f'pip install "jaxscope[{extra}]"',
        ) from error
    if is_ours:
        log = logging.getLogger(root)
        log.handlers = [logging.NullHandler()]
        log.propagate = False
    return found


@contextmanager
def foreign(name: str, told: list[str] | None = None) -> Iterator[None]:
    """Run calls into a library: what it raises becomes a ``ReadError`` about ``name``, what it warns is ``told``.

    Warnings are caught process-wide while the calls run, so this is for opening, where ``told`` is given, and openings
    take turns; while samples are read nothing is caught but errors.
    """
    try:
        if told is None:
            yield
            return
        said: list[str] = []
        with _CATCHING, warnings.catch_warnings(record=True) as caught, _listening(said):
            warnings.simplefilter("always")
            yield
        said += [str(entry.message) for entry in caught if not issubclass(entry.category, _NO_NEWS)]
        for words in dict.fromkeys(" ".join(text.split()).rstrip(".") for text in said):
            told.append(f"The library that reads this format says: {words}")
    except JaxscopeError:
        raise
    except BaseException as error:  # a library may raise anything on damaged bytes
        # Libraries written in Rust panic with an exception of their own, which is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        words = _PLACES.sub("", " ".join(str(error).split()))[:_MOST_LETTERS].rstrip(".") or type(error).__name__
        raise ReadError(f"{name} cannot be read: {words}", hint="the file may be damaged: copy it again") from error


@contextmanager
def _listening(said: list[str]) -> Iterator[None]:
    """Hear what the libraries log and print."""
    listener, printed = _Listener(said), io.StringIO()
    logs = [logging.getLogger(name) for name in _SPEAKERS]
    for log in logs:
        log.addHandler(listener)
    try:
        with redirect_stdout(printed):
            yield
    finally:
        for log in logs:
            log.removeHandler(listener)
        said += printed.getvalue().splitlines()
