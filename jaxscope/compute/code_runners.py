"""Runs an exported text outside this program: Python by the same interpreter, C by a compiler, MATLAB by Octave.

Each run has a folder of its own, which goes with it. A runner is a row of ``RUNNERS``: the name of the file, what is
written beside it, and the commands, or a sentence where this machine has nothing to run the text with. Invariant: no
process outlives the generator that started it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jaxscope.errors import JaxscopeError

FloatArray = npt.NDArray[np.float64]
#: seconds that a run may take, and how long one look at it lasts
MOST_S = 60.0
LOOK_S = 0.005
_MOST_WORDS = 160

_PYTHON = """import runpy
import sys

import numpy as np

rows = int(sys.argv[1])
x = np.fromfile("x.bin").reshape(rows, -1)
np.ascontiguousarray(runpy.run_path("exported.py")["apply"](x), dtype=float).tofile("y.bin")
"""
_C = """#include "{name}"
#include <stdio.h>

int main(int argc, char **argv)
{{
    const size_t rows = argc > 2 ? (size_t)atol(argv[1]) : 0, n = argc > 2 ? (size_t)atol(argv[2]) : 0;
    double *x = malloc((n ? n : 1) * sizeof *x);
    FILE *in = fopen("x.bin", "rb"), *out = fopen("y.bin", "wb");
    if (!x || !in || !out) return 2;
    for (size_t k = 0; k < rows; ++k) {{
        if (fread(x, sizeof *x, n, in) != n || jaxscope_filter(x, n) || fwrite(x, sizeof *x, n, out) != n) return 3;
    }}
    free(x); fclose(in);
    return fclose(out) ? 4 : 0;
}}
"""
_OCTAVE = (
    "f = fopen('x.bin'); x = fread(f, [{n}, {rows}], 'double'); fclose(f); "
    "f = fopen('y.bin', 'w'); fwrite(f, jaxscope_filter(x), 'double'); fclose(f);"
)


class CodeRunError(JaxscopeError):
    """An exported text ended with an error, gave something else than samples, or took too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a text is run: its file, other files by name, and the commands one after the other."""

    file: str
    beside: Mapping[str, str]
    commands: tuple[tuple[str, ...], ...]


#: returns a plan for (rows, samples), or why there is none
Runner = Callable[[int, int], Plan | str]


def _python(rows: int, n: int) -> Plan | str:
    if getattr(sys, "frozen", False):
        return "this program brings no Python that others can use"
    command = (sys.executable, "run.py", str(rows))
    return Plan(file="exported.py", beside={"run.py": _PYTHON}, commands=(command,))


def _c(name: str) -> Runner:
    def plan(rows: int, n: int) -> Plan | str:
        compiler = next(filter(None, map(shutil.which, ("gcc", "cc", "clang"))), None)
        if compiler is None:
            return "no C compiler was found"
        program = os.path.join(".", "run.exe" if sys.platform == "win32" else "run")
        compiling = (compiler, "-std=c99", "-O1", "-o", program, "run.c", "-lm")
        return Plan(
            file=name,
            beside={"run.c": _C.format(name=name)},
            commands=(compiling, (program, str(rows), str(n))),
        )

    return plan


def _matlab(rows: int, n: int) -> Plan | str:
    octave = shutil.which("octave-cli") or shutil.which("octave")
    if octave is None:
        return "MATLAB code is run by Octave, which was not found"
    command = (octave, "-qf", "--eval", _OCTAVE.format(rows=rows, n=n))
    return Plan(file="jaxscope_filter.m", beside={}, commands=(command,))


#: what can be run, by the name of the export
RUNNERS: Mapping[str, Runner] = {
    "python": _python,
    "jaxscope": _python,
    "c": _c("exported.c"),
    "c_header": _c("exported.h"),
    "matlab": _matlab,
}


def run_code(plan: Plan, text: str, x: FloatArray, *, most_s: float = MOST_S) -> Generator[None, None, FloatArray]:
    """Run a text on samples in processes of their own; yield while they work.

    Parameters
    ----------
    plan : Plan
    text : str
        The exported text.
    x : (n_channels, n_samples) float64
    most_s : float
        Seconds after which it is given up.

    Returns
    -------
    (n_channels, n_samples) float64

    Raises
    ------
    CodeRunError
        It ended with an error, gave another number of samples, or took too long.
    """
    until = time.monotonic() + most_s
    with tempfile.TemporaryDirectory(prefix="jaxscope-code-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        for name, content in {**plan.beside, plan.file: text}.items():
            (place / name).write_text(content, encoding="utf-8")
        np.ascontiguousarray(x, dtype=np.float64).tofile(place / "x.bin")
        for command in plan.commands:
            yield from _run(command, place, until)
        found = place / "y.bin"
        y = np.fromfile(found) if found.exists() else np.zeros(0)
    if y.size != x.size:
        raise CodeRunError(f"it gave {y.size} samples for {x.size}", hint="report this export")
    return y.reshape(x.shape)


def _run(command: tuple[str, ...], place: Path, until: float) -> Generator[None, None, None]:
    said = place / "said.txt"
    with said.open("wb") as file:
        try:
            process = subprocess.Popen(command, cwd=place, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        except OSError as error:
            raise CodeRunError(f"{Path(command[0]).name} does not start: {error.strerror}", hint="check it") from error
        try:
            while process.poll() is None:
                if time.monotonic() > until:
                    raise CodeRunError("it took too long and was ended", hint="look at a shorter time")
                time.sleep(LOOK_S)
                yield
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
    if process.returncode:
        lines = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        last = lines[-1][:_MOST_WORDS] if lines else f"exit status {process.returncode}"
        raise CodeRunError(f"{Path(command[0]).stem} ended with an error: {last}", hint="report this export")
