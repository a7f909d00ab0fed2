"""Resources are found in the source tree and inside an installed package, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxscope import resource_files
from jaxscope.errors import JaxscopeError


def test_the_tokens_of_the_source_tree_are_found() -> None:
    assert json.loads(resource_files.resource_path("tokens.json").read_text(encoding="utf-8"))


def test_a_missing_resource_is_named() -> None:
    with pytest.raises(JaxscopeError, match="no-such-file"):
        resource_files.resource_path("icons/no-such-file.svg")


def test_the_folder_inside_the_package_wins_over_a_strangers_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site-packages" / "jaxscope"
    (package / "resources" / "icons").mkdir(parents=True)
    (package.parent / "resources" / "icons").mkdir(parents=True)
    (package / "resources" / "icons" / "a.svg").write_text("ours", encoding="utf-8")
    (package.parent / "resources" / "icons" / "a.svg").write_text("a stranger's", encoding="utf-8")
    monkeypatch.setattr(resource_files, "_PACKAGE", package)
    assert resource_files.resource_path("icons/a.svg").read_text(encoding="utf-8") == "ours"
