"""Filters given as polynomials b and a, as in SciPy: ``lfilter``, ``lfilter_zi``, ``filtfilt``, and ``fir`` for taps.

Three ways lead to the same samples. Up to second order the polynomials are a section. Beyond that, coefficients that
can be looked at and lose nothing by it are factored into sections. What is left (traced coefficients of high order,
poles so close together that factoring would cost digits) is SciPy's own recursion, transposed direct form II.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxscope.dsp.convolution import convolved
from jaxscope.dsp.extension import both_ways, extension_of
from jaxscope.dsp.gustafsson import gustafsson
from jaxscope.dsp.polynomials import sections_of
from jaxscope.dsp.sections import filtered_rows
from jaxscope.dsp.shapes import ArrayLike, common_dtype, expanded_state, is_traced, real_dtype, split_complex, to_rows
from jaxscope.dsp.stability import warn_unstable_polynomials

#: samples from which blocks are worth their matrices
_SHORT = 32
#: samples that one turn of the plain recursion works on
_UNROLL = 8


def _polynomials(b: ArrayLike, a: ArrayLike, dtype: Any) -> tuple[Array, Array]:
    top, bottom = jnp.atleast_1d(jnp.asarray(b, dtype=dtype)), jnp.atleast_1d(jnp.asarray(a, dtype=dtype))
    for name, values in (("b", top), ("a", bottom)):
        if values.ndim != 1 or values.shape[0] == 0:
            raise ValueError(f"{name} has shape {values.shape}; give at least one coefficient along one axis")
    if not is_traced(bottom) and bottom[0] == 0:
        raise ValueError("a[0] is 0; leave leading zeros out")
    return top / bottom[0], bottom / bottom[0]


def lfilter(b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None) -> Any:
    """Filter along one axis with a rational transfer function.

    Parameters
    ----------
    b, a : (n_b,), (n_a,)
        Numerator and denominator, highest power first, real or complex; divided by ``a[0]``.
    x : (..., n_samples, ...)
    axis : int
    zi : (..., max(n_a, n_b) - 1, ...) or None
        State before the first sample, as in SciPy; other axes may have length 1. None is rest, and then only ``y`` is
        returned.

    Returns
    -------
    y : same shape as ``x``
    zf : shape of ``x`` with the state along ``axis``
        Only where ``zi`` is given.

    Raises
    ------
    ValueError
        ``x`` is one number, a polynomial is empty, ``a[0]`` is 0, or ``zi`` has a shape that does not fit.

    Examples
    --------
    >>> lfilter([1.0], [1.0, -0.5], [1.0, 0.0, 0.0]).tolist()
    [1.0, 0.5, 0.25]
    """
    dtype = common_dtype(b, a, x, zi)
    top, bottom = _polynomials(b, a, _coefficient_dtype(b, a, dtype))
    order = max(top.shape[0], bottom.shape[0]) - 1
    signal = jnp.asarray(x, dtype=dtype)
    if signal.ndim == 0:
        raise ValueError("x is one number; give samples along an axis")
    warn_unstable_polynomials([bottom], signal)
    moved = jnp.moveaxis(signal, axis, -1)
    rows = to_rows(moved)
    if zi is None:
        start = jnp.zeros((rows.shape[0], order), dtype=dtype)
    else:
        given = expanded_state(jnp.asarray(zi, dtype=dtype), signal.shape, axis, order)
        start = to_rows(jnp.moveaxis(given, axis, -1))
    y, end = _run(top, bottom, rows, start, is_rest=zi is None)
    y = jnp.moveaxis(y.reshape(moved.shape), -1, axis)
    if zi is None:
        return y
    return y, jnp.moveaxis(end.reshape(*moved.shape[:-1], order), -1, axis)


def _coefficient_dtype(b: ArrayLike, a: ArrayLike, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return ``dtype``, real where the coefficients are."""
    return dtype if common_dtype(b, a).kind == "c" else real_dtype(dtype)


def _run(b: Array, a: Array, x: Array, start: Array, *, is_rest: bool = False) -> tuple[Array, Array]:
    """Filter rows (n_rows, n) from states (n_rows, order) in the way that suits the coefficients."""
    order = start.shape[1]
    if a.shape[0] == 1 or x.shape[1] < max(order, _SHORT) or jnp.iscomplexobj(b):
        result: tuple[Array, Array] = _recursion(b, a, x, start)
        return result
    if order <= 2:
        section = jnp.concatenate([jnp.pad(p, (0, 3 - p.shape[0])) for p in (b, a)])[None]
        y, end = filtered_rows(section, x, jnp.pad(start, ((0, 0), (0, 2 - order)))[:, None])
        return y, end[:, 0, :order]
    sections = (
        None if is_traced(b) or is_traced(a) else sections_of(np.asarray(b, np.float64), np.asarray(a, np.float64))
    )
    if sections is None:
        plain: tuple[Array, Array] = _recursion(b, a, x, start)
        return plain
    y = _by_sections(jnp.asarray(sections, dtype=b.dtype), x, None if is_rest else start)
    return y, _last_state(b, a, x, y, order)


def _by_sections(sections: Array, x: Array, start: Array | None) -> Array:
    rest = jnp.zeros((x.shape[0], sections.shape[0], 2), dtype=x.dtype)
    y: Array = filtered_rows(sections, x, rest)[0]
    if start is None:
        return y
    # what a state leaves behind is the response of the poles alone to its numbers, one after the other
    poles = sections.at[:, :3].set(jnp.array([1.0, 0.0, 0.0], dtype=sections.dtype))
    numbers = jnp.pad(start, ((0, 0), (0, x.shape[1] - start.shape[1])))
    free: Array = filtered_rows(poles, numbers, rest)[0]
    return y + free


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

    end, y = lax.scan(advance, start, jnp.swapaxes(x, 0, 1), unroll=_UNROLL)
    return jnp.swapaxes(y, 0, 1), end


@jax.jit(static_argnames="order")
def _last_state(b: Array, a: Array, x: Array, y: Array, order: int) -> Array:
    """Return the state after rows of at least ``order`` samples: what they still add to the next ones."""
    future = jnp.zeros((x.shape[0], order), dtype=x.dtype)
    left = convolved(b, jnp.concatenate([x[:, x.shape[1] - order :], future], axis=1))
    right = convolved(a.at[0].set(0), jnp.concatenate([y[:, y.shape[1] - order :], future], axis=1))
    return (left - right)[:, order:]


def _fir_state(b: Array, x: Array, start: Array) -> Array:
    """Return the state of an FIR after rows ``x``: what its past still adds to the next samples."""
    order = start.shape[1]
    past = x[:, max(0, x.shape[1] - order) :]
    tail = convolved(b, jnp.pad(past, ((0, 0), (0, order))))[:, past.shape[1] :]
    left = start[:, x.shape[1] :]
    return tail + jnp.pad(left, ((0, 0), (0, order - left.shape[1])))


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
    irlen: int | None = None,
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
    method : {"pad", "gust"}
        ``gust`` pads nothing and finds the best initial states (see ``gustafsson``).
    irlen : int or None
        For ``gust``: samples in which the filter forgets, which spares work on long signals.

    Returns
    -------
    same shape as ``x``

    Raises
    ------
    ValueError
        ``method`` or ``padtype`` is unknown, ``padlen`` negative, or the signal not longer than ``padlen``.
    """
    if method not in ("pad", "gust"):
        raise ValueError(f"method {method!r} is unknown; choose pad or gust")
    dtype = common_dtype(b, a, x)
    top, bottom = _polynomials(b, a, _coefficient_dtype(b, a, dtype))
    warn_unstable_polynomials([bottom], x)
    order = max(top.shape[0], bottom.shape[0]) - 1
    signal = jnp.moveaxis(jnp.asarray(x, dtype=dtype), axis, -1)
    if method == "gust" and order == 0:
        scaled: Array = jnp.moveaxis(signal * (top[0] ** 2).astype(dtype), -1, axis)
        return scaled
    edge = 0 if method == "gust" else extension_of(padtype, padlen, signal.shape[-1], 3 * (order + 1))
    zi = lfilter_zi(top, bottom)

    def once(part: Array) -> Array:
        return _run(top, bottom, part, zi * part[:, :1])[0]

    def from_states(part: Array, states: Array) -> Array:
        is_rest = states.shape[1] == 0
        start = jnp.zeros((part.shape[0], order), dtype=part.dtype) if is_rest else states
        return _run(top, bottom, part, start, is_rest=is_rest)[0]

    def whole(part: Array) -> Array:
        if method == "gust":
            return gustafsson(from_states, order, part, irlen)
        return both_ways(once, part, edge, padtype)

    flat = to_rows(signal)
    y = whole(flat) if jnp.iscomplexobj(top) else split_complex(whole, flat)
    turned: Array = jnp.moveaxis(y.reshape(signal.shape), -1, axis)
    return turned
