"""A view in one compiled call: filter, cut, minimum and maximum per bin; only what fills the pixels leaves the device.

What does not fit that (gaps, several parts of zero phase, more samples than stay in cache) is filtered chunk by chunk
first; the numbers are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np
import numpy.typing as npt

from jaxscope.engines import compiled
from jaxscope.engines.edges import pad_length, padded
from jaxscope.engines.kernels import bucket
from jaxscope.engines.mixing import on_device, view_mixed
from jaxscope.engines.mixing_host import mixed_on_host
from jaxscope.engines.staging import aligned, bucket_samples
from jaxscope.engines.windows import Envelopes, bin_span
from jaxscope.filters.coefficients import RunningMedian, Taps

if TYPE_CHECKING:
    from jaxscope.engines.jax_engine import JaxProgram

Array = npt.NDArray[Any]

#: samples up to which one call does it all
LARGEST_FUSED = 1 << 20
#: samples of all channels together that one call takes extremes of
_PIECE = 1 << 21


def fused_view(
    program: JaxProgram, x: Array, first_sample: int, bin_size: int, cut: slice, montage: Array | None = None
) -> Envelopes:
    """Return the envelopes of a view; see ``AbstractProgram.view``."""
    start, stop, missing, n_bins = bin_span(first_sample, bin_size, cut, x.shape[1])
    if n_bins == 0 or program.n_channels == 0:
        return Envelopes(*(np.zeros((program.n_channels, n_bins)) for _ in range(6)))
    places = {"before": start, "after": start, "shift": missing, "count": stop - start, "n_valid": x.shape[1]}
    n_rows = max(x.shape[0], program.n_channels)
    if n_rows * x.shape[1] <= LARGEST_FUSED and n_bins * bin_size * n_rows <= 2 * LARGEST_FUSED:
        in_one = _causal if program.is_causal else _both_ways
        found = in_one(program, x, places, bin_size, n_bins, montage)
        if found is not None:
            return found
    if montage is not None:
        x = mixed_on_host(montage, x)
    return _in_pieces(program, x, program.run(x), start, stop, missing, bin_size, n_bins)


def _as_scalars(places: dict[str, int]) -> dict[str, Any]:
    return {name: np.int32(value) for name, value in places.items()}


def _buffer(x: Array, left: int, right: int) -> Array:
    """Return a zeroed, aligned buffer of a compiled length with room for ``left``, ``x`` and ``right``."""
    buffer = aligned((x.shape[0], bucket_samples(left + x.shape[1] + right)), x.dtype)
    buffer[:, left + x.shape[1] + right :] = 0
    return buffer


def _result(out: tuple[Any, ...], n_bins: int) -> Envelopes:
    return Envelopes(*(np.asarray(values)[:, :n_bins] for values in out))


def _all_finite(x: Array) -> bool:
    return bool(np.isfinite(np.add.reduce(x, axis=None))) or bool(np.isfinite(x).all())


def _called(
    way: str, program: JaxProgram, buffer: Array, start: Any, places: dict[str, int], bin_size: int, n_bins: int,
    montage: Array | None,
) -> Envelopes:  # fmt: skip
    """Run the one compiled program of a view, the one with a montage in front where there is one."""
    arguments = (
        jax.device_put(buffer, program.jax_device),
        start,
        _as_scalars(places),
        program.placed_weights(),
    )
    static: dict[str, Any] = {
        "kinds": program.kinds,
        "by_row": program.by_row,
        "dtype": program.precision,
        "bin_size": bin_size,
        "n_bins": bucket(n_bins),
    }
    if montage is not None:
        matrix = on_device(montage, buffer.dtype, program.jax_device)
        out, _ = view_mixed(matrix, *arguments, way=way, **static)
    elif way == "causal":
        out, _ = compiled.view_causal(*arguments, **static)
    else:
        out, _ = compiled.view_both_ways(*arguments, **static)
    return _result(out, n_bins)


def _first(column: Array, montage: Array | None) -> Array:
    """Return the first sample of each channel that is filtered, float64."""
    own = np.asarray(column, dtype=np.float64)
    return own if montage is None else mixed_on_host(montage, own[:, np.newaxis])[:, 0]


def _causal(
    program: JaxProgram, x: Array, places: dict[str, int], bin_size: int, n_bins: int, montage: Array | None
) -> Envelopes | None:
    if not _all_finite(x):
        return None
    head, *parts = program.started_causal(_first(x[:, 0], montage), program.all_rows())
    buffer = _buffer(x, 0, 0)
    buffer[:, : x.shape[1]] = x
    start = (head["offset"], head["level"], tuple(part["state"] for part in parts))
    return _called("causal", program, buffer, start, places, bin_size, n_bins, montage)


def _both_ways(
    program: JaxProgram, x: Array, places: dict[str, int], bin_size: int, n_bins: int, montage: Array | None
) -> Envelopes | None:
    if len(program.kinds) != 1 or program.structure.padding_kind == "gustafsson":
        return None
    part = program.designs[0].parts[0]
    if isinstance(part, RunningMedian) or (isinstance(part, Taps) and part.runs_once) or not _all_finite(x):
        return None
    structure = program.structure
    edges = {
        pad_length(design.parts[0], structure.padding_kind, structure.padding_samples, x.shape[1])
        for design in program.designs
    }
    gains = program.gains()
    if len(edges) > 1 or not np.isfinite(gains).all():
        return None
    edge = edges.pop()
    buffer = _buffer(x, edge, edge)
    buffer[:, : x.shape[1] + 2 * edge] = padded(x, edge, structure.padding_kind)
    states = tuple(np.zeros_like(part["state"]) for part in program.started_causal(gains, program.all_rows())[1:])
    moved = {"before": places["before"] + edge, "after": places["after"] + edge, "n_valid": x.shape[1] + 2 * edge}
    start = (_first(buffer[:, 0], montage), gains, states)
    return _called("both ways", program, buffer, start, {**places, **moved}, bin_size, n_bins, montage)


def _in_pieces(
    program: JaxProgram, x: Array, y: Array, start: int, stop: int, missing: int, bin_size: int, n_bins: int
) -> Envelopes:
    """Take extremes of filtered samples, some bins at a time."""
    per_call = bucket(max(_PIECE // (bin_size * x.shape[0]), 1))
    per_call = min(per_call, bucket(n_bins))
    pieces: list[tuple[Any, ...]] = []
    level = np.zeros(x.shape[0])
    for first_bin in range(0, n_bins, per_call):
        own = min(per_call, n_bins - first_bin)
        begin = max(start, start - missing + first_bin * bin_size)
        end = min(stop, start - missing + (first_bin + own) * bin_size)
        shift = missing if first_bin == 0 else 0
        width = per_call * bin_size
        first, second = (_widened(values[:, begin:end], width) for values in (x, y))
        places = {"before": 0, "after": 0, "shift": shift, "count": end - begin}
        out = compiled.envelopes(
            jax.device_put(first, program.jax_device),
            jax.device_put(second, program.jax_device),
            level,
            _as_scalars(places),
            bin_size=bin_size,
            n_bins=per_call,
        )
        pieces.append(tuple(np.asarray(values)[:, :own] for values in out))
    return Envelopes(*(np.concatenate(column, axis=1) for column in zip(*pieces, strict=True)))


def _widened(values: Array, width: int) -> Array:
    """Return a copy that is ``width`` samples long, zeros behind."""
    wide = np.zeros((values.shape[0], width), dtype=values.dtype)
    wide[:, : values.shape[1]] = values
    return wide
