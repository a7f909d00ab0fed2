"""Options that several commands share, checked before any file is opened."""

from __future__ import annotations

import math
from typing import Any

import click


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


#: For commands that open a recording.
rate_option = click.option("--rate", "rate_hz", type=PositiveNumber(), help="Rate in Hz where the file has none.")
samples_first_option = click.option("--samples-first", is_flag=True, help="A 2-D array is (n_samples, n_channels).")
