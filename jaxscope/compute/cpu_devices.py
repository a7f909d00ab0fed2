"""How many CPU devices jax shows: asked for by an environment variable before jax is loaded, so it knows no jax.

Work is shared out among them as among real devices. A number that the environment already asks for is left alone: who
set it meant it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping

_FLAG = "--xla_force_host_platform_device_count"


def ask_for_cpu_devices(count: int, surroundings: MutableMapping[str, str] = os.environ) -> bool:
    """Ask for CPU devices; return whether that will have an effect.

    Parameters
    ----------
    count : int
        1 or more; 1 asks for nothing.
    surroundings : mapping
        The environment that jax will read.
    """
    flags = surroundings.get("XLA_FLAGS", "")
    if count <= 1 or _FLAG in flags or "jax" in sys.modules:
        return False
    surroundings["XLA_FLAGS"] = f"{flags} {_FLAG}={count}".strip()
    return True
