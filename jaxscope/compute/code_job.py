"""A chain as code, coefficients, text or a compiled program, for the window: shown first, then saved.

It is an export like any other, so it runs on the compute thread and its end is told the same way; what is only to be
shown has no path and comes back as ``CodeText``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jaxscope.compute.code_export import STABLEHLO, Shape, exported, write_export
from jaxscope.compute.code_frames import CodeText
from jaxscope.compute.frames import ExportProgress
from jaxscope.compute.scheduler import CancelToken, Steps
from jaxscope.compute.workbench import Wish, Workbench
from jaxscope.errors import ChainError
from jaxscope.filters.coefficients import Sections, Taps
from jaxscope.filters.design import design_chain
from jaxscope.filters.report import report
from jaxscope.filters.spec import FilterChain

USUAL_SHAPE = Shape()
#: the sentence for a paper, which is an export too
METHODS = "methods"
#: characters that are shown; a file has them all
MOST_SHOWN = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRequest:
    """What to write down of a chain, and where to; an empty path only shows it."""

    target: str
    chain: FilterChain
    rate_hz: float
    path: str = ""
    shape: Shape = USUAL_SHAPE
    overwrite: bool = False

    #: the chain is in the request; nothing of the picture counts
    as_shown = False
    #: nothing of the recording is written
    needs_whole = False

    def work(self, bench: Workbench, wish: Wish, job: int) -> Callable[[CancelToken], Steps | None]:
        """Return the work that shows or writes it."""

        def work(_token: CancelToken) -> None:
            if not self.path:
                bench.deliver(self._shown(job))
                return
            write_export(self.path, self.content(), overwrite=self.overwrite)
            bench.deliver(ExportProgress(job=job, share=1.0, done=True, path=self.path))

        return work

    def content(self) -> bytes:
        """Return the bytes of the file.

        Raises
        ------
        ChainError
            The chain does not fit its rate, or has no such form.
        """
        if self.target == METHODS:
            return f"{report(self.chain, self.rate_hz)}\n".encode()
        return exported(self.chain, self.rate_hz, self.target, self.shape)

    def _shown(self, job: int) -> CodeText:
        try:
            content = self.content()
        except ChainError as error:
            return CodeText(job=job, target=self.target, text="", problem=error.sentence())
        if self.target == STABLEHLO:
            samples = f"{self.shape.n_channels} × {self.shape.n_samples or 'ten seconds of'} samples"
            text = (
                f"A program of {len(content):,} bytes: float64, {samples}, in and out."
                "\nAny XLA runs it: load it as a portable StableHLO artifact and call its main."
            )
        else:
            text = content.decode("utf-8")
            if len(text) > MOST_SHOWN:
                text = f"{text[:MOST_SHOWN]}\n… {len(text) - MOST_SHOWN:,} more characters in the file"
        parts = design_chain(self.chain, self.rate_hz).parts
        return CodeText(
            job=job,
            target=self.target,
            text=text,
            n_sections=sum(len(part.rows) for part in parts if isinstance(part, Sections)),
            n_taps=sum(len(part.values) for part in parts if isinstance(part, Taps)),
        )
