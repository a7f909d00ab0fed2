"""The locked requirements: exact, hashed, free of addresses, and with the right Qt for each Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

LOCKS = ["requirements.txt", "requirements-dev.txt", "requirements-package.txt"]


def _entries(path: Path) -> dict[str, str]:
    """Return ``"name==version ; marker"`` for each entry of a lock, with the number of its hashes."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    return {line.split("--hash")[0].strip(): line for line in text.splitlines() if line and not line.startswith("#")}


@pytest.mark.parametrize("name", LOCKS)
def test_each_entry_is_exact_and_has_hashes(root: Path, name: str) -> None:
    for entry, line in _entries(root / "packaging" / name).items():
        assert re.match(r"[a-z0-9.-]+==[0-9][^ ]*( ;.*)?$", entry), entry
        assert "--hash=sha256:" in line, entry


@pytest.mark.parametrize("name", LOCKS)
def test_no_address_and_no_path_is_named(root: Path, name: str) -> None:
    text = (root / "packaging" / name).read_text(encoding="utf-8")
    assert not re.search(r"://|--index-url|--find-links|^/|file:", text, re.MULTILINE)


@pytest.mark.parametrize("name", LOCKS)
def test_python_3_11_gets_a_qt_before_6_12(root: Path, name: str) -> None:
    qt = [entry for entry in _entries(root / "packaging" / name) if entry.startswith("pyside6-essentials==")]
    old = [entry for entry in qt if "< '3.12'" in entry]
    assert len(old) == 1
    major, minor = re.findall(r"==(\d+)\.(\d+)", old[0])[0]
    assert (int(major), int(minor)) < (6, 12)
    assert all("python_full_version" in entry for entry in qt)


@pytest.mark.parametrize("name", LOCKS[1:])
def test_a_wider_lock_changes_nothing_of_what_the_app_runs_with(root: Path, name: str) -> None:
    run = set(_entries(root / "packaging" / LOCKS[0]))
    versions = {entry.split(" ;")[0] for entry in _entries(root / "packaging" / name)}
    assert {entry.split(" ;")[0] for entry in run} <= versions
