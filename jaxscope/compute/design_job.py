"""What the active chain is, for the dock: curves, coefficients, handles and facts, at the rate of its channels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from jaxscope.compute.designs import Refusal, chain_numbers, design_or_refusal, radius_of_parts
from jaxscope.compute.frames import DesignFrame, StageCurve
from jaxscope.compute.scheduler import CancelToken, Steps
from jaxscope.compute.workbench import Workbench
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import Realisation, RunningMedian, Sections, Taps
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.state import SessionState

FloatArray = npt.NDArray[np.float64]
#: Rate of the curves while no recording is open.
DEFAULT_RATE_HZ = 256.0
LOWEST_HZ = 0.12
POINTS = 512


def design_work(
    bench: Workbench, state: SessionState, revision: int, info: RecordingInfo | None
) -> Callable[[CancelToken], Steps | None]:
    """Return the work that delivers the DesignFrame of the active chain."""

    def work(_token: CancelToken) -> None:
        frame = design_frame(state, revision, info)
        if frame is not None:
            bench.deliver(frame)

    return work


def rate_of_chain(state: SessionState, info: RecordingInfo | None) -> float:
    """Return the rate of most channels of the active chain."""
    if info is None:
        return DEFAULT_RATE_HZ
    channels = [number for number, channel in enumerate(info.channels) if channel.is_data and channel.rate_hz]
    numbers = chain_numbers(state.document.chains, info, channels)
    rates = [
        info.channels[channel].rate_hz
        for channel, chain in zip(channels, numbers, strict=True)
        if chain == state.viewport.active_chain
    ] or [info.channels[channel].rate_hz for channel in channels]
    known = [rate for rate in rates if rate]
    return max(set(known), key=known.count) if known else DEFAULT_RATE_HZ


def design_frame(state: SessionState, revision: int, info: RecordingInfo | None) -> DesignFrame | None:
    """Return the frame of the active chain, or None where there is no chain."""
    number = state.viewport.active_chain
    if not 0 <= number < len(state.document.chains):
        return None
    chain = state.document.chains[number]
    rate_hz = rate_of_chain(state, info)
    frequencies = np.geomspace(min(LOWEST_HZ, rate_hz / 1000), rate_hz / 2, POINTS)
    passes = 2 if chain.phase == "zero" else 1
    stages = tuple(_stage_curve(stage, rate_hz, frequencies) for stage in chain.stages)
    made = design_or_refusal(chain, rate_hz)
    total = np.zeros_like(frequencies)
    for stage, curve in zip(chain.stages, stages, strict=True):
        if stage.enabled and curve.magnitude_db.size:
            total = total + curve.magnitude_db
    radius = max((curve.pole_radius for curve, s in zip(stages, chain.stages, strict=True) if s.enabled), default=0.0)
    return DesignFrame(
        revision=revision,
        chain=number,
        rate_hz=rate_hz,
        frequencies_hz=frequencies,
        magnitude_db=total * passes,
        stages=stages,
        handles=(),
        is_stable=radius <= 1.0,
        pole_radius=radius,
        delay_text="No delay" if chain.phase == "zero" else "",
        report="",
        warnings=() if isinstance(made, Refusal) else made.warnings,
    )


def _stage_curve(stage: Stage, rate_hz: float, frequencies: FloatArray) -> StageCurve:
    from jaxscope.filters.design import design_stage

    title = stage.name or type(stage.spec).title
    try:
        parts = design_stage(stage.spec, rate_hz)
    except SpecError as error:
        return StageCurve(
            title=title,
            subtitle="",
            magnitude_db=np.zeros(0),
            realisation=None,
            b=(),
            a=(),
            facts=(),
            is_stable=True,
            pole_radius=0.0,
            problem=error.sentence(),
            problem_field=error.field,
        )
    radius = radius_of_parts(parts)
    b, a = _polynomials(parts)
    return StageCurve(
        title=title,
        subtitle="",
        magnitude_db=_decibels(parts, frequencies, rate_hz),
        realisation=parts[0] if parts else None,
        b=b,
        a=a,
        facts=(),
        is_stable=radius <= 1.0,
        pole_radius=radius,
    )


def _decibels(parts: tuple[Realisation, ...], frequencies: FloatArray, rate_hz: float) -> FloatArray:
    z = np.exp(-2j * np.pi * frequencies / rate_hz)
    gain = np.ones(frequencies.size, dtype=complex)
    for part in parts:
        match part:
            case Sections():
                for b0, b1, b2, _, a1, a2 in part.rows:
                    gain = gain * (b0 + z * (b1 + z * b2)) / (1.0 + z * (a1 + z * a2))
            case Taps():
                gain = gain * np.polyval(part.to_array()[::-1], z)
            case RunningMedian():
                pass
    return 20.0 * np.log10(np.maximum(np.abs(gain), 1e-15))


def _polynomials(parts: tuple[Realisation, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    b, a = np.ones(1), np.ones(1)
    for part in parts:
        match part:
            case Sections():
                for row in part.rows:
                    b, a = np.convolve(b, row[:3]), np.convolve(a, row[3:])
            case Taps():
                b = np.convolve(b, part.to_array())
            case RunningMedian():
                return (), ()
    return tuple(b.tolist()), tuple(a.tolist())


__all__ = ["FilterChain", "design_frame", "design_work", "rate_of_chain"]
