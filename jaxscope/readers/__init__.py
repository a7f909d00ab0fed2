"""Bytes to recordings: one file a format, a READERS table, suffix first, then sniffing.

May import data and, at the point of use, format libraries. Must never know filters, engines or Qt.
"""
