"""dsp follows scipy.signal: argument order, axis, zi, padding, results; and jit, vmap and grad work through it."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal

from jaxscope import dsp

RNG = np.random.default_rng(5)
SOS = {
    "bandpass": scipy.signal.butter(4, [1, 40], "band", fs=1000, output="sos"),
    "first order": scipy.signal.butter(1, 30, fs=1000, output="sos"),
    "odd order": scipy.signal.butter(3, 0.3, "high", output="sos"),
    "near minus one": scipy.signal.butter(4, 0.97, "high", output="sos"),
    "pure fir": np.array([[1.0, 2.0, 3.0, 1.0, 0.0, 0.0]]),
    "a0": 2.0 * scipy.signal.butter(2, 0.2, output="sos"),
    "zeros": np.array([[0.0, 0.0, 0.0, 1.0, -0.5, 0.0], [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]]),
}


@pytest.mark.parametrize("name", SOS)
@pytest.mark.parametrize("axis", [0, -1])
def test_sosfilt_equals_scipy_along_any_axis(name: str, axis: int) -> None:
    sos = SOS[name]
    x = RNG.standard_normal((37, 41)) + 3
    shape = [37, 41]
    shape[axis] = 2
    zi = RNG.standard_normal((len(sos), *shape))
    unit = sos / sos[:, 3:4]  # SciPy insists on it
    expected, expected_end = scipy.signal.sosfilt(unit, x, axis=axis, zi=zi)
    y, end = dsp.sosfilt(sos, x, axis, zi)
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-11 * max(1, np.abs(expected).max()))
    np.testing.assert_allclose(end, expected_end, rtol=0, atol=1e-11 * max(1, np.abs(expected_end).max()))
    np.testing.assert_allclose(dsp.sosfilt(sos, x, axis), scipy.signal.sosfilt(unit, x, axis=axis), atol=1e-10)
    assert y.dtype == np.float64


@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 300])
def test_sosfilt_of_any_length(n: int) -> None:
    x = RNG.standard_normal(n)
    expected = scipy.signal.sosfilt(SOS["bandpass"], x) if n else x
    np.testing.assert_allclose(dsp.sosfilt(SOS["bandpass"], x), expected, atol=1e-12)


@pytest.mark.parametrize("name", ["bandpass", "first order", "odd order"])
@pytest.mark.parametrize("padtype", ["odd", "constant", None])
def test_sosfiltfilt_equals_scipy(name: str, padtype: str | None) -> None:
    x = RNG.standard_normal((3, 200)).cumsum(axis=1)
    expected = scipy.signal.sosfiltfilt(SOS[name], x, padtype=padtype)
    np.testing.assert_allclose(dsp.sosfiltfilt(SOS[name], x, -1, padtype), expected, atol=1e-9)
    expected = scipy.signal.sosfiltfilt(SOS[name], x, axis=0, padtype=padtype, padlen=1)
    np.testing.assert_allclose(dsp.sosfiltfilt(SOS[name], x, 0, padtype, 1), expected, atol=1e-9)


def test_sosfiltfilt_refuses_a_signal_shorter_than_its_padding() -> None:
    with pytest.raises(ValueError, match="padlen"):
        dsp.sosfiltfilt(SOS["bandpass"], np.ones(27))
    with pytest.raises(ValueError, match="padlen is -1; give 0 or more"):
        dsp.sosfiltfilt(SOS["bandpass"], np.ones(100), padlen=-1)


@pytest.mark.parametrize("name", ["bandpass", "first order", "odd order"])
def test_sosfilt_zi_equals_scipy(name: str) -> None:
    np.testing.assert_allclose(dsp.sosfilt_zi(SOS[name]), scipy.signal.sosfilt_zi(SOS[name]), atol=1e-9)


@pytest.mark.parametrize("n_taps", [1, 2, 65, 129, 400])
@pytest.mark.parametrize("n", [0, 30, 500])
def test_fir_and_its_state_equal_lfilter(n_taps: int, n: int) -> None:
    taps = RNG.standard_normal(n_taps)
    x = RNG.standard_normal((2, n))
    zi = RNG.standard_normal((2, n_taps - 1))
    y, end = dsp.fir(taps, x, -1, zi)
    expected, expected_end = scipy.signal.lfilter(taps, [1.0], x, zi=zi) if n else (x, zi)
    np.testing.assert_allclose(y, expected, atol=1e-11)
    np.testing.assert_allclose(end, expected_end, atol=1e-11)


@pytest.mark.filterwarnings("ignore:unstable")  # one of the denominators is cut off
@pytest.mark.parametrize("axis", [0, -1])
def test_lfilter_and_filtfilt_equal_scipy(axis: int) -> None:
    b, a = scipy.signal.butter(3, 0.2)
    x = RNG.standard_normal((60, 50))
    shape = [60, 50]
    shape[axis] = 3
    zi = RNG.standard_normal(shape)
    for top, bottom in ((b, a), (2 * b, 2 * a), (b[:2], a), (b, a[:2])):
        order = max(len(top), len(bottom)) - 1
        start = zi if order == 3 else zi.take(range(order), axis=axis)
        y, end = dsp.lfilter(top, bottom, x, axis, start)
        expected, expected_end = scipy.signal.lfilter(top, bottom, x, axis=axis, zi=start)
        np.testing.assert_allclose(y, expected, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(end, expected_end, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(dsp.lfilter_zi(top, bottom), scipy.signal.lfilter_zi(top, bottom), atol=1e-12)
    expected = scipy.signal.filtfilt(b, a, x, axis=axis)
    np.testing.assert_allclose(dsp.filtfilt(b, a, x, axis), expected, atol=1e-11)


def test_complex_and_integer_and_single_precision_signals() -> None:
    sos = SOS["odd order"]
    z = RNG.standard_normal(100) + 1j * RNG.standard_normal(100)
    np.testing.assert_allclose(dsp.sosfilt(sos, z), scipy.signal.sosfilt(sos, z), atol=1e-12)
    whole = np.arange(50)
    assert dsp.sosfilt(sos, whole).dtype == np.float64
    np.testing.assert_allclose(dsp.sosfilt(sos, whole), scipy.signal.sosfilt(sos, whole), atol=1e-11)
    assert dsp.sosfilt(sos.astype(np.float32), z.real.astype(np.float32)).dtype == np.float32


def test_freqz_sos_equals_scipy() -> None:
    sos = SOS["bandpass"]
    for arguments in ((), (100, True, 1000.0), (np.array([1.0, 10.0, 50.0]), False, 1000.0)):
        w, h = dsp.freqz_sos(sos, *arguments)
        names = ("worN", "whole", "fs")
        expected_w, expected_h = scipy.signal.freqz_sos(sos, **dict(zip(names, arguments, strict=False)))
        np.testing.assert_allclose(w, expected_w, atol=1e-12)
        np.testing.assert_allclose(h, expected_h, atol=1e-9)


def central_difference(function, value: np.ndarray, step: float = 1e-6) -> np.ndarray:
    slope = np.zeros_like(value)
    for index in np.ndindex(value.shape):
        nudge = np.zeros_like(value)
        nudge[index] = step
        slope[index] = (float(function(value + nudge)) - float(function(value - nudge))) / (2 * step)
    return slope


def test_gradients_by_coefficients_and_samples_equal_finite_differences() -> None:
    sos = scipy.signal.butter(3, 0.3, output="sos")
    b, a = scipy.signal.butter(2, 0.3)
    x = RNG.standard_normal(40)
    weights = RNG.standard_normal(40)
    functions = {
        "sosfilt": (lambda s: jnp.sum(weights * dsp.sosfilt(s, x)), sos),
        "sosfilt by x": (lambda v: jnp.sum(weights * dsp.sosfilt(sos, v)), x),
        "sosfiltfilt": (lambda s: jnp.sum(weights * dsp.sosfiltfilt(s, x, padlen=20)), sos),
        "lfilter by b": (lambda p: jnp.sum(weights * dsp.lfilter(p, a, x)), b),
        "lfilter by a": (lambda p: jnp.sum(weights * dsp.lfilter(b, p, x)), a),
        "fir": (lambda p: jnp.sum(weights * dsp.fir(p, x)), RNG.standard_normal(9)),
        "freqz_sos": (lambda s: jnp.sum(jnp.abs(dsp.freqz_sos(s, 16)[1]) ** 2), sos),
    }
    for name, (function, value) in functions.items():
        slope = jax.jit(jax.grad(function))(value)
        expected = central_difference(jax.jit(function), value)
        np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max(), err_msg=name)


def test_vmap_over_a_filter_per_row_equals_row_by_row() -> None:
    x = RNG.standard_normal((3, 100))
    rows = np.stack([scipy.signal.butter(2, cutoff, output="sos") for cutoff in (0.1, 0.2, 0.3)])
    together = jax.jit(jax.vmap(dsp.sosfilt))(rows, x)
    for k in range(3):
        np.testing.assert_allclose(together[k], scipy.signal.sosfilt(rows[k], x[k]), atol=1e-13)
    epochs = RNG.standard_normal((4, 3, 50))
    nested = jax.vmap(jax.vmap(dsp.sosfilt), in_axes=(None, 0))(rows, epochs)
    np.testing.assert_allclose(nested[2, 1], scipy.signal.sosfilt(rows[1], epochs[2, 1]), atol=1e-13)
