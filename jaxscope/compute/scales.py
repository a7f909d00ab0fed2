"""How high a lane is by itself: units per lane for each kind of channel, from the recording, not from the window.

Taken once, from a few windows spread over the recording, so that heights do not move while scrolling. Each window is
taken about its own median. Of the windows of a channel a loud one counts, so that what comes now and then (a blink, a
breath) stays near its lane; of the channels the typical one, so that one loud channel does not set the scale.
"""

from __future__ import annotations

import numpy as np

from jaxscope.data.recording import Recording, scale_kind
from jaxscope.display.envelope import MOST_HEIGHT

#: Windows that are looked at: as many as the values allow, and how long each is.
WINDOWS, LEAST_WINDOWS = 24, 8
MOST_VALUES = 1_000_000
WINDOW_S = 1.0
#: Samples that a window of a slow channel has at least.
LEAST_SAMPLES = 32
MOST_CHANNELS = 32
#: Share of the samples of a window that stay inside the lane, and which window counts.
SHARE = 0.98
LOUD_WINDOW = 0.8
#: The same share of a signal that is nearly all peaks (an electrocardiogram): one whose peaks are so many times higher.
PEAK_SHARE, PEAKED = 0.998, 1.6


def automatic_scales(recording: Recording) -> dict[str, float]:
    """Return units per lane height by ``scale_kind``, for every one that the recording has."""
    info = recording.info
    members: dict[tuple[str, float, int], list[int]] = {}
    for number, channel in enumerate(info.channels):
        if channel.rate_hz is not None and channel.n_samples:
            kind = scale_kind(channel.kind, channel.unit)
            members.setdefault((kind, channel.rate_hz, channel.n_samples), []).append(number)
    heights: dict[str, list[float]] = {}
    for (kind, rate_hz, n_samples), numbers in members.items():
        length = min(n_samples, max(LEAST_SAMPLES, round(WINDOW_S * rate_hz)))
        chosen = numbers[:: -(-len(numbers) // MOST_CHANNELS)]
        n_windows = max(LEAST_WINDOWS, min(WINDOWS, MOST_VALUES // (length * len(chosen))))
        starts = np.linspace(0, n_samples - length, n_windows).astype(int)
        windows = [_heights(recording.read(int(start), int(start) + length, chosen)) for start in starts]
        heights.setdefault(kind, []).extend(_loud(np.array(windows)))
    return {kind: _scale_of(values) for kind, values in heights.items()}


def _heights(x: np.ndarray) -> list[float]:
    """Return the height of each channel in a window, NaN where it has no samples, shape (n_channels,)."""
    found = []
    for row in x:
        # quarters: the difference of two samples may be more than a float holds
        finite = 0.25 * row[np.isfinite(row)]
        if not finite.size:
            found.append(np.nan)
            continue
        reach, peaks = np.quantile(np.abs(finite - np.median(finite)), (SHARE, PEAK_SHARE))
        found.append(min(8.0 * float(peaks if peaks > PEAKED * reach else reach), MOST_HEIGHT))
    return found


def _loud(windows: np.ndarray) -> list[float]:
    """Return the height of each channel in a loud window; ``windows`` has the shape (n_windows, n_channels)."""
    known = [column[np.isfinite(column)] for column in windows.T]
    return [float(np.quantile(column, LOUD_WINDOW)) for column in known if column.size]


def _scale_of(heights: list[float]) -> float:
    positive = [height for height in heights if height > 0]
    # not rounded to a round number: the scale bar is round, and rounding up here would flatten traces up to 2.5 times
    return float(np.median(positive)) if positive else 1.0
