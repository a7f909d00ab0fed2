"""Filters of finite length: windowed, equiripple, least squares, raised cosine.

The first three are SciPy's ``firwin``, ``remez`` and ``firls``; the raised cosine is a closed form of unit energy
(Proakis, Digital Communications, chapter 9), as MATLAB's ``rcosdesign``.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import Taps
from jaxscope.filters.iir import BANDS, AbstractBandSpec, check_edges, cutoff_knob
from jaxscope.filters.spec import AbstractFilterSpec, Band, check_below_nyquist, knob
from jaxscope.filters.values import shown

MAX_TAPS = 100_001
MAX_OPTIMISED_TAPS = 4001
#: frequencies that an equiripple looks at for each of its free numbers, as many as SciPy does by itself
GRID_DENSITY = 16

#: window names of ``scipy.signal.get_window``, with how many numbers each takes
WINDOWS: dict[str, int] = {
    "hamming": 0, "hann": 0, "blackman": 0, "blackmanharris": 0, "nuttall": 0, "flattop": 0, "bartlett": 0,
    "boxcar": 0, "barthann": 0, "bohman": 0, "cosine": 0, "parzen": 0, "triang": 0, "lanczos": 0,
    "kaiser": 1, "gaussian": 1, "tukey": 1, "chebwin": 1, "general_hamming": 1,
}  # fmt: skip


def taps_knob(default: int, high: int) -> Any:
    """Declare the field of a number of taps."""
    return knob(default, low=1, high=high, step=2, label="Taps", reach=(3, 2001))


def _check_window(window: str | tuple[str, float]) -> None:
    name = window if isinstance(window, str) else window[0]
    if name not in WINDOWS:
        raise SpecError("window", f'window "{name}" is not known', hint=f"choose {', '.join(WINDOWS)}")
    given = 0 if isinstance(window, str) else 1
    if given != WINDOWS[name]:
        hint = f'give ["{name}", number]' if WINDOWS[name] else f'give "{name}" alone'
        raise SpecError("window", f"window {name} takes {WINDOWS[name] or 'no'} number", hint=hint)


@contextmanager
def _unsuitable() -> Iterator[None]:
    """Let SciPy be silent on Chebyshev windows below 45 dB: spectra are not to be seen through them, and are not."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This window is not suitable for spectral analysis", UserWarning)
        yield


def _windowed(taps: int, cutoff: list[float], window: str | tuple[str, float], band: Band, rate_hz: float) -> Any:
    """Return what ``firwin`` makes; SpecError where the window has no samples to divide by, or none that are finite."""
    from scipy.signal import firwin

    try:
        with np.errstate(all="ignore"), _unsuitable() if window[0] == "chebwin" else nullcontext():
            values = firwin(taps, cutoff, window=window, pass_zero=band, fs=rate_hz)
    except OverflowError:
        values = np.array([np.nan])
    if not np.isfinite(values).all():
        name, *number = (window,) if isinstance(window, str) else window
        words = f"{name} with {shown(number[0])}" if number else name
        hint = "choose another number" if taps > 2 and number else "choose more taps"
        raise SpecError("window", f"window {words} is of no use for {taps} taps", hint=hint)
    return values


@dataclass(frozen=True, slots=True, kw_only=True)
class FirWindow(AbstractBandSpec):
    """The ideal filter cut short by a window (``scipy.signal.firwin``); -6 dB at the cutoff."""

    family: ClassVar[str] = "fir_window"
    title: ClassVar[str] = "FIR, windowed"
    summary: ClassVar[str] = "Linear phase, -6 dB at the cutoff; more taps, steeper edge"

    band: Band = knob("lowpass", choices=BANDS)  # noqa: RUF009
    taps: int = taps_knob(101, MAX_TAPS)
    cutoff_hz: float | tuple[float, float] = cutoff_knob()
    window: str | tuple[str, float] = knob("hamming", kind="window")

    def validate(self) -> None:
        check_edges(self.band, self.cutoff_hz)
        _check_window(self.window)
        if self.taps % 2 == 0 and self.band in ("highpass", "bandstop"):
            raise SpecError(
                "taps",
                f"{self.taps} taps cannot pass fs/2, as a {self.band} must",
                hint=f"choose {self.taps - 1} or {self.taps + 1}",
            )

    def with_value(self, name: str, value: Any) -> AbstractFilterSpec:
        if name == "band" and value in ("highpass", "bandstop") and self.taps % 2 == 0:
            return AbstractBandSpec.with_value(replace(self, taps=self.taps + 1), name, value)
        return AbstractBandSpec.with_value(self, name, value)

    def design(self, rate_hz: float) -> Taps:
        self.check(rate_hz)
        cutoff = list(self.edges_hz)
        values = _windowed(self.taps, cutoff, self.window, self.band, rate_hz)
        return Taps(tuple(values.tolist()))


def _check_bands(edges_hz: tuple[float, ...], *, equal_allowed: bool) -> None:
    if len(edges_hz) < 2 or len(edges_hz) % 2:
        raise SpecError(
            "edges_hz", f"edges_hz has {len(edges_hz)} numbers", hint="give pairs: where each band starts and stops"
        )
    for place, (low_hz, high_hz) in enumerate(pairwise(edges_hz)):
        wrong = high_hz < low_hz or (high_hz == low_hz and not (equal_allowed and place % 2))
        if wrong:
            raise SpecError(
                "edges_hz", f"the edge after {shown(low_hz)} Hz must be above it", hint=f"it is {shown(high_hz)} Hz"
            )
    if edges_hz[0] < 0:
        raise SpecError("edges_hz", f"{shown(edges_hz[0])} Hz is below 0", hint="give 0 or more")


def _check_count(name: str, values: tuple[float, ...], wanted: int, what: str) -> None:
    if len(values) != wanted:
        raise SpecError(name, f"{name} has {len(values)} numbers", hint=f"give {wanted}, one {what}")


def _check_weights(weights: tuple[float, ...] | None, n_bands: int) -> None:
    if weights is None:
        return
    _check_count("weights", weights, n_bands, "a band")
    if any(weight <= 0 for weight in weights):
        raise SpecError("weights", "a weight is not above 0", hint="give numbers above 0")


def _check_last_edge(edges_hz: tuple[float, ...], rate_hz: float) -> None:
    if edges_hz[-1] > rate_hz / 2:
        check_below_nyquist("edges_hz", edges_hz[-1], rate_hz)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirEquiripple(AbstractFilterSpec):
    """The least greatest error over the bands (``scipy.signal.remez``, Parks and McClellan 1972)."""

    family: ClassVar[str] = "fir_equiripple"
    title: ClassVar[str] = "FIR, equiripple"
    summary: ClassVar[str] = "The same ripple throughout each band: fewest taps for a given attenuation"

    taps: int = taps_knob(101, MAX_OPTIMISED_TAPS)
    edges_hz: tuple[float, ...] = knob((0.0, 40.0, 50.0, 100.0), unit="Hz", label="Bands")
    gains: tuple[float, ...] = knob((1.0, 0.0), low=-1e6, high=1e6)
    weights: tuple[float, ...] | None = knob(None, low=0.0, high=1e9, kind="numbers", optional=True)
    kind: Literal["bandpass", "differentiator", "hilbert"] = knob(
        "bandpass", choices=("bandpass", "differentiator", "hilbert")
    )

    def validate(self) -> None:
        _check_bands(self.edges_hz, equal_allowed=False)
        _check_count("gains", self.gains, len(self.edges_hz) // 2, "a band")
        _check_weights(self.weights, len(self.edges_hz) // 2)
        if self.taps < 3:
            raise SpecError("taps", f"{self.taps} taps are too few to optimise", hint="choose 3 or more")

    def check(self, rate_hz: float) -> None:
        _check_last_edge(self.edges_hz, rate_hz)
        n_free = self.taps // 2 + (self.taps % 2 if self.kind == "bandpass" else 0)
        if self._grid_points(rate_hz, n_free) < n_free + 2:
            raise SpecError(
                "edges_hz",
                f"the bands are too narrow to optimise {self.taps} taps at {shown(rate_hz)} Hz",
                hint="widen a band, or choose fewer taps",
            )

    def _grid_points(self, rate_hz: float, n_free: int) -> int:
        """Return on how many frequencies SciPy looks; with fewer than it has free numbers it leaves its own memory.

        As in its source: steps of an equal length through each band, where taps change sign none before the first step.
        """
        step_hz = rate_hz / 2 / (GRID_DENSITY * n_free)
        n_points = 0
        for place in range(0, len(self.edges_hz), 2):
            low_hz, high_hz = self.edges_hz[place : place + 2]
            if place == 0 and self.kind != "bandpass":
                low_hz = max(low_hz, step_hz)
            n_points += max(0, math.floor((high_hz - low_hz) / step_hz) + 1)
        return n_points

    def design(self, rate_hz: float) -> Taps:
        from scipy.signal import remez

        self.check(rate_hz)
        try:
            values = remez(
                self.taps,
                self.edges_hz,
                self.gains,
                weight=self.weights,
                type=self.kind,
                fs=rate_hz,
                maxiter=100,
                grid_density=GRID_DENSITY,
            )
        except ValueError as error:
            raise SpecError(
                "taps", f"no equiripple filter was found: {error}", hint="change the taps or the bands"
            ) from error
        if not np.isfinite(values).all():
            raise SpecError("taps", "no equiripple filter was found", hint="change the taps or the bands")
        return Taps(tuple(values.tolist()))


@dataclass(frozen=True, slots=True, kw_only=True)
class FirLeastSquares(AbstractFilterSpec):
    """The least squared error over the bands (``scipy.signal.firls``): a gain at each edge, straight between."""

    family: ClassVar[str] = "fir_least_squares"
    title: ClassVar[str] = "FIR, least squares"
    summary: ClassVar[str] = "The least squared error over the bands"

    taps: int = taps_knob(101, MAX_OPTIMISED_TAPS)
    edges_hz: tuple[float, ...] = knob((0.0, 40.0, 50.0, 100.0), unit="Hz", label="Bands")
    gains: tuple[float, ...] = knob((1.0, 1.0, 0.0, 0.0), low=0.0, high=1e6)
    weights: tuple[float, ...] | None = knob(None, low=0.0, high=1e9, kind="numbers", optional=True)

    def validate(self) -> None:
        _check_bands(self.edges_hz, equal_allowed=True)
        _check_count("gains", self.gains, len(self.edges_hz), "an edge")
        _check_weights(self.weights, len(self.edges_hz) // 2)
        if self.taps % 2 == 0:
            raise SpecError(
                "taps", f"{self.taps} taps have no middle", hint=f"choose {self.taps - 1} or {self.taps + 1}"
            )

    def check(self, rate_hz: float) -> None:
        _check_last_edge(self.edges_hz, rate_hz)

    def design(self, rate_hz: float) -> Taps:
        from scipy.signal import firls

        self.check(rate_hz)
        try:
            values = firls(self.taps, self.edges_hz, self.gains, weight=self.weights, fs=rate_hz)
        except (ValueError, np.linalg.LinAlgError) as error:
            hint = "change the taps or the bands"
            raise SpecError("taps", f"no least-squares filter was found: {error}", hint=hint) from error
        if not np.isfinite(values).all():
            raise SpecError("taps", "no least-squares filter was found", hint="change the taps or the bands")
        return Taps(tuple(values.tolist()))


def _raised(time: float, rolloff: float) -> float:
    """Return the raised cosine pulse; ``time`` in symbols."""
    edge = 2 * rolloff * time
    if abs(1 - abs(edge)) < 1e-9:
        return math.pi / 4 * float(np.sinc(1 / (2 * rolloff)))
    return float(np.sinc(time)) * math.cos(math.pi * rolloff * time) / (1 - edge * edge)


def _root_raised(time: float, rolloff: float) -> float:
    """Return the square-root raised cosine pulse; ``time`` in symbols."""
    if abs(time) < 1e-12:
        return 1 + rolloff * (4 / math.pi - 1)
    edge = 4 * rolloff * time
    if abs(1 - abs(edge)) < 1e-9:
        angle = math.pi / (4 * rolloff)
        return rolloff / math.sqrt(2) * ((1 + 2 / math.pi) * math.sin(angle) + (1 - 2 / math.pi) * math.cos(angle))
    top = math.sin(math.pi * time * (1 - rolloff)) + edge * math.cos(math.pi * time * (1 + rolloff))
    return top / (math.pi * time * (1 - edge * edge))


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedCosine(AbstractFilterSpec):
    """The pulse of data links, whole or its square root, of unit energy."""

    family: ClassVar[str] = "raised_cosine"
    title: ClassVar[str] = "Raised cosine"
    summary: ClassVar[str] = "The pulse of data links: no echo at the symbols around"

    taps: int = taps_knob(65, MAX_TAPS)
    symbol_rate_hz: float = knob(
        25.0, low=1e-9, unit="Hz", log=True, step=0.05, label="Symbol rate", reach=(0.01, math.inf)
    )
    rolloff: float = knob(0.25, low=0.0, high=1.0, step=0.05, label="Roll-off")
    root: bool = knob(default=False, label="Square root")

    def check(self, rate_hz: float) -> None:
        check_below_nyquist("symbol_rate_hz", self.symbol_rate_hz / 2, rate_hz)

    def design(self, rate_hz: float) -> Taps:
        self.check(rate_hz)
        pulse = _root_raised if self.root else _raised
        middle = (self.taps - 1) / 2
        values = [pulse((place - middle) * self.symbol_rate_hz / rate_hz, self.rolloff) for place in range(self.taps)]
        energy = math.sqrt(math.fsum(value * value for value in values))
        return Taps(tuple(value / energy for value in values))
