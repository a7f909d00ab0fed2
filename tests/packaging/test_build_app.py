"""What the packager does to the bundle before it is packed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Load = Callable[[str], ModuleType]


@pytest.fixture
def build_app(load_script: Load, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the script without PyInstaller, which only the packaging environment has."""
    readers = ModuleType("PyInstaller.archive.readers")
    monkeypatch.setattr(readers, "CArchiveReader", None, raising=False)
    for name in ("PyInstaller", "PyInstaller.archive"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, readers.__name__, readers)
    return load_script("build_app")


@pytest.mark.parametrize("prefix", ["/home/somebody/pythons/3.11.7", "/x/3.12"])
def test_the_building_python_is_forgotten_and_nothing_moves(
    build_app: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    monkeypatch.setattr(sys, "base_prefix", prefix)
    library = tmp_path / "libpython.so"
    library.write_bytes(b"\x7fELF" + prefix.encode() + b"\0" + prefix.encode() + b"/lib\0end")
    before = library.read_bytes()
    build_app.neutralise(tmp_path)
    after = library.read_bytes()
    assert prefix.encode() not in after
    assert len(after) == len(before)
    # A version string may share the tail of the path with it.
    assert after.endswith(prefix.rsplit("/", 1)[1].encode() + b"/lib\0end")


def test_a_python_of_the_system_is_no_secret(
    build_app: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    (tmp_path / "a.so").write_bytes(b"/usr/lib")
    build_app.neutralise(tmp_path)
    assert (tmp_path / "a.so").read_bytes() == b"/usr/lib"


def test_the_control_file_of_debian_can_be_filled_in(build_app: ModuleType) -> None:
    text = build_app.CONTROL.format(version="1.2.3", architecture="amd64", kilobytes=7, depends="libgl1, libegl1")
    assert "Version: 1.2.3\n" in text
    assert "Depends: libgl1, libegl1\n" in text
    assert all(line.startswith(" ") for line in text.split("Description:")[1].splitlines()[1:])
