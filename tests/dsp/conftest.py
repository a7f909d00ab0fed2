"""Marks that SciPy puts on its own tests, which run here against ours; quick compilation for many small shapes."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest


def pytest_configure(config: pytest.Config) -> None:
    for name in (
        "skip_xp_backends",
        "xfail_xp_backends",
        "uses_xp_capabilities",
        "fail_slow",
        "thread_unsafe",
        "xfail_on_32bit",
    ):
        config.addinivalue_line("markers", f"{name}: a mark of SciPy's tests, without meaning here")


@pytest.fixture(scope="package", autouse=True)
def quick_compilation() -> Iterator[None]:
    """Compile without most optimisations: what is tested runs once and is small."""
    before = jax.config.values["jax_disable_most_optimizations"]
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", before)
