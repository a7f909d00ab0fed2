"""How a reader looks, and the checks that every file goes through before its reader sees it.

A reader is a module with a ``FORMAT``: what the format is called, which suffixes claim it, how its first bytes are
recognised, and how a file is opened. The checks here keep their sentences the same for all formats: a folder, a
missing file, an empty file and a file without permission never reach a reader.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from jaxscope.data.recording import Recording
from jaxscope.errors import ReadError
from jaxscope.readers.options import ReaderOption
from jaxscope.readers.scans import Scan

#: How many bytes of a file are shown to ``ReaderFormat.sniff``.
HEAD_BYTES = 4096
#: A list of events beside a recording is read whole; a file that is larger than this is something else.
MOST_LIST_BYTES = 64 << 20
#: More rates than this are told by their least and greatest.
_MOST_RATES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenOptions:
    """What the user said about a file that the file may not tell itself.

    ``rate_hz`` is for files that have none (a file's own rate wins). ``samples_first`` turns 2-D arrays that are
    stored as (n_samples, n_channels). ``values`` are options of the format, checked against its table.
    """

    rate_hz: float | None = None
    samples_first: bool = False
    values: tuple[tuple[str, str], ...] = ()

    def value(self, name: str) -> str:
        """Return what was told for an option of the format, ``""`` where nothing was."""
        return dict(self.values).get(name, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderFormat:
    """One file format.

    Parameters
    ----------
    name : str
        Short and lower case, the key in the table, such as ``"edf"``.
    title : str
        What sentences call it, such as ``"EDF"``.
    suffixes : tuple of str
        Lower case, with the dot.
    sniff : callable
        Takes the first ``HEAD_BYTES`` bytes, and says whether they can only be this format. A format that cannot be
        told from its bytes returns False.
    open : callable
        Takes a checked path and the options, and returns the open recording. Raises ``ReadError``.
    options : tuple of ReaderOption
        What can be told about a file; nothing has to be where a file tells it itself.
    scan : callable or None
        Takes what ``open`` does, and returns the scan that ``open`` runs to its end; None where opening reads no more
        than a header, or the file is small.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    sniff: Callable[[bytes], bool]
    open: Callable[[Path, OpenOptions], Recording]
    options: tuple[ReaderOption, ...] = ()
    scan: Callable[[Path, OpenOptions], Scan | None] | None = None


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file, after the checks that every format shares.

    Raises
    ------
    ReadError
        If the path is missing, a folder, not permitted, empty, or cannot be read.
    """
    if "\0" in str(path):
        raise ReadError("a path cannot hold a character of code 0", hint="check the path")
    try:
        if path.is_dir():
            raise ReadError(f"{path.name or path} is a folder", hint="choose a file in it")
        if path.exists() and not path.is_file():
            raise ReadError(f"{path.name} is a device and not a file", hint="choose a file")
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except FileNotFoundError as error:
        raise ReadError(f"{path} is not there", hint="check the path") from error
    except PermissionError as error:
        raise ReadError(f"No permission to read {path.name}", hint="copy it to a folder of your own") from error
    except OSError as error:
        raise ReadError(f"{path.name} cannot be read: {error.strerror or error}", hint="check the drive") from error
    if not head:
        raise ReadError(f"{path.name} is empty", hint="copy the file again")
    return head


def is_there(path: Path) -> bool:
    """Say whether a path that a header names is a file; one that no file can have, such as a long text, is none."""
    return os.path.isfile(path)


def files_told(*paths: Path | None) -> tuple[str, ...]:
    """Return the paths of ``RecordingInfo.files``: each of those that are there, once."""
    return tuple(dict.fromkeys(str(path) for path in paths if path is not None and is_there(path)))


def side_file(path: Path) -> Path | None:
    """Return the file beside raw numbers that tells how they lie, None where there is none."""
    for stem in (path.name, path.stem, path.stem.lower()):
        beside = path.with_name(f"{stem}.raw.json")
        if is_there(beside):
            return beside
    return None


def own_rate_words(own_hz: Iterable[float], options: OpenOptions) -> list[str]:
    """Return the sentence for a given rate that is not used because the file tells others; one, or none.

    Parameters
    ----------
    own_hz : iterable of float
        The rates that the file tells, of whatever channels, in any order.
    options : OpenOptions

    Examples
    --------
    >>> own_rate_words([250.0], OpenOptions(rate_hz=256.0))
    ["The file's own rate, 250 Hz, is used and not 256 Hz, as given"]
    >>> own_rate_words([1.0, 100.0, 1.0], OpenOptions(rate_hz=100.0))
    ["The file's own rates, 1 and 100 Hz, are used and not 100 Hz, as given"]
    >>> own_rate_words([250.0], OpenOptions(rate_hz=250.0)), own_rate_words([250.0], OpenOptions())
    ([], [])
    """
    rates = sorted(set(own_hz))
    if options.rate_hz is None or not rates or rates == [options.rate_hz]:
        return []
    not_used = f"used and not {options.rate_hz:g} Hz, as given"
    if len(rates) == 1:
        return [f"The file's own rate, {rates[0]:g} Hz, is {not_used}"]
    *first, last = (f"{rate:g}" for rate in (rates if len(rates) <= _MOST_RATES else (rates[0], rates[-1])))
    joined = f"{', '.join(first)} and {last}" if len(rates) <= _MOST_RATES else f"{first[0]} to {last}"
    return [f"The file's own rates, {joined} Hz, are {not_used}"]


#: What other files begin with, and what they are called in sentences.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\xffBIOSEMI", "a BDF file"),
    (b"0       ", "an EDF file"),
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"RIFF", "a WAV file"),
    (b"fLaC", "a FLAC file"),
    (b"OggS", "an Ogg file"),
    (b"\x93NUMPY", "an NPY file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"MATLAB", "a MATLAB file"),
    (b"GDF ", "a GDF file"),
    (b"XDF:", "an XDF file"),
    (b"Brain Vision", "a BrainVision header"),
    (b"<?xml", "an XML file"),
    (b"<!DOCTYPE", "a web page"),
)


def with_article(title: str) -> str:
    """Return a title with the article that it is spoken with: ``an EDF``, ``a WAV``."""
    return f"an {title}" if title[:1].upper() in "AEIONX" else f"a {title}"


def describe_content(head: bytes) -> str:
    """Return a hint that says what a file looks like from its first bytes, for the error about a wrong suffix."""
    for signature, noun in _SIGNATURES:
        if head.startswith(signature):
            return f"it looks like {noun}: choose another file, or correct its suffix"
    printable = sum(byte in b"\t\n\r" or 32 <= byte < 127 for byte in head[:256])
    if head and printable == len(head[:256]):
        return "it looks like text: choose another file"
    return "what it holds is not known to jaxscope: choose another file"
