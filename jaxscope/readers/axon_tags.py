"""Tags of an Axon Binary File: what somebody wrote while it was recorded, at the second it was written.

Neo gives the kind of a tag in place of its comment, counts its time in samples where the file counts in units of its
own, and looks for those of the first version in the wrong place; so they are read here, from where its header says.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxscope.data.annotations import Annotation

_BLOCK = 512
#: Time, comment, kind, number of a voice tag.
_TAG = struct.Struct("<i56shh")
#: More tags than this are not believed of any header.
_MOST_TAGS = 1_000_000


def axon_tags(path: Path, header: Mapping[str, Any], rate_hz: float, n_channels: int) -> tuple[Annotation, ...]:
    """Return the tags of a file.

    Parameters
    ----------
    path : Path
    header : mapping
        What Neo read of it.
    rate_hz : float
    n_channels : int
        Tags of files without a unit of time count the samples of all channels.
    """
    is_first = "sections" not in header
    section = {} if is_first else header["sections"]["TagSection"]
    n_tags = int(header["lNumTagEntries"] if is_first else section["llNumEntries"])
    begin = _BLOCK * int(header["lTagSectionPtr"] if is_first else section["uBlockIndex"])
    unit_us = float((header if is_first else header["protocol"])["fSynchTimeUnit"])
    unit_s = unit_us * 1e-6 if unit_us > 0 else 1 / (rate_hz * max(n_channels, 1))
    if not 0 < n_tags <= _MOST_TAGS:
        return ()
    with path.open("rb") as file:
        file.seek(begin)
        data = file.read(n_tags * _TAG.size)
    return tuple(_annotations(_TAG.iter_unpack(data[: len(data) // _TAG.size * _TAG.size]), unit_s))


def _annotations(tags: Any, unit_s: float) -> Sequence[Annotation]:
    return [
        Annotation(onset_s=round(time * unit_s, 9), duration_s=None, text=_text(comment) or "tag")
        for time, comment, _, _ in tags
    ]


def _text(comment: bytes) -> str:
    return comment.partition(b"\0")[0].decode("cp1252", "replace").strip()
