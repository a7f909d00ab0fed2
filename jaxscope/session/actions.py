"""Everything the user can do: one frozen dataclass per intent.

``merge_key`` joins a run of actions into one undo step: while the key stays the same and not None (a drag, a spin),
the steps are one. Actions that touch only the viewport or the engine choice are not undo steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxscope.data.annotations import Annotation
from jaxscope.filters.spec import AbstractFilterSpec, FilterChain, Initial, Padding, Phase, Stage
from jaxscope.session.state import (
    ChannelLook,
    CoefficientForm,
    Document,
    Face,
    Mode,
    Precision,
    RecordingRef,
    ResponseView,
    Viewport,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Base of all actions."""

    merge_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRecording(Action):
    """A recording was opened; the chains stay. Resets the window to its start and forgets undo."""

    recording: RecordingRef
    duration_s: float | None
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedRecording(Action):
    """The recording was closed; the chains stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedProject(Action):
    """A project file was read; forgets undo."""

    document: Document
    viewport: Viewport


@dataclass(frozen=True, slots=True, kw_only=True)
class SetChains(Action):
    """Replace all chains (a preset, a chain file)."""

    chains: tuple[FilterChain, ...]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAt(Action):
    """Another time window; clipped to ``0 .. total_s`` where that is given."""

    start_s: float
    duration_s: float
    total_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseMode(Action):
    """Overlay, split or difference."""

    mode: Mode


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
