"""What the file beside a table tells of it: units, kinds, start and events, where jaxscope has written both.

A table of text has room for names and numbers only. Invariant: what is beside is used where it tells of this very
table (its size, its columns); else it is not, and that is told.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from jaxscope.data.annotations import Annotation
from jaxscope.data.notes import notes_text, with_notes
from jaxscope.data.recording import CHANNEL_KINDS, Channel, RecordingInfo

_FORMAT = "jaxscope-provenance"
#: A longer file is none of ours.
_MOST_BYTES = 16 << 20


def with_side_notes(info: RecordingInfo, path: Path) -> RecordingInfo:
    """Return what is known of a table, with what the file beside it tells."""
    beside = path.with_name(f"{path.name}.json")
    output = _output_of(beside)
    if output is None:
        return info
    is_of_this = output.get("name") == path.name and output.get("size_bytes") == path.stat().st_size
    text = _text_of(output, info) if is_of_this else ""
    noted = with_notes(info, text)
    if noted.warnings != info.warnings:
        words = f"{beside.name} tells of another table than this one: units and events in it are not used"
        return replace(info, warnings=(*info.warnings, words))
    # gaps and start follow from the times, where these tell them
    return replace(
        noted, gaps=info.gaps, duration_s=info.duration_s, start=info.start or noted.start, files=(str(beside),)
    )


def _output_of(beside: Path) -> dict[str, Any] | None:
    """Return what is told of an output; None where nothing is."""
    try:
        if not beside.is_file() or beside.stat().st_size > _MOST_BYTES:
            return None
        content = json.loads(beside.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # another program's
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        return None
    output = content.get("output")
    return output if isinstance(output, dict) else {}


def _text_of(output: dict[str, Any], info: RecordingInfo) -> str:
    """Return the notes that make up what is told; empty where it makes no sense."""
    try:
        every = output["channels"]
        if len(every) != len(info.channels):  # a column without a number in it is no channel
            by_name = {told["name"]: told for told in every}
            every = [by_name[channel.name] for channel in info.channels]
        channels = [_channel(told, found) for told, found in zip(every, info.channels, strict=True)]
        text = notes_text(channels, annotations=[Annotation(**told) for told in output["annotations"]])
        return json.dumps({**json.loads(text), "start": output["start"]})
    except (KeyError, TypeError, ValueError, AttributeError):
        return ""


def _channel(told: dict[str, Any], found: Channel) -> Channel:
    if told["kind"] not in CHANNEL_KINDS or not isinstance(told["unit"], str) or not isinstance(told["name"], str):
        raise TypeError("a name, a unit and a kind are wanted")
    return Channel(
        name=told["name"],
        unit=told["unit"],
        kind=told["kind"],
        rate_hz=found.rate_hz or told["rate_hz"],
        n_samples=found.n_samples,
    )
