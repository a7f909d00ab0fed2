"""A filter of finite length as products with a banded Toeplitz matrix, or, where long, over the Fourier transform.

``lax.conv_general_dilated`` is not used anywhere: it is slow on a CPU and ends the process in float64 on some versions.

Invariant: samples before ``n_valid`` and the state after it do not depend on what follows.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import Array, lax

from jaxscope.dsp.block_iir import matmul

#: samples in a block of the Toeplitz product; measured: longer ones waste work above the diagonal
BLOCK = 32


def toeplitz_band(taps: npt.NDArray[np.float64], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return the matrix that turns the samples of a block and those before it into the output of the block.

    Parameters
    ----------
    taps : (..., n_taps)

    Returns
    -------
    (..., n_taps - 1 + BLOCK, BLOCK)
        Rows are samples, the oldest first.
    """
    n_taps = taps.shape[-1]
    band = np.zeros((*taps.shape[:-1], n_taps - 1 + BLOCK, BLOCK))
    for j in range(BLOCK):
        band[..., j : j + n_taps, j] = taps[..., ::-1]
    return band.astype(dtype)


def fir_toeplitz(x: Array, past: Array, n_valid: Array, band: Array) -> tuple[Array, Array]:
    """Filter with a banded matrix.

    Parameters
    ----------
    x : (n_channels, n_samples)
        A whole number of blocks.
    past : (n_channels, n_taps - 1)
        The samples before ``x``, the oldest first.
    n_valid : int32 scalar
    band : (n_taps - 1 + BLOCK, BLOCK)

    Returns
    -------
    y : (n_channels, n_samples)
    past : (n_channels, n_taps - 1)
        The samples before sample ``n_valid``.
    """
    n_channels, n_samples = x.shape
    n_blocks, before = n_samples // BLOCK, past.shape[1]
    joined = jnp.concatenate([past, x], axis=1)
    # as many samples as there are taps before each block, and no more: copying them costs as much as the product
    windows = [
        joined[:, k : k + n_samples].reshape(n_channels, n_blocks, BLOCK)[..., : before - k]
        for k in range(0, before, BLOCK)
    ]
    windows.append(x.reshape(n_channels, n_blocks, BLOCK))
    y = matmul(jnp.concatenate(windows, axis=2).reshape(n_channels * n_blocks, before + BLOCK), band)
    return y.reshape(n_channels, n_samples), last_samples(past, x, n_valid)


#: transforms up to this length may be six times the taps and more; longer ones no longer stay in cache
LONGEST_EASY = 1 << 15
#: bytes that are transformed at a time on a CPU: with what the transform needs beside them they stay in its cache
GROUP_BYTES = 1 << 17
#: channels from which longer transforms are real ones; so many fill the vectors of a CPU, in float64 twice
LANES = 8


def transform_length(n_taps: int) -> int:
    """Return the length of the transforms of overlap-save, 2^k or 3 · 2^k: at least six (many: four) times the taps.

    Measured: longer pieces repeat less of what others have had, until their transforms leave the cache.

    Examples
    --------
    >>> [transform_length(n) for n in (1, 257, 1025, 10241, 16385)]
    [1024, 2048, 8192, 49152, 98304]
    """

    def at_least(count: int) -> int:
        power = 1 << max(count - 1, 0).bit_length()
        return power * 3 // 4 if power * 3 // 4 >= count else power

    return max(1024, min(at_least(6 * n_taps), max(LONGEST_EASY, at_least(4 * n_taps))))


def new_samples(n_taps: int) -> int:
    """Return how many samples each transform of overlap-save adds."""
    return transform_length(n_taps) - (n_taps - 1)


def taps_spectrum(taps: npt.NDArray[np.float64], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return the transform of the taps for overlap-save in complex ``dtype``, (..., transform_length)."""
    spectrum = np.fft.fft(taps, transform_length(taps.shape[-1]), axis=-1)
    return spectrum.astype(np.result_type(dtype, np.complex64))


def fir_overlap_save(
    x: Array, past: Array, n_valid: Array, spectrum: Array, *, group_bytes: int = GROUP_BYTES
) -> tuple[Array, Array]:
    """Filter with transforms of overlapping pieces; arguments and results as ``fir_toeplitz``, of any ``n_samples``.

    A piece is as many samples as the taps reach back, which other pieces have had too, and new ones up to its length.
    Two pieces are transformed as one complex signal, as real taps keep its parts apart; but for rounding, so both are
    of one channel, whose samples are of one size. Only the longest, or a single one, of many channels go one by one.
    A CPU takes few at a time, so that they stay in its cache; other devices take all at once.
    """
    in_cache, at_once = partial(_in_groups, group_bytes=group_bytes), partial(_in_groups, group_bytes=x.size * 1024)
    y = lax.platform_dependent(x, past, n_valid, spectrum, cpu=in_cache, default=at_once)
    return y, last_samples(past, x, n_valid)


class _Groups(NamedTuple):
    """How pieces are taken together: in each of ``rows`` channels so many of them, or as many pairs."""

    length: int
    new: int
    rows: int
    pieces: int
    is_paired: bool

    @property
    def part(self) -> int:
        """Samples that the pieces of a channel add."""
        return self.pieces * self.new

    @property
    def step(self) -> int:
        """Samples that a group adds."""
        return 2 * self.part if self.is_paired else self.part


def _groups(x: Array, length: int, before: int, group_bytes: int) -> _Groups:
    n_channels, n_samples = x.shape
    new = length - before
    n_pieces = -(-n_samples // new)
    if n_pieces == 1 and n_channels >= LANES:  # all there is, mostly little
        return _Groups(length, new, n_channels, 1, is_paired=False)
    is_paired = length <= LONGEST_EASY or n_channels < LANES
    most = group_bytes // (x.dtype.itemsize * length)
    most = max(most // 2, 1) if is_paired else max(most, LANES)
    rows = min(most, n_channels)
    return _Groups(length, new, rows, min(most // rows, -(-n_pieces // 2) if is_paired else n_pieces), is_paired)


def _in_groups(x: Array, past: Array, n_valid: Array, spectrum: Array, *, group_bytes: int) -> Array:
    """Filter group after group of about ``group_bytes``, as far as samples are valid."""
    n_channels, n_samples = x.shape
    before = past.shape[1]
    groups = _groups(x, spectrum.shape[-1], before, group_bytes)
    rows, step = groups.rows, groups.step
    n_groups = -(-n_channels // rows)
    total = -(-n_samples // step) * step
    x = jnp.pad(x, ((0, 0), (0, total - n_samples)))

    def row_of(number: Array) -> Array:
        # the last group may overlap the one before it, and give the same samples again
        return jnp.minimum(lax.rem(number, number.dtype.type(n_groups)) * rows, n_channels - rows)

    def begin(number: Array, y: Array) -> Array:
        return _filtered(first, spectrum, y, groups, (row_of(number), jnp.zeros_like(number)), 0)

    def go_on(number: Array, y: Array) -> Array:
        place = lax.div(number, number.dtype.type(n_groups)) * step - before
        return _filtered(x, spectrum, y, groups, (row_of(number), place), before)

    first = jnp.concatenate([past, x[:, :step]], axis=1)
    zero = jnp.zeros((), dtype=n_valid.dtype)
    y = lax.fori_loop(zero, zero + n_groups, begin, jnp.zeros((n_channels, total), dtype=x.dtype))
    if total > step:  # what follows lies in x as it is, which saves a copy
        n_steps = lax.div(n_valid + (step - 1), n_valid.dtype.type(step))
        y = lax.fori_loop(zero + n_groups, n_steps * n_groups, go_on, y)
    valid: Array = y[:, :n_samples]
    return valid


def _filtered(
    source: Array, spectrum: Array, y: Array, groups: _Groups, place: tuple[Array, Array], shift: int
) -> Array:
    """Return ``y`` with what becomes of the group at ``place`` (channel, sample), ``shift`` samples later in it."""
    row, sample = place
    part, late = groups.part, groups.length - groups.new
    places = [(row, sample), (row, sample + part)] if groups.is_paired else [(row, sample)]
    pieces = [
        _overlapping(lax.dynamic_slice(source, at, (groups.rows, part + late)), groups.pieces, groups.new)
        for at in places
    ]
    if groups.is_paired:
        both = jnp.fft.ifft(jnp.fft.fft(lax.complex(*pieces)) * spectrum)[..., late:]
        filtered = [both.real, both.imag]
    else:
        half = spectrum[..., : groups.length // 2 + 1]
        filtered = [jnp.fft.irfft(jnp.fft.rfft(pieces[0]) * half, groups.length)[..., late:]]
    for own, (row, sample) in zip(filtered, places, strict=True):
        y = lax.dynamic_update_slice(y, own.reshape(groups.rows, part), (row, sample + shift))
    return y


def _overlapping(samples: Array, count: int, new: int) -> Array:
    """Return ``count`` pieces of each row, (n_rows, count, before + new), of (n_rows, before + count * new) samples."""
    n_rows, reach = samples.shape
    if count == 1:
        return samples[:, None]
    before = reach - count * new
    earlier = samples[:, : count * new].reshape(n_rows, count, new)[..., :before]
    return jnp.concatenate([earlier, samples[:, before:].reshape(n_rows, count, new)], axis=2)


def last_samples(past: Array, x: Array, n_valid: Array) -> Array:
    """Return as many samples as ``past`` has, of (past, x), that precede sample ``n_valid`` of x."""
    count, n_samples = past.shape[1], x.shape[1]
    zero = jnp.zeros((), dtype=n_valid.dtype)
    early = jnp.concatenate([past, x[:, :count]], axis=1)
    shape = past.shape
    found = lax.dynamic_slice(early, (zero, n_valid), shape)
    if n_samples <= count:
        return found
    # all of x is not copied beside its past for the few that are wanted
    return jnp.where(n_valid < count, found, lax.dynamic_slice(x, (zero, n_valid - count), shape))


def _one_row(function: Any) -> Any:
    return jax.vmap(
        lambda x, past, n_valid, weights: tuple(out[0] for out in function(x[None], past[None], n_valid, weights)),
        in_axes=(0, 0, None, 0),
    )


#: one set of taps per channel; every channel has a group of its own at once
fir_toeplitz_rows = _one_row(fir_toeplitz)
fir_overlap_save_rows = _one_row(partial(fir_overlap_save, group_bytes=GROUP_BYTES // 8))
