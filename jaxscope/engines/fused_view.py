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
from jaxscope.engines.row_groups import row_groups
from jaxscope.engines.segments import Rows
from jaxscope.engines.staging import aligned, bucket_samples
from jaxscope.engines.streaming import with_rows
from jaxscope.engines.windows import Envelopes, bin_span
from jaxscope.filters.coefficients import RunningMedian, Taps
from jaxscope.side_by_side import side_by_side

if TYPE_CHECKING:
    from jaxscope.engines.jax_engine import JaxProgram

Array = npt.NDArray[Any]

#: samples of all channels of a call up to which it does it all
LARGEST_FUSED = 1 << 21
#: samples of all channels together in one call; measured: beyond, a CPU fetches its scratch memory anew from the
#: system each time, which takes ten times as long as the work
AT_ONCE = 1 << 18


def fused_view(
    program: JaxProgram, x: Array, first_sample: int, bin_size: int, cut: slice, montage: Array | None = None
) -> Envelopes:
    """Return the envelopes of a view; see ``AbstractProgram.view``."""
    start, stop, missing, n_bins = bin_span(first_sample, bin_size, cut, x.shape[1])
    if n_bins == 0 or program.n_channels == 0:
        return Envelopes(*(np.zeros((program.n_channels, n_bins)) for _ in range(6)))
    places = {"before": start, "after": start, "shift": missing, "count": stop - start, "n_valid": x.shape[1]}
    per_row = max(x.shape[1], n_bins * bin_size)
    is_split = program.backend == "cpu" and montage is None
    groups = row_groups(program.n_channels, max(AT_ONCE // per_row, 1) if is_split else program.n_channels, 0)
    size = groups[0].stop
    if max(size, 0 if montage is None else x.shape[0]) * per_row <= LARGEST_FUSED:
        in_one = _causal if program.is_causal else _both_ways
        program.placed_weights(), program.gains()  # before threads ask for them

        def view_of(own: slice) -> Envelopes | None:
            samples = x if montage is not None else x[own]
            return in_one(program, samples, program.all_rows()[own], size, places, bin_size, n_bins, montage)

        found = side_by_side(view_of, groups) if len(groups) > 1 else [view_of(groups[0])]
        whole = [part for part in found if part is not None]
        if len(whole) == len(groups):
            return Envelopes(*(np.concatenate(column) for column in zip(*whole, strict=True)))
    if montage is not None:
        x = mixed_on_host(montage, _wide(program, x))
    return _in_pieces(program, x, program.run(x), start, stop, missing, bin_size, n_bins)


def _as_scalars(places: dict[str, int]) -> dict[str, Any]:
    return {name: np.int32(value) for name, value in places.items()}


def _buffer(x: Array, n_rows: int) -> Array:
    """Return an aligned buffer of a compiled length that begins with ``x``, zeros behind and in rows below."""
    buffer = aligned((n_rows, bucket_samples(x.shape[1])), x.dtype)
    buffer[: x.shape[0], : x.shape[1]] = x
    buffer[: x.shape[0], x.shape[1] :] = 0
    buffer[x.shape[0] :] = 0
    return buffer


def _wide(program: JaxProgram, x: Array) -> Array:
    """Return ``x`` in the wider of its precision and the program's: what is added to it or taken off loses nothing."""
    return x.astype(np.result_type(x.dtype, program.dtype), copy=False)


def _all_finite(x: Array) -> bool:
    return bool(np.isfinite(np.add.reduce(x, axis=None))) or bool(np.isfinite(x).all())


def _called(
    way: str, program: JaxProgram, buffer: Array, start: Any, rows: Rows, places: dict[str, int], bin_size: int,
    n_bins: int, montage: Array | None,
) -> Envelopes:  # fmt: skip
    """Run the one compiled program of a view, the one with a montage in front where there is one."""
    size = buffer.shape[0] if montage is None else len(rows)
    arguments = (
        jax.device_put(buffer, program.jax_device),
        jax.tree.map(lambda leaf: with_rows(np.asarray(leaf), size), start),
        _as_scalars(places),
        program.weights_for(rows, size),
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
    return Envelopes(*(np.asarray(values)[: len(rows), :n_bins] for values in out))


def _first(column: Array, montage: Array | None) -> Array:
    """Return the first sample of each channel that is filtered, float64."""
    own = np.asarray(column, dtype=np.float64)
    return own if montage is None else mixed_on_host(montage, own[:, np.newaxis])[:, 0]


def _causal(
    program: JaxProgram, x: Array, rows: Rows, size: int, places: dict[str, int], bin_size: int, n_bins: int,
    montage: Array | None,
) -> Envelopes | None:  # fmt: skip
    if not _all_finite(x):
        return None
    x = _wide(program, x)
    head, *parts = program.started_causal(_first(x[:, 0], montage), rows)
    start = (head["offset"], head["level"], tuple(part["state"] for part in parts))
    buffer = _buffer(x, size if montage is None else x.shape[0])
    return _called("causal", program, buffer, start, rows, places, bin_size, n_bins, montage)


def _both_ways(
    program: JaxProgram, x: Array, rows: Rows, size: int, places: dict[str, int], bin_size: int, n_bins: int,
    montage: Array | None,
) -> Envelopes | None:  # fmt: skip
    structure = program.structure
    if len(program.kinds) != 1 or structure.padding_kind == "gustafsson":
        return None
    part = program.designs[0].parts[0]
    if isinstance(part, RunningMedian) or (isinstance(part, Taps) and part.runs_once) or not _all_finite(x):
        return None
    edges = {
        pad_length(design.parts[0], structure.padding_kind, structure.padding_samples, x.shape[1])
        for design in program.designs
    }
    gains = program.gains()
    if len(edges) > 1 or not np.isfinite(gains).all():
        return None
    edge = edges.pop()
    buffer = _buffer(padded(_wide(program, x), edge, structure.padding_kind), size if montage is None else x.shape[0])
    states = tuple(np.zeros_like(part["state"]) for part in program.started_causal(gains[rows], rows)[1:])
    moved = {"before": places["before"] + edge, "after": places["after"] + edge, "n_valid": x.shape[1] + 2 * edge}
    start = (_first(buffer[: x.shape[0], 0], montage), gains[rows], states)
    return _called("both ways", program, buffer, start, rows, {**places, **moved}, bin_size, n_bins, montage)


def _in_pieces(
    program: JaxProgram, x: Array, y: Array, start: int, stop: int, missing: int, bin_size: int, n_bins: int
) -> Envelopes:
    """Take extremes of filtered samples, some bins at a time."""
    per_call = bucket(max(AT_ONCE // (bin_size * x.shape[0]), 1))
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
