"""The README says the truth: its chain loads, its commands parse, its tables are those of the program."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from jaxscope.cli.run import COMMANDS
from jaxscope.engines.methods import METHODS
from jaxscope.filters import FAMILIES
from jaxscope.filters.chain_file import load_chain
from jaxscope.readers import SUFFIXES as READ_SUFFIXES
from jaxscope.writers import SUFFIXES as WRITTEN_SUFFIXES


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    """Return the text of the README."""
    return (root / "README.md").read_text(encoding="utf-8")


def _section(readme: str, title: str) -> str:
    return readme.split(f"\n## {title}\n")[1].split("\n## ")[0]


def _rows(section: str) -> list[list[str]]:
    lines = [line for line in section.splitlines() if line.startswith("| ") or line.startswith("|-")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not line.startswith("|-")]


def test_the_chain_loads_and_filters_three_patterns(readme: str, tmp_path: Path) -> None:
    text = re.findall(r"```json\n(.*?)```", readme, re.DOTALL)[0]
    (tmp_path / "clean.json").write_text(text, encoding="utf-8")
    chain = load_chain(tmp_path / "clean.json")
    assert chain.name == "EEG clean"
    assert [stage.spec.family for stage in chain.stages] == ["butterworth", "notch"]


def test_the_table_of_families_is_the_programs(readme: str) -> None:
    rows = _rows(_section(readme, "Chain files"))[1:]
    fields: set[str] = set()
    for names, own in rows:
        found = set(re.findall(r"`([a-z_]+)`", own))
        fields = fields | found if own.startswith("and ") else found
        for name in re.findall(r"`([a-z_0-9]+)`", names):
            known = {knob.name for knob in FAMILIES[name].knobs()}
            assert found <= known, name
    named = [name for names, _ in rows for name in re.findall(r"`([a-z_0-9]+)`", names)]
    assert sorted(named) == sorted(FAMILIES)


def _examples(readme: str) -> list[str]:
    return re.findall(r"`(jaxscope [^`]+)`", _section(readme, "Command line"))


def test_every_command_is_in_the_table(readme: str) -> None:
    used = {example.split()[1] for example in _examples(readme)}
    assert set(COMMANDS) - used == {"open"}


def test_every_example_is_understood(readme: str) -> None:
    for example in _examples(readme):
        words = shlex.split(example)[1:]
        name = words.pop(0) if words[0] in COMMANDS else "open"
        command: click.Command = COMMANDS[name]
        context = command.make_context(name, words, resilient_parsing=True)
        given = {word for word in words if word.startswith("-")}
        known = {option for parameter in command.get_params(context) for option in parameter.opts}
        assert given <= known, example


def test_the_table_of_formats_is_the_programs(readme: str) -> None:
    rows = _rows(_section(readme, "File formats"))[1:]
    read = {suffix for row in rows for suffix in re.findall(r"`(\.[a-z]+)`", row[1])}
    written = {
        suffix
        for row in rows
        if row[3].startswith("yes") or row[3].startswith("`")
        for suffix in (re.findall(r"`(\.[a-z0-9]+)`", row[3]) or re.findall(r"`(\.[a-z0-9]+)`", row[1]))
    }
    assert read <= set(READ_SUFFIXES)
    assert written == set(WRITTEN_SUFFIXES)


def test_the_methods_are_the_programs(readme: str) -> None:
    row = next(row for row in _rows(_section(readme, "Words")) if row[0] == "method")
    assert set(re.findall(r"`([a-z-]+)`", row[1])) <= set(METHODS)


def test_the_targets_of_make_exist(readme: str, root: Path) -> None:
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(
        r"make ([a-z][a-z-]+)\b", "\n".join(re.findall(r"`make [^`]+`|^    make .*$", readme, re.M))
    ):
        assert f"\n{target}:" in makefile, target


def test_help_lists_every_target(root: Path) -> None:
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=root, check=True, capture_output=True, text=True
    ).stdout
    targets = re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert [line.split()[1] for line in shown.splitlines()] == targets


def test_rooms_in_the_readme_are_the_rooms_of_the_package(readme: str, root: Path) -> None:
    named = {
        room for row in _rows(_section(readme, "How the house is built"))[1:] for room in re.findall(r"`(\w+)`", row[0])
    }
    rooms = {path.parent.name for path in (root / "jaxscope").glob("*/__init__.py")}
    assert named == rooms
