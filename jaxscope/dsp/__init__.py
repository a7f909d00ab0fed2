"""Samples times coefficients in pure jax: jit-, vmap- and grad-able, with SciPy-shaped signatures.

May import jax and numpy. Must never know recordings, state, files, Qt or scipy.
Importing it switches float64 on in jax.
"""

from __future__ import annotations

import jax

jax.config.update("jax_enable_x64", True)  # noqa: FBT003  before the first array; float64 must never become float32

from jaxscope.dsp.response import freqz_sos, group_delay, sosfreqz  # noqa: E402
from jaxscope.dsp.sections import sosfilt, sosfilt_zi, sosfiltfilt  # noqa: E402
from jaxscope.dsp.smoothing import savgol  # noqa: E402
from jaxscope.dsp.spectra import hilbert, welch  # noqa: E402
from jaxscope.dsp.transfer import filtfilt, fir, lfilter, lfilter_zi  # noqa: E402

__all__ = [
    "filtfilt",
    "fir",
    "freqz_sos",
    "group_delay",
    "hilbert",
    "lfilter",
    "lfilter_zi",
    "savgol",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "sosfreqz",
    "welch",
]
