"""What a person can tell about a file that does not tell it itself, as data: one table a format.

A reader names its options here once. The command line takes them as ``--option name=value``, the window makes a sheet
of fields from them, a project keeps them as texts. A well-formed file of a format that describes itself needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Literal, TypeVar

from jaxscope.errors import ReadError, UsageError

T = TypeVar("T")
Kind = Literal["text", "number", "whole", "choice"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderOption:
    """One thing to tell.

    Parameters
    ----------
    name : str
        Lower case, the key, such as ``"dataset"``.
    title : str
        The label of its field.
    kind : {"text", "number", "whole", "choice"}
    help : str
        One sentence without a full stop.
    choices : tuple of str
        For ``"choice"``; the first is what holds where nothing is told.
    unit : str
    least : float
        Least value of a number.
    required : bool
        Whether the file cannot be opened without it.
    """

    name: str
    title: str
    kind: Kind = "text"
    help: str = ""
    choices: tuple[str, ...] = ()
    unit: str = ""
    least: float = 0.0
    required: bool = False


#: Options that every format has: which reader is taken, whatever the suffix says.
FORMAT_OPTION = "format"


def check_options(given: Mapping[str, str], known: Iterable[ReaderOption], format_title: str) -> None:
    """Raise UsageError for a name that a format does not know, or a value that it cannot take.

    Examples
    --------
    >>> known = [ReaderOption(name="dtype", title="Type", kind="choice", choices=("int16",))]
    >>> check_options({"dtype": "int17"}, known, "raw")
    Traceback (most recent call last):
    jaxscope.errors.UsageError: the option dtype is "int17"
    """
    table = {option.name: option for option in known}
    for name, value in given.items():
        option = table.get(name)
        if option is None:
            hint = f"there are {', '.join(table)}" if table else "it has none"
            raise UsageError(f"{format_title} has no option {name}", hint=hint, field="option")
        if option.kind == "choice":
            if value not in option.choices:
                raise UsageError(
                    f'the option {name} is "{value}"', hint=f"choose one of {', '.join(option.choices)}", field=name
                )
        elif option.kind != "text":
            number_of(name, value, whole=option.kind == "whole", least=option.least)


def listed(names: Iterable[str]) -> str:
    """Return names as words, not too many of them."""
    known = list(names)
    return ", ".join(known[:6]) + (f" and {len(known) - 6} more" if len(known) > 6 else "") if known else "none"


def pick(known: Mapping[str, T], wanted: str, file: str, noun: str) -> list[T]:
    """Return what somebody chose by name, several separated by commas.

    Raises
    ------
    ReadError
        If a name is not known.

    Examples
    --------
    >>> pick({"a": 1, "b": 2}, "b, a", "x.npz", "array")
    [2, 1]
    """
    names = [name.strip() for name in wanted.split(",")]
    missing = [name for name in names if name not in known]
    if missing:
        raise ReadError(f"{file} has no {noun} called {missing[0]}", hint=f"there are {listed(known)}")
    return [known[name] for name in names]


def number_of(name: str, value: str, *, whole: bool, least: float) -> float:
    """Return the number that the text of an option is, or raise UsageError."""
    try:
        number = float(value.strip().replace(",", "."))
    except ValueError:
        raise UsageError(f'the option {name} is "{value}"', hint="give a number", field=name) from None
    if not isfinite(number) or (whole and number != int(number)):
        raise UsageError(f'the option {name} is "{value}"', hint="give a whole number", field=name)
    if number < least:
        raise UsageError(f'the option {name} is "{value}"', hint=f"give {least:g} or more", field=name)
    return number
