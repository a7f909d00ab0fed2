"""A chain in two while a knob is turned: the same picture as in one, and only the moved part is worked out again."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from jaxscope.compute.designs import design_or_refusal
from jaxscope.compute.library import ProgramLibrary, WindowCache
from jaxscope.compute.plan import plan
from jaxscope.compute.render import render
from jaxscope.compute.scheduler import CancelToken
from jaxscope.compute.tuned import split_by_change
from jaxscope.compute.warm_up import warm_up_work
from jaxscope.compute.workbench import Workbench
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.filters.fir import FirWindow
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.smoothing import Median
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.state import Document, EngineChoice, SessionState, Viewport

RATE = 200.0
HIGH = Stage(spec=Butterworth(band="highpass", order=2, cutoff_hz=1.0))
FIR = Stage(spec=FirWindow(taps=21, cutoff_hz=(60.0,), band="lowpass"))


def low(cutoff_hz):
    return Stage(spec=Butterworth(band="lowpass", order=4, cutoff_hz=cutoff_hz))


def chain(*stages, **choices):
    return FilterChain(stages=stages, **choices)


def held_tiles(cache, channels):
    """Return where the tiles begin that are kept of some channels, none where nothing is."""
    memory = cache._filtered.get(channels)
    return () if memory is None else tuple(memory.tiles)


@pytest.fixture
def tune(monkeypatch):
    """Return what renders a window after each of some edits: the last picture, a fresh one, and the held tiles."""
    for name in ("LEAST_TILE", "MOST_TILE"):
        monkeypatch.setattr(f"jaxscope.compute.plan.{name}", 1024)

    def show(x, chains, precision="float64", start_s=60.0, method="auto"):
        recording = ArrayRecording.from_array(x, rate_hz=RATE, kinds=["eeg"] * len(x))
        cache, bench = WindowCache(recording), Workbench(deliver=lambda outcome: None)
        for each in chains:
            state = SessionState(
                document=Document(chains=(each,)),
                viewport=Viewport(start_s=start_s, duration_s=10.0),
                engine=EngineChoice(precision=precision, method=method),
            )
            request = plan(state, recording.info, 400)
            shown = render(request, cache, bench.programs).blocks[0]
            list(warm_up_work(bench, SimpleNamespace(request=request))(CancelToken()))
        fresh = render(request, WindowCache(recording), ProgramLibrary()).blocks[0]
        return shown, fresh, held_tiles(cache, (*range(len(x)), -1))

    return show


@pytest.mark.parametrize("start_s", [0.0, 60.0])
@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-8), ("float32", 2e-4)])
@pytest.mark.parametrize(
    "chains",
    [
        [chain(HIGH, low(30.0)), chain(HIGH, low(35.0)), chain(HIGH, low(40.0))],
        [chain(low(30.0), FIR), chain(low(35.0), FIR)],
        [
            chain(Stage(spec=Butterworth(band="highpass", order=2, cutoff_hz=cutoff_hz)), low(40.0))
            for cutoff_hz in (0.5, 0.6, 0.7)
        ],
    ],
)
def test_in_two_it_is_the_same_picture(tune, chains, precision, tolerance, start_s):
    x = np.random.default_rng(0).standard_normal((3, 20_000)) * 25 + 175_940.0
    x[1, 12_500:12_600] = np.nan
    shown, fresh, held = tune(x, chains, precision, start_s)
    assert held, "the chain was not taken apart"
    for one, other in ((shown.after.low, fresh.after.low), (shown.after.high, fresh.after.high)):
        np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
        keeps_offset = np.nanmax(np.abs(other)) > 1e4
        np.testing.assert_allclose(
            one, other, rtol=0, atol=0.05 if keeps_offset and precision == "float32" else tolerance
        )


@pytest.mark.parametrize(
    "chains",
    [
        [chain(HIGH, low(30.0)), chain(HIGH, low(30.0))],
        [chain(low(30.0)), chain(low(35.0))],
        [chain(HIGH, low(30.0), phase="zero"), chain(HIGH, low(35.0), phase="zero")],
        [chain(HIGH, low(30.0), initial="rest"), chain(HIGH, low(35.0), initial="rest")],
        [chain(Stage(spec=Median(window=5)), low(30.0)), chain(Stage(spec=Median(window=5)), low(35.0))],
        [
            chain(HIGH, low(30.0)),
            chain(Stage(spec=Butterworth(band="highpass", order=2, cutoff_hz=2.0)), low(35.0), FIR),
        ],
    ],
)
def test_what_cannot_be_taken_apart_runs_in_one(tune, chains):
    shown, fresh, held = tune(np.random.default_rng(0).standard_normal((2, 20_000)), chains)
    assert not held
    np.testing.assert_allclose(shown.after.low, fresh.after.low, rtol=0, atol=1e-9)


def test_what_is_cut_off_is_not_cut_off_twice(tune):
    chains = [chain(HIGH, low(30.0)), chain(HIGH, low(35.0)), chain(HIGH, low(40.0))]
    shown, fresh, held = tune(np.random.default_rng(0).standard_normal((2, 20_000)), chains, method="truncated:60")
    assert not held
    np.testing.assert_array_equal(shown.after.low, fresh.after.low)


def test_both_parts_together_are_the_chain():
    before, now = (design_or_refusal(chain(HIGH, low(cutoff_hz)), RATE) for cutoff_hz in (30.0, 40.0))
    split = split_by_change(before, now)
    rows = [row for design in (split.held, split.moving) for part in design.parts for row in part.rows]
    assert sorted(rows) == sorted(row for part in now.parts for row in part.rows)
    assert split.held == design_or_refusal(chain(HIGH), RATE)
    assert split.gain == pytest.approx(0.0, abs=1e-12)
