"""How strongly each number of the selected stage moves After in the window: for the lines under the numbers.

Worked out when all is calm, and only while the numbers are looked at. It reads nothing: the samples are those of the
last frame, three channels of the active chain at most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from jaxscope.compute.designs import chain_numbers
from jaxscope.compute.frames import SensitivityFrame
from jaxscope.compute.scheduler import CancelToken
from jaxscope.compute.workbench import Shown, Workbench
from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import Sections
from jaxscope.filters.spec import FilterChain
from jaxscope.session.state import SessionState

CHANNELS = 3
#: samples of a channel that are looked at, from the middle of the window
MOST_SAMPLES = 1 << 16
FEWEST_SAMPLES = 16


def is_wanted(state: SessionState) -> bool:
    """Return whether the numbers of a stage are looked at as sections."""
    return state.viewport.face == "coefficients" and state.viewport.coefficient_form == "sos"


def numbers_seen(state: SessionState) -> tuple[object, ...]:
    """Return which numbers are looked at."""
    view = state.viewport
    return view.face, view.coefficient_form, view.active_chain, view.selected_stage


def sensitivity_work(bench: Workbench, shown: Shown, state: SessionState) -> Callable[[CancelToken], None]:
    """Return the work that delivers the lines under the numbers of the selected stage."""

    def work(_token: CancelToken) -> None:
        frame = sensitivity(shown, state)
        if frame is not None:
            bench.deliver(frame)

    return work


def sensitivity(shown: Shown, state: SessionState) -> SensitivityFrame | None:
    """Return how strongly each number moves After, None where there is nothing to tell."""
    from jaxscope.filters.design import design_chain
    from jaxscope.filters.sensitivity import MOST_SECTIONS, section_sensitivity

    at, place = state.viewport.active_chain, state.viewport.selected_stage
    chains = state.document.chains
    if not is_wanted(state) or at >= len(chains) or place >= len(chains[at].stages):
        return None
    chain = chains[at]
    samples = _samples_of(shown, chains, at)
    if samples is None or not chain.stages[place].enabled:
        return None
    x, rate_hz, unit = samples
    others = replace(chain, stages=(*chain.stages[:place], *chain.stages[place + 1 :]))
    try:
        sections = chain.stages[place].spec.design(rate_hz)
        rest = design_chain(others, rate_hz)
    except SpecError:
        return None
    if not isinstance(sections, Sections) or len(sections.rows) > MOST_SECTIONS:
        return None
    with np.errstate(all="ignore"):
        values = section_sensitivity(sections, rest, x)
    if not np.isfinite(values).all():
        return None
    return SensitivityFrame(
        revision=shown.wish.revision, chain=at, stage=place, unit=unit, values=tuple(map(tuple, values.tolist()))
    )


def _samples_of(
    shown: Shown, chains: tuple[FilterChain, ...], at: int
) -> tuple[npt.NDArray[np.float64], float, str] | None:
    """Return Before of a few channels of a chain that have one unit, with their rate and unit."""
    info = shown.wish.entry.recording.info
    for part in shown.rendered.samples:
        numbers = chain_numbers(chains, info, list(part.group.channels))
        rows = [row for row, number in enumerate(numbers) if number == at]
        if not rows or part.n_samples < FEWEST_SAMPLES:
            continue
        unit = info.channels[part.group.channels[rows[0]]].unit
        rows = [row for row in rows if info.channels[part.group.channels[row]].unit == unit][:CHANNELS]
        first = max(0, (part.n_samples - MOST_SAMPLES) // 2)
        x = np.asarray(part.of_rows(rows)[0][:, first : first + MOST_SAMPLES], dtype=np.float64)
        if np.isfinite(x).all():
            return x, part.group.rate_hz, unit
    return None
