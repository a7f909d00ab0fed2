"""What the user has chosen: one immutable value, the actions that change it, undo, project files.

May import filters, data.span, data.annotations. Must never know engines, readers, threads, arrays or Qt.
"""
