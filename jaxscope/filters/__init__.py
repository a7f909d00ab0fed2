"""What a filter is, and how its coefficients are found (float64).

May import numpy and scipy (at the point of use). Must never know recordings, devices, jax or Qt.
"""
