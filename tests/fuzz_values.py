"""Damaged files whose samples another library reads too: ``python tests/fuzz_values.py --count 300``.

Not part of the tests. Where both read a file, both must give the same samples; where they do not, the input is named by
its number and family, which repeat it (``fuzz_readers.py`` makes the same inputs). Ends with exit code 1 then.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from fuzz_readers import input_of
from fuzz_seeds import seeds_of

from jaxscope.errors import JaxscopeError
from jaxscope.readers import open_recording


def by_numpy(path: Path) -> list[np.ndarray]:
    loaded = np.load(path, allow_pickle=False)
    arrays = [loaded] if path.suffix == ".npy" else [loaded[name] for name in loaded.files if name != "rate_hz"]
    return [row.astype(np.float64) for array in arrays for row in np.atleast_2d(array)]


def by_soundfile(path: Path) -> list[np.ndarray]:
    import soundfile

    return list(soundfile.read(path, always_2d=True)[0].T)


def by_scipy(path: Path) -> list[np.ndarray]:
    import scipy.io

    content = scipy.io.loadmat(path)
    arrays = [content[name] for name in content if name[:1] != "_" and content[name].size > 1]
    return [
        row.astype(np.float64) for array in arrays for row in (array if array.shape[0] < array.shape[1] else array.T)
    ]


def by_edfio(path: Path) -> list[np.ndarray]:
    import edfio

    read = edfio.read_edf if path.suffix == ".edf" else edfio.read_bdf
    return [signal.data for signal in read(path).signals if signal.label != "Status"]


def by_polars(path: Path) -> list[np.ndarray]:
    import polars as pl

    return [column.cast(pl.Float64).to_numpy() for column in pl.read_parquet(path) if column.name != "time_s"]


ORACLES: dict[str, Callable[[Path], list[np.ndarray]]] = {
    "numpy": by_numpy,
    "audio": by_soundfile,
    "matlab": by_scipy,
    "edf": by_edfio,
    "bdf": by_edfio,
    "parquet": by_polars,
}


def ours(path: Path) -> list[np.ndarray]:
    with open_recording(path) as recording:
        channels = enumerate(recording.info.channels)
        return [recording.read(0, one.n_samples, [n])[0] for n, one in channels if one.kind != "status"]


def outcome(family: str, path: Path) -> str:
    """Return which of the two read a file, and whether they agree."""
    try:
        found: Any = ours(path)
    except (JaxscopeError, MemoryError):
        return "refused by us"
    try:
        other = ORACLES[family](path)
    except Exception:  # noqa: BLE001  (whatever another library raises about a damaged file)
        return "refused by the other"
    if len(found) != len(other) or any(len(one) != len(two) for one, two in zip(found, other, strict=False)):
        return "of another shape"
    same = all(np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True) for a, b in zip(found, other, strict=True))
    return "the same" if same else "different"


def main() -> int:
    """Compare inputs of each family."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*", choices=[*ORACLES, []])
    parser.add_argument("--count", type=int, default=300)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    n_wrong = 0
    for family in args.families or ORACLES:
        seeds, counts, wrong = seeds_of(family, None), Counter[str](), []
        for number in range(10, 10 + args.count):
            with tempfile.TemporaryDirectory() as folder:
                files = input_of(family, number, seeds)
                for name, content in files.items():
                    (Path(folder) / name).write_bytes(content)
                result = outcome(family, Path(folder) / next(iter(files)))
            counts[result] += 1
            wrong += [number] if result == "different" else []
        n_wrong += len(wrong)
        sys.stdout.write(f"{family}: {dict(counts)} {wrong[:9] or ''}\n")
        sys.stdout.flush()
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
