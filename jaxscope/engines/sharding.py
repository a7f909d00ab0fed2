"""All devices of a backend as one: channels are dealt out over them, or stretches of time where channels are too few.

One program runs on every device at once (jit over a Mesh; each device works on its own rows, nothing is exchanged).
Where there are fewer channels than devices a signal is cut into stretches; each begins early by a halo in which the
filter forgets that it did not see what came before.

Invariant: results are those of one device, bit for bit where rows are dealt out; over time they differ by what twice
the context leaves of a start, 1e-18 of it, which is below rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache, partial
from typing import Any, ClassVar

import jax
import numpy as np
import numpy.typing as npt
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxscope.engines import compiled
from jaxscope.engines.devices import find_device
from jaxscope.engines.jax_engine import JaxProgram
from jaxscope.engines.kernels import BLOCKS, bucket
from jaxscope.engines.segments import Rows
from jaxscope.engines.staging import Stage
from jaxscope.engines.streaming import Flow, run_chunks, with_rows
from jaxscope.filters.coefficients import ChainDesign

Array = npt.NDArray[Any]

#: name of the axis of the mesh
AXIS = "rows"
BY_ROW, EVERYWHERE = PartitionSpec(AXIS), PartitionSpec()


def devices_of(device: str) -> tuple[str, tuple[Any, ...]]:
    """Return the name of a backend and its jax devices, for ``"cpu:all"``; raise as ``find_device`` does."""
    full, first = find_device(device.partition(":")[0])
    return full.partition(":")[0], tuple(jax.devices(first.platform))


@lru_cache(maxsize=8)
def mesh_of(devices: tuple[Any, ...]) -> Mesh:
    """Return a mesh with the one axis ``AXIS`` over ``devices``."""
    return Mesh(np.array(devices), (AXIS,))


@partial(jax.jit, static_argnames=("kinds", "by_row", "mesh"), donate_argnames=("x", "states"))
def advance_everywhere(
    x: Any, states: Any, n_valid: Any, weights: Any, *, kinds: tuple[str, ...], by_row: tuple[bool, ...], mesh: Mesh
) -> Any:
    """Filter one chunk causally on all devices of ``mesh``; rows must divide by their number. See ``compiled.chain``.

    The buffers of ``x`` and ``states`` are given away: results are written into them.
    """
    compiled.count_trace(f"advance everywhere {kinds} {x.shape} {x.dtype} {mesh.size}")
    by_weight = tuple(BY_ROW if rows else EVERYWHERE for rows in by_row)
    local = partial(compiled.chain, kinds=kinds, by_row=by_row)
    return jax.shard_map(
        lambda own, before, count, own_weights: local(own, before, count, own_weights),
        mesh=mesh,
        in_specs=(BY_ROW, BY_ROW, EVERYWHERE, by_weight),
        out_specs=(BY_ROW, BY_ROW),
        check_vma=False,  # kernels carry states of zeros through loops, which the check takes for replicated
    )(x, states, n_valid, weights)


class ShardedStreams(JaxProgram):
    """A program whose rows of samples run on every device of a backend; mixed into each of the methods."""

    turns: ClassVar[bool] = False

    def __init__(
        self, designs: Sequence[ChainDesign], *, n_channels: int, device: str, precision: str, reason: str
    ) -> None:
        backend, devices = devices_of(device)
        super().__init__(designs, n_channels=n_channels, device=f"{backend}:0", precision=precision, reason=reason)
        self.device = f"{backend}:all"
        self.mesh = mesh_of(devices)
        self.reason = f"{self.reason}, on {len(devices)} devices"
        self._shared: list[Any] | None = None

    def _stream(self, flow: Flow) -> list[Array]:
        """Do what one device does, on all of them."""
        piece = self._piece(len(flow.rows), flow.x.shape[1], self._halo(flow.numbers))
        return self._over_time(flow, piece) if piece else self._over_rows(flow)

    # -- stretches of time -----------------------------------------------------------------------------------------
    def _piece(self, n_rows: int, n_samples: int, halo: int) -> int:
        """Return the samples of a stretch, 0 where rows are to be dealt out instead."""
        if n_rows >= self.mesh.size or n_samples <= halo:
            return 0
        piece = (n_samples - halo) // self.mesh.size
        return piece if piece >= max(halo / 2, 1) else 0

    def _over_time(self, flow: Flow, piece: int) -> list[Array]:
        """Run stretches of equal length as rows: the first from the states, the others from rest a halo early."""
        n_rows, n = flow.x.shape
        count = self.mesh.size
        length = n - (count - 1) * piece
        # they overlap by the halo or more; the last one ends with the signal, so its states are the end
        firsts = [k * piece for k in range(count)]
        together = np.concatenate([flow.x[:, first : first + length] for first in firsts])
        filtered = None if flow.y is None else np.empty(together.shape, dtype=self.dtype)
        begun = [
            np.concatenate([state, *(np.zeros_like(state),) * (count - 1)]) for state in map(np.asarray, flow.states)
        ]
        many = Flow(
            x=together, y=filtered, numbers=flow.numbers, rows=np.tile(flow.rows, count), states=begun,
            offset=np.tile(flow.offset, count), level=np.tile(flow.level, count),
        )  # fmt: skip
        after = self._over_rows(many)
        if flow.y is not None and filtered is not None:
            halo = length - piece
            for k, first in enumerate(firsts):
                own = filtered[k * n_rows : (k + 1) * n_rows]
                begin = 0 if k == 0 else halo
                flow.y[:, first + begin : first + length] = own[:, begin:]
        return [state[-n_rows:] for state in after]

    # -- rows --------------------------------------------------------------------------------------------------------
    def _spread(self, values: Any) -> Any:
        """Return a copy with its rows dealt out over the devices; it may be given away, so it shares no memory."""
        return jax.device_put(values, NamedSharding(self.mesh, BY_ROW), may_alias=False)

    def _everywhere_weights(self, numbers: Sequence[int], rows: Rows, n_padded: int) -> tuple[Any, ...]:
        """Return the weights: on every device those of a shared chain, with its rows those of a chain per channel."""
        index = np.concatenate([rows, np.repeat(rows[-1:], n_padded - len(rows))])
        host = self._host_weights()
        if self._shared is None:
            whole = NamedSharding(self.mesh, EVERYWHERE)
            self._shared = [
                None if own else jax.device_put(weight, whole) for own, weight in zip(self.by_row, host, strict=True)
            ]
        return tuple(
            jax.tree.map(lambda leaf: self._spread(np.asarray(leaf)[index]), host[k])
            if self.by_row[k]
            else self._shared[k]
            for k in numbers
        )

    def _over_rows(self, flow: Flow) -> list[Array]:
        """Deal rows out, filled up to a multiple of the devices, and run chunk after chunk."""
        per_device = bucket(-(-len(flow.rows) // self.mesh.size))
        n_padded = per_device * self.mesh.size
        length, _ = self._chunk(per_device, flow.x.shape[1])
        weights = self._everywhere_weights(flow.numbers, flow.rows, n_padded)
        kinds, by_row = (tuple(values[k] for k in flow.numbers) for values in (self.kinds, self.by_row))

        def advance(chunk: Any, carried: Any, n_valid: Any) -> Any:
            return self.noted(
                advance_everywhere(chunk, carried, n_valid, weights, kinds=kinds, by_row=by_row, mesh=self.mesh)
            )

        carried = tuple(self._spread(with_rows(np.asarray(state), n_padded)) for state in flow.states)
        with Stage(n_padded, length, self.dtype, checks=not any(kind in BLOCKS for kind in kinds)) as stage:
            return run_chunks(
                flow, length, carried, lambda x, offset: self._spread(stage.fill(x, offset)), advance, _collect
            )


def _collect(y: Array, first: int, out: Any, level: Array) -> None:
    """Wait for a chunk and write what each device has from ``first`` on, plus the steady level, to its place."""
    for shard in out.addressable_shards:
        own = slice(shard.index[0].start or 0, min(shard.index[0].stop or len(y), len(y)))
        if own.start < own.stop:
            done = np.asarray(shard.data)[: own.stop - own.start, first : first + y.shape[1]]
            np.add(done, level[own, np.newaxis].astype(y.dtype), out=y[own])


@cache
def sharded(method: type[JaxProgram]) -> type[JaxProgram]:
    """Return a method that runs on every device of a backend."""
    return type(f"Sharded{method.__name__}", (ShardedStreams, method), {"method": method.method})
