"""A program that is killed while it writes leaves no half file under the name that was asked for."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jaxscope.readers import open_recording
from jaxscope.writers import WRITERS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
#: Writes every format twice, each time in a process of its own that is killed: half way, and before the last rename.
KILLED = """
import os, signal, sys
from jaxscope.writers import SUFFIXES, WRITERS, open_writer, WriteRequest
from jaxscope.data.recording import Channel
from pathlib import Path
import numpy as np
channels = tuple(Channel(name=name, unit="uV", kind="eeg", rate_hz=250.0, n_samples=4000) for name in ("Fz", "Cz"))
request = WriteRequest(channels=channels, ranges=((-1.0, 1.0),) * 2)
replace = os.replace
def write(path, moment):
    def killed(source, target):
        if Path(target) == path:
            os.kill(os.getpid(), signal.SIGKILL)
        replace(source, target)
    os.replace = killed
    writer = open_writer(path, request, overwrite=True)
    writer.write(np.zeros((2, 3000)))
    if moment == "late":
        writer.write(np.zeros((2, 1000)))
        writer.commit()
    os.kill(os.getpid(), signal.SIGKILL)
for name in WRITERS:
    suffix = next(suffix for suffix, of in SUFFIXES.items() if of == name)
    for moment in ("early", "late"):
        path = Path(sys.argv[1]) / f"{moment}{suffix}"
        path.write_bytes(b"old")
        pid = os.fork()
        if not pid:
            try:
                write(path, moment)
            finally:
                os._exit(1)
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(name, moment, ended, path.read_bytes() == b"old")
"""


def test_killed_before_the_end(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, check=False, text=True, timeout=250
    )
    told = [line.split() for line in done.stdout.splitlines()]
    assert {(name, moment) for name, moment, *_ in told} == {(n, m) for n in WRITERS for m in ("early", "late")}
    assert {tuple(rest) for _, _, *rest in told} == {(str(-signal.SIGKILL.value), "True")}, done.stdout + done.stderr


def test_a_killed_filter_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"format": "jaxscope-chain", "version": 1, "stages": []}')
    np.save(tmp_path / "a.npy", np.zeros((2, 200_000), dtype=np.float32))
    script = """
import os, signal, sys
from jaxscope.writers.edf import EdfWriter
def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)
EdfWriter._fill_up = killed
from jaxscope.__main__ import main
sys.exit(main())
"""
    command = ("filter", "a.npy", "-o", "y.edf", "--rate", "100", "--chain", "c.json")
    done = subprocess.run([sys.executable, "-c", script, *command], capture_output=True, check=False, cwd=tmp_path)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not (tmp_path / "y.edf").exists()
    assert not (tmp_path / "y.edf.json").exists()
    again = subprocess.run(
        [sys.executable, "-m", "jaxscope", *command], capture_output=True, check=False, cwd=tmp_path, text=True
    )
    assert again.returncode == 0, again.stderr
    with open_recording(tmp_path / "y.edf") as recording:
        assert recording.info.channels[0].n_samples == 200_000
