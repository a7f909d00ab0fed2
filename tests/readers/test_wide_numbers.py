"""Whole numbers of 64 bits: what float64 cannot tell apart is said, in every format that holds such."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.io

from jaxscope.readers import open_recording

FEW, MANY = np.arange(50), np.arange(50) + 2**53 + 1


def write_matlab(path: Path, values: np.ndarray) -> None:
    scipy.io.savemat(path, {"count": values, "fs": 10.0})


def write_parquet(path: Path, values: np.ndarray) -> None:
    pl.DataFrame({"count": values}).write_parquet(path)


def write_arrow(path: Path, values: np.ndarray) -> None:
    pl.DataFrame({"count": values}).write_ipc(path)


def write_hdf5(path: Path, values: np.ndarray) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed (the extra formats)")
    with h5py.File(path, "w") as file:
        file["count"] = values


def write_packed(path: Path, values: np.ndarray) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed (the extra formats)")
    with h5py.File(path, "w") as file:
        file.create_dataset("count", data=values, chunks=(10,), compression="gzip")


def write_tdms(path: Path, values: np.ndarray) -> None:
    nptdms = pytest.importorskip("nptdms", reason="npTDMS is not installed (the extra formats)")
    with nptdms.TdmsWriter(path) as writer:
        writer.write_segment([nptdms.ChannelObject("group", "count", values)])


WRITERS = [
    (".mat", write_matlab),
    (".parquet", write_parquet),
    (".arrow", write_arrow),
    (".h5", write_hdf5),
    (".h5", write_packed),
    (".tdms", write_tdms),
]


@pytest.mark.parametrize(("suffix", "write"), WRITERS, ids=lambda one: getattr(one, "__name__", one))
def test_numbers_that_lose_their_last_digits_are_told(
    suffix: str, write: Callable[[Path, np.ndarray], None], tmp_path: Path
) -> None:
    for name, values, is_told in (("few", FEW, False), ("many", MANY, True), ("float", MANY.astype(np.float64), False)):
        write(tmp_path / f"{name}{suffix}", values)
        with open_recording(tmp_path / f"{name}{suffix}") as recording:
            (channel,) = recording.info.channels
            told = [words for words in recording.info.warnings if "beyond ±2^53" in words]
            np.testing.assert_array_equal(recording.read(0, 50)[0], values.astype(np.float64))
        assert [words.split(" holds ")[0] for words in told] == ([channel.name] if is_told else [])
