"""What a response must keep to: bands with a limit, and how far a response is from each.

A pass band holds the level within ``level_db`` of 0 dB, a stop band at least ``level_db`` below it. Invariant: a
verdict is about the level for the passes in use, at the worst of the given frequencies within the band; whoever gives
them has the edges of every band among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from jaxscope.errors import ChainError, SpecError
from jaxscope.filters.coefficients import ChainDesign
from jaxscope.filters.json_file import read_json
from jaxscope.filters.values import real, shown

BandKind = Literal["pass", "stop"]
Floats = npt.NDArray[np.float64]

FORMAT = "jaxscope-limits"
VERSION = 1
#: what rounding may take from a limit that is just kept: a Butterworth edge is at -3.0103 dB
SLACK_DB = 1e-9
MOST_DB = 400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One band of a specification.

    ``high_hz`` None reaches to half the rate. ``level_db`` is above 0: how far the level may be from 0 dB in a pass
    band, how far it must be below in a stop band. ``chain`` is the place of the chain in its document.
    """

    kind: BandKind
    low_hz: float = 0.0
    high_hz: float | None = None
    level_db: float = 3.0
    chain: int = 0

    def __post_init__(self) -> None:
        if self.kind not in get_args(BandKind):
            raise SpecError("kind", f"kind is {shown(self.kind)}, which is not known", hint="choose pass or stop")
        for name in ("low_hz", "high_hz", "level_db"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, real(name, getattr(self, name)))
        if self.low_hz < 0:
            raise SpecError("low_hz", f"{shown(self.low_hz)} Hz is negative", hint="give 0 or more")
        if self.high_hz is not None and self.high_hz <= self.low_hz:
            raise SpecError(
                "high_hz", f"the upper edge must be above {shown(self.low_hz)} Hz", hint="give a higher one"
            )
        if not 0 < self.level_db <= MOST_DB:
            raise SpecError(
                "level_db", f"{shown(self.level_db)} dB is not above 0", hint=f"give up to {MOST_DB:g} decibel"
            )

    @property
    def title(self) -> str:
        """What the band is called."""
        return "pass band" if self.kind == "pass" else "stop band"

    def most_db(self) -> float:
        """Return the highest level that is allowed."""
        return self.level_db if self.kind == "pass" else -self.level_db

    def least_db(self) -> float:
        """Return the lowest level that is allowed."""
        return -self.level_db if self.kind == "pass" else -inf

    def edges_hz(self, rate_hz: float) -> tuple[float, float]:
        """Return the band as far as a rate has it; it is empty where both are the same."""
        nyquist_hz = rate_hz / 2
        return min(self.low_hz, nyquist_hz), min(nyquist_hz if self.high_hz is None else self.high_hz, nyquist_hz)

    def excess_db(self, levels_db: Floats) -> Floats:
        """Return by how much each level is beyond the limit; below 0 there is room."""
        too_high = levels_db - self.most_db()
        return np.maximum(too_high, self.least_db() - levels_db) if self.kind == "pass" else too_high


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a response keeps to a limit: the worst excess in dB (0 or below is kept), and where it is."""

    limit: Limit
    excess_db: float
    at_hz: float
    #: the worst level is above what is allowed; below it otherwise
    is_high: bool

    @property
    def is_kept(self) -> bool:
        """Whether the limit is kept."""
        return self.excess_db <= SLACK_DB

    def sentence(self) -> str:
        """Return the verdict in words: ``"stop band: 3.2 dB too little at 61 Hz"``."""
        size = f"{abs(self.excess_db):.1f}" if abs(self.excess_db) >= 0.05 else f"{abs(self.excess_db):.2g}"
        if self.is_kept:
            return f"{self.limit.title}: kept, {size} dB to spare"
        what = "too little" if self.limit.kind == "stop" else "too high" if self.is_high else "too low"
        return f"{self.limit.title}: {size} dB {what} at {self.at_hz:.3g} Hz"


def verdicts_on(
    limits: Iterable[Limit], frequencies_hz: Floats, levels_db: Floats, rate_hz: float
) -> tuple[Verdict, ...]:
    """Return how a response keeps to limits.

    Parameters
    ----------
    limits : iterable of Limit
        A band that a rate does not have is left out.
    frequencies_hz, levels_db : ndarray of float64, shape (n_frequencies,)
    rate_hz : float
    """
    found = []
    for limit in limits:
        low_hz, high_hz = limit.edges_hz(rate_hz)
        inside = (frequencies_hz >= low_hz) & (frequencies_hz <= high_hz)
        if low_hz >= high_hz or not inside.any():
            continue
        levels = levels_db[inside]
        excess = limit.excess_db(levels)
        worst = int(np.argmax(excess))
        found.append(
            Verdict(
                limit=limit,
                excess_db=float(excess[worst]),
                at_hz=float(frequencies_hz[inside][worst]),
                is_high=bool(levels[worst] > 0 if limit.kind == "pass" else True),
            )
        )
    return tuple(found)


def edges_of(limits: Iterable[Limit], rate_hz: float) -> list[float]:
    """Return the edges of all bands in Hz, where the worst is most often."""
    return [edge_hz for limit in limits for edge_hz in limit.edges_hz(rate_hz)]


def judge(design: ChainDesign, limits: Sequence[Limit]) -> tuple[Verdict, ...]:
    """Return how a design keeps to limits, on a grid that shows every feature of it."""
    from jaxscope.filters.cutoffs import grid_hz
    from jaxscope.filters.response import magnitude_db

    frequencies = np.unique(np.concatenate([grid_hz(design), edges_of(limits, design.rate_hz)]))
    levels = np.nan_to_num(magnitude_db(design, frequencies), nan=-inf, neginf=-inf)
    return verdicts_on(limits, frequencies, levels, design.rate_hz)


def limit_to_dict(limit: Limit) -> dict[str, Any]:
    """Return a limit as plain JSON values."""
    plain: dict[str, Any] = {"kind": limit.kind, "low_hz": limit.low_hz}
    if limit.high_hz is not None:
        plain["high_hz"] = limit.high_hz
    plain["level_db"] = limit.level_db
    return plain | ({"chain": limit.chain} if limit.chain else {})


def limit_from_dict(content: Any) -> Limit:
    """Return the limit that plain values describe; ChainError says what is wrong."""
    if not isinstance(content, dict) or "kind" not in content:
        raise ChainError(
            f"a limit is {shown(content)}", hint='write {"kind": "stop", "low_hz": 60, "high_hz": 120, "level_db": 40}'
        )
    known = ("kind", "low_hz", "high_hz", "level_db", "chain")
    unknown = [key for key in content if key not in known]
    if unknown:
        raise SpecError(str(unknown[0]), f'a limit has no field "{unknown[0]}"', hint=f"it has {', '.join(known)}")
    chain = content.get("chain", 0)
    if isinstance(chain, bool) or not isinstance(chain, int) or chain < 0:
        raise SpecError("chain", f"chain is {shown(chain)}", hint="give the place of a chain, 0 for the first")
    return Limit(**{key: content[key] for key in known if key in content})


def load_limits(path: str | Path) -> tuple[Limit, ...]:
    """Read a file of limits.

    Raises
    ------
    ChainError
        Where the file is missing or is none.
    """
    source = Path(path)
    content = read_json(source, "file of limits")
    if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
        raise ChainError(
            f"{source.name} is not a file of limits", hint=f'it has "format": "{FORMAT}", "version": {VERSION}'
        )
    limits = content.get("limits")
    if not isinstance(limits, list) or not limits:
        raise ChainError(f"{source.name} has no limits", hint='write them in a list under "limits"')
    return tuple(limit_from_dict(item) for item in limits)
