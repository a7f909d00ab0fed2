"""An interruption ends a command with one line and code 130, at any moment, and leaves no file behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from jaxscope import unfinished
from jaxscope.interruption import Interrupter, ended_in_order, in_another_thread, put_off

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows ends programs without asking")
SAID = "jaxscope: interrupted; nothing was written\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "c.json").write_text('{"format": "jaxscope-chain", "version": 1, "stages": []}')
    for name in ("a.npy", "b.npy"):
        np.save(tmp_path / name, np.zeros((2, 1_000_000), dtype=np.float32))
    (tmp_path / "out").mkdir()
    return tmp_path


def _run_script(script: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    ending = "import sys; from jaxscope.__main__ import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", f"{script}\n{ending}", *arguments], capture_output=True, text=True, check=False, cwd=cwd
    )


def test_several_signals_in_a_row_leave_nothing_behind(folder: Path) -> None:
    script = """
import os, signal
from jaxscope.writers.npy import NpyWriter
def end(*_):
    os.kill(os.getpid(), signal.SIGINT)
abort = NpyWriter.abort
def ended_again(self):
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        os.kill(os.getpid(), number)
    abort(self)
first = NpyWriter._write
def write(self, *_):
    NpyWriter.abort = ended_again
    end()
NpyWriter._write = write
"""
    arguments = ("filter", "a.npy", "-o", "out/y.npy", "--rate", "100", "--chain", "c.json")
    done = _run_script(script, *arguments, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", SAID)
    assert list((folder / "out").iterdir()) == []


@pytest.mark.parametrize("moment", ["y.npy", "y.npy.json"])
def test_an_output_that_is_in_place_gets_its_provenance_first(moment: str, folder: Path) -> None:
    script = f"""
import os, signal
replace = os.replace
def ended(source, target):
    if os.path.basename(target) == "{moment}":
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(os.getpid(), number)
    replace(source, target)
    if os.path.basename(target) == "{moment}":
        os.kill(os.getpid(), signal.SIGINT)
os.replace = ended
"""
    (folder / "out" / "y.npy").write_bytes(b"old")
    (folder / "out" / "y.npy.json").write_text("{}")
    arguments = ("filter", "a.npy", "-o", "out/y.npy", "--rate", "100", "--chain", "c.json", "--overwrite")
    done = _run_script(script, *arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "jaxscope: interrupted; 1 of 1 files were written\n"
    told = json.loads((folder / "out" / "y.npy.json").read_text())
    assert told["output"]["size_bytes"] == (folder / "out" / "y.npy").stat().st_size > 1_000_000
    assert len(list((folder / "out").iterdir())) == 2


def test_a_worker_ends_after_what_must_not_be_left_half_done(tmp_path: Path) -> None:
    script = """
import os, signal
from pathlib import Path
from jaxscope.interruption import put_off, take_signals
take_signals()
with put_off():
    os.kill(os.getpid(), signal.SIGTERM)
    Path("inside").touch()
Path("after").touch()
"""
    done = _run_script(script, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, "")
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]


def test_what_is_put_off_comes_also_where_the_inside_fails() -> None:
    before = signal.getsignal(signal.SIGINT)

    def fail() -> None:
        with put_off():
            signal.raise_signal(signal.SIGINT)
            raise ValueError("inside")

    with ended_in_order():
        inner = signal.getsignal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt) as caught:
            fail()
        assert isinstance(caught.value.__context__, ValueError)
        assert signal.getsignal(signal.SIGINT) is inner
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(("name", "to_all"), [("SIGHUP", True), ("SIGTERM", False)])
def test_workers_end_with_the_program_that_started_them(name: str, *, to_all: bool, folder: Path) -> None:
    for stem in ("a", "b"):  # text takes long enough to be met half written
        np.savetxt(folder / f"{stem}.csv", np.zeros((300_000, 2)), fmt="%d", delimiter=",", header="x,y", comments="")
    files = ("a.csv", "b.csv", "--output-dir", "out", "--rate", "1000", "--chain", "c.json", "--jobs", "2")
    command = ("filter", *files)
    process = subprocess.Popen(
        [sys.executable, "-m", "jaxscope", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        start_new_session=True,
    )
    while not list((folder / "out").glob(".*.part")) and process.poll() is None:
        time.sleep(0.002)
    (os.killpg if to_all else os.kill)(process.pid, signal.Signals[name])
    out, error = process.communicate()
    assert (process.returncode, out, error) == (130, "", SAID)
    assert [path.name for path in (folder / "out").iterdir()] == []


@pytest.mark.skipif(sys.platform != "linux", reason="processes are listed under /proc")
def test_workers_end_when_the_program_that_started_them_is_killed(folder: Path) -> None:
    for stem in ("a", "b"):
        np.savetxt(folder / f"{stem}.csv", np.zeros((300_000, 2)), fmt="%d", delimiter=",", header="x,y", comments="")
    files = ("a.csv", "b.csv", "--output-dir", "out", "--rate", "1000", "--chain", "c.json", "--jobs", "2")
    process = subprocess.Popen([sys.executable, "-m", "jaxscope", "filter", *files], cwd=folder, start_new_session=True)
    while not list((folder / "out").glob(".*.part")) and process.poll() is None:
        time.sleep(0.002)
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.kill()
    process.wait()
    assert len(workers) >= 2
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < deadline, "a worker goes on though nobody waits for it"
        time.sleep(0.05)
    assert [path.name for path in (folder / "out").iterdir()] == []


def test_an_interruption_while_the_program_loads_is_one_line(tmp_path: Path) -> None:
    script = """
import os, signal, sys
class Meet:
    def find_spec(self, name, *_):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Meet())
"""
    done = _run_script(script, "info", "x.edf", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", SAID)


def test_an_import_that_hides_an_interruption_is_no_bug(tmp_path: Path) -> None:
    script = """
import os, signal
import jaxscope.readers
def hide(*_, **__):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        raise ImportError("something failed to import") from None
jaxscope.readers.open_recording = hide
"""
    done = _run_script(script, "info", "x.edf", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, SAID)


def test_a_measurement_is_not_waited_for(tmp_path: Path) -> None:
    script = """
import os, signal, threading, time
import jaxscope.compute.bench
def measure(*_, **__):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(3600)
jaxscope.compute.bench.run_scenes = measure
"""
    done = _run_script(script, "bench", "--json", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", SAID)


def test_what_another_thread_does_comes_back() -> None:
    assert in_another_thread(lambda: 3) == 3
    for kind in (ValueError, TimeoutError):

        def fail(kind: type[Exception] = kind) -> None:
            raise kind("so")

        with pytest.raises(kind, match="so"):
            in_another_thread(fail)


def test_a_signal_that_was_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_in_order():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert isinstance(signal.getsignal(signal.SIGTERM), Interrupter)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_file_that_nobody_removed_is_removed(tmp_path: Path) -> None:
    path = tmp_path / ".x.part"
    unfinished.remember(path)
    path.touch()
    with pytest.raises(KeyboardInterrupt), ended_in_order():
        os.kill(os.getpid(), signal.SIGTERM)
    assert not path.exists()
