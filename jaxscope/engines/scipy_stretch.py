"""The oracle for a stretch of a signal: the same products as over the whole, where only they are asked for.

SciPy multiplies every sample by every tap, which for long taps is a minute's work for samples that nobody compares.
Here each part of a chain gives no more than the parts after it need. Invariant: the stretch is that of the whole, with
the same starts, padding and holes, and every product is summed directly: a transform would lose digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.engines.edges import pad_length, padded
from jaxscope.engines.scipy_reference import ScipyProgram, finite_copy, part_both_ways, part_step
from jaxscope.engines.segments import Rows, finite_runs
from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections, Taps

Array = npt.NDArray[Any]
#: half-open, in samples of a segment
Span = tuple[int, int]


def reference_stretch(x: Array, design: ChainDesign, first: int, stop: int) -> Array:
    """Return samples ``first`` to ``stop`` of one channel through SciPy in float64.

    Parameters
    ----------
    x : (n_samples,)
        The channel with its context; NaN is missing.
    design : ChainDesign
    first, stop : int
        What is wanted, half-open, in samples of ``x``.

    Returns
    -------
    (stop − first,) float64
    """
    runs = finite_runs(np.isnan(x)) if design.gaps == "segment" else [(0, len(x))]
    y = np.full(stop - first, np.nan)
    for begin, end in runs:
        own = max(first, begin), min(stop, end)
        if own[0] < own[1]:
            span = own[0] - begin, own[1] - begin
            program = _Stretch(design, span)
            y[own[0] - first : own[1] - first] = program.run(x[np.newaxis, begin:end])[0, slice(*span)]
    return y


class _Stretch(ScipyProgram):
    """One channel of one segment, of which a span is wanted; the samples about it may be missing in what it returns."""

    def __init__(self, design: ChainDesign, span: Span) -> None:
        super().__init__([design], n_channels=1, device="cpu:0", precision="float64", reason="only a stretch is wanted")
        self._span = span

    def _advance(self, x: Array, parts: list[dict[str, Array]], rows: Rows) -> tuple[Array, list[dict[str, Array]]]:
        y = finite_copy(x)[0]
        for part, start, span in zip(self.designs[0].parts, parts, self._spans(y.size), strict=True):
            y = _step(part, y, start["state"][0], span)
        return y[np.newaxis], parts

    def _both_ways(self, x: Array, rows: Rows) -> Array:
        y: Array = finite_copy(x)[0]
        for part, span in zip(self.designs[0].parts, self._spans(y.size), strict=True):
            y = _both_ways(part, y, self.structure.padding_kind, self.structure.padding_samples, span)
        return y.reshape(1, -1)

    def _spans(self, n_samples: int) -> list[Span]:
        """Return which samples of each part are needed for the span of the last."""
        spans = [self._span]
        for part in self.designs[0].parts[:0:-1]:
            first, stop = spans[-1]
            reach = self._reach(part)
            before = n_samples if reach is None else reach
            if self.is_causal:
                spans.append((max(0, first - before), stop))
            elif first < before or stop + before > n_samples:  # the padding may be met, and it is made of the ends
                spans.append((0, n_samples))
            else:
                spans.append((first - before, stop + before))
        return spans[::-1]

    def _reach(self, part: Realisation) -> int | None:
        """Return how many samples away a part looks, None where any of them may count."""
        match part:
            case Sections():
                return None if part.rows else 0
            case Taps():
                is_fitted = not self.is_causal and self.structure.padding_kind == "gustafsson" and not part.runs_once
                return None if is_fitted else len(part.values) - 1
            case RunningMedian():
                return part.window - 1


def _blank(values: Array, span: Span, n_samples: int) -> Array:
    y = np.full(n_samples, np.nan)
    y[slice(*span)] = values
    return y


def _products(taps: Array, joined: Array) -> Array:
    """Return the sums of products where all taps meet a sample, (len(joined) − len(taps) + 1,), as ``lfilter`` does."""
    y: Array = np.convolve(joined, taps, mode="valid")
    return y


def _step(part: Realisation, x: Array, state: Array, span: Span) -> Array:
    """Advance a causal part over a segment, from ``state``, and return what is in ``span``."""
    first, stop = span
    match part:
        case Sections():
            return _blank(part_step(part, x[:stop], state)[0][first:], span, x.size)
        case Taps():
            before = np.concatenate((state, x[:stop]))[first:]
            return _blank(_products(part.to_array(), before), span, x.size)
        case RunningMedian():
            before = np.concatenate((state, x[:stop]))[first:]
            return _blank(part_step(part, before[part.window - 1 :], before[: part.window - 1])[0], span, x.size)


def _both_ways(part: Realisation, x: Array, kind: str, samples: int | None, span: Span) -> Array:
    """Run a part with zero phase over a segment and return what is in ``span``."""
    if not isinstance(part, Taps) or (kind == "gustafsson" and not part.runs_once):
        if isinstance(part, RunningMedian):
            x = np.where(np.isfinite(x), x, 0.0)  # what is missing here is not needed for the span
        return _blank(part_both_ways(part, x, kind, samples)[slice(*span)], span, x.size)
    taps, reach = part.to_array(), len(part.values) - 1
    edge = pad_length(part, kind, samples, x.size)
    joined = padded(x[np.newaxis], edge, kind)[0]
    if part.runs_once:
        return _blank(_products(taps, joined[span[0] : span[1] + reach]), span, x.size)
    first, stop = span[0] + edge, span[1] + edge
    forward = _forward(taps, joined, first, min(stop + reach, joined.size))
    over = stop + reach - joined.size
    if over > 0:  # the way back starts with a constant past, the last sample of the way there
        forward = np.concatenate((forward, np.full(over, forward[-1])))
    return _blank(_products(taps, forward[::-1])[::-1], span, x.size)


def _forward(taps: Array, joined: Array, first: int, stop: int) -> Array:
    """Return samples ``first`` to ``stop`` of the way there, which starts with a constant past."""
    reach = len(taps) - 1
    before = np.full(max(0, reach - first), joined[0])
    return _products(taps, np.concatenate((before, joined[max(0, first - reach) : stop])))
