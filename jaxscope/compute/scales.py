"""How high a lane is by itself: units per lane for each kind of channel, from the recording, not from the window.

Taken once, from a few windows spread over the recording, so that heights do not move while scrolling. Each window is
taken about its own median, and of the windows and channels the typical one counts: neither drift, nor one artefact, nor
one loud channel sets the scale.
"""

from __future__ import annotations

import numpy as np

from jaxscope.data.recording import Recording

#: Windows that are looked at, and how long each is.
WINDOWS = 8
WINDOW_S = 1.0
MOST_CHANNELS = 32
#: Share of the samples of a typical window that stay inside the lane.
SHARE = 0.99


def automatic_scales(recording: Recording) -> dict[str, float]:
    """Return units per lane height by channel kind, for every kind that the recording has."""
    info = recording.info
    members: dict[tuple[str, float, int], list[int]] = {}
    for number, channel in enumerate(info.channels):
        if channel.rate_hz is not None and channel.n_samples:
            members.setdefault((channel.kind, channel.rate_hz, channel.n_samples), []).append(number)
    heights: dict[str, list[float]] = {}
    for (kind, rate_hz, n_samples), numbers in members.items():
        length = max(2, min(n_samples, round(WINDOW_S * rate_hz)))
        chosen = numbers[:: -(-len(numbers) // MOST_CHANNELS)]
        for start in np.linspace(0, max(0, n_samples - length), WINDOWS).astype(int):
            x = recording.read(int(start), int(start) + length, chosen)
            heights.setdefault(kind, []).extend(_heights(x))
    return {kind: _scale_of(values) for kind, values in heights.items()}


def _heights(x: np.ndarray) -> list[float]:
    found = []
    for row in x:
        finite = row[np.isfinite(row)]
        if finite.size:
            found.append(2.0 * float(np.quantile(np.abs(finite - np.median(finite)), SHARE)))
    return found


def _scale_of(heights: list[float]) -> float:
    positive = [height for height in heights if height > 0]
    # not rounded to a round number: the scale bar is round, and rounding up here would flatten traces up to 2.5 times
    return float(np.median(positive)) if positive else 1.0
