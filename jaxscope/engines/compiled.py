"""The functions that jax compiles: one per structure and bucket, coefficients and states being arguments.

Invariant: nothing here depends on a coefficient, so a hundred moves of a knob compile once; ``compilations`` counts.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from jaxscope.engines.kernels import KERNELS

_LOCK = threading.Lock()
_traced: list[str] = []


def compilations() -> int:
    """Return how many programs have been traced and compiled since the start."""
    return len(_traced)


def count_trace(name: str) -> None:
    """Note that a function is being traced; called from inside the functions that jax compiles."""
    with _LOCK:
        _traced.append(name)


def chain(x: Any, states: Any, n_valid: Any, weights: Any, kinds: tuple[str, ...], by_row: tuple[bool, ...]) -> Any:
    """Run ``x`` through one kernel after the other; return the result and the states."""
    after = []
    for kind, rows, state, weight in zip(kinds, by_row, states, weights, strict=True):
        kernel = KERNELS[kind]
        x, state = (kernel.apply_rows if rows else kernel.apply)(x, state, n_valid, weight)
        after.append(state)
    return x, tuple(after)


@partial(jax.jit, static_argnames=("kinds", "by_row"))
def advance(
    x: Any, states: Any, n_valid: Any, weights: Any, *, kinds: tuple[str, ...], by_row: tuple[bool, ...]
) -> Any:
    """Filter one chunk causally; see ``chain``."""
    count_trace(f"advance {kinds} {x.shape} {x.dtype}")
    return chain(x, states, n_valid, weights, kinds, by_row)


@partial(jax.jit, static_argnames=("kinds", "by_row"), compiler_options={"xla_cpu_multi_thread_eigen": False})
def advance_alone(
    x: Any, states: Any, n_valid: Any, weights: Any, *, kinds: tuple[str, ...], by_row: tuple[bool, ...]
) -> Any:
    """Do ``advance`` on one CPU core, for callers that keep the other cores busy themselves."""
    count_trace(f"advance alone {kinds} {x.shape} {x.dtype}")
    return chain(x, states, n_valid, weights, kinds, by_row)


def _laid(values: Any, start: Any, shift: Any, width: int, bin_size: int) -> Any:
    """Return ``width`` samples of which the one at ``shift`` is ``values[:, start]``."""
    room = jnp.pad(values, ((0, 0), (bin_size, width)))
    zero = jnp.zeros((), dtype=start.dtype)
    return jax.lax.dynamic_slice(room, (zero, start + bin_size - shift), (values.shape[0], width))


def _extremes(values: Any, inside: Any, bin_size: int) -> tuple[Any, Any]:
    """Return minimum and maximum per bin over the samples that are ``inside`` and not NaN; NaN where there are none."""
    kept = inside & ~jnp.isnan(values)
    infinite, nothing = (jnp.asarray(value, dtype=values.dtype) for value in (jnp.inf, jnp.nan))
    shape = (*values.shape[:-1], values.shape[-1] // bin_size, bin_size)
    low = jnp.where(kept, values, infinite).reshape(shape).min(axis=-1)
    high = jnp.where(kept, values, -infinite).reshape(shape).max(axis=-1)
    is_empty = low > high
    return jnp.where(is_empty, nothing, low), jnp.where(is_empty, nothing, high)


def _three_extremes(
    before: Any, after: Any, level: Any, places: dict[str, Any], bin_size: int, n_bins: int
) -> tuple[Any, ...]:
    """Return the extremes of before, of after + level and of their difference, in float64.

    ``places`` holds int32 scalars: ``before`` and ``after``, where the view starts in each; ``shift``, how many samples
    its first bin lacks; ``count``, how many samples it has.
    """
    width = n_bins * bin_size
    shift = places["shift"]
    number = jnp.arange(width, dtype=shift.dtype)
    inside = (number >= shift) & (number < shift + places["count"])
    first = _laid(before, places["before"], shift, width, bin_size)
    second = _laid(after, places["after"], shift, width, bin_size)
    # the level is added to few numbers at the end, in float64, where it costs no digit of a small signal
    wide = jnp.float64
    removed = first.astype(wide) - (second.astype(wide) + level[:, None])
    pairs = [_extremes(values, inside, bin_size) for values in (first, second, removed)]
    before_pair, after_pair, removed_pair = ([values.astype(wide) for values in pair] for pair in pairs)
    return (*before_pair, *(values + level[:, None] for values in after_pair), *removed_pair)


@partial(jax.jit, static_argnames=("bin_size", "n_bins"))
def envelopes(before: Any, after: Any, level: Any, places: Any, *, bin_size: int, n_bins: int) -> Any:
    """Return the six envelopes of what has been filtered already; see ``_three_extremes``."""
    count_trace(f"envelopes {before.shape} {bin_size}")
    return _three_extremes(before, after, level, places, bin_size, n_bins)


@partial(jax.jit, static_argnames=("kinds", "by_row", "dtype", "bin_size", "n_bins"))
def view_causal(
    x: Any, start: Any, places: Any, weights: Any, *, kinds: Any, by_row: Any, dtype: str, bin_size: int, n_bins: int
) -> Any:
    """Filter, cut and take extremes in one program; ``start`` holds offset, level and states. See ``advance``.

    Also returns the states, which are not finite where a sample was not.
    """
    count_trace(f"view {kinds} {x.shape} {dtype} {bin_size}")
    offset, level, states = start
    moved = (x - offset[:, None].astype(x.dtype)).astype(dtype)
    y, after = chain(moved, states, places["n_valid"], weights, kinds, by_row)
    return _three_extremes(x, y, level, places, bin_size, n_bins), after


@partial(jax.jit, static_argnames=("kinds", "by_row", "dtype", "bin_size", "n_bins"))
def view_both_ways(
    x: Any, start: Any, places: Any, weights: Any, *, kinds: Any, by_row: Any, dtype: str, bin_size: int, n_bins: int
) -> Any:
    """Do ``view_causal`` with one part of zero phase, over padded ``x``; ``start`` holds offset, gain, zero states."""
    count_trace(f"view both ways {kinds} {x.shape} {dtype} {bin_size}")
    offset, gain, states = start
    n_valid = places["n_valid"]
    length = x.shape[1]
    moved = (x - offset[:, None].astype(x.dtype)).astype(dtype)
    forward, after = chain(moved, states, n_valid, weights, kinds, by_row)
    # reversed, with the valid samples in front
    turned = jnp.roll(forward[:, ::-1], n_valid - length, axis=1)
    last = turned[:, :1]
    backward, ended = chain(turned - last, states, n_valid, weights, kinds, by_row)
    level = gain * (gain * offset + last[:, 0].astype(jnp.float64))
    places = {**places, "after": places["after"] + length - n_valid}
    return _three_extremes(x, backward[:, ::-1], level, places, bin_size, n_bins), (after, ended)
