"""Many samples to few points: envelopes, pyramids, ticks.

May import data and numpy. Must never know files, filters, time, Qt or jax.
"""
