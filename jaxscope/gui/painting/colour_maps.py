"""Colours for pictures of power: even steps of lightness, so that equal steps in dB look equal to every kind of sight.

Made in OKLab (Ottosson 2020): lightness rises in a straight line while the hue goes from violet over blue and green
to yellow, so the order can be told without any hue. A difference goes from a neutral middle to the colour of what was
taken away on one side and to amber on the other. Colour 0 is what is not known, and transparent.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from jaxscope.gui.theme import colour

FloatArray = npt.NDArray[np.float64]
#: Lightness, hue in degrees and chroma at the ends and between, at even places from low to high.
_LIGHT = (0.22, 0.96)
_HUES = (300.0, 275.0, 245.0, 200.0, 165.0, 140.0, 105.0)
_CHROMAS = (0.085, 0.13, 0.11, 0.085, 0.11, 0.15, 0.15)
_TO_LMS = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_TO_RGB = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


def rgb_of(lab: FloatArray) -> FloatArray:
    """Return sRGB (n, 3) from 0 to 1 of OKLab colours; less colourful where sRGB has no such colour."""
    for shrink in np.linspace(1.0, 0.0, 41):
        shrunk = lab * np.array([1.0, shrink, shrink])
        linear = (shrunk @ _TO_LMS.T) ** 3 @ _TO_RGB.T
        outside = ((linear < -1e-6) | (linear > 1 + 1e-6)).any(axis=1)
        if not outside.any():
            break
        lab = np.where(outside[:, None], lab * np.array([1.0, 0.975, 0.975]), lab)
    linear = np.clip((lab @ _TO_LMS.T) ** 3 @ _TO_RGB.T, 0, 1)
    return np.asarray(np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055))


def lab_of(shade: QColor) -> FloatArray:
    """Return a colour in OKLab, (3,)."""
    srgb = np.array([shade.redF(), shade.greenF(), shade.blueF()])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.linalg.solve(_TO_LMS, np.cbrt(np.linalg.solve(_TO_RGB, linear))))


def _table(rgb: FloatArray) -> tuple[int, ...]:
    """Return 256 colours as Qt wants them; the first is transparent."""
    values = np.round(rgb * 255).astype(np.int64)
    packed = (255 << 24) | (values[:, 0] << 16) | (values[:, 1] << 8) | values[:, 2]
    return (0, *(int(value) for value in packed))


@lru_cache(maxsize=1)
def power_colours() -> tuple[int, ...]:
    """Return the colours of powers: 0 transparent, then from the lowest to the highest."""
    share = np.linspace(0, 1, 255)
    places = np.linspace(0, 1, len(_HUES))
    hue, chroma = np.deg2rad(np.interp(share, places, _HUES)), np.interp(share, places, _CHROMAS)
    light = _LIGHT[0] + share * (_LIGHT[1] - _LIGHT[0])
    return _table(rgb_of(np.stack([light, chroma * np.cos(hue), chroma * np.sin(hue)], axis=1)))


def difference_colours() -> tuple[int, ...]:
    """Return the colours of a difference, in the theme of now: taken away, nothing (in the middle), added."""
    return _difference(colour("diff").rgb(), colour("raised").rgb(), colour("warn").rgb())


@lru_cache(maxsize=4)
def _difference(less: int, nothing: int, more: int) -> tuple[int, ...]:
    ends = [lab_of(QColor.fromRgb(shade)) for shade in (less, nothing, more)]
    share = np.linspace(-1, 1, 255)[:, None]
    lab = np.where(share < 0, ends[1] + (ends[0] - ends[1]) * -share, ends[1] + (ends[2] - ends[1]) * share)
    return _table(rgb_of(lab))
