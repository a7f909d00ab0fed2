"""Presets of one's own: kept, renamed, removed, brought in and taken out; nothing is replaced by accident."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxscope.errors import ChainError
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.filters.chain_file import load_chain
from jaxscope.session.own_presets import (
    export_preset,
    import_preset,
    own_presets,
    presets_folder,
    remove_preset,
    rename_preset,
    save_preset,
)

CHAIN = FilterChain(name="EEG", channels=("Fp*",), phase="zero", stages=(Stage(spec=FAMILIES["notch"]()),))


def test_a_preset_is_kept_for_any_channels_and_comes_back(isolated_home: Path) -> None:
    kept = save_preset(" Night clean ", CHAIN)
    assert kept.path.parent == presets_folder()
    assert str(kept.path).startswith(str(isolated_home))
    presets, warnings = own_presets()
    assert [(preset.name, preset.chain.stages, preset.chain.phase) for preset in presets] == [
        ("Night clean", CHAIN.stages, "zero")
    ]
    assert presets[0].chain.channels is None
    assert warnings == ()


def test_names_are_unique_and_files_never_replaced() -> None:
    first = save_preset("A/B: c", CHAIN)
    second = save_preset("A-B c", CHAIN)
    assert first.path != second.path
    for name, sentence in (("a/b: C", "there is a preset"), ("  ", "no name"), ("x" * 99, "99 characters")):
        with pytest.raises(ChainError, match=sentence):
            save_preset(name, CHAIN)
    with pytest.raises(ChainError, match="there is a preset"):
        rename_preset(first, "a-b c")
    assert rename_preset(first, "Other").path == first.path
    assert [preset.name for preset in own_presets()[0]] == ["A-B c", "Other"]
    remove_preset(first)
    assert [preset.name for preset in own_presets()[0]] == ["A-B c"]


def test_in_and_out(tmp_path: Path) -> None:
    (tmp_path / "filter.py").write_text("sos = signal.butter(4, 30, fs=256)")
    brought = import_preset(tmp_path / "filter.py")
    assert brought.name == "filter"
    export_preset(brought, tmp_path / "out.json")
    assert load_chain(tmp_path / "out.json").stages[0].spec.family == "butterworth"
    with pytest.raises(ChainError, match='there is a preset "filter"'):
        import_preset(tmp_path / "filter.py")


def test_what_cannot_be_read_is_told_and_the_others_stay() -> None:
    save_preset("Good", CHAIN)
    (presets_folder() / "bad.json").write_text(json.dumps({"format": "x"}))
    presets, warnings = own_presets()
    assert [preset.name for preset in presets] == ["Good"]
    assert warnings[0].startswith("the preset bad.json: this is not a filter chain")
