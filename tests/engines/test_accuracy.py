"""The realisation decides the accuracy: measured against a recursion in integers, which has all the digits there are.

White noise plus an offset of 100. SciPy's own error is measured beside ours; float64 must never be worse.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

from jaxscope.dsp.realisation import balanced_section, cascade_state_space
from jaxscope.engines.program import make_program

BITS = 200
FILTERS = {
    # name: (sections, factor by which ours is better than SciPy's at least)
    "band-pass 1-40 at 1 kHz": (scipy.signal.butter(4, [1, 40], "band", fs=1000, output="sos"), 30),
    "high-pass 0.1 at 2 kHz": (scipy.signal.butter(4, 0.1, "high", fs=2000, output="sos"), 30),
    "low-pass 0.1 at 30 kHz": (scipy.signal.butter(4, 0.1, fs=30000, output="sos"), 1),
    "high-pass 0.1 at 30 kHz": (scipy.signal.butter(2, 0.1, "high", fs=30000, output="sos"), 30),
    "elliptic low-pass": (scipy.signal.ellip(8, 0.5, 60, 40, fs=1000, output="sos"), 2),
    "band-pass 49-51 at 44 kHz": (scipy.signal.butter(5, [49, 51], "band", fs=44000, output="sos"), 30),
}


def exact(sos: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Filter one channel from rest with integers in units of 2**-BITS."""

    def fixed(value: float) -> int:
        numerator, denominator = float(value).as_integer_ratio()
        return (numerator << BITS) // denominator

    signal = [fixed(value) for value in x]
    for b0, b1, b2, _, a1, a2 in [[fixed(value) for value in row] for row in sos]:
        z1 = z2 = 0
        for k, value in enumerate(signal):
            y = ((b0 * value) >> BITS) + z1
            z1 = ((b1 * value - a1 * y) >> BITS) + z2
            z2 = (b2 * value - a2 * y) >> BITS
            signal[k] = y
    return np.array([value / (1 << BITS) for value in signal])


@pytest.mark.parametrize("name", FILTERS)
def test_error_against_extended_precision(name: str, chain, sections) -> None:
    sos, better = FILTERS[name]
    x = np.random.default_rng(2).standard_normal(8000) + 100
    truth = exact(sos, x)
    design = chain(sections(sos), initial="rest")
    ours = make_program(design, n_channels=1, method="block").run(x[np.newaxis])[0]
    single = make_program(design, n_channels=1, method="block", precision="float32").run(x[np.newaxis])[0]
    error = np.abs(ours - truth).max()
    assert error <= np.abs(scipy.signal.sosfilt(sos, x) - truth).max() / better
    assert np.abs(single - truth).max() <= 5e-6 * max(np.abs(truth).max(), np.abs(x).max())


def test_the_state_space_of_a_section_is_the_section() -> None:
    sos = scipy.signal.butter(2, 0.1, "high", fs=30000, output="sos")[0]
    space = cascade_state_space((tuple(sos.tolist()),))
    matrix = space.a.high + space.a.low
    assert np.trace(matrix) == pytest.approx(-sos[4], abs=1e-15)
    assert np.linalg.det(matrix) == pytest.approx(sos[5], abs=1e-15)
    # balanced: both Gramians are the same diagonal matrix
    control = scipy.linalg.solve_discrete_lyapunov(matrix, space.b.high @ space.b.high.T)
    observe = scipy.linalg.solve_discrete_lyapunov(matrix.T, space.c.high.T @ space.c.high)
    np.testing.assert_allclose(control / control[0, 0], np.diag(np.diag(control)) / control[0, 0], atol=1e-5)
    np.testing.assert_allclose(observe / observe[0, 0], control / control[0, 0], atol=1e-5)


@pytest.mark.parametrize(
    "row",
    [
        (1.0, 0.0, 0.0, 1.0, 0.0, 0.0),
        (0.0, 0.0, 0.0, 1.0, -0.5, 0.0),
        (1.0, 0.0, 0.0, 1.0, -1.0, 0.0),
        (1.0, 0.0, 0.0, 1.0, -2.0, 1.0),
        (1.0, 0.3, 0.0, 1.0, 1.0, 0.0),
        (1.0, 1e-9, 1e9, 1.0, -3.0, 4.0),
        (1.0, -1.8, 0.81, 1.0, -1.8, 0.81),
    ],
)
def test_any_section_has_a_state_space_with_its_impulse_response(row: tuple[float, ...]) -> None:
    space = cascade_state_space((row,))
    assert balanced_section(row).is_stable == bool(np.abs(np.roots([1.0, row[4], row[5]])).max(initial=0) < 1)
    impulse = np.zeros(12)
    impulse[0] = 1.0
    expected = scipy.signal.sosfilt([row], impulse)
    state, found = space.b.high[:, 0], [space.d.high[0, 0]]
    for _ in range(11):
        found.append((space.c.high @ state)[0])
        state = space.a.high @ state
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max())
