"""The numbers of a stage as a table: sections, b over a, or taps; how they are written, and where an edit goes.

Pure values and one Qt model; a cell is addressed as the action ``EditCoefficient`` addresses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from re import findall
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtWidgets import QWidget

from jaxscope.compute.frames import StageCurve
from jaxscope.filters.coefficients import Sections, Taps
from jaxscope.filters.spec import Stage
from jaxscope.gui.components.numbers import MINUS
from jaxscope.session.coefficients import is_manual
from jaxscope.session.state import CoefficientForm

TAP_COLUMNS = 4
#: decades of strength that the line under a number spans
_DECADES = 2.0
SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_NUMBER = r"[-+−]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+−]?\d+)?"
#: digits lost from which the note about b / a is shown
DIGITS_WORTH_A_NOTE = 3.0
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a number is, as ``EditCoefficient`` says it."""

    form: CoefficientForm
    row: int
    column: int

    def label(self) -> str:
        """Return the name of the number: a₁ · 4, b₃, h[40]."""
        if self.form == "sos":
            return f"{'ba'[self.column // 3]}{SUBSCRIPTS[self.column % 3]} · {self.row + 1}"
        if self.form == "ba":
            return f"{'ba'[self.column]}{digits_as(self.row, SUBSCRIPTS)}"
        return f"h[{self.row}]"


def digits_as(number: int, glyphs: str) -> str:
    """Return a whole number in subscripts or superscripts."""
    return "".join(glyphs[int(digit)] for digit in str(number))


def write_cell(value: float, digits: int = 5) -> str:
    """Return a coefficient as a cell shows it: at most ``digits`` digits after the point, tiny ones with a power."""
    if value == 0:
        return "0"
    size = abs(value)
    if size < 1e-3 or size >= 1e5:
        mantissa, _, power = f"{value:.{digits - 3}e}".partition("e")
        return f"{mantissa}e{int(power)}".replace("-", MINUS)
    places = digits if size < 1 else max(0, digits - 1 - floor(log10(size)))
    return f"{value:.{places}f}".replace("-", MINUS)


def last_digit(value: float, digits: int = 5) -> float:
    """Return what one step of the last digit shown is worth."""
    if value == 0:
        return 10.0 ** -(digits - 1)
    shown = write_cell(value, digits).replace(MINUS, "-")
    mantissa, _, power = shown.partition("e")
    places = len(mantissa.partition(".")[2])
    return 10.0 ** (int(power or 0) - places)


def forms_of(curve: StageCurve | None) -> tuple[CoefficientForm, ...]:
    """Return the forms that the numbers of a stage come in."""
    realisation = None if curve is None else curve.realisation
    if isinstance(realisation, Sections):
        return ("sos", "ba", "zpk")
    return ("taps", "zpk") if isinstance(realisation, Taps) else ()


def parse_table(text: str) -> list[list[float]]:
    """Return the numbers of pasted text by line; brackets, commas and words around them are ignored."""
    rows = [findall(_NUMBER, line) for line in text.replace("],", "]\n").replace(";", "\n").splitlines()]
    return [[float(number.replace(MINUS, "-")) for number in row] for row in rows if row]


def digits_lost_as_polynomial(sections: Sections) -> float:
    """Return how many digits of the pole places a single denominator loses against sections.

    It is the logarithm of the largest condition number of a simple root: how much a relative change of the coefficients
    is magnified in the place of the pole (Wilkinson, Rounding Errors in Algebraic Processes, 1963, chapter 2).
    """
    poles = np.concatenate([np.roots(row[3:]) for row in sections.rows]) if sections.rows else np.zeros(0)
    poles = poles[np.abs(poles) > 1e-9]
    if poles.size < 3:
        return 0.0
    polynomial = np.real(np.poly(poles))
    steepness = np.abs(np.polyval(np.polyder(polynomial), poles)) * np.abs(poles)
    size = np.polyval(np.abs(polynomial), np.abs(poles))
    return float(np.log10(max(1.0, np.max(size / np.maximum(steepness, 1e-300)))))


def number_word(count: int) -> str:
    """Return a small count as a word."""
    return _WORDS[count] if 0 <= count < len(_WORDS) else str(count)


class CoefficientModel(QAbstractTableModel):
    """The numbers of one form. Cells that do not exist (the last row of taps) are empty."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.form: CoefficientForm = "sos"
        #: cells are too narrow for all digits
        self.is_tight = False
        self._columns: list[Sequence[float]] = []
        #: numbers of the design, column by column, to mark those that differ; looked at cell by cell
        self._origin: Sequence[float] | None = None
        self._weights: tuple[tuple[float, ...], ...] = ()
        self._unit = ""

    def show_weights(self, values: tuple[tuple[float, ...], ...], unit: str) -> None:
        """Show how strongly each number of the sections moves After; nothing where there are no values."""
        self._weights, self._unit = values, unit
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def weight(self, address: Address) -> tuple[float, bool] | None:
        """Return the strength of a number, 0 to 1 over four decades, and whether it is the strongest; None without."""
        moved = self.moved(address)
        if not moved:
            return None
        largest = max(map(max, self._weights))
        return max(0.08, 1 + log10(moved / largest) / _DECADES), moved == largest

    def moved(self, address: Address) -> float:
        """Return by how much 1 % of a number moves After, 0 where that is not known."""
        known = self.form == "sos" and len(self._weights) == self.rowCount()
        return self._weights[address.row][address.column] if known else 0.0

    def strongest_words(self) -> str:
        """Return a sentence about the lines and the number that moves After most, empty where that is not known."""
        flat = [(self.moved(address), address) for address, _ in self.flat()]
        moved, address = max(flat, key=lambda pair: pair[0], default=(0.0, None))
        if not moved or address is None:
            return ""
        name = address.label().split(" ")[0]
        return (
            "The line under a number shows how strongly it moves After. "
            f"Strongest here: {name} of section {address.row + 1}."
        )

    def show_stage(self, form: CoefficientForm, curve: StageCurve | None, origin: Sequence[float] | None) -> None:
        """Show the numbers of a stage; ``origin`` are those of its design, in the same order, to mark edited ones."""
        columns = _columns_of(form, curve)
        shape = (form, len(columns), max(map(len, columns), default=0))
        same = shape == (self.form, len(self._columns), max(map(len, self._columns), default=0))
        if not same:
            self.beginResetModel()
        self.form, self._columns = form, columns
        self._origin = origin if origin is not None and len(origin) == sum(map(len, columns)) else None
        if same:
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))
        else:
            self.endResetModel()

    def flat(self) -> list[tuple[Address, float]]:
        """Return every number with its address, column by column."""
        return [
            (Address(form=self.form, row=row, column=column), value)
            for column, values in enumerate(self._columns)
            for row, value in enumerate(values)
        ]

    def address(self, index: QModelIndex) -> Address | None:
        """Return the address of a cell, or None where there is no number."""
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        if self.form == "taps":
            row, column = row * TAP_COLUMNS + column, 0
        exists = column < len(self._columns) and row < len(self._columns[column])
        return Address(form=self.form, row=row, column=column) if exists else None

    def index_of(self, address: Address) -> QModelIndex:
        """Return the cell of an address."""
        if self.form == "taps":
            return self.index(address.row // TAP_COLUMNS, address.row % TAP_COLUMNS)
        return self.index(address.row, address.column)

    def value(self, address: Address) -> float:
        """Return a number."""
        return self._columns[address.column][address.row]

    def rescaled(self, address: Address, value: float) -> tuple[tuple[Address, float], ...]:
        """Return the b of a section that keep its gain at 0 Hz after one of its a is changed."""
        if address.form != "sos" or address.column < 4:
            return ()
        numbers = [self.value(replace(address, column=column)) for column in range(6)]
        before = sum(numbers[3:])
        after = before - numbers[address.column] + value
        if sum(numbers[:3]) == 0 or before == 0 or after == 0:
            return ()  # there is no gain at 0 Hz, or no number that keeps it
        return tuple((replace(address, column=at), numbers[at] * after / before) for at in range(3))

    def is_fixed(self, address: Address) -> bool:
        """Return whether a number cannot be edited: a₀ is 1."""
        return (self.form == "sos" and address.column == 3) or (
            self.form == "ba" and (address.row, address.column) == (0, 1)
        )

    def is_edited(self, address: Address) -> bool:
        """Return whether a number differs from that of the design."""
        if self._origin is None:
            return False
        old = self._origin[sum(map(len, self._columns[: address.column])) + address.row]
        value = self.value(address)
        return abs(value - old) > 1e-12 * max(abs(value), abs(old))

    def digits(self) -> int:
        """Return the digits that a cell shows."""
        return 7 if self.form == "ba" else (4 if self.is_tight else 5)

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        if parent is not None and parent.isValid():
            return 0
        longest = max(map(len, self._columns), default=0)
        return -(-longest // TAP_COLUMNS) if self.form == "taps" else longest

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        if parent is not None and parent.isValid():
            return 0
        return TAP_COLUMNS if self.form == "taps" else len(self._columns)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        address = self.address(index)
        if address is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return write_cell(self.value(address), self.digits())
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            section = f" of section {address.row + 1}" if self.form == "sos" else ""
            moved = self.moved(address)
            told = f". 1 % of it moves After by {moved:.2g} {self._unit}".rstrip() if moved else ""
            words = f"{address.label().split(' ')[0]}{section}, {self.value(address):.12g}{told}"
            return words.replace("-", MINUS).replace("uV", "µV")
        return None


def _columns_of(form: CoefficientForm, curve: StageCurve | None) -> list[Sequence[float]]:
    if curve is None:
        return []
    if form == "ba":
        return [curve.b, curve.a]
    realisation = curve.realisation
    if form == "sos" and isinstance(realisation, Sections):
        return list(zip(*realisation.rows, strict=True))
    if form == "taps" and isinstance(realisation, Taps):
        return [realisation.values]
    return []


def numbers_in_use(stage: Stage | None, framed: StageCurve | None, rate_hz: float) -> StageCurve | None:
    """Return what the table shows: the frame's numbers, or those of the state where it holds them itself.

    Frames come later than states. What a person has just typed or spun is in the state as it is, and the next spin must
    start from it, not from the frame before.
    """
    if stage is None or not is_manual(stage.spec):
        return framed
    spec: Any = stage.spec
    curve = framed or StageCurve(
        title="",
        subtitle="",
        magnitude_db=np.zeros(0),
        realisation=None,
        b=(),
        a=(),
        facts=(),
        is_stable=True,
        pole_radius=0.0,
    )
    if spec.family == "transfer_function":
        return replace(curve, b=tuple(spec.b), a=tuple(spec.a))
    running = curve.realisation
    if spec.family == "taps" and isinstance(running, Taps) and running.values == spec.values:
        return curve  # very many taps are not copied for each edit
    if spec.family in ("sections", "taps"):
        return replace(curve, realisation=spec.design(rate_hz))
    return framed
