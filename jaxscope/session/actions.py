"""Everything the user can do: one frozen dataclass per intent.

``merge_key`` joins a run of actions into one undo step: while the key stays the same and not None (a drag, a spin),
the steps are one. Actions that touch only the viewport or the engine choice are not undo steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxscope.data.annotations import Annotation
from jaxscope.filters.limits import Limit
from jaxscope.filters.montage import Montage
from jaxscope.filters.spec import AbstractFilterSpec, FilterChain, GapPolicy, Initial, Padding, Phase, Stage
from jaxscope.session.action import Action
from jaxscope.session.actions_live import FollowFile, Play, RunAsCausal, RunByPages, SetSpeed, StopRunning
from jaxscope.session.actions_view import (
    Arrange,
    ChooseEngine,
    ChooseFace,
    ChooseMode,
    ChoosePin,
    ChooseResponse,
    ChooseWord,
    LookAt,
    PlaceDivider,
    PutViewBack,
    SelectChannels,
    SelectStage,
    SetAnalysis,
    SetCursors,
    SetDisplay,
    SetScale,
    SetSensitivity,
    SetSweepMeasures,
    ShowLanes,
    ShowPin,
    ShowRaw,
)
from jaxscope.session.state import ChannelLook, CoefficientForm, Document, RecordingRef, Viewport

__all__ = [
    "Action",
    "AddStage",
    "Arrange",
    "AssignChannel",
    "ChooseEngine",
    "ChooseFace",
    "ChooseMode",
    "ChoosePin",
    "ChooseResponse",
    "ChooseWord",
    "ClosedRecording",
    "EditCoefficient",
    "EditRoots",
    "EnableStage",
    "FollowFile",
    "HideChannels",
    "LoadedProject",
    "LookAt",
    "MovePolesInside",
    "MoveStage",
    "OpenedRecording",
    "PinChain",
    "PlaceDivider",
    "Play",
    "PutStageBack",
    "PutViewBack",
    "RemovePin",
    "RemoveStage",
    "RenamePin",
    "RenameStage",
    "ReplaceSpec",
    "RevertToDesign",
    "RunAsCausal",
    "RunByPages",
    "SelectChannels",
    "SelectStage",
    "SetAnalysis",
    "SetChainChannels",
    "SetChains",
    "SetChannelOrder",
    "SetCursors",
    "SetDisplay",
    "SetGaps",
    "SetInitial",
    "SetLimits",
    "SetLook",
    "SetMontage",
    "SetPadding",
    "SetPhase",
    "SetScale",
    "SetSensitivity",
    "SetSpeed",
    "SetSweepMeasures",
    "ShowAllChannels",
    "ShowLanes",
    "ShowPin",
    "ShowRaw",
    "SoloStage",
    "StopRunning",
    "ToggleFilter",
    "TurnKnob",
    "UsePin",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRecording(Action):
    """A recording was opened; the chains stay. Resets the window to its start and forgets undo."""

    recording: RecordingRef
    duration_s: float | None
    annotations: tuple[Annotation, ...] = ()
    main_kind: str = ""  # the kind that most of its channels are of


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedRecording(Action):
    """The recording was closed; the chains stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedProject(Action):
    """A project file was read; forgets undo. ``is_saved`` is False for work that was recovered."""

    document: Document
    viewport: Viewport
    is_saved: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SetChains(Action):
    """Replace all chains (a preset, a chain file)."""

    chains: tuple[FilterChain, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMontage(Action):
    """Look at channels made of the recorded ones; None shows these as they are.

    ``chains`` are those of the document, for the new channels too (None leaves them): a chain that names its channels
    one by one goes on filtering what is made of them.
    """

    montage: Montage | None
    chains: tuple[FilterChain, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToggleFilter(Action):
    """Switch the whole filter on or off."""

    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPhase(Action):
    """Causal, zero or minimum phase of a chain."""

    chain: int
    phase: Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class SetInitial(Action):
    """Start of a causal chain."""

    chain: int
    initial: Initial


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPadding(Action):
    """Continuation beyond the ends in zero phase."""

    chain: int
    padding: Padding


@dataclass(frozen=True, slots=True, kw_only=True)
class SetGaps(Action):
    """Whether gaps part a chain's signal, or missing samples propagate."""

    chain: int
    gaps: GapPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class PinChain(Action):
    """Keep a chain as it is now, to compare with; it becomes the one that is compared with."""

    chain: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamePin(Action):
    """Call a pin something else."""

    pin: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovePin(Action):
    """Let go of a pin."""

    pin: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UsePin(Action):
    """Put the stages of a pin, and how they run, back into its chain."""

    pin: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLimits(Action):
    """What the responses of the chains must keep to."""

    limits: tuple[Limit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetChainChannels(Action):
    """The channels a chain is for: names or globs; None is all data channels."""

    chain: int
    channels: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignChannel(Action):
    """Give one channel to a chain, or to none (None): it then passes through unfiltered.

    ``data_channels`` are the names of all data channels, in order: the chains' patterns become lists of names.
    """

    channel: str
    chain: int | None
    data_channels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddStage(Action):
    """Insert a stage before position ``at``, and select it."""

    chain: int
    at: int
    stage: Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveStage(Action):
    """Remove a stage."""

    chain: int
    stage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveStage(Action):
    """Move a stage to another position in its chain."""

    chain: int
    stage: int
    to: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EnableStage(Action):
    """Switch one stage on or off."""

    chain: int
    stage: int
    enabled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SoloStage(Action):
    """Switch all stages of a chain off but one; again: back to what was on before."""

    chain: int
    stage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameStage(Action):
    """Give a stage a name of its own; empty goes back to that of its family."""

    chain: int
    stage: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceSpec(Action):
    """Another design for a stage (a new family, many fields at once)."""

    chain: int
    stage: int
    spec: AbstractFilterSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnKnob(Action):
    """Another value for one field of a stage's spec. ``value`` is plain: a number, a text or a tuple of numbers."""

    chain: int
    stage: int
    name: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class EditCoefficient(Action):
    """Another value for one coefficient; the stage becomes a manual one that remembers its origin.

    ``form`` ``"sos"``: ``row`` is the section, ``column`` 0 to 5. ``"ba"``: ``row`` is the power, ``column`` 0 is b and
    1 is a. ``"taps"``: ``row`` is the tap. ``rate_hz`` is the rate at which the design is realised before editing.
    """

    chain: int
    stage: int
    form: CoefficientForm
    row: int
    column: int
    value: float
    rate_hz: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRoots(Action):
    """Other zeros, poles and gain; the stage becomes a manual one that remembers its origin.

    ``zeros`` and ``poles`` are (re, im) by half: one above the real axis stands for itself and its mirror.
    """

    chain: int
    stage: int
    zeros: tuple[tuple[float, float], ...]
    poles: tuple[tuple[float, float], ...]
    gain: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePolesInside(Action):
    """Mirror the poles outside the unit circle at it; the magnitude stays. Only numbers given by hand can need it."""

    chain: int
    stage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PutStageBack(Action):
    """A stage as it was before, with its origin: what Esc does in a drag."""

    chain: int
    stage: int
    content: Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class RevertToDesign(Action):
    """Put the design back that edited coefficients came from."""

    chain: int
    stage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLook(Action):
    """How a channel is drawn."""

    channel: str
    look: ChannelLook


@dataclass(frozen=True, slots=True, kw_only=True)
class SetChannelOrder(Action):
    """The order in which channels are shown."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HideChannels(Action):
    """Hide channels."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowAllChannels(Action):
    """Show every channel again."""
