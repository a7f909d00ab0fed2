"""What ``fuzz_readers.py`` damages: files of the tests, small real ones, and bombs.

The files of the tests are written after the specifications and not by the package, with the makers that the contract of
the readers has.
"""

from __future__ import annotations

import importlib.util
import io
import random
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
#: What a bomb unpacks to: more than may be taken.
_BOMB_BYTES = 128 << 20
#: Larger real files take too long to be damaged often.
MOST_SEED_BYTES = 300_000
Files = dict[str, bytes]


def load(name: str) -> Any:
    """Load a file of the tests, whose folders are no packages."""
    spec = importlib.util.spec_from_file_location(Path(name).stem, HERE / "readers" / name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def made_files(writer: Callable[[Path], None], name: str) -> Files:
    with tempfile.TemporaryDirectory() as folder:
        writer(Path(folder) / name)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def edf_files(family: str) -> list[Files]:
    conftest = load("conftest.py")
    noise = random.Random(5)
    high = 32767 if family == "edf" else 8388607
    signals = tuple(
        conftest.Signal(
            label=label,
            digital=(-high - 1, high),
            stored=[noise.randint(-high, high) for _ in range(n * 20)],
            per_record=n,
        )
        for label, n in (("EEG Fz", 8), ("Status" if family == "bdf" else "Temp", 4))
    )
    plain = conftest.EdfFile(bdf=family == "bdf", signals=signals)
    tals = tuple(f"+{k * 1.5}\x14\x14\0+{k}\x150.5\x14note\x14\0".encode() for k in range(20))
    noted = plain.with_changes(tals=tals, reserved=f"{family.upper()}+D")
    return [{f"x.{family}": plain.to_bytes()}, {f"x.{family}": noted.to_bytes()}]


def wfdb_files() -> list[Files]:
    samples = bytes(random.Random(3).randbytes(1200))
    segments = {
        "a.hea": b"a 2 250 100\nd.dat 212 200/mV 12 0 0 0 0 I\nd.dat 212 200/mV 12 0 0 0 0 II\n",
        "d.dat": samples,
        "b.hea": b"b 1 250 100\ne.dat 16+24 200(5)/mV 12 0 0 0 0 I\n",
        "e.dat": samples,
    }
    multi = {"x.hea": b"x/3 2 250 250\na 100\n~ 50\nb 100\n", **segments}
    layout = {
        "x.hea": b"x/3 2 250 200\nl 0\na 100\nb 100\n",
        "l.hea": b"l 2 250 0\n~ 0 200/mV 12 0 0 0 0 I\n~ 0 200/mV 12 0 0 0 0 II\n",
        **segments,
    }
    frames = {
        "x.hea": b"x 3 100 50\nd.dat 80x2 10/mV 8 0 0 0 0 A\nd.dat 80 10/mV 8 0 0 0 0 B\nd.dat 80 10/mV 8 0 0 0 0 C\n",
        "d.dat": samples,
        "x.atr": b"\x01\x04\x05\x08\x03\xfcabc\0" * 9 + b"\0\0",
    }
    cyclic = {"x.hea": b"x/2 2 250 200\nx 100\nx 100\n", **segments}
    circle = {"x.hea": b"x/1 1 250 100\ny 100\n", "y.hea": b"y/1 1 250 100\nx 100\n", "d.dat": samples}
    return [multi, layout, frames, cyclic, circle]


@cache
def bombs(family: str) -> list[Files]:
    """Small files that unpack to far more, or tell of far more than they hold."""
    import numpy as np

    packed = zlib.compress(bytes(_BOMB_BYTES))
    if family == "numpy":
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (2, 8 << 20)})
        out = io.BytesIO()
        with (
            zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open("x.npy", "w", force_zip64=True) as file,
        ):
            file.write(head.getvalue())
            for _ in range(128):
                file.write(bytes(1 << 20))
        huge = head.getvalue() + bytes(800)
        return [{"x.npz": out.getvalue()}, {"x.npy": huge}]
    if family == "matlab":
        head = b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM"
        inner = struct.pack("<IIIIIIII", 14, _BOMB_BYTES, 6, 8, 6, 0, 5, 8) + struct.pack(
            "<iiII", 1, _BOMB_BYTES // 8, 1, 1
        )
        inner += b"x".ljust(8, b"\0") + struct.pack("<II", 9, _BOMB_BYTES)
        bomb = zlib.compress(inner + bytes(_BOMB_BYTES))
        return [
            {"x.mat": head + struct.pack("<II", 15, len(bomb)) + bomb},
            {"x.mat": head + struct.pack("<II", 15, len(packed)) + packed},
        ]
    return []


def seeds_of(family: str, shared: Path | None) -> list[Files]:
    """Return what the inputs of a family are made from: files of the tests, and small real ones where there are any."""
    if family in ("edf", "bdf"):
        seeds = edf_files(family)
    else:
        contract = load("test_contract.py")
        seeds = [made_files(writer, f"x{suffix}") for suffix, writer in contract.EXAMPLES[family]]
    seeds += wfdb_files() if family == "wfdb" else []
    if shared is not None and family not in ("wfdb", "brainvision", "eeglab"):
        from jaxscope.readers import SUFFIXES

        found = sorted(p for p in shared.rglob("*") if SUFFIXES.get(p.suffix.lower()) == family and p.is_file())
        small = [path for path in found if 0 < path.stat().st_size <= MOST_SEED_BYTES]
        seeds += [{"x" + path.suffix.lower(): path.read_bytes()} for path in small[:: max(1, len(small) // 12)]]
    return seeds
