"""Values in a MATLAB file, of whatever version: numbers, text, structs and cells, read when they are asked for.

The readers of recordings ask for variables by name and never see how a version stores them. Numbers that may be large
are handed out as grids, which read samples in parts; everything else is small, and is held to be.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from math import isfinite, prod
from typing import Any, Literal

import numpy.typing as npt

from jaxscope.errors import ReadError
from jaxscope.readers.sources import BlockSource

Kind = Literal["number", "text", "struct", "cell", "other"]

#: A list of labels or events has fewer values than this.
SMALL = 1 << 22


class MatValue(ABC):
    """One value. ``shape`` is as MATLAB shows it: at least two dimensions, rows first."""

    kind: Kind
    shape: tuple[int, ...]
    is_complex: bool = False

    @property
    def size(self) -> int:
        """How many elements there are."""
        return prod(self.shape)

    @abstractmethod
    def numbers(self) -> npt.NDArray[Any]:
        """Return small numbers whole, in MATLAB's order, shape (size,)."""

    @abstractmethod
    def text(self) -> str:
        """Return text, ``""`` where there is none; several rows are joined by line breaks."""

    @abstractmethod
    def grid(self, *, samples_first: bool) -> BlockSource:
        """Return numbers as a grid. Its channels are rows, or columns where samples come first."""

    @property
    def field_names(self) -> tuple[str, ...]:
        """Names of the fields of a struct."""
        return ()

    def column(self, name: str) -> list[MatValue]:
        """Return a field of each element of a struct."""
        return []

    def items(self) -> list[MatValue]:
        """Return the elements of a cell."""
        return []

    def field(self, name: str) -> MatValue | None:
        """Return a field of a struct that has one element, None where there is none."""
        return self.column(name)[0] if self.size == 1 and name in self.field_names else None

    def scalar(self) -> float | None:
        """Return a single number, None where it is anything else."""
        if self.kind != "number" or self.size != 1 or self.is_complex:
            return None
        return float(self.numbers()[0])

    def label(self) -> str:
        """Return text, or a number as text, as it is used to name things."""
        if self.kind == "text":
            return self.text().strip()
        number = self.scalar()
        if number is None:
            return self.items()[0].label() if self.kind == "cell" and self.size == 1 else ""
        return str(int(number)) if isfinite(number) and number == int(number) else repr(number)


def check_small(value: MatValue, name: str) -> None:
    """Refuse to read a large value whole."""
    if value.size > SMALL:
        raise ReadError(f"{name} holds a list of {value.size:,} values", hint="it is too long to be read")


@dataclass(frozen=True, slots=True, kw_only=True)
class MatFile:
    """An open MATLAB file: its variables by name, and how it is closed."""

    variables: dict[str, MatValue]
    format: str
    close: Callable[[], None]
    #: Entered while variables are looked into: turns what a library raises into a sentence.
    guard: Callable[[], AbstractContextManager[None]] = nullcontext
    warnings: tuple[str, ...] = field(default=())
