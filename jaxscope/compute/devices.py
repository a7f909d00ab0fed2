"""The devices of this machine as plain values, for the command line."""

from __future__ import annotations

from typing import Any


def describe_devices() -> dict[str, Any]:
    """Return ``{"backends": [{name, available, reason, devices: [{id, kind, memory}]}]}``; memory in bytes."""
    from jaxscope.engines.devices import list_devices

    return {
        "backends": [
            {
                "name": backend.name,
                "available": backend.available,
                "reason": backend.reason or None,
                "devices": [
                    {"id": device.id, "kind": device.kind, "memory": device.memory} for device in backend.devices
                ],
            }
            for backend in list_devices()
        ]
    }
