"""Options that several commands share, checked before any file is opened."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from jaxscope.filters.montage import Montage


class PositiveNumber(click.ParamType[float]):
    """A finite number above 0; ``nan`` and ``inf``, which ``float`` reads, are neither."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf:
            self.fail(f"{value} is not a number above 0", param, ctx)
        return number


class NameList(click.ParamType[tuple[str, ...]]):
    """Names or globs between commas; at least one, none of them empty."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(part.strip() for part in value.split(","))
        if not all(names):
            self.fail(f"{value!r} holds an empty name", param, ctx)
        return names


class OptionPairs(click.ParamType[tuple[tuple[str, str], ...]]):
    """``name=value``, or several of them between commas where ``is_list``."""

    name = "name=value"

    def __init__(self, *, is_list: bool) -> None:
        self._is_list = is_list

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[str, str], ...]:
        if isinstance(value, tuple):
            return value
        pairs: list[tuple[str, str]] = []
        for part in value.split(",") if self._is_list else (value,):
            name, equals, told = part.partition("=")
            if equals and name.strip():
                pairs.append((name.strip(), told.strip()))
            elif self._is_list and pairs and part.strip():  # names=a,b,c
                pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]},{part.strip()}")
            else:
                self.fail(f"{part!r} is not name=value", param, ctx)
        return tuple(pairs)


class OutputSuffix(click.ParamType[str]):
    """The suffix of a format that can be written, with or without its dot."""

    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from jaxscope.writers import SUFFIXES

        suffix = f".{value.strip().lower().removeprefix('.')}"
        if suffix not in SUFFIXES:
            self.fail(f"{value!r} is none of {', '.join(one[1:] for one in SUFFIXES)}", param, ctx)
        return suffix


def options_of(options: Sequence[tuple[tuple[str, str], ...]], raw_layout: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return what was told about a file by ``--option`` and ``--raw-layout``, by name."""
    told = {name: value for pairs in options for name, value in pairs}
    return {"format": "raw", **dict(raw_layout), **told} if raw_layout else told


def montage_of(given: str | None, otherwise: Montage | None = None) -> Montage | None:
    """Return the montage that ``--montage`` means; ``none`` is none, and what is not given is that of a project."""
    from jaxscope.filters.montage_file import montage_of_word

    if given is None:
        return otherwise
    return None if given == NO_MONTAGE else montage_of_word(given)


#: What ``--montage`` takes for the recording as it is, whatever a project says.
NO_MONTAGE = "none"
montage_option = click.option(
    "--montage",
    help="average, reference:NAME, bipolar, transverse, consecutive, laplacian, none, a montage file or a CSV matrix.",
)
#: For commands that open a recording.
option_option = click.option(
    "--option",
    "options",
    type=OptionPairs(is_list=False),
    multiple=True,
    help="What the file does not tell itself, such as dataset=/eeg, time=2 or format=raw.",
)
raw_layout_option = click.option(
    "--raw-layout",
    type=OptionPairs(is_list=True),
    default=(),
    help="How raw numbers lie: channels=4,dtype=int16,rate=1000 and byteorder, order, offset, scale, unit, names.",
)
rate_option = click.option("--rate", "rate_hz", type=PositiveNumber(), help="Rate in Hz where the file has none.")
samples_first_option = click.option("--samples-first", is_flag=True, help="A 2-D array is (n_samples, n_channels).")
