"""The user's choices as one immutable value: document (undoable), viewport (saved), engine choice (a preference).

Nothing here is an array, a file or a thread. Channels are named, not numbered, so that a choice survives another
recording of the same montage.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from jaxscope.data.annotations import Annotation
from jaxscope.errors import SpecError
from jaxscope.filters.limits import Limit
from jaxscope.filters.montage import Montage
from jaxscope.filters.spec import FilterChain
from jaxscope.session.actions_live import LiveChoice
from jaxscope.session.analysis import Analysis
from jaxscope.session.fit import FitPlan
from jaxscope.session.sweep_measures import SweepMeasure

Mode = Literal["overlay", "split", "curtain", "difference"]
#: How lanes share the height: one a channel, one a kind of channel, or one for all
Arrangement = Literal["stacked", "kinds", "butterfly"]
Face = Literal["design", "coefficients", "poles_zeros"]
CoefficientForm = Literal["sos", "ba", "zpk", "taps"]
ResponseView = Literal["magnitude", "gain", "phase", "group_delay", "impulse", "step"]
Precision = Literal["float32", "float64"]
#: Whether bad spans are filtered like the rest, or left out of what the filter sees and gives
BadSpanPolicy = Literal["keep", "exclude"]

#: The shortest window that may be looked at.
SHORTEST_WINDOW_S = 1e-4
#: The narrowest that a pane of Split or a side of the curtain gets, as a share of the width.
LEAST_SHARE = 0.05
#: Tokens of the palette that a channel may be drawn in.
TRACE_COLOURS = ("eeg", "eog", "emg", "ecg", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8")
#: Tags of the chains of a document, by position.
CHAIN_TAGS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#: Chains that can be kept for comparison, and limits that can be set.
MOST_PINS, MOST_LIMITS = 12, 24


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingRef:
    """The recording that a document is about: where it is and how to know it again."""

    path: str
    size_bytes: int | None = None
    #: hash of the first and last MiB
    fingerprint: str | None = None
    rate_hz: float | None = None
    #: what the person told about a file that does not tell it itself, by the names of its reader
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelLook:
    """How one channel is drawn. ``colour`` is a token of the palette, or None for that of its kind."""

    gain: float = 1.0
    colour: str | None = None
    hidden: bool = False
    #: how far above its place the trace is drawn, in lane heights
    offset: float = 0.0
    #: the name that is shown; empty shows that of the file
    label: str = ""

    def __post_init__(self) -> None:
        if self.colour is not None and self.colour not in TRACE_COLOURS:
            raise SpecError("colour", f"there is no colour {self.colour!r}", hint=f"use {', '.join(TRACE_COLOURS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A chain as it was, kept to compare with. ``at`` is the chain of the document whose place it takes."""

    name: str
    chain: FilterChain
    at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What is edited, undone and saved."""

    recording: RecordingRef | None = None
    #: how the channels that are looked at and filtered are made of the recorded ones; None shows these as they are
    montage: Montage | None = None
    chains: tuple[FilterChain, ...] = ()
    filter_on: bool = True
    #: channel names in the order they are shown; channels that are not named follow in file order
    channel_order: tuple[str, ...] = ()
    looks: tuple[tuple[str, ChannelLook], ...] = ()
    #: in order of onset: those of the file, as far as they were not edited, and those that were added
    annotations: tuple[Annotation, ...] = ()
    #: those that are known to be in the file, also where they were edited or removed
    read_events: tuple[Annotation, ...] = ()
    bad_spans: BadSpanPolicy = "keep"
    #: chains kept to compare with
    pins: tuple[Pin, ...] = ()
    #: what the responses of the chains must keep to
    limits: tuple[Limit, ...] = ()
    #: what a filter is fitted to
    fit: FitPlan = field(default_factory=FitPlan)
    #: parts of a project of a newer version, as JSON text: not known here, saved as they are
    kept: str = ""

    def look_of(self, name: str) -> ChannelLook:
        """Return how the channel called ``name`` is drawn."""
        for key, look in self.looks:
            if key == name:
                return look
        return ChannelLook()


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewport:
    """What is looked at, and how."""

    start_s: float = 0.0
    duration_s: float = 10.0
    mode: Mode = "overlay"
    #: the filter is hidden (R); the document is not changed
    raw: bool = False
    first_lane: int = 0
    #: None shows every channel
    lane_count: int | None = None
    #: (channel kind, physical units per lane height); kinds that are not named have the automatic scale
    scales: tuple[tuple[str, float], ...] = ()
    selected_channels: tuple[str, ...] = ()
    active_chain: int = 0
    selected_stage: int = 0
    face: Face = "design"
    coefficient_form: CoefficientForm = "sos"
    response_view: ResponseView = "magnitude"
    remove_offset: bool = True
    negative_up: bool = False
    antialias: bool = True
    #: traces end at the edges of their lane
    clip_lanes: bool = False
    #: in Overlay, Before is drawn behind After
    show_before: bool = True
    show_events: bool = True
    show_scale_bars: bool = True
    show_overview: bool = True
    clock_time: bool = False
    #: cursor times; none, one or two
    cursors_s: tuple[float, ...] = ()
    #: share of the width that Before has in Split, and that is left of the curtain
    split_share: float = 0.5
    curtain_share: float = 0.5
    arrangement: Arrangement = "stacked"
    #: the channels that butterfly lays over one another; none named is all
    together: tuple[str, ...] = ()
    #: whether heights stay as they are while the window moves; else they fit what is visible
    lock_scales: bool = True
    #: (channel kind, physical units per millimetre of screen): goes before ``scales``
    sensitivities: tuple[tuple[str, float], ...] = ()
    #: millimetres of screen per second that the window was chosen by; None where it was not
    paper_mm_s: float | None = None
    #: After is drawn earlier by the delay of its chain
    line_up: bool = False
    #: float32, q31, q15 or "12 bit": what the numbers would be rounded to, as a preview; empty for none
    word: str = ""
    #: which stages of a chain were on before one of them was heard alone
    before_solo: tuple[bool, ...] = ()
    #: the pin that is compared with, and whether the traces show it in place of its chain
    chosen_pin: int = 0
    shows_pin: bool = False
    #: what the spectrum drawer shows
    analysis: Analysis = field(default_factory=Analysis)
    #: what a sweep measures; None is the usual list for the kind of channel
    sweep_measures: tuple[SweepMeasure, ...] | None = None
    #: named by its value, so that it is selected again when an undo brings it back; not saved
    selected_event: Annotation | None = None

    def scale_of(self, kind: str) -> float | None:
        """Return the chosen physical units per lane height of a kind, or None for the automatic one."""
        return dict(self.scales).get(kind)

    def sensitivity_of(self, kind: str) -> float | None:
        """Return the chosen physical units per millimetre of a kind, or None where it has none."""
        return dict(self.sensitivities).get(kind)


#: Fields of the viewport that zooming and scrolling change, and that "zoom back" puts back.
VIEW_FIELDS = (
    "start_s",
    "duration_s",
    "first_lane",
    "lane_count",
    "scales",
    "sensitivities",
    "arrangement",
    "together",
    "paper_mm_s",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineChoice:
    """Where and how the filter runs."""

    device: str = "cpu:0"
    precision: Precision = "float64"
    method: str = "auto"

    @property
    def backend(self) -> str:
        """The jax platform of the device."""
        return self.device.partition(":")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """Everything the user has chosen."""

    document: Document = field(default_factory=Document)
    viewport: Viewport = field(default_factory=Viewport)
    engine: EngineChoice = field(default_factory=EngineChoice)
    #: whether and how a signal runs: not saved, not undone
    live: LiveChoice = field(default_factory=LiveChoice)


def pin_in_force(state: SessionState) -> Pin | None:
    """Return the pin that the traces show in place of its chain, or None."""
    pins, number = state.document.pins, state.viewport.chosen_pin
    if not state.viewport.shows_pin or number >= len(pins) or pins[number].at >= len(state.document.chains):
        return None
    return pins[number]


def in_force(state: SessionState) -> SessionState:
    """Return the state with the chains that the traces show: a pinned one, for the same channels, while it is on.

    The document itself is not changed by looking; what is saved and exported are its own chains.
    """
    pin, chains = pin_in_force(state), state.document.chains
    if pin is None:
        return state
    shown = replace(pin.chain, channels=chains[pin.at].channels)
    document = replace(state.document, chains=(*chains[: pin.at], shown, *chains[pin.at + 1 :]))
    return replace(state, document=document)
