"""Damaged files opened by their first part and then whole, against the same files opened whole at once.

    python tests/fuzz_parts.py --count 2000 mseed xdf

The inputs are those of ``fuzz_readers.py``; parts are made so small that most of them have several.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from fuzz_readers import input_of
from fuzz_seeds import seeds_of

from jaxscope.data.recording import Recording
from jaxscope.errors import JaxscopeError
from jaxscope.readers import (
    brainvision_text,
    edf_records,
    mseed_records,
    open_first_part,
    open_recording,
    scans,
    text_table_pieces,
    xdf,
)

#: Families whose files are gone through, and bytes of a part that cut their small seeds in several.
PART_BYTES = {"mseed": 600, "xdf": 600, "text": 300, "edf": 100, "bdf": 100}
#: Samples at either end of a channel that are compared.
_COMPARED = 5000


def set_part_bytes(n_bytes: int) -> None:
    """Let every scan go on by so many bytes, and show the first part of every file."""
    for module, name in (
        (mseed_records, "_BUFFER_BYTES"),
        (xdf, "_STEP_BYTES"),
        (text_table_pieces, "PIECE_BYTES"),
        (brainvision_text, "PIECE_BYTES"),
        (edf_records, "CHUNK_BYTES"),
        (scans, "FIRST_BYTES"),
        (scans, "WHOLE_UP_TO_BYTES"),
    ):
        setattr(module, name, n_bytes)
    scans.PATIENCE_S = 0.0


def told_of(open_file: Callable[[], Recording]) -> tuple[Any, ...]:
    """Return all that can be compared: what is known, and samples; or the sentence."""
    try:
        with open_file() as recording:
            found: list[Any] = [recording.info]
            for number, channel in enumerate(recording.info.channels):
                last = max(0, channel.n_samples - _COMPARED)
                for start in {0, last}:
                    try:
                        found.append(recording.read(start, start + _COMPARED, [number]).tobytes())
                    except JaxscopeError as error:
                        found.append(error.message)
            return tuple(found)
    except JaxscopeError as error:
        return error.message, error.hint


def in_parts(path: Path, seen: list[Path]) -> Recording:
    """Open a file by its first part, read that, and return the whole; note a file that was opened in two steps."""
    first = open_first_part(path)
    if first.indexing is None:
        return first.recording
    seen.append(path)
    whole: list[Recording] = []

    def steps() -> Any:
        whole.append((yield from first.indexing))

    with first.recording as shown:
        for number in range(len(shown.info.channels)):
            with suppress(JaxscopeError):
                shown.read(0, _COMPARED, [number])
        for _ in steps():
            pass
    return whole[0]


def run_family(family: str, first: int, count: int, folder: Path) -> int:
    """Compare the inputs of a family; return how many differ."""
    set_part_bytes(PART_BYTES[family])
    seeds = list(seeds_of(family, None))
    seen: list[Path] = []
    n_different = 0
    for number in range(first, first + count):
        files = input_of(family, number, seeds)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        path = folder / next(iter(files))
        if told_of(lambda path=path: open_recording(path)) != told_of(lambda path=path: in_parts(path, seen)):
            n_different += 1
            sys.stdout.write(f"{family} {number} differs\n")
    sys.stdout.write(f"{family}: {count:,} inputs: {len(seen):,} in two steps, {n_different} different\n")
    sys.stdout.flush()
    return n_different


def main() -> int:
    """Run the families that are named, all where none is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*", choices=[*PART_BYTES, []])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=4, help="the first four inputs of a family may be bombs")
    told = parser.parse_args()
    n_different = 0
    for family in told.families or PART_BYTES:
        with tempfile.TemporaryDirectory() as folder:
            n_different += run_family(family, told.first, told.count, Path(folder))
    return 1 if n_different else 0


if __name__ == "__main__":
    sys.exit(main())
