"""Libraries of others that read a format for us: brought in when a file needs them, and held to our manners.

They are heavy and optional, so none is imported at start-up; where one is missing, the sentence says what to install.
On damaged bytes they raise whatever comes to pass; here that becomes one sentence. What they warn of is told as ours.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from types import ModuleType

from jaxscope.errors import JaxscopeError, ReadError

_CATCHING = RLock()


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
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing = error.name or module
        raise ReadError(
            f"{file}: {what} need the library {missing}, which is not installed",
            hint=f'pip install "jaxscope[{extra}]"',
        ) from error


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
        with _CATCHING, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for words in dict.fromkeys(" ".join(str(entry.message).split()).rstrip(".") for entry in caught):
            told.append(f"The library that reads this format says: {words}")
    except JaxscopeError:
        raise
    except BaseException as error:  # a library may raise anything on damaged bytes
        # Libraries written in Rust panic with an exception of their own, which is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        words = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        raise ReadError(f"{name} cannot be read: {words}", hint="the file may be damaged: copy it again") from error
