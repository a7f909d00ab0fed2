"""The classical families equal SciPy's rows, for every band and order, and keep their digits where SciPy does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.iir import Bessel, Butterworth, Chebyshev1, Chebyshev2, Elliptic

BANDS = {"lowpass": 40.0, "highpass": 3.0, "bandpass": (1.0, 40.0), "bandstop": (49.0, 51.0)}
RATE_HZ = 1000.0


def _pairs(band, order, cutoff):
    keywords = {"btype": band, "fs": RATE_HZ, "output": "sos"}
    common = {"band": band, "order": order, "cutoff_hz": cutoff}
    yield Butterworth(**common), signal.butter(order, cutoff, **keywords)
    yield Chebyshev1(ripple_db=0.5, **common), signal.cheby1(order, 0.5, cutoff, **keywords)
    yield Chebyshev2(attenuation_db=40.0, **common), signal.cheby2(order, 40.0, cutoff, **keywords)
    yield (
        Elliptic(ripple_db=0.5, attenuation_db=40.0, **common),
        signal.ellip(order, 0.5, 40.0, cutoff, **keywords),
    )
    for norm in ("phase", "delay", "mag"):
        yield Bessel(norm=norm, **common), signal.bessel(order, cutoff, norm=norm, **keywords)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 8, 11, 20])
@pytest.mark.parametrize("band", BANDS)
def test_rows_equal_scipy(band, order):
    for spec, reference in _pairs(band, order, BANDS[band]):
        rows = spec.design(RATE_HZ).to_array()
        assert rows.shape == reference.shape, spec
        gain, reference_gain = rows[0, 0], reference[0, 0]
        assert gain == pytest.approx(reference_gain, rel=1e-10), spec
        rows[0, :3] /= gain
        reference[0, :3] /= reference_gain
        np.testing.assert_allclose(rows, reference, atol=1e-11, rtol=0, err_msg=str(spec))


@pytest.mark.parametrize("family", ["butterworth", "chebyshev1", "chebyshev2", "elliptic", "bessel"])
def test_order_limits(family):
    for order in (0, -1, 1000, 2.5, True, "4"):
        with pytest.raises(SpecError) as caught:
            FAMILIES[family](order=order)
        assert caught.value.field == "order"
    assert len(FAMILIES[family](order=25).design(RATE_HZ).rows) == 13


def test_high_orders_stay_stable_and_pass_their_band():
    sections = Butterworth(band="bandpass", order=24, cutoff_hz=(8.0, 13.0)).design(250.0)
    response = signal.freqz_sos(sections.to_array(), [10.2], fs=250.0)[1]
    assert abs(response[0]) == pytest.approx(1.0, abs=1e-9)


def test_order_is_scipys_so_a_band_has_twice_the_poles():
    assert len(Butterworth(band="bandpass", order=4, cutoff_hz=(1.0, 40.0)).design(500.0).rows) == 4
    assert len(Butterworth(band="lowpass", order=4).design(500.0).rows) == 2


@pytest.mark.parametrize(
    ("band", "cutoff_hz", "part"),
    [
        ("bandpass", 40.0, "two edges"),
        ("lowpass", (1.0, 40.0), "one edge"),
        ("bandpass", (40.0, 8.0), "must be above 40 Hz"),
        ("bandpass", (8.0, 8.0), "must be above 8 Hz"),
        ("bandpass", (1.0, 2.0, 3.0), "3 numbers"),
        ("lowpass", 0.0, "too small"),
        ("lowpass", -3.0, "too small"),
        ("lowpass", float("nan"), "nan"),
        ("lowpass", float("inf"), "inf"),
        ("lowpass", "40", "not a number"),
        ("lowpass", True, "not a number"),
        ("lowpass", None, "missing"),
        ("lowpass", 10**400, "inf"),
    ],
)
def test_wrong_edges_name_the_field(band, cutoff_hz, part):
    with pytest.raises(SpecError, match=part) as caught:
        Butterworth(band=band, cutoff_hz=cutoff_hz)
    assert caught.value.field == "cutoff_hz"
    assert caught.value.hint


def test_words_of_a_cutoff_above_half_the_rate():
    spec = Butterworth(cutoff_hz=266.0)
    with pytest.raises(SpecError) as caught:
        spec.check(512.0)
    assert caught.value.message == "266 Hz is above fs/2 = 256 Hz"
    assert caught.value.field == "cutoff_hz"
    with pytest.raises(SpecError, match="not below fs/2 = 266 Hz"):
        spec.design(532.0)
    assert spec.check(533.0) is None


def test_elliptic_needs_more_attenuation_than_ripple():
    with pytest.raises(SpecError) as caught:
        Elliptic(ripple_db=3.0, attenuation_db=2.0)
    assert caught.value.field == "attenuation_db"


def test_changing_the_band_keeps_what_makes_sense_of_the_edges():
    band = Butterworth(cutoff_hz=40.0).with_value("band", "bandpass")
    assert band.cutoff_hz == (20.0, 40.0)
    assert band.with_value("band", "highpass").cutoff_hz == 20.0
    assert band.with_value("band", "lowpass").cutoff_hz == 40.0
    assert band.with_value("band", "bandstop").cutoff_hz == (20.0, 40.0)
    with pytest.raises(SpecError) as caught:
        band.with_value("band", "sideways")
    assert caught.value.field == "band"


def test_integers_and_numpy_numbers_are_plain_floats():
    spec = Butterworth(band="bandpass", order=np.int64(2), cutoff_hz=np.array([1, 40]))
    assert spec == Butterworth(band="bandpass", order=2, cutoff_hz=(1.0, 40.0))
    assert type(spec.order) is int
    assert type(spec.cutoff_hz[0]) is float
    assert hash(spec) == hash(Butterworth(band="bandpass", order=2, cutoff_hz=(1.0, 40.0)))


def test_a_suspiciously_low_corner_is_warned_of():
    # a cutoff that was divided by the Nyquist frequency before it was entered
    assert Butterworth(band="bandpass", cutoff_hz=(0.000615, 0.0023)).warnings(130.0)
    assert Butterworth(band="bandpass", cutoff_hz=(0.04, 0.15)).warnings(130.0) == ()
