"""The tree of errors that a user may see.

Each error is one sentence (what is wrong, with the value), a hint (what to do), and maybe the field
that holds the wrong value. The command line turns an error into one line and its exit code; the window
turns it into a banner or a line under the field.
"""

from __future__ import annotations

import re
from typing import Any

#: What would break a line or a terminal, or cannot be encoded: names of files and texts of a header may hold it.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


class JaxscopeError(Exception):
    """Something that is told to the user as a sentence and never as a traceback.

    Parameters
    ----------
    message : str
        What is wrong, with the value, without a full stop.
    hint : str
        What to do about it, without a full stop.
    field : str or None
        Name of the field that holds the wrong value, such as ``"cutoff_hz"``.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field

    def __reduce__(self) -> tuple[Any, ...]:
        """Let errors cross processes whatever their constructors take."""
        return _rebuild, (type(self), self.args, self.__dict__)

    def sentence(self) -> str:
        """Return the error as one line: what is wrong; what to do."""
        return one_line(f"{self.message}; {self.hint}" if self.hint else self.message)


class UsageError(JaxscopeError):
    """A command, option or argument that makes no sense."""

    exit_code = 2


class RecordingError(JaxscopeError):
    """A recording cannot be read or written."""

    exit_code = 3


class ReadError(RecordingError):
    """A recording cannot be read, or not as the format that its suffix claims."""


class WriteError(RecordingError):
    """A recording cannot be written."""


class ChainError(JaxscopeError):
    """A chain or a project is wrong as a whole (file missing, not JSON, unknown family or version)."""

    exit_code = 4


class SpecError(ChainError):
    """A filter specification that cannot exist, or that does not fit a sampling rate. Names its field."""

    def __init__(self, field: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint, field=field)


class UnstableError(ChainError):
    """A chain with a pole on or outside the unit circle was asked to run."""

    def __init__(self, message: str, *, pole_radius: float, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.pole_radius = pole_radius


class DeviceError(JaxscopeError):
    """A device that was asked for is absent, lost or out of memory."""

    exit_code = 5


def one_line(text: str) -> str:
    r"""Return a text that may quote a file on one line, without what a terminal would take for a command.

    Examples
    --------
    >>> one_line("night\n1.edf is empty")
    'night 1.edf is empty'
    """
    return _UNPRINTABLE.sub(" ", text)


def counted(count: int, noun: str) -> str:
    """Return a number of things as words.

    Examples
    --------
    >>> counted(1, "channel"), counted(1000, "channel"), counted(0, "gap")
    ('1 channel', '1,000 channels', '0 gaps')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def capitalised(text: str) -> str:
    """Return a text that begins with a capital letter, as a sentence of the window does; its other letters stay.

    Examples
    --------
    >>> capitalised("a pole lies on the unit circle"), capitalised("")
    ('A pole lies on the unit circle', '')
    """
    return text[:1].upper() + text[1:]


def _rebuild(kind: type[JaxscopeError], args: tuple[Any, ...], attributes: dict[str, Any]) -> JaxscopeError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(attributes)
    return error
