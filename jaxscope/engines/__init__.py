"""A chain, a method, a device: a program.

May import dsp, filters, numpy, jax and scipy (the oracle). Must never know recordings, files, state or Qt.
"""
