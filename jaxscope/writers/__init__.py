"""Recordings to bytes, block by block: one file a format, a WRITERS table.

May import data and, at the point of use, format libraries. Must never know filters, engines or Qt.
"""
