"""What is said about code in the export dialog: whether it gives the same numbers, and what it leaves out."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from jaxscope.compute.code_frames import CodeChecked, CodeText
from jaxscope.errors import counted
from jaxscope.filters.shapes import stage_title
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.labels import Paragraph
from jaxscope.gui.components.painting import LEFT, begin, draw_text, rounded
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.painting.lanes import shown_unit
from jaxscope.gui.theme import font, scaled, theme
from jaxscope.gui.views.devices_history import write_error

_WORDS = {
    "python": "Python",
    "jaxscope": "Python",
    "matlab": "Octave",
    "c": "A C compiler",
    "c_header": "A C compiler",
}
#: stages that are named; of more only the number is told
_MOST_NAMED = 3
#: exports that know nothing of missing samples, and those that do not carry Gustafsson's choice of states
_NO_GAPS = ("python", "matlab", "c", "c_header")
_NO_GUSTAFSSON = ("matlab", "c", "c_header")


def check_words(found: CodeChecked) -> tuple[str, str, str]:
    """Return (icon, token, sentence) of what running the code gave."""
    if found.problem:
        return "alert-triangle", "danger", f"The check could not be done: {found.problem.rstrip('.')}."
    if found.is_same is None:
        return "info-circle", "text3", f"Not checked here: {found.unchecked.rstrip('.')}."
    named = found.channels[0] if len(found.channels) == 1 else f"{len(found.channels)} channels"
    unit = f" {shown_unit(found.unit)}" if found.unit else ""
    if math.isfinite(found.difference):
        shown = f"largest difference {write_error(found.difference)} of {found.peak:.3g}{unit}"
    else:
        shown = "some of what it gives are no numbers"
    where = f"{found.seconds:.3g} s of {named}"
    if not found.is_same:
        return "alert-triangle", "danger", f"Not the numbers of the screen, run on {where}: {shown}."
    rounded = "" if found.precision == "float64" else f" ({found.precision} on the screen)"
    return "circle-check", "ok", f"Same numbers as the screen, run on {where}: {shown}{rounded}."


class CheckLine(QWidget):
    """An icon and a sentence: whether the code gives the numbers of the screen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon, self._token = "info-circle", "text3"
        self._words = Paragraph("", 12, "text2", parent=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_running("")

    def text(self) -> str:
        """Return the sentence."""
        return self._words.text()

    @property
    def token(self) -> str:
        """The colour of the icon."""
        return self._token

    def show_running(self, kind: str) -> None:
        """Say that an export is being run; of one that cannot be run nothing is said."""
        words = f"{_WORDS[kind]} is running it on this view…" if kind in _WORDS else ""
        self._show("info-circle", "text3", words)

    def show_found(self, found: CodeChecked) -> None:
        """Say what came of it."""
        self._show(*check_words(found))

    def sizeHint(self) -> QSize:
        return QSize(scaled(300), max(scaled(20), self._words.heightForWidth(max(100, self.width() - scaled(24)))))

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._words.setGeometry(scaled(24), scaled(1), self.width() - scaled(24), self.height())
        if self.height() != self.sizeHint().height():
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.text():
            with begin(self) as painter:
                side = scaled(16)
                draw_icon(painter, self._icon, QRectF(0, scaled(1), side, side), self._token)

    def _show(self, icon: str, token: str, words: str) -> None:
        self._icon, self._token = icon, token
        self._words.setText(words)
        self.setAccessibleName(words)
        self.updateGeometry()
        self.update()


class CommandLine(QWidget):
    """What a terminal would be told, in a frame with the button that copies it; a long line ends in an ellipsis."""

    _HIGH = 36

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line = ""
        self.copy = Button("Copy as command line", "quiet", icon="terminal-2", height=28)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._line))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 4, 0)
        row.addStretch(1)
        row.addWidget(self.copy)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """Return the whole line."""
        return self._line

    def set_text(self, line: str) -> None:
        """Show another line."""
        self._line = line
        self.setAccessibleName(line)
        self.setToolTip(line)
        self.copy.setEnabled(bool(line))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(300), scaled(self._HIGH))

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            rounded(painter, frame, 6, "canvas" if theme().is_dark else "bar", "line2")
            face, left, right = font(12, mono=True), scaled(14), self.copy.x() - scaled(8)
            draw_text(painter, QRectF(left, 0, scaled(12), self.height()), "$", face, "text3")
            room = QRectF(left + scaled(16), 0, right - left - scaled(16), self.height())
            draw_text(painter, room, self._line, face, "text", LEFT, Qt.TextElideMode.ElideRight)


class Footnote(Paragraph):
    """A sentence in the footer of a sheet: it wraps, and never makes the footer higher."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", 12, "text3", parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def hasHeightForWidth(self) -> bool:
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()


def left_out_words(chain: FilterChain, text: CodeText, at: int, n_chains: int, raw: tuple[str, ...] = ()) -> str:
    """Return what an export holds, and what of the chain and its recording it leaves out.

    Parameters
    ----------
    chain : FilterChain
    text : CodeText
        The export, with what its design counts.
    at, n_chains : int
        Which chain it is, of how many.
    raw : tuple of str
        Channels that no chain is for.
    """
    counts = [counted(len(chain.active_stages), "stage")]
    counts += [counted(count, word) for count, word in ((text.n_sections, "section"), (text.n_taps, "tap")) if count]
    said = [f"{chain.name or f'Chain {at + 1}'}: {', '.join(counts)}."]
    off = [stage_title(stage) for stage in chain.stages if not stage.enabled]
    if len(off) > _MOST_NAMED:
        said.append(f"{len(off)} stages are off and left out.")
    elif off:
        named = " and ".join(filter(None, (", ".join(off[:-1]), off[-1])))
        said.append(f"{named} {'is' if len(off) == 1 else 'are'} off and left out.")
    if n_chains > 1:
        rest = "The other chain is" if n_chains == 2 else f"The other {n_chains - 1} chains are"
        said.append(f"{rest} not in it.")
    if raw:
        said.append(f"{raw[0]} has no filter." if len(raw) == 1 else f"{len(raw)} channels have no filter.")
    if text.target in _NO_GUSTAFSSON and chain.phase == "zero" and chain.padding.kind == "gustafsson":
        said.append("Gustafsson's edges are left out: end values continue the signal.")
    if text.target in _NO_GAPS:
        said.append("Gaps and bad spans are left out.")
    return " ".join(said)
