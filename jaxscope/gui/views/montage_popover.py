"""Which channels are looked at: those that were recorded, or ones made of them. The traces beside it are the preview.

Whatever can be made is shown at once and is one step of undo; what cannot be is said at its field, and the traces stay
as they were. The table tells what each channel is made of, and is typed in where the montage is one of formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.compute.frames import Opened
from jaxscope.compute.montaged import as_formulas, chains_with, what_is_made
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import JaxscopeError, SpecError, capitalised, counted
from jaxscope.filters.montage import Montage
from jaxscope.filters.montage_file import load_montage
from jaxscope.filters.montage_formula import quoted
from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.floating import Popover
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.rows import keep_width
from jaxscope.gui.components.select import Select
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.theme import scaled, theme
from jaxscope.gui.views.base import AbstractView, Dispatch
from jaxscope.gui.views.montage_foot import MontageFoot
from jaxscope.gui.views.montage_kinds import FIELDS, FORMULAS, KINDS, NEIGHBOURS, OTHERS, begun, key_of
from jaxscope.gui.views.montage_table import ROW, MontageTable
from jaxscope.session.actions import SetMontage
from jaxscope.session.own_montages import OwnMontage, own_montages, remove_montage
from jaxscope.session.state import SessionState

WIDTH = 560
_ROWS = 9
_LABEL = 104


class MontagePopover(Popover, AbstractView):
    """The montage chooser.

    Parameters
    ----------
    window : QWidget
        The main window.
    dispatch : callable
        Takes actions.
    state : callable
        Returns the state of now.
    recorded : callable
        Returns the info of the recording as it is, None where nothing is open.
    """

    def __init__(
        self,
        window: QWidget,
        dispatch: Dispatch,
        state: Callable[[], SessionState],
        recorded: Callable[[], RecordingInfo | None],
    ) -> None:
        super().__init__(window, name="Montage", width=WIDTH)
        self._dispatch, self._state, self._recorded = dispatch, state, recorded
        self._own: dict[str, OwnMontage] = {}
        #: what is chosen but cannot be shown yet, such as a reference that is not named
        self._pending: Montage | None = None
        self.kind = Select("Montage", KINDS)
        self.forget = IconButton("trash", "Remove this montage of yours", size=28, icon_size=15)
        self.fields = {
            "reference": TextField("Reference channels"),
            "channels": TextField("Channels that take part"),
            "excluded": TextField("Channels that are not counted"),
        }
        self.neighbours = Select("Neighbours", NEIGHBOURS, width=160)
        self.others = Select("Also shown", OTHERS, width=220)
        self.table = MontageTable()
        self.problem = Paragraph("", 11, "danger")
        self.summary = Label("", 11, 400, "text3", shrink=True)
        self.add = Button("Add channel", "plain", icon="plus", height=28)
        self.edit_all = Button("Edit as formulas", "plain", icon="pencil", height=28)
        self.foot = MontageFoot(lambda: self._montage)
        self._rows: dict[str, QWidget] = {}
        self._lay_out()
        self._connect()
        self._measure()
        theme().changed.connect(self._measure)

    # --- what it is about

    @property
    def _montage(self) -> Montage | None:
        return self._pending or self._state().document.montage

    def open_under(self, anchor: QWidget, *, gap: int = 2, above: bool = False) -> None:
        """Show it under a widget, at the choice of the kind."""
        self._pending = None
        self._say("")
        self._refresh()
        super().open_under(anchor, gap=gap, above=above)
        self.kind.setFocus(Qt.FocusReason.PopupFocusReason)

    def close_floating(self) -> None:
        self._pending = None
        super().close_floating()

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Follow undo and whatever else changes the montage meanwhile."""
        if self.isVisible() and state.document.montage != previous.document.montage:
            self._refresh()

    def show_frame(self, outcome: object) -> None:
        """Take another recording."""
        if isinstance(outcome, Opened) and self.isVisible():
            self._refresh()

    # --- building

    def _lay_out(self) -> None:
        inner = QVBoxLayout()
        inner.setContentsMargins(16, 14, 16, 14)
        inner.setSpacing(8)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._caption("Montage", is_head=True))
        head.addWidget(self.kind, 1)
        head.addWidget(self.forget)
        inner.addLayout(head)
        for key, words, part in (
            ("reference", "Reference", self.fields["reference"]),
            ("channels", "Channels", self.fields["channels"]),
            ("excluded", "Not counted", self.fields["excluded"]),
            ("neighbours", "Neighbours", self.neighbours),
            ("others", "Also shown", self.others),
        ):
            inner.addWidget(self._row(key, words, part))
        inner.addWidget(self.table)
        inner.addWidget(self.problem)
        below = QHBoxLayout()
        below.setSpacing(8)
        for button in (self.add, self.edit_all):
            below.addWidget(button)
        below.addWidget(self.summary, 1)
        inner.addLayout(below)
        inner.addWidget(self.foot)
        self.body.addLayout(inner)

    def _caption(self, words: str, *, is_head: bool = False) -> Label:
        label = Label(words, 13, 600, "text") if is_head else Label(words, 12, 400, "text2")
        keep_width(label, _LABEL)
        return label

    def _row(self, key: str, words: str, part: QWidget) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(self._caption(words))
        line.addWidget(part)
        if isinstance(part, Select):
            line.addStretch(1)
        self._rows[key] = row
        return row

    def _measure(self) -> None:
        self.table.setFixedHeight(_ROWS * scaled(ROW) + 2)

    def _connect(self) -> None:
        self.kind.chosen.connect(self._on_kind)
        self.forget.clicked.connect(self._on_forget)
        for name, field in self.fields.items():
            field.editingFinished.connect(lambda name=name: self._on_names(name))
            field.escaped.connect(self.close_floating)
        self.fields["channels"].setPlaceholderText("All EEG channels; or names and patterns: C*, Fz")
        self.fields["excluded"].setPlaceholderText("Bad channels, such as T3")
        self.fields["reference"].setPlaceholderText("One channel or several: A1, A2")
        self.neighbours.chosen.connect(lambda key: self._change(neighbours=int(key)))
        self.others.chosen.connect(lambda key: self._change(others=key))
        self.table.changed.connect(self._on_cell)
        self.table.given_up.connect(self._on_cell_given_up)
        self.table.closed.connect(self._on_cell_closed)
        self.table.removed.connect(self._on_row_removed)
        self.table.refused.connect(
            lambda: self._say("These channels follow from the montage. Edit them as formulas to change one")
        )
        self.add.clicked.connect(self._on_add)
        self.edit_all.clicked.connect(self._on_edit_all)
        self.foot.chosen.connect(self.import_file)
        self.foot.kept.connect(lambda name: self._change(name=name))
        self.foot.said.connect(self._say)
        self.foot.name.escaped.connect(self.close_floating)
        for select in (self.kind, self.neighbours, self.others):
            select.escaped.connect(self.close_floating)

    # --- showing

    def _refresh(self) -> None:
        """Show what is chosen, and what is made of it."""
        if self.table.edited_cell is not None:
            return  # whoever types sees the letters, and the traces
        montage, info = self._montage, self._recorded()
        own, warnings = own_montages()
        self._own = {f"own:{one.path}": one for one in own}
        choices = [*KINDS, *((key, one.montage.name) for key, one in self._own.items())]
        self.kind.set_choices(choices)
        key = self._key_of(montage)
        self.kind.set_current(key)
        self.forget.setVisible(key in self._own)
        has = () if montage is None else FIELDS[montage.kind]
        for name, row in self._rows.items():
            row.setVisible(name in has)
        if montage is not None:
            self._show_fields(montage)
        self._show_made(montage, info)
        if warnings:
            self._say(warnings[0])
        self.body.invalidate()
        self._place()

    def _show_fields(self, montage: Montage) -> None:
        for name, field in self.fields.items():
            if not field.is_wrong and not field.hasFocus():
                field.setText(", ".join(getattr(montage, name) or ()))
        near = str(montage.neighbours)
        if near not in dict(NEIGHBOURS):
            self.neighbours.set_choices([*NEIGHBOURS, (near, f"{near} nearest")])
        self.neighbours.set_current(near)
        self.others.set_current(montage.others)

    def _show_made(self, montage: Montage | None, info: RecordingInfo | None) -> None:
        is_formulas = montage is not None and montage.kind == "formulas"
        rows: tuple[tuple[str, str], ...] = ()
        if montage is not None and is_formulas:
            rows = montage.rows
        elif montage is not None and info is not None and self._pending is None:
            try:
                rows = what_is_made(info, montage)
            except SpecError as error:
                self._complain(error)
        self.table.cells.show_rows(rows, is_editable=is_formulas)
        self.table.setVisible(bool(rows))
        self.add.setVisible(is_formulas)
        is_shown = montage is not None and self._pending is None
        self.edit_all.setVisible(is_shown and not is_formulas)
        self.foot.show_montage(montage if is_shown else None)
        total = 0 if info is None else sum(one.is_drawable for one in info.channels)
        made = f"{counted(len(rows), 'channel')} made of {total} recorded" if rows else ""
        self.summary.setText(made if montage is not None else f"{counted(total, 'channel')}, as in the file")

    def _key_of(self, montage: Montage | None) -> str:
        return next((key for key, own in self._own.items() if own.montage == montage), key_of(montage))

    # --- what a person does

    def _on_kind(self, key: str) -> None:
        self._say("")
        before, self._pending = self._montage, None
        if key in self._own:
            self._apply(self._own[key].montage)
        elif key == FORMULAS and before is not None:
            self._on_edit_all()
        else:
            others = "unused" if before is None or before.kind == FORMULAS else before.others
            montage = begun(key, others, self._recorded())
            if montage is None and key == FORMULAS:
                self._say("There is no signal to write a formula of")
                return
            self._apply(montage)
        if key == "reference":
            self.fields["reference"].setFocus(Qt.FocusReason.OtherFocusReason)
            self.fields["reference"].selectAll()

    def _on_edit_all(self) -> None:
        montage, info = self._montage, self._recorded()
        if montage is None or info is None or montage.kind == "formulas":
            return
        try:
            self._apply(as_formulas(info, montage))
        except SpecError as error:
            self._complain(error)

    def _on_names(self, name: str) -> None:
        montage = self._montage
        if montage is None or not self._rows[name].isVisible():
            return
        names = tuple(part.strip() for part in self.fields[name].text().split(",") if part.strip())
        value = None if name == "channels" and not names else names
        if getattr(montage, name) != value or self.fields[name].is_wrong:
            self._change(None, **{name: value})

    def _change(self, merge_key: str | None = None, **values: Any) -> None:
        montage = self._montage
        if montage is None:
            return
        try:
            changed = replace(montage, **values)
        except SpecError as error:
            self._complain(error)
            return
        self._apply(changed, merge_key)

    def _apply(self, montage: Montage | None, merge_key: str | None = None) -> None:
        """Show a montage where it can be made, else say why not and leave the traces as they are."""
        info, document = self._recorded(), self._state().document
        try:
            chains = document.chains if info is None else chains_with(document.chains, info, montage)
        except SpecError as error:
            self._pending = montage
            self._refresh()
            self._complain(error)
            return
        self._pending = None
        self._say("")
        self._dispatch(SetMontage(montage=montage, chains=chains, merge_key=merge_key))
        self._refresh()

    # --- the table

    def _on_cell(self, row: int, column: int, text: str, merge_key: str) -> None:
        montage = self._montage
        if montage is None or row >= len(montage.rows):
            return
        pair = list(montage.rows[row])
        pair[column] = text
        self._change(merge_key, rows=(*montage.rows[:row], tuple(pair), *montage.rows[row + 1 :]))

    def _on_cell_given_up(self, merge_key: str) -> None:
        before = self.table.give_back()
        if before is not None:
            self._on_cell(before[0], before[1], before[2], merge_key)
        self._pending = None
        self._say("")

    def _on_cell_closed(self) -> None:
        """Show again what is made: a text that could not be is gone with its editor."""
        self._pending = None
        self._say("")
        self._refresh()

    def _on_row_removed(self, row: int) -> None:
        montage = self._montage
        if montage is not None and len(montage.rows) > 1:
            self._change(rows=(*montage.rows[:row], *montage.rows[row + 1 :]))
            self.table.setCurrentIndex(self.table.cells.index(min(row, len(montage.rows) - 2), 0))
        elif montage is not None:
            self._apply(None)

    def _on_add(self) -> None:
        montage, info = self._montage, self._recorded()
        if montage is None or info is None:
            return
        taken = {name for name, _ in montage.rows} | {one.name for one in info.channels}
        name = next(f"New {number}" for number in range(1, len(taken) + 2) if f"New {number}" not in taken)
        first = next((one.name for one in info.channels if one.is_data), "")
        self._change(rows=(*montage.rows, (name, quoted(first))))
        if not self.problem.isVisible():
            self.table.edit_cell(len(montage.rows), 1)

    # --- files

    def import_file(self, path: str) -> None:
        """Show the montage of a file, or of a matrix."""
        try:
            montage = load_montage(path)
        except JaxscopeError as error:
            self._say(error.sentence())
            return
        self._apply(montage)

    def _on_forget(self) -> None:
        own = self._own.get(self.kind.current or "")
        if own is not None and self.foot.tried(lambda: remove_montage(own)):
            self._refresh()

    # --- what is wrong

    def _complain(self, error: SpecError) -> None:
        """Say what is wrong, at its field where it has one."""
        hint = f": {error.hint}" if error.hint else ""
        self._say(f"{capitalised(error.message)}{hint}")
        name, _, rest = (error.field or "").partition(".")
        if name in self.fields:
            self.fields[name].set_wrong(wrong=True)
        if name == "rows" and self.table.edited_cell is not None:
            self.table.mark(wrong=True)
        elif name == "rows" and rest:
            row, _, column = rest.partition(".")
            self.table.setCurrentIndex(self.table.cells.index(int(row), int(column == "formula")))

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        if not problem:
            for field in self.fields.values():
                field.set_wrong(wrong=False)
            self.table.mark(wrong=False)
        self.body.invalidate()
        self._place()
