"""Taps and samples under jit, vmap and grad: banded products, or Fourier transforms where the taps are many.

``lax.conv_general_dilated`` is not used: it is slow on a CPU and ends the process in float64 on some versions.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

from jaxscope.dsp.block_iir import matmul

#: taps from which a Fourier transform is used
_LONG = 128
#: samples in a block of the product
_BLOCK = 64


def convolved(taps: Array, x: Array) -> Array:
    """Return rows (n_rows, n) convolved with taps, cut to n samples; both may be complex."""
    if x.shape[1] == 0 or x.shape[0] == 0:
        return x
    if jnp.iscomplexobj(x):
        if jnp.iscomplexobj(taps):
            across = convolved(taps.real, x) + 1j * convolved(taps.imag, x)
            return across.astype(x.dtype)
        return lax.complex(convolved(taps, x.real), convolved(taps, x.imag))
    return _banded(taps, x) if taps.shape[0] <= _LONG else _transformed(taps, x)


def _banded(taps: Array, x: Array) -> Array:
    n_rows, n = x.shape
    n_taps = taps.shape[0]
    n_before = -(-(n_taps - 1) // _BLOCK)
    n_blocks = -(-n // _BLOCK)
    padded = jnp.pad(x, ((0, 0), (n_before * _BLOCK, n_blocks * _BLOCK - n)))
    place = n_before * _BLOCK + jnp.arange(_BLOCK)[None, :] - jnp.arange((n_before + 1) * _BLOCK)[:, None]
    inside = (place >= 0) & (place < n_taps)
    band = jnp.where(inside, taps[jnp.clip(place, 0, n_taps - 1)], jnp.zeros((), dtype=taps.dtype))
    shape = (n_rows, n_blocks, _BLOCK)
    width = n_blocks * _BLOCK
    pieces = [padded[:, k * _BLOCK : k * _BLOCK + width].reshape(shape) for k in range(n_before + 1)]
    return matmul(jnp.concatenate(pieces, axis=-1), band).reshape(n_rows, width)[:, :n]


def _transformed(taps: Array, x: Array) -> Array:
    n_rows, n = x.shape
    overlap = taps.shape[0] - 1
    length = 1 << (4 * overlap - 1).bit_length()
    useful = length - overlap
    n_pieces = -(-n // useful)
    padded = jnp.pad(x, ((0, 0), (overlap, n_pieces * useful - n)))
    pieces = padded[:, jnp.arange(n_pieces)[:, None] * useful + jnp.arange(length)]
    filtered = jnp.fft.irfft(jnp.fft.rfft(pieces) * jnp.fft.rfft(taps, length), length)[..., overlap:]
    return filtered.reshape(n_rows, n_pieces * useful)[:, :n]
