"""Zero phase without padding: the initial states for which forward-backward equals backward-forward.

After F. Gustafsson, "Determining the initial states in forward-backward filtering", IEEE Trans. Signal Processing 44
(1996). The states solve a linear least-squares problem; where the response is short only the ends take part in it.
"""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
from jax import Array

from jaxscope.dsp.block_iir import matmul

#: (rows (n_rows, n), states (n_rows, order)) → rows
Filter = Callable[[Array, Array], Array]


def gustafsson(run: Filter, order: int, x: Array, irlen: int | None) -> Array:
    """Return rows ``x``, (n_rows, n), filtered forward and backward with the best initial states.

    Parameters
    ----------
    run : callable
        Filters rows from given states.
    order : int
        Numbers in a state, at least 1.
    x : (n_rows, n)
    irlen : int or None
        Samples in which the filter forgets; None takes the whole signal into account.
    """
    n = x.shape[1]
    m = n if irlen is None or n <= 2 * irlen else irlen
    unit = jnp.eye(order, dtype=x.dtype)
    free = run(jnp.zeros((order, m), dtype=x.dtype), unit)  # what each state leaves, (order, m)
    back = run(free[:, ::-1], jnp.zeros_like(unit))  # and what that becomes on the way back
    return _corrected(_transients(run, x), free, back, m, n)


def _transients(run: Filter, x: Array) -> tuple[Array, Array]:
    """Return x run forward and backward, and what backward and forward differs from it, both from rest."""
    rest = run_rest(run, x)
    forward_backward = run_rest(run, rest[:, ::-1])[:, ::-1]
    backward_forward = run_rest(run, run_rest(run, x[:, ::-1])[:, ::-1])
    return forward_backward, backward_forward - forward_backward


def run_rest(run: Filter, x: Array) -> Array:
    """Run from rest; the filter knows how many numbers a state has, so none are given."""
    return run(x, jnp.zeros((x.shape[0], 0), dtype=x.dtype))


def _corrected(pair: tuple[Array, Array], free: Array, back: Array, m: int, n: int) -> Array:
    y, difference = pair
    order = free.shape[0]
    turned_free, turned_back = free[:, ::-1], back[:, ::-1]
    if m == n:
        system = jnp.concatenate([turned_back - free, turned_free - back])
        wanted = difference
        answer = jnp.concatenate([turned_back, turned_free])
    else:
        nothing = jnp.zeros((order, m), dtype=y.dtype)

        def at_ends(first: Array, last: Array) -> Array:
            return jnp.concatenate(
                [jnp.concatenate([first, nothing], axis=1), jnp.concatenate([nothing, last], axis=1)]
            )

        system = at_ends(turned_back - free, turned_free - back)
        wanted = jnp.concatenate([difference[:, :m], difference[:, n - m :]], axis=1)
        answer = at_ends(turned_back, turned_free)
    best = jnp.linalg.lstsq(system.T, wanted.T)[0]
    added = matmul(best.T, answer)
    return y + added if m == n else y.at[:, :m].add(added[:, :m]).at[:, n - m :].add(added[:, m:])
