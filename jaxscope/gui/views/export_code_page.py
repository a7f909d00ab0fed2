"""Pages of the export dialog that write a chain down: code, coefficients, the methods text, the compiled program.

What is shown is what would be saved; it is worked out on the compute thread, and asked for again when the chain or the
kind changes while the page is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QWidget

from jaxscope.compute.code_check import CodeCheck
from jaxscope.compute.code_export import STABLEHLO, SUFFIXES, Shape
from jaxscope.compute.code_frames import CodeChecked, CodeText
from jaxscope.compute.code_job import METHODS, CodeRequest
from jaxscope.compute.code_runners import RUNNERS
from jaxscope.compute.export_job import AnyExport
from jaxscope.errors import capitalised
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.code_view import CodeView
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.segmented import SegmentedControl
from jaxscope.gui.views.export_code_parts import CheckLine, CommandLine, left_out_words
from jaxscope.gui.views.export_dialog_parts import format_for_source, suggested_path
from jaxscope.gui.views.export_targets import Target, TargetPage
from jaxscope.session.command_line import filter_command
from jaxscope.session.state import SessionState

CODE = Target(key="code", title="Code", note="runs without the window", icon="code", button="Save code")
NUMBERS = Target(key="coefficients", title="Coefficients", note="CSV, JSON, CMSIS", icon="table", button="Save numbers")
TEXT = Target(key="methods", title="Methods text", note="for a paper", icon="file-text", button="Save text")
COMPILED = Target(key="compiled", title="Compiled filter", note="StableHLO", icon="cpu", button="Save program")
#: kinds of each target: the name of the export, and its word
KINDS: tuple[tuple[Target, tuple[tuple[str, str], ...]], ...] = (
    (
        CODE,
        (
            ("python", "Python, SciPy"),
            ("jaxscope", "Python, jaxscope"),
            ("matlab", "MATLAB"),
            ("c", "C"),
            ("c_header", "C header"),
        ),
    ),
    (NUMBERS, (("csv", "CSV"), ("json", "JSON"), ("cmsis", "CMSIS-DSP"))),
    (TEXT, ((METHODS, "Text"),)),
    (COMPILED, ((STABLEHLO, "StableHLO"),)),
)
_SUFFIXES = {**SUFFIXES, METHODS: ".txt"}


class CodePage(TargetPage):
    """One chain written down, in one of several kinds.

    Parameters
    ----------
    target : Target
    kinds : tuple of (name, word)
    ask : callable
        ``export`` of the conductor.
    cancel : callable
        ``cancel`` of the conductor: a check that is overtaken is ended.
    """

    def __init__(
        self,
        target: Target,
        kinds: tuple[tuple[str, str], ...],
        ask: Callable[[AnyExport], int],
        cancel: Callable[[int], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(target, (_SUFFIXES[kinds[0][0]],), parent)
        self._ask = ask
        self._cancel = cancel
        self._state = SessionState()
        self._source = ""
        self._at = 0
        self._raw: tuple[str, ...] = ()
        #: what the check that is running or done was of
        self._checked: tuple[object, ...] | None = None
        self._check_job: int | None = None
        self._chain: FilterChain | None = None
        self._rate_hz = 0.0
        self._shape = Shape()
        self._asked: CodeRequest | None = None
        self._job: int | None = None
        self._shown: CodeText | None = None
        self.kinds = SegmentedControl(list(kinds), name=target.title)
        self.copy = Button(f"Copy {target.title.lower()}", icon="copy", height=30)
        self.text = CodeView(target.title, is_prose=target is TEXT)
        self.check = CheckLine()
        self.line = CommandLine()
        self.problem = Label("", 12, 400, "danger", shrink=True)
        self._lay_out()
        self.kinds.setVisible(len(kinds) > 1)
        self.kinds.set_current(kinds[0][0])
        self.kinds.chosen.connect(self._on_kind)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))

    def _lay_out(self) -> None:
        target = self.target
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.kinds)
        top.addStretch(1)
        top.addWidget(self.copy)
        self.copy.setVisible(target is not COMPILED)
        self.column.addLayout(top)
        self.column.addWidget(self.text, 1)
        self.column.addWidget(self.problem)
        self.column.addWidget(self.check)
        self.problem.hide()
        if target is CODE:
            self.column.addWidget(Label("The same from a terminal", 12, 600))
            self.column.addWidget(self.line)
        self.check.setVisible(target is CODE)
        self._row("Save as", self.path, self.browse)

    @property
    def kind(self) -> str:
        """The name of the export that is looked at."""
        return self.kinds.current or ""

    def begin(self, source: str) -> None:
        super().begin(source)
        self._source = source
        self.text.dress()
        self._show_line()
        self._show()
        self._check()

    def show_state(self, state: SessionState) -> None:
        """Go by another state: its view is what code is checked on."""
        self._state = state
        if self.isVisible():
            self._show_line()

    def show_chain(self, chain: FilterChain, rate_hz: float, n_channels: int, *, at: int, raw: tuple[str, ...]) -> None:
        """Write another chain down, or the same at another rate.

        It is number ``at`` of the document; no chain is for the channels that are ``raw``.
        """
        self._chain, self._rate_hz, self._shape, self._at = chain, rate_hz, Shape(n_channels=max(1, n_channels)), at
        self._raw = raw
        if self.isVisible():
            self._show()

    def show_text(self, outcome: CodeText) -> None:
        """Show what was asked for; what was overtaken is dropped."""
        if outcome.job == self._job:
            self.text.show_code(outcome.text, outcome.target)
            self.problem.setText(capitalised(outcome.problem))
            self.problem.setVisible(bool(outcome.problem))
            self._shown = outcome
            self.noted.emit()
            self._check()

    def show_check(self, outcome: CodeChecked) -> None:
        """Show whether the code gives the numbers of the screen; what was overtaken is dropped."""
        if outcome.job == self._check_job:
            self._check_job = None
            self.check.show_found(outcome)

    def footnote(self) -> str:
        if self._chain is None or self._shown is None or self._shown.problem or self._shown.target != self.kind:
            return ""
        return left_out_words(self._chain, self._shown, self._at, len(self._state.document.chains), self._raw)

    def complaint(self) -> str | None:
        if self._chain is None:
            return "There is no chain to write down."
        return super().complaint()

    def request(self, *, overwrite: bool) -> CodeRequest:
        assert self._chain is not None  # the complaint comes first
        return CodeRequest(
            target=self.kind,
            chain=self._chain,
            rate_hz=self._rate_hz,
            shape=self._shape,
            path=self.path.text().strip(),
            overwrite=overwrite,
        )

    def _show(self) -> None:
        if self._chain is None:
            return
        wanted = CodeRequest(target=self.kind, chain=self._chain, rate_hz=self._rate_hz, shape=self._shape)
        if wanted != self._asked:
            self._asked = wanted
            # an answer may come before the call returns, and then it is for this number
            self._job = None
            self._job = self._ask(wanted)

    def _check(self) -> None:
        """Have the code that is shown run on the view, where that has not been done."""
        shown = self._shown
        if self._chain is None or shown is None or shown.target != self.kind or self.target is not CODE:
            return
        view = self._state.viewport
        wanted = (
            self._asked,
            self._source,
            view.start_s,
            view.duration_s,
            self._state.engine,
            self._state.document,
        )
        if wanted == self._checked:
            return
        self._give_up_check()
        self._checked = wanted
        if shown.problem or shown.target not in RUNNERS:
            self.check.show_running("")
            return
        self.check.show_running(shown.target)
        self._check_job = self._ask(CodeCheck(target=shown.target, chain=self._chain, rate_hz=self._rate_hz))

    def _give_up_check(self) -> None:
        if self._check_job is not None:
            self._cancel(self._check_job)
        self._check_job = self._checked = None

    def _show_line(self) -> None:
        if self.target is not CODE or not self._source:
            return
        target = suggested_path(self._source, format_for_source(self._source))
        self.line.set_text(filter_command(self._state, self._source, target))

    def _on_kind(self, kind: str) -> None:
        self._suffixes = (_SUFFIXES[kind],)
        self.kinds.set_current(kind)
        path = self.path.text().strip()
        if path:
            self.path.setText(str(Path(path).with_suffix(_SUFFIXES[kind])))
        self._give_up_check()
        self.check.show_running("")
        self.changed.emit()
        self._show()


def code_pages(ask: Callable[[AnyExport], int], cancel: Callable[[int], None]) -> list[CodePage]:
    """Return the pages that write a chain down."""
    return [CodePage(target, kinds, ask, cancel) for target, kinds in KINDS]
