"""What a filter is, and how its coefficients are found (float64).

May import numpy and scipy (at the point of use). Must never know recordings, devices, jax or Qt.
"""

from jaxscope.filters.spec import AbstractFilterSpec, Family, FilterChain, Knob, Padding, Stage, knob
from jaxscope.registry import Registry

__all__ = ["FAMILIES", "AbstractFilterSpec", "Family", "FilterChain", "Knob", "Padding", "Stage", "knob"]

#: every family of filters (each a class of ``AbstractFilterSpec``), by its name in chain files
FAMILIES: Registry[Family] = Registry(
    "family",
    {
        "butterworth": "jaxscope.filters.iir:Butterworth",
        "chebyshev1": "jaxscope.filters.iir:Chebyshev1",
        "chebyshev2": "jaxscope.filters.iir:Chebyshev2",
        "elliptic": "jaxscope.filters.iir:Elliptic",
        "bessel": "jaxscope.filters.iir:Bessel",
        "notch": "jaxscope.filters.resonators:Notch",
        "peak": "jaxscope.filters.resonators:Peak",
        "comb": "jaxscope.filters.resonators:Comb",
        "low_shelf": "jaxscope.filters.resonators:LowShelf",
        "high_shelf": "jaxscope.filters.resonators:HighShelf",
        "allpass": "jaxscope.filters.resonators:AllPass",
        "weighting": "jaxscope.filters.weighting:Weighting",
        "fir_window": "jaxscope.filters.fir:FirWindow",
        "fir_equiripple": "jaxscope.filters.fir:FirEquiripple",
        "fir_least_squares": "jaxscope.filters.fir:FirLeastSquares",
        "raised_cosine": "jaxscope.filters.fir:RaisedCosine",
        "savitzky_golay": "jaxscope.filters.smoothing:SavitzkyGolay",
        "moving_average": "jaxscope.filters.smoothing:MovingAverage",
        "median": "jaxscope.filters.smoothing:Median",
        "gain": "jaxscope.filters.simple:Gain",
        "delay": "jaxscope.filters.simple:Delay",
        "sections": "jaxscope.filters.manual:SectionsSpec",
        "transfer_function": "jaxscope.filters.manual:TransferFunction",
        "zpk": "jaxscope.filters.manual:ZerosPolesGain",
        "taps": "jaxscope.filters.manual:TapsSpec",
    },
)
