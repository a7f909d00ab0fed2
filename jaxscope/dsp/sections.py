"""Second-order sections on arrays, as in SciPy, but under jit, vmap and grad, also with respect to coefficients."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxscope.dsp.block_iir import block_filter, block_multiple
from jaxscope.dsp.block_matrices import BLOCK
from jaxscope.dsp.extension import both_ways, extension_of
from jaxscope.dsp.shapes import ArrayLike, common_dtype, is_traced, real_dtype, split_complex, to_rows
from jaxscope.dsp.stability import warn_unstable_sections
from jaxscope.dsp.traced_matrices import coordinates, from_scipy, to_scipy, traced_matrices


def normalised_sections(sos: ArrayLike, dtype: Any) -> Array:
    """Return sections (n_sections, 6) divided by their a0."""
    rows = jnp.atleast_2d(jnp.asarray(sos, dtype=dtype))
    if rows.ndim != 2 or rows.shape[1] != 6:
        raise ValueError(f"sos has shape {rows.shape}; give (n_sections, 6)")
    return rows / rows[:, 3:4]


def _coefficient_dtype(sos: ArrayLike, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return ``dtype``, real where the sections are."""
    return dtype if common_dtype(sos).kind == "c" else real_dtype(dtype)


def sosfilt(sos: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None) -> Any:
    """Filter along one axis with a cascade of second-order sections.

    Parameters
    ----------
    sos : (n_sections, 6)
        Rows ``b0 b1 b2 a0 a1 a2``.
    x : (..., n_samples, ...)
    axis : int
    zi : (n_sections, ..., 2, ...) or None
        State before the first sample, as in SciPy; None is rest, and then only ``y`` is returned.

    Returns
    -------
    y : same shape as ``x``
    zf : same shape as ``zi``
        Only where ``zi`` is given.

    Raises
    ------
    ValueError
        ``x`` is one number, or ``sos`` or ``zi`` has a shape that does not fit.

    Notes
    -----
    Computed as matrix products over blocks of samples (see ``block_iir``), not sample after sample; a NaN therefore
    also reaches up to 31 samples before it within its block.

    Examples
    --------
    >>> sosfilt([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], [1.0, 0.0, 0.0]).tolist()
    [1.0, 0.5, 0.25]
    """
    dtype = common_dtype(sos, x, zi)
    signal = jnp.asarray(x, dtype=dtype)
    if signal.ndim == 0:
        raise ValueError("x is one number; give samples along an axis")
    rows = normalised_sections(sos, _coefficient_dtype(sos, dtype))
    warn_unstable_sections(rows, signal)
    moved = jnp.moveaxis(signal, axis, -1)
    lead, n = moved.shape[:-1], moved.shape[-1]
    if zi is None:
        start = jnp.zeros((*lead, rows.shape[0], 2), dtype=dtype)
    else:
        given = jnp.asarray(zi, dtype=dtype)
        wanted = list(signal.shape)
        wanted[axis] = 2
        if given.shape != (rows.shape[0], *wanted):
            raise ValueError(f"zi has shape {given.shape}; give {(rows.shape[0], *wanted)}")
        start = jnp.moveaxis(jnp.moveaxis(given, axis if axis < 0 else axis + 1, -1), 0, -2)
    y, end = filtered_rows(rows, to_rows(moved), start.reshape(math.prod(lead), rows.shape[0], 2))
    y = jnp.moveaxis(y.reshape(*lead, n), -1, axis)
    if zi is None:
        return y
    end = jnp.moveaxis(end.reshape(*lead, rows.shape[0], 2), -2, 0)
    return y, jnp.moveaxis(end, -1, axis if axis < 0 else axis + 1)


@jax.jit
def filtered_rows(rows: Array, x: Array, start: Array) -> tuple[Array, Array]:
    """Filter rows (n_rows, n) from states (n_rows, n_sections, 2)."""
    if jnp.iscomplexobj(x) and not jnp.iscomplexobj(rows):
        real, real_end = filtered_rows(rows, x.real, start.real)
        imaginary, imaginary_end = filtered_rows(rows, x.imag, start.imag)
        return lax.complex(real, imaginary), lax.complex(real_end, imaginary_end)
    n = x.shape[1]
    if n == 0 or x.shape[0] == 0 or rows.shape[0] == 0:
        return x, start
    where = coordinates(rows)
    n_blocks = block_multiple(-(-n // BLOCK))
    padded = jnp.pad(x, ((0, 0), (0, n_blocks * BLOCK - n)))
    y, end = block_filter(padded, from_scipy(start, where), jnp.int32(n), traced_matrices(rows, where, n_blocks))
    return y[:, :n], to_scipy(end, where)


def sosfilt_zi(sos: ArrayLike) -> Array:
    """Return the state of a cascade after an endless past of ones, (n_sections, 2).

    A section with a pole at z = 1 has no such state; its numbers are infinite.

    Raises
    ------
    ValueError
        ``sos`` has another shape.
    """
    rows = normalised_sections(sos, common_dtype(sos))
    level = jnp.ones((), dtype=rows.dtype)
    states = []
    for k in range(rows.shape[0]):
        b0, b1, b2, a1, a2 = rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 4], rows[k, 5]
        out = level * (b0 + b1 + b2) / (1 + a1 + a2)
        states.append(jnp.stack([out - b0 * level, b2 * level - a2 * out]))
        level = out
    return jnp.stack(states) if states else jnp.zeros((0, 2), dtype=rows.dtype)


def sosfiltfilt(
    sos: ArrayLike, x: ArrayLike, axis: int = -1, padtype: str | None = "odd", padlen: int | None = None
) -> Array:
    """Filter forward and backward along one axis: zero phase, the magnitude squared.

    Parameters
    ----------
    sos : (n_sections, 6)
    x : (..., n_samples, ...)
    axis : int
    padtype : {"odd", "even", "constant", None}
    padlen : int or None
        Samples added on each side; None is SciPy's rule. Where ``sos`` is traced the rule cannot see which second-order
        coefficients are 0, and takes none to be.

    Returns
    -------
    same shape as ``x``

    Raises
    ------
    ValueError
        ``padtype`` is unknown, ``padlen`` negative, or the signal not longer than ``padlen``.
    """
    dtype = common_dtype(sos, x)
    rows = normalised_sections(sos, _coefficient_dtype(sos, dtype))
    warn_unstable_sections(rows, x)
    n_taps = 2 * rows.shape[0] + 1
    if not is_traced(rows):
        numbers = np.asarray(rows)
        n_taps -= int(min((numbers[:, 2] == 0).sum(), (numbers[:, 5] == 0).sum()))
    signal = jnp.moveaxis(jnp.asarray(x, dtype=dtype), axis, -1)
    edge = extension_of(padtype, padlen, signal.shape[-1], 3 * n_taps)
    zi = sosfilt_zi(rows)

    def once(part: Array) -> Array:
        start = zi * part[:, :1, None]
        filtered: Array = filtered_rows(rows, part, start)[0]
        return filtered

    flat = to_rows(signal)
    if jnp.iscomplexobj(rows):
        y = both_ways(once, flat, edge, padtype)
    else:
        y = split_complex(lambda real: both_ways(once, real, edge, padtype), flat)
    turned: Array = jnp.moveaxis(y.reshape(signal.shape), -1, axis)
    return turned
