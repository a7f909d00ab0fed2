"""What the user can do to the view and the engine choice: seen at once, saved, and no undo step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jaxscope.session.action import Action
from jaxscope.session.analysis import Analysis
from jaxscope.session.state import Arrangement, CoefficientForm, Face, Mode, Precision, ResponseView, Viewport
from jaxscope.session.sweep_measures import SweepMeasure


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAt(Action):
    """Another time window; clipped to ``0 .. total_s`` where that is given."""

    start_s: float
    duration_s: float
    total_s: float | None = None
    #: where the length was chosen as a paper speed; another length ends that
    paper_mm_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PutViewBack(Action):
    """The window, the channels on the screen and their heights as they were: zoom back and forward."""

    view: Viewport


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseMode(Action):
    """Overlay, split, curtain or difference."""

    mode: Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceDivider(Action):
    """Where the divider of Split or the curtain stands: the share of the width left of it."""

    mode: Literal["split", "curtain"]
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrange(Action):
    """A lane a channel, a lane a kind, or all on one lane; ``together`` names those of butterfly, none is all."""

    arrangement: Arrangement
    together: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSensitivity(Action):
    """Physical units per millimetre of screen of a channel kind; None goes back to units per lane."""

    kind: str
    units_per_mm: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRaw(Action):
    """Hide the filter from the picture, or show it again."""

    raw: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetScale(Action):
    """Physical units per lane height of a channel kind; None is automatic."""

    kind: str
    units_per_lane: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowLanes(Action):
    """Which lanes are shown; ``count`` None is all."""

    first: int
    count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectChannels(Action):
    """The selected channels."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectStage(Action):
    """The chain and the stage that the dock shows."""

    chain: int
    stage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseFace(Action):
    """Design, coefficients or poles and zeros, and the form of the coefficients."""

    face: Face
    form: CoefficientForm | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseWord(Action):
    """What the numbers would be rounded to, as a preview: float32, q31, q15, "12 bit"; empty for none."""

    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseResponse(Action):
    """What the response plot shows: magnitude, phase, group delay, impulse or step."""

    view: ResponseView


@dataclass(frozen=True, slots=True, kw_only=True)
class SetDisplay(Action):
    """One of the yes-or-no choices of the viewport: ``remove_offset``, ``negative_up``, ``show_events`` and so on."""

    name: str
    value: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCursors(Action):
    """The cursor times in seconds: none, one or two."""

    cursors_s: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseEngine(Action):
    """Another device, precision or method; None keeps what is."""

    device: str | None = None
    precision: Precision | None = None
    method: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAnalysis(Action):
    """Another content of the spectrum drawer; opens or closes it."""

    analysis: Analysis


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSweepMeasures(Action):
    """What a sweep measures; None is the usual list for the kind of channel."""

    measures: tuple[SweepMeasure, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoosePin(Action):
    """Another pin to compare with."""

    pin: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowPin(Action):
    """Show the chosen pin on the traces in place of its chain, or the chain again."""

    on: bool
