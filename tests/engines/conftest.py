"""Chains for the tests of the engine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from jaxscope.filters.coefficients import ChainDesign, Realisation, Sections


def chain(*parts: Realisation, **changes: object) -> ChainDesign:
    defaults: dict[str, object] = {
        "rate_hz": 1000.0,
        "phase": "causal",
        "initial": "steady",
        "padding_kind": "odd",
        "padding_samples": None,
        "gaps": "segment",
    }
    return ChainDesign(parts=parts, **{**defaults, **changes})  # type: ignore[arg-type]


def sections(sos: np.ndarray) -> Sections:
    return Sections(tuple(tuple(float(value) for value in row) for row in np.asarray(sos)))


@pytest.fixture(name="chain")
def chain_fixture() -> Callable[..., ChainDesign]:
    return chain


@pytest.fixture(name="sections")
def sections_fixture() -> Callable[[np.ndarray], Sections]:
    return sections
