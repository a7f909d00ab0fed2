"""A recording as a montage shows it: everything after opening reads derived channels and knows no difference.

``MontagedRecording`` reads the recorded channels that are asked for and mixes them; its info lists the derived ones.
Invariant: samples of a derived channel are the same whichever window, block or process reads them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from jaxscope.compute.frames import Opened
from jaxscope.compute.held_recording import HeldRecording
from jaxscope.compute.library import OpenRecording, WindowCache
from jaxscope.compute.opening import opened_of
from jaxscope.data.recording import Channel, FloatArray, Recording, RecordingInfo
from jaxscope.errors import SpecError
from jaxscope.filters.channels import chain_for
from jaxscope.filters.mixing import Mixing
from jaxscope.filters.montage import MAX_NAME, Montage
from jaxscope.filters.montage_formula import formula_of
from jaxscope.filters.montage_rows import Derivation, Derived, derive, words_of
from jaxscope.filters.spec import FilterChain

#: Sets of channels whose mixing is kept ready, a recording.
MOST_MIXINGS = 16
#: Weights that are turned into formulas.
MOST_WEIGHTS = 5000
#: What stands between the id of a recording and the number of its montage.
_MARK = " montage "


def montaged(recording: Recording, montage: Montage | None) -> Recording:
    """Return a recording as a montage shows it; itself where there is none.

    Raises
    ------
    SpecError
        The montage does not fit the recording.
    """
    return recording if montage is None else MontagedRecording(recording, montage)


def montaged_info(info: RecordingInfo, montage: Montage | None) -> RecordingInfo:
    """Return what is known of a recording as a montage shows it.

    Raises
    ------
    SpecError
        The montage does not fit the recording.
    """
    return info if montage is None else _info_of(info, derive(montage, info.channels))


def what_is_made(info: RecordingInfo, montage: Montage) -> tuple[tuple[str, str], ...]:
    """Return the name of each new channel, and what it is made of in words.

    Raises
    ------
    SpecError
        The montage does not fit the recording.
    """
    made = derive(montage, info.channels).channels
    return tuple((one.name, words_of(one, info.channels)) for one in made if not one.is_recorded)


def as_formulas(info: RecordingInfo, montage: Montage) -> Montage:
    """Return the same channels as formulas, to be edited one by one.

    Raises
    ------
    SpecError
        The montage does not fit the recording, or would be more weights than a person edits.
    """
    rows: list[tuple[str, str]] = []
    made = derive(montage, info.channels).channels
    n_weights = sum(len(one.inputs) for one in made)
    if n_weights > MOST_WEIGHTS:
        raise SpecError(
            "rows",
            f"{montage.title} has {n_weights:,} weights here, too many to be edited one by one",
            hint="name fewer channels, or import a matrix",
        )
    for one in made:
        if not one.is_recorded:
            weights = dict.fromkeys(one.mean_of, -1.0 / len(one.mean_of)) if one.mean_of else {}
            for number, weight in one.terms:
                weights[number] = weights.get(number, 0.0) + weight
            rows.append((one.name, formula_of({info.channels[number].name: w for number, w in weights.items() if w})))
    name = f"{montage.title}, edited"[:MAX_NAME]
    return Montage(kind="formulas", name=name, rows=tuple(rows), others=montage.others)


def chains_with(
    chains: tuple[FilterChain, ...], info: RecordingInfo, montage: Montage | None
) -> tuple[FilterChain, ...]:
    """Return chains that filter what a montage makes of their channels, too.

    A chain for named channels goes on with what is made of these alone: its list is longer by the new names, so that
    whoever reads it sees which. What is made of the channels of two chains stays unfiltered.

    Raises
    ------
    SpecError
        The montage does not fit the recording.
    """
    if montage is None:
        return chains
    more: dict[int, list[str]] = {}
    for one in derive(montage, info.channels).channels:
        if one.is_recorded or chain_for(chains, one.name, is_data=True) is not None:
            continue
        inputs = [info.channels[number] for number, _ in one.terms]
        of_inputs = {chain_for(chains, channel.name, is_data=channel.is_data) for channel in inputs}
        chain = of_inputs.pop()
        if chain is not None and not of_inputs:
            more.setdefault(chain, []).append(one.name)
    return tuple(
        replace(chain, channels=(*(chain.channels or ()), *more[number])) if number in more else chain
        for number, chain in enumerate(chains)
    )


class MontagedRecording(Recording):
    """A recording seen through a montage.

    Parameters
    ----------
    inner : Recording
    montage : Montage

    Raises
    ------
    SpecError
        The montage does not fit the recording.
    """

    def __init__(self, inner: Recording, montage: Montage) -> None:
        self._inner = inner
        self._montage = montage
        self._known: tuple[RecordingInfo, RecordingInfo, tuple[Derived, ...]] | None = None
        self._mixings = lru_cache(maxsize=MOST_MIXINGS)(Mixing)
        self._look()

    @property
    def info(self) -> RecordingInfo:
        """What is known without reading samples."""
        return self._look()[1]

    def read(self, start: int, stop: int, channels: Sequence[int | str] | None = None) -> FloatArray:
        """Return samples of derived channels, as the recording does of its own."""
        _, info, derived = self._look()
        chosen, span = info.reading_span(start, stop, channels)
        if not chosen:
            return self._inner.read(span.start, span.stop, ())
        mixing = self._mixings(tuple(derived[number] for number in chosen))
        return mixing.apply(self._inner.read(span.start, span.stop, mixing.inputs))

    def close(self) -> None:
        """Let go of the recording."""
        self._inner.close()

    def _look(self) -> tuple[RecordingInfo, RecordingInfo, tuple[Derived, ...]]:
        """Return what is recorded now and what is made of it: a recording may grow while it is read."""
        recorded, known = self._inner.info, self._known
        if known is None or known[0] is not recorded:
            made = derive(self._montage, recorded.channels)
            known = self._known = (recorded, _info_of(recorded, made), made.channels)
        return known


class HeldMontage(HeldRecording):
    """A montage of a recording that is held: holding one holds the other, and whoever opened the file closes it."""

    def __init__(self, base: HeldRecording, montage: Montage) -> None:
        super().__init__(MontagedRecording(base, montage))
        self._base = base

    @property
    def is_whole(self) -> bool:
        """False while only the first part of a file is known."""
        return self._base.is_whole

    def hold(self) -> None:
        """Keep the recording open until ``release``; Cancelled where it is closed."""
        self._base.hold()

    def release(self) -> None:
        """End a ``hold``."""
        self._base.release()

    def close(self) -> None:
        """Leave the recording open: it belongs to the library."""


class Montages:
    """The present montage of an open recording, with a memory of windows of its own."""

    def __init__(self) -> None:
        self._last: tuple[str, Montage, OpenRecording] | None = None
        self._told = ""
        self._count = 0
        self._lock = threading.Lock()

    def entry(self, entry: OpenRecording, montage: Montage | None) -> OpenRecording:
        """Return an open recording as a montage shows it; the same one for the same montage.

        Raises
        ------
        SpecError
            The montage does not fit the recording.
        """
        with self._lock:
            if montage is None:
                self._last = None
                return entry
            last = self._last
            if last is not None and (last[0], last[1]) == (entry.id, montage):
                return last[2]
            held = HeldMontage(entry.recording, montage)
            self._count += 1
            made = OpenRecording(
                id=f"{entry.id}{_MARK}{self._count}", path=entry.path, recording=held, cache=WindowCache(held)
            )
            self._last = (entry.id, montage, made)
        entry.cache.clear()
        return made

    def forget(self) -> None:
        """Make the montage anew when it is asked for: the recording has other channels, or more of them is known."""
        with self._lock:
            self._last = None

    def fitting(self, entry: OpenRecording, montage: Montage | None) -> OpenRecording | None:
        """Return what ``entry`` does; None where the montage does not fit, which was told when it was chosen."""
        try:
            return self.entry(entry, montage)
        except SpecError:
            return None

    def news(self, entry: OpenRecording, montage: Montage | None) -> tuple[Opened, ...]:
        """Return what is to be told of the channels, where they are others than were told last (first, at opening).

        Raises
        ------
        SpecError
            The montage does not fit the recording.
        """
        shown = self.entry(entry, montage)
        before = self._told if opened_id(self._told) == entry.id else entry.id
        self._told = shown.id
        return () if shown.id == before else (opened_of(shown, is_same=True),)


def opened_id(recording_id: str) -> str:
    """Return the id of the recording that was opened, of the id of a montage of it."""
    return recording_id.partition(_MARK)[0]


def _info_of(info: RecordingInfo, made: Derivation) -> RecordingInfo:
    channels = tuple(_channel_of(info, one) for one in made.channels)
    return replace(info, channels=channels, warnings=(*info.warnings, *made.notes))


def _channel_of(info: RecordingInfo, derived: Derived) -> Channel:
    first = info.channels[derived.terms[0][0]]
    if derived.is_recorded:
        return first
    made_of = tuple(info.channels[number].name for number, _ in derived.terms)
    return replace(first, name=derived.name, made_of=made_of)
