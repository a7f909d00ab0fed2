"""EEGLAB datasets: a MATLAB file (.set), with its samples inside or in a file of floats (.fdt) beside it.

The dataset is one struct called ``EEG`` or its fields side by side, in any version of MATLAB files. Epochs are shown
one after the other, as EEGLAB scrolls them, with an annotation for each. The unit is microvolts, as EEGLAB takes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, prod
from pathlib import Path

from jaxscope.data.annotations import Annotation
from jaxscope.data.kinds import kind_of
from jaxscope.data.labels import unique_names
from jaxscope.data.recording import CODE_KINDS, Channel, Recording, RecordingInfo
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, files_told, is_there, own_rate_words
from jaxscope.readers.byte_file import ByteFile, SampleTable
from jaxscope.readers.grids import FileGrid
from jaxscope.readers.mat_values import SMALL, MatFile, MatValue
from jaxscope.readers.matlab import NO_RATE, open_variables, sniff_mat
from jaxscope.readers.sources import BlockSource, Place, SourcedRecording

#: What makes a MATLAB file a dataset.
_NEEDED = ("data", "srate", "nbchan", "pnts")
_UNIT = "uV"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """How many channels, samples an epoch, and epochs a dataset says it has."""

    n_channels: int
    n_points: int
    n_epochs: int

    @property
    def n_samples(self) -> int:
        """Samples of all epochs."""
        return self.n_points * self.n_epochs


def eeglab_fields(variables: dict[str, MatValue]) -> dict[str, MatValue] | None:
    """Return the fields of the dataset that a MATLAB file holds, None where it holds none."""
    struct = variables.get("EEG")
    if struct is not None and struct.kind == "struct" and struct.size == 1:
        fields = {name: struct.field(name) for name in struct.field_names}
        found = {name: value for name, value in fields.items() if value is not None}
        return found if all(name in found for name in _NEEDED) else None
    return variables if all(name in variables for name in _NEEDED) else None


def open_eeglab(path: Path, options: OpenOptions) -> Recording:
    """Open a dataset, from its ``.set`` or the ``.fdt`` beside it.

    Raises
    ------
    ReadError
        If a file is missing or damaged, or the file holds no dataset.
    """
    if path.suffix.lower() == ".fdt":
        header = next(
            (path.with_suffix(suffix) for suffix in (".set", ".SET") if is_there(path.with_suffix(suffix))), None
        )
        if header is None:
            raise ReadError(
                f"{path.name} holds samples without their description, {path.stem}.set, which is not there",
                hint="keep both in one folder, and open the .set file",
            )
        path = header
    file = open_variables(path)
    try:
        with file.guard():
            fields = eeglab_fields(file.variables)
            if fields is None:
                listed = ", ".join(list(file.variables)[:6])
                raise ReadError(
                    f"{path.name} is a MATLAB file without an EEGLAB dataset: it holds {listed}",
                    hint="save it with pop_saveset, or rename it to .mat",
                )
            return assemble_eeglab(path, file, fields, options)
    except BaseException:
        file.close()
        raise


def assemble_eeglab(path: Path, file: MatFile, fields: dict[str, MatValue], options: OpenOptions) -> Recording:
    """Return the recording of a dataset.

    Parameters
    ----------
    path : Path
        The ``.set`` file.
    file : MatFile
        Is closed with the recording.
    fields : dict of str to MatValue
        What ``eeglab_fields`` found.
    options : OpenOptions

    Raises
    ------
    ReadError
        If its samples are missing or their number makes no sense.
    """
    warnings = list(file.warnings)
    shape = _shape(path, fields)
    rate_hz = _rate(fields, options, warnings)
    grid, n_channels, n_samples, extra = _samples(path, fields, shape, warnings)
    channels = _channels(fields, n_channels, n_samples, rate_hz, warnings)
    if any(channel.is_data for channel in channels):
        warnings.append("An EEGLAB dataset tells no unit: uV is assumed, as EEGLAB does")
    annotations = _epochs(shape, n_samples, rate_hz, warnings) + _events(fields, n_samples, rate_hz, warnings)
    info = RecordingInfo(
        format=f"EEGLAB ({file.format})",
        duration_s=None if rate_hz is None else n_samples / rate_hz,
        channels=channels,
        annotations=tuple(sorted(annotations, key=lambda note: note.onset_s)),
        warnings=tuple(warnings),
        files=() if extra is None else files_told(path, path.with_name(extra.name)),
    )

    def close() -> None:
        file.close()
        if extra is not None:
            extra.close()

    return SourcedRecording(info, [Place(source=grid, row=number) for number in range(n_channels)], close)


def _shape(path: Path, fields: dict[str, MatValue]) -> _Shape:
    numbers = {}
    for name in ("nbchan", "pnts", "trials"):
        value = fields[name].scalar() if name in fields else 1.0
        if value is None or not 0 < value < 2**48 or value != int(value):
            raise ReadError(
                f"{path.name} has no number of channels, samples and epochs", hint="save it again in EEGLAB"
            )
        numbers[name] = int(value)
    return _Shape(n_channels=numbers["nbchan"], n_points=numbers["pnts"], n_epochs=numbers["trials"])


def _rate(fields: dict[str, MatValue], options: OpenOptions, warnings: list[str]) -> float | None:
    rate = fields["srate"].scalar()
    if rate is None or not isfinite(rate) or rate <= 0:
        if options.rate_hz is None:
            warnings.append(NO_RATE)
        return options.rate_hz
    warnings += own_rate_words([rate], options)
    return rate


def _samples(
    path: Path, fields: dict[str, MatValue], shape: _Shape, warnings: list[str]
) -> tuple[BlockSource, int, int, ByteFile | None]:
    """Return where the samples are, how many channels and samples there are, and the file to be closed."""
    data = fields["data"]
    if data.kind == "text":
        grid, n_samples, extra = _separate(path, data.text().strip(), shape, warnings)
        return grid, shape.n_channels, n_samples, extra
    if data.kind != "number" or data.is_complex or not data.size:
        raise ReadError(f"{path.name} holds no samples", hint="save it again in EEGLAB, with its data")
    n_channels, n_samples = data.shape[0], prod(data.shape[1:])
    if (n_channels, n_samples) != (shape.n_channels, shape.n_samples):
        warnings.append(
            f"The dataset says {shape.n_channels} channels of {shape.n_samples:,} samples; "
            f"it holds {n_channels} of {n_samples:,}, which are read"
        )
    return data.grid(samples_first=False), n_channels, n_samples, None


def _separate(path: Path, name: str, shape: _Shape, warnings: list[str]) -> tuple[BlockSource, int, ByteFile]:
    """Open the file of floats that a dataset names."""
    told = path.parent / Path(name.replace("\\", "/")).name
    data_path = told
    frame_bytes = 4 * shape.n_channels
    if not is_there(told):
        renamed = path.with_suffix(".fdt")
        # Both files are often renamed together, and only the size can tell that they still belong together.
        if not is_there(renamed) or renamed.stat().st_size != frame_bytes * shape.n_samples:
            raise ReadError(
                f"{told.name}, which holds the samples of {path.name}, is not there",
                hint="keep both in one folder under the names they were saved with",
            )
        warnings.append(f"{told.name} is not there: {renamed.name}, which has the right size, is read")
        data_path = renamed
    file = ByteFile(data_path)
    held = file.n_bytes // frame_bytes
    if data_path.suffix.lower() == ".dat":
        if held < shape.n_samples:
            file.close()
            raise ReadError(f"{data_path.name} ends before its last channels", hint="copy the file again")
        return FileGrid(file=file, table=SampleTable.vectorised("<f4", shape.n_samples)), shape.n_samples, file
    if held != shape.n_samples or file.n_bytes % frame_bytes:
        warnings.append(f"{data_path.name} holds {held:,} samples of each channel, {shape.n_samples:,} are promised")
    if not held:
        file.close()
        raise ReadError(f"{data_path.name} holds not even one sample of every channel", hint="copy the file again")
    table = SampleTable.multiplexed("<f4", shape.n_channels)
    return FileGrid(file=file, table=table), min(held, shape.n_samples), file


def _channels(
    fields: dict[str, MatValue], n_channels: int, n_samples: int, rate_hz: float | None, warnings: list[str]
) -> tuple[Channel, ...]:
    places = fields.get("chanlocs")
    labels: list[str] = []
    kinds: list[str] = []
    if places is not None and places.kind == "struct":
        labels = [value.label() for value in places.column("labels")]
        kinds = [value.label() for value in places.column("type")]
    if len(labels) != n_channels:
        if labels:
            warnings.append(f"The dataset names {len(labels)} of {n_channels} channels: numbers are shown instead")
        labels = [f"E{number}" for number in range(1, n_channels + 1)]
        kinds = []
    kinds = kinds if len(kinds) == n_channels else [""] * n_channels
    channels = []
    names = unique_names(label or f"E{number}" for number, label in enumerate(labels, 1))
    for name, label, hint in zip(names, labels, kinds, strict=True):
        kind = kind_of(label, _UNIT, hint)
        unit = "" if kind in CODE_KINDS else _UNIT
        channels.append(Channel(name=name, unit=unit, kind=kind, rate_hz=rate_hz, n_samples=n_samples))
    return tuple(channels)


def _epochs(shape: _Shape, n_samples: int, rate_hz: float | None, warnings: list[str]) -> list[Annotation]:
    if shape.n_epochs == 1:
        return []
    warnings.append(
        f"The dataset holds {shape.n_epochs} epochs of {shape.n_points} samples: they are shown one after the other, "
        "and a filter runs across their edges"
    )
    if rate_hz is None or shape.n_epochs > SMALL:
        return []
    n_shown = min(shape.n_epochs, -(-n_samples // shape.n_points))
    return [
        Annotation(
            onset_s=number * shape.n_points / rate_hz, duration_s=shape.n_points / rate_hz, text=f"epoch {number + 1}"
        )
        for number in range(n_shown)
    ]


def _events(
    fields: dict[str, MatValue], n_samples: int, rate_hz: float | None, warnings: list[str]
) -> list[Annotation]:
    events = fields.get("event")
    if events is None or events.kind != "struct" or rate_hz is None or "latency" not in events.field_names:
        return []
    latencies = [value.scalar() for value in events.column("latency")]
    texts = [value.label() for value in events.column("type")] or [""] * len(latencies)
    durations = [value.scalar() for value in events.column("duration")] or [None] * len(latencies)
    found: list[Annotation] = []
    n_outside = 0
    for latency, text, duration in zip(latencies, texts, durations, strict=True):
        # Latencies count samples from 1 and may lie between two.
        if latency is None or not isfinite(latency) or not 0.5 <= latency < n_samples + 1:
            n_outside += 1
            continue
        length = duration if duration is not None and isfinite(duration) and duration >= 0 else 0.0
        found.append(Annotation(onset_s=max(0.0, latency - 1) / rate_hz, duration_s=length / rate_hz, text=text))
    if n_outside:
        warnings.append(f"{n_outside} events have no place in the recording and are left out")
    n_cuts = sum(note.text == "boundary" for note in found)
    if n_cuts:
        warnings.append(f"Data were cut out at {n_cuts} boundaries: a filter runs across them")
    return found


FORMAT = ReaderFormat(name="eeglab", title="EEGLAB", suffixes=(".set", ".fdt"), sniff=sniff_mat, open=open_eeglab)
