"""Set jax up once, before its first use: float64 on, memory kept, and a compile cache that only this user can write.

A compiled program is code; a cache that others could write would let them run theirs as us. So the directory is
private, or there is no cache.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
import threading
from pathlib import Path

import jax
from platformdirs import user_cache_path

_LOCK = threading.Lock()
_done: list[Path | None] = []


def prepare_jax() -> Path | None:
    """Switch float64 on and point the compile cache to a private directory; later calls do nothing.

    Returns
    -------
    Path or None
        The directory of the compile cache, None where no private one can be had.
    """
    with _LOCK:
        if not _done:
            jax.config.update("jax_enable_x64", True)  # noqa: FBT003
            _keep_freed_memory()
            _done.append(_prepare_cache())
        return _done[0]


def _keep_freed_memory() -> None:
    """Let glibc keep the memory of one chunk for the next instead of giving it back and faulting it in again.

    Measured: page faults cost a filter in float32 as much time as its arithmetic. Other C libraries have no such knob.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return  # musl: nothing to set
    trim_threshold, mmap_threshold, most_arenas = -1, -3, -8
    mallopt(trim_threshold, 256 << 20)
    mallopt(mmap_threshold, 32 << 20)
    # the arenas that threads get of their own give memory back whatever the threshold says, so all share the first
    mallopt(most_arenas, 1)


def _prepare_cache() -> Path | None:
    chosen = jax.config.values["jax_compilation_cache_dir"]
    if chosen:  # by whoever started us
        return Path(chosen)
    folder = private_folder(user_cache_path("jaxscope", appauthor=False) / "compiled")
    if folder is None:
        return None
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    return folder


def private_folder(folder: Path) -> Path | None:
    """Make ``folder`` so that only its owner can use it; return None where that cannot be had."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix":
            folder.chmod(0o700)
            status = folder.stat()
            if status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077:
                return None
    except OSError:
        return None  # a read-only home: compile afresh each time
    return folder
