"""How a signal is continued beyond its ends before it runs forward and backward, as in SciPy."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
from jax import Array


def extension_of(padtype: str | None, padlen: int | None, n_samples: int, default: int) -> int:
    """Return how many samples are added on each side; raise as SciPy does where the signal is too short."""
    if padtype not in ("odd", "even", "constant", None):
        raise ValueError(f"padtype {padtype!r} is unknown; choose odd, even, constant or None")
    edge = 0 if padtype is None else default if padlen is None else padlen
    if edge < 0:
        raise ValueError(f"padlen is {edge}; give 0 or more")
    if n_samples <= edge:
        raise ValueError(f"the signal has {n_samples} samples; it must have more than padlen, which is {edge}")
    return edge


def extended(x: Array, edge: int, padtype: str | None) -> Array:
    """Continue rows (n_rows, n) by ``edge`` samples on both sides."""
    if edge == 0:
        return x
    first, last = x[:, :1], x[:, -1:]
    if padtype == "constant":
        left, right = jnp.repeat(first, edge, axis=1), jnp.repeat(last, edge, axis=1)
    else:
        left, right = x[:, edge:0:-1], x[:, -2 : -(edge + 2) : -1]
        if padtype == "odd":
            left, right = 2 * first - left, 2 * last - right
    return jnp.concatenate([left, x, right], axis=1)


def both_ways(once: Callable[[Array], Array], x: Array, edge: int, padtype: str | None) -> Array:
    """Run ``once`` over the extended rows, then over the reversed result, and cut the extension off again."""
    forward = once(extended(x, edge, padtype))
    backward = once(forward[:, ::-1])[:, ::-1]
    return backward[:, edge : backward.shape[1] - edge]
