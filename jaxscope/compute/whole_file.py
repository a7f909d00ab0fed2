"""A file that is there whole or not at all: written beside its place, moved there when it is complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jaxscope import unfinished
from jaxscope.errors import WriteError
from jaxscope.writers.base import disk_error


@contextmanager
def whole_file(path: str, *, source: str, overwrite: bool) -> Iterator[Path]:
    """Give the path to write to; it takes the place of ``path`` when the block ends well, and is gone otherwise.

    Raises
    ------
    WriteError
        Where ``path`` is the recording itself, exists and may not be replaced, or the disk refuses.
    """
    target = Path(path)
    if target.exists() and os.path.exists(source) and target.samefile(source):
        raise WriteError("that is the recording itself, which is never written to", hint="choose another name")
    if target.exists() and not overwrite:
        raise WriteError(f"{target.name} exists", hint="choose another name, or replace it")
    beside: Path | None = None
    try:
        beside = unfinished.make_beside(target)
        yield beside
        os.replace(beside, target)
    except OSError as error:
        raise disk_error(target, error) from error
    finally:
        if beside is not None:
            unfinished.remove(beside)
