"""The facts under a form, each with how it is worked out. All come from the coefficients, for the passes in use."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jaxscope.errors import counted
from jaxscope.filters.coefficients import ChainDesign, RunningMedian, Sections, Taps
from jaxscope.filters.cutoffs import HALF_AMPLITUDE_DB, HALF_POWER_DB, crossings_hz, peak_of
from jaxscope.filters.design import design_chain
from jaxscope.filters.report import octave_fall_db, roll_off_db_per_octave, seconds
from jaxscope.filters.response import group_delay_samples, magnitude_db
from jaxscope.filters.settling import ringing_s, settling_s
from jaxscope.filters.shapes import short_hz
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.filters.stability import pole_radius, stability_margin

#: part of its ringing within which a filter must have let nearly all energy pass, to be one that lets it pass at once
_AT_ONCE = 0.25
MAX_LISTED = 2
#: what is left of a zero on the circle after rounding
NOTHING_DB = -250.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A caption over a value, and the sentence of its tooltip."""

    label: str
    value: str
    tip: str


def _level_words(level_db: float) -> str:
    if level_db < NOTHING_DB:
        return "−∞ dB"
    text = f"{level_db:.1f}".removesuffix(".0").replace("-", "−")
    return f"{'0' if text == '−0' else text} dB"


def _frequencies(values_hz: tuple[float, ...]) -> str:
    return f"{' · '.join(map(short_hz, values_hz))} Hz"


def _stated(spec: Any) -> tuple[float, ...]:
    cutoff = getattr(spec, "cutoff_hz", None)
    cutoff = cutoff if cutoff is not None else getattr(spec, "frequency_hz", None)
    if cutoff is None:
        return ()
    return cutoff if isinstance(cutoff, tuple) else (cutoff,)


def reference_hz(stage: Stage, design: ChainDesign) -> float:
    """Return a frequency that the stage is meant to pass, at which its delay is named."""
    spec: Any = stage.spec
    stated = _stated(spec)
    nyquist_hz = design.rate_hz / 2
    match getattr(spec, "band", None):
        case "lowpass":
            return stated[0] / 4
        case "highpass":
            return min(4 * stated[0], (stated[0] + nyquist_hz) / 2)
        case "bandpass":
            return math.sqrt(stated[0] * stated[1])
        case "bandstop":
            return stated[0] / 4
        case _ if spec.family in ("notch", "comb"):
            return stated[0] / 4
        case _:  # what has a frequency is named there; of smoothers and numbers the highest point is
            return stated[0] if stated else peak_of(design)[0]


def delay_words(design: ChainDesign, frequency_hz: float) -> str:
    """Return the delay at a frequency as words, "No delay" in zero phase."""
    if design.phase == "zero":
        return "No delay"
    samples = float(group_delay_samples(design, [frequency_hz])[0])
    if not math.isfinite(samples):
        return "–"
    delay_s = samples / design.rate_hz
    sign = "−" if delay_s < 0 else ""
    return f"{sign}{seconds(abs(delay_s))} at {short_hz(frequency_hz)} Hz"


def _size_words(design: ChainDesign) -> str:
    rows = [row for part in design.parts if isinstance(part, Sections) for row in part.rows]
    words = []
    if rows:
        n_poles = sum((row[4] != 0) + (row[5] != 0) if row[5] == 0 else 2 for row in rows)
        words.append(f"{counted(n_poles, 'pole')}, {counted(len(rows), 'section')}")
    words.extend(f"{len(part.values)} taps" for part in design.parts if isinstance(part, Taps))
    words.extend(f"{part.window} samples" for part in design.parts if isinstance(part, RunningMedian))
    return ", ".join(words) or "Nothing to run"


def facts(stage: Stage, rate_hz: float, phase: str) -> tuple[Fact, ...]:
    """Return the facts about one stage as a chain of this phase runs it.

    Raises
    ------
    SpecError
        The stage does not fit the rate.
    """
    alone = FilterChain(phase=phase, stages=(replace(stage, enabled=True),))  # type: ignore[arg-type]
    design = design_chain(alone, rate_hz)
    is_zero = phase == "zero"
    passes = " after both passes" if is_zero else ""
    found = _levels(stage, design, passes)
    settling, *others = _ringing(stage, design, passes)
    margin = [fact for fact in others if fact.label == "Stability margin"]
    found += [settling, *margin]
    slope = roll_off_db_per_octave(stage.spec, 2 if is_zero else 1)
    if slope is not None:
        found.append(
            Fact(
                label="Roll-off", value=f"{slope:.0f} dB/octave", tip=f"How steeply it falls far from the edge{passes}"
            )
        )
    else:
        found += _measured_roll_off(stage, design, passes)
    found += [fact for fact in others if fact not in margin]
    found.append(
        Fact(label="Realised as", value=_size_words(design), tip="What runs; a band filter has twice the poles")
    )
    return tuple(found)


def _measured_roll_off(stage: Stage, design: ChainDesign, passes: str) -> list[Fact]:
    """Return by how much a band falls in the octave beyond its edge, where no order tells it."""
    fall_db = octave_fall_db(stage.spec, design)
    if fall_db is None:
        return []
    tip = f"From the real −3 dB point to an octave beyond it{passes}, from the coefficients"
    return [Fact(label="Roll-off", value=f"{fall_db:.0f} dB in an octave", tip=tip)]


def _levels(stage: Stage, design: ChainDesign, passes: str) -> list[Fact]:
    """Return the level at the stated frequency and the real -3 dB points; where they are one, -6 dB besides."""
    both = ", both passes" if passes else ""
    found: list[Fact] = []
    stated = _stated(stage.spec)
    if stated:
        level = _level_words(float(np.max(magnitude_db(design, stated))))
        tip = f"The level at the stated frequency{passes}, from the coefficients"
        found.append(Fact(label=f"{level}{both}", value=_frequencies(stated), tip=tip))
    half_power, half_amplitude = crossings_hz(design, (HALF_POWER_DB, HALF_AMPLITUDE_DB))
    real = Fact(
        label=f"−3 dB{both}",
        value=_frequencies(half_power),
        tip=f"Where the power is really half of the highest{passes}",
    )
    if not 0 < len(half_power) <= MAX_LISTED:
        return found
    if any((fact.label, fact.value) == (real.label, real.value) for fact in found):
        tip = f"Where the amplitude is half of the highest{passes}"
        if 0 < len(half_amplitude) <= MAX_LISTED:
            found.append(Fact(label=f"−6 dB{both}", value=_frequencies(half_amplitude), tip=tip))
        return found
    return [*found, real]


def _ringing(stage: Stage, design: ChainDesign, passes: str) -> list[Fact]:
    settles_s, rings_s = settling_s(design), ringing_s(design)
    tip = "Until 99.99 % of the energy of its impulse response has passed"
    passes_at_once = math.isfinite(rings_s) and settles_s < rings_s * _AT_ONCE
    if passes_at_once:
        # a notch or high-pass far below the rate: what passes is there at once, what it takes out goes slowly
        settles_s, tip = rings_s, "Until its slowest pole has decayed to 1 %; what it lets pass is there at once"
    value = seconds(settles_s) if math.isfinite(settles_s) else "Never"
    late, _, at = delay_words(design, reference_hz(stage, design)).partition(" at ")
    found = [
        Fact(label="Settles within", value=value, tip=tip),
        Fact(
            label=f"Delay at {at}" if at else "Delay",
            value=late,
            tip="How late a wave of this frequency comes out" if design.phase != "zero" else "Both passes cancel it",
        ),
    ]
    if pole_radius(design.parts) > 0:
        value = seconds(rings_s) if math.isfinite(rings_s) else "For ever"
        if not passes_at_once:
            found.append(Fact(label="Rings for", value=value, tip="Until the slowest pole has decayed to 1 %"))
        margin = f"{stability_margin(design.parts):.3g}".replace("-", "−")
        tip = "1 less the radius of the outermost pole; stable above 0"
        found.append(Fact(label="Stability margin", value=margin, tip=tip))
    return found
