"""Montages from files, to files, and kept under a name of one's own: the foot of the montage chooser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QWidget

from jaxscope.errors import JaxscopeError
from jaxscope.filters.montage import Montage
from jaxscope.filters.montage_file import save_montage
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.text_field import TextField
from jaxscope.session.own_montages import keep_montage

_READ = "Montages and matrices (*.json *.csv *.tsv *.txt);;All files (*)"


class MontageFoot(QWidget):
    """Import, export, keep.

    Parameters
    ----------
    montage : callable
        Returns the montage of now, None where there is none.
    """

    #: a file is to be shown (path)
    chosen = Signal(str)
    #: the montage was kept (name)
    kept = Signal(str)
    #: what went wrong; empty where all went well
    said = Signal(str)

    def __init__(self, montage: Callable[[], Montage | None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._montage = montage
        self.bring = Button("Import…", "quiet", height=28, padding=8)
        self.bring.setToolTip("A montage file, or a matrix in CSV: recorded channels in the first row, new ones below")
        self.take_out = Button("Export…", "quiet", height=28, padding=8)
        self.name = TextField("Name of the montage", width=180)
        self.name.setPlaceholderText("Name")
        self.keep = Button("Keep", "plain", height=28)
        self.keep.setToolTip("Keep it under this name, for other recordings")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.bring)
        row.addWidget(self.take_out)
        row.addStretch(1)
        row.addWidget(self.name)
        row.addWidget(self.keep)
        self.bring.clicked.connect(self._on_import)
        self.take_out.clicked.connect(self._on_export)
        self.keep.clicked.connect(self._on_keep)
        self.name.returnPressed.connect(self._on_keep)

    def show_montage(self, montage: Montage | None) -> None:
        """Show the name of a montage, and what can be done with it."""
        for part in (self.take_out, self.keep, self.name):
            part.setVisible(montage is not None)
        if montage is not None and not self.name.hasFocus():
            self.name.setText(montage.name or montage.title)

    def tried(self, do: Callable[[], object]) -> bool:
        """Do something that may be refused, say why it was, and return whether it was done."""
        try:
            do()
        except JaxscopeError as error:
            self.said.emit(error.sentence())
            return False
        self.said.emit("")
        return True

    def _on_import(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self.window(), "Import a montage", "", _READ)
        if path:
            self.chosen.emit(path)

    def _on_export(self) -> None:
        montage = self._montage()
        if montage is None:
            return
        proposal = f"{montage.title}.json"
        path, _ = QFileDialog.getSaveFileName(self.window(), "Export the montage", proposal, "Montages (*.json)")
        if path:
            self.tried(lambda: save_montage(montage, path if Path(path).suffix else f"{path}.json"))

    def _on_keep(self) -> None:
        montage, name = self._montage(), self.name.text().strip()
        if montage is not None and self.tried(lambda: keep_montage(name, montage)):
            self.kept.emit(name)
