"""What the compute side tells about devices: which can be chosen, which cannot and why, and how long each takes.

Beside the outcomes of ``frames``, to which ``Devices`` belongs.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceChoice:
    """A device as the chooser shows it; ``measured_ms`` is for the present view, None where not measured."""

    id: str
    title: str
    detail: str
    available: bool
    reason: str = ""
    measured_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """What can be chosen, and why the rest cannot; methods that fit the chain, with the reason of auto."""

    devices: tuple[DeviceChoice, ...]
    methods: tuple[str, ...]
