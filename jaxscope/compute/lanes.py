"""The lanes of a window: what is worked on, on which thread, and what comes first."""

from __future__ import annotations

from jaxscope.compute.scheduler import PATIENCE_S as DEFAULT_PATIENCE_S
from jaxscope.compute.scheduler import Lane

#: How long the import of the engine waits, so that a recording that is opened with the window is drawn first.
PREPARE_AFTER_S = 0.4
#: What can wait has its turns once nothing has been tuned for this long, and one turn in PATIENCE_S while it has.
CALM_S = 0.15
PATIENCE_S = 1.0
#: Work that is not saved is kept at most this often, so at most this much of it is lost.
KEEP_EVERY_S = 3.0
#: The lanes of a window: name, thread, rank (a lower one is served first), least interval, whether it waits for calm,
#: whether a newer wish ends a running one. On the thread of the traces is nothing else that a hand waits for, and what
#: takes long there yields to them.
LANES = (
    ("open", "file", 0, 0.0, False, True),
    ("before", "file", 2, 0.0, False, True),
    ("preview", "file", 1, 0.0, False, True),
    ("warm-up", "file", 3, 0.5, False, False),
    # not on the file thread: a disk that does not answer is when work is lost
    ("keep", "compute", 3, KEEP_EVERY_S, True, False),
    ("traces", "compute", 0, 0.0, False, False),
    # the filter in use runs on while another is prepared
    ("live-tune", "file", 0, 0.0, False, False),
    ("design", "side", 1, 0.0, False, False),
    ("prepare", "compute", 2, PREPARE_AFTER_S, False, False),
    ("spectrum", "side", 2, 0.1, False, False),
    ("analysis", "side", 2, 0.1, False, False),
    ("measure", "compute", 2, 0.05, False, True),
    ("words", "side", 3, 0.2, True, False),
    ("settle", "compute", 3, 0.0, True, True),
    ("agreement", "side", 3, 0.25, True, False),
    ("devices", "compute", 3, 0.0, False, False),
    ("sensitivity", "side", 3, 0.1, True, False),
    ("after", "compute", 4, 0.0, True, True),
)


def window_lanes(begun: float) -> tuple[Lane, ...]:
    """Return the lanes, with the least interval of each counted from ``begun``."""
    return tuple(
        Lane(
            name=name,
            thread=thread,
            rank=rank,
            least_interval_s=interval_s,
            calm_s=CALM_S if waits else 0.0,
            patience_s=PATIENCE_S if waits else DEFAULT_PATIENCE_S,
            restarts=restarts,
            started_at=begun,
        )
        for name, thread, rank, interval_s, waits, restarts in LANES
    )
