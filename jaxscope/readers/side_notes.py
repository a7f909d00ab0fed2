"""What the file beside a table tells of it: units, kinds, start and events, where jaxscope has written both.

A table of text has room for names and numbers only. Invariant: what is beside is used where it tells of this very
table (its size, its columns); else it is not, and that is told, as it is of what is there in part only.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from jaxscope.data.annotations import Annotation
from jaxscope.data.notes import notes_text, with_notes
from jaxscope.data.recording import CHANNEL_KINDS, Channel, RecordingInfo
from jaxscope.errors import ReadError

_FORMAT = "jaxscope-provenance"
#: How a file of ours begins, without its blanks.
_BEGIN = f'{{"format":"{_FORMAT}"'.encode()
#: A longer file is not read.
_MOST_BYTES = 16 << 20


def with_side_notes(info: RecordingInfo, path: Path) -> RecordingInfo:
    """Return what is known of a table, with what the file beside it tells."""
    beside = path.with_name(f"{path.name}.json")
    try:
        output = _output_of(beside)
    except ReadError as error:
        return _with_warning(info, error.message)
    if output is None:
        return info
    is_of_this = output.get("name") == path.name and output.get("size_bytes") == path.stat().st_size
    text = _text_of(output, info) if is_of_this else ""
    noted = with_notes(info, text)
    if noted.warnings != info.warnings:
        return _with_warning(info, f"{beside.name} tells of another table than this one")
    # gaps and start follow from the times, where these tell them
    return replace(
        noted, gaps=info.gaps, duration_s=info.duration_s, start=info.start or noted.start, files=(str(beside),)
    )


def _with_warning(info: RecordingInfo, words: str) -> RecordingInfo:
    return replace(info, warnings=(*info.warnings, f"{words}: units and events in it are not used"))


def _output_of(beside: Path) -> dict[str, Any] | None:
    """Return what is told of an output; None where nothing is. ReadError where it cannot be read as a whole."""
    try:
        if not beside.is_file():
            return None
        with beside.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ReadError(f"{beside.name} cannot be read") from error
    if len(data) > _MOST_BYTES:
        content = None
    else:
        try:
            content = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError):
            content = None
    if content is None and _begins_as_ours(data):
        raise ReadError(f"{beside.name} is {'cut off' if len(data) <= _MOST_BYTES else 'too long'}")
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        return None
    output = content.get("output")
    return output if isinstance(output, dict) else {}


def _begins_as_ours(data: bytes) -> bool:
    """Whether a file begins as those of jaxscope do, or ends before that could be told."""
    begin = b"".join(data[:256].split())[: len(_BEGIN)]
    return _BEGIN.startswith(begin)


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
