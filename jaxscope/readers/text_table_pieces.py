"""The rows of a table of text, some megabytes at a time: decoded, cut between rows, without what is no row.

How the text is written is told by its first bytes; only whether a text without marks is UTF-8 is known at its end, so
where it turns out to be none, reading begins again. Invariant: the pieces, put together, are the rows of the table,
each whole; a line end inside quotes ends no row.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from jaxscope.errors import ReadError
from jaxscope.readers.byte_file import ByteFile
from jaxscope.readers.text_table_layout import SAMPLE_LINES

#: Bytes that are read at a time.
PIECE_BYTES = 1 << 21
_HEAD_BYTES = 4096
_FALLBACK = "cp1252"
_BLANK_LINE = re.compile(rb"\n[ \t]+(?:\n|\Z)")


class NotUtf8Error(Exception):
    """The text is no UTF-8 after all: it has to be read again, as Western European text."""


class TextDecoder:
    """Turns the bytes of a file into UTF-8 without byte order mark and with plain line ends, piece by piece.

    Parameters
    ----------
    head : bytes
        The first bytes.
    n_bytes : int
        How long the file is.
    name : str
        What sentences call it.
    encoding : str
        What it is written in, ``""`` to find out.

    Raises
    ------
    ReadError
        If it is no text.
    """

    def __init__(self, head: bytes, n_bytes: int, name: str, encoding: str = "") -> None:
        self.notes: list[str] = []
        if encoding:
            self.notes.append(f"{name} is not in UTF-8: read as Western European text")
        self._skip = 3 if head[:3] == codecs.BOM_UTF8 else 0
        encoding = encoding or _encoding_of(head[:_HEAD_BYTES], n_bytes, name)
        errors = "strict" if encoding == "utf-8" else "replace"
        self._is_utf8 = encoding == "utf-8"
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        #: a carriage return at the end of a piece may be half of a line end
        self._held = b""

    def decode(self, data: bytes, *, is_last: bool) -> bytes:
        """Return the next piece.

        Raises
        ------
        NotUtf8Error
            If that is what the text was taken for.
        """
        data, self._skip = data[self._skip :], 0
        if not self._is_utf8:
            data = self._decoder.decode(data, is_last).encode()
        else:
            self._check(data, is_last=is_last)
        data = self._held + data
        self._held = b"\r" if data.endswith(b"\r") and not is_last else b""
        if self._held:
            data = data[:-1]
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data

    def _check(self, data: bytes, *, is_last: bool) -> None:
        """Follow the text along; it is UTF-8 already and needs no other form."""
        if data.isascii() and not self._decoder.getstate()[0]:
            return
        try:
            self._decoder.decode(data, is_last)
        except UnicodeDecodeError as error:
            raise NotUtf8Error from error


def _encoding_of(head: bytes, n_bytes: int, name: str) -> str:
    """Return what a text is written in, from its first bytes."""
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    if head[:3] != codecs.BOM_UTF8 and b"\0" in head:
        if head.count(0) < 0.3 * len(head) or n_bytes % 2:
            raise ReadError(f"{name} is not a text file", hint="check that its suffix is right")
        return "utf-16-le" if head[1:2] == b"\0" else "utf-16-be"
    return "utf-8"


def decode(data: bytes, name: str) -> bytes:
    """Return a whole text as UTF-8 without byte order mark and with plain line ends.

    Raises
    ------
    ReadError
        If it is no text.
    """
    try:
        return TextDecoder(data, len(data), name).decode(data, is_last=True)
    except NotUtf8Error:
        return TextDecoder(data, len(data), name, _FALLBACK).decode(data, is_last=True)


@dataclass(slots=True)
class RowCleaner:
    """Takes out of pieces what is no row; ``n_empty`` counts the empty lines between rows."""

    #: whether runs of blanks are one separator
    has_blanks: bool
    n_empty: int = 0
    _n_pending: int = 0
    _has_begun: bool = False

    def clean(self, piece: bytes) -> bytes:
        """Return the rows of a piece: no empty lines, no comments, a tab in place of a run of blanks."""
        if piece.startswith((b"\n", b" ", b"\t")) or b"\n\n" in piece or _BLANK_LINE.search(piece):
            piece = self._without_empty_lines(piece)
        elif piece:
            self.n_empty += self._n_pending
            self._n_pending, self._has_begun = 0, True
        if piece.startswith(b"#") or b"\n#" in piece:
            piece = re.sub(rb"(?m)^#[^\n]*\n?", b"", piece)
        return _with_tabs(piece) if self.has_blanks else piece

    def _without_empty_lines(self, piece: bytes) -> bytes:
        """Take out empty lines; those before the first row and after the last one are not worth a word."""
        n_first = piece[: len(piece) - len(piece.lstrip(b" \t\n"))].count(b"\n")
        rows = piece.rstrip(b" \t\n")
        n_last = max(0, piece.count(b"\n", len(rows)) - 1) if rows else 0
        piece, n_all = re.subn(rb"(?m)^[ \t]*\n", b"", piece)
        piece = re.sub(rb"(?:^|(?<=\n))[ \t]+\Z", b"", piece)
        if not rows:
            self._n_pending += n_all
            return b""
        self.n_empty += n_all - n_last
        if self._has_begun:
            self.n_empty += self._n_pending
        else:
            self.n_empty -= n_first
        self._n_pending, self._has_begun = n_last, True
        return piece


def _with_tabs(piece: bytes) -> bytes:
    """Return rows with a tab in place of each run of blanks, and none at their ends, sooner than a pattern."""
    piece = piece.replace(b" ", b"\t")
    while b"\t\t" in piece:
        piece = piece.replace(b"\t\t", b"\t")
    return piece.replace(b"\n\t", b"\n").replace(b"\t\n", b"\n").strip(b"\t")


class RowPieces:
    """The rows of a file, some megabytes at a time.

    Parameters
    ----------
    file : ByteFile
    """

    def __init__(self, file: ByteFile) -> None:
        self._file = file
        self._begin("")

    def _begin(self, encoding: str) -> None:
        file, self._encoding = self._file, encoding
        head = file.read(0, min(_HEAD_BYTES, file.n_bytes)).tobytes()
        self._decoder = TextDecoder(head, file.n_bytes, file.name, encoding)
        self.position = 0
        self._rest = b""

    @property
    def notes(self) -> list[str]:
        """What had to be assumed of the text."""
        return self._decoder.notes

    @property
    def is_over(self) -> bool:
        """Whether all has been read."""
        return self.position >= self._file.n_bytes

    def begin_again(self) -> None:
        """Go back to the begin."""
        self._begin(self._encoding)

    def fall_back(self) -> None:
        """Go back to the begin, as the text is no UTF-8."""
        self._begin(_FALLBACK)

    def first_lines(self) -> bytes:
        """Read so many lines that the layout can be found in them; they stay to be read.

        Raises
        ------
        NotUtf8Error
        """
        while not self.is_over and self._rest.count(b"\n") < SAMPLE_LINES:
            self._rest += self._next()
        return self._rest

    def drop_lines(self, n_lines: int) -> None:
        """Leave out lines before the rows, which are among the first ones."""
        start = 0
        for _ in range(n_lines):
            start = self._rest.find(b"\n", start) + 1
        self._rest = self._rest[start:]

    def take(self) -> bytes:
        """Return the whole rows that have been read; none, where the next row is longer than all of it."""
        text = self._rest
        end = len(text) if self.is_over else _end_of_rows(text)
        self._rest = text[end:]
        return text[:end]

    def read_on(self) -> None:
        """Read the next bytes.

        Raises
        ------
        NotUtf8Error
        """
        self._rest += self._next()

    def _next(self) -> bytes:
        n_bytes = min(PIECE_BYTES, self._file.n_bytes - self.position)
        data = self._file.read(self.position, n_bytes).tobytes()
        self.position += n_bytes
        return self._decoder.decode(data, is_last=self.is_over)


def _end_of_rows(text: bytes) -> int:
    """Return where the last whole row ends; a line end inside quotes is none."""
    end = text.rfind(b"\n") + 1
    while end and text.count(b'"', 0, end) % 2:
        opened = text.rfind(b'"', 0, end)
        end = text.rfind(b"\n", 0, opened) + 1
    return end
