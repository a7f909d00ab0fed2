"""Marks that SciPy puts on its own tests, which run here against ours."""

from __future__ import annotations

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
