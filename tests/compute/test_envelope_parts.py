"""An envelope in parts holds the same values as one in one piece."""

import numpy as np
import pytest

from jaxscope.compute.envelopes import Envelope


@pytest.fixture
def whole() -> np.ndarray:
    """Values of 3 channels in 20 bins."""
    return np.random.default_rng(0).standard_normal((3, 20))


@pytest.mark.parametrize("borders", [(), (7,), (1, 2, 13), (19,)])
def test_parts_hold_what_the_whole_holds(whole: np.ndarray, borders: tuple[int, ...]) -> None:
    low, high = np.split(whole, borders, axis=1), np.split(whole + 1, borders, axis=1)
    made = Envelope.of_parts(low, high)
    assert made.n_channels == 3
    assert made.n_points == 20
    for bins in (slice(0, 20), slice(5, 9), slice(7, 8), slice(15, 40), slice(30, 40)):
        cut = list(made.highs(bins))
        found = np.concatenate(cut, axis=1) if cut else np.zeros((3, 0))
        assert np.array_equal(found, (whole + 1)[:, bins])
    for step in (1, 3, 6):
        thin = made.every(step)
        assert np.array_equal(thin[0], whole[:, ::step])
        assert np.array_equal(thin[1], whole[:, ::step] + 1)
    assert made.at(2, 13) == (whole[2, 13], (whole + 1)[2, 13])
    assert np.array_equal(made.row(1)[1], whole[1] + 1)
    assert np.array_equal(made.low, whole)
    assert np.array_equal(made.high, whole + 1)
    assert not made.is_exact


def test_an_exact_envelope_has_one_array_for_both(whole: np.ndarray) -> None:
    made = Envelope.of_parts(np.split(whole, 2, axis=1), None)
    assert made.is_exact
    assert made.high is made.low
    assert np.array_equal(np.concatenate(list(made.highs(slice(0, 20))), axis=1), whole)
