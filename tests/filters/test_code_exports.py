"""Exported code is run: Python by itself, C through the compiler; both equal SciPy. Tables keep every digit."""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import subprocess
import warnings

import numpy as np
import pytest
from scipy import signal

from jaxscope.errors import UsageError
from jaxscope.filters import FAMILIES
from jaxscope.filters.code import EXPORTS, export_code
from jaxscope.filters.coefficients import RunningMedian, Sections
from jaxscope.filters.design import design_chain
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Padding, Stage

RATE_HZ = 200.0
BAND = Butterworth(band="bandpass", cutoff_hz=(1.0, 40.0))


def chain_of(*specs, **options):
    return FilterChain(stages=tuple(Stage(spec=spec) for spec in specs), **options)


MIXED = (BAND, FAMILIES["fir_window"](taps=31), FAMILIES["notch"](), FAMILIES["gain"](gain=2.0))
CHAINS = {
    "steady": chain_of(*MIXED),
    "rest": chain_of(*MIXED, initial="rest"),
    "minimum": chain_of(*MIXED, phase="minimum"),
    "zero": chain_of(*MIXED, phase="zero"),
    "zero_even": chain_of(*MIXED, phase="zero", padding=Padding(kind="even")),
    "zero_constant": chain_of(*MIXED, phase="zero", padding=Padding(kind="constant", samples=50)),
    "zero_none": chain_of(*MIXED, phase="zero", padding=Padding(kind="none")),
    "median": chain_of(FAMILIES["median"](window=7), BAND),
    "zero_median": chain_of(FAMILIES["median"](window=7), phase="zero"),
    "zero_smooth": chain_of(FAMILIES["savitzky_golay"](), phase="zero"),
    "integrator": chain_of(FAMILIES["sections"](rows=((1, 0, 0, 1, -1, 0),))),
    "integrator_first": chain_of(
        FAMILIES["sections"](rows=((1, 0, 0, 1, -1, 0),)), FAMILIES["moving_average"](window=5), BAND
    ),
    "median_rest": chain_of(FAMILIES["median"](window=7), BAND, initial="rest"),
    "integrator_and_median": chain_of(FAMILIES["sections"](rows=((1, 0, 0, 1, -1, 0),)), FAMILIES["median"](window=7)),
    "zero_long_constant": chain_of(BAND, phase="zero", padding=Padding(kind="constant", samples=500)),
    "one_tap": chain_of(FAMILIES["gain"](gain=-3.0)),
    "empty": chain_of(),
}


@pytest.fixture
def x():
    return np.random.default_rng(5).normal(size=(2, 400)).cumsum(axis=1) + 30


def _reference(chain, x):
    """Return what SciPy makes of a chain, part by part, for what SciPy has."""
    design = design_chain(chain, RATE_HZ)
    is_steady = design.initial == "steady"
    pad = {"odd": "odd", "even": "even", "constant": "constant", "none": None}[design.padding_kind]
    for part in design.parts:
        if isinstance(part, RunningMedian):
            half = part.window // 2 if design.phase == "zero" else part.window - 1
            after = half if design.phase == "zero" else 0
            mode = {"mode": "edge" if is_steady else "constant"}
            if design.phase == "zero":
                mode = {"mode": "reflect", "reflect_type": "odd"}
            padded = np.pad(x, ((0, 0), (half, after)), **mode)
            x = np.median(np.lib.stride_tricks.sliding_window_view(padded, part.window, axis=-1), axis=-1)
        elif isinstance(part, Sections):
            sos = part.to_array()
            if design.phase == "zero":
                edge = design.padding_samples
                if pad == "constant":  # SciPy refuses more than there are samples
                    x = np.pad(x, ((0, 0), (edge, edge)), mode="edge")
                    x = signal.sosfiltfilt(sos, x, padtype=None, padlen=0)[:, edge : x.shape[1] - edge]
                else:
                    x = signal.sosfiltfilt(sos, x, padtype=pad, padlen=edge)
            elif not is_steady or np.isclose(sos[:, 3:].sum(axis=1), 0, atol=1e-15).any():
                x, is_steady = signal.sosfilt(sos, x), False
            else:
                x = signal.sosfilt(sos, x, zi=signal.sosfilt_zi(sos)[:, None] * x[:, :1])[0]
        elif design.phase == "zero" and part.runs_once:
            half = len(part.values) // 2
            padded = np.pad(x, ((0, 0), (half, half)), mode="reflect", reflect_type="odd")
            x = np.array([np.convolve(row, part.values, "valid") for row in padded])
        elif design.phase == "zero":
            x = signal.filtfilt(part.values, 1.0, x, padtype=pad, padlen=design.padding_samples)
        elif len(part.values) == 1:
            x = part.values[0] * x
        else:
            past = x[:, :1] if is_steady else 0
            x = signal.lfilter(part.values, 1.0, x, zi=signal.lfilter_zi(part.values, 1.0) * past + np.zeros((2, 1)))[0]
    return x


@pytest.mark.parametrize("name", CHAINS)
def test_python_runs_and_equals_scipy(name, x):
    space = {}
    exec(compile(export_code(CHAINS[name], RATE_HZ, "python"), "exported.py", "exec"), space)
    y = space["apply"](x)
    wanted = _reference(CHAINS[name], x)
    np.testing.assert_allclose(y, wanted, atol=1e-10 * max(1, np.abs(wanted).max()))
    np.testing.assert_array_equal(space["apply"](x[0]), y[0])


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("name", CHAINS)
def test_c_compiles_without_a_warning_and_equals_scipy(name, x, tmp_path):
    source, library = tmp_path / "chain.c", tmp_path / "chain.so"
    source.write_text(export_code(CHAINS[name], RATE_HZ, "c"))
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, "-o", library, source, "-lm"], check=True)
    run = ctypes.CDLL(str(library)).jaxscope_filter
    run.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    wanted = _reference(CHAINS[name], x)
    for row in range(2):
        y = x[row].copy()
        assert run(y.ctypes.data, y.size) == 0
        np.testing.assert_allclose(y, wanted[row], atol=1e-10 * max(1, np.abs(wanted).max()))
    assert run(None, 0) == 0


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("name", ["steady", "zero", "median", "empty"])
def test_the_c_header_is_included_by_two_files_and_equals_scipy(name, x, tmp_path):
    (tmp_path / "chain.h").write_text(export_code(CHAINS[name], RATE_HZ, "c_header"))
    one, other, library = tmp_path / "one.c", tmp_path / "other.c", tmp_path / "chain.so"
    one.write_text(
        '#include "chain.h"\n#include "chain.h"\nint run(double *x, size_t n) { return jaxscope_filter(x, n); }\n'
    )
    other.write_text('#include "chain.h"\nint again(double *x, size_t n) { return jaxscope_filter(x, n); }\n')
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, "-o", library, one, other, "-lm"], check=True)
    run = ctypes.CDLL(str(library)).run
    run.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    wanted = _reference(CHAINS[name], x)
    y = x[0].copy()
    assert run(y.ctypes.data, y.size) == 0
    np.testing.assert_allclose(y, wanted[0], atol=1e-10 * max(1, np.abs(wanted).max()))


@pytest.mark.parametrize("name", CHAINS)
def test_python_with_jaxscope_runs_and_equals_scipy(name, x):
    space = {}
    exec(compile(export_code(CHAINS[name], RATE_HZ, "jaxscope"), "exported.py", "exec"), space)
    wanted = _reference(CHAINS[name], x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the integrator says what it is
        y = space["apply"](x)
    np.testing.assert_allclose(y, wanted, atol=1e-9 * max(1, np.abs(wanted).max()))


@pytest.mark.skipif(shutil.which("octave") is None, reason="needs Octave")
def test_matlab_equals_scipy_in_octave(x, tmp_path):
    np.savetxt(tmp_path / "x.txt", x.T, fmt="%.17g")
    script = "x = load('x.txt');"
    for name in CHAINS:  # one Octave for all of them: it takes its time to start
        folder = tmp_path / name
        folder.mkdir()
        (folder / "jaxscope_filter.m").write_text(export_code(CHAINS[name], RATE_HZ, "matlab"))
        script += f" cd {name}; clear jaxscope_filter; y = jaxscope_filter(x); save('-ascii', '-double', 'y.txt', 'y');"
        script += " cd ..;"
    subprocess.run(["octave", "-qf", "--eval", script], cwd=tmp_path, check=True)
    for name in CHAINS:
        wanted = _reference(CHAINS[name], x)
        found = np.loadtxt(tmp_path / name / "y.txt").T
        np.testing.assert_allclose(found, wanted, atol=1e-9 * max(1, np.abs(wanted).max()), err_msg=name)


@pytest.mark.parametrize("target", EXPORTS)
@pytest.mark.parametrize("name", CHAINS)
def test_every_export_is_text_with_the_sentence(name, target):
    text = export_code(CHAINS[name], RATE_HZ, target)
    assert text.endswith("\n")
    assert "sampled at 200 Hz" in text.replace("\n", " ").replace("  ", " ").replace("   ", " ")
    assert EXPORTS[target].suffix.startswith(".")


def test_csv_and_json_keep_every_digit():
    chain = CHAINS["steady"]
    design = design_chain(chain, RATE_HZ)
    lines = export_code(chain, RATE_HZ, "csv").splitlines()
    place = lines.index("b0,b1,b2,a0,a1,a2")
    rows = [tuple(map(float, line.split(","))) for line in lines[place + 1 : place + 5]]
    assert tuple(rows) == design.parts[0].rows
    taps = lines.index("taps")
    assert tuple(map(float, lines[taps + 1 : taps + 32])) == design.parts[1].values
    content = json.loads(export_code(chain, RATE_HZ, "json"))
    assert content["rate_hz"] == RATE_HZ
    assert len(content["sections"]) == 5


def test_cmsis_has_its_own_signs_and_order():
    text = export_code(chain_of(FAMILIES["sections"](rows=((1, 2, 3, 1, 0.5, 0.25),))), RATE_HZ, "cmsis")
    assert "1.0f, 2.0f, 3.0f, -0.5f, -0.25f" in text
    text = export_code(chain_of(FAMILIES["taps"](values=(1.0, 2.0, 3.0))), RATE_HZ, "cmsis")
    assert "3.0f, 2.0f, 1.0f" in text
    # inside the circle in float64, on it in float32
    edge = chain_of(FAMILIES["sections"](rows=((1, 0, 0, 1, 0, 1 - 1e-9),)))
    assert "not stable" in export_code(edge, RATE_HZ, "cmsis")
    assert "not stable" not in export_code(CHAINS["steady"], RATE_HZ, "cmsis")


def test_an_unknown_export_names_the_nearest():
    with pytest.raises(UsageError, match='no export "pyton"') as caught:
        export_code(FilterChain(), RATE_HZ, "pyton")
    assert "python" in caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize(("target", "define"), [("python", r"def (_\w+)\("), ("matlab", r"function [^(]*?(\w+)\(")])
def test_no_function_is_written_that_is_not_called(name, target, define):
    code = export_code(CHAINS[name], RATE_HZ, target)
    functions = [own for own in re.findall(define, code) if own != "jaxscope_filter"]
    assert len(functions) == len(set(functions))
    for own in functions:
        assert len(re.findall(rf"\b{own}\b", code)) > 1, own
