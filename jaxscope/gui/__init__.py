"""The window.

May import session, compute, filters, data, display. Must never know readers, engines, dsp, jax or scipy.
"""
