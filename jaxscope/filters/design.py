"""From a chain and a rate to what the engine runs: ``design_chain``.

The invariant: the parts, run one after the other, are the active stages run one after the other. Neighbours of one
kind are joined, so that a chain of sections is one cascade and one program. Each stage is designed once and kept, so
moving one knob costs the design of one stage.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections, Taps
from jaxscope.filters.minimum import minimum_phase
from jaxscope.filters.spec import AbstractFilterSpec, FilterChain
from jaxscope.filters.stability import integrates

#: products of lengths above which taps are convolved through the FFT
MAX_DIRECT_PRODUCT = 20_000_000

INTEGRATOR_WARNING = "pole at z = 1: no steady state, so it starts from rest"


@lru_cache(maxsize=1024)
def design_stage(spec: AbstractFilterSpec, rate_hz: float) -> tuple[Realisation, ...]:
    """Return one stage's parts at a rate, kept for the next time.

    Raises
    ------
    SpecError
        Where the spec does not fit the rate.
    """
    spec.check(rate_hz)
    return spec.parts(rate_hz)


@lru_cache(maxsize=256)
def _minimum_stage(spec: AbstractFilterSpec, rate_hz: float) -> tuple[Realisation, ...]:
    return tuple(minimum_phase(part) for part in design_stage(spec, rate_hz))


def stage_parts(spec: AbstractFilterSpec, rate_hz: float, phase: str) -> tuple[Realisation, ...]:
    """Return one stage's parts as a chain of that phase runs them."""
    return _minimum_stage(spec, rate_hz) if phase == "minimum" else design_stage(spec, rate_hz)


@lru_cache(maxsize=256)
def design_chain(chain: FilterChain, rate_hz: float) -> ChainDesign:
    """Return the active stages of a chain as coefficients at one rate.

    Parameters
    ----------
    chain : FilterChain
    rate_hz : float
        Sampling rate of the channels that it is for.

    Returns
    -------
    ChainDesign
        Neighbouring sections joined, neighbouring taps convolved, minimum phase worked in.

    Raises
    ------
    SpecError
        Where an active stage does not fit the rate.

    Examples
    --------
    >>> from jaxscope.filters.simple import Gain
    >>> from jaxscope.filters.spec import Stage
    >>> design_chain(FilterChain(stages=(Stage(spec=Gain(gain=2.0)), Stage(spec=Gain(gain=3.0)))), 100.0).parts
    (Taps(values=(6.0,), runs_once=False),)
    """
    parts: list[Realisation] = []
    warnings: list[str] = []
    for stage in chain.active_stages:
        parts.extend(stage_parts(stage.spec, rate_hz, chain.phase))
        warnings.extend(stage.spec.warnings(rate_hz))
    merged = merge(parts)
    phase = "zero" if chain.phase == "zero" else "causal"
    if phase == "causal" and chain.initial == "steady" and any(map(has_integrator, merged)):
        warnings.append(INTEGRATOR_WARNING)
    return ChainDesign(
        rate_hz=rate_hz,
        parts=merged,
        phase=phase,
        initial=chain.initial,
        padding_kind=chain.padding.kind,
        padding_samples=chain.padding.samples,
        gaps=chain.gaps,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def has_integrator(part: Realisation) -> bool:
    """Return whether a section has a pole at z = 1, so that a constant has no steady state."""
    return isinstance(part, Sections) and any(map(integrates, part.rows))


def merge(parts: Iterable[Realisation]) -> tuple[Realisation, ...]:
    """Return the parts with neighbours of one kind joined and plain gains folded into a neighbour."""
    merged: list[Realisation] = []
    for part in parts:
        joined = _join(merged[-1], part) if merged else None
        if joined is None:
            merged.append(part)
        else:
            merged[-1] = joined
    kept = [part for part in merged if not _is_identity(part)]
    return tuple(kept) if len(kept) == len(merged) else merge(kept)


def _is_identity(part: Realisation) -> bool:
    match part:
        case Taps():
            return part.values == (1.0,)
        case RunningMedian():
            return part.window == 1
        case Sections():
            return all(row == (1.0, 0.0, 0.0, 1.0, 0.0, 0.0) for row in part.rows)


def _join(first: Realisation, second: Realisation) -> Realisation | None:
    """Return two neighbours as one part, or None where they must stay apart."""
    if isinstance(first, Sections) and isinstance(second, Sections):
        return Sections(first.rows + second.rows)
    if isinstance(first, Taps) and isinstance(second, Taps):
        if not first.runs_once and not second.runs_once:
            return Taps(tuple(_convolved(first.to_array(), second.to_array()).tolist()))
        return None
    for gain, other in ((first, second), (second, first)):
        if isinstance(gain, Taps) and len(gain.values) == 1 and not gain.runs_once and isinstance(other, Sections):
            return _scaled(other, gain.values[0])
    return None


def _scaled(sections: Sections, gain: float) -> Sections:
    b0, b1, b2, *a = sections.rows[0]
    return Sections(((b0 * gain, b1 * gain, b2 * gain, a[0], a[1], a[2]), *sections.rows[1:]))


def _convolved(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the convolution; leading zeros (delays) are shifted, never multiplied."""
    shift = 0
    cores = []
    for taps in (first, second):
        filled = np.flatnonzero(taps)
        if filled.size == 0:
            return np.zeros(first.size + second.size - 1)
        shift += int(filled[0])
        cores.append(taps[filled[0] : filled[-1] + 1])
    if cores[0].size * cores[1].size <= MAX_DIRECT_PRODUCT:
        core = np.convolve(cores[0], cores[1])
    else:
        size = cores[0].size + cores[1].size - 1
        n_points = 1 << (size - 1).bit_length()
        core = np.fft.irfft(np.fft.rfft(cores[0], n_points) * np.fft.rfft(cores[1], n_points), n_points)[:size]
    result = np.zeros(first.size + second.size - 1)
    result[shift : shift + core.size] = core
    return result
