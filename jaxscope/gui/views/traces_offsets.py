"""Offsets that stand still: traces that are panned must not dance up and down with the median of what is in sight.

Invariant: offsets are those of a frame of the same traces, and no lane is further from its middle than a share of its
height.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from jaxscope.compute.frames import Frame, TraceBlock

#: share of a lane by which a trace may be off the middle before all are put there again
_SHARE = 0.1


def with_offsets_of(previous: Frame | None, frame: Frame, heights: Mapping[int, float]) -> Frame:
    """Return a frame with the offsets of the one before where they still serve.

    Parameters
    ----------
    previous : Frame or None
    frame : Frame
    heights : mapping
        The height of each lane that is seen, in units of its channel, by channel.
    """
    if previous is None or frame.made_of is None or previous.made_of != frame.made_of:
        return frame
    pairs = tuple(zip(previous.blocks, frame.blocks, strict=True))
    if not all(_serve(old, new, heights) for old, new in pairs):
        return frame
    blocks = (replace(new, before_offset=old.before_offset, after_offset=old.after_offset) for old, new in pairs)
    return replace(frame, blocks=tuple(blocks))


def _serve(old: TraceBlock, new: TraceBlock, heights: Mapping[int, float]) -> bool:
    most = _SHARE * np.array([heights.get(channel, np.inf) for channel in new.channels])
    pairs = ((old.before_offset, new.before_offset), (old.after_offset, new.after_offset))
    return all(bool((np.abs(ours - theirs) <= most).all()) for ours, theirs in pairs)
