"""Preferences never keep the program from starting."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.session.settings import RECENT_LIMIT, Settings, load_settings, save_settings


def test_settings_come_back(tmp_path: Path) -> None:
    settings = Settings(theme="light", text_scale=1.5, recent=("a.edf",))
    save_settings(settings, tmp_path / "deep" / "settings.json")
    assert load_settings(tmp_path / "deep" / "settings.json") == (settings, ())


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.json") == (Settings(), ())


def test_one_wrong_value_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"theme": "pink", "text_scale": 1.5, "recent": [1], "precision": "float32", "other": 3}')
    settings, warnings = load_settings(path)
    assert settings == Settings(text_scale=1.5, precision="float32")
    assert len(warnings) == 2
    assert "'pink'" in warnings[0]


def test_a_broken_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    for content in (b"{", b"[]", b"\xff\xff"):
        path.write_bytes(content)
        settings, warnings = load_settings(path)
        assert settings == Settings()
        assert len(warnings) == 1


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ('{"keys": {"traces: x": "J"}}', "keys"),
        ('{"keys": []}', "keys"),
        ('{"cpu_devices": 0}', "cpu_devices"),
        ('{"cpu_devices": true}', "cpu_devices"),
        ('{"geometry": [1, 2, 3]}', "geometry"),
        ('{"geometry": [1, 2, 0, 4, 0]}', "geometry"),
        ('{"text_scale": 9}', "text_scale"),
        ('{"face": "none"}', "face"),
        ('{"start_up": 3}', "start_up"),
    ],
)
def test_each_wrong_value_is_named(tmp_path: Path, content: str, named: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(content)
    settings, warnings = load_settings(path)
    assert settings == Settings()
    assert len(warnings) == 1
    assert f"the setting {named} " in warnings[0]


def test_changed_keys_and_the_layout_come_back(tmp_path: Path) -> None:
    settings = Settings(
        keys=(("traces: overview bar", ("J", "Ctrl+J")), ("anywhere: quit", ())),
        geometry=(10, 20, 1600, 1000, 0),
        cpu_devices=4,
    )
    save_settings(settings, tmp_path / "settings.json")
    assert load_settings(tmp_path / "settings.json") == (settings, ())


def test_recent_recordings_are_few_and_newest_first() -> None:
    settings = Settings()
    for number in range(RECENT_LIMIT + 5):
        settings = settings.with_recent(f"{number}.edf")
    settings = settings.with_recent("9.edf")
    assert settings.recent[0] == "9.edf"
    assert len(settings.recent) == len(set(settings.recent)) == RECENT_LIMIT


def test_a_failed_save_keeps_the_old_file_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.json"
    save_settings(Settings(theme="light"), path)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="No space"):
        save_settings(Settings(theme="dark"), path)
    assert load_settings(path)[0].theme == "light"
    assert list(tmp_path.iterdir()) == [path]
