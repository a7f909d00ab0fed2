"""Choices times data to frames: plans, rendering, threads, batches.

May import every room but gui and cli (engines inside functions). Must never know Qt.
"""
