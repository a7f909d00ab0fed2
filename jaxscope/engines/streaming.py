"""The way of a long signal through a device: what flows, cut to rows, to stretches of time and to chunks.

Stretches serve signals of fewer channels than cores: each but the first begins early by a halo in which the filter
forgets that it did not see what came before.

Invariant: every sample is filtered once into its place, in whatever order cores take their shares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import jax
import numpy as np
import numpy.typing as npt

from jaxscope.engines.base import NotFiniteError
from jaxscope.engines.segments import Rows

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Samples on their way through the parts ``numbers`` of a program.

    ``x`` (n_rows, n_samples) less ``offset`` (n_rows,) is filtered; the result plus ``level`` (n_rows,) goes to ``y``
    (None: nowhere). ``states`` are those before, one for each part. ``backwards``: the last sample comes first.
    """

    x: Array
    y: Array | None
    numbers: Sequence[int]
    rows: Rows
    states: Sequence[Any]
    offset: Array
    level: Array
    backwards: bool = False

    def place(self, start: int, stop: int) -> slice:
        """Return where the samples number ``start`` to ``stop`` of the flow lie."""
        n = self.x.shape[1]
        return slice(n - stop, n - start) if self.backwards else slice(start, stop)

    def of_rows(self, own: slice) -> Flow:
        """Return the flow of some rows."""
        return replace(
            self,
            x=self.x[own],
            y=None if self.y is None else self.y[own],
            rows=self.rows[own],
            states=[state[own] for state in self.states],
            offset=self.offset[own],
            level=self.level[own],
        )

    def stretches(self, count: int, halo: int) -> list[tuple[Flow | None, Flow]]:
        """Cut the flow in ``count`` of equal length: each with the halo before it, which begins at rest, or None."""
        n = self.x.shape[1]
        bounds = [n * k // count for k in range(count + 1)]
        found: list[tuple[Flow | None, Flow]] = []
        for start, stop in pairwise(bounds):
            own = self.place(start, stop)
            cut = replace(self, x=self.x[:, own], y=None if self.y is None else self.y[:, own])
            if start == 0:
                found.append((None, cut))
                continue
            # a copy, as the stretch before may be filtered in place meanwhile
            earlier = self.x[:, self.place(start - halo, start)].copy()
            rest = [np.zeros_like(state) for state in self.states]
            found.append((replace(self, x=earlier, y=None, states=rest), cut))
        return found


def run_chunks(
    flow: Flow,
    length: int,
    carried: Any,
    fill: Callable[[Array, Array], Any],
    advance: Callable[[Any, Any, Any], tuple[Any, Any]],
    collect: Callable[[Array, int, Any, Array], None],
) -> list[Array]:
    """Run a flow chunk after chunk and return the states after it; raise where a sample is not finite.

    While the device works on a chunk, the one before is collected.

    Parameters
    ----------
    flow : Flow
    length : int
        Samples of a chunk.
    carried : pytree
        The states before, as ``advance`` takes them.
    fill : (samples, offset) → chunk
    advance : (chunk, states, n_valid) → (out, states)
    collect : (y, first, out, level)
        Writes what stands in ``out`` from ``first`` on.
    """
    n = flow.x.shape[1]
    pending: tuple[Array, int, Any] | None = None
    for start in range(0, n, length):
        stop = min(start + length, n)
        place = flow.place(start, stop)
        out, carried = advance(fill(flow.x[:, place], flow.offset), carried, np.int32(stop - start))
        if flow.y is None:
            jax.block_until_ready(carried)  # nobody collects, and the buffer is filled again
            continue
        if pending is not None:
            collect(*pending, flow.level)
        pending = (flow.y[:, place], length - (stop - start) if flow.backwards else 0, out)
    if pending is not None:
        collect(*pending, flow.level)
    after = [np.asarray(state)[: len(flow.rows)] for state in carried]
    raise_unless_finite(after, flow.x)
    return after


def raise_unless_finite(after: Sequence[Array], x: Array) -> None:
    """Raise where a sample is not finite, as the states after it tell.

    A block filter's state keeps every NaN that went in, so its samples need no pass of their own.
    """
    if not all(np.isfinite(state).all() for state in after) and not np.isfinite(x).all():
        raise NotFiniteError


def collect(y: Array, first: int, out: Any, level: Array) -> None:
    """Wait for a chunk and write it from ``first`` on, plus the steady level, to its place."""
    done = np.asarray(out)[: y.shape[0], first : first + y.shape[1]]
    if level.any():
        np.add(done, level[:, np.newaxis].astype(y.dtype), out=y)
    else:
        y[...] = done


def with_rows(state: Array, n_rows: int) -> Array:
    """Return a state with rows of zeros added up to ``n_rows``."""
    missing = n_rows - state.shape[0]
    return np.pad(state, ((0, missing), *((0, 0),) * (state.ndim - 1))) if missing else state
