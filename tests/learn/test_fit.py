"""The mathematics of a fit: what it reaches, that poles stay inside, that slopes are right, that it compiles once."""

from __future__ import annotations

import math
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import signal

from jaxscope.dsp import sosfilt, sosfiltfilt
from jaxscope.learn.fit import STEPS, Stand, Targets, filtered_spans, fit_step, loss_of
from jaxscope.learn.fit_measures import measure_fit
from jaxscope.learn.fit_targets import BandGoal, SpanRow, is_left, make_start, make_targets, sizes_of
from jaxscope.learn.pole_pairs import flat_numbers, least_decay, pairs_of, pole_radii, sections_of

RATE_HZ, RINGING_S = 256.0, 0.2
HUM = BandGoal(is_keep=False, bands_hz=((49.8, 50.2),))
ALPHA = BandGoal(is_keep=True, bands_hz=((8.0, 12.0),))


def _made(goals, rows=(), *, n_sections=3, rate_hz=RATE_HZ, ringing_s=RINGING_S):
    limits = {"n_sections": n_sections, "rate_hz": rate_hz, "ringing_s": ringing_s}
    return flat_numbers(make_start(goals, rows, **limits)), make_targets(goals, rows, **limits)


def _descend(numbers, targets: Targets, steps: int = STEPS, *, zero_phase: bool = False) -> Iterator[Stand]:
    moments = jnp.zeros((2, numbers.size))
    for step in range(steps):
        numbers, moments, stand = fit_step(numbers, moments, jnp.float64(step), targets, zero_phase=zero_phase)
        yield stand


def _gain_db(sections, low_hz: float, high_hz: float, rate_hz: float = RATE_HZ) -> float:
    """Return the mean gain of a band by SciPy."""
    _, h = signal.sosfreqz(np.asarray(sections), np.linspace(low_hz, high_hz, 200), fs=rate_hz)
    return float(10 * np.log10(np.mean(np.abs(h) ** 2)))


def _row(goal: int, x: np.ndarray, first: int = 256, stop: int = 856) -> SpanRow:
    return SpanRow(goal=goal, before=x, wanted=x, first=first, stop=stop)


def _sines(n: int, *parts: tuple[float, float]) -> np.ndarray:
    times_s = np.arange(n) / RATE_HZ
    return sum(size * np.sin(2 * np.pi * hz * times_s + hz) for hz, size in parts) + np.zeros(n)


def test_hum_goes_and_alpha_stays_with_every_pole_inside_its_circle_at_every_step():
    numbers, targets = _made([HUM, ALPHA])
    circle = 0.01 ** (1 / (RINGING_S * RATE_HZ))
    distances = []
    for stand in _descend(numbers, targets):
        radii = [np.abs(np.roots(row[3:])).max() for row in np.asarray(stand.sections)]
        assert max(radii) <= circle * (1 + 1e-9)
        assert float(stand.radius) == pytest.approx(max(radii), rel=1e-6)
        distances.append(float(stand.distance))
    assert distances[-1] < distances[0] / 5
    assert _gain_db(stand.sections, 49.8, 50.2) < -40
    assert abs(_gain_db(stand.sections, 8.0, 12.0)) < 0.2
    assert (np.abs(np.asarray(stand.sections)[3] - [1, 0, 0, 1, 0, 0]) < 1e-12).all(), "only three of four are used"


def test_a_low_cutoff_at_a_high_rate_is_found_too():
    goals = [BandGoal(is_keep=False, bands_hz=((0.0, 0.3),)), BandGoal(is_keep=True, bands_hz=((3.0, 900.0),))]
    *_, stand = _descend(*_made(goals, rate_hz=8000.0, ringing_s=1.0))
    assert _gain_db(stand.sections, 1e-3, 0.3, 8000.0) < -30
    assert abs(_gain_db(stand.sections, 3.0, 900.0, 8000.0)) < 0.5


def test_in_zero_phase_both_passes_count():
    numbers, targets = _made([HUM, ALPHA])
    sections = sections_of(pairs_of(numbers), targets.decay)
    once, twice = (measure_fit(sections, targets, zero_phase=zero).band_power for zero in (False, True))
    np.testing.assert_allclose(twice[1], once[1] ** 2, rtol=0.05)
    assert 0.1 < float(once[1]) < 0.7, "or the square would show nothing"


def test_marked_spans_are_fitted_by_their_samples():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((5, 1024))
    rows = [_row(0, _sines(1024, (10 + k, 20.0)) + noise[k] + 5000.0) for k in range(3)]
    rows += [_row(1, _sines(1024, (50.0, 30.0)) + noise[3 + k]) for k in range(2)]
    goals = [BandGoal(is_keep=True), BandGoal(is_keep=False)]
    numbers, targets = _made(goals, rows)
    *_, stand = _descend(numbers, targets)
    assert _gain_db(stand.sections, 49.9, 50.1) < -25
    assert abs(_gain_db(stand.sections, 10.0, 12.0)) < 0.5
    measured = measure_fit(stand.sections, targets, zero_phase=False)
    for at, row in enumerate(rows):
        sos = np.array(stand.sections)
        zi = signal.sosfilt_zi(sos) * row.before[0]
        y = signal.sosfilt(sos, row.before, zi=zi)[0][row.first : row.stop]
        x = row.before[row.first : row.stop]
        power, height = sizes_of(y, is_keep=at < 3)
        assert float(measured.row_power[at]) == pytest.approx(power, rel=0.01, abs=1e-5 * sizes_of(x, is_keep=True)[0])
        assert float(measured.row_height[at]) == pytest.approx(height, rel=0.02, abs=0.01 * np.ptp(x))


@pytest.mark.parametrize("zero_phase", [False, True])
def test_rows_that_go_round_are_what_the_filter_of_the_library_makes_of_them(zero_phase):
    sos = signal.butter(2, (4.0, 40.0), "bandpass", fs=RATE_HZ, output="sos")
    x = _sines(2048, (10.0, 3.0), (37.0, 1.0))
    x = x - np.linspace(x[0], x[-1], x.size)
    spectra = filtered_spans(jnp.asarray(sos), jnp.fft.rfft(jnp.asarray(x[None])), zero_phase=zero_phase)
    expected = sosfiltfilt(sos, x) if zero_phase else sosfilt(sos, x)
    np.testing.assert_allclose(np.fft.irfft(np.asarray(spectra)[0])[512:1536], expected[512:1536], atol=2e-3)


def test_slopes_are_those_of_finite_differences():
    rng = np.random.default_rng(1)
    rows = [_row(2, _sines(1024, (10.0, 2.0)) + rng.standard_normal(1024)), _row(3, rng.standard_normal(1024))]
    numbers, targets = _made([HUM, ALPHA, BandGoal(is_keep=True), BandGoal(is_keep=False)], rows, n_sections=4)
    numbers = numbers + 0.1 * rng.standard_normal(numbers.size)

    def loss(given):
        return loss_of(given, targets, zero_phase=False)[0] + 0.5 * loss_of(given, targets, zero_phase=True)[0]

    slopes = np.asarray(jax.jit(jax.grad(loss))(numbers))
    assert np.isfinite(slopes).all()
    steps = 1e-5 * np.concatenate([np.eye(numbers.size), -np.eye(numbers.size)])
    ahead, behind = np.split(np.asarray(jax.jit(jax.vmap(loss))(numbers + steps)), 2)
    np.testing.assert_allclose(slopes, (ahead - behind) / 2e-5, rtol=1e-4, atol=1e-7)


def test_steps_goals_and_limits_of_one_bucket_compile_once():
    list(_descend(*_made([HUM, ALPHA]), steps=3))
    compiled = fit_step._cache_size()
    list(_descend(*_made([HUM, ALPHA]), steps=5))
    list(_descend(*_made([ALPHA, BandGoal(is_keep=False, bands_hz=((60.0, 61.0), (100.0, 128.0)))]), steps=3))
    list(_descend(*_made([HUM], n_sections=2, ringing_s=1.0, rate_hz=1000.0), steps=3))
    assert fit_step._cache_size() == compiled


@pytest.mark.parametrize("scale", [0.1, 5.0, 200.0])
def test_no_number_whatever_takes_a_pole_out_of_the_circle(scale):
    rng = np.random.default_rng(2)
    decay = least_decay(RINGING_S, RATE_HZ)
    for _ in range(50):
        pairs = pairs_of(jnp.asarray(rng.standard_normal(4 * 8 + 2) * scale))
        sections = np.asarray(sections_of(pairs, jnp.float64(decay)))
        assert np.isfinite(sections).all()
        radii = np.array([np.abs(np.roots(row[3:])).max() for row in sections])
        assert (radii <= math.exp(-decay) * (1 + 1e-6)).all()
        np.testing.assert_allclose(np.asarray(pole_radii(jnp.asarray(sections))), radii, atol=1e-6)


def test_what_is_kept_gives_way_to_what_is_removed_inside_it():
    wide = BandGoal(is_keep=True, bands_hz=((5.0, 100.0),))
    assert is_left(wide, [HUM, wide])
    assert not is_left(BandGoal(is_keep=True, bands_hz=((49.9, 50.1),)), [HUM])
    *_, stand = _descend(*_made([HUM, wide]))
    assert _gain_db(stand.sections, 49.8, 50.2) < -25
    assert abs(_gain_db(stand.sections, 5.0, 30.0)) < 0.3


def test_what_other_stages_have_removed_is_no_work_and_what_they_took_is_not_asked_back():
    limits = {"n_sections": 3, "rate_hz": RATE_HZ, "ringing_s": RINGING_S}
    numbers = flat_numbers(make_start([HUM, ALPHA], [], **limits))
    for share in (1e-6, 0.5):
        others = lambda hz, share=share: np.where(hz > 40, share, 0.5)  # noqa: E731
        targets = make_targets([HUM, ALPHA], [], others=others, **limits)
        stand = next(_descend(numbers, targets, steps=1))
        assert float(stand.errors[0]) < share**2
    *_, stand = _descend(numbers, targets)
    assert abs(_gain_db(stand.sections, 8.0, 12.0)) < 0.2
    idle = make_start([HUM, ALPHA], [], others=lambda hz: np.where(hz > 40, 1e-6, 1.0), **limits)
    sections = np.asarray(sections_of(idle, jnp.float64(0.0)))
    assert abs(_gain_db(sections, 45.0, 55.0)) < 0.1, "no section is spent on it"
