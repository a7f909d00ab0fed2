"""How far the shown samples are from SciPy in float64: measured after each edit, on a few seconds of a few channels.

The reference sees the same samples with the same context, so what is measured is the engine and not the window. The
error is relative to the larger of the output's peak and the input's spread about its mean.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from jaxscope.compute.frames import AgreementFrame
from jaxscope.compute.library import ProgramKey, ProgramLibrary
from jaxscope.compute.scheduler import CancelToken, Steps
from jaxscope.compute.trace_blocks import Samples, ShownSamples
from jaxscope.compute.workbench import Shown, Workbench
from jaxscope.data.recording import Recording
from jaxscope.errors import counted
from jaxscope.filters.coefficients import ChainDesign, Taps

FloatArray = npt.NDArray[np.float64]
SECONDS = 2.0
CHANNELS = 3
#: Longest read for the reference, in samples; beyond it nothing is measured.
LONGEST = 2_000_000
#: Most products of a tap and a sample for the reference, a second's work or so: SciPy multiplies them all out, and
#: meanwhile nothing else is computed.
MOST_PRODUCTS = 1_000_000_000


def agreement_work(bench: Workbench, shown: Shown) -> Callable[[CancelToken], Steps | None]:
    """Return the work that measures a frame and delivers the result."""

    def work(_token: CancelToken) -> None:
        request, rendered = shown.request, shown.rendered
        if not rendered.method:
            return
        result = None
        if rendered.method != "scipy" or request.precision != "float64":
            result = measure(shown.wish.entry.recording, rendered.samples, bench.programs)
        relative, largest, checked = result or (None, None, "")
        if rendered.method == "scipy" and request.precision == "float64":
            checked = "SciPy in float64 is the reference itself"
        bench.deliver(
            AgreementFrame(revision=shown.wish.revision, relative_error=relative, max_abs=largest, checked=checked)
        )

    return work


def measure(
    recording: Recording, samples: tuple[ShownSamples, ...], programs: ProgramLibrary
) -> tuple[float, float, str] | None:
    """Return relative error, largest error and what was checked; None where nothing could be."""
    worst: tuple[float, float] | None = None
    checked = 0
    seconds = 0.0
    for part in samples:
        rows = [row for row, design in enumerate(part.group.designs) if design is not None and design.parts]
        rows = rows[:: max(1, -(-len(rows) // CHANNELS))][: CHANNELS - checked]
        length = part.piece.read_stop - part.piece.read_first
        n_taps = sum(_taps_of(part.group.designs[row]) for row in rows)
        if not rows or length > LONGEST or n_taps * length > MOST_PRODUCTS or part.n_samples == 0:
            continue
        x = recording.read(part.piece.read_first, part.piece.read_stop, [part.group.channels[row] for row in rows])
        x = part.group.bad.of_rows(rows).masked(x, part.piece.read_first)
        reference = reference_of(x, [part.group.designs[row] for row in rows], programs)
        lead = part.first_sample - part.piece.read_first
        before, shown = part.of_rows(rows)
        middle = _middle(shown.shape[1], round(SECONDS * part.group.rate_hz))
        own = reference[:, lead : lead + shown.shape[1]][:, middle]
        relative, largest = errors(shown[:, middle], own, before[:, middle])
        worst = (max(relative, worst[0]), max(largest, worst[1])) if worst else (relative, largest)
        checked += len(rows)
        seconds = own.shape[1] / part.group.rate_hz
        if checked >= CHANNELS:
            break
    if worst is None:
        return None
    return worst[0], worst[1], f"{seconds:.3g} s of {counted(checked, 'channel')} against SciPy in float64"


def _taps_of(design: ChainDesign | None) -> int:
    """Return how many numbers a sample is multiplied by in the longest of taps; sections are few."""
    parts = () if design is None else design.parts
    return max((len(part.values) for part in parts if isinstance(part, Taps)), default=0)


def reference_of(x: FloatArray, designs: list[ChainDesign | None], programs: ProgramLibrary) -> FloatArray:
    """Return ``x`` through SciPy in float64, a design for each row."""
    y = np.array(x, dtype=np.float64)
    for row, design in enumerate(designs):
        if design is not None:
            key = ProgramKey(designs=(design,), n_channels=1, device="cpu:0", precision="float64", method="scipy")
            y[row] = programs.get(key).run(x[row : row + 1])[0]
    return y


def errors(y: Samples, reference: FloatArray, x: Samples) -> tuple[float, float]:
    """Return the largest error relative to the signal, and the largest error; infinite where only one is a number.

    The signal of a channel is the larger of the reference's peak and the input's spread about its mean.
    """
    relative = largest = 0.0
    for own, ref, source in zip(y, reference, x, strict=True):
        known = np.isfinite(ref)
        if not np.array_equal(known, np.isfinite(own)):
            return float("inf"), float("inf")
        if not known.any():
            continue
        worst = float(np.abs(own[known] - ref[known]).max())
        finite = source[np.isfinite(source)]
        spread = float(np.abs(finite - finite.mean()).max()) if finite.size else 0.0
        size = max(float(np.abs(ref[known]).max()), spread)
        largest = max(largest, worst)
        relative = max(relative, worst / size if size > 0 else 0.0)
    return relative, largest


def _middle(n_samples: int, wanted: int) -> slice:
    length = min(n_samples, max(1, wanted))
    first = (n_samples - length) // 2
    return slice(first, first + length)
