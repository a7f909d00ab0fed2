"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import jaxscope

_PACKAGE = Path(jaxscope.__file__).parent
MODULES = sorted(
    ".".join(("jaxscope", *path.relative_to(_PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in _PACKAGE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def test_there_are_examples_to_run() -> None:
    assert {"jaxscope.errors", "jaxscope.data.timeline", "jaxscope.filters.channels"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    failed, tried = doctest.testmod(import_module(name))
    assert tried
    assert not failed
