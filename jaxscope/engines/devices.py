"""Which backends and devices this machine has, and why it lacks the others.

Never raises for an absent backend when listing; raises ``DeviceError`` where one that is absent is asked for.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import jax

from jaxscope.engines.setup import prepare_jax
from jaxscope.errors import DeviceError

#: backend as it is called here → platform names of jax, and what would have to be there
BACKENDS: dict[str, tuple[tuple[str, ...], str]] = {
    "cpu": (("cpu",), ""),
    "gpu": (("cuda", "rocm"), "no CUDA or ROCm build of jaxlib with a working driver is installed"),
    "tpu": (("tpu",), "no TPU is attached, or its runtime (libtpu) does not work"),
    "metal": (("METAL", "mps"), "the Metal plug-in of jax is not installed; it exists for Apple silicon only"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceInfo:
    """One device that can be chosen; ``memory`` in bytes, None where the backend does not say."""

    id: str
    kind: str
    memory: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendInfo:
    """One backend, whether it is there, and if not, why."""

    name: str
    available: bool
    reason: str
    devices: tuple[DeviceInfo, ...]


def _platform_devices(name: str) -> tuple[list[Any], str]:
    """Return jax's devices of a backend, or an empty list and the reason."""
    said = ""
    for platform in BACKENDS[name][0]:
        try:
            # of several processes that jax has joined, each has its own
            return list(jax.local_devices(backend=platform)), ""
        except RuntimeError as error:
            said = str(error).strip().splitlines()[0] if str(error).strip() else ""
    if name == "tpu" and find_spec("libtpu") is None and "TPU_LIBRARY_PATH" not in os.environ:
        return [], "no TPU runtime (libtpu) is installed"  # what jax says of it is an error of its own insides
    known = "unknown backend" in said.lower() or "not present" in said.lower() or not said
    return [], BACKENDS[name][1] if known else f"{BACKENDS[name][1]} ({said})"


def _memory_of(device: Any) -> int | None:
    if device.platform == "cpu":
        return _host_memory()
    stats = device.memory_stats()
    return int(stats["bytes_limit"]) if stats and "bytes_limit" in stats else None


def _host_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None  # Windows has no sysconf; unknown is an allowed answer


def list_devices() -> list[BackendInfo]:
    """Return every backend that jaxscope knows, present or not.

    Examples
    --------
    >>> list_devices()[0].name, list_devices()[0].available
    ('cpu', True)
    """
    prepare_jax()
    backends: list[BackendInfo] = []
    for name in BACKENDS:
        found, reason = _platform_devices(name)
        devices = tuple(
            DeviceInfo(id=f"{name}:{k}", kind=str(device.device_kind), memory=_memory_of(device))
            for k, device in enumerate(found)
        )
        backends.append(BackendInfo(name=name, available=bool(devices), reason=reason, devices=devices))
    return backends


def find_device(device: str) -> tuple[str, Any]:
    """Return the full id and the jax device for ``"cpu"``, ``"cpu:1"``, ``"gpu:0"``.

    Raises
    ------
    DeviceError
        Where the backend is unknown or absent, or has no device of that number.
    """
    prepare_jax()
    name, _, number = device.partition(":")
    name = {"cuda": "gpu", "rocm": "gpu"}.get(name, name)
    if name not in BACKENDS:
        raise DeviceError(f"backend {name!r} is unknown", hint=f"choose one of {', '.join(BACKENDS)}", field="device")
    found, reason = _platform_devices(name)
    if not found:
        raise DeviceError(f"{name} cannot be used: {reason}", hint="choose cpu", field="device")
    if number and not number.isdecimal():
        raise DeviceError(f"{number!r} in device {device!r} is not a number", hint=f"choose {name}:0", field="device")
    index = int(number or 0)
    if index >= len(found):
        there = ", ".join(f"{name}:{k}" for k in range(len(found)))
        raise DeviceError(f"{name}:{index} is not there", hint=f"choose one of {there}", field="device")
    return f"{name}:{index}", found[index]
