"""Settings that every test shares: no screen, two fake CPU devices, float64 in jax, an isolated home."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from pathlib import Path
from types import ModuleType

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
_FAKE_DEVICES = "--xla_force_host_platform_device_count=2"
if _FAKE_DEVICES not in os.environ.get("XLA_FLAGS", ""):
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {_FAKE_DEVICES}".strip()
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_NUMPY_DTYPE_PROMOTION", "strict")

# A run that was begun in the background or with nohup ignores these, and so would every program that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
if sys.platform != "win32":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

SHARED = Path(__file__).resolve().parents[2] / "shared"


def _beside(name: str) -> ModuleType:
    """Return a module beside this file: tests are no package that could be imported from."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def random_edits() -> ModuleType:
    """Return what makes random edits."""
    return _beside("random_edits")


@pytest.fixture(scope="session")
def synthetic_source() -> ModuleType:
    """Return what makes running signals that lose samples."""
    return _beside("synthetic_source")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real recordings beside the checkout, or skip."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("the shared recordings are not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """Return the folder of reference results beside the checkout, or skip."""
    folder = SHARED / "cases"
    if not folder.is_dir():
        pytest.skip("the shared cases are not beside this checkout")
    return folder


@pytest.fixture(autouse=True)
def isolated_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point every per-user directory to a fresh folder."""
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home))
    return home
