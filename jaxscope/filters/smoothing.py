"""Smoothers: moving average, Savitzky-Golay and running median. Lengths are in samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import RunningMedian, Taps
from jaxscope.filters.spec import AbstractFilterSpec, knob

MAX_WINDOW = 100_001


def _check_odd(window: int) -> None:
    if window % 2 == 0:
        raise SpecError(
            "window", f"a window of {window} samples has no middle", hint=f"choose {max(window - 1, 1)} or {window + 1}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingAverage(AbstractFilterSpec):
    """The mean of the last ``window`` samples."""

    family: ClassVar[str] = "moving_average"
    title: ClassVar[str] = "Moving average"
    summary: ClassVar[str] = "The mean of the last samples"

    window: int = knob(5, low=1, high=MAX_WINDOW, step=1, unit="samples", reach=(1, 501))

    def design(self, rate_hz: float) -> Taps:
        return Taps((1.0 / self.window,) * self.window)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavitzkyGolay(AbstractFilterSpec):
    """A polynomial fitted to the samples around by least squares (``scipy.signal.savgol_coeffs``).

    In zero phase it runs once, centred. The fit is done in an orthonormal basis (QR of the powers of a span scaled to
    -1 … 1), which keeps its digits where the normal equations lose them. Savitzky and Golay 1964.
    """

    family: ClassVar[str] = "savitzky_golay"
    title: ClassVar[str] = "Savitzky–Golay"
    summary: ClassVar[str] = "A polynomial fitted to the samples around: keeps peaks"

    window: int = knob(11, low=1, high=MAX_WINDOW, step=2, unit="samples", reach=(3, 301))
    polynomial: int = knob(3, low=0, high=20, step=1, label="Degree", reach=(0, 8))

    def validate(self) -> None:
        _check_odd(self.window)
        if self.polynomial >= self.window:
            raise SpecError(
                "polynomial",
                f"degree {self.polynomial} needs more than {self.window} samples",
                hint=f"choose a degree below {self.window}",
            )

    def design(self, rate_hz: float) -> Taps:
        half = self.window // 2
        places = np.arange(-half, half + 1) / max(half, 1)
        basis, _ = np.linalg.qr(np.vander(places, self.polynomial + 1, increasing=True))
        taps = basis @ basis[half]
        taps = (taps + taps[::-1]) / 2
        return Taps(tuple(taps.tolist()), runs_once=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Median(AbstractFilterSpec):
    """The median of the last ``window`` samples; in zero phase of those around, once."""

    family: ClassVar[str] = "median"
    title: ClassVar[str] = "Median"
    summary: ClassVar[str] = "Takes out single spikes, keeps edges"

    window: int = knob(5, low=1, high=9_999, step=2, unit="samples", reach=(1, 101))

    def validate(self) -> None:
        _check_odd(self.window)

    def design(self, rate_hz: float) -> RunningMedian:
        return RunningMedian(self.window)
