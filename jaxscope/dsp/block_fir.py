"""A filter of finite length as products with a banded Toeplitz matrix, or, where long, over the Fourier transform.

``lax.conv_general_dilated`` is not used anywhere: it is slow on a CPU and ends the process in float64 on some versions.

Invariant: samples before ``n_valid`` and the state after it do not depend on what follows.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import Array, lax

from jaxscope.dsp.block_iir import matmul

#: samples in a block of the Toeplitz product
BLOCK = 32


def toeplitz_band(taps: npt.NDArray[np.float64], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return the matrix that turns the samples of a block and those before it into the output of the block.

    Parameters
    ----------
    taps : (..., n_taps)

    Returns
    -------
    (..., (n_before + 1) * BLOCK, BLOCK)
        Rows are samples, the oldest first; ``n_before`` blocks cover ``n_taps - 1`` samples.
    """
    n_taps = taps.shape[-1]
    n_before = -(-(n_taps - 1) // BLOCK)
    band = np.zeros((*taps.shape[:-1], (n_before + 1) * BLOCK, BLOCK))
    for j in range(BLOCK):
        last = n_before * BLOCK + j
        band[..., last - n_taps + 1 : last + 1, j] = taps[..., ::-1]
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
    band : ((n_before + 1) * BLOCK, BLOCK)

    Returns
    -------
    y : (n_channels, n_samples)
    past : (n_channels, n_taps - 1)
        The samples before sample ``n_valid``.
    """
    n_channels, n_samples = x.shape
    n_blocks = n_samples // BLOCK
    n_before = band.shape[0] // BLOCK - 1
    joined = jnp.concatenate([past, x], axis=1)
    aligned = jnp.pad(joined, ((0, 0), (n_before * BLOCK - past.shape[1], 0)))
    shifted = [
        aligned[:, k * BLOCK : k * BLOCK + n_samples].reshape(n_channels * n_blocks, BLOCK) for k in range(n_before + 1)
    ]
    y = matmul(jnp.concatenate(shifted, axis=1), band)
    return y.reshape(n_channels, n_samples), last_samples(joined, n_valid, past.shape[1])


#: transforms up to this length take two pieces as one complex signal; measured: longer ones no longer stay in cache
LONGEST_PAIRED = 1 << 14
#: taps up to which pieces are long beside them
_FEW_TAPS = 1 << 11


def transform_length(n_taps: int) -> int:
    """Return the length of the transforms of overlap-save: a power of two, at least eight (many: four) times the taps.

    Measured: longer pieces repeat less of what others have had, until their transforms leave the cache.
    """
    times = 8 if n_taps <= _FEW_TAPS else 4
    return max(1024, times << max(n_taps - 2, 0).bit_length())


def new_samples(n_taps: int) -> int:
    """Return how many samples each transform of overlap-save adds."""
    return transform_length(n_taps) - (n_taps - 1)


def pieces_at_once(n_taps: int) -> int:
    """Return the pieces that one transform takes."""
    return 2 if transform_length(n_taps) <= LONGEST_PAIRED else 1


def taps_spectrum(taps: npt.NDArray[np.float64], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return the transform of the taps for overlap-save in complex ``dtype``.

    Returns
    -------
    (..., transform_length) where pieces go in pairs, else its first half, (..., transform_length // 2 + 1)
    """
    length = transform_length(taps.shape[-1])
    transform = np.fft.fft if pieces_at_once(taps.shape[-1]) > 1 else np.fft.rfft
    return transform(taps, length, axis=-1).astype(np.result_type(dtype, np.complex64))


def fir_overlap_save(x: Array, past: Array, n_valid: Array, spectrum: Array) -> tuple[Array, Array]:
    """Filter with transforms of overlapping pieces; arguments and results as ``fir_toeplitz``.

    A piece is as many samples as the taps reach back, which other pieces have had too, and new ones up to its length.
    """
    n_channels, n_samples = x.shape
    before = past.shape[1]
    is_paired = spectrum.shape[-1] % 2 == 0  # half a spectrum has one more
    length = spectrum.shape[-1] if is_paired else 2 * (spectrum.shape[-1] - 1)
    new = length - before
    n_pieces = -(-n_samples // new)
    if n_pieces == 1:
        is_paired, spectrum = False, spectrum[..., : length // 2 + 1]
    n_pieces += n_pieces % 2 if is_paired else 0
    own = jnp.pad(x, ((0, 0), (0, n_pieces * new - n_samples))).reshape(n_channels, n_pieces, new)
    earlier = jnp.concatenate([past[:, None], own[:, :-1, new - before :]], axis=1)
    pieces = jnp.concatenate([earlier, own], axis=2)
    filtered = _paired(pieces, spectrum) if is_paired else jnp.fft.irfft(jnp.fft.rfft(pieces) * spectrum, length)
    y = filtered[..., before:].reshape(n_channels, n_pieces * new)[:, :n_samples]
    return y, last_samples(jnp.concatenate([past, x], axis=1), n_valid, before)


def _paired(pieces: Array, spectrum: Array) -> Array:
    """Filter pieces two by two, as real and imaginary part, which real taps keep apart; neighbours, so of one size."""
    n_channels, n_pieces, length = pieces.shape
    pairs = pieces.reshape(n_channels, n_pieces // 2, 2, length)
    filtered = jnp.fft.ifft(jnp.fft.fft(lax.complex(pairs[:, :, 0], pairs[:, :, 1])) * spectrum)
    return jnp.stack([filtered.real, filtered.imag], axis=2).reshape(pieces.shape)


def last_samples(joined: Array, n_valid: Array, count: int) -> Array:
    """Return the ``count`` samples of ``joined`` = (past, x) that precede sample ``n_valid`` of x."""
    zero = jnp.zeros((), dtype=n_valid.dtype)
    return lax.dynamic_slice(joined, (zero, n_valid), (joined.shape[0], count))


def _one_row(function: Any) -> Any:
    return jax.vmap(
        lambda x, past, n_valid, weights: tuple(out[0] for out in function(x[None], past[None], n_valid, weights)),
        in_axes=(0, 0, None, 0),
    )


#: one set of taps per channel
fir_toeplitz_rows = _one_row(fir_toeplitz)
fir_overlap_save_rows = _one_row(fir_overlap_save)
