"""Bytes to recordings: one file a format, the READERS table, suffix first, then sniffing by content.

May import data and, at the point of use, format libraries. Must never know filters, engines or Qt.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from jaxscope.data.recording import Recording
from jaxscope.errors import ReadError, UsageError
from jaxscope.readers.base import (
    OpenOptions,
    ReaderFormat,
    describe_content,
    is_there,
    read_head,
    side_file,
    with_article,
)
from jaxscope.readers.options import FORMAT_OPTION, check_options
from jaxscope.readers.scans import FirstPart, scanned_first
from jaxscope.readers.soundness import sound
from jaxscope.registry import Registry

#: Every format that can be read. Order matters where contents are sniffed: the surest signatures come first.
READERS: Registry[ReaderFormat] = Registry(
    "format",
    {
        "edf": "jaxscope.readers.edf:EDF_FORMAT",
        "bdf": "jaxscope.readers.edf:BDF_FORMAT",
        "gdf": "jaxscope.readers.gdf:FORMAT",
        "brainvision": "jaxscope.readers.brainvision:FORMAT",
        "hdf5": "jaxscope.readers.hdf5:FORMAT",
        "matlab": "jaxscope.readers.matlab:FORMAT",
        "eeglab": "jaxscope.readers.eeglab:FORMAT",
        "wfdb": "jaxscope.readers.wfdb:FORMAT",
        "audio": "jaxscope.readers.audio:FORMAT",
        "numpy": "jaxscope.readers.numpy_arrays:FORMAT",
        "xdf": "jaxscope.readers.xdf:FORMAT",
        "tdms": "jaxscope.readers.tdms:FORMAT",
        "mne": "jaxscope.readers.mne_formats:FORMAT",
        "parquet": "jaxscope.readers.parquet:FORMAT",
        "neo": "jaxscope.readers.neo_formats:FORMAT",
        "obspy": "jaxscope.readers.obspy_formats:FORMAT",
        "mseed": "jaxscope.readers.mseed:FORMAT",
        "sac": "jaxscope.readers.sac:FORMAT",
        "text": "jaxscope.readers.text_table:FORMAT",
        "raw": "jaxscope.readers.raw:FORMAT",
    },
)

#: Which member of ``READERS`` a suffix names. Kept here so that opening one format imports that format only.
SUFFIXES: dict[str, str] = {
    ".edf": "edf",
    ".edf+": "edf",
    ".rec": "edf",
    ".bdf": "bdf",
    ".bdf+": "bdf",
    ".gdf": "gdf",
    ".vhdr": "brainvision",
    ".ahdr": "brainvision",
    ".vmrk": "brainvision",
    ".eeg": "brainvision",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".hdf": "hdf5",
    ".he5": "hdf5",
    ".mat": "matlab",
    ".set": "eeglab",
    ".fdt": "eeglab",
    ".hea": "wfdb",
    ".wav": "audio",
    ".wave": "audio",
    ".flac": "audio",
    ".ogg": "audio",
    ".oga": "audio",
    ".aif": "audio",
    ".aiff": "audio",
    ".au": "audio",
    ".caf": "audio",
    ".w64": "audio",
    ".rf64": "audio",
    ".npy": "numpy",
    ".npz": "numpy",
    ".xdf": "xdf",
    ".tdms": "tdms",
    ".fif": "mne",
    ".cnt": "mne",
    ".nxe": "mne",
    ".nedf": "mne",
    ".lay": "mne",
    ".snirf": "mne",
    ".sqd": "mne",
    ".con": "mne",
    ".cdt": "mne",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "parquet",
    ".feather": "parquet",
    ".ipc": "parquet",
    ".abf": "neo",
    ".ncs": "neo",
    ".smr": "neo",
    ".plx": "neo",
    ".ns1": "neo",
    ".ns2": "neo",
    ".ns3": "neo",
    ".ns4": "neo",
    ".ns5": "neo",
    ".ns6": "neo",
    ".rhd": "neo",
    ".rhs": "neo",
    ".nex": "neo",
    ".axgd": "neo",
    ".axgx": "neo",
    ".wcp": "neo",
    ".edr": "neo",
    ".trc": "neo",
    ".sgy": "obspy",
    ".segy": "obspy",
    ".su": "obspy",
    ".sg2": "obspy",
    ".seg2": "obspy",
    ".ah": "obspy",
    ".evt": "obspy",
    ".mseed": "mseed",
    ".miniseed": "mseed",
    ".ms": "mseed",
    ".msd": "mseed",
    ".seed": "mseed",
    ".sac": "sac",
    ".csv": "text",
    ".tsv": "text",
    ".txt": "text",
    ".log": "text",
    ".asc": "text",
    ".raw": "raw",
    ".bin": "raw",
}
#: What each format is called. Kept here so that a list of them, as on the start screen, imports none.
TITLES: dict[str, str] = {
    "edf": "EDF",
    "bdf": "BDF",
    "gdf": "GDF",
    "brainvision": "BrainVision",
    "hdf5": "HDF5",
    "matlab": "MATLAB",
    "eeglab": "EEGLAB",
    "wfdb": "WFDB",
    "audio": "audio",
    "numpy": "NumPy",
    "xdf": "XDF",
    "tdms": "TDMS",
    "mne": "FIF",
    "parquet": "Parquet",
    "neo": "Neo",
    "obspy": "SEG-Y",
    "mseed": "miniSEED",
    "sac": "SAC",
    "text": "CSV",
    "raw": "raw numbers",
}
#: Formats that use a suffix of another one as well; the content tells which of them a file is.
SHARED_SUFFIXES: dict[str, tuple[str, ...]] = {".eeg": ("mne",)}
#: Formats inside files of another one, which therefore is no proof that the suffix is wrong.
CONTAINERS: dict[str, str] = {".snirf": "hdf5"}


def open_recording(
    path: str | os.PathLike[str],
    *,
    rate_hz: float | None = None,
    samples_first: bool = False,
    options: Mapping[str, str] | None = None,
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
    options : mapping of str to str, or None
        What the format can be told, by the names in ``ReaderFormat.options``; ``"format"`` names the reader itself.

    Returns
    -------
    Recording

    Raises
    ------
    ReadError
        If the file is missing, empty, not permitted, of an unknown format, or broken.
    UsageError
        If the format has no such option, or cannot take its value.
    """
    file, reader, given = _told(path, rate_hz, options, samples_first=samples_first)
    return sound(reader.open(file, given), file.name)


def open_first_part(
    path: str | os.PathLike[str], *, rate_hz: float | None = None, options: Mapping[str, str] | None = None
) -> FirstPart:
    """Open a recording by what the begin of its file tells, where the format has to be gone through from end to end.

    Parameters
    ----------
    path, rate_hz, options
        As ``open_recording`` takes them.

    Returns
    -------
    FirstPart
        With the way to the whole recording, which is that of ``open_recording``.

    Raises
    ------
    ReadError, UsageError
        As ``open_recording`` does.
    """
    file, reader, given = _told(path, rate_hz, options)
    scan = None if reader.scan is None else reader.scan(file, given)
    if scan is None:
        return FirstPart(recording=sound(reader.open(file, given), file.name))
    return scanned_first(scan, file.name)


def _told(
    path: str | os.PathLike[str],
    rate_hz: float | None,
    options: Mapping[str, str] | None,
    *,
    samples_first: bool = False,
) -> tuple[Path, ReaderFormat, OpenOptions]:
    """Return the file, its reader, and what was told about it, checked."""
    file, told = Path(path), dict(options or {})
    reader = READERS[_format_of(file, read_head(file), told.pop(FORMAT_OPTION, ""))]
    check_options(told, reader.options, reader.title)
    return file, reader, OpenOptions(rate_hz=rate_hz, samples_first=samples_first, values=tuple(told.items()))


def format_of(path: str | os.PathLike[str], chosen: str = "") -> ReaderFormat:
    """Return the format that a file would be opened as.

    Raises
    ------
    ReadError
        If it is none that is known, or cannot be read at all.
    """
    file = Path(path)
    return READERS[_format_of(file, read_head(file), chosen)]


def _format_of(file: Path, head: bytes, chosen: str) -> str:
    """Return which reader a file is for: the one that was chosen, or that its suffix or its content names."""
    if chosen:
        if chosen not in READERS:
            raise UsageError(f'the option format is "{chosen}"', hint=f"choose one of {', '.join(READERS)}")
        return chosen
    suffix = file.suffix.lower()
    name = SUFFIXES.get(suffix) or sniff_format(head)
    name = next((other for other in SHARED_SUFFIXES.get(suffix, ()) if READERS[other].sniff(head)), name)
    if name is None and side_file(file) is not None:
        return "raw"
    if name is None:
        header = file.with_suffix(".hea")
        if is_there(header):
            raise ReadError(
                f"{file.name} holds samples alone; what they are is in {header.name}", hint=f"open {header.name}"
            )
        kinds = f"{file.suffix} files" if file.suffix else "files without a suffix that look like this"
        raise ReadError(
            f"jaxscope can't read {kinds}",
            hint=f"it reads {', '.join(READERS[one].title for one in READERS if one != 'raw')}: export to one, "
            "or open it as raw numbers",
            field=FORMAT_OPTION,
        )
    if suffix in SUFFIXES and not READERS[name].sniff(head):
        _refuse_wrong_suffix(file, name, head)
    return name


def _refuse_wrong_suffix(file: Path, name: str, head: bytes) -> None:
    """Raise where the bytes can only be another format than the one that the suffix names."""
    other = sniff_format(head)
    # Text is no evidence: nearly any damaged file may look like a table.
    if other not in (None, name, "text", CONTAINERS.get(file.suffix.lower())):
        title = file.suffix[1:].upper()
        raise ReadError(f"{file.name} is not {with_article(title)} file", hint=describe_content(head))


def sniff_format(head: bytes) -> str | None:
    """Return the name of the format that these first bytes show, or None."""
    for name in READERS:
        if READERS[name].sniff(head):
            return name
    return None
