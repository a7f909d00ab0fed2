"""What the device chooser shows: each device, or why it cannot be used; measured on the present view where asked."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace

from jaxscope.compute.frames import Blocked, DeviceChoice, Devices
from jaxscope.compute.plan import RenderRequest, plan
from jaxscope.compute.render import render
from jaxscope.compute.scheduler import CancelToken, Steps
from jaxscope.compute.workbench import Wish, Workbench
from jaxscope.errors import JaxscopeError
from jaxscope.session.state import SessionState

#: Runs of the present view on one device, of which the quickest counts.
RUNS = 3


def count_compilations() -> int:
    """Return how many programs have been compiled so far; 0 before jax was needed."""
    compiled = sys.modules.get("jaxscope.engines.compiled")
    return int(compiled.compilations()) if compiled is not None else 0


def devices_work(
    bench: Workbench, state: SessionState, wish: Wish | None, *, measure: bool
) -> Callable[[CancelToken], Steps]:
    """Return the work that delivers Devices."""

    def work(token: CancelToken) -> Steps:
        from jaxscope.engines.devices import list_devices
        from jaxscope.engines.methods import METHODS

        choices: list[DeviceChoice] = []
        for backend in list_devices():
            if not backend.available:
                choices.append(
                    DeviceChoice(
                        id=f"{backend.name}:0",
                        title=backend.name.upper(),
                        detail="",
                        available=False,
                        reason=backend.reason,
                    )
                )
            for device in backend.devices:
                token.check()
                number = device.id.partition(":")[2]
                choices.append(
                    DeviceChoice(
                        id=device.id,
                        title=f"{backend.name.upper()} {number}",
                        detail=_detail(device.kind, device.memory),
                        available=True,
                        measured_ms=_measured(bench, state, wish, device.id) if measure else None,
                    )
                )
                yield
        bench.deliver(Devices(devices=tuple(choices), methods=("auto", *METHODS)))

    return work


def _detail(kind: str, memory: int | None) -> str:
    return kind if memory is None else f"{kind}, {memory / 2**30:.3g} GiB"


def _measured(bench: Workbench, state: SessionState, wish: Wish | None, device: str) -> float | None:
    """Return the quickest of a few renders of the present view on a device, in milliseconds; None where it cannot."""
    if wish is None:
        return None
    request = plan(state, wish.entry.recording.info, bench.width_px)
    if isinstance(request, Blocked):
        return None
    return measured_ms(bench, wish, replace(request, device=device))


def measured_ms(bench: Workbench, wish: Wish, request: RenderRequest) -> float | None:
    """Return the quickest of a few renders of a request in milliseconds; None where the device fails."""
    quickest: float | None = None
    try:
        render(request, wish.entry.cache, bench.programs)
        for _ in range(RUNS):
            begun = time.perf_counter()
            render(request, wish.entry.cache, bench.programs)
            spent = (time.perf_counter() - begun) * 1e3
            quickest = spent if quickest is None else min(quickest, spent)
    except JaxscopeError:
        return None  # a device that fails has no time; the chooser shows it without one
    return quickest
