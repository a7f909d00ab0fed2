"""A program that is killed while it writes leaves no half file under the name that was asked for."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jaxscope.readers import open_recording
from jaxscope.writers import SUFFIXES, WRITERS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
#: Ends the process at once, at the given call of the method that stores samples.
KILLED = """
import os, signal, sys
from jaxscope.writers import format_for, open_writer, WriteRequest
from jaxscope.data.recording import Channel
from pathlib import Path
import numpy as np
path = Path(sys.argv[1])
channels = tuple(Channel(name=name, unit="uV", kind="eeg", rate_hz=250.0, n_samples=4000) for name in ("Fz", "Cz"))
writer = open_writer(path, WriteRequest(channels=channels, ranges=((-1.0, 1.0),) * 2), overwrite=True)
writer.write(np.zeros((2, 3000)))
if sys.argv[2] == "late":
    writer.write(np.zeros((2, 1000)))
    replace = os.replace
    def killed(source, target):
        if Path(target) == path:
            os.kill(os.getpid(), signal.SIGKILL)
        replace(source, target)
    os.replace = killed
    writer.commit()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("name", list(WRITERS))
def test_killed_before_the_end(name: str, tmp_path: Path) -> None:
    suffix = next(suffix for suffix, of in SUFFIXES.items() if of == name)
    old = np.arange(6.0).reshape(2, 3)
    for moment in ("early", "late"):
        path = tmp_path / f"{moment}{suffix}"
        np.save(tmp_path / "old.npy", old)
        path.write_bytes((tmp_path / "old.npy").read_bytes())
        done = subprocess.run([sys.executable, "-c", KILLED, str(path), moment], capture_output=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert path.read_bytes() == (tmp_path / "old.npy").read_bytes()


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
