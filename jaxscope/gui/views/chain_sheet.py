"""Name and channels of a chain: all data channels, or names and patterns, with the channels they mean shown at once.

Patterns are those of the chain file: exact names first, then globs (``EEG*``). The sheet says which channels an earlier
chain has already. Nothing changes before Apply, which is one step of undo.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.data.kinds import kind_words
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import capitalised
from jaxscope.filters.channels import chain_for
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Sheet
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.rows import keep_width
from jaxscope.gui.components.segmented import SegmentedControl
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.views.base import Dispatch
from jaxscope.session.actions import SetChains
from jaxscope.session.state import CHAIN_TAGS, SessionState

_MOST_NAMED = 24
_MOST_GROUPS = 5
_LABEL = 76


class ChainSheet(Sheet):
    """The dialog of a chain's name and channels.

    Parameters
    ----------
    window : QWidget
        The main window.
    dispatch : callable
        Takes the actions of the user.
    """

    def __init__(self, window: QWidget, dispatch: Dispatch) -> None:
        super().__init__(window, title="Chain", width=640, height=390)
        self._dispatch = dispatch
        self._state = SessionState()
        self._info: RecordingInfo | None = None
        self._at = 0
        self.name = TextField("Name of the chain", width=None, height=30)
        self.scope = SegmentedControl([("all", "All data channels"), ("named", "Names and patterns")], name="Channels")
        self.patterns = TextField("Names and patterns", width=None, height=30)
        self.patterns.setPlaceholderText("EEG*, Fp1, O?")
        self.groups = QHBoxLayout()
        self.preview = Paragraph("", 12, "text2")
        self.apply = Button("Apply", "primary")
        self._lay_out()
        self.scope.chosen.connect(self._on_scope)
        self.patterns.textEdited.connect(self._show_preview)
        for field in (self.name, self.patterns):
            field.returnPressed.connect(self._on_apply)
            field.escaped.connect(self.close_floating)
        self.apply.clicked.connect(self._on_apply)

    def open_for(self, state: SessionState, info: RecordingInfo | None) -> None:
        """Show the active chain of a state."""
        self._state, self._info, self._at = state, info, state.viewport.active_chain
        chain = state.document.chains[self._at]
        self.title.setText(f"Chain {CHAIN_TAGS[self._at]}")
        self.name.setText(chain.name)
        self.scope.set_current("all" if chain.channels is None else "named")
        self.patterns.setText(", ".join(chain.channels or ()))
        self.patterns.setCursorPosition(0)  # a long list is read from its beginning
        self._show_groups()
        self._show_preview()
        self.open_sheet()
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        rows = QVBoxLayout()
        rows.setContentsMargins(20, 18, 20, 8)
        rows.setSpacing(10)
        for label, part in (("Name", self.name), ("For", self.scope), ("", self.patterns), ("", self.groups)):
            row = QHBoxLayout()
            row.setSpacing(8)
            words = Label(label, 13, 400, "text2")
            keep_width(words, _LABEL)
            row.addWidget(words)
            if isinstance(part, QHBoxLayout):
                row.addLayout(part)
                row.addStretch(1)
            else:
                row.addWidget(part, 0 if part is self.scope else 1)
                if part is self.scope:
                    row.addStretch(1)
            rows.addLayout(row)
        told = QHBoxLayout()
        told.setContentsMargins(_LABEL + 8, 0, 0, 0)
        told.addWidget(self.preview)
        rows.addLayout(told)
        rows.addStretch(1)
        self.groups.setSpacing(6)
        self.body.addLayout(rows)
        cancel = Button("Cancel", "quiet")
        cancel.clicked.connect(self.close_floating)
        self.footer.addStretch(1)
        self.footer.addWidget(cancel)
        self.footer.addWidget(self.apply)

    def _show_groups(self) -> None:
        """Offer the kinds of channels and the selection as groups: a click puts their names in."""
        while (item := self.groups.takeAt(0)) is not None:
            if item.widget() is not None:
                item.widget().deleteLater()
        channels = [part for part in self._info.channels if part.is_data] if self._info is not None else []
        counts = Counter(part.kind for part in channels).most_common(_MOST_GROUPS)
        groups = [
            (f"{capitalised(kind_words(kind))} {count}", tuple(p.name for p in channels if p.kind == kind))
            for kind, count in counts
        ]
        selected = self._state.viewport.selected_channels
        if selected:
            groups.append((f"Selected {len(selected)}", selected))
        for words, names in groups:
            button = Button(words, "quiet", height=26, padding=8)
            button.clicked.connect(lambda _=False, names=names: self._use(names))
            self.groups.addWidget(button)

    def _use(self, names: tuple[str, ...]) -> None:
        self.scope.set_current("named")
        self.patterns.setText(", ".join(names))
        self._show_preview()

    def _on_scope(self, key: str) -> None:
        self.scope.set_current(key)
        self._show_preview()

    def _chain(self) -> FilterChain:
        chain = self._state.document.chains[self._at]
        named = tuple(part.strip() for part in self.patterns.text().split(",") if part.strip())
        return replace(chain, name=self.name.text().strip(), channels=None if self.scope.current == "all" else named)

    def _chains(self) -> tuple[FilterChain, ...]:
        chains = self._state.document.chains
        return (*chains[: self._at], self._chain(), *chains[self._at + 1 :])

    def _show_preview(self, _text: str = "") -> None:
        self.patterns.setEnabled(self.scope.current == "named")
        if self._info is None:
            self.preview.setText("No recording is open; the names will be looked for in the next one.")
            return
        chains = self._chains()
        data = [part for part in self._info.channels if part.is_data]
        own = [part.name for part in data if chain_for(chains, part.name, is_data=True) == self._at]
        alone = [part.name for part in data if chain_for((chains[self._at],), part.name, is_data=True) == 0]
        shown = ", ".join(own[:_MOST_NAMED]) + (f" and {len(own) - _MOST_NAMED} more" if len(own) > _MOST_NAMED else "")
        words = f"{len(own)} of {len(data)} channels: {shown}." if own else "No channel of this recording."
        if len(alone) > len(own):
            words += f" {len(alone) - len(own)} more fit, but an earlier chain has them."
        self.preview.setText(words)

    def _on_apply(self) -> None:
        self.close_floating()
        self._dispatch(SetChains(chains=self._chains()))
