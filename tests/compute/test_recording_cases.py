"""Public bug reports about whole recordings: what is read, and what comes out of a filter, with the right values."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from jaxscope.compute.batch import filter_file
from jaxscope.filters.chain_file import chain_from_dict
from jaxscope.readers import open_recording

LOWPASS = chain_from_dict(
    {
        "format": "jaxscope-chain",
        "version": 1,
        "stages": [{"family": "butterworth", "band": "lowpass", "order": 2, "cutoff_hz": 0.2}],
    }
)


def test_c064_memory_is_that_of_the_samples_and_not_of_the_fastest_channel(shared_data: Path) -> None:
    tracemalloc.start()
    with open_recording(shared_data / "bdf" / "edfio_short_psg.bdf") as recording:
        rates = [channel.rate_hz for channel in recording.info.channels]
        assert set(rates) - {None} == {1.0, 100.0}
        opened = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        arrays = [
            recording.read(0, 10**9, [number for number, own in enumerate(rates) if own == rate]) for rate in set(rates)
        ]
        peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert opened < 2_000_000
    assert peak < opened + 3 * sum(array.nbytes for array in arrays)


@pytest.mark.parametrize("name", ["edf_slash_date_colon_time", "edf_invalid_date", "edf_decimal_comma_phys"])
def test_c066_a_cosmetic_error_of_the_header_is_told_and_the_file_opens(name: str, shared_data: Path) -> None:
    with open_recording(shared_data / "derived" / f"{name}.edf") as recording:
        assert recording.info.warnings
        assert np.isfinite(recording.read(0, 100, [0])).all()


@pytest.mark.parametrize("suffix", [".bdf", ".h5"])
def test_c070_a_filter_leaves_the_status_as_it_is(suffix: str, shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "bdf" / "mne_test_bdf_stim_channel.bdf"
    filter_file(str(source), str(tmp_path / f"y{suffix}"), [LOWPASS], method="scipy")
    with open_recording(source) as before, open_recording(tmp_path / f"y{suffix}") as after:
        codes = before.info.index_of("Status")
        (changed,) = [after.info.index_of(name) for name in ("C3",)]
        assert after.info.channels[after.info.index_of("Status")].kind == "status"
        np.testing.assert_array_equal(
            after.read(0, 5000, ["Status"]), before.read(0, before.info.channels[codes].n_samples, [codes])
        )
        assert np.ptp(after.read(0, 5000, [changed])) < 0.9 * np.ptp(before.read(0, 5000, ["C3"]))


def test_c084_a_stream_with_a_reset_clock_keeps_its_gap_through_a_filter(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "xdf" / "clock_resets.xdf"
    with open_recording(source) as recording:
        name = recording.info.channels[0].name
        n_samples = recording.info.channels[0].n_samples
        gaps = recording.info.gaps or recording.info.channels[0].gaps or ()
    filter_file(str(source), str(tmp_path / "y.h5"), [LOWPASS], channels=(name,), method="scipy")
    with open_recording(tmp_path / "y.h5") as after:
        assert after.info.channels[0].n_samples == n_samples == 27815
        assert [round(gap.start_s, 3) for gap in after.info.gaps] == [round(gap.start_s, 3) for gap in gaps]
        assert np.isfinite(after.read(0, n_samples)).all()


@pytest.mark.parametrize("suffix", [".bdf", ".h5", ".mat", ".vhdr"])
def test_c089_the_baseline_comes_through_writing(suffix: str, shared_data: Path, tmp_path: Path) -> None:
    nothing = chain_from_dict({"format": "jaxscope-chain", "version": 1, "stages": []})
    source = next(path for path in sorted((shared_data / "wfdb").glob("*.hea")) if _opens(path))
    filter_file(str(source), str(tmp_path / f"y{suffix}"), [nothing], stop_s=2.0, method="scipy")
    with open_recording(source) as before, open_recording(tmp_path / f"y{suffix}") as after:
        n_samples = after.info.channels[0].n_samples
        wanted = before.read(0, n_samples, [0])
        np.testing.assert_allclose(after.read(0, n_samples, [0]), wanted, atol=1e-6 * max(1e-9, np.abs(wanted).max()))


def _opens(path: Path) -> bool:
    header = path.read_text(encoding="latin-1").split("\n")
    names = {line.split()[0] for line in header[1:] if line.strip() and not line.startswith("#")}
    rates = {channel.rate_hz for channel in open_recording(path).info.channels} if _are_there(path, names) else set()
    return len(rates) == 1


def _are_there(path: Path, names: set[str]) -> bool:
    return "/" not in path.read_text(encoding="latin-1").split()[0] and all(
        (path.parent / name).is_file() for name in names
    )


def test_c094_times_that_go_back_are_told_by_row_and_kept_in_order(shared_data: Path) -> None:
    with open_recording(shared_data / "derived" / "motor_nonmonotonic_dup_time.csv") as recording:
        told = " ".join(recording.info.warnings)
        assert "300/301" in told
        assert "400" in told
        assert recording.info.channels[0].n_samples == 756


def test_c100_stamps_without_their_fraction_are_stamps(shared_data: Path) -> None:
    with open_recording(shared_data / "csv" / "heartpy_data3.csv") as recording:
        (channel,) = recording.info.channels
        assert channel.n_samples == 68476
        assert channel.rate_hz == pytest.approx(100.418, rel=1e-4)
        assert any("24,775 times repeat" in warning for warning in recording.info.warnings)


def test_times_in_a_part_and_provenance_of_what_was_told(tmp_path: Path) -> None:
    path = tmp_path / "x.dat"
    path.write_bytes(np.arange(4000, dtype="<i2").tobytes())
    told = (("format", "raw"), ("channels", "2"), ("rate", "100"))
    nothing = chain_from_dict({"format": "jaxscope-chain", "version": 1, "stages": []})
    filter_file(str(path), str(tmp_path / "y.csv"), [nothing], start_s=10.0, reader_options=told, method="scipy")
    lines = (tmp_path / "y.csv").read_text().splitlines()
    assert lines[1] == "10.0,2000.0,2001.0"
    assert lines[2].startswith("10.01,")
    kept = json.loads((tmp_path / "y.csv.json").read_text())["options"]["reader_options"]
    assert kept == [list(pair) for pair in told]
