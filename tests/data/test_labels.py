"""Names and units."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxscope.data.labels import plain_unit, unique_names


@given(st.lists(st.sampled_from(["A", "A #2", "A #3", "B", "A #2 #2"]), max_size=8))
def test_names_are_unique_and_single_ones_stay(names: list[str]) -> None:
    found = unique_names(names)
    assert len(set(found)) == len(found) == len(names)
    for name, shown in zip(names, found, strict=True):
        assert shown.startswith(name)
        if names.count(name) == 1:
            assert shown == name


def test_repeated_names_are_numbered_from_two() -> None:
    assert unique_names(["X", "Y", "X", "X"]) == ("X", "Y", "X #2", "X #3")
    assert unique_names(["X", "X", "X #2"]) == ("X", "X #3", "X #2")


@pytest.mark.parametrize(
    ("unit", "shown"),
    [("µV", "uV"), ("μV", "uV"), ("ÂµV", "uV"), (" mV ", "mV"), ("", ""), ("DegC", "DegC"), ("m/s²", "m/s²")],
)
def test_micro_is_ascii(unit: str, shown: str) -> None:
    assert plain_unit(unit) == shown
