"""What the window shows, one file a view.

A view gets state and frames, and dispatches actions. It must never know another view.
"""
