"""The benchmark's view scene: one frame of the window, ours against the same frame through SciPy.

A frame is reading from memory, filtering with context, and the envelope per pixel; drawing is not included.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from jaxscope.compute.library import ProgramLibrary, WindowCache
from jaxscope.compute.plan import RenderRequest, plan
from jaxscope.compute.render import Rendered, render
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.errors import JaxscopeError
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Phase, Stage
from jaxscope.session.state import Document, EngineChoice, SessionState, Viewport

RATE_HZ = 1000.0
WINDOW_S = 10.0
WIDTH_PX = 1048
N_CHANNELS = 64


def run(seconds: float) -> list[dict[str, Any]]:
    """Return the figures of a causal and a zero-phase frame, measured alternately for about ``seconds``."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((N_CHANNELS, int(6 * WINDOW_S * RATE_HZ)))
    recording = ArrayRecording.from_array(x, rate_hz=RATE_HZ, kinds=["eeg"] * N_CHANNELS)
    return [_scene(recording, phase, seconds / 2) for phase in ("causal", "zero")]


def _scene(recording: ArrayRecording, phase: Phase, seconds: float) -> dict[str, Any]:
    cache, programs = WindowCache(recording), ProgramLibrary()
    chain = FilterChain(phase=phase, stages=(Stage(spec=Butterworth(band="bandpass", order=4, cutoff_hz=(1.0, 40.0))),))
    state = SessionState(
        document=Document(chains=(chain,)),
        viewport=Viewport(start_s=2 * WINDOW_S, duration_s=WINDOW_S),
        engine=EngineChoice(precision="float32"),
    )
    ours = _request(recording, state)
    theirs = replace(ours, method="scipy", precision="float64")
    results = [render(request, cache, programs) for request in (ours, theirs)]
    times: tuple[list[float], list[float]] = ([], [])
    deadline = time.perf_counter() + seconds
    while time.perf_counter() < deadline or len(times[0]) < 3:
        for request, spent in zip((ours, theirs), times, strict=True):
            begun = time.perf_counter()
            render(request, cache, programs)
            spent.append(time.perf_counter() - begun)
    n_values = N_CHANNELS * WINDOW_S * RATE_HZ
    mine, reference = (float(np.median(spent)) / n_values * 1e9 for spent in times)
    return {
        "name": f"view, {N_CHANNELS} channels x {WINDOW_S:g} s at {RATE_HZ:g} Hz, {phase}, float32",
        "ours_ns_per_sample": mine,
        "reference": "the same frame through scipy.signal",
        "reference_ns_per_sample": reference,
        "ratio": reference / mine,
        "max_abs_error": _largest_difference(*results),
    }


def _request(recording: ArrayRecording, state: SessionState) -> RenderRequest:
    request = plan(state, recording.info, WIDTH_PX)
    if not isinstance(request, RenderRequest):
        raise JaxscopeError(request.reason, hint=request.hint)
    return request


def _largest_difference(one: Rendered, other: Rendered) -> float:
    first, second = one.blocks[0].after, other.blocks[0].after
    if first is None or second is None:
        raise JaxscopeError("the frame has no filtered traces")
    return float(max(np.abs(first.low - second.low).max(), np.abs(first.high - second.high).max()))
