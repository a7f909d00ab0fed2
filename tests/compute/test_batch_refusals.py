"""Whole files through chains: what is refused, and that nothing is replaced or left behind."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.compute.batch import filter_file
from jaxscope.errors import SpecError, UnstableError, UsageError, WriteError
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.manual import SectionsSpec
from jaxscope.filters.simple import Gain
from jaxscope.filters.spec import FilterChain, Stage

RATE = 200.0
BAND = (Stage(spec=Butterworth(band="bandpass", order=4, cutoff_hz=(1.0, 40.0))),)


def noise(n_samples=20_000, n_channels=3, seed=0):
    rng = np.random.default_rng(seed)
    return 500.0 + rng.standard_normal((n_channels, n_samples)).cumsum(axis=1) * 0.1


@pytest.fixture
def npz(tmp_path):
    path = tmp_path / "in.npz"
    x = noise()
    np.savez(path, x=x, rate_hz=RATE)
    return path, x


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"channels": ("absent",)}, UsageError),
        ({"start_s": 500.0}, UsageError),
        ({"start_s": 5.0, "stop_s": 5.0}, UsageError),
        ({"start_s": -1.0}, UsageError),
        ({"method": "magic"}, UsageError),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(npz, tmp_path, options, error):
    path, _ = npz
    with pytest.raises(error):
        filter_file(str(path), str(tmp_path / "out.npy"), [FilterChain(stages=BAND)], **options)
    assert [item.name for item in tmp_path.iterdir()] == ["in.npz"]


def test_a_filter_that_cannot_run_is_refused(npz, tmp_path):
    path, _ = npz
    unstable = FilterChain(stages=(Stage(spec=SectionsSpec(rows=((1.0, 0.0, 0.0, 1.0, -2.1, 1.2),))),))
    with pytest.raises(UnstableError) as caught:
        filter_file(str(path), str(tmp_path / "out.npy"), [unstable])
    assert caught.value.exit_code == 4
    assert caught.value.pole_radius > 1
    too_high = FilterChain(stages=(Stage(spec=Butterworth(band="lowpass", order=2, cutoff_hz=100.0)),))
    with pytest.raises(SpecError, match="100"):
        filter_file(str(path), str(tmp_path / "out.npy"), [too_high])
    assert [item.name for item in tmp_path.iterdir()] == ["in.npz"]


def test_an_output_is_replaced_only_when_asked_and_never_the_input(npz, tmp_path):
    path, _ = npz
    target = tmp_path / "out.npy"
    target.write_bytes(b"precious")
    with pytest.raises(WriteError, match="exists"):
        filter_file(str(path), str(target), [FilterChain(stages=BAND)])
    assert target.read_bytes() == b"precious"
    filter_file(str(path), str(target), [FilterChain(stages=BAND)], overwrite=True)
    assert np.load(target).shape == (3, 20_000)
    with pytest.raises(WriteError, match="input"):
        filter_file(str(target), str(target), [FilterChain(stages=BAND)], overwrite=True, rate_hz=RATE)
    other = tmp_path / "out2.npy"
    (tmp_path / "out2.npy.json").write_text('{"mine": 1}')
    with pytest.raises(WriteError, match="exists"):
        filter_file(str(path), str(other), [FilterChain(stages=BAND)])


def test_samples_that_the_input_names_are_never_replaced(tmp_path):
    samples = tmp_path / "night.eeg"
    samples.write_bytes(np.arange(2000, dtype="<i2").tobytes())
    (tmp_path / "other.vhdr").write_text(
        "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nDataFile=night.eeg\nNumberOfChannels=1\n"
        "SamplingInterval=10000\n[Binary Infos]\nBinaryFormat=INT_16\n[Channel Infos]\nCh1=Fz,,1,uV\n"
    )
    before = samples.read_bytes()
    for name in ("night.vhdr", "other.vhdr"):
        with pytest.raises(WriteError, match=r"night\.eeg belongs to the input|is the input itself"):
            filter_file(str(tmp_path / "other.vhdr"), str(tmp_path / name), [FilterChain(stages=BAND)], overwrite=True)
    assert samples.read_bytes() == before
    (tmp_path / "record.hea").write_text("record 1 100 1000\nsignal.mat 16 1/uV\n")
    (tmp_path / "signal.mat").write_bytes(before)
    with pytest.raises(WriteError, match=r"signal\.mat belongs to the input record\.hea"):
        filter_file(
            str(tmp_path / "record.hea"), str(tmp_path / "signal.mat"), [FilterChain(stages=BAND)], overwrite=True
        )
    assert (tmp_path / "signal.mat").read_bytes() == before


@pytest.mark.parametrize("suffix", ["npy", "vhdr"])
@pytest.mark.parametrize("failure", [KeyboardInterrupt, WriteError("full", hint="")])
def test_no_output_is_left_without_its_provenance(npz, tmp_path, monkeypatch, suffix, failure):
    def fail(*_):
        raise failure

    before = {path.name for path in tmp_path.iterdir()}
    monkeypatch.setattr("jaxscope.compute.batch.write_provenance", fail)
    with pytest.raises((KeyboardInterrupt, WriteError)):
        filter_file(str(npz[0]), str(tmp_path / f"y.{suffix}"), [FilterChain(stages=(Stage(spec=Gain(gain=2.0)),))])
    assert {path.name for path in tmp_path.iterdir()} == before
