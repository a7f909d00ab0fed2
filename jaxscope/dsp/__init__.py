"""Samples times coefficients in pure jax: jit-, vmap- and grad-able, with SciPy-shaped signatures.

May import jax and numpy. Must never know recordings, state, files, Qt or scipy.
Importing it switches float64 on in jax.
"""

from __future__ import annotations

import jax

jax.config.update("jax_enable_x64", True)  # noqa: FBT003  before the first array; float64 must never become float32

from jaxscope.dsp.cross_spectra import coherence, csd  # noqa: E402
from jaxscope.dsp.histogram import clipped_share, histogram, moments  # noqa: E402
from jaxscope.dsp.morlet import banded_power, morlet_bands, morlet_wavelets, wavelet_transform  # noqa: E402
from jaxscope.dsp.multitaper import multitaper  # noqa: E402
from jaxscope.dsp.response import freqz_sos, group_delay, sosfreqz  # noqa: E402
from jaxscope.dsp.sections import sosfilt, sosfilt_zi, sosfiltfilt  # noqa: E402
from jaxscope.dsp.smoothing import savgol  # noqa: E402
from jaxscope.dsp.spectra import hilbert, welch  # noqa: E402
from jaxscope.dsp.spectrogram import spectrogram  # noqa: E402
from jaxscope.dsp.transfer import filtfilt, fir, lfilter, lfilter_zi  # noqa: E402

__all__ = [
    "banded_power",
    "clipped_share",
    "coherence",
    "csd",
    "filtfilt",
    "fir",
    "freqz_sos",
    "group_delay",
    "hilbert",
    "histogram",
    "lfilter",
    "lfilter_zi",
    "moments",
    "morlet_bands",
    "morlet_wavelets",
    "multitaper",
    "savgol",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "sosfreqz",
    "spectrogram",
    "wavelet_transform",
    "welch",
]
