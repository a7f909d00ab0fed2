"""One real pass through every part of an installation, also inside the frozen app: nothing is mocked.

Each check does something that fails where a library, a resource or a device is missing or broken, in a temporary
folder, and says in a few words what it saw. A check that raises has failed; the others go on.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.compute.batch import filter_file
from jaxscope.compute.designs import Refusal, design_or_refusal
from jaxscope.compute.library import ProgramLibrary, WindowCache
from jaxscope.compute.plan import RenderRequest, plan
from jaxscope.compute.render import render
from jaxscope.errors import counted
from jaxscope.filters.coefficients import ChainDesign
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.resonators import Notch
from jaxscope.filters.spec import FilterChain, Phase, Stage
from jaxscope.session.state import Document, SessionState, Viewport

FloatArray = npt.NDArray[np.float64]
Report = Callable[[float, str], None]
RATE_HZ = 250.0
N_SAMPLES = 5000
#: Largest error that passes, relative to the signal.
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}
#: What a format keeps of the samples, relative to their range.
KEPT = {".edf": 2e-4, ".bdf": 1e-6, ".wav": 1e-6, ".npy": 1e-12, ".csv": 1e-12}


class CheckFailedError(Exception):
    """A check saw something that is not right."""


def run_checks(report: Report | None = None) -> list[dict[str, Any]]:
    """Run every check.

    Parameters
    ----------
    report : callable or None
        Gets the share done and the name of what runs.

    Returns
    -------
    list of dict
        ``{name, passed, detail}`` each.
    """
    results: list[dict[str, Any]] = []
    for number, (name, check) in enumerate(CHECKS.items()):
        if report is not None:
            report(number / len(CHECKS), name)
        with tempfile.TemporaryDirectory(prefix="jaxscope-selftest-") as folder:
            try:
                results.append({"name": name, "passed": True, "detail": check(Path(folder))})
            except Exception as error:  # noqa: BLE001  (whatever it is, the check has failed and says so)
                results.append({"name": name, "passed": False, "detail": f"{type(error).__name__}: {error}"})
    if report is not None:
        report(1.0, "")
    return results


def _require(condition: object, words: str) -> None:
    if not condition:
        raise CheckFailedError(words)


def _signal() -> FloatArray:
    """Return two channels of noise, drift and mains hum in whole thousandths."""
    time_s = np.arange(N_SAMPLES) / RATE_HZ
    noise = np.random.default_rng(7).standard_normal((2, N_SAMPLES))
    hum = 20 * np.sin(2 * np.pi * 50 * time_s)
    signal: FloatArray = np.round(30 * noise + hum + 100 * np.sin(2 * np.pi * 0.05 * time_s), 3)
    return signal


def _chain(phase: Phase = "causal") -> FilterChain:
    return FilterChain(
        phase=phase,
        stages=(
            Stage(spec=Notch(frequency_hz=50.0, q=30.0)),
            Stage(spec=Butterworth(band="bandpass", order=4, cutoff_hz=(1.0, 40.0))),
        ),
    )


def _design(phase: Phase = "causal") -> ChainDesign:
    made = design_or_refusal(_chain(phase), RATE_HZ)
    if isinstance(made, Refusal):
        raise CheckFailedError(made.reason)
    return made


def _source(folder: Path) -> Path:
    path = folder / "source.npz"
    np.savez(path, x=_signal(), rate_hz=RATE_HZ)
    return path


def _resources(_folder: Path) -> str:
    from jaxscope.resource_files import resource_path

    sizes = {name: resource_path(name).stat().st_size for name in ("tokens.json", "keymap.json", "demo.edf")}
    _require(all(sizes.values()), "a resource is empty")
    return f"{len(sizes)} found"


def _demo_recording(_folder: Path) -> str:
    from jaxscope.readers import open_recording
    from jaxscope.resource_files import resource_path

    recording = open_recording(resource_path("demo.edf"))
    try:
        x = recording.read(0, 1000, [0, 1])
        _require(x.shape == (2, 1000) and np.isfinite(x).all() and x.std() > 0, "its samples are not a signal")
        return f"{counted(len(recording.info.channels), 'channel')}, {recording.info.duration_s:g} s"
    finally:
        recording.close()


def _families(_folder: Path) -> str:
    from jaxscope.filters import FAMILIES
    from jaxscope.filters.design import design_stage
    from jaxscope.filters.shapes import new_spec

    for name in FAMILIES:
        _require(design_stage(new_spec(name, 48000.0), 48000.0) is not None, f"{name} designs nothing")
    return f"{len(FAMILIES)} designed"


def _engine(method: str, precision: str) -> Callable[[Path], str]:
    def check(_folder: Path) -> str:
        from jaxscope.engines.program import make_program

        x, worst, used = _signal(), 0.0, ""
        for phase in ("causal", "zero"):
            design = _design(phase)
            reference = make_program(design, n_channels=2, method="scipy").run(x)
            program = make_program(design, n_channels=2, method=method, precision=precision)
            worst = max(worst, float(np.abs(program.run(x) - reference).max() / np.abs(reference).max()))
            used = program.method
        _require(worst < TOLERANCE[precision], f"{used} is off by {worst:.2g} of the signal")
        return f"{used}, largest difference from SciPy {worst:.1g} of the signal"

    return check


def _devices(_folder: Path) -> str:
    from jaxscope.engines.devices import list_devices
    from jaxscope.engines.program import make_program

    x, tried = _signal(), []
    reference = make_program(_design(), n_channels=2, method="scipy").run(x)
    for backend in list_devices():
        for device in backend.devices:
            y = make_program(_design(), n_channels=2, device=device.id, precision="float32").run(x)
            worst = float(np.abs(y - reference).max() / np.abs(reference).max())
            _require(worst < TOLERANCE["float32"], f"{device.id} is off by {worst:.2g} of the signal")
            tried.append(device.id)
    _require(tried, "there is no device")
    return ", ".join(tried)


def _round_trip(suffix: str) -> Callable[[Path], str]:
    def check(folder: Path) -> str:
        from jaxscope.engines.program import make_program
        from jaxscope.readers import open_recording

        target = folder / f"out{suffix}"
        result = filter_file(str(_source(folder)), str(target), [_chain()])
        expected = make_program(_design(), n_channels=2, method="scipy").run(_signal())
        recording = open_recording(target, rate_hz=RATE_HZ)
        try:
            data = [number for number, channel in enumerate(recording.info.channels) if channel.is_data][-2:]
            written = recording.read(0, N_SAMPLES, data)
        finally:
            recording.close()
        worst = float(np.abs(written - expected).max() / np.ptp(expected))
        _require(written.shape == expected.shape, f"{written.shape[1]} of {expected.shape[1]} samples came back")
        _require(worst < KEPT[suffix] + 1e-9, f"it came back off by {worst:.2g} of its range")
        _require(Path(f"{target}.json").stat().st_size > 0, "there is no provenance")
        return f"{result['method']}, written and read again, {worst:.1g} of the range off"

    return check


def _flac(folder: Path) -> str:
    import soundfile

    from jaxscope.readers import open_recording

    x = np.round(_signal() / 400 * 2**15) / 2**15
    path = folder / "sound.flac"
    soundfile.write(path, x.T, int(RATE_HZ), subtype="PCM_16")
    recording = open_recording(path)
    try:
        _require(np.array_equal(recording.read(0, N_SAMPLES), x), "it came back changed")
    finally:
        recording.close()
    return f"libsndfile {soundfile.__libsndfile_version__}"


def _zero_phase_batch(folder: Path) -> str:
    from jaxscope.engines.program import make_program

    target = folder / "zero.npy"
    filter_file(str(_source(folder)), str(target), [_chain("zero")])
    expected = make_program(_design("zero"), n_channels=2, method="scipy").run(_signal())
    worst = float(np.abs(np.load(target) - expected).max() / np.abs(expected).max())
    _require(worst < TOLERANCE["float64"], f"it is off by {worst:.2g} of the signal")
    return f"largest difference from the whole {worst:.1g} of the signal"


def _view(folder: Path) -> str:
    from jaxscope.readers import open_recording

    recording = open_recording(_source(folder))
    try:
        state = SessionState(
            document=Document(chains=(_chain("zero"),)), viewport=Viewport(start_s=5.0, duration_s=4.0)
        )
        request = plan(state, recording.info, 200)
        if not isinstance(request, RenderRequest):
            raise CheckFailedError(request.reason)
        (block,) = render(request, WindowCache(recording), ProgramLibrary()).blocks
    finally:
        recording.close()
    _require(block.after is not None and np.isfinite(block.after.low).all(), "the frame has no filtered traces")
    return f"{block.times_s.size} points of {counted(len(block.channels), 'channel')}"


def _gradient(_folder: Path) -> str:
    import jax

    from jaxscope import dsp

    sections = np.array([[0.2, 0.4, 0.2, 1.0, -0.3, 0.1]])
    x = _signal()[0, :64]

    def loss(rows: Any) -> Any:
        return (dsp.sosfilt(rows, x) ** 2).sum()

    slope = np.asarray(jax.grad(loss)(sections))
    _require(np.isfinite(slope).all() and abs(slope[0, 0]) > 0, "the gradient is not a number")
    return f"jax {jax.__version__}"


CHECKS: dict[str, Callable[[Path], str]] = {
    "resources": _resources,
    "demonstration recording": _demo_recording,
    "filter families": _families,
    "engine, float64": _engine("auto", "float64"),
    "engine, float32": _engine("auto", "float32"),
    "devices": _devices,
    "gradients": _gradient,
    "view": _view,
    "EDF": _round_trip(".edf"),
    "BDF": _round_trip(".bdf"),
    "WAV": _round_trip(".wav"),
    "NPY": _round_trip(".npy"),
    "CSV": _round_trip(".csv"),
    "FLAC": _flac,
    "zero phase, whole file": _zero_phase_batch,
}
