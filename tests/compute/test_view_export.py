"""What is seen as a table: true samples of the window, before and after, channels of several rates side by side."""

from __future__ import annotations

import csv
from functools import partial

import numpy as np
import pytest
from scipy.signal import butter, sosfilt, sosfilt_zi

from jaxscope.compute.conductor import Conductor
from jaxscope.compute.frames import ExportProgress, Failure, Opened
from jaxscope.compute.stream import filtered_blocks
from jaxscope.compute.view_export import ViewRequest
from jaxscope.data.recording import Channel
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.manual import SectionsSpec
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session import actions as act
from jaxscope.session.state import RecordingRef
from jaxscope.session.store import Store
from jaxscope.writers import open_writer
from jaxscope.writers.base import WriteRequest

CHAIN = FilterChain(channels=("a",), stages=(Stage(spec=Butterworth(order=2, cutoff_hz=10.0)),))


@pytest.fixture
def desk(tmp_path):
    """Return (store, conductor, outcomes, samples) on channels a and b at 100 Hz."""
    x = np.random.default_rng(0).standard_normal((2, 3000))
    x[1, 150] = np.nan
    path = str(tmp_path / "noise.npz")
    np.savez(path, a=x[0], b=x[1], rate_hz=100.0)
    store, got = Store(), []
    conductor = Conductor(store, got.append, run_inline=True)
    conductor.open(path)
    opened = next(outcome for outcome in got if isinstance(outcome, Opened))
    store.dispatch(act.SetChains(chains=(CHAIN,)))
    store.dispatch(act.OpenedRecording(recording=RecordingRef(path=path), duration_s=opened.info.duration_s))
    yield store, conductor, got, x
    conductor.shut_down()


def table(path) -> tuple[list[str], list[list[str]]]:
    with path.open(newline="") as file:
        heading, *rows = csv.reader(file)
    return heading, rows


def test_the_window_is_written_with_all_digits(desk, tmp_path):
    store, conductor, got, x = desk
    store.dispatch(act.LookAt(start_s=1.0, duration_s=2.0))
    target = tmp_path / "seen.csv"
    conductor.export(ViewRequest(path=str(target)))
    heading, rows = table(target)
    assert heading == ["time_s", "a before", "a after", "b before"]
    sos = butter(2, 10.0, fs=100.0, output="sos")
    y = sosfilt(sos, x[0], zi=sosfilt_zi(sos) * x[0, 0])[0]
    assert [float(row[0]) for row in rows] == [(100 + k) / 100 for k in range(200)]
    assert [float(row[1]) for row in rows] == list(x[0, 100:300])
    np.testing.assert_allclose([float(row[2]) for row in rows], y[100:300], atol=1e-8)
    assert rows[50][3] == ""
    assert float(rows[51][3]) == x[1, 151]
    done = [outcome for outcome in got if isinstance(outcome, ExportProgress)][-1]
    assert (done.done, done.cancelled, done.path) == (True, False, str(target))


def test_context_that_takes_several_blocks_is_waited_for(desk, tmp_path, monkeypatch):
    store, conductor, _, x = desk
    integrator = FilterChain(channels=("a",), stages=(Stage(spec=SectionsSpec(rows=((1, 0, 0, 1, -1, 0),))),))
    store.dispatch(act.SetChains(chains=(integrator,)))
    store.dispatch(act.LookAt(start_s=20.0, duration_s=1.0))
    in_small_blocks = partial(filtered_blocks, grain=100, block_values=1000)
    monkeypatch.setattr("jaxscope.compute.view_export.filtered_blocks", in_small_blocks)
    conductor.export(ViewRequest(path=str(tmp_path / "seen.csv")))
    _, rows = table(tmp_path / "seen.csv")
    np.testing.assert_allclose([float(row[2]) for row in rows], x[0].cumsum()[2000:2100], atol=1e-9)


def test_hidden_channels_and_a_hidden_filter_are_not_seen(desk, tmp_path):
    store, conductor, _, _ = desk
    store.dispatch(act.HideChannels(names=("b",)))
    store.dispatch(act.ShowRaw(raw=True))
    target = tmp_path / "seen.csv"
    conductor.export(ViewRequest(path=str(target)))
    assert table(target)[0] == ["time_s", "a before"]


def test_neither_the_recording_nor_an_existing_file_is_written_over(desk, tmp_path):
    _, conductor, got, _ = desk
    target = tmp_path / "seen.csv"
    target.write_text("mine")
    conductor.export(ViewRequest(path=str(target)))
    assert target.read_text() == "mine"
    assert "exists" in [outcome for outcome in got if isinstance(outcome, Failure)][-1].sentence
    conductor.export(ViewRequest(path=str(tmp_path / "noise.npz"), overwrite=True))
    assert "never written to" in [outcome for outcome in got if isinstance(outcome, Failure)][-1].sentence
    assert sorted(path.name for path in tmp_path.iterdir()) == ["noise.npz", "seen.csv"]
    conductor.export(ViewRequest(path=str(target), overwrite=True))
    assert table(target)[0][0] == "time_s"


def test_channels_of_two_rates_share_the_times(tmp_path):
    path = tmp_path / "two.edf"
    channels = (
        Channel(name="fast", unit="uV", kind="eeg", rate_hz=4.0, n_samples=40),
        Channel(name="slow", unit="uV", kind="eeg", rate_hz=2.0, n_samples=20),
    )
    fast, slow = np.arange(40.0), 100.0 + np.arange(20.0)
    with open_writer(path, WriteRequest(channels=channels, ranges=((0.0, 200.0), (0.0, 200.0)))) as writer:
        writer.write(fast[None], (0,))
        writer.write(slow[None], (1,))
    store, got = Store(), []
    conductor = Conductor(store, got.append, run_inline=True)
    conductor.open(str(path))
    store.dispatch(act.OpenedRecording(recording=RecordingRef(path=str(path)), duration_s=10.0))
    store.dispatch(act.LookAt(start_s=2.0, duration_s=2.0))
    conductor.export(ViewRequest(path=str(tmp_path / "seen.csv")))
    conductor.shut_down()
    heading, rows = table(tmp_path / "seen.csv")
    assert heading == ["time_s", "fast before (uV)", "slow before (uV)"]
    assert [float(row[0]) for row in rows] == [2.0 + k / 4 for k in range(8)]
    np.testing.assert_allclose([float(row[1]) for row in rows], fast[8:16], atol=0.01)
    assert [row[2] == "" for row in rows] == [False, True] * 4
    np.testing.assert_allclose([float(row[2]) for row in rows[::2]], slow[4:8], atol=0.01)
