"""The matrices of a block filter from coefficients that jax is tracing: differentiable, in plain float64 or float32.

The exact, balanced ones (``realisation``) need numbers that can be looked at; under jit and grad there are none. Here
each section keeps the states of SciPy's transposed direct form in coordinates that stay good for poles near z = 1 and
z = −1: the first state, and the sum (difference) of both, scaled. The scale is a choice of coordinates, so no gradient
runs through it, and none is lost.
"""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxscope.dsp.block_iir import matmul
from jaxscope.dsp.block_matrices import BLOCK, GROUP, LEVELS, WIDEST, BlockMatrices


class Coordinates(NamedTuple):
    """How the states here relate to ``zi`` of SciPy: second = (z1 + side z2) / scale. Each (n_sections,)."""

    side: Array
    scale: Array


def coordinates(sos: Array) -> Coordinates:
    """Return the coordinates for each section of ``sos``, (n_sections, 6) with a0 = 1."""
    sos = lax.stop_gradient(sos)
    real = jnp.real(sos)
    one = jnp.ones((), dtype=real.dtype)
    side = jnp.where(real[:, 4] <= 0, one, -one).astype(sos.dtype)
    distance = jnp.abs(1 + side * sos[:, 4] + sos[:, 5])
    scale = jnp.sqrt(jnp.clip(distance, 1e-12 * one, one))
    return Coordinates(side, scale.astype(sos.dtype))


def from_scipy(zi: Array, where: Coordinates) -> Array:
    """Turn states (…, n_sections, 2) of SciPy into those used here, (…, 2 n_sections)."""
    second = (zi[..., 0] + where.side * zi[..., 1]) / where.scale
    states = jnp.stack([zi[..., 0], second], axis=-1)
    return states.reshape(*zi.shape[:-2], 2 * zi.shape[-2])


def to_scipy(states: Array, where: Coordinates) -> Array:
    """Turn states (…, 2 n_sections) used here into those of SciPy, (…, n_sections, 2)."""
    pairs = states.reshape(*states.shape[:-1], states.shape[-1] // 2, 2)
    return jnp.stack([pairs[..., 0], where.side * (where.scale * pairs[..., 1] - pairs[..., 0])], axis=-1)


def cascade(sos: Array, where: Coordinates) -> tuple[Array, Array, Array, Array]:
    """Return (A, B, C, D) of the cascade: (n, n), (n,), (n,), ()."""
    n_sections = sos.shape[0]
    n = 2 * n_sections
    zero = jnp.zeros((), dtype=sos.dtype)
    reads = jnp.zeros(n, dtype=sos.dtype)
    direct = jnp.ones((), dtype=sos.dtype)
    lines, drives = [], []
    for k in range(n_sections):
        b0, b1, b2, a1, a2 = sos[k, 0], sos[k, 1], sos[k, 2], sos[k, 4], sos[k, 5]
        side, scale = where.side[k], where.scale[k]
        below, above = 1 + side * a1 + a2, b0 + side * b1 + b2
        into = jnp.stack([b1 - a1 * b0, side * (above - b0 * below) / scale])
        own = jnp.stack([jnp.stack([-a1 - side, side * scale]), jnp.stack([-side * below / scale, side])])
        lines.append((into[:, None] * reads).at[:, 2 * k : 2 * k + 2].set(own))
        drives.append(into * direct)
        reads = (b0 * reads).at[2 * k].set(1 + zero)
        direct = b0 * direct
    if not lines:
        return jnp.zeros((0, 0), sos.dtype), jnp.zeros(0, sos.dtype), reads, direct
    return jnp.concatenate(lines), jnp.concatenate(drives), reads, direct


def matrix_powers(a: Array, count: int) -> Array:
    """Return A^0 … A^count, (count + 1, n, n), by doubling."""
    powers = jnp.eye(a.shape[0], dtype=a.dtype)[None]
    last = a
    while powers.shape[0] <= count:
        take = min(powers.shape[0], count + 1 - powers.shape[0])
        powers = jnp.concatenate([powers, matmul(powers[:take], last)])
        last = matmul(last, last)
    return powers


def _level(across: Array, count: int) -> tuple[Array, Array]:
    """Return the matrix of a level, see ``BlockMatrices``, and the one that crosses all its blocks."""
    powers = matrix_powers(across, count)
    n = across.shape[0]
    gap = np.arange(count + 1)[None, :] - np.arange(count + 1)[:, None]
    turned = jnp.swapaxes(powers, 1, 2)
    level = jnp.where((gap >= 0)[:, :, None, None], turned[np.clip(gap, 0, None)], jnp.zeros((), dtype=across.dtype))
    return jnp.swapaxes(level, 1, 2).reshape((count + 1) * n, (count + 1) * n), powers[-1]


def traced_matrices(sos: Array, where: Coordinates, n_blocks: int) -> BlockMatrices:
    """Return what ``block_filter`` takes for ``n_blocks`` blocks, from sections (n_sections, 6) with a0 = 1.

    No power reaches beyond the signal, so an unstable filter overflows only where its output does.
    """
    a, b, c, d = cascade(sos, where)
    powers = matrix_powers(a, BLOCK)
    driven = matmul(powers[:BLOCK], b)
    impulse = jnp.concatenate([d[None], matmul(driven[: BLOCK - 1], c)])
    place = jnp.arange(BLOCK)[None, :] - jnp.arange(BLOCK)[:, None]
    toeplitz = jnp.where(place >= 0, impulse[jnp.clip(place, 0)], jnp.zeros((), dtype=sos.dtype))
    observe = jnp.swapaxes(matmul(c, powers[:BLOCK]), 0, 1)
    levels: list[Array] = []
    across = powers[-1]
    left = n_blocks
    while len(levels) < LEVELS and (not levels or left > 1):
        count = left if left <= WIDEST else GROUP
        level, across = _level(across, count)
        levels.append(level)
        left //= count
    return BlockMatrices(
        respond=jnp.concatenate([toeplitz, observe]),
        drive=driven[::-1],
        powers=jnp.swapaxes(powers, 1, 2),
        levels=tuple(levels),
    )
