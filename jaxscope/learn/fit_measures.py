"""What a filter does for each goal, in the numbers that a person reads: power of a band, power and height of spans."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jaxscope.learn.fit import Targets, filtered_spans, squared_magnitude


class Measures(NamedTuple):
    """``band_power`` (n_goals,) is the mean power of After in the bands, 1 is all of Before.

    ``row_power`` and ``row_height`` (n_rows,) are the power of After about its mean in a marked span, and its height
    from lowest to highest; of keeps about its trend.
    """

    band_power: Array
    row_power: Array
    row_height: Array


@partial(jax.jit, static_argnames="zero_phase")
def measure_fit(sections: Array, targets: Targets, *, zero_phase: bool) -> Measures:
    """Return what sections (n_sections, 6) do for each goal."""
    magnitude = squared_magnitude(sections, targets.omega) ** (2 if zero_phase else 1)
    band_power = jnp.sum(targets.share * magnitude * targets.base**2, axis=1)
    n, scored = 2 * (targets.before.shape[1] - 1), targets.scored
    after = jnp.fft.irfft(filtered_spans(sections, targets.before, zero_phase=zero_phase), n)
    count = jnp.maximum(jnp.sum(scored, axis=1, keepdims=True), 1.0)
    level = (after - jnp.sum(after * scored, axis=1, keepdims=True) / count) * scored
    level = level - targets.slope * jnp.sum(level * targets.slope, axis=1, keepdims=True)
    return Measures(band_power, jnp.sum(level**2, axis=1), jnp.max(level, axis=1) - jnp.min(level, axis=1))
