"""From a chain's coefficients to a program: the one door through which windows and exports reach a method.

Making a program is cheap (it happens on each move of a knob): compiled code is kept by structure, and the
coefficients are arguments of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.engines.base import DTYPES, AbstractProgram, State, structure_of
from jaxscope.engines.methods import METHODS, choose
from jaxscope.engines.windows import Envelopes
from jaxscope.errors import UsageError
from jaxscope.filters.coefficients import ChainDesign

Program = AbstractProgram
__all__ = ["Envelopes", "Program", "State", "make_program"]


def make_program(
    design: ChainDesign | Sequence[ChainDesign],
    *,
    n_channels: int,
    device: str = "cpu:0",
    precision: str = "float64",
    method: str = "auto",
    n_samples: int | None = None,
) -> Program:
    """Return a program for a chain.

    Parameters
    ----------
    design : ChainDesign or sequence of ChainDesign
        One for all channels, or one for each channel, all of one structure.
    n_channels : int
    device : str
        Backend and number, such as ``"cpu:0"``; a backend alone means its first device, ``"cpu:all"`` every one.
    precision : {"float64", "float32"}
    method : str
        A name of ``METHODS``, or ``"auto"``; the program says which it became, and why.
    n_samples : int or None
        Length of the signal where it is filtered as a whole, for ``"auto"``; None where it comes piece by piece, so
        that every piece meets the same method.

    Raises
    ------
    UsageError
        An unknown method or precision, or designs that do not fit the channels or each other.
    DeviceError
        A device that is not there.
    """
    designs = (design,) if isinstance(design, ChainDesign) else tuple(design)
    if precision not in DTYPES:
        raise UsageError(
            f"precision {precision!r} is unknown", hint=f"choose one of {', '.join(DTYPES)}", field="precision"
        )
    if len(designs) not in (1, n_channels) or not designs:
        raise UsageError(f"{len(designs)} designs for {n_channels} channels", hint="give one, or one for each channel")
    structure = structure_of(designs[0])
    if any(structure_of(other) != structure for other in designs[1:]):
        raise UsageError(
            "the chains of one program differ in structure",
            hint="give chains with the same number of sections and taps",
        )
    name, reason = choose(
        method, structure, designs, n_channels=n_channels, device=device, precision=precision, n_samples=n_samples
    )
    device, program = _placed(METHODS[name], device)
    return program(designs, n_channels=n_channels, device=device, precision=precision, reason=reason)


def _placed(method: type[Program], device: str) -> tuple[str, type[Program]]:
    """Return the device by its full name, and the method as it runs there: on several devices, where there are."""
    backend, _, number = device.partition(":")
    if number != "all":
        return device if number else f"{backend}:0", method
    from jaxscope.engines.jax_engine import JaxProgram
    from jaxscope.engines.sharding import devices_of, sharded

    backend, devices = devices_of(device)
    if len(devices) == 1 or not issubclass(method, JaxProgram):
        return f"{backend}:0", method
    return f"{backend}:all", sharded(method)
