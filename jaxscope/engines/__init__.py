"""A chain, a method, a device: a program.

May import dsp, filters, numpy, jax and scipy (the oracle). Must never know recordings, files, state or Qt.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PUBLIC = {
    "METHODS": "jaxscope.engines.methods:METHODS",
    "compilations": "jaxscope.engines.compiled:compilations",
    "filter_array": "jaxscope.engines.filter_array:filter_array",
    "list_devices": "jaxscope.engines.devices:list_devices",
    "make_program": "jaxscope.engines.program:make_program",
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'jaxscope.engines' has no attribute {name!r}")
    module, _, attribute = _PUBLIC[name].partition(":")
    return getattr(import_module(module), attribute)
