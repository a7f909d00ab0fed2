"""Run by test_sharding in processes of their own: the example of the partitioning pages, and filters, on many devices.

sharded_example.py one N                      a process with N fake devices
sharded_example.py two PORT RANK              one of two processes with one device each, joined over loopback
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial

if __name__ == "__main__":
    fake = int(sys.argv[2]) if sys.argv[1] == "one" else 1
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={fake}"
    os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
import scipy.signal
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxscope import dsp
from jaxscope.engines.program import make_program
from jaxscope.filters.coefficients import ChainDesign, Sections, Taps

TAPS = (0.5, 1.0, 0.5)
EXAMPLE = np.arange(8.0)
SOS = scipy.signal.butter(3, 0.2, output="sos")


def same(x):
    """Convolve ``same``: the causal filter, one sample early."""
    return dsp.fir(jnp.asarray(TAPS), jnp.pad(x, (0, 1)))[1:]


def by_sharding(devices) -> jax.Array:
    """The example through ``jit`` alone: the work is parted by the shardings of argument and result."""
    over_time = NamedSharding(Mesh(np.array(devices), ("time",)), PartitionSpec("time"))
    x = jax.make_array_from_callback(EXAMPLE.shape, over_time, lambda index: EXAMPLE[index])
    return jax.jit(same, out_shardings=over_time, donate_argnums=0)(x)


def rows_by_sharding(devices, x: np.ndarray) -> jax.Array:
    """Sections on channels that are dealt out over devices, the coefficients being on all of them."""
    mesh = Mesh(np.array(devices), ("channels",))
    over_channels = NamedSharding(mesh, PartitionSpec("channels", None))
    rows = jax.make_array_from_callback(x.shape, over_channels, lambda index: x[index])
    return jax.jit(partial(dsp.sosfilt, SOS), out_shardings=over_channels)(rows)


def own_part(y: jax.Array) -> dict[str, list]:
    """What of an array this process has: where each piece starts along the first axis, and its samples."""
    return {str(shard.index[0].start or 0): np.asarray(shard.data).tolist() for shard in y.addressable_shards}


def design(part) -> ChainDesign:
    return ChainDesign(
        rate_hz=1.0, parts=(part,), phase="causal", initial="rest", padding_kind="odd", padding_samples=None,
        gaps="segment",
    )  # fmt: skip


def by_engine(part, x: np.ndarray) -> dict[str, list[list[float]]]:
    """What one device and all devices make of ``x``."""
    ran = {}
    for device in ("cpu:0", "cpu:all"):
        program = make_program(design(part), n_channels=x.shape[0], device=device)
        ran[program.device] = program.run(x).tolist()
    return ran


def signals(n_channels: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal((n_channels, 700))


def main() -> dict[str, object]:
    if sys.argv[1] == "two":
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(f"127.0.0.1:{sys.argv[2]}", num_processes=2, process_id=int(sys.argv[3]))
    devices = jax.devices()
    counts = (1, 2, 4) if sys.argv[1] == "one" else (2,)
    said: dict[str, object] = {
        "devices": len(devices),
        "examples": {str(count): own_part(by_sharding(devices[:count])) for count in counts},
        "rows": own_part(rows_by_sharding(devices, signals(4))),
    }
    if sys.argv[1] == "one":
        sections = Sections(tuple(tuple(row) for row in SOS.tolist()))
        padded = np.pad(EXAMPLE, (0, 1))[np.newaxis]
        said["engine example"] = by_engine(Taps(TAPS), padded)
        said["engine few"] = by_engine(sections, signals(1))
        said["engine many"] = by_engine(sections, signals(6))
    return said


if __name__ == "__main__":
    result = main()
    sys.stdout.write(json.dumps(result))
    sys.stdout.flush()
    if sys.argv[1] == "two":
        jax.distributed.shutdown()
