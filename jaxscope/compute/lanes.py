"""The lanes of a window: what is worked on, on which thread, and what comes first."""

from __future__ import annotations

from jaxscope.compute.scheduler import PATIENCE_S as DEFAULT_PATIENCE_S
from jaxscope.compute.scheduler import Lane

#: How long the import of the engine waits, so that a recording that is opened with the window is drawn first.
PREPARE_AFTER_S = 0.4
#: What can wait has its turns once nothing has been tuned for this long, and one turn in PATIENCE_S while it has.
CALM_S = 0.15
PATIENCE_S = 1.0
#: The frame of a window that moves where all is known already waits for so long, and at most so long.
STILL_CALM_S, STILL_PATIENCE_S = 0.06, 0.3
#: When a lane has its turns: at once, or after some time without live work, but then once in so many seconds.
NOW, CALM, STILL = (0.0, DEFAULT_PATIENCE_S), (CALM_S, PATIENCE_S), (STILL_CALM_S, STILL_PATIENCE_S)
#: Work that is not saved is kept at most this often, so at most this much of it is lost.
KEEP_EVERY_S = 3.0
#: The lanes of a window: name, thread, rank (a lower one is served first), least interval, when it has its turns,
#: whether a newer wish ends a running one. On the thread of the traces is nothing else that a hand waits for, and what
#: takes long there yields to them.
LANES = (
    ("open", "file", 0, 0.0, NOW, True),
    ("before", "file", 2, 0.0, NOW, True),
    ("preview", "file", 1, 0.0, NOW, True),
    ("warm-up", "file", 3, 0.5, NOW, False),
    # not on the file thread: a disk that does not answer is when work is lost
    ("keep", "compute", 3, KEEP_EVERY_S, CALM, False),
    ("traces", "compute", 0, 0.0, NOW, False),
    ("ahead", "compute", 1, 0.0, NOW, False),
    ("still", "compute", 1, 0.0, STILL, False),
    ("around", "compute", 3, 0.0, CALM, True),
    # the filter in use runs on while another is prepared
    ("live-tune", "file", 0, 0.0, NOW, False),
    ("design", "side", 1, 0.0, NOW, False),
    ("prepare", "compute", 2, PREPARE_AFTER_S, NOW, False),
    ("spectrum", "side", 2, 0.1, NOW, False),
    ("analysis", "side", 2, 0.1, NOW, False),
    ("measure", "compute", 2, 0.05, NOW, True),
    ("words", "side", 3, 0.2, CALM, False),
    ("settle", "compute", 3, 0.0, CALM, True),
    ("agreement", "side", 3, 0.25, CALM, False),
    ("devices", "compute", 3, 0.0, NOW, False),
    ("sensitivity", "side", 3, 0.1, CALM, False),
    ("after", "compute", 4, 0.0, CALM, True),
)
#: Lanes that work on the recording that is shown, and end with it.
ENDED_WITH_RECORDING = (
    "open", "before", "warm-up", "traces", "ahead", "still", "around", "settle", "spectrum", "measure", "agreement",
    "after", "fit", "fit-ahead",
)  # fmt: skip


def window_lanes(begun: float) -> tuple[Lane, ...]:
    """Return the lanes, with the least interval of each counted from ``begun``."""
    return tuple(
        Lane(
            name=name,
            thread=thread,
            rank=rank,
            least_interval_s=interval_s,
            calm_s=calm_s,
            patience_s=patience_s,
            restarts=restarts,
            started_at=begun,
        )
        for name, thread, rank, interval_s, (calm_s, patience_s), restarts in LANES
    )
