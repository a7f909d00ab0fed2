"""Measures what each method costs on a grid of sizes and shapes, for ``method_costs``.

What would take too long is not measured: there a method costs, per sample, what it cost at the length before. A method
that is far behind at one size is not tried at larger ones; it is taken to grow with them. Each point is the quickest of
a few runs, as others on the machine only ever make a run slower.
"""

from __future__ import annotations

import json
import os
import platform as host
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import jax
import numpy as np
import numpy.typing as npt
from scipy import signal

from jaxscope.engines.base import AbstractProgram
from jaxscope.engines.bench_scenes import design_of, noise, sections_of
from jaxscope.engines.devices import find_device
from jaxscope.engines.method_costs import FILE_FORMAT, FILE_VERSION, TOO_SLOW_NS, decoded, forget, table_name
from jaxscope.engines.methods import METHODS, RUNS_BY
from jaxscope.errors import UsageError
from jaxscope.filters.coefficients import ChainDesign, Taps

Array = npt.NDArray[Any]
Report = Callable[[float, str], None]

CHANNELS, SAMPLES = (1, 8, 64, 512), (64, 1024, 16384, 262144)
#: kind of part: its sizes, channels, samples, and the methods that differ for it
GRID: dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[str, ...]]] = {
    "sections": ((1, 2, 4, 8, 16), CHANNELS, SAMPLES, ("block", "scan", "scipy")),
    "taps": ((8, 32, 64, 128, 256, 512, 1024, 8192), CHANNELS, SAMPLES, ("toeplitz", "overlap-save", "scipy")),
    "sections by channel": ((1, 4, 16), (2, 64), (1024, 16384), ("block", "scan", "scipy")),
    "taps by channel": ((32, 64, 128, 256, 1024), (2, 64), (1024, 16384), ("toeplitz", "overlap-save", "scipy")),
}
#: accelerators have a method more
ON_ACCELERATORS = {"sections": ("associative",), "sections by channel": ("associative",)}
PRECISIONS = ("float32", "float64")
#: samples of all channels together up to which is measured, and seconds that one run may take
MOST_SAMPLES, MOST_S = 1 << 22, 0.2
#: runs of a point, in each of the passes over the whole grid, between which whatever disturbed the first may have ended
RUNS, PASSES = 3, 2
#: times slower than the best from which a method is left out at larger sizes
FAR_BEHIND = 5.0
#: a run is repeated until it has taken so long, as a single short one is all noise
LEAST_S = 2e-3


def designs_for(kind: str, size: int, n_channels: int) -> list[ChainDesign]:
    """Return chains of one part of a kind, one for all channels or one for each."""
    is_by_channel = kind.endswith("by channel")
    edges = np.linspace(0.2, 0.3, n_channels if is_by_channel else 1)
    if kind.startswith("sections"):
        designed = [signal.butter(2 * size, edge, output="sos") for edge in edges]
        return [design_of(sections_of(sos)) for sos in designed]
    return [design_of(Taps(tuple(signal.firwin(size, edge).tolist()))) for edge in edges]


def program_for(
    method: str, designs: Sequence[ChainDesign], n_channels: int, device: str, dtype: str
) -> AbstractProgram:
    """Return a program of a method, whatever ``auto`` would take."""
    made: type[AbstractProgram] = METHODS[method]
    return made(designs, n_channels=n_channels, device=device, precision=dtype, reason="")


def quickest(function: Callable[[], Any], runs: int = RUNS) -> float:
    """Return the seconds of the quickest of some runs, the first of all not counted."""
    function()
    best = float("inf")
    for _ in range(runs):
        repeats, begun = 0, time.perf_counter()
        while True:
            function()
            repeats += 1
            spent = time.perf_counter() - begun
            if spent >= LEAST_S:
                break
        best = min(best, spent / repeats)
    return best


def measured(kind: str, precision: str, device: str, tell: Callable[[], None]) -> dict[str, Array]:
    """Return nanoseconds per sample over the grid of one kind, for each method."""
    sizes, channels, samples, methods = GRID[kind]
    if not device.startswith("cpu"):
        methods = (*methods, *ON_ACCELERATORS.get(kind, ()))
    ns = {method: np.full((len(sizes), len(channels), len(samples)), TOO_SLOW_NS) for method in methods}
    for (j, n_channels), (i, size) in product(enumerate(channels), enumerate(sizes)):
        designs = designs_for(kind, size, n_channels)
        best = np.min([values[i - 1, j] for values in ns.values()], axis=0)
        for method, values in ns.items():
            if i > 0 and (values[i - 1, j] > FAR_BEHIND * best).all():
                values[i, j] = values[i - 1, j] * size / sizes[i - 1]
            else:
                program = program_for(_runs(method, kind), designs, n_channels, device, precision)
                values[i, j] = _measured_lengths(program, samples)
        tell()
    return ns


def as_table(kind: str, ns: dict[str, Array]) -> dict[str, Any]:
    """Return the table of one kind as the file has it."""
    sizes, channels, samples, _ = GRID[kind]
    return {
        "sizes": list(sizes),
        "channels": list(channels),
        "samples": list(samples),
        "ns": {
            method: [[_short(row) for row in plane] for plane in without_spikes(values)]
            for method, values in ns.items()
        },
    }


def _measured_lengths(program: AbstractProgram, samples: Sequence[int]) -> list[float]:
    """Return nanoseconds per sample for signals of some lengths."""
    found: list[float] = []
    for n_samples in samples:
        total = program.n_channels * n_samples
        if not found or (total <= MOST_SAMPLES and min(found) * total * 1e-9 <= MOST_S):
            x = noise(program.n_channels, n_samples, program.precision)
            found.append(quickest(partial(program.run, x)) / total * 1e9)
        else:
            found.append(min(found))
    return found


def without_spikes(values: Array) -> Array:
    """Return costs over (sizes, channels, samples) without what others on the machine have added.

    A sample costs no more where there are more of them or more channels, and no less with more sections or taps; so
    the least of the neighbours on those sides is an upper bound. Noise only ever adds.

    Examples
    --------
    >>> without_spikes(np.array([[[5.0, 9.0, 3.0]], [[4.0, 4.0, 4.0]]])).tolist()
    [[[4.0, 4.0, 3.0]], [[4.0, 4.0, 4.0]]]
    """
    calm = np.minimum.accumulate(values, axis=2)
    calm = np.minimum.accumulate(calm, axis=1)
    return np.minimum.accumulate(calm[::-1], axis=0)[::-1]


def _runs(kernel: str, kind: str) -> str:
    """Return a method that runs a kind of part by a kernel."""
    part = kind.partition(" ")[0]
    return next(method for method, by in RUNS_BY.items() if by[part] == kernel)


def _short(values: Array) -> list[float]:
    return [float(f"{value:.3g}") for value in values]


def calibrate(target: Path, *, device: str = "cpu:0", report: Report | None = None) -> dict[str, Any]:
    """Measure all tables on a device and write them to ``target``, beside those of other platforms that it has.

    Returns
    -------
    dict
        ``path, platform, device, seconds``.

    Raises
    ------
    DeviceError
        Where the device cannot be used.
    UsageError
        Where the file cannot be written.
    """
    begun = time.perf_counter()
    full, jax_device = find_device(device)
    n_steps = PASSES * len(PRECISIONS) * sum(len(sizes) * len(channels) for sizes, channels, _, _ in GRID.values())
    done = 0
    found: dict[tuple[str, str], dict[str, Array]] = {}
    for _, kind, precision in product(range(PASSES), GRID, PRECISIONS):

        def tell(name: str = table_name(kind, precision)) -> None:
            nonlocal done
            done += 1
            if report is not None:
                report(done / n_steps, name)

        ns = measured(kind, precision, full, tell)
        before = found.get((kind, precision), ns)
        found[kind, precision] = {method: np.minimum(values, before[method]) for method, values in ns.items()}
    tables = {table_name(kind, precision): as_table(kind, ns) for (kind, precision), ns in found.items()}
    backend = full.partition(":")[0]
    told = {"device": device_words(jax_device), "jax": jax.__version__, "tables": tables}
    _write(target, backend, told)
    seconds = time.perf_counter() - begun
    return {"path": str(target), "platform": backend, "device": told["device"], "seconds": seconds}


def device_words(jax_device: Any) -> str:
    """Return what a device is, for people who read the file."""
    if jax_device.platform != "cpu":
        return str(jax_device.device_kind)
    return f"{host.machine()}, {os.cpu_count()} cores"


def _write(target: Path, backend: str, told: dict[str, Any]) -> None:
    content: dict[str, Any] = {"format": FILE_FORMAT, "version": FILE_VERSION, "platforms": {}}
    try:
        if target.exists():
            content["platforms"] = json.loads(target.read_text(encoding="utf-8")).get("platforms", {})
        content["platforms"][backend] = told
        decoded(content)  # what is written can be read
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_name(f"{target.name}.part")
        unfinished.write_text(json.dumps(content) + "\n", encoding="utf-8")
        unfinished.replace(target)
    except (OSError, ValueError) as error:
        raise UsageError(f"the measurements cannot be kept in {target}: {error}", hint="name another file") from error
    forget()
