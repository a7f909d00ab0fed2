"""The checks that every file goes through, and the words for what is wrong with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jaxscope.errors import ReadError
from jaxscope.readers import open_recording, sniff_format
from jaxscope.readers.base import describe_content, read_head, with_article


def refuse(error: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Path, *args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(Path, "open", fail)


def test_a_file_without_permission_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "night.edf"
    path.write_bytes(b"x")
    refuse(PermissionError(13, "Permission denied"), monkeypatch)
    with pytest.raises(ReadError, match=r"No permission to read night\.edf"):
        open_recording(path)


def test_a_broken_drive_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "night.edf"
    path.write_bytes(b"x")
    refuse(OSError(5, "Input/output error"), monkeypatch)
    with pytest.raises(ReadError, match=r"night\.edf cannot be read: Input/output error"):
        open_recording(path)


@pytest.mark.skipif(os.name != "posix", reason="pipes have names on POSIX only")
def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.edf")
    with pytest.raises(ReadError, match="not a file"):
        open_recording(tmp_path / "pipe.edf")


def test_the_head_is_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(bytes(range(256)) * 40)
    assert read_head(path) == bytes(range(256)) * 16


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"%PDF-1.7", "looks like a PDF"),
        (b"\xffBIOSEMI", "looks like a BDF file"),
        (b"PK\x03\x04", "looks like a ZIP archive"),
        (b"dear diary\n", "looks like text"),
        (b"\x00\x01\x02", "not known"),
        (b"", "not known"),
    ],
)
def test_what_a_file_looks_like(head: bytes, words: str) -> None:
    assert words in describe_content(head)


@pytest.mark.parametrize(
    ("title", "spoken"), [("EDF", "an EDF"), ("BDF", "a BDF"), ("WAV", "a WAV"), ("NPY", "an NPY")]
)
def test_articles(title: str, spoken: str) -> None:
    assert with_article(title) == spoken


@pytest.mark.parametrize("kind", ["plain_edf", "plain_bdf"])
def test_a_header_is_recognised_and_a_table_of_zeros_is_not(kind: str, request: pytest.FixtureRequest) -> None:
    assert sniff_format(request.getfixturevalue(kind).to_bytes()[:4096]) == kind[-3:]
    assert sniff_format(b"0       1       2\n" * 40) not in ("edf", "bdf")
