"""A chain as a program to take away: the portable StableHLO of ``jax.export``, which any XLA runs without jaxscope.

The program maps float64 of one fixed shape, (n_channels, n_samples), to the same shape; coefficients are constants in
it. Start, padding and passes are those of the chain; gaps are not known to it. A running median has no such program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxscope.engines.edges import pad_length, part_gain, start_levels, steady_sections
from jaxscope.errors import SpecError, UsageError
from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections, Taps
from jaxscope.filters.stability import require_stable

MOST_VALUES = 2**31


def export_stablehlo(design: ChainDesign, *, n_channels: int, n_samples: int) -> bytes:
    """Return a program as a portable artifact of StableHLO, a module with one function ``main``.

    Parameters
    ----------
    design : ChainDesign
    n_channels, n_samples : int
        The shape that the program takes.

    Raises
    ------
    SpecError
        A part has no such program: a running median, Gustafsson's padding, or zero phase with a pole at z = 1.
    UnstableError
        The design is unstable.
    UsageError
        The shape cannot be, or is too short for the padding.
    """
    import jax
    from jax import export

    from jaxscope import dsp

    if n_channels < 1 or n_samples < 2 or n_channels * n_samples > MOST_VALUES:
        raise UsageError(f"{n_channels} × {n_samples} samples cannot be exported", hint="give another length")
    require_stable(design)
    levels = start_levels(design)
    steps = [_step_of(dsp, part, design, n_samples) for part in design.parts]

    def run(x: Any) -> Any:
        first = x[:, :1]
        for step, level in zip(steps, levels, strict=True):
            x = step(x, level * first)
        return x

    shape = jax.ShapeDtypeStruct((n_channels, n_samples), np.float64)
    return bytes(export.export(jax.jit(run), platforms=("cpu",))(shape).mlir_module_serialized)


def _step_of(dsp: Any, part: Realisation, design: ChainDesign, n_samples: int) -> Callable[[Any, Any], Any]:
    """Return what a part does with samples and with the constant that has preceded them, (n_channels, 1)."""
    match part:
        case RunningMedian():
            raise SpecError("stages", "a running median has no StableHLO", hint="switch the stage off, or export code")
        case Sections() if design.phase == "zero":
            if design.padding_kind == "gustafsson":
                raise SpecError("padding", "Gustafsson's padding has no StableHLO", hint="choose odd padding")
            if part_gain(part) is None:
                raise SpecError(
                    "phase", "zero phase with a pole at z = 1 has no StableHLO", hint="choose causal, or export code"
                )
            return lambda x, past: dsp.sosfiltfilt(part.to_array(), x, **_padding(part, design, n_samples))
        case Sections():
            return _causal_sections(dsp, part)
        case Taps() if design.phase == "zero":
            return _zero_taps(dsp, part, design, n_samples)
        case Taps():
            return _causal_taps(dsp, part)


def _padding(part: Realisation, design: ChainDesign, n_samples: int) -> dict[str, Any]:
    """Return the padding of a part as SciPy takes it."""
    if design.padding_kind == "none":
        return {"padtype": None, "padlen": 0}
    edge = pad_length(part, design.padding_kind, design.padding_samples, n_samples)
    if edge >= n_samples:
        raise UsageError(f"{n_samples} samples are not more than the padding of {edge}", hint="give more samples")
    return {"padtype": design.padding_kind, "padlen": edge}


def _causal_sections(dsp: Any, part: Sections) -> Callable[[Any, Any], Any]:
    import jax.numpy as jnp

    rows, states = part.to_array(), steady_sections(part)
    return lambda x, past: dsp.sosfilt(rows, x, zi=jnp.asarray(states)[:, None, :] * past)[0]


def _causal_taps(dsp: Any, part: Taps) -> Callable[[Any, Any], Any]:
    import jax.numpy as jnp

    taps, late = part.to_array(), len(part.values) - 1

    def run(x: Any, past: Any) -> Any:
        joined = jnp.concatenate([jnp.repeat(past, late, axis=1), x], axis=1) if late else x
        return dsp.lfilter(taps, np.ones(1), joined)[:, late:]

    return run


def _zero_taps(dsp: Any, part: Taps, design: ChainDesign, n_samples: int) -> Callable[[Any, Any], Any]:
    import jax.numpy as jnp

    taps = part.to_array()
    if not part.runs_once:
        if design.padding_kind == "gustafsson":
            raise SpecError("padding", "Gustafsson's padding has no StableHLO", hint="choose odd padding")
        return lambda x, past: dsp.filtfilt(taps, np.ones(1), x, **_padding(part, design, n_samples))
    half = len(part.values) // 2
    if half >= n_samples:
        raise UsageError(
            f"{n_samples} samples are fewer than half of {len(part.values)} taps", hint="give more samples"
        )
    kinds: dict[str, dict[str, Any]] = {
        "odd": {"mode": "reflect", "reflect_type": "odd"},
        "even": {"mode": "reflect"},
    }
    how = kinds.get(design.padding_kind, {"mode": "edge"})

    def run(x: Any, past: Any) -> Any:
        wide = jnp.pad(x, ((0, 0), (half, half)), **how)
        return dsp.lfilter(taps, np.ones(1), wide)[:, 2 * half :]

    return run
