"""Filters given as numbers: b / a equals lfilter, roots are paired, what cannot be is named or flagged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import ChainDesign, Sections, Taps
from jaxscope.filters.design import design_chain
from jaxscope.filters.manual import SectionsSpec, TapsSpec, TransferFunction, ZerosPolesGain
from jaxscope.filters.response import frequency_response, impulse_response
from jaxscope.filters.spec import FilterChain, Stage


def _design(spec, **options) -> ChainDesign:
    return design_chain(FilterChain(initial="rest", stages=(Stage(spec=spec),), **options), 1.0)


def _impulse(spec, count=200):
    return impulse_response(_design(spec), count)[1]


def _pulse(count=200):
    return np.eye(1, count)[0]


@pytest.mark.parametrize(
    ("b", "a"),
    [
        ((2.0, 8.0, 5.0), (2.0, -1.0, 0.5)),
        ((1.0,), (1.0, -0.5)),
        ((0.0, 0.0, 1.0), (1.0, -0.5)),
        ((0.0, 1.0, 2.0, 0.0), (4.0, 0.0, 0.0)),
        ((1.0, 0.0, 0.0, 0.0, -1.0), (1.0, -0.3, 0.2)),
        ((1.0, 2.0), (1.0, 0.0, 0.0, 0.5)),
        ((0.0,), (1.0, -0.5)),
        ((3.0,), (2.0,)),
        ((0.0, 0.0, 0.0, 2.0, 1.0, 4.0), (1.0, -0.2, 0.1, 0.3)),
        (tuple(np.hanning(90)[1:-1]), (1.0, -1.6, 0.8)),
        (signal.butter(6, 0.2)[0], signal.butter(6, 0.2)[1]),
        (signal.ellip(5, 1, 60, [0.1, 0.4], "band")[0], signal.ellip(5, 1, 60, [0.1, 0.4], "band")[1]),
    ],
)
def test_transfer_functions_equal_lfilter(b, a):
    wanted = signal.lfilter(b, a, _pulse())
    np.testing.assert_allclose(_impulse(TransferFunction(b=b, a=a)), wanted, atol=1e-9 * max(1, np.abs(wanted).max()))


def test_c030_a0_is_divided_out():
    spec = TransferFunction(b=(2, 8, 5), a=(2, -1, 0.5))
    np.testing.assert_allclose(_impulse(spec, 4), [1, 4.5, 4.5, 1.125], atol=1e-12)
    assert spec.b == (2.0, 8.0, 5.0), "numbers are kept as typed"
    (part,) = _design(spec).parts
    np.testing.assert_allclose(signal.sosfilt_zi(part.to_array()), [[9, 0]], atol=1e-12)
    with pytest.raises(SpecError, match="a0 is 0") as caught:
        TransferFunction(b=(1,), a=(0, 1))
    assert caught.value.field == "a"
    with pytest.raises(SpecError, match="a0 of section 1 is 0"):
        SectionsSpec(rows=((1, 0, 0, 0, 0.5, 0),))


def test_c033_normalised_and_unnormalised_are_the_same_filter():
    b = (27.262106, -37.770844, 14.561749)
    a = (20.543825, -39.777084, 19.273789)
    as_typed = SectionsSpec(rows=((*b, *a),))
    divided = SectionsSpec(rows=((*(value / a[0] for value in b), 1, a[1] / a[0], a[2] / a[0]),))
    assert as_typed.design(1.0) == divided.design(1.0)
    assert abs(frequency_response(_design(as_typed), [0.0])[0]) == pytest.approx(100.0, abs=5e-4)


def test_c001_b_a_is_flagged_where_its_roots_leave_the_circle():
    b, a = signal.butter(5, [49, 51], "band", fs=44000)
    spec = TransferFunction(b=b, a=a)
    assert spec.pole_radius() > 1
    (warning,) = _design(spec).warnings
    assert warning.startswith("unstable as b / a: the outermost pole is at radius 1.")
    assert "sections" in warning
    assert _design(TransferFunction(b=signal.butter(4, 0.2)[0], a=signal.butter(4, 0.2)[1])).warnings == ()


def test_c032_an_integrator_says_that_it_has_no_steady_state():
    stages = (Stage(spec=TransferFunction(b=(1,), a=(1, -1))),)
    design = design_chain(FilterChain(stages=stages), 1.0)
    assert any("pole at z = 1" in warning and "rest" in warning for warning in design.warnings)
    at_rest = design_chain(FilterChain(stages=stages, initial="rest"), 1.0)
    assert not any("pole at z = 1" in warning for warning in at_rest.warnings)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-2, 2), min_size=1, max_size=6),
    st.lists(st.complex_numbers(max_magnitude=0.95), min_size=0, max_size=2),
    st.lists(st.floats(-0.95, 0.95), min_size=0, max_size=2),
)
def test_any_stable_transfer_function_equals_lfilter(b, pairs, reals):
    a = np.real(np.poly([*pairs, *np.conj(pairs), *reals])) if pairs or reals else np.array([1.0])
    if 0 < abs(b[0]) < 1e-6:
        b[0] = 0.0
    wanted = signal.lfilter(b, a, _pulse())
    got = _impulse(TransferFunction(b=tuple(b), a=tuple(a)))
    np.testing.assert_allclose(got, wanted, atol=1e-6 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize(
    "designed", [signal.butter(5, [0.1, 0.3], "band", output="zpk"), signal.cheby2(7, 40, 0.3, output="zpk")]
)
def test_zpk_equals_scipy(designed):
    zeros, poles, gain = designed
    spec = ZerosPolesGain(zeros=[(z.real, z.imag) for z in zeros], poles=[(p.real, p.imag) for p in poles], gain=gain)
    reference = signal.freqz_sos(signal.zpk2sos(zeros, poles, gain), np.linspace(0, 0.5, 99), fs=1.0)[1]
    np.testing.assert_allclose(frequency_response(_design(spec), np.linspace(0, 0.5, 99)), reference, atol=1e-12)


def test_zpk_with_fewer_or_more_zeros_is_not_delayed():
    few = ZerosPolesGain(poles=((0.5, 0.2), (0.5, -0.2), (0.3, 0.0)))
    np.testing.assert_allclose(_impulse(few)[0], 1.0)
    many = ZerosPolesGain(zeros=((0.5, 0.0), (-1.0, 0.0), (0.2, 0.0)), poles=((0.1, 0.0),), gain=2.0)
    np.testing.assert_allclose(
        _impulse(many, 50), signal.lfilter(2 * np.poly([0.5, -1, 0.2]), [1, -0.1], _pulse(50)), atol=1e-12
    )


@pytest.mark.parametrize(
    "points", [((0.5, 0.3),), ((0.5, 0.3), (0.5, 0.3)), ((0.5, 0.3), (0.5, -0.31)), ((0.5,),), (("a", 1),), 0.5]
)
def test_roots_without_a_conjugate_are_named(points):
    with pytest.raises(SpecError) as caught:
        ZerosPolesGain(poles=points)
    assert caught.value.field == "poles"


@pytest.mark.parametrize(
    "rows",
    [(), ((1, 0, 0, 1, 0),), ((1, 0, 0, 1, 0, float("nan")),), ((1, 0, 0, 1, 0, "x"),), 3, ((1, 0, 0, 1e-320, 1, 1),)],
)
def test_wrong_rows_are_named(rows):
    with pytest.raises(SpecError) as caught:
        SectionsSpec(rows=rows)
    assert caught.value.field == "rows"


@pytest.mark.parametrize("values", [(), (float("inf"),), ("1",), "123", (True,)])
def test_wrong_taps_are_named(values):
    with pytest.raises(SpecError) as caught:
        TapsSpec(values=values)
    assert caught.value.field == "values"


def test_a_finite_transfer_function_is_taps():
    assert TransferFunction(b=(2, 4, 0), a=(2, 0)).design(1.0) == Taps((1.0, 2.0))
    assert isinstance(TransferFunction(b=(2, 4), a=(2, 1)).design(1.0), Sections)
    assert ZerosPolesGain(gain=3.0).design(1.0) == Taps((3.0,))


def test_a_long_numerator_runs_as_taps_before_an_all_pole_cascade():
    parts = _design(TransferFunction(b=(1.0,) * 100, a=(1.0, -0.5))).parts
    assert [type(part) for part in parts] == [Taps, Sections]


def test_numbers_too_far_apart_are_said():
    with pytest.raises(SpecError):
        TransferFunction(b=(1.0,), a=(1e-300, 1e300, 1.0)).design(1.0)
