"""The sentence that a paper needs: type, order, cutoff and its definition, roll-off, ripple, delay, direction.

It follows what Widmann, Schröger and Maess ask for (Digital filter design for electrophysiological data, 2015). Every
number is taken from the coefficients as they run, for the passes in use, and not from what was wished.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from jaxscope.errors import counted
from jaxscope.filters.coefficients import ChainDesign, Sections, Taps
from jaxscope.filters.cutoffs import HALF_AMPLITUDE_DB, HALF_POWER_DB, crossings_hz
from jaxscope.filters.design import design_chain
from jaxscope.filters.response import group_delay_samples, magnitude_db
from jaxscope.filters.settling import settling_s
from jaxscope.filters.spec import AbstractFilterSpec, FilterChain, Stage
from jaxscope.filters.stability import is_stable, pole_radius

BAND_WORDS = {"lowpass": "low-pass", "highpass": "high-pass", "bandpass": "band-pass", "bandstop": "band-stop"}
DB_PER_OCTAVE = 20 * np.log10(2.0)
OCTAVE_POINTS = 513
#: families whose edge falls at order times 6.02 dB an octave
_SLOPED = ("butterworth", "chebyshev1", "bessel")


def hertz(values: float | tuple[float, ...], digits: int = 7) -> str:
    """Return frequencies as words, without exponents.

    Examples
    --------
    >>> hertz(1000.5), hertz((1.0, 12345.678)), hertz(12345.678, digits=4)
    ('1000.5 Hz', '1 and 12345.68 Hz', '12350 Hz')
    """
    several = values if isinstance(values, tuple) else (values,)
    texts = [np.format_float_positional(float(f"{value:.{digits}g}"), trim="-") for value in several]
    if len(texts) > 2:
        texts = [", ".join(texts[:-1]), texts[-1]]
    return f"{' and '.join(texts)} Hz"


def seconds(value_s: float) -> str:
    """Return a duration as words: "2.1 s", "18 ms"."""
    return f"{value_s:.3g} s" if value_s >= 1 else f"{value_s * 1e3:.3g} ms"


#: what the edge of a family is, as a paper must say
EDGES = {
    "butterworth": "half-power cutoff",
    "chebyshev1": "cutoff where the ripple ends",
    "chebyshev2": "stop-band edge",
    "elliptic": "cutoff where the ripple ends",
    "bessel": "cutoff",
}


def roll_off_db_per_octave(spec: AbstractFilterSpec, passes: int = 1) -> float | None:
    """Return how steeply a classical family falls far from its edge, None where that has no one answer."""
    if spec.family not in _SLOPED:
        return None
    order: int = getattr(spec, "order")  # noqa: B009  (declared by these families only)
    return float(order * DB_PER_OCTAVE * passes)


def octave_fall_db(spec: AbstractFilterSpec, design: ChainDesign) -> float | None:
    """Return by how much the response falls from its −3 dB point to an octave beyond, for the passes in use.

    None where the spec has no single edge to fall from, or the octave does not fit below half the rate. Where it goes
    on beyond a zero, the highest level from there to the end of the octave's stop band counts, not the zero.
    """
    band = getattr(spec, "band", None)
    if band not in ("lowpass", "highpass"):
        return None
    (half_power,) = crossings_hz(design, (HALF_POWER_DB,))
    if len(half_power) != 1:
        return None
    edge_hz = half_power[0]
    nyquist_hz = design.rate_hz / 2
    beyond = (
        np.linspace(2 * edge_hz, nyquist_hz, OCTAVE_POINTS)
        if band == "lowpass"
        else np.linspace(0, edge_hz / 2, OCTAVE_POINTS)
    )
    if band == "lowpass" and 2 * edge_hz >= nyquist_hz:
        return None
    at_edge = float(magnitude_db(design, [edge_hz])[0])
    return at_edge - float(np.max(magnitude_db(design, beyond)))


def _classical(spec: Any) -> str:
    extras = []
    if spec.family in ("chebyshev1", "elliptic"):
        extras.append(f"{spec.ripple_db:g} dB pass-band ripple")
    if spec.family in ("chebyshev2", "elliptic"):
        extras.append(f"{spec.attenuation_db:g} dB stop-band attenuation")
    if spec.family == "bessel":
        extras.append(f"normalised for {spec.norm}")
    tail = f", {', '.join(extras)}" if extras else ""
    edge = EDGES[spec.family]
    poles = spec.order * (2 if spec.band in ("bandpass", "bandstop") else 1)
    plural = "s" if len(spec.edges_hz) > 1 else ""
    return (
        f"{spec.title} {BAND_WORDS[spec.band]} of order {spec.order} ({poles} poles, "
        f"{edge.replace('cutoff', f'cutoff{plural}').replace('edge', f'edge{plural}')} {hertz(spec.edges_hz)}{tail})"
    )


def _windowed(spec: Any) -> str:
    window = spec.window if isinstance(spec.window, str) else f"{spec.window[0]} ({spec.window[1]:g})"
    plural = "s" if len(spec.edges_hz) > 1 else ""
    return (
        f"windowed-sinc FIR {BAND_WORDS[spec.band]} ({spec.taps} taps, {window} window, "
        f"cutoff{plural} {hertz(spec.edges_hz)} at −6 dB)"
    )


def _optimal(spec: Any) -> str:
    kind = "equiripple" if spec.family == "fir_equiripple" else "least-squares"
    return f"{kind} FIR ({spec.taps} taps, band edges {hertz(spec.edges_hz)})"


def _resonant(spec: Any) -> str:
    gain_db = getattr(spec, "gain_db", None)
    gain = f", {gain_db:+g} dB" if gain_db is not None else ""
    return f"{spec.title.lower()} at {hertz(spec.frequency_hz)} (Q {spec.q:g}{gain})"


def _pulse(spec: Any) -> str:
    root = "square-root raised cosine" if spec.root else "raised cosine"
    return f"{root} FIR ({spec.taps} taps, {spec.symbol_rate_hz:g} symbols a second, roll-off {spec.rolloff:g})"


def _gained(spec: Any) -> str:
    return f"gain of {spec.gain_db:g} dB" if spec.gain_db is not None else f"gain of {spec.factor:g}"


def _manual(spec: Any) -> str:
    counts = {
        "sections": lambda: counted(len(spec.rows), "second-order section"),
        "transfer_function": lambda: f"transfer function of order {max(len(spec.a), len(spec.b)) - 1}",
        "zpk": lambda: f"filter of {counted(len(spec.zeros), 'zero')} and {counted(len(spec.poles), 'pole')}",
        "taps": lambda: f"FIR of {counted(len(spec.values), 'tap')}",
    }
    return f"{counts[spec.family]()} given as numbers"


PHRASES: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("butterworth", "chebyshev1", "chebyshev2", "elliptic", "bessel"), _classical),
    **dict.fromkeys(("notch", "peak", "low_shelf", "high_shelf", "allpass"), _resonant),
    "comb": lambda spec: f"comb ({spec.kind}) at {hertz(spec.frequency_hz)} and its multiples (Q {spec.q:g})",
    "weighting": lambda spec: f"{spec.curve}-weighting",
    "fir_window": _windowed,
    **dict.fromkeys(("fir_equiripple", "fir_least_squares"), _optimal),
    "raised_cosine": _pulse,
    "savitzky_golay": lambda spec: f"Savitzky–Golay smoother ({spec.window} samples, degree {spec.polynomial})",
    "moving_average": lambda spec: f"moving average of {spec.window} samples",
    "median": lambda spec: f"running median of {spec.window} samples",
    "gain": _gained,
    "delay": lambda spec: f"delay of {spec.samples} samples",
    **dict.fromkeys(("sections", "transfer_function", "zpk", "taps"), _manual),
}


def stage_phrase(stage: Stage, rate_hz: float, *, passes: int = 1) -> str:
    """Return one stage as it stands in the sentence, with its real points for the passes in use."""
    spec = stage.spec
    phrase = PHRASES[spec.family](spec) if spec.family in PHRASES else spec.title
    slope = roll_off_db_per_octave(spec, passes)
    if slope is not None:
        phrase += f", roll-off {slope:.0f} dB/octave asymptotically"
    if spec.family in ("weighting", "gain", "delay", "median", "allpass", "comb"):
        return phrase
    alone = FilterChain(phase="zero" if passes == 2 else "causal", stages=(replace(stage, enabled=True),))
    design = design_chain(alone, rate_hz)
    if not is_stable(design.parts):  # a response that never settles has no corner frequencies
        return phrase
    fall_db = octave_fall_db(spec, design) if slope is None else None
    if fall_db is not None:
        phrase += f", falling by {fall_db:.0f} dB or more beyond an octave"
    half_power, half_amplitude = crossings_hz(design, (HALF_POWER_DB, HALF_AMPLITUDE_DB))
    points = [
        f"{name} at {hertz(found, digits=4)}"
        for name, found in (("−3 dB", half_power), ("−6 dB", half_amplitude))
        if 0 < len(found) <= 2
    ]
    return f"{phrase}, {', '.join(points)}" if points else phrase


DIRECTIONS = {
    "causal": "applied forward once (causal)",
    "zero": "applied forward and backward (zero phase: attenuation doubled; the points named hold for both passes)",
    "minimum": "turned to minimum phase and applied forward once (causal)",
}


def _structure(design: ChainDesign) -> str:
    n_sections = sum(len(part.rows) for part in design.parts if isinstance(part, Sections))
    n_taps = [len(part.values) for part in design.parts if isinstance(part, Taps)]
    words = []
    if n_sections:
        words.append(counted(n_sections, "second-order section"))
    words.extend(counted(count, "tap") for count in n_taps)
    return f" as {' and '.join(words)}" if words else ""


def _timing(design: ChainDesign) -> str:
    if not is_stable(design.parts):
        return f" It is unstable: the outermost pole is at radius {pole_radius(design.parts):.6g}."
    ringing = f" 99.99 % of the energy of its impulse response lies within {seconds(settling_s(design))}"
    if design.phase == "zero":
        return f"{ringing} on either side; there is no delay."
    taps = [part for part in design.parts if isinstance(part, Taps)]
    if taps and len(taps) == len(design.parts):
        delay = group_delay_samples(design, np.linspace(0.01, 0.4, 8) * design.rate_hz)
        if np.isfinite(delay).all() and np.ptp(delay) < 1e-6:
            samples = float(np.mean(delay))
            return f"{ringing}; it delays by {samples:g} samples ({seconds(samples / design.rate_hz)})."
    return f"{ringing}; its delay depends on frequency{_delays(design)}."


def _delays(design: ChainDesign) -> str:
    """Return the range of the group delay where the response is within 3 dB of its top, as words."""
    frequency_hz = np.linspace(0, design.rate_hz / 2, OCTAVE_POINTS)[1:-1]
    levels = magnitude_db(design, frequency_hz)
    delays = group_delay_samples(design, frequency_hz)
    passed = np.isfinite(levels) & np.isfinite(delays)
    passed &= levels >= np.max(levels[passed], initial=-np.inf) + HALF_POWER_DB
    if not passed.any():
        return ""
    low, high = (float(value) / design.rate_hz for value in (delays[passed].min(), delays[passed].max()))
    return f", from {_signed(low)} to {_signed(high)} in the pass band"


def _signed(value_s: float) -> str:
    return f"{'−' if value_s < 0 else ''}{seconds(abs(value_s))}"


def report(chain: FilterChain, rate_hz: float) -> str:
    """Return the sentences for a paper about a chain at a rate.

    Raises
    ------
    SpecError
        Where the chain does not fit the rate.
    """
    design = design_chain(chain, rate_hz)
    stages = chain.active_stages
    if not stages:
        return f"The signals, sampled at {hertz(rate_hz)}, were not filtered."
    passes = 2 if chain.phase == "zero" else 1
    listed = "; ".join(stage_phrase(stage, rate_hz, passes=passes) for stage in stages)
    return (
        f"The signals, sampled at {hertz(rate_hz)}, were filtered with: {listed}; "
        f"run{_structure(design)}, {DIRECTIONS[chain.phase]}.{_timing(design)}"
    )
