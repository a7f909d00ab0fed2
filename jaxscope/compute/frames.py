"""What the compute side hands to the window: outcomes as values.

Every outcome carries the ``revision`` of the state it was made from (a number that grows), so that a receiver shows it
if it is newer than what is on the screen. Arrays in a frame are never changed after it is made; frames are never
compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from jaxscope.compute.analysis_frames import AnalysisFrame
from jaxscope.compute.code_frames import CodeChecked, CodeText
from jaxscope.compute.device_frames import Devices
from jaxscope.compute.envelopes import Envelope
from jaxscope.compute.fit_frames import FitFrame
from jaxscope.compute.folder_frames import FolderOutcome
from jaxscope.compute.import_form import ImportPreview
from jaxscope.compute.measure_frames import MeasureFrame
from jaxscope.compute.surroundings import Surroundings
from jaxscope.compute.sweep_frames import SweepFrame
from jaxscope.data.recording import RecordingInfo
from jaxscope.filters.coefficients import Realisation
from jaxscope.filters.limits import Verdict
from jaxscope.filters.stability import Plane

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TraceBlock:
    """The visible traces of the channels of one rate.

    ``times_s`` holds the time of each bin's first sample, shape (n_points,), rising; a column of NaN values stands at
    each gap. ``after`` is None where nothing is filtered, ``difference`` also where it is not looked at; ``filtered``
    tells per channel whether a chain is for it (others are drawn raw: their ``after`` is their ``before``, their
    ``difference`` NaN).
    ``before_offset`` and ``after_offset`` (n_channels,) are robust centres for display.
    """

    rate_hz: float
    channels: tuple[int, ...]
    bin_samples: int
    times_s: FloatArray
    before: Envelope
    after: Envelope | None
    difference: Envelope | None
    filtered: tuple[bool, ...]
    before_offset: FloatArray
    after_offset: FloatArray
    #: root mean square of before minus after in the window, (n_channels,), NaN where not filtered or not looked at
    removed_rms: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """One picture of the traces: the window that was asked for, and what fills it.

    ``compute_ms`` is edit to result on the compute side (waiting, reading, filtering, envelope; drawing not included).
    ``settled`` is False while the edges of the frame still depend on context that was not read. ``scales`` holds the
    automatic units per lane height by channel kind.
    """

    revision: int
    recording_id: str
    start_s: float
    stop_s: float
    blocks: tuple[TraceBlock, ...]
    settled: bool
    compute_ms: float
    method: str
    method_reason: str
    device: str
    precision: str
    n_channels: int
    n_samples: int
    scales: Mapping[str, float]
    settling_99_s: float
    settling_9999_s: float
    warnings: tuple[str, ...] = ()
    #: devices that hold the results, as the results tell it; empty where SciPy or nothing ran
    ran_on: tuple[str, ...] = ()
    #: a signal runs through the last filter that could; the one that was chosen cannot
    held: bool = False
    #: what the traces follow from, apart from the window: those of two frames that were made of equal things, and of as
    #: much, agree where both show something; None where the edges are not settled
    made_of: tuple[object, ...] | None = None
    #: of how much: the samples that the recording held, by block, and how far a signal has run that runs
    n_recorded: tuple[int, ...] = ()
    has_run: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StageCurve:
    """One stage as the dock shows it.

    ``magnitude_db`` is over ``DesignFrame.frequencies_hz`` for one pass. ``facts`` are (caption, value) pairs in words.
    ``problem`` is a sentence where the stage cannot be designed at this rate; the rest is then empty.
    """

    title: str
    subtitle: str
    magnitude_db: FloatArray
    realisation: Realisation | None
    b: tuple[float, ...]
    a: tuple[float, ...]
    facts: tuple[tuple[str, str], ...]
    is_stable: bool
    pole_radius: float
    problem: str = ""
    problem_field: str | None = None
    #: zeros, poles and gain of one pass; None where there are none to show (a running median, very many taps)
    plane: Plane | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResponseCurve:
    """Another view of the whole chain than its magnitude, for the passes in use; both of shape (n_points,).

    ``gain``: hertz against the magnitude as a factor. ``phase``: hertz against degrees. ``group_delay``: hertz against
    seconds. ``impulse`` and ``step``: seconds against the height, of a pulse or a step of height 1 at 0 s. NaN is a
    break.
    """

    view: Literal["gain", "phase", "group_delay", "impulse", "step"]
    x: FloatArray
    y: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuantisedChain:
    """What rounding to a word makes of a chain.

    ``stages`` holds per stage: a sentence about it as it runs, one about it as b over a (empty where it is not), and
    whether it is stable as it runs. ``magnitude_db`` is over ``DesignFrame.frequencies_hz``, for the passes in use.
    """

    word: str
    stages: tuple[tuple[str, str, bool], ...]
    magnitude_db: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DesignFrame:
    """What the active chain is, at one rate of its channels: curves, coefficients, facts. For the passes in use."""

    revision: int
    chain: int
    rate_hz: float
    frequencies_hz: FloatArray
    #: whole chain, all passes
    magnitude_db: FloatArray
    stages: tuple[StageCurve, ...]
    #: (frequency in Hz, level in dB, stage, knob name, index within a pair or None) of the edges that a person may drag
    handles: tuple[tuple[float, float, int, str, int | None], ...]
    is_stable: bool
    pole_radius: float
    delay_text: str
    report: str
    warnings: tuple[str, ...] = ()
    #: the view that the viewport asks for; None for the magnitude, and where there is none (an unstable impulse)
    curve: ResponseCurve | None = None
    #: the chain rounded to the word that the viewport asks for; None where it asks for none
    quantised: QuantisedChain | None = None
    #: further rates that channels of this chain have, highest first; what is said here is not said of them
    other_rates_hz: tuple[float, ...] = ()
    #: how the chain keeps to its limits
    verdicts: tuple[Verdict, ...] = ()
    #: the chosen pin of this chain: its name and its level for its own passes; None where there is none
    pin: tuple[str, FloatArray] | None = None
    #: how late each chain of the document is, in seconds, at a frequency that it passes
    delays_s: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpectrumFrame:
    """Mean power spectra of the active chain's visible channels in the window, in dB relative to the highest before."""

    revision: int
    frequencies_hz: FloatArray
    before_db: FloatArray
    after_db: FloatArray | None
    difference_db: FloatArray | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OverviewFrame:
    """The whole recording at the width of the overview, one channel or a mean; what is not known yet is NaN."""

    revision: int
    recording_id: str
    #: bin borders, shape (n_bins + 1,)
    edges_s: FloatArray
    before: Envelope
    after: Envelope | None
    #: share of the recording that has been read (before) and filtered (after), 0 to 1
    read_share: float
    filtered_share: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgreementFrame:
    """Measured largest error against SciPy in float64 on a few seconds of a few channels, relative to the signal."""

    revision: int
    relative_error: float | None
    max_abs: float | None
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityFrame:
    """By how much After moves in the window when each number of a stage's sections grows by 1 %.

    ``values`` has a row of six a section, root mean squares in ``unit``; a0 is 0.
    """

    revision: int
    chain: int
    stage: int
    unit: str
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A recording is open and may be looked at."""

    recording_id: str
    path: str
    info: RecordingInfo
    #: sentence and hint where the file is no longer what it was known by
    changed: tuple[str, str] | None = None
    #: the recording is open already, and shows other channels of itself from now on
    is_same: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """No new frame can be made from the state as it is; the last good picture stays, marked.

    ``reason`` is the sentence, ``hint`` what to do; ``kind`` tells an unstable filter from a design that does not fit.
    """

    revision: int
    reason: str
    hint: str = ""
    kind: Literal["unstable", "design", "device"] = "design"
    chain: int | None = None
    stage: int | None = None
    field: str | None = None
    pole_radius: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Something asked for went wrong. ``what`` is one of open, frame, preview, export, device, part."""

    revision: int
    what: str
    sentence: str
    hint: str = ""
    details: str = ""
    path: str | None = None
    #: a file of no known format, which may still be numbers alone
    unknown: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Busy:
    """Something is being worked on (compiling, reading); sent when it begins, and again with ``done``."""

    what: str
    label: str
    done: bool = False
    share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportProgress:
    """A running export: share done, then the outcome. ``warnings`` and ``path`` are set when it is done."""

    job: int
    share: float
    done: bool = False
    cancelled: bool = False
    path: str | None = None
    seconds_left: float | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stalled:
    """A file that does not answer: told after ``seconds``, and again with ``over`` when it has answered after all."""

    path: str
    seconds: float = 0.0
    over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePosition:
    """How far a running signal is.

    ``dropped`` samples were lost since it began; ``latency_s`` is how late the newest one is. ``note`` is what has to
    be known of the source. ``future`` names the chains that need what comes after: they wait, or run as causal ones
    (``as_causal``). ``over`` says that nothing more comes.
    """

    recording_id: str
    running: Literal["play", "follow"]
    position_s: float
    speed: float
    dropped: int
    latency_s: float
    note: str = ""
    future: tuple[int, ...] = ()
    as_causal: bool = False
    over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """The file of an open recording has grown, or more of it is known: the same channels hold more samples."""

    recording_id: str
    info: RecordingInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """All of a file is known now, of which the first part was opened; ``info`` is of what was recorded.

    What is to be shown of it, as a montage makes it, follows as ``Grown``, or as ``Opened`` where it is other channels.
    """

    recording_id: str
    info: RecordingInfo


Outcome = (
    Opened
    | Frame
    | Surroundings
    | DesignFrame
    | SpectrumFrame
    | AnalysisFrame
    | OverviewFrame
    | AgreementFrame
    | SensitivityFrame
    | CodeText
    | CodeChecked
    | MeasureFrame
    | Blocked
    | Failure
    | Busy
    | ExportProgress
    | Stalled
    | LivePosition
    | Grown
    | Indexed
    | Devices
    | ImportPreview
    | FolderOutcome
    | SweepFrame
    | FitFrame
)
