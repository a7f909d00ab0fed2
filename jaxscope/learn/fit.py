"""A filter that is fitted to goals by gradient: bands by its response, marked spans by what it makes of their samples.

What no goal names stays as it is as far as it can: that is a weak goal of its own, so the answer is never "let nothing
through". Everything a step depends on is an argument, so goals of one bucket of shapes are compiled once. A keep may be
late by one delay for all, for a causal filter has one; in zero phase it has none.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import Array, lax

from jaxscope.dsp.response import freqz_sos
from jaxscope.learn.pole_pairs import Pairs, pairs_of, pole_radii, sections_of

FloatArray = npt.NDArray[np.float64]
#: Steps of Adam (Kingma and Ba, 2015) and how fast it learns at first and at last.
STEPS = 400
_FIRST_RATE, _LAST_RATE = 0.06, 0.0008
_BETA_1, _BETA_2, _TINY = 0.9, 0.99, 1e-12
#: How strongly a filter must leave alone what no goal names, and must not make anything larger.
_REST, _GROWTH = 0.02, 0.5
#: A share of the amplitude that is as good as nothing (−80 dB).
_FAINT = 1e-4
#: Down to this share of the amplitude (−50 dB) a removal is worth going on with, and how much a tenth of its power is.
_DEEP, _DEPTH = 3e-3, 0.002


class Targets(NamedTuple):
    """What a filter is fitted to, as arrays; what is padded has weight 0.

    Bands are points (n_goals, n_points) in radians per sample with weights that sum to 1, and the magnitude ``base``
    of the other stages there. ``used`` (n_sections,) is 0 for sections that only fill up. Rows are spans of one channel
    with context around them: the spectra (n_rows, n_lines) of what goes into the filter, ``before``, and of what a
    keep should look like, ``wanted``; ``scored`` (n_rows, n_samples) is 1 in the span itself, ``slope`` a unit ramp
    over it. ``of_goal`` (n_goals, n_rows) spreads the error of the rows over the goals.
    """

    is_keep: Array
    weight: Array
    omega: Array
    share: Array
    base: Array
    rest_omega: Array
    rest_share: Array
    decay: Array
    used: Array
    before: Array
    wanted: Array
    scored: Array
    slope: Array
    row_is_keep: Array
    of_goal: Array


class Stand(NamedTuple):
    """Where a fit stands: ``distance`` is the root of the mean square of ``errors`` (n_goals,), shares of amplitude."""

    distance: Array
    errors: Array
    sections: Array
    radius: Array


def _values_at(sections: Array, omega: Array) -> tuple[Array, Array, Array, Array]:
    """Return real and imaginary part of numerators, then of denominators, (..., n_sections)."""
    at = omega[..., None]
    cos_1, cos_2, sin_1, sin_2 = jnp.cos(at), jnp.cos(2 * at), jnp.sin(at), jnp.sin(2 * at)
    parts = []
    for lead, one, two in ((sections[:, k], sections[:, k + 1], sections[:, k + 2]) for k in (0, 3)):
        parts += [lead + one * cos_1 + two * cos_2, -(one * sin_1 + two * sin_2)]
    return parts[0], parts[1], parts[2], parts[3]


def squared_magnitude(sections: Array, omega: Array) -> Array:
    """Return the square of the magnitude of a cascade at frequencies in radians per sample, same shape as ``omega``."""
    above, above_i, below, below_i = _values_at(sections, omega)
    return jnp.prod((above**2 + above_i**2) / (below**2 + below_i**2), axis=-1)


def normal_sections(pairs: Pairs, targets: Targets) -> Array:
    """Return the sections with the gain that lets what is kept and what no goal names through as it is, on average."""
    used = targets.used[:, None] > 0
    sections = jnp.where(used, sections_of(pairs, targets.decay), jnp.array([1.0, 0, 0, 1, 0, 0]))
    kept = (targets.weight * targets.is_keep)[:, None] * targets.share
    omega = jnp.concatenate([targets.omega.reshape(-1), targets.rest_omega])
    share = jnp.concatenate([kept.reshape(-1), _REST * targets.rest_share])
    level = jnp.sqrt(squared_magnitude(sections, omega) + _FAINT**2)
    mean = jnp.sum(share * level) / jnp.maximum(jnp.sum(share), 1e-30)
    # spread over all, so no section is far from the others in size
    factor = jnp.exp((pairs.gain - jnp.log(mean)) / jnp.maximum(jnp.sum(targets.used), 1.0))
    return jnp.where(used & (jnp.arange(6) < 3), sections * factor, sections)


def _lines(n: int) -> Array:
    """Return the frequencies of the spectrum of ``n`` real samples, in radians per sample."""
    return jnp.linspace(0.0, math.pi, n // 2 + 1, dtype=jnp.float64)


def filtered_spans(sections: Array, spectra: Array, *, zero_phase: bool) -> Array:
    """Return the spectra (n_rows, n_lines) of what the filter makes of rows; forward and backward in zero phase.

    The rows go round: what rings out of their end comes in at their begin. A row has context before what is scored
    that is longer than any pole rings, so of that nothing is left there, and a steady start needs no state.
    """
    n = 2 * (spectra.shape[1] - 1)
    through = freqz_sos(sections, _lines(n))[1]
    return spectra * (through * jnp.conj(through) if zero_phase else through)


def _span_errors(sections: Array, delay: Array, targets: Targets, zero_phase: bool) -> Array:  # noqa: FBT001
    """Return the square of what is wrong with each goal's rows, as a share of their power, (n_goals,)."""
    n = 2 * (targets.before.shape[1] - 1)
    turn = (jnp.zeros((), dtype=delay.dtype) if zero_phase else delay) * _lines(n)
    wanted = targets.wanted * lax.complex(jnp.cos(turn), -jnp.sin(turn))
    after = filtered_spans(sections, targets.before, zero_phase=zero_phase)
    missed = jnp.where(targets.row_is_keep[:, None] > 0, after - wanted, after)
    wrong = jnp.fft.irfft(missed, n) * targets.scored
    count = jnp.maximum(jnp.sum(targets.scored, axis=1, keepdims=True), 1.0)
    wrong = (wrong - jnp.sum(wrong, axis=1, keepdims=True) / count) * targets.scored
    wrong = wrong - targets.slope * jnp.sum(wrong * targets.slope, axis=1, keepdims=True)
    return targets.of_goal @ jnp.sum(wrong**2, axis=1)


def errors_of(numbers: Array, targets: Targets, *, zero_phase: bool) -> tuple[Array, Array]:
    """Return the squared error of each goal (n_goals,) and the sections; an error of 1 is all of it."""
    pairs = pairs_of(numbers)
    sections = normal_sections(pairs, targets)
    passes = 2 if zero_phase else 1
    magnitude = jnp.sqrt(squared_magnitude(sections, targets.omega) + _FAINT**2 * 1e-4) ** passes
    # a keep is of what arrives: what another stage has taken is not asked back
    off = (magnitude - targets.is_keep[:, None]) * targets.base
    errors = jnp.sum(targets.share * off**2, axis=1)
    if targets.before.shape[0]:
        errors = errors + _span_errors(sections, jax.nn.softplus(pairs.delay), targets, zero_phase)
    return errors, sections


def loss_of(numbers: Array, targets: Targets, *, zero_phase: bool) -> tuple[Array, Stand]:
    """Return what descends, and where the filter stands."""
    errors, sections = errors_of(numbers, targets, zero_phase=zero_phase)
    weight = targets.weight / jnp.maximum(jnp.sum(targets.weight), 1e-30)
    # what is removed may go on going down, though its share of the amplitude hardly changes any more
    depth = jnp.log10(1 + errors / _DEEP**2)
    of_goals = jnp.sum(weight * (errors + _DEPTH * (1 - targets.is_keep) * depth))
    rest = jnp.sqrt(squared_magnitude(sections, targets.rest_omega) + _FAINT**2 * 1e-4)
    left = jnp.sum(targets.rest_share * (rest - 1) ** 2)
    grown = jnp.mean(jnp.maximum(rest - 1.06, 0.0) ** 2)
    distance = jnp.sqrt(jnp.sum(weight * errors))
    stand = Stand(distance, errors, sections, jnp.max(pole_radii(sections)))
    return of_goals + _REST * left + _GROWTH * grown, stand


def _rate(step: Array) -> Array:
    """Return how fast the numbers learn: slower towards the end, so that it comes to rest."""
    share = jnp.clip(step / STEPS, 0.0, 1.0)
    return _LAST_RATE + (_FIRST_RATE - _LAST_RATE) * 0.5 * (1 + jnp.cos(math.pi * share))


@partial(jax.jit, static_argnames="zero_phase")
def fit_step(
    numbers: Array, moments: Array, step: Array, targets: Targets, *, zero_phase: bool
) -> tuple[Array, Array, Stand]:
    """Go one step down.

    Parameters
    ----------
    numbers : (4 n_sections + 2,)
        As ``flat_numbers`` gives them.
    moments : (2, 4 n_sections + 2)
        The running means of Adam, 0 at first.
    step : float64 scalar
        How many steps there were before.
    targets : Targets
    zero_phase : bool
        Forward and backward.

    Returns
    -------
    numbers, moments
        After the step.
    stand : Stand
        Before the step.
    """
    slopes_of = jax.value_and_grad(partial(loss_of, zero_phase=zero_phase), has_aux=True)
    (_, stand), slopes = slopes_of(numbers, targets)
    # of one size, for a wall in the way must not be remembered for a hundred steps; an overflow moves nothing
    slopes = jnp.where(jnp.isfinite(slopes), slopes, 0.0)
    slopes = slopes / jnp.maximum(jnp.sqrt(jnp.sum(slopes**2)), _TINY)
    betas = jnp.array([[_BETA_1], [_BETA_2]])
    moments = betas * moments + (1 - betas) * jnp.stack([slopes, slopes**2])
    mean, size = moments / (1 - betas ** (step + 1))
    moved = numbers - _rate(step) * mean / (jnp.sqrt(size) + 1e-8)
    return moved, moments, stand
