"""The contents of the spectrum drawer, each from samples before and after: one function a view.

Each works channel by channel and yields between them, so that traces are served first. Powers of several channels are
averaged; segments that hold a missing sample are left out, and how many were used is told.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from jaxscope.compute import analysis_lengths as lengths
from jaxscope.compute.analysis_frames import BandPower, Coherences, Content, Histogram, Sizes, SpectrumCurves
from jaxscope.compute.analysis_lengths import FrequencyAxis, bucket, filled
from jaxscope.compute.analysis_pictures import picture_of
from jaxscope.compute.analysis_samples import Picked, Stretch
from jaxscope.session.analysis import Analysis, Band

FloatArray = npt.NDArray[np.float64]
Made = Generator[None, None, Content | None]
N_BINS = 81
#: How far a histogram reaches, in deviations of Before: what lies further out is in no bin.
_REACH = 4.0
_HALF_BANDWIDTH = 4.0
#: Wavelets that are worked out in one go; the number of all of them is a multiple.
_AT_ONCE = 4


@lru_cache(maxsize=32)
def hann(length: int) -> FloatArray:
    """Return the periodic Hann window."""
    window = np.hanning(length + 1)[:-1]
    window.flags.writeable = False
    return window


def spectrum(stretch: Stretch, _picked: Picked, wish: Analysis, *, has_after: bool) -> Made:
    """Return mean densities and band powers; None where no whole segment is known."""
    from jaxscope.engines import spectra
    from jaxscope.filters.tapers import slepian_tapers

    length = lengths.spectrum_length(stretch.nominal, stretch.rate_hz)
    size = bucket(stretch.nominal + 2)
    total, count = np.zeros((2, length // 2 + 1)), np.zeros(2, dtype=int)
    is_multitaper = wish.estimator == "multitaper"
    for row in stretch.values:
        x = filled(row, size)
        if is_multitaper:
            sums = spectra.multitaper_pair(x, *slepian_tapers(length, _HALF_BANDWIDTH), length=length)
        else:
            sums = spectra.welch_pair(x, hann(length), length=length)
        total += np.asarray(sums[0])
        count += np.asarray(sums[1])
        yield
    if not count[0]:
        return None
    density = total / np.maximum(count, 1)[:, None] / stretch.rate_hz
    frequencies_hz = np.arange(length // 2 + 1, dtype=np.float64) * (stretch.rate_hz / length)
    after = density[1] if has_after and count[1] else None
    return SpectrumCurves(
        frequencies_hz=frequencies_hz,
        before=density[0],
        after=after,
        bands=band_powers(frequencies_hz, density[0], after, wish.bands),
        resolution_hz=stretch.rate_hz / length * (2 * _HALF_BANDWIDTH if is_multitaper else 1.5),
        n_segments=int(count[0]),
    )


def band_powers(
    frequencies_hz: FloatArray, before: FloatArray, after: FloatArray | None, bands: tuple[Band, ...]
) -> tuple[BandPower, ...]:
    """Return the power in each band that the spectrum reaches: the integral of the density, straight between lines."""
    found = []
    half_hz = float(frequencies_hz[-1])
    lowest_hz = float(frequencies_hz[1]) if frequencies_hz.size > 1 else 0.0
    whole = _integral(frequencies_hz, before, lowest_hz, half_hz)
    whole_after = None if after is None else _integral(frequencies_hz, after, lowest_hz, half_hz)
    for name, low_hz, high_hz in bands:
        # a band that the lines cannot tell from its neighbours, or beyond half the rate, has no power to tell
        if low_hz >= half_hz or high_hz - low_hz < lowest_hz / 2:
            continue
        power = _integral(frequencies_hz, before, low_hz, min(high_hz, half_hz))
        power_after = None if after is None else _integral(frequencies_hz, after, low_hz, min(high_hz, half_hz))
        found.append(
            BandPower(
                name=name,
                low_hz=low_hz,
                high_hz=min(high_hz, half_hz),
                before=power,
                after=power_after,
                share_before=power / whole if whole > 0 else float("nan"),
                share_after=power_after / whole_after if power_after is not None and whole_after else None,
            )
        )
    return tuple(found)


def _integral(frequencies_hz: FloatArray, density: FloatArray, low_hz: float, high_hz: float) -> float:
    inner = frequencies_hz[(frequencies_hz > low_hz) & (frequencies_hz < high_hz)]
    places = np.concatenate([[low_hz], inner, [high_hz]])
    return float(np.trapezoid(np.interp(places, frequencies_hz, density), places))


def spectrogram(stretch: Stretch, _picked: Picked, wish: Analysis, *, has_after: bool) -> Made:
    """Return powers of consecutive segments as pictures."""
    from jaxscope.engines import spectra

    length, hop = lengths.picture_lengths(stretch.nominal, stretch.rate_hz)
    size = max(bucket(stretch.nominal + 2), length)
    power = yield from _mean_of(
        stretch, lambda row: spectra.spectrogram_pair(filled(row, size), hann(length), length=length, hop=hop)
    )
    if power is None:
        return None
    frequencies_hz = np.arange(length // 2 + 1, dtype=np.float64) * (stretch.rate_hz / length)
    is_log = wish.frequency_scale == "log"
    axis = FrequencyAxis(low_hz=frequencies_hz[1] if is_log else 0.0, high_hz=stretch.rate_hz / 2, is_log=is_log)
    places = np.arange(power.shape[-1], dtype=np.float64) * hop + length / 2
    return picture_of(
        power / stretch.rate_hz, frequencies_hz, places, stretch, axis,
        width_s=length / stretch.rate_hz, spacing=hop, has_after=has_after,
    )  # fmt: skip


def time_frequency(stretch: Stretch, _picked: Picked, wish: Analysis, *, has_after: bool) -> Made:
    """Return wavelet powers as pictures: fine in time where frequencies are high, fine in frequency where low."""
    from jaxscope.engines import spectra

    rate_hz = stretch.rate_hz
    low_hz, high_hz = lengths.lowest_wavelet_hz(stretch.nominal / rate_hz, rate_hz), rate_hz / 2.5
    is_log = wish.frequency_scale == "log"
    size = bucket(stretch.nominal + 2)
    column = max(1, lengths.below(stretch.nominal / lengths.MOST_COLUMNS))
    frequencies_hz, sets = _wavelets(low_hz, high_hz, rate_hz, size, column, is_log=is_log)

    def powers(row: FloatArray) -> FloatArray:
        x = filled(row, size)
        parts = [np.asarray(spectra.wavelet_pair(x, *some, column=column)) for some in sets]
        return np.concatenate(parts, axis=1)

    power = yield from _mean_of(stretch, powers)
    if power is None:
        return None
    axis = FrequencyAxis(low_hz=low_hz, high_hz=high_hz, is_log=is_log)
    places = (np.arange(power.shape[-1], dtype=np.float64) + 0.5) * column
    # the wavelets' energy is 2 over the rate already
    return picture_of(
        power, frequencies_hz, places, stretch, axis,
        width_s=lengths.CYCLES / (np.pi * low_hz), spacing=column, has_after=has_after,
    )  # fmt: skip


@lru_cache(maxsize=4)
def _wavelets(
    low_hz: float, high_hz: float, rate_hz: float, size: int, column: int, *, is_log: bool
) -> tuple[FloatArray, tuple[tuple[npt.NDArray[np.generic], ...], ...]]:
    """Return frequencies, and the wavelets of a few at a time with as few coefficients as a column needs."""
    from jaxscope.dsp import morlet_bands

    make = np.geomspace if is_log else np.linspace
    frequencies_hz = np.asarray(make(low_hz, high_hz, lengths.N_WAVELETS))
    sets = []
    for first in range(0, lengths.N_WAVELETS, _AT_ONCE):
        some = frequencies_hz[first : first + _AT_ONCE]
        # twice as wide a part of the spectrum as a wavelet's frequency holds all of it; two coefficients a column
        step = min(max(1, column // 2), lengths.below(max(1.0, rate_hz / 2 / some[-1])))
        sets.append(morlet_bands(some, rate_hz, size, step, n_cycles=lengths.CYCLES, reach=lengths.REACH))
    return frequencies_hz, tuple(sets)


def _mean_of(
    stretch: Stretch, estimate: Callable[[FloatArray], npt.ArrayLike]
) -> Generator[None, None, FloatArray | None]:
    """Return the mean of an estimate over the channels that know it, None where none does."""
    total: FloatArray | None = None
    count: FloatArray | None = None
    for row in stretch.values:
        power = np.asarray(estimate(row))
        known = np.isfinite(power)
        if total is None or count is None:
            total, count = np.zeros(power.shape), np.zeros(power.shape)
        total += np.where(known, power, 0.0)
        count += known
        yield
    if total is None or count is None or not count.any():
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(count > 0, total / count, np.nan))


def histogram(stretch: Stretch, _picked: Picked, _wish: Analysis, *, has_after: bool) -> Made:
    """Return how often each size occurs, about the mean of each channel, and what sums it up."""
    from jaxscope.engines import spectra

    size = bucket(stretch.nominal + 2)
    found: list[FloatArray] = []
    for row in stretch.values:
        found.append(np.asarray([np.asarray(part, dtype=np.float64) for part in spectra.sizes_pair(filled(row, size))]))
        yield
    told = np.stack(found)  # (channels, five numbers, before and after)
    told = told[told[:, 4, 0] > 0]
    if not told.size:
        return None
    weights = told[:, 4] / told[:, 4].sum(axis=0)
    rms = np.sqrt((weights * told[:, 1] ** 2).sum(axis=0))
    reach = _rounded(_REACH * float(rms[0])) if rms[0] > 0 else 1.0
    counts = np.zeros((2, N_BINS))
    for row in stretch.values:
        x = filled(row, size)
        with np.errstate(invalid="ignore"):
            known = np.isfinite(x)
            mean = np.where(known, x, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        counts += np.asarray(spectra.histogram_pair(x - mean[:, None], -reach, reach, n_bins=N_BINS))
        yield
    shares = counts / told[:, 4].sum(axis=0)[:, None]
    # the fourth moment of all of them together, each about its own mean
    fourth = weights * (told[:, 2] + 3) * told[:, 1] ** 4
    fourth = np.where(told[:, 1] > 0, fourth, 0.0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        kurtosis = fourth / rms**4 - 3
    clipped = (weights * told[:, 3]).sum(axis=0)
    sizes = [Sizes(rms=float(rms[k]), kurtosis=float(kurtosis[k]), clipped=float(clipped[k])) for k in (0, 1)]
    return Histogram(
        edges=np.linspace(-reach, reach, N_BINS + 1),
        before=shares[0],
        after=shares[1] if has_after else None,
        sizes_before=sizes[0],
        sizes_after=sizes[1] if has_after else None,
    )


def _rounded(value: float) -> float:
    """Return a number of two digits that is not below a value, so that borders seldom move."""
    step = 10.0 ** (np.floor(np.log10(value)) - 1) * 5
    return float(np.ceil(value / step) * step)


def coherence(stretch: Stretch, picked: Picked, wish: Analysis, *, has_after: bool) -> Made:
    """Return the coherence of every pair of channels; None where there are less than two segments."""
    from jaxscope.engines import spectra

    length = lengths.coherence_length(stretch.nominal, stretch.rate_hz)
    size = bucket(stretch.nominal + 2)
    window = hann(length)
    parts = []
    for row in stretch.values:
        parts.append(np.asarray(spectra.transforms_pair(filled(row, size), window, length=length)))
        yield
    transforms = np.stack(parts, axis=1)  # before and after, channels, segments, lines
    known = np.isfinite(transforms[0, :, :, 0]).all(axis=0) & np.isfinite(transforms[1, :, :, 0]).all(axis=0)
    n_rows, n_segments = transforms.shape[1], int(known.sum())
    if n_segments < 2 or n_rows < 2:
        return None
    padded = np.zeros((2, lengths.below(2 * n_rows - 1), *transforms.shape[2:]), dtype=np.complex128)
    padded[:, :n_rows] = transforms
    matrices = []
    for side in padded[: 1 + has_after]:
        with np.errstate(invalid="ignore"):
            matrices.append(np.asarray(spectra.coherences(side, known.astype(np.float64)))[:n_rows, :n_rows])
        yield
    lead = picked.names.index(picked.lead)
    partner = picked.names.index(wish.partner) if wish.partner in picked.names else lead
    # neighbours share half of their samples: by Hann's overlap two of them count as 1 / (1 + 2 / 36) each
    independent = n_segments / (1 + 2 / 36)
    return Coherences(
        names=picked.names,
        frequencies_hz=np.arange(length // 2 + 1, dtype=np.float64) * (stretch.rate_hz / length),
        before=matrices[0],
        after=matrices[1] if has_after else None,
        places=None if partner == lead else (lead, partner),
        lead=lead,
        level=float(1 - 0.05 ** (1 / max(1.0, independent - 1))),
        n_segments=n_segments,
    )
