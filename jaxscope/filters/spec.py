"""What a filter is: specs, stages, chains. Plain numbers, hashable, comparable, safe on any thread.

A *spec* says what a person wants (family, edges in Hz). ``design(rate_hz)`` turns it into coefficients: the rate is an
argument, so one chain serves any recording and each rate in it. A spec that cannot exist raises ``SpecError`` on
construction; one that does not fit a rate raises it from ``check(rate_hz)``; one that is unstable is representable.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import Field, dataclass, field, fields, replace
from functools import cache
from typing import Any, ClassVar, Literal, Protocol, get_args

from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import Realisation
from jaxscope.filters.values import Knob, coerce, kind_of, shown, whole

Band = Literal["lowpass", "highpass", "bandpass", "bandstop"]
Phase = Literal["causal", "zero", "minimum"]
Initial = Literal["rest", "steady"]
PaddingKind = Literal["odd", "even", "constant", "none", "gustafsson"]
GapPolicy = Literal["segment", "propagate"]

__all__ = [
    "AbstractFilterSpec",
    "Band",
    "Family",
    "FilterChain",
    "GapPolicy",
    "Initial",
    "Knob",
    "Padding",
    "PaddingKind",
    "Phase",
    "Stage",
    "knob",
]


def knob(
    default: Any,
    *,
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
    unit: str = "",
    log: bool = False,
    label: str = "",
    choices: tuple[str, ...] = (),
    optional: bool = False,
    kind: str = "",
    reach: tuple[float, float] | None = None,
) -> Any:
    """Declare a field of a spec together with what a form needs to know about it.

    Parameters
    ----------
    default : number, str, tuple or None
        Value of a new stage; its type decides the control unless ``kind`` names one.
    low, high : float or None
        Limits that hold at any rate; ``unit="Hz"`` is further limited by half the rate.
    step : float or None
        Size of one step of the arrow keys; where ``log`` it is a factor minus one.
    unit : str
        Unit shown after the value.
    log : bool
        Whether the slider is logarithmic.
    label : str
        Words before the control; the name of the field where empty.
    choices : tuple of str
        Allowed values of a text field.
    optional : bool
        Whether None is allowed.
    kind : str
        A name in ``jaxscope.filters.values.KINDS``.
    reach : pair of float or None
        Span of the slider, where typing may go beyond it.
    """
    metadata = {
        "low": low,
        "high": high,
        "step": step,
        "unit": unit,
        "log": log,
        "label": label,
        "choices": choices,
        "optional": optional,
        "kind": kind or kind_of(default, choices),
        "reach": reach,
    }
    return field(default=default, metadata={"knob": metadata})


@dataclass(frozen=True, slots=True, kw_only=True)
class AbstractFilterSpec(ABC):
    """A design before any coefficient. Every family is a final, frozen dataclass of plain values."""

    #: name in the FAMILIES table and in chain files
    family: ClassVar[str]
    #: words for menus ("Butterworth") and one sentence for the tooltip
    title: ClassVar[str]
    summary: ClassVar[str]

    def __post_init__(self) -> None:
        for item in self.knobs():
            object.__setattr__(self, item.name, coerce(item, getattr(self, item.name)))
        self.validate()

    def validate(self) -> None:
        """Raise SpecError where the fields, each right by itself, contradict each other."""
        return

    def check(self, rate_hz: float) -> None:
        """Raise SpecError, naming the field, where the spec does not fit ``rate_hz``."""
        return

    @abstractmethod
    def design(self, rate_hz: float) -> Realisation:
        """Return the coefficients at this rate.

        Raises
        ------
        SpecError
            Where the spec does not fit the rate.
        """

    def parts(self, rate_hz: float) -> tuple[Realisation, ...]:
        """Return what the stage runs as, in order; most families are one realisation."""
        return (self.design(rate_hz),)

    def warnings(self, rate_hz: float) -> tuple[str, ...]:
        """Return sentences for the user about this stage at this rate, without a full stop."""
        return ()

    def limits(self, name: str, rate_hz: float) -> tuple[float | None, float | None]:
        """Return the lowest and highest value of a field at this rate, None where there is none."""
        item = next(item for item in self.knobs() if item.name == name)
        high = item.high
        if item.unit == "Hz":
            nyquist_hz = rate_hz / 2
            high = nyquist_hz if high is None else min(high, nyquist_hz)
        return item.low, high

    @classmethod
    def knobs(cls) -> tuple[Knob, ...]:
        """Return the fields that a form shows, in order."""
        return _knobs_of(cls)

    def with_value(self, name: str, value: Any) -> AbstractFilterSpec:
        """Return a copy with one field changed; SpecError where that cannot exist."""
        if all(item.name != name for item in fields(self)):
            raise SpecError(name, f"a {self.title} filter has no {name}", hint="choose one of its own fields")
        return replace(self, **{name: value})


class Family(Protocol):
    """A family as the FAMILIES table offers it: what can be asked of the class, and how to make a spec."""

    family: str
    title: str
    summary: str

    def knobs(self) -> tuple[Knob, ...]:
        """Return the fields that a form shows, in order."""

    def __call__(self, **fields: Any) -> AbstractFilterSpec:
        """Return a spec with these fields, the rest at their defaults; SpecError where that cannot exist."""


@cache
def _knobs_of(family: type[AbstractFilterSpec]) -> tuple[Knob, ...]:
    return tuple(_knob_of(item) for item in fields(family) if "knob" in item.metadata)


def _knob_of(item: Field[Any]) -> Knob:
    metadata = dict(item.metadata["knob"])
    metadata["label"] = (
        metadata["label"] or item.name.removesuffix("_hz").removesuffix("_db").replace("_", " ").capitalize()
    )
    return Knob(name=item.name, default=item.default, **metadata)


def check_below_nyquist(field_name: str, value_hz: float, rate_hz: float) -> None:
    """Raise SpecError where a frequency is not below half the rate."""
    if not 0 < rate_hz < math.inf:
        raise SpecError(
            "rate_hz", f"a rate of {shown(rate_hz)} Hz is not a number above 0", hint="give the sampling rate in Hz"
        )
    nyquist_hz = rate_hz / 2
    if value_hz >= nyquist_hz:
        where = "above" if value_hz > nyquist_hz else "not below"
        raise SpecError(
            field_name,
            f"{shown(value_hz)} Hz is {where} fs/2 = {shown(nyquist_hz)} Hz",
            hint=f"choose less than {shown(nyquist_hz)} Hz",
        )


def _one_of(field_name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SpecError(
            field_name, f"{field_name} is {shown(value)}, which is not known", hint=f"choose {', '.join(choices)}"
        )


def _all_of(field_name: str, values: object, kind: type[Any], hint: str) -> tuple[Any, ...]:
    """Return the values as a tuple; a text is no list of its letters."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise SpecError(field_name, f"{field_name} is {shown(values)}, which is not a list", hint=hint)
    items = tuple(values)
    for item in items:
        if not isinstance(item, kind):
            raise SpecError(field_name, f"{shown(item)} in {field_name} is not a {kind.__name__}", hint=hint)
    return items


@dataclass(frozen=True, slots=True, kw_only=True)
class Padding:
    """How a signal is continued beyond its ends in zero phase. ``samples`` None is SciPy's rule."""

    kind: PaddingKind = "odd"
    samples: int | None = None

    def __post_init__(self) -> None:
        _one_of("padding", self.kind, get_args(PaddingKind))
        if self.samples is None:
            return
        object.__setattr__(self, "samples", whole("padding", self.samples))
        if self.samples < 0:
            raise SpecError("padding", f"padding of {self.samples} samples is negative", hint="give 0 or more, or null")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One filter in a chain. ``origin`` is the design that edited coefficients came from ("Revert to design")."""

    spec: AbstractFilterSpec
    enabled: bool = True
    name: str = ""
    origin: AbstractFilterSpec | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterChain:
    """Stages in order, with how they are run and the channels they are for.

    ``channels`` holds exact names or case-sensitive globs; None means all data channels, an
    empty tuple none.
    """

    name: str = ""
    channels: tuple[str, ...] | None = None
    phase: Phase = "causal"
    initial: Initial = "steady"
    padding: Padding = Padding()
    gaps: GapPolicy = "segment"
    stages: tuple[Stage, ...] = ()

    def __post_init__(self) -> None:
        _one_of("phase", self.phase, get_args(Phase))
        _one_of("initial", self.initial, get_args(Initial))
        _one_of("gaps", self.gaps, get_args(GapPolicy))
        if self.channels is not None:
            object.__setattr__(self, "channels", _all_of("channels", self.channels, str, 'give ("EEG*", "Fp1")'))
        object.__setattr__(self, "stages", _all_of("stages", self.stages, Stage, "give stages: Stage(spec=…)"))

    @property
    def active_stages(self) -> tuple[Stage, ...]:
        """The stages that are switched on."""
        return tuple(stage for stage in self.stages if stage.enabled)

    def check(self, rate_hz: float) -> None:
        """Raise SpecError where an active stage does not fit ``rate_hz``."""
        for stage in self.active_stages:
            stage.spec.check(rate_hz)
