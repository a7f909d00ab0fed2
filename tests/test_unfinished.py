"""Files that a killed program has left unfinished go with the next one; those that somebody writes stay."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from jaxscope import unfinished
from jaxscope.compute.processes import Share, SharedWork
from jaxscope.compute.zero_spill import ZeroPhaseSpill
from jaxscope.data.recording import Channel
from jaxscope.writers import SUFFIXES, WRITERS, WriteRequest, open_writer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows tells by removing whether a file is open")
#: Begins an output of every format and says so; ends when it is told to, or is killed.
BEGIN = """
import sys
from pathlib import Path
import numpy as np
from jaxscope.data.recording import Channel
from jaxscope.writers import SUFFIXES, WRITERS, WriteRequest, open_writer
channels = tuple(Channel(name=name, unit="uV", kind="eeg", rate_hz=250.0, n_samples=4000) for name in ("Fz", "Cz"))
writers = []
request = WriteRequest(channels=channels, ranges=((-1, 1),) * 2)
for suffix in SUFFIXES:
    writers.append(open_writer(Path(sys.argv[1]) / f"x{suffix}", request))
    writers[-1].write(np.zeros((2, 3000)))
print("begun", flush=True)
sys.stdin.read()
for writer in writers:
    writer.write(np.zeros((2, 1000)))
    writer.commit()
"""


@contextmanager
def begun(folder: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        yield process
        process.kill()


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def tidy(folder: Path) -> None:
    unfinished._tidied.clear()
    unfinished.tidy(folder)


def test_what_is_being_written_stays_and_what_a_killed_program_left_goes(tmp_path: Path) -> None:
    with begun(tmp_path) as process:
        before = left(tmp_path)
        assert len(before) >= len(SUFFIXES)
        tidy(tmp_path)
        assert left(tmp_path) == before
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    foreign = [".x.part", ".x-jaxscope-00000000-00000000.part", f"{before[0]}.txt"]
    for name in foreign:
        (tmp_path / name).touch()
    tidy(tmp_path)
    assert left(tmp_path) == sorted(foreign)


def test_another_program_that_tidies_disturbs_no_writer(tmp_path: Path) -> None:
    with begun(tmp_path) as process:
        tidy(tmp_path)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 0
    assert left(tmp_path) == []
    assert {path.suffix for path in tmp_path.iterdir()} >= set(SUFFIXES)


def test_writing_into_a_folder_tidies_it(tmp_path: Path) -> None:
    stale = unfinished.name_beside(tmp_path / "old.edf")
    stale.touch()
    unfinished._tidied.clear()
    request = WriteRequest(channels=(Channel(name="a", rate_hz=1.0, n_samples=2),))
    with open_writer(tmp_path / "new.npy", request) as writer:
        writer.write(np.zeros((1, 2)))
    assert [path.name for path in tmp_path.iterdir()] == ["new.npy"]


def test_a_file_taken_for_left_behind_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    lock = unfinished.fcntl.flock

    def late(handle: int, how: int) -> None:
        if not made:
            made.append(Path(os.readlink(f"/proc/self/fd/{handle}")))
            made[0].unlink()
        lock(handle, how)

    if not Path("/proc/self/fd").exists():
        pytest.skip("open files are listed under /proc")
    monkeypatch.setattr(unfinished.fcntl, "flock", late)
    path = tmp_path / "x.part"
    unfinished.make(path)
    assert made == [path]
    assert path.exists()
    unfinished.remove(path)
    assert not path.exists()


def test_a_file_that_cannot_be_made_again_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.part"
    real = os.open

    def gone(handle: int, how: int) -> None:
        path.unlink()
        monkeypatch.setattr(os, "open", refused)

    def refused(*given: object) -> int:
        raise PermissionError("the folder is another's by now")

    monkeypatch.setattr(unfinished.fcntl, "flock", gone)
    with pytest.raises(PermissionError):
        unfinished.make(path)
    monkeypatch.setattr(os, "open", real)
    assert path not in unfinished._files


def test_a_spill_that_is_too_large_for_its_disk_is_not_left_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*given: object, **more: object) -> None:
        raise OSError(errno.EFBIG, "File too large")

    monkeypatch.setattr(np, "memmap", refused)
    with pytest.raises(OSError, match="too large"):
        ZeroPhaseSpill(str(tmp_path), 2, 1000)
    share = Share(group=0, rows=(0,), first_sample=0, stop_sample=10, path=str(tmp_path / ".share.spill"))
    work = object.__new__(SharedWork)
    work._dealt = [[share]]
    with pytest.raises(OSError, match="too large"), work:
        pass
    assert left(tmp_path) == []


def test_a_disk_without_locks_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(handle: int, how: int) -> None:
        raise OSError("no locks here")

    monkeypatch.setattr(unfinished.fcntl, "flock", refused)
    path = unfinished.make_beside(tmp_path / "x.edf")
    tidy(tmp_path)
    assert path.exists()
    unfinished.remove(path)


def test_every_format_is_begun() -> None:
    assert set(SUFFIXES.values()) == set(WRITERS)
