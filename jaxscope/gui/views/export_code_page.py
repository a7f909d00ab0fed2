"""Pages of the export dialog that write a chain down: code, coefficients, the methods text, the compiled program.

What is shown is what would be saved; it is worked out on the compute thread, and asked for again when the chain or the
kind changes while the page is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QWidget

from jaxscope.compute.code_export import STABLEHLO, SUFFIXES, Shape
from jaxscope.compute.code_job import METHODS, CodeRequest
from jaxscope.compute.export_job import AnyExport
from jaxscope.compute.frames import CodeText
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.segmented import SegmentedControl
from jaxscope.gui.theme import colour, font, theme
from jaxscope.gui.views.export_targets import Target, TargetPage

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
    """

    def __init__(
        self,
        target: Target,
        kinds: tuple[tuple[str, str], ...],
        ask: Callable[[AnyExport], int],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(target, (_SUFFIXES[kinds[0][0]],), parent)
        self._ask = ask
        self._chain: FilterChain | None = None
        self._rate_hz = 0.0
        self._shape = Shape()
        self._asked: CodeRequest | None = None
        self._job: int | None = None
        self.kinds = SegmentedControl(list(kinds), name=target.title)
        self.copy = Button(f"Copy {target.title.lower()}", icon="copy", height=30)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setAccessibleName(target.title)
        self.text.setLineWrapMode(
            QPlainTextEdit.LineWrapMode.WidgetWidth if target is TEXT else QPlainTextEdit.LineWrapMode.NoWrap
        )
        self.problem = Label("", 12, 400, "danger", shrink=True)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.kinds)
        top.addStretch(1)
        top.addWidget(self.copy)
        self.kinds.setVisible(len(kinds) > 1)
        self.copy.setVisible(target is not COMPILED)
        self.column.addLayout(top)
        self.column.addWidget(self.text, 1)
        self.column.addWidget(self.problem)
        self._row("Save as", self.path, self.browse)
        self.kinds.set_current(kinds[0][0])
        self.kinds.chosen.connect(self._on_kind)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))

    @property
    def kind(self) -> str:
        """The name of the export that is looked at."""
        return self.kinds.current or ""

    def begin(self, source: str) -> None:
        super().begin(source)
        face = font(12, mono=self.target is not TEXT)
        self.text.setFont(face)
        ground = colour("canvas" if theme().is_dark else "bar").name()
        self.text.setStyleSheet(
            f"QPlainTextEdit {{ background: {ground}; color: {colour('text').name()}; "
            f"border-radius: 6px; padding: 8px; font-family: '{face.family()}'; font-size: {face.pixelSize()}px; }}"
        )
        self._show()

    def show_chain(self, chain: FilterChain, rate_hz: float, n_channels: int) -> None:
        """Write another chain down, or the same at another rate."""
        self._chain, self._rate_hz, self._shape = chain, rate_hz, Shape(n_channels=max(1, n_channels))
        if self.isVisible():
            self._show()

    def show_text(self, outcome: CodeText) -> None:
        """Show what was asked for; what was overtaken is dropped."""
        if outcome.job == self._job:
            self.text.setPlainText(outcome.text)
            self.problem.setText(outcome.problem[:1].upper() + outcome.problem[1:])

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

    def _on_kind(self, kind: str) -> None:
        self._suffixes = (_SUFFIXES[kind],)
        self.kinds.set_current(kind)
        path = self.path.text().strip()
        if path:
            self.path.setText(str(Path(path).with_suffix(_SUFFIXES[kind])))
        self.changed.emit()
        self._show()


def code_pages(ask: Callable[[AnyExport], int]) -> list[CodePage]:
    """Return the pages that write a chain down."""
    return [CodePage(target, kinds, ask) for target, kinds in KINDS]
