"""The matrices of a block filter: against powers in whole numbers, in both precisions, alone and stacked."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.signal

from jaxscope.dsp.block_matrices import BLOCK, GROUP, WIDEST, block_matrices
from jaxscope.dsp.extended import Pair, multiply
from jaxscope.dsp.realisation import StateSpace, cascade_state_space, stacked


def space_of(sos: np.ndarray) -> StateSpace:
    return cascade_state_space(tuple(tuple(row) for row in sos.tolist()))


NARROW = space_of(scipy.signal.butter(4, 0.1, fs=30000, output="sos"))
WIDE = space_of(scipy.signal.butter(2, [1, 40], "bandpass", fs=1000, output="sos"))


def whole(pair: Pair) -> np.ndarray:
    """Return a pair as exact fractions."""
    high, low = (np.vectorize(Fraction, otypes=[object])(part) for part in pair)
    return high + low


def test_a_product_of_pairs_has_their_digits() -> None:
    rng = np.random.default_rng(3)
    left, right = (Pair(rng.standard_normal((9, 9)), 1e-17 * rng.standard_normal((9, 9))) for _ in range(2))
    wrong = whole(multiply(left, right)) - whole(left) @ whole(right)
    assert np.abs(wrong.astype(np.float64)).max() < 1e-21


@pytest.mark.parametrize("space", [NARROW, WIDE])
def test_matrices_are_rounded_once(space: StateSpace) -> None:
    a, b, c = whole(space.a), whole(space.b), whole(space.c)
    found = block_matrices(space, np.float64)
    powers = [np.linalg.matrix_power(a, k) for k in range(BLOCK + 1)]
    expected = {
        "powers": np.stack([power.T for power in powers]),
        "drive": np.stack([(power @ b)[:, 0] for power in powers[BLOCK - 1 :: -1]]),
        "respond": np.stack([(c @ power)[0] for power in powers[:BLOCK]]).T,
    }
    n = len(a)
    # of the largest products that are summed up, which may cancel
    tiny = 1e-20 * float(np.abs(space.c.high).max())
    np.testing.assert_allclose(found.powers, expected["powers"].astype(np.float64), rtol=3e-16, atol=1e-20)
    np.testing.assert_allclose(found.drive, expected["drive"].astype(np.float64), rtol=3e-16, atol=1e-20)
    np.testing.assert_allclose(found.respond[BLOCK:], expected["respond"].astype(np.float64), rtol=3e-16, atol=tiny)
    impulse = [space.d.high[0, 0], *((c @ power @ b)[0, 0] for power in powers[: BLOCK - 1])]
    np.testing.assert_allclose(found.respond[0], np.array(impulse).astype(np.float64), rtol=3e-16, atol=tiny)
    assert not np.tril(found.respond[:BLOCK], -1).any()
    # from the state before a group to that after it, on the second level
    level = found.levels[1][:n, WIDEST * n :]
    crossed = np.linalg.matrix_power(powers[BLOCK].astype(np.longdouble), GROUP * WIDEST).T
    np.testing.assert_allclose(level, crossed.astype(np.float64), rtol=0, atol=1e-14 * np.abs(level).max())


@pytest.mark.parametrize("space", [NARROW, WIDE])
def test_float32_has_the_matrices_of_float64(space: StateSpace) -> None:
    wide, narrow = block_matrices(space, np.float64), block_matrices(space, np.float32)
    for own, other in zip((*wide[:3], *wide.levels), (*narrow[:3], *narrow.levels), strict=True):
        assert other.dtype == np.float32
        np.testing.assert_allclose(other, own, rtol=2e-7, atol=2e-7 * np.abs(own).max())


def test_stacked_cascades_have_their_own_matrices() -> None:
    spaces = [WIDE, space_of(scipy.signal.butter(2, [2, 50], "bandpass", fs=1000, output="sos"))]
    together = block_matrices(stacked(spaces), np.float64)
    for k, space in enumerate(spaces):
        alone = block_matrices(space, np.float64)
        for own, other in zip((*alone[:3], *alone.levels), (*together[:3], *together.levels), strict=True):
            np.testing.assert_allclose(other[k], own, rtol=0, atol=1e-15 * max(np.abs(own).max(), 1))
