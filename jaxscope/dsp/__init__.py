"""Samples times coefficients in pure jax: jit-, vmap- and grad-able, with SciPy-shaped signatures.

May import jax and numpy. Must never know recordings, state, files, Qt or scipy.
"""
