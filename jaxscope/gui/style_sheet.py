"""The style sheet of the few widgets that Qt draws by itself: menus, tooltips, scroll bars, lists, plain dialogs.

Everything else paints itself from tokens. Invariant: only tokens, no colours written out.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

_SHEET = Template("""
QDialog, QMessageBox { background: $bar; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QMessageBox QLabel { font-size: ${body}px; }
QMessageBox QPushButton { background: $raised; color: $text; border: 1px solid $line2; border-radius: 6px;
  padding: 6px 14px; min-width: 64px; font-size: ${body}px; }
QMessageBox QPushButton:hover { background: $hover; }
QMessageBox QPushButton:focus { border: 2px solid $focus; padding: 5px 13px; }
QLineEdit[jaxscopeField] { background: transparent; border: none; padding: 0; color: $text;
  selection-background-color: $select; selection-color: $text; }
QLineEdit[jaxscopeField="wrong"] { color: $danger; }
QLineEdit[jaxscopeField]:disabled { color: $off; }
QToolTip { background: $raised; color: $text; border: 1px solid $line2; padding: 5px 8px; font-size: ${small}px; }
QMenu { background: $raised; border: 1px solid $line2; padding: 6px; font-size: ${body}px; }
QMenu::item { color: $text; padding: 6px 28px 6px 12px; border-radius: 5px; margin: 0px; }
QMenu::item:selected { background: $hover; }
QMenu::item:disabled { color: $off; }
QMenu::separator { height: 1px; background: $line; margin: 6px 4px; }
QMenu::icon { padding-left: 8px; }
QMenu::indicator { width: 14px; height: 14px; padding-left: 8px; }
QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: $line2; border-radius: 3px; margin: 2px; }
QScrollBar::handle:hover { background: $field; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QScrollArea, QAbstractScrollArea { border: none; }
QTableView, QListView { background: transparent; selection-background-color: transparent; selection-color: $text; }
QListView#selectPopup { background: $raised; border: 1px solid $line2; padding: 4px; }
""")


def style_sheet(table: Mapping[str, str], text_scale: float, *, is_dark: bool) -> str:
    """Return the sheet for one mode's tokens and one text scale."""
    sizes = {"body": round(13 * text_scale), "small": round(12 * text_scale)}
    # the selection is the border of buttons on dark, so that it does not shout, and the tint of the accent on light
    select = table["line2" if is_dark else "after_bg"]
    return _SHEET.substitute(table, **sizes, select=select)
