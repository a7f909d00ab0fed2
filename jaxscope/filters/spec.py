"""What a filter is: specs, stages, chains. Plain numbers, hashable, comparable, safe on any thread.

A *spec* says what a person wants (family, edges in Hz). ``design(rate_hz)`` turns it into coefficients: the rate is an
argument, so one chain serves any recording and each rate in it. A spec that cannot exist raises ``SpecError`` on
construction; one that does not fit a rate raises it from ``check(rate_hz)``; one that is unstable is representable.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, ClassVar, Literal

from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import Realisation

Band = Literal["lowpass", "highpass", "bandpass", "bandstop"]
Phase = Literal["causal", "zero", "minimum"]
Initial = Literal["rest", "steady"]
PaddingKind = Literal["odd", "even", "constant", "none", "gustafsson"]
GapPolicy = Literal["segment", "propagate"]


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
) -> Any:
    """Declare a field of a spec together with what a form needs to know about it.

    Parameters
    ----------
    default : number, str, tuple or None
        Value of a new stage; its type decides the control (a tuple of two numbers is a pair of edges).
    low, high : float or None
        Limits that hold at any rate; ``unit="Hz"`` is further limited by half the rate.
    step : float or None
        Size of one step of the arrow keys; where ``log`` it is a factor minus one.
    log : bool
        Whether the slider is logarithmic.
    choices : tuple of str
        Allowed values of a text field.
    optional : bool
        Whether None is allowed.
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
    }
    return field(default=default, metadata={"knob": metadata})


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A field of a spec as a form sees it."""

    name: str
    label: str
    default: Any
    low: float | None
    high: float | None
    step: float | None
    unit: str
    log: bool
    choices: tuple[str, ...]
    optional: bool


@dataclass(frozen=True, kw_only=True)
class AbstractFilterSpec(ABC):
    """A design before any coefficient. Every family is a final, frozen dataclass of plain values."""

    #: name in the FAMILIES table and in chain files
    family: ClassVar[str]
    #: words for menus ("Butterworth") and one sentence for the tooltip
    title: ClassVar[str]
    summary: ClassVar[str]

    def check(self, rate_hz: float) -> None:
        """Raise SpecError, naming the field, where the spec does not fit ``rate_hz``."""

    @abstractmethod
    def design(self, rate_hz: float) -> Realisation:
        """Return the coefficients at this rate.

        Raises
        ------
        SpecError
            Where the spec does not fit the rate.
        """

    @classmethod
    def knobs(cls) -> tuple[Knob, ...]:
        """Return the fields that a form shows, in order."""
        return tuple(_knob_of(item) for item in fields(cls) if "knob" in item.metadata)

    def with_value(self, name: str, value: Any) -> AbstractFilterSpec:
        """Return a copy with one field changed; SpecError where that cannot exist."""
        return replace(self, **{name: value})


def _knob_of(item: Field[Any]) -> Knob:
    metadata = dict(item.metadata["knob"])
    metadata["label"] = (
        metadata["label"] or item.name.removesuffix("_hz").removesuffix("_db").replace("_", " ").capitalize()
    )
    return Knob(name=item.name, default=item.default, **metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Padding:
    """How a signal is continued beyond its ends in zero phase. ``samples`` None is SciPy's rule."""

    kind: PaddingKind = "odd"
    samples: int | None = None

    def __post_init__(self) -> None:
        if self.samples is not None and self.samples < 0:
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

    ``channels`` holds exact names or case-sensitive globs; None means all data channels, an empty tuple none.
    """

    name: str = ""
    channels: tuple[str, ...] | None = None
    phase: Phase = "causal"
    initial: Initial = "steady"
    padding: Padding = Padding()
    gaps: GapPolicy = "segment"
    stages: tuple[Stage, ...] = ()

    @property
    def active_stages(self) -> tuple[Stage, ...]:
        """The stages that are switched on."""
        return tuple(stage for stage in self.stages if stage.enabled)

    def check(self, rate_hz: float) -> None:
        """Raise SpecError where an active stage does not fit ``rate_hz``."""
        for stage in self.active_stages:
            stage.spec.check(rate_hz)
