"""What a montage is: how the channels that are looked at are made of the recorded ones. Plain values.

Kinds: the average or one or several electrodes as the reference of all; bipolar chains; the Laplacian of each electrode
(itself less its neighbours, weighted by nearness); and rows of formulas, which a matrix from a file becomes too. None
in the place of a montage shows the recording as it is. Which channels a recording has is not known here: see
``montage_rows``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Literal, get_args

from jaxscope.errors import SpecError
from jaxscope.filters.montage_formula import weights_of
from jaxscope.filters.values import shown

MontageKind = Literal["average", "reference", "bipolar", "laplacian", "formulas"]
Pairs = Literal["double_banana", "transverse", "consecutive"]
#: Which recorded channels stay beside the new ones: those that take no part, all, or none.
Others = Literal["unused", "all", "none"]

KINDS: tuple[MontageKind, ...] = get_args(MontageKind)
PAIR_NAMES: dict[str, str] = {
    "double_banana": "Double banana",
    "transverse": "Transverse",
    "consecutive": "Neighbouring pairs",
}
MAX_ROWS = 1024
MAX_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Montage:
    """How derived channels are made.

    Parameters
    ----------
    kind : str
    name : str
        What a person calls it; empty for what the kind is called.
    channels : tuple of str or None
        Names or globs of the channels that take part; None is every EEG channel. Not for formulas.
    excluded : tuple of str
        Channels that count in no mean, pair or neighbourhood: bad ones.
    reference : tuple of str
        The channels whose mean is the reference (kind ``reference``).
    pairs : str
        Which pairs (kind ``bipolar``).
    neighbours : int
        How many electrodes count as near (kind ``laplacian``).
    positions : tuple of (name, x, y, z)
        Places of electrodes, in any unit; empty takes those of the 10-10 system (kind ``laplacian``).
    rows : tuple of (name, formula)
        The new channels (kind ``formulas``).
    others : str
        Which recorded channels stay beside the new ones.
    """

    kind: MontageKind
    name: str = ""
    channels: tuple[str, ...] | None = None
    excluded: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    pairs: Pairs = "double_banana"
    neighbours: int = 4
    positions: tuple[tuple[str, float, float, float], ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    others: Others = "unused"

    def __post_init__(self) -> None:
        for field, value, known in (
            ("kind", self.kind, KINDS),
            ("pairs", self.pairs, get_args(Pairs)),
            ("others", self.others, get_args(Others)),
        ):
            if value not in known:
                raise SpecError(
                    field,
                    f"{field} of the montage is {shown(value)}, which is not known",
                    hint=f"choose {', '.join(known)}",
                )
        if len(self.name) > MAX_NAME:
            raise SpecError("name", f"the name has {len(self.name)} characters", hint=f"give {MAX_NAME} or fewer")
        _CHECKS.get(self.kind, _nothing)(self)

    @property
    def title(self) -> str:
        """What it is called."""
        if self.name:
            return self.name
        match self.kind:
            case "average":
                return "Average reference"
            case "reference":
                return f"Reference {' + '.join(self.reference)}"
            case "bipolar":
                return PAIR_NAMES[self.pairs]
            case "laplacian":
                return "Laplacian"
            case _:
                return "Formulas"


def _nothing(_: Montage) -> None:
    """Find nothing wrong."""


def _check_reference(montage: Montage) -> None:
    if not montage.reference:
        raise SpecError("reference", "the montage names no reference", hint="name a channel, such as Cz")
    if len(set(montage.reference)) < len(montage.reference):
        raise SpecError("reference", "a channel is named twice as the reference", hint="name it once")


def _check_laplacian(montage: Montage) -> None:
    if not 1 <= montage.neighbours <= 64:
        raise SpecError("neighbours", f"{montage.neighbours} neighbours cannot be used", hint="give 1 to 64")
    for name, *place in montage.positions:
        if not all(isfinite(value) for value in place):
            raise SpecError("positions", f"the position of {name} is not finite", hint="give three numbers")


def _check_formulas(montage: Montage) -> None:
    if not montage.rows:
        raise SpecError("rows", "the montage has no channels", hint="write one, such as C3 - A2")
    if len(montage.rows) > MAX_ROWS:
        raise SpecError("rows", f"the montage has {len(montage.rows)} channels", hint=f"give {MAX_ROWS} or fewer")
    names: set[str] = set()
    for number, (name, formula) in enumerate(montage.rows):
        field = f"rows.{number}"
        if not name.strip():
            raise SpecError(f"{field}.name", f"channel {number + 1} of the montage has no name", hint="give it one")
        if name in names:
            raise SpecError(f"{field}.name", f"two channels would be called {name}", hint="choose another name")
        names.add(name)
        weights_of(formula, field=f"{field}.formula")


_CHECKS: dict[str, Callable[[Montage], None]] = {
    "reference": _check_reference,
    "laplacian": _check_laplacian,
    "formulas": _check_formulas,
}
