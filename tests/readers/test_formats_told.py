"""The README tells of every format that is read, and of none that is not."""

from __future__ import annotations

import re
from pathlib import Path

from jaxscope.readers import READERS, SUFFIXES

README = Path(__file__).parents[2] / "README.md"


def _told() -> dict[str, str]:
    """Return what the table of formats says about each suffix."""
    text = README.read_text(encoding="utf-8")
    table = text.split("| format | suffixes | read | written |")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()[1:]]
    return {suffix: row[2] for row in rows for suffix in re.findall(r"`(\.[^`]+)`", row[1])}


def test_every_suffix_that_is_told_is_read_and_every_reader_is_told() -> None:
    told = _told()
    assert {suffix for suffix in told if suffix not in SUFFIXES} == set()
    assert {SUFFIXES[suffix] for suffix in told} == set(READERS)


def test_what_needs_an_extra_says_which() -> None:
    project = (README.parent / "pyproject.toml").read_text(encoding="utf-8")
    for suffix, words in _told().items():
        needed = re.fullmatch(r"with `jaxscope\[(\w+)\]`", words)
        assert needed or words == "yes", suffix
        assert needed is None or f"\n{needed[1]} = [" in project
