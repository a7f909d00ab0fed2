"""Everything that is shipped is listed with its terms, and every text that the list names is there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

Load = Callable[[str], ModuleType]


def test_the_list_has_each_locked_distribution_and_the_libraries_inside(load_script: Load, root: Path) -> None:
    script = load_script("list_licences")
    rows = json.loads((root / "resources" / "licences.json").read_text(encoding="utf-8"))
    names = [row["name"] for row in rows]
    assert names == [*(component.name for component in script.INSIDE), *script.locked_names()]
    assert {"Qt", "libsndfile", "Inter (font)", "JetBrains Mono (font)", "jaxlib"} <= set(names)
    assert all(row["licence"] and row["text"] for row in rows)


def test_each_text_that_the_project_holds_is_there(root: Path) -> None:
    for row in json.loads((root / "resources" / "licences.json").read_text(encoding="utf-8")):
        first, *more = row["text"].split(" and ")
        if first.startswith("resources/"):
            paths = [root / first, *((root / first).parent / name for name in more)]
            assert all(path.stat().st_size > 500 for path in paths), row


def test_the_list_agrees_with_what_is_installed(load_script: Load, root: Path) -> None:
    script = load_script("list_licences")
    rows = {row["name"]: row for row in json.loads((root / "resources" / "licences.json").read_text(encoding="utf-8"))}
    for name in script.locked_names():
        assert rows[name]["licence"] == script.describe(name).licence, name
