"""What goes wrong on a device, as a sentence: no room, no answer, a program that cannot be made ready.

jax raises one class for all of them and puts the kind at the beginning of the message; memory of the host ends as
``MemoryError``. Anything else is no trouble of a device and stays what it is.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from jaxscope.errors import DeviceError

_FULL = ("RESOURCE_EXHAUSTED", "out of memory")
_LOST = ("UNAVAILABLE", "ABORTED", "DEADLINE_EXCEEDED", "device lost", "ILLEGAL_ADDRESS", "failed to synchronize")
_BYTES = re.compile(r"(\d[\d,.]*)\s*(bytes|[KMGT]i?B)?")
_UNITS = {"": 1.0, "bytes": 1.0} | {
    f"{letter}{i}B": 1024.0**power for power, letter in enumerate("KMGT", start=1) for i in ("", "i")
}


def device_trouble(error: BaseException, device: str) -> DeviceError | None:
    """Return an error of a device as one that a person can act on, or None where it is none.

    Parameters
    ----------
    error : BaseException
        What was raised while something ran on ``device``.
    device : str
        Such as ``"gpu:0"``.
    """
    name = device_words(device)
    elsewhere = "" if device.startswith("cpu") else ", or filter on the CPU"
    less = f"show fewer channels or a shorter window{elsewhere}"
    if isinstance(error, MemoryError):
        return DeviceError(f"{name} has no room for this view", hint=less, field="memory")
    if not _is_of_jax(error):
        return None
    said = str(error)
    if any(word.casefold() in said.casefold() for word in _FULL):
        return DeviceError(f"{name} has no room for this view{_sizes(said, device)}", hint=less, field="memory")
    if any(word.casefold() in said.casefold() for word in _LOST):
        return DeviceError(f"{name} stopped answering", hint="nothing is lost", field="lost")
    first = said.splitlines()[0] if said else type(error).__name__
    return DeviceError(f"JAX could not run this filter on {name}", hint=first, field="failed")


def device_words(device: str) -> str:
    """Return a device as it is called in a sentence.

    Examples
    --------
    >>> device_words("gpu:0"), device_words("cpu:all"), device_words("cpu:0")
    ('GPU 0', 'all CPU devices', 'the CPU')
    """
    platform, _, number = device.partition(":")
    if number == "all":
        return f"all {platform.upper()} devices"
    return "the CPU" if (platform, number) == ("cpu", "0") else f"{platform.upper()} {number}".strip()


def _is_of_jax(error: BaseException) -> bool:
    # while another thread imports jax, parts of it are not there yet, and no error is of it
    errors = getattr(sys.modules.get("jax"), "errors", None)
    kind = getattr(errors, "JaxRuntimeError", None)
    return kind is not None and isinstance(error, kind)


def _sizes(said: str, device: str) -> str:
    """Return how much was needed and how much is free, where that is known."""
    needed = _needed_bytes(said)
    if needed is None:
        return ""
    free = _free_bytes(device)
    return f": {_gigabytes(needed)} needed" + ("" if free is None else f", {_gigabytes(free)} free")


def _needed_bytes(said: str) -> float | None:
    at = said.casefold().find("allocat")
    found = _BYTES.search(said, at) if at >= 0 else None
    if found is None:
        return None
    number, unit = found.groups()
    return float(number.replace(",", "").rstrip(".")) * _UNITS.get(unit or "", 1.0)


def _free_bytes(device: str) -> float | None:
    from jaxscope.engines.devices import find_device

    try:
        stats: dict[str, Any] | None = find_device(device)[1].memory_stats()
    except (DeviceError, RuntimeError):
        return None  # a device that is lost cannot be asked
    if not stats or not {"bytes_limit", "bytes_in_use"} <= set(stats):
        return None
    return float(stats["bytes_limit"]) - float(stats["bytes_in_use"])


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{size / 1e6:.1f} MB"
