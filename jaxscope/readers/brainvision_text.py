"""Samples of BrainVision that are written as text: read some megabytes of lines at a time.

Lines in which nothing but numbers can be are parsed many at once; others one by one, so that the line is named that
holds something else. Invariant: both ways give the same numbers.
"""

from __future__ import annotations

import numpy as np

from jaxscope.data.recording import FloatArray
from jaxscope.errors import ReadError
from jaxscope.readers.brainvision_header import BrainVisionHeader
from jaxscope.readers.byte_file import ByteFile
from jaxscope.readers.text_table_cells import number_columns
from jaxscope.readers.text_table_layout import TableLayout
from jaxscope.readers.text_table_pieces import RowCleaner

#: Bytes that are read at a time.
PIECE_BYTES = 1 << 22


class TextSamples:
    """The numbers in a file of text.

    Parameters
    ----------
    header : BrainVisionHeader

    Raises
    ------
    ReadError
        If the file cannot be read.
    """

    def __init__(self, header: BrainVisionHeader) -> None:
        self._file = ByteFile(header.data_path)
        self._layout = header.text
        self.name, self.n_bytes = self._file.name, self._file.n_bytes
        self.position = 0
        #: whether a decimal comma was found
        self.has_comma = False
        self._rest = b""
        self._n_lines = 0
        self._n_numbers = 0
        self._parts: list[FloatArray] = []

    def go_on(self) -> bool:
        """Read the next lines; return False once there are no more.

        Raises
        ------
        ReadError
            If a line holds no numbers, or another count of them than the first.
        """
        n_bytes = min(PIECE_BYTES, self.n_bytes - self.position)
        text = self._rest + self._file.read(self.position, n_bytes).tobytes()
        self.position += n_bytes
        is_over = self.position >= self.n_bytes
        # what may be half of a line end is looked at with the other half
        end = len(text) if is_over else max(text.rfind(b"\n"), text.rfind(b"\r", 0, -1)) + 1
        self._rest = text[end:]
        self._take(text[:end])
        return not is_over

    def values(self) -> FloatArray:
        """Return all numbers, shape (n_numbers, n_lines).

        Raises
        ------
        ReadError
            If there are none.
        """
        if not self._parts or not self._n_numbers:
            raise ReadError(f"{self.name} holds no samples", hint="copy the file again")
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts, axis=1)]  # what is known is kept once
        return self._parts[0]

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _take(self, text: bytes) -> None:
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        first_line = self._n_lines
        self._n_lines += text.count(b"\n") + (not text.endswith(b"\n") and bool(text))
        for _ in range(min(max(0, self._layout.skip_lines - first_line), self._n_lines - first_line)):
            text = text[text.find(b"\n") + 1 :] if b"\n" in text else b""
        first_line = max(first_line, self._layout.skip_lines)
        if not text.strip():
            return
        table = self._plain_numbers(text) if self._parts else None
        self._parts.append(self._numbers(text, first_line) if table is None else table)

    def _plain_numbers(self, text: bytes) -> FloatArray | None:
        """Return the numbers of lines that hold nothing else, as many as the first one; None where that is not sure."""
        has_comma = b"," in text
        rows = RowCleaner(has_blanks=True).clean(text.replace(b",", b".") if has_comma else text)
        n_columns = self._layout.skip_columns + self._n_numbers
        empty = ("",) * n_columns
        layout = TableLayout(
            separator=" ", decimal=".", first_line=0, n_columns=n_columns, names=empty, units=empty, has_header=False
        )
        columns = number_columns(rows, layout, ())
        if columns is None:
            return None
        self.has_comma |= has_comma
        return np.stack([column.to_numpy() for column in columns[self._layout.skip_columns :]])

    def _numbers(self, text: bytes, first_line: int) -> FloatArray:
        rows: list[FloatArray] = []
        for number, line in enumerate(text.decode("latin-1").split("\n"), first_line + 1):
            if not line.strip():
                continue
            cells = line.split()[self._layout.skip_columns :]
            if "," in line:
                self.has_comma = True
                cells = [cell.replace(",", ".") for cell in cells]
            try:
                row = np.array(cells, dtype=np.float64)
            except ValueError as error:
                raise ReadError(
                    f"Line {number} of {self.name} holds something that is no number", hint="export the recording again"
                ) from error
            if not self._parts and not rows:
                self._n_numbers = len(row)
            if len(row) != self._n_numbers:
                raise ReadError(
                    f"Line {number} of {self.name} has {len(row)} numbers, the first has {self._n_numbers}",
                    hint="copy the file again",
                )
            rows.append(row)
        return np.stack(rows, axis=1)
