"""Frames to pictures, off the GUI thread.

May import data, display, compute.frames, session.state and QtGui's QImage and QPainter. Must never know widgets.
"""
