"""Filters given as polynomials b and a, as in SciPy: ``lfilter``, ``lfilter_zi``, ``filtfilt``, and ``fir`` for taps.

Polynomials of high order with poles close to the circle lose digits in any arithmetic; sections do not. The recursion
here is SciPy's own (transposed direct form II), so results agree with it.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxscope.dsp.block_iir import matmul
from jaxscope.dsp.extension import both_ways, extension_of
from jaxscope.dsp.shapes import ArrayLike, common_dtype, real_dtype, split_complex, to_rows

#: taps from which a Fourier transform is used
_LONG = 128
#: samples in a block of the product
_BLOCK = 64


def _polynomials(b: ArrayLike, a: ArrayLike, dtype: Any) -> tuple[Array, Array]:
    top, bottom = jnp.atleast_1d(jnp.asarray(b, dtype=dtype)), jnp.atleast_1d(jnp.asarray(a, dtype=dtype))
    if top.ndim != 1 or bottom.ndim != 1:
        raise ValueError(f"b and a have shapes {top.shape} and {bottom.shape}; give one axis each")
    return top / bottom[0], bottom / bottom[0]


def _state_shape(signal: Array, axis: int, order: int) -> tuple[int, ...]:
    shape = list(signal.shape)
    shape[axis] = order
    return tuple(shape)


def lfilter(b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None) -> Any:
    """Filter along one axis with a rational transfer function.

    Parameters
    ----------
    b, a : (n_b,), (n_a,)
        Numerator and denominator, highest power first; divided by ``a[0]``.
    x : (..., n_samples, ...)
    axis : int
    zi : (..., max(n_a, n_b) - 1, ...) or None
        State before the first sample, as in SciPy; None is rest, and then only ``y`` is returned.

    Returns
    -------
    y : same shape as ``x``
    zf : same shape as ``zi``
        Only where ``zi`` is given.

    Examples
    --------
    >>> lfilter([1.0], [1.0, -0.5], [1.0, 0.0, 0.0]).tolist()
    [1.0, 0.5, 0.25]
    """
    dtype = common_dtype(b, a, x, zi)
    top, bottom = _polynomials(b, a, real_dtype(dtype))
    order = max(top.shape[0], bottom.shape[0]) - 1
    signal = jnp.asarray(x, dtype=dtype)
    moved = jnp.moveaxis(signal, axis, -1)
    rows = to_rows(moved)
    if zi is None:
        start = jnp.zeros((rows.shape[0], order), dtype=dtype)
    else:
        given = jnp.asarray(zi, dtype=dtype)
        if given.shape != _state_shape(signal, axis, order):
            raise ValueError(f"zi has shape {given.shape}; give {_state_shape(signal, axis, order)}")
        start = to_rows(jnp.moveaxis(given, axis, -1))
    y, end = _recursion(top, bottom, rows, start)
    y = jnp.moveaxis(y.reshape(moved.shape), -1, axis)
    if zi is None:
        return y
    return y, jnp.moveaxis(end.reshape(*moved.shape[:-1], order), -1, axis)


@jax.jit
def _recursion(b: Array, a: Array, x: Array, start: Array) -> tuple[Array, Array]:
    """Run transposed direct form II over rows (n_rows, n) from states (n_rows, order)."""
    order = start.shape[1]
    if order == 0:
        return b[0].astype(x.dtype) * x, start
    top, bottom = (jnp.pad(p, (0, order + 1 - p.shape[0])).astype(x.dtype) for p in (b, a))
    if a.shape[0] == 1:
        known = min(order, x.shape[1])
        return convolved(b, x).at[:, :known].add(start[:, :known]), _fir_state(b, x, start)

    def advance(state: Array, value: Array) -> tuple[Array, Array]:
        y = top[0] * value + state[:, 0]
        moved = jnp.pad(state[:, 1:], ((0, 0), (0, 1)))
        return moved + top[1:] * value[:, None] - bottom[1:] * y[:, None], y

    end, y = lax.scan(advance, start, jnp.swapaxes(x, 0, 1))
    return jnp.swapaxes(y, 0, 1), end


def _fir_state(b: Array, x: Array, start: Array) -> Array:
    """Return the state of an FIR after rows ``x``: what its past still adds to the next samples."""
    order = start.shape[1]
    past = x[:, max(0, x.shape[1] - order) :]
    tail = convolved(b, jnp.pad(past, ((0, 0), (0, order))))[:, past.shape[1] :]
    left = start[:, x.shape[1] :]
    return tail + jnp.pad(left, ((0, 0), (0, order - left.shape[1])))


def convolved(taps: Array, x: Array) -> Array:
    """Return rows (n_rows, n) convolved with taps, cut to n samples."""
    if x.shape[1] == 0 or x.shape[0] == 0:
        return x
    if jnp.iscomplexobj(x):
        return lax.complex(convolved(taps, x.real), convolved(taps, x.imag))
    if taps.shape[0] <= _LONG:
        return _banded(taps, x)
    return _transformed(taps, x)


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


def fir(taps: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None) -> Any:
    """Filter along one axis with taps: ``lfilter(taps, 1, x)``, as banded products or over Fourier transforms.

    Parameters
    ----------
    taps : (n_taps,)
    x : (..., n_samples, ...)
    axis : int
    zi : (..., n_taps - 1, ...) or None
        As for ``lfilter``.

    Returns
    -------
    y, and ``zf`` where ``zi`` is given, as ``lfilter``
    """
    return lfilter(taps, jnp.ones(1, dtype=real_dtype(common_dtype(taps))), x, axis, zi)


def lfilter_zi(b: ArrayLike, a: ArrayLike) -> Array:
    """Return the state after an endless past of ones, (max(n_a, n_b) - 1,); infinite with a pole at z = 1."""
    top, bottom = _polynomials(b, a, common_dtype(b, a))
    order = max(top.shape[0], bottom.shape[0]) - 1
    top, bottom = (jnp.pad(p, (0, order + 1 - p.shape[0])) for p in (top, bottom))
    level = top.sum() / bottom.sum()
    # z[k] = z[k + 1] + b[k + 1] − a[k + 1] y, from the last one up
    terms = top[1:] - bottom[1:] * level
    return jnp.cumsum(terms[::-1])[::-1]


def filtfilt(
    b: ArrayLike,
    a: ArrayLike,
    x: ArrayLike,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
    method: str = "pad",
) -> Array:
    """Filter forward and backward along one axis: zero phase, the magnitude squared.

    Parameters
    ----------
    b, a : (n_b,), (n_a,)
    x : (..., n_samples, ...)
    axis : int
    padtype : {"odd", "even", "constant", None}
    padlen : int or None
        Samples added on each side; None is three times the longer polynomial.
    method : {"pad"}
        Gustafsson's method is offered by the engines, not here.

    Returns
    -------
    same shape as ``x``
    """
    if method != "pad":
        raise ValueError(f"method {method!r} is unknown here; choose pad")
    dtype = common_dtype(b, a, x)
    top, bottom = _polynomials(b, a, real_dtype(dtype))
    signal = jnp.moveaxis(jnp.asarray(x, dtype=dtype), axis, -1)
    edge = extension_of(padtype, padlen, signal.shape[-1], 3 * max(top.shape[0], bottom.shape[0]))
    zi = lfilter_zi(top, bottom)

    def once(part: Array) -> Array:
        filtered: Array = _recursion(top, bottom, part, zi * part[:, :1])[0]
        return filtered

    flat = to_rows(signal)
    y = split_complex(lambda real: both_ways(once, real, edge, padtype), flat)
    turned: Array = jnp.moveaxis(y.reshape(signal.shape), -1, axis)
    return turned
