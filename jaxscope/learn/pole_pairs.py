"""Sections by numbers that may be anything: whatever a step of descent makes of them, every pole stays inside.

A pair of roots of ``s² + 2ζωs + ω²`` is two real ones or a conjugate pair, and goes smoothly from one to the other at
ζ = 1. Poles are such pairs moved to the left by a least decay, so ``z = exp(s)`` lies inside a circle of the radius
``exp(−least decay)`` however ω and ζ are chosen. Zeros may come as near to the unit circle as they like, never outside,
so what is fitted has the least delay that its magnitude allows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jaxscope.dsp.shapes import ArrayLike

#: A pole rings until it has fallen to this share, as the pole-zero plane says it.
FAINT = 0.01
#: Numbers beyond this move nothing any more: there the sigmoid and the exponential have ended.
_FARTHEST = 18.0


class Pairs(NamedTuple):
    """Numbers without limits, each (n_sections,) but the last two.

    ``pole_place`` and ``zero_place`` tell ω (π is half the rate), ``pole_damping`` is log ζ, ``zero_damping`` √ζ.
    ``gain`` is the logarithm of a factor of the whole, ``delay`` what is allowed of it, in samples.
    """

    pole_place: Array
    pole_damping: Array
    zero_place: Array
    zero_damping: Array
    gain: Array
    delay: Array


def flat_numbers(pairs: Pairs) -> Array:
    """Return all numbers in one row, (4 n_sections + 2,)."""
    parts: list[ArrayLike] = list(pairs)
    return jnp.concatenate([jnp.atleast_1d(jnp.asarray(part, dtype=jnp.float64)) for part in parts])


def pairs_of(numbers: Array) -> Pairs:
    """Return the numbers by their names."""
    n_sections = (numbers.shape[0] - 2) // 4
    place, damping, zero, zero_damping = numbers[:-2].reshape(4, n_sections)
    return Pairs(place, damping, zero, zero_damping, gain=numbers[-2], delay=numbers[-1])


def least_decay(ringing_s: float, rate_hz: float) -> float:
    """Return the decay per sample of a pole that rings for ``ringing_s``: longer is none allowed.

    Examples
    --------
    >>> round(math.exp(-least_decay(0.2, 256.0)), 4)
    0.914
    """
    return -math.log(FAINT) / (ringing_s * rate_hz)


def place_of(omega: float) -> float:
    """Return the number that stands for a frequency in radians per sample."""
    share = min(max(omega / math.pi, 1e-7), 1 - 1e-7)
    return math.log(share / (1 - share))


def sections_of(pairs: Pairs, decay: Array) -> Array:
    """Return sections (n_sections, 6) whose poles are all nearer to the middle than ``exp(−decay)``."""
    poles = _frequency(pairs.pole_place)
    a1, a2 = _polynomial(poles, jnp.exp(jnp.clip(pairs.pole_damping, -_FARTHEST, 3.0)), decay)
    b1, b2 = _polynomial(_frequency(pairs.zero_place), pairs.zero_damping**2, jnp.zeros_like(decay))
    one = jnp.ones_like(a1)
    return jnp.stack([one, b1, b2, one, a1, a2], axis=1)


def _frequency(place: Array) -> Array:
    return math.pi * jax.nn.sigmoid(jnp.clip(place, -_FARTHEST, _FARTHEST))


def _polynomial(omega: Array, damping: Array, decay: Array) -> tuple[Array, Array]:
    """Return c1 and c2 of 1 + c1 z⁻¹ + c2 z⁻²."""
    fall = damping * omega + decay
    turned = omega**2 * (1 - damping**2)
    # cos √x, which is cosh √−x below 0: each branch sees numbers it can be differentiated at
    is_round = turned > 0
    turning = jnp.cos(jnp.sqrt(jnp.where(is_round, jnp.maximum(turned, 1e-300), 1.0))) * jnp.exp(-fall)
    apart = jnp.sqrt(jnp.where(is_round, 1.0, jnp.maximum(-turned, 1e-300)))
    falling = 0.5 * (jnp.exp(apart - fall) + jnp.exp(-apart - fall))
    return -2 * jnp.where(is_round, turning, falling), jnp.exp(-2 * fall)


def pole_radii(sections: Array) -> Array:
    """Return the radius of the outer pole of each section, (n_sections,)."""
    a1, a2 = sections[:, 4], sections[:, 5]
    spread = a1**2 / 4 - a2
    real = jnp.abs(a1) / 2 + jnp.sqrt(jnp.maximum(spread, 0.0))
    return jnp.where(spread < 0, jnp.sqrt(jnp.abs(a2)), real)
