"""The table of names."""

import sys

import pytest

from jaxscope.registry import Registry


def test_members_are_imported_when_first_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "this_is_slow", raising=False)
    table: Registry[object] = Registry("thing", {"root": "math:sqrt", "absent": "this_is_slow:x"})
    assert list(table) == ["root", "absent"]
    assert table["root"](9.0) == 3.0  # type: ignore[operator]
    with pytest.raises(ModuleNotFoundError):
        table["absent"]


def test_looking_for_a_name_imports_nothing_and_takes_anything() -> None:
    table: Registry[object] = Registry("thing", {"absent": "this_is_slow:x"})
    assert "absent" in table
    for name in ("other", {"a": 1}, [[]], None, 5):
        assert name not in table


def test_nearest_known_name() -> None:
    table: Registry[object] = Registry("family", {"butterworth": "math:sqrt", "bessel": "math:sqrt"})
    assert table.nearest("buterworth") == "butterworth"
    assert table.nearest("xyzzy") is None
