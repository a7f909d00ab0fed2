"""A montage and the channels of a recording, put together: each new channel as weights of recorded ones.

Invariants: channels of different rate or unit are never mixed, codes (triggers, status) never at all;
what cannot be made is one sentence that names the channels. What is left out of a chain because an electrode is not
there is said in ``notes``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

from jaxscope.errors import SpecError, counted
from jaxscope.filters.channels import matches
from jaxscope.filters.electrodes import PAIRS, POSITIONS, electrode_of, modern
from jaxscope.filters.montage import Montage
from jaxscope.filters.montage_formula import formula_of, weights_of

#: Pairs that are named in the note of what is left out.
MOST_NAMED = 6


class Recorded(Protocol):
    """What has to be known of a recorded channel."""

    @property
    def name(self) -> str:
        """Unique in its recording."""

    @property
    def unit(self) -> str:
        """As in the file."""

    @property
    def kind(self) -> str:
        """What it records: eeg, ecg, ..."""

    @property
    def is_data(self) -> bool:
        """Whether it is a signal, no code."""

    @property
    def rate_hz(self) -> float | None:
        """Its sampling rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """One channel of a montage: the sum of ``terms`` less the mean of ``mean_of``, by numbers of recorded channels.

    The mean is over those that have a value at that sample. ``is_recorded`` is True where it is a recorded channel as
    it is.
    """

    name: str
    unit: str
    kind: str
    terms: tuple[tuple[int, float], ...]
    mean_of: tuple[int, ...] = ()
    is_recorded: bool = False

    @property
    def inputs(self) -> tuple[int, ...]:
        """Numbers of the recorded channels that it is made of, in order."""
        return tuple(sorted({number for number, _ in self.terms} | set(self.mean_of)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """All channels of a montage on one recording, and sentences about what is left out."""

    channels: tuple[Derived, ...]
    notes: tuple[str, ...] = ()


def derive(montage: Montage, recorded: Sequence[Recorded]) -> Derivation:
    """Return the channels that a montage makes of the recorded ones.

    Raises
    ------
    SpecError
        A channel is not there, or channels that cannot be mixed would be; names the field of the montage.
    """
    return _derived(montage, tuple(recorded))


@lru_cache(maxsize=32)
def _derived(montage: Montage, recorded: tuple[Recorded, ...]) -> Derivation:
    new, notes = _MAKERS[montage.kind](montage, recorded)
    channels = _with_others(montage, recorded, new)
    names = [channel.name for channel in channels]
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        number = next((n for n, (name, _) in enumerate(montage.rows) if name == twice), None)
        field = "others" if number is None else f"rows.{number}.name"
        raise SpecError(field, f"two channels would be called {twice}", hint="choose another name for the new one")
    return Derivation(channels=channels, notes=tuple(notes))


def words_of(derived: Derived, recorded: Sequence[Recorded]) -> str:
    """Return what a channel is made of, as a formula with the names of recorded channels."""
    text = formula_of({recorded[number].name: weight for number, weight in derived.terms})
    return f"{text} - mean of {counted(len(derived.mean_of), 'channel')}" if derived.mean_of else text


# --- which channels take part


def _taking_part(montage: Montage, recorded: Sequence[Recorded]) -> list[int]:
    if montage.channels is None:
        found = [number for number, one in enumerate(recorded) if one.kind == "eeg"]
        if not found:
            raise SpecError("channels", "no channel of this recording is EEG", hint="name the channels that take part")
        return found
    found = []
    for pattern in montage.channels:
        own = [n for n, one in enumerate(recorded) if matches(pattern, one.name, is_data=one.is_data)]
        if not own:
            raise _absent(pattern, recorded, "channels")
        found += own
    chosen = sorted(set(found))
    for number in chosen:
        _refuse_code(recorded[number], "channels")
    return chosen


def _number_of(name: str, recorded: Sequence[Recorded], field: str) -> int:
    """Return the channel of a name: its own name first, then the electrode."""
    for number, one in enumerate(recorded):
        if one.name == name:
            return number
    electrode = electrode_of(name)
    if electrode is not None:
        for number, one in enumerate(recorded):
            own = electrode_of(one.name)
            if own is not None and modern(own) == modern(electrode):
                return number
    raise _absent(name, recorded, field)


def _absent(name: str, recorded: Sequence[Recorded], field: str) -> SpecError:
    names = [one.name for one in recorded]
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    return SpecError(field, f"no channel is called {name}", hint=f"there are {', '.join(names[:6])}{more}")


def _refuse_code(one: Recorded, field: str) -> None:
    if not one.is_data:
        raise SpecError(field, f"{one.name} holds codes and not a signal", hint="leave it out of the montage")


def _refuse_unlike(numbers: Sequence[int], recorded: Sequence[Recorded], field: str) -> None:
    """Refuse to mix what does not belong together."""
    first = recorded[numbers[0]]
    for number in numbers:
        other = recorded[number]
        _refuse_code(other, field)
        both = f"{first.name} and {other.name}"
        if other.rate_hz != first.rate_hz:
            rates = " and ".join("no rate" if one.rate_hz is None else f"{one.rate_hz:g} Hz" for one in (first, other))
            raise SpecError(field, f"{both} run at {rates}", hint="a montage mixes channels of one rate only")
        if other.unit != first.unit:
            units = " and ".join(one.unit or "no unit" for one in (first, other))
            raise SpecError(field, f"{both} are in {units}", hint="a montage mixes channels of one unit only")


def _good(montage: Montage, numbers: Sequence[int], recorded: Sequence[Recorded]) -> list[int]:
    bad = {_number_of(name, recorded, "excluded") for name in montage.excluded}
    return [number for number in numbers if number not in bad]


def _labels(recorded: Sequence[Recorded]) -> list[str]:
    """Return short names, those of the electrodes, where they are unique."""
    short = [(electrode_of(one.name) if one.is_data else None) or one.name for one in recorded]
    return [own if short.count(own) == 1 else one.name for own, one in zip(short, recorded, strict=True)]


def _from(
    recorded: Sequence[Recorded], name: str, terms: Sequence[tuple[int, float]], mean: Sequence[int] = ()
) -> Derived:
    first = recorded[terms[0][0]]
    return Derived(name=name, unit=first.unit, kind=first.kind, terms=tuple(terms), mean_of=tuple(mean))


# --- one maker a kind: new channels by what they stand in the place of (-1: before all), and notes

Made = tuple[list[tuple[int, Derived]], list[str]]


def _average(montage: Montage, recorded: Sequence[Recorded]) -> Made:
    members = _taking_part(montage, recorded)
    mean = _good(montage, members, recorded)
    if len(mean) < 2:
        raise SpecError(
            "channels", f"an average of {counted(len(mean), 'channel')} says nothing", hint="name two or more"
        )
    _refuse_unlike([*mean, *members], recorded, "channels")
    labels = _labels(recorded)
    return [(n, _from(recorded, f"{labels[n]}-Av", [(n, 1.0)], mean)) for n in members], []


def _reference(montage: Montage, recorded: Sequence[Recorded]) -> Made:
    references = [_number_of(name, recorded, "reference") for name in montage.reference]
    members = [number for number in _taking_part(montage, recorded) if number not in references]
    if not members:
        raise SpecError("channels", "no channel is left beside the reference", hint="name the channels that take part")
    _refuse_unlike([*members, *references], recorded, "reference")
    labels = _labels(recorded)
    share = -1.0 / len(references)
    name = "+".join(labels[number] for number in references)
    rest = [(number, share) for number in references]
    made = [(n, _from(recorded, f"{labels[n]}-{name}", [(n, 1.0), *rest])) for n in members]
    return made, [f"{recorded[number].name} is the reference and has no row of its own" for number in references]


def _bipolar(montage: Montage, recorded: Sequence[Recorded]) -> Made:
    members = _good(montage, _taking_part(montage, recorded), recorded)
    labels = _labels(recorded)
    pairs, missing = _pairs_of(montage.pairs, members, recorded)
    if not pairs:
        raise SpecError(
            "pairs", f"no pair of the {montage.title} is there", hint="it needs names of the 10-20 system, such as Fp1"
        )
    made = []
    for one, other in pairs:
        _refuse_unlike((one, other), recorded, "channels")
        made.append((-1, _from(recorded, f"{labels[one]}-{labels[other]}", [(one, 1.0), (other, -1.0)])))
    notes = []
    if missing:
        more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
        notes = [f"pairs are left out because an electrode is not there: {', '.join(missing[:MOST_NAMED])}{more}"]
    return made, notes


def _pairs_of(
    pairs: str, members: Sequence[int], recorded: Sequence[Recorded]
) -> tuple[list[tuple[int, int]], list[str]]:
    """Return the pairs that are there, and the names of those that are not."""
    if pairs == "consecutive":
        return list(pairwise(members)), []
    by_electrode: dict[str, int] = {}
    for number in members:
        electrode = electrode_of(recorded[number].name)
        if electrode is not None:
            by_electrode.setdefault(modern(electrode), number)
    found, missing = [], []
    for one, other in PAIRS[pairs]:
        if one in by_electrode and other in by_electrode:
            found.append((by_electrode[one], by_electrode[other]))
        else:
            missing.append(f"{one}-{other}")
    return found, missing


def _laplacian(montage: Montage, recorded: Sequence[Recorded]) -> Made:
    members = _taking_part(montage, recorded)
    given = {name: place for name, *place in montage.positions}
    places: dict[int, Sequence[float]] = {}
    for number in members:
        one = recorded[number]
        place = given.get(one.name)
        if place is None and not given:
            place = list(POSITIONS.get(electrode_of(one.name) or "", ())) or None
        if place is not None:
            places[number] = place
    good = [number for number in _good(montage, members, recorded) if number in places]
    if len(good) < 2:
        raise SpecError(
            "positions",
            f"the place of {counted(len(good), 'electrode')} is known",
            hint="a Laplacian needs two or more: names of the 10-10 system, or positions",
        )
    _refuse_unlike([*good, *places], recorded, "channels")
    labels = _labels(recorded)
    made = []
    for number in places:
        near = sorted((_distance(places[number], places[n]), n) for n in good if n != number)[: montage.neighbours]
        if near[0][0] == 0:
            other = recorded[near[0][1]].name
            raise SpecError(
                "positions", f"{recorded[number].name} and {other} lie at one place", hint="leave one of them out"
            )
        total = sum(1.0 / distance for distance, _ in near)
        terms = [(number, 1.0), *((n, -1.0 / distance / total) for distance, n in near)]
        made.append((number, _from(recorded, f"{labels[number]}-Lap", terms)))
    unknown = [recorded[number].name for number in members if number not in places]
    notes = [f"the place of {', '.join(unknown)} is not known: shown as recorded"] if unknown else []
    return made, notes


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5)


def _formulas(montage: Montage, recorded: Sequence[Recorded]) -> Made:
    made = []
    known = {one.name: number for number, one in enumerate(recorded)}
    for row, (name, formula) in enumerate(montage.rows):
        field = f"rows.{row}.formula"
        weights: dict[int, float] = {}
        for channel, weight in weights_of(formula, field=field).items():
            number = known[channel] if channel in known else _number_of(channel, recorded, field)
            weights[number] = weights.get(number, 0.0) + weight
        _refuse_unlike(list(weights), recorded, field)
        made.append((-1, _from(recorded, name, list(weights.items()))))
    return made, []


_MAKERS = {
    "average": _average,
    "reference": _reference,
    "bipolar": _bipolar,
    "laplacian": _laplacian,
    "formulas": _formulas,
}


def _with_others(
    montage: Montage, recorded: Sequence[Recorded], new: Sequence[tuple[int, Derived]]
) -> tuple[Derived, ...]:
    """Return the new channels and the recorded ones that stay: each new one where the recorded one was, else first."""
    places = {number: derived for number, derived in new if number >= 0}
    first = [derived for number, derived in new if number < 0]
    used = {number for _, derived in new for number in derived.inputs}
    if montage.kind == "bipolar":
        used |= set(_taking_part(montage, recorded))
    rest: list[Derived] = []
    for number, one in enumerate(recorded):
        if number in places:
            rest.append(places[number])
        stays = montage.others == "all" or (montage.others == "unused" and number not in used)
        if stays or one.kind == "annotation":
            rest.append(Derived(name=one.name, unit=one.unit, kind=one.kind, terms=((number, 1.0),), is_recorded=True))
    return (*first, *rest)
