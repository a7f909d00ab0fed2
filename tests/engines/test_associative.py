"""The prefix over time gives what the oracle gives, in any chunking and with a chain per channel."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

from jaxscope.engines.program import make_program

SLOW = scipy.signal.butter(2, [1, 40], "band", fs=1000, output="sos")
FAST = scipy.signal.butter(2, [200, 400], "band", fs=1000, output="sos")


def walk() -> np.ndarray:
    return np.random.default_rng(3).standard_normal((2, 700)).cumsum(axis=1) + 100


@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_associative_equals_the_oracle(phase: str, chain, sections) -> None:
    designs = [chain(sections(sos), phase=phase) for sos in (SLOW, FAST)]
    x = walk()
    x[1, 300:320] = np.nan
    program = make_program(designs, n_channels=2, method="associative")
    assert program.method == "associative"
    expected = make_program(designs, n_channels=2, method="scipy").run(x)
    np.testing.assert_allclose(program.run(x), expected, rtol=0, atol=1e-9)


def test_block_by_block_equals_whole(chain, sections) -> None:
    program = make_program(chain(sections(SLOW)), n_channels=2, method="associative")
    x, state, pieces = walk(), program.start(), []
    for start, stop in ((0, 1), (1, 500), (500, 700)):
        y, state = program.step(x[:, start:stop], state)
        pieces.append(y)
    np.testing.assert_allclose(np.concatenate(pieces, axis=1), program.run(x), rtol=0, atol=1e-10)
