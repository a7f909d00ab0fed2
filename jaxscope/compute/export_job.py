"""The window's export: the same ``run_batch`` as the command line, as a long job that other work may interrupt."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from jaxscope.compute.frames import ExportProgress
from jaxscope.compute.scheduler import Cancelled, CancelToken, Steps
from jaxscope.compute.workbench import Wish, Workbench
from jaxscope.errors import WriteError
from jaxscope.session.events import edits_of

if TYPE_CHECKING:
    from jaxscope.compute.batch_plan import BatchOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """What to write: ``path`` decides the format by its suffix."""

    path: str
    channels: tuple[str, ...] = ()
    start_s: float | None = None
    stop_s: float | None = None
    overwrite: bool = False

    #: a recording is written with the chains of the document, never with a pinned one that is only looked at
    as_shown = False
    #: more of the file may still change what is written: it waits until all of it is known
    needs_whole = True

    def work(self, bench: Workbench, wish: Wish, job: int) -> Callable[[CancelToken], Steps]:
        """Return the work that writes the recording."""
        return export_work(bench, wish, self, job)


class AnyExport(Protocol):
    """Something that can be written: it knows its work. ``as_shown`` asks for the chains that the traces show."""

    @property
    def path(self) -> str:
        """Where to."""

    @property
    def as_shown(self) -> bool:
        """Whether a pinned chain that is looked at counts."""

    @property
    def needs_whole(self) -> bool:
        """Whether it waits until all of a file is known, of which the first part is open."""

    def work(self, bench: Workbench, wish: Wish, job: int) -> Callable[[CancelToken], Steps | None]:
        """Return the work that writes it and delivers its progress, however it ends."""


def begun_work(steps_of: Callable[[CancelToken], Steps]) -> Callable[[CancelToken], Steps]:
    """Return work whose first step is done when it is taken up.

    Closing a generator that has not begun says nothing, and the window would wait for ever.
    """

    def work(token: CancelToken) -> Steps:
        steps = steps_of(token)
        next(steps)
        return steps

    return work


def export_work(bench: Workbench, wish: Wish, request: ExportRequest, job: int) -> Callable[[CancelToken], Steps]:
    """Return the work that writes a file and delivers its progress, however it ends."""

    def steps_of(token: CancelToken) -> Steps:
        from jaxscope.compute.batch import run_batch

        recording, is_held, begun = wish.entry.recording, False, time.monotonic()
        target = os.path.abspath(request.path)
        if target in bench.writing:
            raise WriteError(f"{request.path} is being written by another export", hint="choose another name")
        bench.writing.add(target)
        chains = wish.state.document.chains if wish.state.document.filter_on else ()
        steps = run_batch(recording, chains, _options(wish, request), programs=bench.programs)
        try:
            recording.hold()
            is_held = True
            bench.deliver(ExportProgress(job=job, share=0.0))
            yield
            while True:
                token.check()
                share = next(steps)
                left = (time.monotonic() - begun) * (1 - share) / share if share > 0 else None
                bench.deliver(ExportProgress(job=job, share=share, seconds_left=left))
                yield
        except StopIteration as end:
            warnings = tuple(end.value["warnings"])
            bench.deliver(ExportProgress(job=job, share=1.0, done=True, path=request.path, warnings=warnings))
        except (Cancelled, GeneratorExit):
            bench.deliver(ExportProgress(job=job, share=0.0, done=True, cancelled=True))
            raise
        finally:
            bench.writing.discard(target)
            steps.close()
            if is_held:
                recording.release()

    return begun_work(steps_of)


def _options(wish: Wish, request: ExportRequest) -> BatchOptions:
    from jaxscope.compute.batch_plan import BatchOptions

    engine = wish.state.engine
    return BatchOptions(
        source=wish.entry.path,
        target=request.path,
        channels=request.channels,
        start_s=request.start_s,
        stop_s=request.stop_s,
        overwrite=request.overwrite,
        device=engine.device,
        precision=engine.precision,
        method=engine.method,
        montage=wish.state.document.montage,
        events=edits_of(wish.state.document),
        bad_spans=wish.state.document.bad_spans,
    )
