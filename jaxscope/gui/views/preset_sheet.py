"""A person's own presets: keep the active chain, use, rename, bring in, take out, remove.

Each row is one chain file of the configuration folder. Renaming acts on Enter; removing asks by turning its button into
the question. What cannot be done is said at the bottom, and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.errors import ChainError
from jaxscope.filters.shapes import stage_title
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.floating import Sheet
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.scrolling import scrolling
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.views.dock_menu import chain_line
from jaxscope.gui.views.pasting import ask_file, refusal
from jaxscope.session.own_presets import (
    OwnPreset,
    export_preset,
    import_preset,
    own_presets,
    remove_preset,
    rename_preset,
    save_preset,
)

_NONE = "No presets of your own yet. Name the chain as it is now and save it."


class PresetSheet(Sheet):
    """The dialog of own presets.

    Parameters
    ----------
    window : QWidget
        The main window.
    """

    #: a preset is to take the place of the active chain's stages
    chosen = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, title="Your presets", width=680, height=480)
        self._chain = FilterChain()
        self._rate_hz: float | None = None
        self.rows: list[PresetRow] = []
        self.name = TextField("Name of the new preset", width=260, height=30)
        self.name.setPlaceholderText("Name of this chain")
        self.save = Button("Save this chain", "primary")
        self.bring = Button("Import…", "quiet", padding=8)
        self.message = Label("", 12, 400, "danger", shrink=True)
        self._list = QVBoxLayout()
        self._lay_out()
        self.name.returnPressed.connect(self._on_save)
        self.name.escaped.connect(self.close_floating)
        self.save.clicked.connect(self._on_save)
        self.bring.clicked.connect(self._on_import)

    def open_for(self, chain: FilterChain | None, rate_hz: float | None) -> None:
        """Show the presets; ``chain`` is what may be kept."""
        self._chain, self._rate_hz = chain or FilterChain(), rate_hz
        can_save = chain is not None and bool(chain.stages)
        self.save.setEnabled(can_save)
        self.save.setToolTip("" if can_save else "The chain has no stages to keep")
        self.name.setText("" if chain is None else chain.name)
        self._say("")
        self._show()
        self.open_sheet()
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)
        self.name.selectAll()

    def _lay_out(self) -> None:
        holder = QWidget()
        self._list.setContentsMargins(20, 12, 20, 12)
        self._list.setSpacing(6)
        holder.setLayout(self._list)
        self.body.addWidget(scrolling(holder), 1)
        below = QHBoxLayout()
        below.setContentsMargins(20, 0, 20, 6)
        below.addWidget(self.message)
        self.body.addLayout(below)
        self.footer.setContentsMargins(20 - 8, 0, 16, 0)  # the words of the button begin at the margin
        self.footer.addWidget(self.bring)
        self.footer.addStretch(1)
        self.footer.addWidget(self.name)
        self.footer.addWidget(self.save)

    def _show(self) -> None:
        while (item := self._list.takeAt(0)) is not None:
            if item.widget() is not None:
                item.widget().hide()
                item.widget().deleteLater()
        presets, warnings = own_presets()
        self.rows = [PresetRow(preset, self) for preset in presets]
        for row in self.rows:
            row.used.connect(self._on_use)
            row.renamed.connect(self._on_rename)
            row.taken_out.connect(self._on_export)
            row.removed.connect(self._on_remove)
            self._list.addWidget(row)
        if not self.rows:
            self._list.addWidget(Label(_NONE, 13, 400, "text3"))
        self._list.addStretch(1)
        if warnings:
            self._say(warnings[0])

    def _try(self, act: Callable[[], object]) -> bool:
        try:
            act()
        except ChainError as error:
            self._say(refusal(error))
            return False
        self._say("")
        self._show()
        return True

    def _on_save(self) -> None:
        if self.save.isEnabled() and self._try(lambda: save_preset(self.name.text(), self._chain)):
            self.name.clear()

    def _on_use(self, preset: OwnPreset) -> None:
        self.close_floating()
        self.chosen.emit(preset)

    def _on_rename(self, preset: OwnPreset, name: str) -> None:
        self._try(lambda: rename_preset(preset, name))

    def _on_remove(self, preset: OwnPreset) -> None:
        self._try(lambda: remove_preset(preset))

    def _on_import(self) -> None:
        path = ask_file(self)
        if path:
            self._try(lambda: import_preset(path, rate_hz=self._rate_hz))

    def _on_export(self, preset: OwnPreset) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self.window(), "Export preset", str(Path.home() / preset.path.name), "Chain files (*.json)"
        )
        if path:
            self._try(lambda: export_preset(preset, path))

    def _say(self, sentence: str) -> None:
        self.message.setText(sentence)
        self.message.setToolTip(sentence)


class PresetRow(QWidget):
    """One preset: its name, what is in it, and what can be done with it."""

    used = Signal(object)
    renamed = Signal(object, str)
    taken_out = Signal(object)
    removed = Signal(object)

    def __init__(self, preset: OwnPreset, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.preset = preset
        self.name = TextField(f"Name of the preset {preset.name}", width=190, height=30)
        self.name.setText(preset.name)
        self.name.setToolTip("Type another name and press Enter")
        words = Label(", ".join(map(stage_title, preset.chain.stages)), 12, 400, "text3", shrink=True)
        words.setToolTip(chain_line(preset.chain))
        self.use = Button("Use", "plain", height=30)
        self.take_out = IconButton("file-export", f"Export {preset.name} as a chain file", size=30, icon_size=16)
        self.remove = Button("Remove", "quiet", height=30, padding=8)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.name)
        row.addWidget(words, 1)
        for part in (self.use, self.take_out, self.remove):
            row.addWidget(part)
        self.use.clicked.connect(partial(self.used.emit, preset))
        self.take_out.clicked.connect(partial(self.taken_out.emit, preset))
        self.name.returnPressed.connect(lambda: self.renamed.emit(preset, self.name.text()))
        self.name.escaped.connect(lambda: self.name.setText(preset.name))
        self.remove.clicked.connect(self._on_remove)

    def _on_remove(self) -> None:
        """Ask by the button itself: the second click removes."""
        if self.remove.text() == "Remove":
            self.remove.setText("Really remove")
            self.remove.updateGeometry()
            return
        self.removed.emit(self.preset)
