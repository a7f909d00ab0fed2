"""What the spectrum drawer is handed: curves, pictures, counts and band powers, with what they are of.

Powers are densities in squared units per Hz; pictures are numbers of colours, made on the compute thread, so that the
window has nothing to do but to lay them down. NaN, and colour 0, is what is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class BandPower:
    """The power in a band, in squared units; ``shares`` are of all that is above 0 Hz. None where nothing filters."""

    name: str
    low_hz: float
    high_hz: float
    before: float
    after: float | None
    share_before: float
    share_after: float | None

    @property
    def change_db(self) -> float | None:
        """After over before in dB; None where there is nothing to compare."""
        if self.after is None or not self.before > 0 or not self.after >= 0:
            return None
        return 10.0 * float(np.log10(max(self.after, 1e-300) / self.before))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpectrumCurves:
    """Densities by frequency, all (n,), and the bands under them. ``resolution_hz`` is the width of a line."""

    frequencies_hz: FloatArray
    before: FloatArray
    after: FloatArray | None
    bands: tuple[BandPower, ...]
    resolution_hz: float
    n_segments: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plane:
    """A picture: ``levels`` (n_rows, n_columns) are numbers of colours from 1 to 255, ``values_db`` what they mean.

    Rows from the highest frequency down, columns from the left.
    """

    levels: npt.NDArray[np.uint8]
    values_db: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimeFrequency:
    """Power over time and frequency. ``difference`` is after over before in dB, on its own scale of colours."""

    before: Plane
    after: Plane | None
    difference: Plane | None
    low_hz: float
    high_hz: float
    is_log: bool
    low_db: float
    high_db: float
    reach_db: float
    #: how far what is seen is smeared: a segment, or a wavelet at the lowest frequency
    width_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """A distribution in numbers: deviation about the mean, excess kurtosis, share at the limits (0 to 1)."""

    rms: float
    kurtosis: float
    clipped: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Histogram:
    """Shares of the samples by size about the mean of their channel; ``edges`` (n + 1,) in units."""

    edges: FloatArray
    before: FloatArray
    after: FloatArray | None
    sizes_before: Sizes
    sizes_after: Sizes | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coherences:
    """Coherence of the channels ``names``, 0 to 1.

    ``before`` and ``after`` are (n_channels, n_channels, n); ``places`` is the pair that is drawn as curves, None for
    all of them. ``level`` is what unrelated signals reach in one of twenty cases.
    """

    names: tuple[str, ...]
    frequencies_hz: FloatArray
    before: FloatArray
    after: FloatArray | None
    places: tuple[int, int] | None
    level: float
    n_segments: int
    #: the channel that others are compared with
    lead: int = 0


Content = SpectrumCurves | TimeFrequency | Histogram | Coherences


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnalysisFrame:
    """One content of the drawer; None with ``problem`` where there is none.

    ``title`` says which channels, ``note`` what was left out; ``is_selection`` whether it is of the span between the
    cursors rather than of the window.
    """

    revision: int
    recording_id: str
    view: Literal["spectrum", "spectrogram", "time_frequency", "histogram", "coherence"]
    start_s: float
    stop_s: float
    is_selection: bool
    title: str
    unit: str
    note: str
    content: Content | None
    problem: str = ""
    #: kinds of channel on the screen, and names of those that may be compared
    kinds: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
