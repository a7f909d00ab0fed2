"""Recordings to bytes, block by block: one file a format, the WRITERS table, chosen by suffix.

May import data and, at the point of use, format libraries. Must never know filters, engines or Qt.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from jaxscope.errors import WriteError
from jaxscope.registry import Registry
from jaxscope.writers.base import RecordingWriter, WriteRequest, WriterFormat, disk_error, size_words

__all__ = [
    "SUFFIXES",
    "TITLES",
    "WRITERS",
    "RecordingWriter",
    "WriteRequest",
    "WriterFormat",
    "format_for",
    "open_writer",
]

#: Every format that can be written.
WRITERS: Registry[WriterFormat] = Registry(
    "output format",
    {
        "edf": "jaxscope.writers.edf:EDF_FORMAT",
        "bdf": "jaxscope.writers.edf:BDF_FORMAT",
        "brainvision": "jaxscope.writers.brainvision:FORMAT",
        "hdf5": "jaxscope.writers.hdf5:FORMAT",
        "matlab": "jaxscope.writers.matlab:FORMAT",
        "wav": "jaxscope.writers.wav:FORMAT",
        "flac": "jaxscope.writers.flac:FORMAT",
        "npy": "jaxscope.writers.npy:FORMAT",
        "npz": "jaxscope.writers.npz:FORMAT",
        "parquet": "jaxscope.writers.parquet:FORMAT",
        "csv": "jaxscope.writers.table:FORMAT",
    },
)

#: What each format is called, and its first suffix. Kept here so that a list to choose from imports none.
TITLES: dict[str, tuple[str, str]] = {
    "edf": (".edf", "EDF+"),
    "bdf": (".bdf", "BDF+"),
    "brainvision": (".vhdr", "BrainVision"),
    "hdf5": (".h5", "HDF5"),
    "matlab": (".mat", "MATLAB"),
    "wav": (".wav", "WAV"),
    "flac": (".flac", "FLAC"),
    "npy": (".npy", "NPY"),
    "npz": (".npz", "NPZ"),
    "parquet": (".parquet", "Parquet"),
    "csv": (".csv", "CSV"),
}

#: Which member of ``WRITERS`` a suffix names. Kept here so that choosing one imports that one only.
SUFFIXES: dict[str, str] = {
    ".edf": "edf",
    ".bdf": "bdf",
    ".vhdr": "brainvision",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".mat": "matlab",
    ".wav": "wav",
    ".flac": "flac",
    ".npy": "npy",
    ".npz": "npz",
    ".parquet": "parquet",
    ".csv": "csv",
}


def format_for(path: Path) -> WriterFormat:
    """Return the format that the suffix of an output names.

    Raises
    ------
    WriteError
        If no format has this suffix.
    """
    name = SUFFIXES.get(path.suffix.lower())
    if name is None:
        what = f"{path.suffix} files" if path.suffix else f"{path.name}: it has no suffix"
        raise WriteError(f"jaxscope can't write {what}", hint="choose one of " + ", ".join(SUFFIXES))
    return WRITERS[name]


def open_writer(path: Path, request: WriteRequest, *, overwrite: bool = False) -> RecordingWriter:
    """Begin to write a recording.

    Parameters
    ----------
    path : Path
        The target; its suffix decides the format.
    request : WriteRequest
        What will come.
    overwrite : bool
        Whether a file that is there may be replaced (when the writer commits, not before).

    Returns
    -------
    RecordingWriter
        A context manager: ``write`` blocks, then it commits, or removes what it wrote if anything was raised.

    Raises
    ------
    WriteError
        If the format cannot hold the request, the target exists, or there is no room for it.
    """
    chosen = format_for(path)
    chosen.check(request)
    if chosen.needs_ranges and request.ranges is None:
        raise ValueError(f"{chosen.title} needs the range of each channel")
    if path.is_dir():
        raise WriteError(f"{path} is a folder", hint="give the name of a file")
    for place in (path, *(path.with_suffix(suffix) for suffix in chosen.companions)):
        if place.exists() and not overwrite:
            raise WriteError(f"{place} exists", hint="choose another name, or replace it with --overwrite")
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError as error:
        raise disk_error(path, error) from error
    needed = chosen.n_bytes(request)
    if needed > free:
        # a folder that takes no file at all says why; some of these tell of no room either
        chosen.open(path, request).abort()
        raise WriteError(
            f"Not enough room in {path.parent}: {size_words(needed)} needed, {size_words(free)} free",
            hint="choose another folder",
        )
    return chosen.open(path, request)
