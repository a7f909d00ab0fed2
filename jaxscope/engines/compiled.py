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


@partial(jax.jit, static_argnames=("bin_size", "n_bins"))
def envelopes(before: Any, after: Any, shift: Any, n_valid: Any, *, bin_size: int, n_bins: int) -> Any:
    """Return minimum and maximum per bin of before, after and before − after.

    ``shift`` samples of the first bin are missing; samples from ``n_valid`` on are ignored. NaN are left out.
    """
    count_trace(f"envelopes {before.shape} {bin_size}")
    width = n_bins * bin_size
    place = jnp.arange(width, dtype=shift.dtype)
    inside = (place >= shift) & (place < shift + n_valid)

    def laid(values: Any) -> Any:
        room = jnp.pad(values, ((0, 0), (bin_size, width)))
        zero = jnp.zeros((), dtype=shift.dtype)
        return jax.lax.dynamic_slice(room, (zero, bin_size - shift), (values.shape[0], width))

    before, after = laid(before), laid(after.astype(before.dtype))
    out = []
    for values in (before, after, before - after):
        kept = inside & ~jnp.isnan(values)
        infinite = jnp.asarray(jnp.inf, dtype=values.dtype)
        low = jnp.where(kept, values, infinite).reshape(-1, n_bins, bin_size).min(axis=2)
        high = jnp.where(kept, values, -infinite).reshape(-1, n_bins, bin_size).max(axis=2)
        empty = low > high
        nothing = jnp.asarray(jnp.nan, dtype=values.dtype)
        out += [jnp.where(empty, nothing, low), jnp.where(empty, nothing, high)]
    return tuple(out)
