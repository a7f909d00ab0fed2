"""A pinned chain in place of its own: on the traces, never in a file; and work that is kept beside the filtering."""

from __future__ import annotations

import numpy as np

from jaxscope.compute.conductor import Conductor, ExportRequest
from jaxscope.compute.frames import DesignFrame, Frame, Opened
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.actions import OpenedRecording, PinChain, ShowPin, TurnKnob
from jaxscope.session.project import reference_to
from jaxscope.session.state import Document, RecordingRef, SessionState
from jaxscope.session.store import Store

RATE = 100.0
CHAIN = FilterChain(stages=(Stage(spec=Butterworth(band="lowpass", order=2, cutoff_hz=5.0)),))


def test_a_pin_is_on_the_traces_and_never_in_a_file(tmp_path) -> None:
    path = str(tmp_path / "noise.npz")
    np.savez(path, a=np.random.default_rng(0).standard_normal(500), rate_hz=RATE)
    store, got = Store(SessionState(document=Document(chains=(CHAIN,)))), []
    conductor = Conductor(store, got.append, run_inline=True)
    conductor.set_width_px(1000, 300)
    conductor.open(path)
    opened = next(outcome for outcome in got if isinstance(outcome, Opened))
    store.dispatch(OpenedRecording(recording=RecordingRef(path=path), duration_s=opened.info.duration_s))

    def shown() -> np.ndarray:
        return [outcome for outcome in got if isinstance(outcome, Frame)][-1].blocks[0].after.low

    pinned = shown()
    store.dispatch(PinChain(chain=0, name="5 Hz"))
    store.dispatch(TurnKnob(chain=0, stage=0, name="cutoff_hz", value=20.0))
    own = shown()
    assert [outcome for outcome in got if isinstance(outcome, DesignFrame)][-1].pin[0] == "5 Hz"
    assert not np.array_equal(own, pinned)
    store.dispatch(ShowPin(on=True))
    np.testing.assert_array_equal(shown(), pinned)
    conductor.export(ExportRequest(path=str(tmp_path / "out.npy")))
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), own, atol=1e-9)
    store.dispatch(ShowPin(on=False))
    np.testing.assert_array_equal(shown(), own)
    conductor.shut_down()


def test_work_is_kept_where_it_is_asked_for(tmp_path) -> None:
    conductor = Conductor(Store(), lambda outcome: None, run_inline=True)
    conductor.keep(lambda: (tmp_path / "kept").write_text("x") and None)
    assert (tmp_path / "kept").read_text() == "x"
    conductor.shut_down()


def test_a_recording_that_has_changed_is_told_when_it_is_opened_again(tmp_path) -> None:
    path = tmp_path / "noise.npz"
    np.savez(path, a=np.zeros(500), rate_hz=RATE)
    known = reference_to(path)
    got = []
    conductor = Conductor(Store(), got.append, run_inline=True)
    conductor.open(str(path), known=known)
    assert got[-1].changed is None
    np.savez(path, a=np.zeros(900), rate_hz=RATE)
    conductor.open(str(path), known=known)
    sentence, hint = got[-1].changed
    assert sentence == "noise.npz has changed since this project was saved"
    assert hint == "3.2 kB longer than before"
    conductor.shut_down()
