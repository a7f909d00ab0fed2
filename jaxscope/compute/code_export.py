"""A chain as something to take away: the texts of ``filters.code``, and the compiled program, under one set of names.

The window and the command line ask here, so both offer the same and write the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jaxscope.errors import UsageError, WriteError
from jaxscope.filters.code import EXPORTS, export_code
from jaxscope.filters.design import design_chain
from jaxscope.filters.spec import FilterChain

STABLEHLO = "stablehlo"
#: seconds that a compiled program takes where no length is given
USUAL_S = 10.0
#: names of all exports, with the suffix of their files
SUFFIXES: Mapping[str, str] = {**{name: EXPORTS[name].suffix for name in EXPORTS}, STABLEHLO: ".mlirbc"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a compiled program takes: channels, and samples or None for the usual length."""

    n_channels: int = 1
    n_samples: int | None = None


def exported(chain: FilterChain, rate_hz: float, target: str, shape: Shape | None = None) -> bytes:
    """Return a chain at a rate in one of the exports.

    Raises
    ------
    UsageError
        The target is not known; the nearest is named.
    ChainError
        The chain does not fit the rate, or has no such form.
    """
    if target != STABLEHLO:
        if target not in EXPORTS:
            near = EXPORTS.nearest(target)
            hint = f'did you mean "{near}"?' if near else f"choose {', '.join(SUFFIXES)}"
            raise UsageError(f'there is no export "{target}"', hint=hint, field="export")
        return export_code(chain, rate_hz, target).encode("utf-8")
    from jaxscope.engines.stablehlo import export_stablehlo

    shape = shape or Shape()
    n_samples = shape.n_samples or max(2, round(USUAL_S * rate_hz))
    return export_stablehlo(design_chain(chain, rate_hz), n_channels=shape.n_channels, n_samples=n_samples)


def write_export(path: str | Path, content: bytes, *, overwrite: bool = False) -> None:
    """Write an export; what was there before stays whole until the new one is complete.

    Raises
    ------
    WriteError
        The file exists and is not to be replaced, or cannot be written.
    """
    target = Path(path)
    if target.exists() and not overwrite:
        raise WriteError(f"{target} exists", hint="give another name, or --overwrite")
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        try:
            partial.write_bytes(content)
            os.replace(partial, target)
        finally:
            with suppress(FileNotFoundError):
                partial.unlink()
    except OSError as error:
        raise WriteError(f"{target} cannot be written: {error.strerror}", hint="choose another folder") from error
