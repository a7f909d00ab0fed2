"""Bytes to recordings: one file a format, the READERS table, suffix first, then sniffing by content.

May import data and, at the point of use, format libraries. Must never know filters, engines or Qt.
"""

from __future__ import annotations

import os
from pathlib import Path

from jaxscope.data.recording import Recording
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, read_head
from jaxscope.registry import Registry

#: Every format that can be read. Order matters where contents are sniffed: the surest signatures come first.
READERS: Registry[ReaderFormat] = Registry(
    "format",
    {
        "edf": "jaxscope.readers.edf:EDF_FORMAT",
        "bdf": "jaxscope.readers.edf:BDF_FORMAT",
        "audio": "jaxscope.readers.audio:FORMAT",
        "numpy": "jaxscope.readers.numpy_arrays:FORMAT",
        "text": "jaxscope.readers.text_table:FORMAT",
    },
)

#: Which member of ``READERS`` a suffix names. Kept here so that opening one format imports that format only.
SUFFIXES: dict[str, str] = {
    ".edf": "edf",
    ".edf+": "edf",
    ".rec": "edf",
    ".bdf": "bdf",
    ".bdf+": "bdf",
    ".wav": "audio",
    ".wave": "audio",
    ".flac": "audio",
    ".npy": "numpy",
    ".npz": "numpy",
    ".csv": "text",
    ".tsv": "text",
    ".txt": "text",
    ".log": "text",
}


def open_recording(
    path: str | os.PathLike[str], *, rate_hz: float | None = None, samples_first: bool = False
) -> Recording:
    """Open a recording lazily: its header now, its samples when they are asked for.

    Parameters
    ----------
    path : path-like
        A file of any format in ``READERS``. The suffix decides; an unknown suffix is decided by content.
    rate_hz : float or None
        Sampling rate for files that do not tell one.
    samples_first : bool
        2-D arrays are (n_samples, n_channels).

    Returns
    -------
    Recording

    Raises
    ------
    ReadError
        If the file is missing, empty, not permitted, of an unknown format, or broken.
    """
    file = Path(path)
    head = read_head(file)
    options = OpenOptions(rate_hz=rate_hz, samples_first=samples_first)
    name = SUFFIXES.get(file.suffix.lower()) or sniff_format(head)
    if name is None:
        kinds = f"{file.suffix} files" if file.suffix else "files without a suffix that look like this"
        raise ReadError(
            f"jaxscope can't read {kinds}",
            hint="it reads EDF, BDF, WAV, FLAC, NPY, NPZ and CSV: export to one of these",
        )
    return READERS[name].open(file, options)


def sniff_format(head: bytes) -> str | None:
    """Return the name of the format that these first bytes show, or None."""
    for name in READERS:
        if READERS[name].sniff(head):
            return name
    return None
