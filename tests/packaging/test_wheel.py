"""A wheel that is built here holds the package and its resources, and nothing that gives away where it was built."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def source(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of what a wheel is made from."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "THIRD_PARTY_LICENSES"):
        (source / name).write_bytes((root / name).read_bytes())
    for folder in ("jaxscope", "resources"):
        for path in (root / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                copy = source / path.relative_to(root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(path.read_bytes())
    return source


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel without a network."""
    out = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*build, "--wheel-dir", str(out), str(source)], check=True, capture_output=True, text=True)
    return next(out.glob("*.whl"))


def test_the_wheel_holds_every_module_and_resource(wheel: Path, source: Path) -> None:
    wanted = {str(path.relative_to(source)) for path in (source / "jaxscope").rglob("*.py")}
    wanted |= {f"jaxscope/{path.relative_to(source)}" for path in (source / "resources").rglob("*") if path.is_file()}
    assert {"jaxscope/cli/run.py", "jaxscope/resources/tokens.json"} <= wanted
    with zipfile.ZipFile(wheel) as archive:
        assert wanted <= set(archive.namelist())


def test_the_wheel_does_not_say_where_it_was_built(wheel: Path, source: Path, root: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            assert str(root).encode() not in content, name
            assert str(source).encode() not in content, name


def test_resources_are_found_when_run_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = "from jaxscope.resource_files import resource_path; print(resource_path('tokens.json'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == tmp_path / "jaxscope" / "resources" / "tokens.json"
