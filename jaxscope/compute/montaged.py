"""A recording as a montage shows it: everything after opening reads derived channels and knows no difference.

``MontagedRecording`` reads the recorded channels that are asked for and mixes them; its info lists the derived ones.
A derived channel pauses wherever a channel that it is the sum of does. Invariant: samples of a derived channel are the
same whichever window, block or process reads them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from jaxscope.compute.frames import Opened
from jaxscope.compute.held_recording import HeldRecording
from jaxscope.compute.library import OpenRecording, WindowCache
from jaxscope.compute.mixed_times import ABSENT, OwnTime, SharedTime
from jaxscope.compute.opening import opened_of
from jaxscope.data.recording import Channel, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
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
#: New channels that a sentence names.
_MOST_NAMED = 3
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
    if montage is None:
        return info
    made = derive(montage, info.channels)
    return _info_of(info, made, _shared_times(info, made.channels))


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
        self._known: _Look | None = None
        self._mixings = lru_cache(maxsize=MOST_MIXINGS)(Mixing)
        self._look()

    @property
    def info(self) -> RecordingInfo:
        """What is known without reading samples."""
        return self._look().shown

    def read(self, start: int, stop: int, channels: Sequence[int | str] | None = None) -> FloatArray:
        """Return samples of derived channels, as the recording does of its own."""
        look = self._look()
        chosen, span = look.shown.reading_span(start, stop, channels)
        if not chosen:
            return self._inner.read(span.start, span.stop, ())
        members: dict[SharedTime | None, list[int]] = {}
        for row, number in enumerate(chosen):
            members.setdefault(look.times[number], []).append(row)
        if len(members) == 1:
            return self._mixed(look, chosen, span)
        result = np.empty((len(chosen), len(span)))
        for rows in members.values():
            result[rows] = self._mixed(look, tuple(chosen[row] for row in rows), span)
        return result

    def close(self) -> None:
        """Let go of the recording."""
        self._inner.close()

    def _mixed(self, look: _Look, chosen: tuple[int, ...], span: Span) -> FloatArray:
        """Return samples of derived channels of one time."""
        mixing = self._mixings(tuple(look.derived[number] for number in chosen))
        shared = look.times[chosen[0]]
        if shared is None:
            return mixing.apply(self._inner.read(span.start, span.stop, mixing.inputs))
        rows: dict[int, list[int]] = {}
        for row, number in enumerate(mixing.inputs):
            rows.setdefault(shared.places[_own_time(look.recorded, number)], []).append(row)
        result = np.empty((len(chosen), len(span)))
        for part, firsts in shared.parts(span):
            inputs = np.full((len(mixing.inputs), len(part)), np.nan)
            for place, own in rows.items():
                first = firsts[place]
                if first != ABSENT:
                    numbers = [mixing.inputs[row] for row in own]
                    inputs[own] = self._inner.read(first, first + len(part), numbers)
            result[:, part.start - span.start : part.stop - span.start] = mixing.apply(inputs)
        return result

    def _look(self) -> _Look:
        """Return what is recorded now and what is made of it: a recording may grow while it is read."""
        recorded, known = self._inner.info, self._known
        if known is None or known.recorded is not recorded:
            made = derive(self._montage, recorded.channels)
            times = _shared_times(recorded, made.channels)
            shown = _info_of(recorded, made, times)
            known = self._known = _Look(recorded=recorded, shown=shown, derived=made.channels, times=times)
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Look:
    """What is recorded, what is shown of it, how that is made, and the time of what is made of unlike channels."""

    recorded: RecordingInfo
    shown: RecordingInfo
    derived: tuple[Derived, ...]
    times: tuple[SharedTime | None, ...]


def _own_time(info: RecordingInfo, number: int) -> OwnTime:
    return OwnTime(gaps=info.timeline_of(number).gaps, n_samples=info.channels[number].n_samples)


def _shared_times(info: RecordingInfo, made: Sequence[Derived]) -> tuple[SharedTime | None, ...]:
    """Return the time of each derived channel, None where all that it is made of have the same; like ones share one.

    Raises
    ------
    SpecError
        Channels share no time, or their samples lie between those of the others.
    """
    own = {number: _own_time(info, number) for number in {number for one in made for number in one.inputs}}
    if len(set(own.values())) < 2:
        return (None,) * len(made)
    known: dict[tuple[object, ...], SharedTime] = {}
    found: list[SharedTime | None] = []
    for one in made:
        needed = {own[number]: info.channels[number].name for number, _ in one.terms}
        every = {**needed, **{own[n]: info.channels[n].name for n in one.mean_of if own[n] not in needed}}
        if len(every) == 1:
            found.append(None)
            continue
        rate_hz = info.channels[one.terms[0][0]].rate_hz
        if rate_hz is None:
            names = " and ".join(list(every.values())[:2])
            hint = "give the rate: without it, nothing tells which samples belong together"
            raise SpecError("channels", f"{names} differ in length", hint=hint)
        key = (*every, len(needed), rate_hz)
        if key not in known:
            known[key] = SharedTime(every, len(needed), rate_hz)
        found.append(known[key])
    return tuple(found)


def _info_of(info: RecordingInfo, made: Derivation, times: Sequence[SharedTime | None]) -> RecordingInfo:
    channels = tuple(_channel_of(info, one, shared) for one, shared in zip(made.channels, times, strict=True))
    unlike = [one.name for one, shared in zip(made.channels, times, strict=True) if shared is not None]
    notes = list(made.notes)
    if unlike:
        more = f" and {len(unlike) - _MOST_NAMED} more" if len(unlike) > _MOST_NAMED else ""
        notes.append(f"{', '.join(unlike[:_MOST_NAMED])}{more}: made of channels that do not all last, or pause, alike")
    return replace(info, channels=channels, warnings=(*info.warnings, *notes))


def _channel_of(info: RecordingInfo, derived: Derived, shared: SharedTime | None) -> Channel:
    first = info.channels[derived.terms[0][0]]
    if derived.is_recorded:
        return first
    made_of = tuple(info.channels[number].name for number, _ in derived.terms)
    channel = replace(first, name=derived.name, made_of=made_of)
    if shared is None:
        return channel
    gaps = None if shared.own.gaps == info.gaps else shared.own.gaps
    return replace(channel, n_samples=shared.own.n_samples, gaps=gaps)
