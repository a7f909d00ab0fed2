"""Mean power spectra of what is on the screen, before, after and of what was taken away.

Welch's method (Hann, half overlap, each part about its own mean) over the visible channels of the active chain. Parts
that hold a missing sample are left out, so a gap makes no broad-band line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from jaxscope.compute.design_job import rate_of_chain
from jaxscope.compute.designs import chain_numbers
from jaxscope.compute.frames import SpectrumFrame
from jaxscope.compute.scheduler import CancelToken, Steps
from jaxscope.compute.trace_blocks import Samples
from jaxscope.compute.workbench import Shown, Workbench

FloatArray = npt.NDArray[np.float64]
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


def sum_of_powers(x: Samples, length: int) -> tuple[FloatArray, int]:
    """Return the sum of periodograms over channels and parts, shape (length // 2 + 1,), and how many there were.

    Parameters
    ----------
    x : ndarray, shape (n_channels, n_samples)
    length : int
        Samples of a part.
    """
    if x.shape[1] < length:
        return np.zeros(length // 2 + 1), 0
    parts = np.lib.stride_tricks.sliding_window_view(x, length, axis=1)[:, :: length // 2]
    parts = parts.reshape(-1, length)
    parts = parts[np.isfinite(parts).all(axis=1)]
    if not parts.shape[0]:
        return np.zeros(length // 2 + 1), 0
    window = np.hanning(length + 1)[:-1]
    spectra = np.fft.rfft((parts - parts.mean(axis=1, keepdims=True)) * window, axis=1)
    return np.asarray((np.abs(spectra) ** 2).sum(axis=0)), parts.shape[0]


def spectrum_work(bench: Workbench, shown: Shown) -> Callable[[CancelToken], Steps | None]:
    """Return the work that delivers the spectra of a frame."""

    def work(_token: CancelToken) -> None:
        frame = spectrum_of(shown)
        if frame is not None:
            bench.deliver(frame)

    return work


def spectrum_of(shown: Shown) -> SpectrumFrame | None:
    """Return the spectra of the active chain's visible channels, or None where there is too little to look at."""
    state, info = shown.wish.state, shown.wish.entry.recording.info
    active = state.viewport.active_chain
    picked: list[tuple[float, Samples, Samples, bool]] = []
    for part in shown.rendered.samples:
        numbers = chain_numbers(state.document.chains, info, part.group.channels)
        rows = [row for row, chain in enumerate(numbers) if chain == active]
        rows = rows or ([] if state.document.chains else list(range(len(numbers))))
        rows = rows[:: max(1, -(-len(rows) // MOST_CHANNELS))]
        if rows:
            filtered = any(part.group.filtered[row] for row in rows)
            # the same parts on both sides: what is left out is in neither
            seen = part.group.bad.of_rows(rows).masked(part.before[rows], part.first_sample)
            picked.append((part.group.rate_hz, seen, part.after[rows], filtered))
    if not picked:
        return None
    # the rate that the curve over them is for; where none of its channels is on the screen, the highest
    wanted_hz, rates_hz = rate_of_chain(state, info), {entry[0] for entry in picked}
    rate_hz = wanted_hz if wanted_hz in rates_hz else max(rates_hz)
    picked = [entry for entry in picked if entry[0] == rate_hz]
    length = part_length(max(entry[1].shape[1] for entry in picked), rate_hz)
    before = _mean((entry[1] for entry in picked), length)
    if before is None:
        return None
    reference = float(before[1:].max()) if before.size > 1 else 0.0
    if reference <= 0:
        return None
    filtered = any(entry[3] for entry in picked)
    after = _mean((entry[2] for entry in picked), length) if filtered else None
    difference = _mean((entry[1] - entry[2] for entry in picked), length) if filtered else None
    return SpectrumFrame(
        revision=shown.wish.revision,
        frequencies_hz=np.arange(length // 2 + 1, dtype=np.float64) * (rate_hz / length),
        before_db=_decibels(before, reference),
        after_db=None if after is None else _decibels(after, reference),
        difference_db=None if difference is None else _decibels(difference, reference),
    )


def _mean(arrays: Iterable[Samples], length: int) -> FloatArray | None:
    total, count = np.zeros(length // 2 + 1), 0
    for x in arrays:
        powers, parts = sum_of_powers(x, length)
        total += powers
        count += parts
    return total / count if count else None


def _decibels(power: FloatArray, reference: float) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.maximum(10.0 * np.log10(power / reference), FLOOR_DB)
