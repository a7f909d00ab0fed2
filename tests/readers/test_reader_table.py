"""The table of formats: suffixes, titles, and what no format is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.errors import ReadError
from jaxscope.readers import READERS, SUFFIXES, TITLES, open_recording


@pytest.mark.parametrize("name", list(READERS))
def test_a_format_and_the_table_of_suffixes_agree(name: str) -> None:
    reader = READERS[name]
    assert reader.name == name
    assert reader.title == TITLES[name]
    assert set(reader.suffixes) == {suffix for suffix, of in SUFFIXES.items() if of == name}
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in reader.suffixes)
    assert not reader.sniff(b"")
    assert not reader.sniff(bytes(range(256)))


def test_the_formats_are_listed_in_one_order() -> None:
    assert list(TITLES) == list(READERS)


@pytest.mark.parametrize("suffix", sorted(SUFFIXES))
def test_empty_missing_and_folders_are_refused_by_name(suffix: str, tmp_path: Path) -> None:
    empty, folder = tmp_path / f"empty{suffix}", tmp_path / f"folder{suffix}"
    empty.touch()
    folder.mkdir()
    for path, word in ((empty, "is empty"), (folder, "is a folder"), (tmp_path / f"none{suffix}", "is not there")):
        with pytest.raises(ReadError, match=word) as caught:
            open_recording(path)
        assert path.name in caught.value.message
        assert caught.value.hint


def test_an_unknown_kind_of_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.xyz"
    path.write_bytes(b"\x00\x01\x02" * 99)
    with pytest.raises(ReadError, match=r"can't read \.xyz files") as caught:
        open_recording(path)
    assert all(READERS[name].title in caught.value.hint for name in READERS)
