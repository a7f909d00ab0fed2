"""Filter an array with a chain: the whole engine as one call for scripts and notebooks.

Invariant: equal to what the window and the command line do with the same chain.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.engines.base import State
from jaxscope.engines.program import make_program
from jaxscope.errors import UnstableError, UsageError
from jaxscope.filters.coefficients import ChainDesign
from jaxscope.filters.spec import FilterChain
from jaxscope.filters.stability import require_stable


def filter_array(
    x: npt.ArrayLike,
    chain: FilterChain | ChainDesign,
    *,
    rate_hz: float | None = None,
    device: str | None = None,
    precision: str = "float64",
    method: str = "auto",
    state: State | None = None,
    return_state: bool = False,
) -> npt.NDArray[Any] | tuple[npt.NDArray[Any], State]:
    """Filter ``x`` with ``chain``; an unstable one runs too, with a RuntimeWarning.

    Parameters
    ----------
    x : (n_channels, n_samples), (n_samples,) or (n_epochs, n_channels, n_samples)
        Each channel of each epoch starts anew. NaN are gaps; what they do is the chain's ``gaps``.
    chain : FilterChain or ChainDesign
    rate_hz : float
        Sampling rate in Hz; may be left out for a ``ChainDesign``.
    device : str or None
        Such as ``"cpu:0"``; None is the CPU.
    precision : {"float64", "float32"}
    method : str
        A method by name, or ``"auto"``.
    state : dict or None
        What the call before returned, to go on where it stopped (causal chains only).
    return_state : bool
        Whether to return the state after the last sample as well.

    Returns
    -------
    y : same shape as ``x``, in ``precision``
    state : dict
        Only where ``return_state``.

    Raises
    ------
    UsageError
        Where the rate is missing, the method is unknown, or a zero-phase chain is to run block by block.
    DeviceError
        Where the device cannot be used.
    """
    design = _design_of(chain, rate_hz)
    for sentence in design.warnings:
        warnings.warn(sentence, RuntimeWarning, stacklevel=2)
    try:
        require_stable(design)
    except UnstableError as error:  # scripts may look at what grows; the command line refuses it
        warnings.warn(error.sentence(), RuntimeWarning, stacklevel=2)
    samples = np.asarray(x)
    rows = samples.reshape(-1, samples.shape[-1]) if samples.ndim in (1, 3) and samples.size else samples
    is_whole = state is None and not return_state
    program = make_program(
        design,
        n_channels=rows.shape[0],
        device=device or "cpu:0",
        precision=precision,
        method=method,
        n_samples=rows.shape[1] if is_whole else None,
    )
    if is_whole:
        return program.run(rows).reshape(samples.shape)
    if not program.is_causal:
        raise UsageError("a zero-phase chain cannot run block by block", hint="filter the whole signal, or use causal")
    y, after = program.step(rows, program.start() if state is None else state)
    return (y.reshape(samples.shape), after) if return_state else y.reshape(samples.shape)


def _design_of(chain: FilterChain | ChainDesign, rate_hz: float | None) -> ChainDesign:
    if isinstance(chain, ChainDesign):
        if rate_hz is not None and rate_hz != chain.rate_hz:
            raise UsageError(
                f"rate_hz is {rate_hz} but the design is for {chain.rate_hz} Hz",
                hint="leave rate_hz out",
                field="rate_hz",
            )
        return chain
    if rate_hz is None:
        raise UsageError("rate_hz is missing", hint="give the sampling rate in Hz", field="rate_hz")
    from jaxscope.filters.design import design_chain

    return design_chain(chain, rate_hz)
