"""What a recording is: channels, samples, seconds, events.

May import numpy. Must never know files, filters, Qt or jax.
"""
