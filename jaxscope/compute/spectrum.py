"""Mean power spectra of what is on the screen, before, after and of what was taken away.

Welch's method (Hann, half overlap, each part about its own mean) over the visible channels of the active chain. Parts
that hold a missing sample are left out, so a gap makes no broad-band line.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from jaxscope.compute.design_job import rate_of_chain
from jaxscope.compute.designs import chain_numbers
from jaxscope.compute.frames import SpectrumFrame
from jaxscope.compute.scheduler import CancelToken, Steps
from jaxscope.compute.trace_blocks import Samples
from jaxscope.compute.transforms import KeptTransforms, Transforms, transforms
from jaxscope.compute.workbench import Shown, Workbench

FloatArray = npt.NDArray[np.float64]
#: rate in Hz, samples before and after of shape (n_channels, n_samples), and whether any of them is filtered
Picked = tuple[float, Samples, Samples, bool]
#: Longest part in seconds and in samples.
LONGEST_S = 8.0
LONGEST = 1 << 15
MOST_CHANNELS = 16
#: Lowest level that is told, in dB: what rounding leaves.
FLOOR_DB = -300.0


def part_length(n_samples: int, rate_hz: float) -> int:
    """Return the samples of a part: a power of two, at most half of the window, some seconds at most."""
    most = max(8, min(n_samples // 2, int(LONGEST_S * rate_hz), LONGEST))
    return 1 << (most.bit_length() - 1)


def spectrum_work(bench: Workbench, shown: Shown) -> Callable[[CancelToken], Steps | None]:
    """Return the work that delivers the spectra of a frame."""

    def work(_token: CancelToken) -> None:
        frame = spectrum_of(shown, bench.transforms_before)
        if frame is not None:
            bench.deliver(frame)

    return work


def spectrum_of(shown: Shown, kept: KeptTransforms) -> SpectrumFrame | None:
    """Return the spectra of the active chain's visible channels, or None where there is too little to look at.

    What is kept of Before serves while a filter is tuned.
    """
    picked = _picked(shown)
    if not picked:
        return None
    # the rate that the curve over them is for; where none of its channels is on the screen, the highest
    wanted_hz, rates_hz = rate_of_chain(shown.wish.state, shown.wish.entry.recording.info), {part[0] for part in picked}
    rate_hz = wanted_hz if wanted_hz in rates_hz else max(rates_hz)
    picked = [part for part in picked if part[0] == rate_hz]
    length = part_length(max(part[1].shape[1] for part in picked), rate_hz)
    before, after, removed = _means(picked, length, kept)
    if before is None:
        return None
    reference = float(before[1:].max()) if before.size > 1 else 0.0
    if reference <= 0:
        return None
    return SpectrumFrame(
        revision=shown.wish.revision,
        frequencies_hz=np.arange(length // 2 + 1, dtype=np.float64) * (rate_hz / length),
        before_db=_decibels(before, reference),
        after_db=None if after is None else _decibels(after, reference),
        difference_db=None if removed is None else _decibels(removed, reference),
    )


def _picked(shown: Shown) -> list[Picked]:
    """Return the samples of the channels of the active chain, or of all where there is no chain; not too many."""
    state, info = shown.wish.state, shown.wish.entry.recording.info
    active = state.viewport.active_chain
    picked: list[Picked] = []
    for part in shown.rendered.samples:
        numbers = chain_numbers(state.document.chains, info, part.group.channels)
        rows = [row for row, chain in enumerate(numbers) if chain == active]
        rows = rows or ([] if state.document.chains else list(range(len(numbers))))
        rows = rows[:: max(1, -(-len(rows) // MOST_CHANNELS))]
        if rows:
            filtered = any(part.group.filtered[row] for row in rows)
            # the same parts on both sides: what is left out is in neither
            raw, after = part.of_rows(rows)
            seen = part.group.bad.of_rows(rows).masked(raw, part.first_sample)
            picked.append((part.group.rate_hz, seen, after, filtered))
    return picked


def _means(picked: list[Picked], length: int, kept: KeptTransforms) -> tuple[FloatArray | None, ...]:
    """Return the mean periodograms of before, after and what was removed; None where there is nothing of one."""
    sums = [_Sum(length) for _ in range(3)]
    is_filtered = any(part[3] for part in picked)
    before = kept.of([part[1] for part in picked], length)
    for (_, _, after, _), (ours, found) in zip(picked, before, strict=True):
        sums[0].add(ours)
        if is_filtered:
            theirs, also = transforms(after, length)
            sums[1].add(theirs)
            # a transform is linear: what was taken away needs none of its own
            both = found & also
            sums[2].add(ours[both[found]] - theirs[both[also]])
    return tuple(each.mean() for each in sums)


class _Sum:
    """The sum of periodograms over channels and parts, and how many there were."""

    def __init__(self, length: int) -> None:
        self._total, self._count = np.zeros(length // 2 + 1), 0

    def add(self, found: Transforms) -> None:
        """Add the powers of some transforms."""
        self._total += np.einsum("ij,ij->j", found.real, found.real) + np.einsum("ij,ij->j", found.imag, found.imag)
        self._count += len(found)

    def mean(self) -> FloatArray | None:
        """Return the mean; None of nothing."""
        return self._total / self._count if self._count else None


def _decibels(power: FloatArray, reference: float) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.maximum(10.0 * np.log10(power / reference), FLOOR_DB)
