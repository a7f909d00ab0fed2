"""Every method gives what the float64 oracle gives, for every structure, phase, start, gap policy and chunking."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.signal

from jaxscope.engines.methods import METHODS
from jaxscope.engines.program import make_program
from jaxscope.errors import DeviceError, UsageError
from jaxscope.filters.coefficients import RunningMedian, Sections, Taps

RNG = np.random.default_rng(11)
BAND = scipy.signal.butter(4, [1, 40], "band", fs=1000, output="sos")
FIRST = scipy.signal.butter(1, 40, fs=1000, output="sos")
INTEGRATOR = np.array([[1.0, 0.0, 0.0, 1.0, -1.0, 0.0]])
ODD = np.array([[0.0, 1.0, 0.0, 1.0, 0.0, 0.0], [1.0, 2.0, 3.0, 1.0, 0.0, 0.0], [2.0, 0.0, 0.0, 2.0, 0.5, 0.0]])
SHORT, LONG = (tuple(scipy.signal.firwin(n, 0.2).tolist()) for n in (51, 301))

STRUCTURES = {
    "band-pass": lambda s: (s(BAND),),
    "first order": lambda s: (s(FIRST),),
    "odd sections": lambda s: (s(ODD),),
    "integrator behind a high-pass": lambda s: (s(np.vstack([BAND, INTEGRATOR])),),
    "taps": lambda s: (Taps(SHORT),),
    "one tap": lambda s: (Taps((0.5,)),),
    "mixed": lambda s: (Taps(SHORT), s(BAND), RunningMedian(5)),
    "smoother": lambda s: (Taps(SHORT, runs_once=True), s(FIRST)),
    "empty": lambda s: (),
}
LIMIT = {"float64": 1e-11, "float32": 1e-5}


def walk(n: int = 700) -> np.ndarray:
    return np.random.default_rng(3).standard_normal((3, n)).cumsum(axis=1) + 100


def with_gaps() -> np.ndarray:
    x = walk()
    x[1, 100:150] = np.nan
    x[:, 300:330] = np.nan
    x[2, 0] = np.nan
    x[0, 600] = np.inf
    return x


def assert_close(y: np.ndarray, expected: np.ndarray, x: np.ndarray, limit: float) -> None:
    assert y.shape == expected.shape
    np.testing.assert_array_equal(np.isnan(y), np.isnan(expected))
    finite = np.where(np.isfinite(x), x, 0)
    scale = max(np.abs(np.nan_to_num(expected, posinf=0, neginf=0)).max(initial=0), np.abs(finite).max(initial=0))
    with np.errstate(invalid="ignore"):
        error = np.nan_to_num(np.abs(y - expected)).max(initial=0)
    assert error <= limit * scale


CASES = [(name, phase, "float64") for name in STRUCTURES for phase in ("causal", "zero")] + [
    (name, phase, "float32")
    for name in ("band-pass", "integrator behind a high-pass", "mixed")
    for phase in ("causal", "zero")
]


@pytest.mark.parametrize(("name", "phase", "precision"), CASES)
def test_block_equals_the_oracle(name: str, phase: str, precision: str, chain, sections) -> None:
    parts = STRUCTURES[name](sections)
    for changes in ({}, {"gaps": "propagate"}, {"initial": "rest"}):
        design = chain(*parts, phase=phase, **changes)
        program = make_program(design, n_channels=3, precision=precision, method="block")
        oracle = make_program(design, n_channels=3, method="scipy")
        for x in (walk(), with_gaps()):
            y = program.run(x)
            assert y.dtype == precision
            assert_close(y, oracle.run(x), x, LIMIT[precision])


@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize(
    ("method", "name"), [("scan", "band-pass"), ("scan", "integrator behind a high-pass"), ("overlap-save", "taps")]
)
def test_other_exact_methods_equal_the_oracle(method: str, name: str, phase: str, chain, sections) -> None:
    design = chain(*STRUCTURES[name](sections), phase=phase)
    program = make_program(design, n_channels=3, method=method)
    assert program.method == method
    for x in (walk(), with_gaps()):
        assert_close(program.run(x), make_program(design, n_channels=3, method="scipy").run(x), x, LIMIT["float64"])


def test_long_taps_over_transforms(chain) -> None:
    design = chain(Taps(LONG))
    program = make_program(design, n_channels=3)
    assert program.method == "overlap-save"
    assert_close(
        program.run(walk(5000)), make_program(design, n_channels=3, method="scipy").run(walk(5000)), walk(5000), 1e-13
    )


@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize("n", [0, 1, 2, 27, 33, 97])
def test_no_length_crashes(n: int, phase: str, chain, sections) -> None:
    design = chain(sections(BAND), phase=phase)
    x = walk(n)
    y = make_program(design, n_channels=3, method="block").run(x)
    assert_close(y, make_program(design, n_channels=3, method="scipy").run(x), x, LIMIT["float64"])


@pytest.mark.parametrize("kind", ["odd", "even", "constant", "none", "gustafsson"])
def test_zero_phase_has_the_edges_of_scipy(kind: str, chain, sections) -> None:
    x = walk()
    design = chain(sections(FIRST), phase="zero", padding_kind=kind)
    y = make_program(design, n_channels=3, method="block").run(x)
    b, a = scipy.signal.butter(1, 40, fs=1000)
    if kind == "gustafsson":
        expected = scipy.signal.filtfilt(b, a, x, method="gust")
    else:
        expected = scipy.signal.sosfiltfilt(FIRST, x, padtype=None if kind == "none" else kind)
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["odd", "even", "constant", "none", "gustafsson"])
@pytest.mark.parametrize("gaps", ["segment", "propagate"])
def test_zero_phase_over_gaps_with_every_kind_of_edge(kind: str, gaps: str, chain, sections) -> None:
    x = with_gaps()
    design = chain(sections(FIRST), phase="zero", padding_kind=kind, gaps=gaps)
    y = make_program(design, n_channels=3, method="block").run(x)
    expected = make_program(design, n_channels=3, method="scipy").run(x)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(expected))
    assert np.isfinite(y).any() or gaps == "propagate"
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-9)


def test_padding_samples_are_those_that_were_asked_for(chain, sections) -> None:
    x = walk()
    y = make_program(chain(sections(BAND), phase="zero", padding_samples=200), n_channels=3).run(x)
    np.testing.assert_allclose(y, scipy.signal.sosfiltfilt(BAND, x, padlen=200), rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", ["block", "scan", "scipy"])
def test_block_by_block_with_a_pickled_state_equals_whole(method: str, chain, sections) -> None:
    for changes in ({}, {"gaps": "propagate"}):
        design = chain(Taps(SHORT), sections(BAND), RunningMedian(5), **changes)
        program = make_program(design, n_channels=3, method=method)
        x = with_gaps()
        whole = program.run(x)
        state, pieces = program.start(), []
        for start, stop in ((0, 1), (1, 1), (1, 90), (90, 310), (310, 311), (311, 700)):
            before = pickle.dumps(state)
            y, after = program.step(x[:, start:stop], state)
            assert pickle.dumps(state) == before
            state = pickle.loads(pickle.dumps(after))
            pieces.append(y)
        assert_close(np.concatenate(pieces, axis=1), whole, x, 1e-12)


def test_begin_segment_starts_again(chain, sections) -> None:
    program = make_program(chain(sections(BAND)), n_channels=3)
    x = walk()
    _, state = program.step(x[:, :400], program.start())
    y, _ = program.step(x[:, 400:], program.begin_segment(state))
    np.testing.assert_allclose(y, program.run(x[:, 400:]), rtol=0, atol=1e-12)


@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_a_chain_per_channel_equals_channel_by_channel(phase: str, chain, sections) -> None:
    designs = [
        chain(sections(scipy.signal.butter(n, cutoff, output="sos")), Taps(tuple(RNG.standard_normal(9))), phase=phase)
        for n, cutoff in ((4, 0.1), (3, 0.2), (4, 0.3))
    ]
    for x in (walk(), with_gaps()):
        together = make_program(designs, n_channels=3, method="block").run(x)
        for k, design in enumerate(designs):
            alone = make_program(design, n_channels=1, method="scipy").run(x[k : k + 1])
            assert_close(together[k : k + 1], alone, x[k : k + 1], 1e-11)


@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_float32_samples_are_filtered_in_float64_where_that_is_asked_for(phase: str, chain, sections) -> None:
    design = chain(sections(scipy.signal.butter(2, 0.2, output="sos")), Taps((0.5, 0.25)), phase=phase)
    x = (np.random.default_rng(4).standard_normal((2, 500)) * 1e3 + 17).astype(np.float32)
    y = make_program(design, n_channels=2, method="block").run(x)
    exact = make_program(design, n_channels=2, method="scipy").run(x.astype(np.float64))
    np.testing.assert_allclose(y, exact, rtol=0, atol=1e-9)


def test_truncated_says_how_wrong_it_is(chain, sections) -> None:
    b, a = [0.054778173164082, 0.164334519492245, 0.164334519492245, 0.054778173164082], [
        1, -1.086740193996892, 0.649914553946275, -0.124948974636730,
    ]  # fmt: skip
    x = np.random.default_rng(1).random((3, 334))
    design = chain(sections(scipy.signal.tf2sos(b, a)), initial="rest")
    exact = scipy.signal.lfilter(b, a, x)
    program = make_program(design, n_channels=3, method="truncated:20")
    error = np.abs(program.run(x) - exact).max()
    assert 1e-5 < error <= 2.3e-4
    assert "20 taps" in program.reason
    assert error <= float(program.reason.split("at most ")[1].split()[0])
    fine = make_program(design, n_channels=3, method="truncated")
    assert np.abs(fine.run(x) - exact).max() < 1e-5


def test_truncated_has_the_edges_and_gaps_of_its_chain(chain, sections) -> None:
    x = with_gaps()[:, :250]
    for gaps in ("segment", "propagate"):
        design = chain(sections(scipy.signal.butter(2, 0.2, output="sos")), phase="zero", gaps=gaps)
        y, exact = (make_program(design, n_channels=3, method=m).run(x) for m in ("truncated", "scipy"))
        np.testing.assert_array_equal(np.isnan(y), np.isnan(exact))
        np.testing.assert_allclose(y, exact, rtol=0, atol=1e-4)


def test_unstable_runs_to_the_end(chain, sections) -> None:
    slow, fast = np.array([[1.0, 0, 0, 1.0, -2.01, 1.012]]), np.array([[1.0, 0, 0, 1.0, -2.1, 1.105]])
    x = walk(300)
    made = make_program(chain(sections(fast)), n_channels=3, method="block")
    assert made.method == "scan"
    assert "1.051" in made.reason
    for sos, initial in ((slow, "rest"), (slow, "steady"), (fast, "steady")):
        design = chain(sections(sos), initial=initial)
        y = make_program(design, n_channels=3, method="block").run(x)
        expected = make_program(design, n_channels=3, method="scipy").run(x)
        np.testing.assert_allclose(y, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_every_method_of_the_table_runs_and_names_itself(chain, sections) -> None:
    for name in METHODS:
        program = make_program(chain(sections(FIRST)), n_channels=1, method=name)
        assert program.method == name
        assert program.run(np.ones((1, 10))).shape == (1, 10)
        assert program.reason
    assert make_program(chain(sections(FIRST)), n_channels=1).method in METHODS


def test_wishes_that_cannot_be_met_are_refused(chain, sections) -> None:
    design = chain(sections(FIRST))
    with pytest.raises(UsageError, match="blok"):
        make_program(design, n_channels=1, method="blok")
    with pytest.raises(UsageError, match="float16"):
        make_program(design, n_channels=1, precision="float16")
    with pytest.raises(UsageError, match="structure"):
        make_program([design, chain(sections(BAND))], n_channels=2)
    with pytest.raises(UsageError, match="2 designs for 3"):
        make_program([design, design], n_channels=3)
    for device in ("gpu:0", "cpu:7", "abacus", "cpu:x"):
        with pytest.raises(DeviceError):
            make_program(design, n_channels=1, device=device)


@pytest.mark.parametrize("method", ["block", "scan", "scipy"])
@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize("name", ["band-pass", "taps", "mixed", "empty"])
def test_samples_beyond_the_precision_are_told(name: str, phase: str, method: str, chain, sections) -> None:
    x = walk()
    x[1, 400] = 1e300
    design = chain(*STRUCTURES[name](sections), phase=phase)
    narrow = make_program(design, n_channels=3, device="cpu:0", precision="float32", method=method)
    wide = make_program(design, n_channels=3, device="cpu:0", precision="float64", method=method)
    assert np.isfinite(wide.run(x)).all()
    with pytest.raises(UsageError, match="beyond what float32 can hold") as caught:
        narrow.run(x)
    assert caught.value.field == "precision"
    x[1, 400] = np.inf  # which is missing, and not too large
    assert np.isinf(narrow.run(x)).sum() == (1 if name == "empty" else 0)


def test_samples_at_the_ends_of_float64_are_told_where_they_are_turned_about(chain, sections) -> None:
    x = walk()
    x[1, 5] = 1.7e308
    x[1, 0] = -1.7e308
    for phase, method in (("zero", "block"), ("zero", "scipy"), ("causal", "block")):
        program = make_program(
            chain(sections(BAND), phase=phase), n_channels=3, device="cpu:0", precision="float64", method=method
        )
        with pytest.raises(UsageError, match="beyond what float64 can hold"):
            program.run(x)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("method", ["block", "scan"])
def test_what_grows_too_large_on_the_way_there_is_told_before_the_way_back(method: str, precision: str, chain) -> None:
    x = walk() * (float(np.finfo(precision).max) / 1e36)
    x[0, 300:310] = np.nan
    for gaps in ("segment", "propagate"):
        program = make_program(
            chain(Taps((1e35, 1e35)), phase="zero", gaps=gaps),
            n_channels=3,
            device="cpu:0",
            precision=precision,
            method=method,
        )
        with pytest.raises(UsageError, match=f"beyond what {precision} can hold"):
            program.run(x)


@pytest.mark.parametrize("method", ["block", "scan", "overlap-save"])
def test_coefficients_beyond_the_precision_are_told(method: str, chain) -> None:
    for part in (Taps((1e50, 1.0)), Sections(((1e50, 0.0, 0.0, 1.0, -0.5, 0.0),))):
        narrow = make_program(chain(part), n_channels=3, device="cpu:0", precision="float32", method=method)
        with pytest.raises(UsageError, match="there are coefficients beyond what float32 can hold"):
            narrow.run(walk())
        wide = make_program(chain(part), n_channels=3, device="cpu:0", precision="float64", method=method)
        assert np.isfinite(wide.run(walk())).all()


def test_context_is_enough_for_a_view_to_equal_the_whole(chain, sections) -> None:
    x = walk(20000)
    for parts in (
        (sections(scipy.signal.butter(4, [5, 40], "band", fs=1000, output="sos")),),
        (Taps(SHORT), Taps(LONG)),
    ):
        for phase in ("causal", "zero"):
            program = make_program(chain(*parts, phase=phase), n_channels=3)
            context = program.context_samples
            first, stop = 9000, 9500
            assert context < 8000
            after = 0 if phase == "causal" else context
            piece = program.run(x[:, first - context : stop + after])[:, context : context + stop - first]
            whole = program.run(x)[:, first:stop]
            np.testing.assert_allclose(piece, whole, rtol=0, atol=1e-6 * np.abs(x).max())
