"""The set-up: old Pythons are told, stamps notice every change, what is missing is named with the command for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Load = Callable[[str], ModuleType]


def test_an_old_python_is_told_in_one_sentence(root: Path) -> None:
    code = (
        "import sys, runpy\n"
        "sys.version_info = (3, 8, 18, 'final', 0)\n"
        f"runpy.run_path({str(root / 'packaging' / 'bootstrap.py')!r}, run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("jaxscope needs Python 3.11 or newer, and this is Python 3.8; name a newer one")
    assert len(done.stderr.splitlines()) == 1


def test_the_fingerprint_changes_with_each_input(load_script: Load, root: Path, tmp_path: Path) -> None:
    bootstrap = load_script("bootstrap")
    names = ["packaging/requirements.txt", *bootstrap.INPUTS]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((root / name).read_bytes())
    seen = {bootstrap.fingerprint("requirements.txt", tmp_path)}
    for name in names:
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write("\n")
        seen.add(bootstrap.fingerprint("requirements.txt", tmp_path))
    assert len(seen) == len(names) + 1


def test_a_damaged_stamp_counts_as_none(load_script: Load, tmp_path: Path) -> None:
    bootstrap = load_script("bootstrap")
    (tmp_path / bootstrap.STAMP).write_text("{half", encoding="utf-8")
    assert bootstrap.read_stamp(tmp_path) == {}


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """Return a virtual environment of this Python, without pip."""
    folder = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder


def test_a_working_environment_is_kept(load_script: Load, environment: Path) -> None:
    assert load_script("bootstrap").why_not_usable(environment) is None


def test_an_environment_is_made_again_when_broken_moved_or_for_another_python(
    load_script: Load, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap = load_script("bootstrap")
    (environment / bootstrap.STAMP).write_text(json.dumps({"root": "/elsewhere"}), encoding="utf-8")
    assert bootstrap.why_not_usable(environment) == "the checkout has moved"
    monkeypatch.setattr(bootstrap, "environment_version", lambda folder: "3.10")
    assert "it is for Python 3.10" in bootstrap.why_not_usable(environment)
    monkeypatch.undo()
    bootstrap.python_of(environment).unlink()
    assert bootstrap.why_not_usable(environment) == "it does not work"


def test_a_strangers_folder_is_not_removed(load_script: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bootstrap = load_script("bootstrap")
    folder = tmp_path / ".venv"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(bootstrap.SetupError, match="is no virtual environment"):
        bootstrap.make_environment(folder)
    assert (folder / "thesis.txt").exists()


def test_pip_is_kept_from_a_cap_or_a_user_installation(load_script: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PIP_CONSTRAINT", "PYTHONPATH", "PIP_TARGET"):
        monkeypatch.setenv(name, "/elsewhere")
    environment = load_script("bootstrap").clean_environment()
    assert environment["PIP_CONSTRAINT"] == os.devnull
    assert environment["PIP_USER"] == "0"
    assert "PYTHONPATH" not in environment
    assert "PIP_TARGET" not in environment


@pytest.fixture
def libraries(load_script: Load, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the script as it runs on a Linux with apt-get and an ordinary user."""
    script = load_script("system_libraries")
    monkeypatch.setattr(script.sys, "platform", "linux")
    monkeypatch.setattr(script.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(script.shutil, "which", lambda name: f"/usr/bin/{name}" if name == "apt-get" else None)
    return script


def test_a_library_that_is_not_there_is_noticed(libraries: ModuleType) -> None:
    assert libraries.is_missing("libno-such-library.so.7")


def test_missing_libraries_stop_with_the_exact_command(libraries: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "is_missing", lambda name: name in {"libGL.so.1", "libxcb-cursor.so.0"})
    said: list[str] = []
    assert not libraries.ensure(said.append)
    assert said[-1] == "install them with: sudo apt-get install --yes --no-install-recommends libgl1 libxcb-cursor0"


def test_without_a_screen_the_x11_libraries_are_not_needed(
    libraries: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "is_missing", lambda name: name == "libxcb-cursor.so.0")
    said: list[str] = []
    assert libraries.ensure(said.append)
    assert "libxcb-cursor0" in said[1]
    assert said[-1].startswith("going on without them")


def test_root_on_debian_gets_them_installed_and_is_told(libraries: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    absent = {"libGL.so.1"}
    asked: list[list[str]] = []
    said: list[str] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        asked.append(command)
        absent.clear()
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(libraries.os, "geteuid", lambda: 0)
    monkeypatch.setattr(libraries, "is_missing", lambda name: name in absent)
    monkeypatch.setattr(libraries.subprocess, "run", run)
    assert libraries.ensure(said.append)
    assert asked[-1][-1] == "libgl1"
    assert said[1:] == ["installing with apt-get: libgl1", "they are installed"]
