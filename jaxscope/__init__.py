"""jaxscope: see your recordings before and after a filter, while you tune it.

Importing this package loads neither Qt nor jax; the public names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "open_recording": "jaxscope.readers:open_recording",
    "load_chain": "jaxscope.filters.chain_file:load_chain",
    "FilterChain": "jaxscope.filters.spec:FilterChain",
    "Stage": "jaxscope.filters.spec:Stage",
    "filter_array": "jaxscope.engines.filter_array:filter_array",
    "dsp": "jaxscope.dsp",
}
__all__ = ["FilterChain", "Stage", "__version__", "dsp", "filter_array", "load_chain", "open_recording"]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'jaxscope' has no attribute {name!r}")
    module, _, attribute = _PUBLIC[name].partition(":")
    loaded = import_module(module)
    value = getattr(loaded, attribute) if attribute else loaded
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
