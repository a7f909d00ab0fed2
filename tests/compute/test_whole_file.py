"""A file that is there whole or not at all, and never in the place of the recording."""

from __future__ import annotations

import pytest

from jaxscope.compute.whole_file import whole_file
from jaxscope.errors import WriteError


def test_the_recording_is_known_under_any_path(tmp_path):
    folder, link = tmp_path / "real", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder, target_is_directory=True)
    (folder / "night.csv").write_text("samples")
    with (
        pytest.raises(WriteError, match="never written to"),
        whole_file(str(link / "night.csv"), source=str(folder / "night.csv"), overwrite=True) as beside,
    ):
        beside.write_text("table")
    assert (folder / "night.csv").read_text() == "samples"
    assert [path.name for path in folder.iterdir()] == ["night.csv"]


def test_what_fails_leaves_what_was_there(tmp_path):
    target = tmp_path / "seen.csv"
    target.write_text("before")

    def fail():
        with whole_file(str(target), source="", overwrite=True) as beside:
            beside.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("seen.csv", "before")]
