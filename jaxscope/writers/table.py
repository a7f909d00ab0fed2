"""CSV: ``time_s`` first, then a column a channel, each number in the fewest digits that read back to the same float.

Missing samples are empty cells. Times are those of the recording that was read, so that rows of a part stand beside the
same times as rows of the whole; they pass over gaps.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.writers.base import AlignedWriter, WriteRequest, WriterFormat, times_of
from jaxscope.writers.checks import check_one_rate

_ROWS_AT_ONCE = 1 << 14
#: A float64 in its shortest form, with its comma.
_CELL_BYTES = 20


class TableWriter(AlignedWriter):
    """A CSV file that is being written."""

    def _begin(self) -> None:
        request = self.request
        self._file = self._temporary.open("w", encoding="utf-8", newline="")
        names = ["time_s", *(channel.name for channel in request.channels)]
        self._file.write(",".join(map(_quoted, names)) + "\n")
        if any(channel.unit for channel in request.channels) or request.annotations:
            self._warnings.append("CSV keeps no units or events: they are read from the .json file beside it")

    def _write_rows(self, block: npt.NDArray[np.float64], first_sample: int) -> None:
        for start in range(0, block.shape[1], _ROWS_AT_ONCE):
            part = block[:, start : start + _ROWS_AT_ONCE]
            samples = np.arange(part.shape[1]) + (first_sample + start)
            columns = [_cells(times_of(self.request, samples)), *(_cells(row) for row in part)]
            self._file.write("\n".join(map(",".join, zip(*columns, strict=True))) + "\n")


def _cells(values: npt.NDArray[np.float64]) -> list[str]:
    return ["" if value != value else repr(value) for value in values.tolist()]


def _quoted(name: str) -> str:
    if any(sign in name for sign in ',"\n\r') or name != name.strip():
        return '"' + name.replace('"', '""') + '"'
    return name


def _check(request: WriteRequest) -> None:
    check_one_rate(request, "CSV")


def _n_bytes(request: WriteRequest) -> int:
    return _CELL_BYTES * (len(request.channels) + 1) * request.channels[0].n_samples


FORMAT = WriterFormat(
    name="csv",
    title="CSV",
    suffixes=(".csv",),
    note="Text, time first, then a column a channel. All channels at one rate",
    check=_check,
    n_bytes=_n_bytes,
    open=TableWriter,
)
