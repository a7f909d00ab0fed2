"""From arrays with names to stages: what every import has in common once the numbers are read.

Names decide first (``sos``, ``b`` with ``a``, ``z`` with ``p`` and ``k``, ``taps``), then the shape. Whatever had to be
assumed is said in a note: signs, scale values, mirrored roots. A filter that comes out unstable is kept and said, for
it may be what a person wants to look at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.errors import ChainError
from jaxscope.filters import FAMILIES
from jaxscope.filters.spec import AbstractFilterSpec, FilterChain, Stage
from jaxscope.filters.stability import is_stable, pole_radius

MAX_NUMBERS = 1_000_000
SECTION_COLUMNS = 6
SHORT_COLUMNS = 5
#: names of arrays, in lower case, a number at the end left out: SOS_1, taps2
SECTION_NAMES = ("sos", "sosmatrix", "sections", "biquad", "biquads", "iir", "jx_sos", "rows")
B_NAMES = ("b", "num", "numerator", "bcoeff", "b_coeffs")
A_NAMES = ("a", "den", "denominator", "acoeff", "a_coeffs")
TAP_NAMES = ("taps", "h", "fir", "coeffs", "coefficients", "jx_taps", "bl", "impulse", "values")
#: names that say nothing of the form: the shape decides
BARE_NAMES = ("c",)
ZERO_NAMES, POLE_NAMES, GAIN_NAMES = ("z", "zeros"), ("p", "poles"), ("k", "gain")
#: said of numbers that come without the rate they were made for
RATELESS = "these numbers name no rate: they hold for the one they were made for"
SCALE_NAMES = ("scalevalues", "g", "scale_values")

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What was read: stages in order, notes for the user without a full stop, and the chain where the text was one."""

    stages: tuple[Stage, ...]
    notes: tuple[str, ...] = ()
    chain: FilterChain | None = None


class NothingFoundError(ChainError):
    """A text or file in which no filter was found, though it could be read."""


class RateNeededError(ChainError):
    """A cutoff is a part of half the rate, and no rate is known."""


def plain_name(name: str) -> str:
    """Return a name as it is compared: its last part in lower case, without a number at its end.

    Examples
    --------
    >>> plain_name("Hd.sosMatrix"), plain_name("SOS_2"), plain_name("b")
    ('sosmatrix', 'sos', 'b')
    """
    last = name.rsplit(".", 1)[-1].lower()
    return re.sub(r"_?\d+$", "", last) or last


def numbers_of(name: str, value: Any) -> Array:
    """Return numbers as an array of float64, or complex128 where some are; ChainError where they are none."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ChainError(f"the rows of {name} are not equally long", hint="give as many numbers in each") from error
    if array.dtype.kind not in "iufcb":
        raise ChainError(f"{name} does not hold numbers", hint="give numbers")
    if array.size > MAX_NUMBERS:
        raise ChainError(f"{name} has {array.size} numbers", hint=f"give {MAX_NUMBERS} or fewer")
    kind = np.complex128 if array.dtype.kind == "c" else np.float64
    array = array.astype(kind)
    if not np.isfinite(array).all():
        raise ChainError(f"{name} holds a number that is not finite", hint="give finite numbers")
    return array


def real_numbers(name: str, array: Array) -> npt.NDArray[np.float64]:
    """Return an array that must be real; ChainError names what is not."""
    if array.dtype.kind == "c":
        if np.abs(array.imag).max(initial=0.0) > 0:
            raise ChainError(f"{name} holds complex numbers", hint="coefficients are real; give roots as z, p, k")
        array = array.real
    return np.asarray(array, dtype=np.float64)


def stages_of(
    named: Mapping[str, Any], *, negated: bool = False, turned: bool = False, sections: Collection[str] = ()
) -> Imported:
    """Return the stages that arrays with names describe.

    Parameters
    ----------
    named : mapping of str to array_like
        In the order of the source.
    negated : bool
        Rows of five have a1 and a2 with the other sign, as CMSIS-DSP wants them.
    turned : bool
        Taps are in the order of time turned round, as CMSIS-DSP wants them.
    sections : collection of str
        Names that are known to be sections, whatever their shape.

    Raises
    ------
    NothingFoundError
        None of the names is one of a filter.
    ChainError
        The numbers cannot be a filter.
    """
    found = _Finder(named, negated=negated, turned=turned, sections=sections)
    for name in named:
        found.look_at(name)
    if not found.specs and len(named) == 1:
        ((name, value),) = named.items()
        if np.ndim(value):
            found.add(spec_of_table(name, numbers_of(name, value), found.notes))
    if not found.specs:
        listed = ", ".join(list(named)[:6]) or "nothing"
        raise NothingFoundError(f"no filter was found, only {listed}", hint="name arrays sos, b and a, z p k, or taps")
    return imported(found.specs, [*found.notes, RATELESS])


def imported(specs: Sequence[AbstractFilterSpec], notes: Sequence[str]) -> Imported:
    """Return specs as stages, with what must be said of them: instability comes first."""
    said = [sentence for spec in specs for sentence in unstable_words(spec)]
    return Imported(stages=tuple(Stage(spec=spec) for spec in specs), notes=tuple(dict.fromkeys([*said, *notes])))


def unstable_words(spec: AbstractFilterSpec) -> list[str]:
    """Return a sentence where a filter given by numbers is unstable, at any rate."""
    if spec.family not in ("sections", "transfer_function", "zpk"):
        return []
    if spec.family == "transfer_function":
        return list(spec.warnings(1.0))
    parts = spec.parts(1.0)  # numbers are the same at every rate
    if is_stable(parts):
        return []
    return [f"unstable: the outermost pole is at radius {pole_radius(parts):.10g}"]


class _Finder:
    """Goes through names in order and takes what belongs together once."""

    def __init__(self, named: Mapping[str, Any], *, negated: bool, turned: bool, sections: Collection[str]) -> None:
        self.named, self.negated, self.turned, self.sections = named, negated, turned, sections
        self.specs: list[AbstractFilterSpec] = []
        self.notes: list[str] = []
        self.used: set[str] = set()

    def add(self, spec: AbstractFilterSpec) -> None:
        self.specs.append(spec)

    def look_at(self, name: str) -> None:
        if name in self.used:
            return
        plain = plain_name(name)
        if plain in SECTION_NAMES or name in self.sections:
            self._take_sections(name)
        elif plain in B_NAMES or plain in A_NAMES:
            self._take_polynomials(name)
        elif plain in ZERO_NAMES or plain in POLE_NAMES:
            self._take_roots(name)
        elif plain in TAP_NAMES:
            self._take_taps(name)
        elif plain in BARE_NAMES or np.shape(self.named[name])[1:] == (SECTION_COLUMNS,):
            self.add(spec_of_table(name, self._real(name), self.notes))

    def _take_sections(self, name: str) -> None:
        array = self._real(name)
        if array.size == 0:  # pyfda leaves it empty for a finite filter
            return
        if array.ndim == 1:
            width = SECTION_COLUMNS if array.size % SECTION_COLUMNS == 0 else SHORT_COLUMNS
            if array.size % width:
                raise ChainError(
                    f"{name} has {array.size} numbers, which are no rows of five or six",
                    hint="give b0 b1 b2 a0 a1 a2 per section",
                )
            array = array.reshape(-1, width)
        rows = section_rows(name, array, self.notes, negated=self.negated)
        scales = self._partner(SCALE_NAMES)
        if scales is not None:
            rows = _scaled(name, rows, self._real(scales).ravel(), self.notes)
        self.add(FAMILIES["sections"](rows=tuple(map(tuple, rows))))

    def _take_polynomials(self, name: str) -> None:
        plain = plain_name(name)
        b_name = name if plain in B_NAMES else self._partner(_mate(B_NAMES, A_NAMES, plain), like=name)
        a_name = name if plain in A_NAMES else self._partner(_mate(A_NAMES, B_NAMES, plain), like=name)
        if b_name is None:
            return  # a denominator alone says too little
        b = self._real(b_name)
        a = np.ones(1) if a_name is None else self._real(a_name)
        if b.ndim == 2 and a.ndim == 2 and min(b.shape) > 1:
            self._take_split_sections(b_name, b, a)
            return
        self.add(polynomial_spec(b.ravel(), a.ravel()))

    def _take_split_sections(self, name: str, b: Array, a: Array) -> None:
        """Take rows of three for b and for a: a cascade as MATLAB's C header writes it, scale rows between."""
        if b.shape != a.shape or b.shape[1] != SECTION_COLUMNS // 2:
            raise ChainError(f"{name} has the shape {b.shape[0]} × {b.shape[1]}", hint="give rows of three for b and a")
        rows = np.hstack([b, a])
        self.add(FAMILIES["sections"](rows=tuple(map(tuple, rows.tolist()))))

    def _take_roots(self, name: str) -> None:
        zeros, poles = self._partner(ZERO_NAMES), self._partner(POLE_NAMES)
        gain = self._partner(GAIN_NAMES)
        if poles is None and gain is None:
            return
        roots = [np.zeros(0) if one is None else numbers_of(one, self.named[one]).ravel() for one in (zeros, poles)]
        height = 1.0 if gain is None else float(self._real(gain).ravel()[0])
        self.add(roots_spec(roots[0], roots[1], height, self.notes))

    def _take_taps(self, name: str) -> None:
        taps = self._real(name).ravel()
        if self.turned:
            if not np.array_equal(taps, taps[::-1]):
                self.notes.append(f"{name} is turned round: CMSIS-DSP keeps the last tap first")
            taps = taps[::-1]
        self.add(FAMILIES["taps"](values=tuple(taps.tolist())))

    def _real(self, name: str) -> npt.NDArray[np.float64]:
        self.used.add(name)
        return real_numbers(name, numbers_of(name, self.named[name]))

    def _partner(self, names: Sequence[str], like: str | None = None) -> str | None:
        """Return the first unused name that is one of these, with the same number at its end as ``like``."""
        ending = "" if like is None else like[len(like) - len(like.rsplit(".", 1)[-1]) :][len(plain_name(like)) :]
        for name in self.named:
            fits = like is None or name.lower().endswith(ending)
            if name not in self.used and plain_name(name) in names and fits:
                self.used.add(name)
                return name
        return None


def _mate(wanted: Sequence[str], own: Sequence[str], plain: str) -> tuple[str, ...]:
    return (wanted[own.index(plain)],) if plain in own else ()


def section_rows(name: str, array: Array, notes: list[str], *, negated: bool = False) -> list[list[float]]:
    """Return rows of six from an array of five or six columns; ChainError names the row that cannot be."""
    if array.ndim != 2 or array.shape[1] not in (SECTION_COLUMNS, SHORT_COLUMNS):
        shape = " × ".join(map(str, array.shape))
        raise ChainError(f"{name} has the shape {shape}", hint="give rows of b0 b1 b2 a0 a1 a2")
    if array.shape[1] == SECTION_COLUMNS:
        for number, row in enumerate(array, start=1):
            if row[3] == 0:
                raise ChainError(f"a0 of section {number} in {name} is 0", hint="give an a0 that is not 0")
        return [list(map(float, row)) for row in array]
    as_given, turned = _with_a0(array, 1.0), _with_a0(array, -1.0)
    if negated:
        notes.append("a1 and a2 are read with the other sign, as CMSIS-DSP has them")
        return turned
    if not _stable(as_given) and _stable(turned):
        notes.append("a1 and a2 are read with the other sign: as they stand the filter is unstable")
        return turned
    notes.append("five numbers a row are read as b0 b1 b2 a1 a2")
    return as_given


def _with_a0(array: Array, sign: float) -> list[list[float]]:
    return [[*map(float, row[:3]), 1.0, sign * float(row[3]), sign * float(row[4])] for row in array]


def _stable(rows: list[list[float]]) -> bool:
    return is_stable(FAMILIES["sections"](rows=tuple(map(tuple, rows))).parts(1.0))


def _scaled(name: str, rows: list[list[float]], scales: Array, notes: list[str]) -> list[list[float]]:
    """Return rows with MATLAB's scale values worked in: one in front of each section, maybe one behind the last."""
    if scales.size not in (1, len(rows), len(rows) + 1):
        raise ChainError(
            f"{name} has {len(rows)} sections and {scales.size} scale values",
            hint="give one, one a section, or one more",
        )
    factors = np.ones(len(rows))
    factors[: min(scales.size, len(rows))] = scales[: len(rows)]
    if scales.size > len(rows):
        factors[-1] *= scales[-1]
    notes.append("the scale values are worked into b")
    return [
        [*(value * factor for value in row[:3]), *row[3:]] for row, factor in zip(rows, factors.tolist(), strict=True)
    ]


def polynomial_spec(b: Array, a: Array) -> AbstractFilterSpec:
    """Return b over a; a constant denominator makes taps."""
    if a.size == 1 and a[0] != 0:
        return FAMILIES["taps"](values=tuple((b / a[0]).tolist()))
    return FAMILIES["transfer_function"](b=tuple(b.tolist()), a=tuple(a.tolist()))


def roots_spec(zeros: Array, poles: Array, gain: float, notes: list[str]) -> AbstractFilterSpec:
    """Return zeros, poles and gain; a complex root without its conjugate gets one, and that is said."""
    halves = []
    for roots in (zeros, poles):
        whole = np.asarray(roots, dtype=np.complex128).tolist()
        lonely = [
            root
            for root in whole
            if root.imag and not any(abs(root.conjugate() - o) <= 1e-9 * max(1, abs(root)) for o in whole)
        ]
        if lonely:
            notes.append("complex roots given alone stand for themselves and their conjugates")
        halves.append([*whole, *(root.conjugate() for root in lonely)])
    pairs = [tuple((root.real, root.imag) for root in half) for half in halves]
    return FAMILIES["zpk"](zeros=pairs[0], poles=pairs[1], gain=gain)


def spec_of_table(name: str, array: Array, notes: list[str]) -> AbstractFilterSpec:
    """Return what a bare array means by its shape: six or five columns are sections, two are b and a, one is taps."""
    real = real_numbers(name, array)
    if real.size == 0:
        raise NothingFoundError(f"{name} is empty", hint="give numbers")
    if real.ndim == 1 or 1 in real.shape:
        flat = real.ravel()
        if flat.size == SECTION_COLUMNS and flat[3] == 1:
            return FAMILIES["sections"](rows=(tuple(flat.tolist()),))
        return FAMILIES["taps"](values=tuple(flat.tolist()))
    if real.shape[1] in (SECTION_COLUMNS, SHORT_COLUMNS) and real.shape[0] != 2:
        return FAMILIES["sections"](rows=tuple(map(tuple, section_rows(name, real, notes))))
    if real.shape[0] == 2:
        if real.shape[1] == SECTION_COLUMNS and (real[:, 3] == 1).all():
            return FAMILIES["sections"](rows=tuple(map(tuple, section_rows(name, real, notes))))
        notes.append("two rows are read as b and a")
        return polynomial_spec(real[0], np.trim_zeros(real[1], "b"))
    if real.shape[1] == 2:
        notes.append("two columns are read as b and a")
        return polynomial_spec(real[:, 0], np.trim_zeros(real[:, 1], "b"))
    rows, columns = real.shape
    raise ChainError(
        f"{name} has {rows} rows of {columns} numbers",
        hint="give rows of six for sections, two for b and a, or one column of taps",
    )
