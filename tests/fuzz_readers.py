"""Damaged and hostile files against every reader: ``python tests/fuzz_readers.py --count 20000 edf wfdb``.

Not part of the tests but for a short, repeatable part of it (``tests/readers/test_fuzzed_files.py``). Each input has a
number, by which it is repeated alone (``--first 1234 --count 1``), or kept (``--keep FOLDER``). An input fails where
opening or reading it ends in anything but a good recording or a ``ReadError``, needs more than two seconds of CPU, or
more memory than the larger of 64 MiB and four times the file. Ends with exit code 1 where an input fails.
"""

from __future__ import annotations

import argparse
import faulthandler
import io
import os
import random
import re
import resource
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from math import isfinite
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import Any

from fuzz_seeds import Files, bombs, seeds_of

LIMIT_S, WALL_S = 2.0, 20.0
LEAST_BYTES = 64 << 20
#: Values of a channel group that are read whole; of longer ones the beginning, the middle and the end.
WHOLE_VALUES, PART = 1 << 20, 4096


NUMBERS = (b"0", b"-1", b"1", b"99999999", b"nan", b"1e308", b"-0.0", b"2147483648", b"1e-320", b"inf", b"", b"1e9999")
INTEGERS = (0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x80000000, 0x10000, 1 << 40, (1 << 64) - 1)


def mutated(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Return a damaged copy: bits, bytes, numbers in either form, lengths, cuts, repeats, parts of another file."""
    raw = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        if not raw:
            break
        head = min(len(raw), rng.choice((64, 512, 4096, len(raw))))
        at = rng.randrange(head)
        match rng.randrange(11):
            case 0:
                raw[at] ^= 1 << rng.randrange(8)
            case 1:
                raw[at] = rng.randrange(256)
            case 2 | 3:
                width = rng.choice((1, 2, 4, 8))
                value = rng.choice(INTEGERS) % (1 << 8 * width)
                raw[at : at + width] = value.to_bytes(width, rng.choice(("little", "big")))[: len(raw) - at]
            case 4 | 5:
                found = list(re.finditer(rb"[0-9]+(?:\.[0-9]+)?", bytes(raw[:head])))
                if found:
                    one = rng.choice(found)
                    new, width = rng.choice(NUMBERS), one.end() - one.start()
                    is_fixed = rng.random() < 0.6
                    raw[one.start() : one.end()] = new[:width].ljust(width) if is_fixed else new
            case 6:
                del raw[rng.randrange(len(raw)) :]
            case 7:
                stop = min(len(raw), at + rng.choice((1, 4, 16, 200)))
                del raw[at:stop]
            case 8:
                stop = min(len(raw), at + rng.choice((1, 4, 16, 200, 2000)))
                raw[at:at] = raw[at:stop]
            case 9:
                stop = min(len(raw), at + rng.choice((2, 8, 64, 1000)))
                raw[at:stop] = bytes([rng.choice((0, 255, 32))]) * (stop - at)
            case _:
                start = rng.randrange(max(1, len(other)))
                part = other[start : start + rng.choice((8, 64, 600))]
                raw[at : at + len(part)] = part
    return bytes(raw)


def repacked(rng: random.Random, name: str, data: bytes, other: bytes) -> bytes:
    """Damage what is inside a compressed file, so that its checks hold; else the file itself."""
    if name.endswith(".npz") and rng.random() < 0.6:
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
            for member in old.namelist():
                content = old.read(member)
                new.writestr(member, mutated(rng, content, content) if rng.random() < 0.6 else content)
        return out.getvalue()
    if name.endswith((".mat", ".set")) and data[128:132] == b"\x0f\0\0\0" and rng.random() < 0.7:
        raw, at = data[:128], 128
        while at + 8 <= len(data):
            kind, size = struct.unpack_from("<II", data, at)
            body = data[at + 8 : at + 8 + size]
            if kind == 15:
                try:
                    content = zlib.decompress(body)
                except zlib.error:  # a seed that is damaged as it is
                    return mutated(rng, data, other)
                body = zlib.compress(mutated(rng, content, content) if rng.random() < 0.5 else content)
            raw += struct.pack("<II", kind, len(body)) + body
            at += 8 + size
        return raw
    return mutated(rng, data, other)


def input_of(family: str, number: int, seeds: list[Files]) -> Files:
    """Return the files of one input."""
    rng = random.Random(f"{family} {number}")
    special = bombs(family) if number < 4 else []
    if number < len(special):
        return special[number]
    files = dict(rng.choice(seeds))
    other = b"".join(rng.choice(seeds).values())
    names = [name for name in files if name.startswith("x")] if rng.random() < 0.7 else list(files)
    for name in rng.sample(names, min(len(names), rng.choice((1, 1, 2)))):
        files[name] = repacked(rng, name, files[name], other)
    return files


def check(path: Path) -> str:
    """Open and read a file; return how it ended, raise AssertionError for a recording that cannot be."""
    from jaxscope.compute.summary import groups_of_equal_length
    from jaxscope.errors import ReadError
    from jaxscope.readers import open_recording

    try:
        with open_recording(path) as recording:
            info = recording.info
            names = [channel.name for channel in info.channels]
            assert len(set(names)) == len(names), f"names repeat: {names[:9]}"
            assert info.duration_s is None or (isfinite(info.duration_s) and info.duration_s >= 0), info.duration_s
            for channel in info.channels:
                assert channel.n_samples >= 0
                assert channel.rate_hz is None or (isfinite(channel.rate_hz) and channel.rate_hz > 0), channel
            for note in info.annotations:
                assert isfinite(note.onset_s), note
                assert note.duration_s is None or (isfinite(note.duration_s) and note.duration_s >= 0), note
            for gap in info.gaps:
                assert isfinite(gap.start_s), gap
                assert isfinite(gap.stop_s), gap
                assert gap.start_s < gap.stop_s, gap
            for group in groups_of_equal_length(info):
                read_group(recording, info.channels[group[0]].n_samples, group)
    except ReadError as error:
        told = error.sentence()
    else:
        return "opened"
    assert "\n" not in told, told
    return "refused"


def read_group(recording: Any, n_samples: int, group: tuple[int, ...]) -> None:
    group = group[:64]
    spans = (
        [(0, n_samples)]
        if n_samples * len(group) <= WHOLE_VALUES
        else [(start, min(n_samples, start + PART)) for start in (0, n_samples // 2, n_samples - PART)]
    )
    for start, stop in spans:
        samples = recording.read(start, stop, group)
        assert samples.shape == (len(group), stop - start), (samples.shape, start, stop)


def in_use() -> int:
    """Return how much private memory this process has, as the limit counts it."""
    text = Path("/proc/self/status").read_text()
    return int(re.search(r"VmData:\s+(\d+)", text)[1]) * 1024  # type: ignore[index]


class TooLong(BaseException):
    """Two seconds of CPU are over."""


def stop_it(_number: int, _frame: FrameType | None) -> None:
    raise TooLong


def run_one(family: str, number: int, seeds: list[Files], folder: Path) -> str:
    """Run one input in this process; return how it ended."""
    files = input_of(family, number, seeds)
    for old in folder.iterdir():
        old.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    main = next(name for name in files if name.startswith("x.") and not name.endswith((".atr", ".fdt", ".eeg")))
    n_bytes = sum(map(len, files.values()))
    allowed = in_use() + max(LEAST_BYTES, 4 * n_bytes)
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    del files
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))
    signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
    try:
        return check(folder / main)
    except TooLong:
        return "failed: more than two seconds\n" + traceback.format_exc(limit=-4)
    except MemoryError:
        return "failed: too much memory\n" + traceback.format_exc(limit=-4)
    except BaseException as error:  # noqa: BLE001  (whatever it is, it is what is looked for)
        return f"failed: {type(error).__name__}: {error}\n" + traceback.format_exc(limit=-4)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def child(family: str, numbers: range, seeds: list[Files], pipe: int) -> None:
    """Run inputs one after the other and write how each ended; what ends this process is told by its silence."""
    signal.signal(signal.SIGPROF, stop_it)
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    # Where the time is over nobody listens any more, and what follows in the stack is the parent's.
    with suppress(BrokenPipeError), tempfile.TemporaryDirectory(prefix="fuzz-") as folder, os.fdopen(pipe, "w") as out:
        warm_up(seeds)
        for number in numbers:
            result = run_one(family, number, seeds, Path(folder))
            out.write(f"{number}\t{result.replace(chr(10), chr(11))}\n")
            out.flush()
    os._exit(0)


def outcomes(family: str, first: int, count: int, seeds: list[Files], at_once: int) -> Iterator[tuple[int, str]]:
    """Yield the number of each input and how it ended. Each batch has a process of its own, which may die."""
    import select

    number, stop = first, first + count
    while number < stop:
        last = min(stop, number + at_once)
        read_end, write_end = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(read_end)
            faulthandler.disable()
            child(family, range(number, last), seeds, write_end)
        os.close(write_end)
        with os.fdopen(read_end) as told:
            while number < last:
                if not select.select([told], [], [], WALL_S)[0]:
                    os.kill(pid, signal.SIGKILL)
                    yield number, f"failed: hangs for {WALL_S:g} s"
                    number += 1
                    break
                line = told.readline()
                if not line:
                    break
                at, _, result = line.rstrip("\n").partition("\t")
                yield int(at), result.replace(chr(11), "\n")
                number = int(at) + 1
        _, status = os.waitpid(pid, 0)
        if (os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGKILL) or os.WEXITSTATUS(status):
            yield number, f"failed: the process ends with status {status}"
            number += 1


def warm_up(seeds: list[Files]) -> None:
    """Import what the family needs, so that it does not count as memory of the first input."""
    with tempfile.TemporaryDirectory() as folder:
        for number, files in enumerate(seeds):
            place = Path(folder) / str(number)
            place.mkdir()
            for name, content in files.items():
                (place / name).write_bytes(content)
            main = next(name for name in files if name.startswith("x.") and not name.endswith((".atr", ".fdt", ".eeg")))
            check(place / main)


def run_family(family: str, args: argparse.Namespace) -> int:
    """Run a family, say what was found, and return how many inputs failed."""
    # elsewhere: libraries that have begun threads do not survive a fork
    with ProcessPoolExecutor(1, get_context("fork")) as pool:
        seeds = pool.submit(seeds_of, family, args.shared).result()
    bombs(family)
    counts = {"opened": 0, "refused": 0, "failed": 0}
    kinds: dict[str, list[int]] = {}
    begun = time.monotonic()
    for number, result in outcomes(family, args.first, args.count, seeds, args.at_once):
        counts[result.partition(":")[0]] += 1
        if result.startswith("failed"):
            place = result.strip().splitlines()
            kinds.setdefault(place[0] if len(place) < 3 else f"{place[0]} | {place[-3].strip()}", []).append(number)
            if args.verbose:
                sys.stdout.write(f"{family} {number}: {result}\n")
            if args.keep:
                folder = Path(args.keep) / f"{family}-{number}"
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                for name, content in input_of(family, number, seeds).items():
                    (folder / name).write_bytes(content)
        if args.seconds and time.monotonic() - begun > args.seconds:
            break
    total = ", ".join(f"{count:,} {what}" for what, count in counts.items())
    sys.stdout.write(f"{family}: {sum(counts.values()):,} inputs: {total} ({time.monotonic() - begun:.0f} s)\n")
    for kind, numbers in sorted(kinds.items(), key=lambda item: -len(item[1])):
        sys.stdout.write(f"    {len(numbers):>5} x {kind[:300]}   such as {numbers[:4]}\n")
    sys.stdout.flush()
    return counts["failed"]


def main() -> int:
    """Run the families that are named, all where none is."""
    from jaxscope.readers import READERS

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*", choices=[*READERS, []])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, help="for each family at most")
    parser.add_argument("--at-once", type=int, default=500, help="inputs of one process")
    parser.add_argument("--shared", type=Path, help="a folder of real recordings to damage too")
    parser.add_argument("--keep", help="a folder for inputs that fail")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    os.environ["MALLOC_ARENA_MAX"] = "1"
    return 1 if sum([run_family(family, args) for family in args.families or READERS]) else 0


if __name__ == "__main__":
    sys.exit(main())
