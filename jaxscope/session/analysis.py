"""What the spectrum drawer shows: which view, how it is estimated, of which channels, and the bands that are summed.

Bands are names with limits in Hz: a person may take a set of the field or write down others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from jaxscope.errors import SpecError

AnalysisView = Literal["spectrum", "spectrogram", "time_frequency", "histogram", "coherence"]
Estimator = Literal["welch", "multitaper"]
LevelScale = Literal["db", "linear"]
FrequencyScale = Literal["log", "linear"]
AnalysisPane = Literal["both", "before", "after", "difference"]
#: name, lower and upper limit in Hz
Band = tuple[str, float, float]

MOST_BANDS = 12
#: Sets of bands as their fields name them: EEG after the IFCN glossary (2017), heart rate after the Task Force (1996).
BAND_SETS: Mapping[str, tuple[Band, ...]] = {
    "EEG": (
        ("delta", 0.5, 4.0),
        ("theta", 4.0, 8.0),
        ("alpha", 8.0, 13.0),
        ("beta", 13.0, 30.0),
        ("gamma", 30.0, 80.0),
    ),
    "Sleep": (
        ("slow", 0.5, 2.0),
        ("delta", 2.0, 4.0),
        ("theta", 4.0, 8.0),
        ("alpha", 8.0, 12.0),
        ("sigma", 12.0, 16.0),
        ("beta", 16.0, 30.0),
    ),
    "Heart rate": (("VLF", 0.003, 0.04), ("LF", 0.04, 0.15), ("HF", 0.15, 0.4)),
    "EMG": (("motion", 0.0, 20.0), ("low", 20.0, 80.0), ("middle", 80.0, 150.0), ("high", 150.0, 450.0)),
    "Field potential": (
        ("theta", 4.0, 12.0),
        ("beta", 12.0, 30.0),
        ("slow gamma", 30.0, 60.0),
        ("fast gamma", 60.0, 120.0),
        ("ripple", 120.0, 250.0),
        ("spikes", 300.0, 6000.0),
    ),
    "Audio": (("bass", 20.0, 250.0), ("middle", 250.0, 2000.0), ("presence", 2000.0, 6000.0), ("air", 6000.0, 20000.0)),
    "Seismic": (("microseism", 0.05, 0.5), ("regional", 0.5, 5.0), ("local", 5.0, 50.0)),
}
#: sets for kinds of channels; the others begin with that of EEG
_SETS_OF_KINDS = {"emg": "EMG", "audio": "Audio", "seismic": "Seismic"}
_FIRST_SETS = ("EEG", *_SETS_OF_KINDS.values())
_WRITTEN = re.compile(r"\s*(.+?)\s+([0-9.eE]+)\s*(?:-|\u2013|to)\s*([0-9.eE]+)\s*(?:Hz)?\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What the drawer shows; ``shown`` is whether it is open.

    ``kind`` is the kind of channel that is averaged; empty takes the selected channels, and where none is selected the
    kind that there is most of. ``partner`` is the channel that the selected one is compared with; empty compares all.
    """

    shown: bool = False
    view: AnalysisView = "spectrum"
    estimator: Estimator = "welch"
    level_scale: LevelScale = "db"
    frequency_scale: FrequencyScale = "log"
    pane: AnalysisPane = "both"
    kind: str = ""
    partner: str = ""
    #: name of the band that pairs are compared in; empty for all frequencies
    band: str = ""
    bands: tuple[Band, ...] = BAND_SETS["EEG"]

    def for_kind(self, kind: str) -> Analysis:
        """Return it with the bands that a recording of this kind begins with, unless others were chosen."""
        if self.band_set not in _FIRST_SETS:
            return self
        return replace(self, bands=BAND_SETS[_SETS_OF_KINDS.get(kind, "EEG")])

    def __post_init__(self) -> None:
        if len(self.bands) > MOST_BANDS:
            raise SpecError("bands", f"there are {len(self.bands)} bands", hint=f"give {MOST_BANDS} or fewer")
        for name, low_hz, high_hz in self.bands:
            if not name:
                raise SpecError("bands", f"the band from {low_hz:g} to {high_hz:g} Hz has no name", hint="name it")
            if not (0 <= low_hz < high_hz < math.inf):
                hint = "give a lower limit from 0 on and an upper one above it"
                raise SpecError("bands", f"{name} reaches from {low_hz:g} to {high_hz:g} Hz", hint=hint)

    @property
    def band_set(self) -> str:
        """Name of the set that the bands are, empty where they are a person's own."""
        return next((name for name, bands in BAND_SETS.items() if bands == self.bands), "")


def bands_of(text: str) -> tuple[Band, ...]:
    """Return the bands that are written down, as ``"delta 0.5-4, theta 4-8"``.

    Raises
    ------
    SpecError
        Where a part is no name with two limits.

    Examples
    --------
    >>> bands_of("LF 0.04-0.15; HF 0.15 to 0.4 Hz")
    (('LF', 0.04, 0.15), ('HF', 0.15, 0.4))
    """
    found: list[Band] = []
    for part in re.split(r"[,;\n]", text):
        if not part.strip():
            continue
        match = _WRITTEN.fullmatch(part)
        try:
            name, low, high = match.groups() if match is not None else ("", "", "")
            found.append((name, float(low), float(high)))
        except ValueError as error:
            hint = "write a name and two limits in Hz, such as theta 4-8"
            raise SpecError("bands", f"cannot read the band {part.strip()!r}", hint=hint) from error
    return tuple(found)


def written(bands: tuple[Band, ...]) -> str:
    """Return bands as a person writes them down."""
    return ", ".join(f"{name} {low:g}\u2013{high:g}" for name, low, high in bands)
