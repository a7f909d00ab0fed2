"""Which channels the drawer is about, and their samples before and after with what is missing as NaN.

Between parts that do not follow one another in time stands a NaN, so that no segment reaches over a gap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from jaxscope.compute.measures import blocks_between, samples_between
from jaxscope.compute.plan import GroupRequest
from jaxscope.compute.workbench import Shown, Workbench
from jaxscope.data.kinds import kind_words
from jaxscope.session.state import SessionState

FloatArray = npt.NDArray[np.float64]
#: Samples of a channel at most, and values (two for each sample: before and after) altogether.
MOST_SAMPLES, MOST_VALUES = 1 << 20, 1 << 22
MOST_CHANNELS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    """Rows of a group of the frame: ``title`` names them, ``note`` says what was left out."""

    group: GroupRequest
    rows: tuple[int, ...]
    names: tuple[str, ...]
    unit: str
    title: str
    note: str
    #: the channel that others are compared with
    lead: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stretch:
    """Samples (n_rows, 2, n_places): before and after; ``times_s`` (n_places,) tells when each place is.

    ``nominal`` is the number of samples that a span of this length has where nothing is missing: what lengths are
    chosen by, so that they stay the same while the window moves.
    """

    values: FloatArray
    times_s: FloatArray
    rate_hz: float
    nominal: int
    start_s: float
    stop_s: float
    is_cut: bool


def span_of(state: SessionState) -> tuple[float, float, bool]:
    """Return the span that is looked at, and whether it lies between two cursors."""
    viewport = state.viewport
    if len(viewport.cursors_s) == 2 and viewport.cursors_s[0] != viewport.cursors_s[1]:
        return min(viewport.cursors_s), max(viewport.cursors_s), True
    return viewport.start_s, viewport.start_s + viewport.duration_s, False


def picked_channels(shown: Shown, state: SessionState, *, at_least: int = 1) -> Picked | None:
    """Return the channels that the drawer is about, of one rate and unit; None where none is on the screen.

    With ``at_least`` 2 a single selected channel stands for its whole kind: it is compared with the others.
    """
    info = shown.wish.entry.recording.info
    places = [(group, row, info.channels[n]) for group in shown.request.groups for row, n in enumerate(group.channels)]
    places = [place for place in places if place[2].is_data]
    if not places:
        return None
    wanted, selected = state.viewport.analysis.kind, state.viewport.selected_channels
    chosen = [place for place in places if place[2].kind == wanted] if wanted else []
    is_kind = True
    if not chosen:
        chosen = [place for place in places if place[2].name in selected]
        is_kind = not chosen
        if len(chosen) < at_least and chosen:
            kind, is_kind = chosen[0][2].kind, True
            chosen = [place for place in places if place[2].kind == kind]
    if not chosen:
        kind = Counter(place[2].kind for place in places).most_common(1)[0][0]
        chosen = [place for place in places if place[2].kind == kind]
    group, unit = chosen[0][0], chosen[0][2].unit
    same = [place for place in chosen if place[0] is group and place[2].unit == unit]
    names = tuple(place[2].name for place in same)
    lead = next((name for name in selected if name in names), names[0])
    if len(names) == 1:
        title = names[0]
    elif is_kind:
        kind = same[0][2].kind
        title = f"{len(names)} channels" if kind == "misc" else f"{len(names)} {kind_words(kind)} channels"
    else:
        title = f"{len(names)} selected channels"
    other = len(chosen) - len(same)
    note = f"{other} of another rate or unit left out" if other else ""
    return Picked(
        group=group, rows=tuple(p[1] for p in same), names=names, unit=unit, title=title, note=note, lead=lead
    )


def thinned(picked: Picked, nominal: int, most: int = MOST_CHANNELS, keep: tuple[str, ...] = ()) -> tuple[Picked, int]:
    """Return fewer channels, evenly chosen and those to ``keep``, and fewer samples, so that the work is bounded."""
    samples = min(nominal, MOST_SAMPLES)
    count = max(1, min(most, MOST_VALUES // max(1, 2 * samples)))
    if len(picked.rows) <= count:
        return picked, samples
    wanted = [picked.names.index(name) for name in keep if name in picked.names]
    kept = np.unique(np.append(np.round(np.linspace(0, len(picked.rows) - 1, count)), wanted).astype(int))
    note = "; ".join(part for part in (picked.note, f"{kept.size} of {len(picked.rows)} channels") if part)
    return (
        replace(
            picked,
            rows=tuple(picked.rows[k] for k in kept),
            names=tuple(picked.names[k] for k in kept),
            note=note,
        ),
        samples,
    )


def stretch_of(
    bench: Workbench, shown: Shown, picked: Picked, span_s: tuple[float, float], most: int
) -> Generator[None, None, Stretch | None]:
    """Yield while samples are read; return those of a span, of a long one ``most`` in the middle."""
    group, rows = picked.group, list(picked.rows)
    # half-open, as windows are: the sample at the end is that of the next one
    first, stop = samples_between(shown, group, span_s[0], span_s[1] - 1 / group.rate_hz)
    nominal = max(1, round((span_s[1] - span_s[0]) * group.rate_hz))
    is_cut = stop - first > most + 1
    if is_cut:
        first += (stop - first - most) // 2
        stop, nominal = first + most, most
    parts: list[tuple[FloatArray, FloatArray]] = []
    for block in blocks_between(bench, shown, group, first, stop, needs_rest=False):
        if block is not None:
            parts.append((np.asarray(block[0][rows], np.float64), np.asarray(block[1][rows], np.float64)))
        yield
    if not parts:
        return None
    samples = np.stack([np.concatenate(side, axis=1) for side in zip(*parts, strict=True)], axis=1)
    values, times_s = _in_time(shown, picked, samples, first)
    start_s, stop_s = (float(times_s[0]), float(times_s[-1]) + 1 / group.rate_hz) if is_cut else span_s
    return Stretch(
        values=values,
        times_s=times_s,
        rate_hz=group.rate_hz,
        nominal=nominal,
        start_s=start_s,
        stop_s=stop_s,
        is_cut=is_cut,
    )


def _in_time(shown: Shown, picked: Picked, samples: FloatArray, first: int) -> tuple[FloatArray, FloatArray]:
    """Return samples with a NaN between parts that do not follow one another, and the time of each place."""
    info, rate_hz = shown.wish.entry.recording.info, picked.group.rate_hz
    channel = picked.group.channels[picked.rows[0]]
    stop = first + samples.shape[-1]
    values: list[FloatArray] = []
    times_s: list[FloatArray] = []
    for segment in info.timeline_of(channel).segments(rate_hz, info.channels[channel].n_samples):
        left, right = max(first, segment.first_sample), min(stop, segment.stop_sample)
        if left >= right:
            continue
        if values:
            values.append(np.full((*samples.shape[:-1], 1), np.nan))
            times_s.append(times_s[-1][-1:] + 1 / rate_hz)
        values.append(samples[..., left - first : right - first])
        times_s.append(segment.start_s + (np.arange(left, right) - segment.first_sample) / rate_hz)
    return np.concatenate(values, axis=-1), np.concatenate(times_s)
