"""Frequency response and group delay, differentiable with respect to the coefficients."""

from __future__ import annotations

import math
import warnings
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxscope.dsp.sections import normalised_sections
from jaxscope.dsp.shapes import ArrayLike, common_dtype, is_traced, real_dtype


def _frequencies(count: int | ArrayLike | None, whole: bool, fs: float, dtype: Any) -> tuple[Array, Array]:  # noqa: FBT001
    """Return frequencies in units of ``fs`` and exp(−jω) for them."""
    if fs is None:
        raise ValueError("Sampling rate fs must not be none; give a number in Hz")
    if np.ndim(fs) != 0:
        raise ValueError(f"Sampling rate fs has shape {np.shape(fs)}; give a single scalar")
    wanted: Any = 512 if count is None else count
    if np.ndim(wanted) == 0 and jnp.issubdtype(jnp.asarray(wanted).dtype, jnp.integer):
        end = fs if whole else fs / 2
        w = jnp.linspace(0.0, end, int(wanted), endpoint=False, dtype=dtype)
    else:
        w = jnp.atleast_1d(jnp.real(jnp.asarray(wanted)).astype(dtype))
    angle = w * jnp.asarray(2 * math.pi / fs, dtype=dtype)
    return w, jnp.exp(-1j * angle.astype(np.result_type(dtype, np.complex64)))


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

    Raises
    ------
    ValueError
        There are no sections, or ``fs`` is not one number.
    """
    dtype = real_dtype(common_dtype(sos))
    rows = normalised_sections(sos, dtype if common_dtype(sos).kind == "f" else common_dtype(sos))
    if rows.shape[0] == 0:
        raise ValueError("there are no sections; give at least one")
    w, z = _frequencies(worN, whole, fs, dtype)
    z2 = z * z
    h = jnp.ones_like(z)
    for k in range(rows.shape[0]):
        b0, b1, b2, a1, a2 = (rows[k, column].astype(z.dtype) for column in (0, 1, 2, 4, 5))
        h = h * (b0 + b1 * z + b2 * z2) / (1 + a1 * z + a2 * z2)
    return w, h


sosfreqz = freqz_sos


def group_delay(
    system: tuple[ArrayLike, ArrayLike],
    w: int | ArrayLike | None = 512,
    whole: bool = False,  # noqa: FBT001, FBT002  SciPy's place
    fs: float = 2 * math.pi,
) -> tuple[Array, Array]:
    """Return the group delay of a transfer function.

    Parameters
    ----------
    system : (b, a)
        Numerator and denominator, (n_b,) and (n_a,).
    w, whole, fs
        As ``worN``, ``whole`` and ``fs`` of ``freqz_sos``.

    Returns
    -------
    w : (n,)
        Frequencies in units of ``fs``.
    gd : (n,)
        In samples; 0 where it has no value (a zero on the unit circle), of which a warning tells, but not under jit.
    """
    given = common_dtype(*system)
    dtype = real_dtype(given)
    b, a = (jnp.atleast_1d(jnp.asarray(values, dtype=given)) for values in system)
    w, z = _frequencies(w, whole, fs, dtype)
    c = jnp.sum(
        jnp.stack([jnp.pad(b * value, (k, a.shape[0] - 1 - k)) for k, value in enumerate(jnp.conj(a[::-1]))]), axis=0
    ).astype(z.dtype)
    number = jnp.arange(c.shape[0]).astype(z.dtype)
    above, below = jnp.polyval((c * number)[::-1], z), jnp.polyval(c[::-1], z)
    # where the quotient has no value, neither has its slope: both are cut off before the division
    has_value = jnp.abs(below) > 0
    quotient = above / jnp.where(has_value, below, jnp.ones_like(below))
    delay = jnp.real(quotient) - (a.shape[0] - 1)
    _tell_singular(w, below)
    return w, jnp.where(has_value, delay, jnp.zeros_like(delay))


def _tell_singular(w: Array, below: Array) -> None:
    """Warn of frequencies where there is next to no response, if the numbers can be looked at."""
    if is_traced(below) or is_traced(w):
        return
    near = np.asarray(w)[np.abs(np.asarray(below)) < 10 * np.finfo(np.float64).eps]
    if len(near):
        places = ", ".join(f"{value:.3f}" for value in near)
        warnings.warn(f"The group delay is uncertain or set to 0 at frequencies [{places}]", stacklevel=3)
