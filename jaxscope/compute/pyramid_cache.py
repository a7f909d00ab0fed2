"""Pyramids of raw recordings, kept in the user's cache: a long recording is read through once, not at every opening.

A file is found by what the recording is (its size, the hash of its ends, when it was changed) and by which samples the
pyramid is of. It is written beside its name and moved there, so it is whole or not there; what cannot be read is
deleted, said in the log, and built anew. The folder is bounded: what was used longest ago goes first.
"""

from __future__ import annotations

import logging
import os
import tempfile
import zipfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from platformdirs import user_cache_path

from jaxscope.display.pyramid import Pyramid
from jaxscope.session.project import fingerprint

_LOG = logging.getLogger(__name__)
#: Bytes of the folder.
MOST_BYTES = 512 << 20
#: Grows when the files or what they say changes: older ones are not found any more.
_VERSION = 1


def cache_folder() -> Path:
    """Return where pyramids are kept."""
    return user_cache_path("jaxscope", appauthor=False) / "pyramids"


def cache_path(path: str, channels: Sequence[int], n_samples: int, options: object = None) -> Path | None:
    """Return where the pyramid of some channels of a recording is kept; None where there is no such file.

    Parameters
    ----------
    path : str
        The recording.
    channels : sequence of int
    n_samples : int
        Of each of them.
    options : object
        What else decides how the file is read; its ``repr`` counts.
    """
    try:
        size, digest = fingerprint(path)
        changed = Path(path).stat().st_mtime_ns
    except OSError:
        return None  # a recording that is no file, or one that has gone: there is nothing to find it by
    what = repr((_VERSION, size, digest, changed, tuple(channels), n_samples, options))
    return cache_folder() / f"{sha256(what.encode()).hexdigest()[:40]}.npz"


def load_pyramid(path: Path, n_channels: int, n_samples: int) -> Pyramid | None:
    """Return the pyramid that is kept at a path, or None where there is none that can be used."""
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
            pyramid = Pyramid.restored(n_samples, int(held["base_samples"]), held["low"], held["high"])
        if pyramid.n_channels != n_channels:
            raise ValueError(f"{pyramid.n_channels} channels in place of {n_channels}")
        os.utime(path)
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        _LOG.warning("the kept pyramid %s cannot be used and is built anew: %s", path.name, error)
        _forget(path)
        return None
    return pyramid


def keep_pyramid(path: Path, pyramid: Pyramid) -> bool:
    """Keep a pyramid that is complete; return whether it could be kept."""
    low, high = pyramid.finest()
    held: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, held = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            np.savez(file, base_samples=np.int64(pyramid.base_samples), low=low, high=high)
        os.replace(held, path)
        _make_room(path.parent)
    except OSError as error:
        _LOG.warning("the pyramid of this recording cannot be kept: %s", error)
        if held is not None:
            _forget(Path(held))
        return False
    return True


def _make_room(folder: Path) -> None:
    """Delete what was used longest ago until the rest fits; also what a process left half-written."""
    files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
    total = 0
    for place, file in enumerate(files):
        total += file.stat().st_size
        if place and total > MOST_BYTES:
            _forget(file)


def _forget(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        _LOG.warning("%s cannot be deleted: %s", path, error)
