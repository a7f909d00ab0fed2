"""SciPy's own published tests of these functions, run against ours, where SciPy ships them.

A copy of each of its test modules is loaded in which the functions are ours (results turned into numpy arrays, since
the tests write into them). All tests of the classes below are run; those of ``CANNOT`` are expected to fail, and why is
said there. They would be noticed if they began to pass. Of 273 tests, 262 pass, 9 differ as said, and SciPy itself
leaves out 2. Those not in ``QUICK`` run where the environment holds JAXSCOPE_SLOW_TESTS.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest
import scipy.signal

from jaxscope import dsp

OURS = {
    "coherence": dsp.coherence,
    "filtfilt": dsp.filtfilt,
    "freqz_sos": dsp.freqz_sos,
    "group_delay": dsp.group_delay,
    "hilbert": dsp.hilbert,
    "lfilter": dsp.lfilter,
    "lfilter_zi": dsp.lfilter_zi,
    "savgol_filter": dsp.savgol,
    "sosfilt": dsp.sosfilt,
    "sosfilt_zi": dsp.sosfilt_zi,
    "sosfiltfilt": dsp.sosfiltfilt,
    "sosfreqz": dsp.sosfreqz,
    "spectrogram": dsp.spectrogram,
    "welch": dsp.welch,
}
WORDS = "errors and warnings have words of their own, and integers are filtered in float64 instead of being refused"
SCALED = "sections with an a0 that is not 1 are divided by it instead of being refused"
LONG = "jax has no long double"
#: whichever SciPy
ALWAYS = {
    **{
        f"TestLinearFilter{kind}.test_invalid_params": WORDS
        for kind in ("Float32", "Float64", "Complex64", "Complex128")
    },
    "TestSOSFilt.test_bad_zi_shape": SCALED,
    "TestSpectrogram.test_short_data": WORDS,
}
CANNOT = dict(ALWAYS)
if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 18):
    CANNOT["TestLFilterZI.test_exceptions"] = WORDS
#: ours say so where a filter is unstable, and some of these are
pytestmark = pytest.mark.filterwarnings("ignore:unstable:RuntimeWarning")
#: never run
LEFT_OUT = ("TestLinearFilterFloatExtended", "TestLinearFilterComplexExtended")
#: what is run without being asked for; the rest is slow for the many shapes that have to be compiled
QUICK = {
    "TestLFilterZI", "TestHilbert", "TestGroupDelay",
    "test_sg_filter_basic", "test_sg_filter_interp_edges", "test_sg_filter_valid_window_length_3d",
}  # fmt: skip
EVERYTHING = "JAXSCOPE_SLOW_TESTS" in os.environ
#: classes of SciPy's modules, and the tests that are functions
SUITES = {
    "test_signaltools": (
        "TestLinearFilterFloat32", "TestLinearFilterFloat64", "TestLinearFilterComplex64",
        "TestLinearFilterComplex128", "TestLFilterZI", "TestFiltFilt", "TestSOSFiltFilt", "TestHilbert", "TestSOSFilt",
    ),
    "test_filter_design": ("TestFreqz_sos", "TestGroupDelay"),
    "test_spectral": ("TestWelch", "TestCoherence", "TestSpectrogram"),
    "test_savitzky_golay": (
        "test_sg_filter_trivial", "test_sg_filter_basic", "test_sg_filter_2d", "test_sg_filter_interp_edges",
        "test_sg_filter_interp_edges_3d", "test_sg_filter_valid_window_length_3d",
    ),
}  # fmt: skip


def as_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        # copies: the tests write into some of the results
        return jax.tree.map(lambda value: np.array(value)[()], function(*args, **named))

    return call


def with_ours(name: str) -> ModuleType | None:
    """Return a fresh copy of one of SciPy's test modules, in which the functions are ours."""
    found = importlib.util.find_spec("scipy.signal.tests")
    spec = importlib.util.find_spec(f"scipy.signal.tests.{name}") if found else None
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    ours = {key: as_numpy(function) for key, function in OURS.items()}
    for key, function in ours.items():
        if key in vars(module):
            setattr(module, key, function)
    if "signal" in vars(module):
        module.signal = SimpleNamespace(**{**vars(scipy.signal), **ours})  # type: ignore[attr-defined]
    return module


for _module_name, _names in SUITES.items():
    _module = with_ours(_module_name)
    for _name in _names:
        if not (EVERYTHING or _name in QUICK):
            continue
        _theirs = getattr(_module, _name, None)
        if isinstance(_theirs, type):
            globals()[_name] = type(_name, (_theirs,), {})
        elif _theirs is not None:
            globals()[_name] = _theirs


def table_of_results() -> str:
    """Return the table of the README: every class of tests, what of it passes, and why the rest cannot."""
    rows = ["| SciPy's tests | pass | why the rest cannot |", "|---|---|---|"]
    functions: list[str] = []
    for name in (name for names in SUITES.values() for name in names):
        if not name.startswith("Test"):
            functions.append(f"`{name}`")
            continue
        failing = {key.partition(".")[2]: why for key, why in ALWAYS.items() if key.startswith(f"{name}.")}
        passing = f"all but {', '.join(f'`{test}`' for test in failing)}" if failing else "all"
        rows.append(f"| `{name}` | {passing} | {'; '.join(failing.values())} |")
    rows.append(f"| {', '.join(functions)} | all | |")
    rows.append(f"| {', '.join(f'`{name}`' for name in LEFT_OUT)} | none | {LONG} |")
    return "\n".join(row.replace("|  |", "| |") for row in rows)


def test_the_readme_tells_what_passes() -> None:
    readme = Path(__file__).parents[2] / "README.md"
    assert table_of_results() in readme.read_text(encoding="utf-8")


def test_scipy_ships_its_tests() -> None:
    if with_ours("test_signaltools") is None:
        pytest.skip("this SciPy came without its tests")


@pytest.fixture
def xp() -> ModuleType:
    """The array library of SciPy's tests: numpy as it wraps it."""
    from scipy._lib._array_api import array_namespace

    return array_namespace(np.empty(0))


@pytest.fixture(autouse=True)
def known_to_differ(request: pytest.FixtureRequest) -> None:
    owner = request.cls.__name__ if request.cls else ""
    for key in (f"{owner}.{request.node.name}", f"{owner}.{request.node.originalname}", request.node.originalname):
        if key in CANNOT:
            request.applymarker(pytest.mark.xfail(reason=CANNOT[key], strict=True))
