"""A short, repeatable part of ``tests/fuzz_readers.py``: damaged files end in a recording or in words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "fuzz_readers.py"
PARTS = SCRIPT.with_name("fuzz_parts.py")
#: Families whose libraries are always installed and quick to load.
FAMILIES = (
    "edf",
    "bdf",
    "gdf",
    "brainvision",
    "wfdb",
    "matlab",
    "eeglab",
    "audio",
    "numpy",
    "xdf",
    "mseed",
    "sac",
    "raw",
)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and time as Linux has them")
def test_two_hundred_damaged_files_do_no_harm() -> None:
    command = [sys.executable, str(SCRIPT), *FAMILIES, "--count", "16"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" 0 failed") == len(FAMILIES), done.stdout


def test_damaged_files_are_the_same_in_two_steps() -> None:
    families = ("mseed", "xdf", "edf", "bdf")
    command = [sys.executable, str(PARTS), *families, "--count", "60"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" 0 different") == len(families), done.stdout
    assert "inputs: 0 in two steps" not in done.stdout
