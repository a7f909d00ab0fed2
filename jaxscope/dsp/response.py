"""The frequency response of sections, differentiable with respect to them."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxscope.dsp.sections import normalised_sections
from jaxscope.dsp.shapes import ArrayLike, common_dtype, real_dtype


def freqz_sos(
    sos: ArrayLike,
    worN: int | ArrayLike | None = 512,
    whole: bool = False,  # noqa: FBT001, FBT002  SciPy's place
    fs: float = 2 * math.pi,
) -> tuple[Array, Array]:
    """Return the frequency response of a cascade.

    Parameters
    ----------
    sos : (n_sections, 6)
    worN : int or array of frequencies
        How many frequencies from 0 to half the rate (``whole``: to the rate), or the frequencies, in units of ``fs``.
    whole : bool
    fs : float
        Sampling rate in Hz; the default makes frequencies radians per sample.

    Returns
    -------
    w : (n,)
        Frequencies in units of ``fs``.
    h : (n,) complex
    """
    dtype = real_dtype(common_dtype(sos))
    rows = normalised_sections(sos, dtype)
    count: Any = 512 if worN is None else worN
    if np.ndim(count) == 0 and not jnp.issubdtype(jnp.asarray(count).dtype, jnp.floating):
        end = fs if whole else fs / 2
        w = jnp.linspace(0.0, end, int(count), endpoint=False, dtype=dtype)
    else:
        w = jnp.atleast_1d(jnp.asarray(count, dtype=dtype))
    angle = w * jnp.asarray(2 * math.pi / fs, dtype=dtype)
    z = jnp.exp(-1j * angle.astype(np.result_type(dtype, np.complex64)))
    z2 = z * z
    h = jnp.ones_like(z)
    for k in range(rows.shape[0]):
        b0, b1, b2, a1, a2 = (rows[k, column].astype(z.dtype) for column in (0, 1, 2, 4, 5))
        h = h * (b0 + b1 * z + b2 * z2) / (1 + a1 * z + a2 * z2)
    return w, h


sosfreqz = freqz_sos
