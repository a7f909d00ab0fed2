"""What the device chooser shows: each device, or why it cannot be used; measured on the present view where asked."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from jaxscope.compute.device_frames import DeviceChoice, Devices
from jaxscope.compute.frames import Blocked, Busy
from jaxscope.compute.library import WindowCache
from jaxscope.compute.plan import RenderRequest, plan
from jaxscope.compute.render import render
from jaxscope.compute.scheduler import CancelToken, Steps
from jaxscope.compute.trace_job import trouble_of
from jaxscope.compute.workbench import Wish, Workbench
from jaxscope.errors import JaxscopeError
from jaxscope.session.state import SessionState

if TYPE_CHECKING:
    from jaxscope.engines.devices import BackendInfo

#: Runs of the present view on one device, of which the quickest counts.
RUNS = 3


def count_compilations() -> int:
    """Return how many programs have been compiled so far; 0 before jax was needed."""
    compiled = sys.modules.get("jaxscope.engines.compiled")
    return int(compiled.compilations()) if compiled is not None else 0


def devices_work(
    bench: Workbench, state: SessionState, wish: Wish | None, *, measure: bool
) -> Callable[[CancelToken], Steps]:
    """Return the work that delivers Devices: listed at once, then with each time as it is measured."""

    def work(token: CancelToken) -> Steps:
        from jaxscope.engines.devices import list_devices
        from jaxscope.engines.methods import METHODS

        choices = [choice for backend in list_devices() for choice in _choices_of(backend)]
        bench.deliver(Devices(devices=tuple(choices), methods=("auto", *METHODS)))
        if not measure:
            return
        there = [place for place, choice in enumerate(choices) if choice.available]
        try:
            for number, place in enumerate(there):
                token.check()
                words = f"Measuring {choices[place].title}, {number + 1} of {len(there)}"
                bench.deliver(Busy(what="measuring", label=words, share=number / len(there)))
                yield
                choices[place] = _measured(bench, state, wish, choices[place])
                bench.deliver(Devices(devices=tuple(choices), methods=("auto", *METHODS)))
        finally:
            bench.deliver(Busy(what="measuring", label="", done=True))

    return work


def _choices_of(backend: BackendInfo) -> list[DeviceChoice]:
    """Return the devices of a backend, and all of them as one where there are several; or why there are none."""
    name = backend.name.upper()
    if not backend.available:
        return [DeviceChoice(id=f"{backend.name}:0", title=name, detail="", available=False, reason=backend.reason)]
    choices = [
        DeviceChoice(
            id=device.id,
            title=f"{name} {device.id.partition(':')[2]}",
            detail=_detail(backend.name, device.kind, device.memory),
            available=True,
        )
        for device in backend.devices
    ]
    if len(choices) > 1:
        shared = DeviceChoice(
            id=f"{backend.name}:all",
            title=f"All {len(choices)} {name}s",
            detail="channels shared out",
            available=True,
        )
        choices.append(shared)
    return choices


def _detail(backend: str, kind: str, memory: int | None) -> str:
    cores = os.cpu_count() or 1
    words = ("1 core" if cores == 1 else f"{cores} cores") if backend == "cpu" else kind
    return words if memory is None else f"{words}, {memory / 2**30:.3g} GiB"


def _measured(bench: Workbench, state: SessionState, wish: Wish | None, choice: DeviceChoice) -> DeviceChoice:
    """Return a device with the quickest of a few renders of the present view, or with why it cannot run it."""
    if wish is None:
        return choice
    request = plan(state, wish.entry.recording.info, bench.width_px)
    if isinstance(request, Blocked):
        return replace(choice, reason=request.reason)
    try:
        return replace(choice, measured_ms=measured_ms(bench, wish, replace(request, device=choice.id)))
    except Exception as error:
        trouble = error if isinstance(error, JaxscopeError) else trouble_of(error, choice.id)
        if trouble is None:
            raise
        return replace(choice, reason=trouble.message)


def measured_ms(bench: Workbench, wish: Wish, request: RenderRequest) -> float:
    """Return the quickest of a few renders of a request in milliseconds, each of which filters everything anew.

    What is read is kept beside the window's own cache, whose filtered tiles stay.

    Raises
    ------
    DeviceError
        Where the device cannot be used; other errors of jax as they are.
    """
    cache = WindowCache(wish.entry.recording)
    render(request, cache, bench.programs)
    quickest = float("inf")
    for _ in range(RUNS):
        cache.forget_filtered()
        begun = time.perf_counter()
        render(request, cache, bench.programs)
        quickest = min(quickest, (time.perf_counter() - begun) * 1e3)
    return quickest
