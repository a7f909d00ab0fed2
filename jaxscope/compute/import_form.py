"""What the window asks about a file that does not tell it itself: the fields, and what would be read.

The fields come from the table of options of the file's reader, so a format that learns an option has it in the window
too. The preview is the recording itself, opened with what has been told so far and closed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from jaxscope.data.recording import Recording
from jaxscope.errors import JaxscopeError, counted

#: How many channels and samples of each a preview shows.
MOST_CHANNELS, MOST_SAMPLES = 6, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportField:
    """One thing to tell: its key, label, what it may be, and a sentence about it."""

    name: str
    title: str
    help: str = ""
    unit: str = ""
    choices: tuple[str, ...] = ()
    is_required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """What a file would be with what has been told: its fields, first numbers and facts, or why it cannot be read.

    ``rows`` holds a channel each: its name, then its first samples.
    """

    path: str
    format: str
    title: str
    fields: tuple[ImportField, ...]
    told: tuple[tuple[str, str], ...]
    rate_hz: float | None
    rows: tuple[tuple[str, ...], ...] = ()
    facts: str = ""
    problem: str = ""
    has_rate: bool = False


def preview_import(path: str, told: Mapping[str, str], rate_hz: float | None) -> ImportPreview:
    """Open a file with what has been told, and return what it shows; what is wrong is ``problem``.

    Raises
    ------
    ReadError
        If the file is of no format that is known, or cannot be read at all.
    """
    from jaxscope.readers import format_of, open_recording

    chosen = format_of(path, told.get("format", ""))
    fields = tuple(
        ImportField(
            name=option.name,
            title=option.title,
            help=option.help,
            unit=option.unit,
            choices=option.choices,
            is_required=option.required,
        )
        for option in chosen.options
        if option.name != "rate"  # the sheet has a field of its own for it
    )
    empty = ImportPreview(
        path=path, format=chosen.name, title=chosen.title, fields=fields, told=tuple(told.items()), rate_hz=rate_hz
    )
    try:
        with open_recording(path, rate_hz=rate_hz, options=told) as recording:
            return _filled(empty, recording)
    except JaxscopeError as error:
        return replace(empty, problem=error.message)


def _filled(empty: ImportPreview, recording: Recording) -> ImportPreview:
    info = recording.info
    rows = []
    for number, channel in enumerate(info.channels[:MOST_CHANNELS]):
        samples = recording.read(0, MOST_SAMPLES, [number])[0]
        unit = f", {channel.unit}" if channel.unit else ""
        rows.append((f"{channel.name}{unit}", *(f"{value:.6g}" for value in samples)))
    counts = [channel.n_samples for channel in info.channels] or [0]
    lengths = f"{counted(max(counts), 'sample')} each"
    if min(counts) < max(counts):
        lengths = f"{min(counts):,} to {counted(max(counts), 'sample')}"
    rates = sorted({channel.rate_hz for channel in info.channels if channel.rate_hz is not None})
    facts = [counted(len(info.channels), "channel"), lengths]
    facts += [f"{rate:.6g} Hz" for rate in rates[:2]]
    facts += [] if info.duration_s is None else [f"{info.duration_s:.6g} s"]
    return replace(empty, rows=tuple(rows), facts=" · ".join(facts), has_rate=bool(rates))
