"""``auto`` follows what was measured, says so, and never buys speed with digits."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.signal

from jaxscope.engines import calibration, method_costs
from jaxscope.engines.base import structure_of
from jaxscope.engines.filter_array import filter_array
from jaxscope.engines.method_costs import CostTable, costs_of, decoded, own_file, table_name
from jaxscope.engines.methods import METHODS, RUNS_BY, candidates, choose
from jaxscope.engines.program import make_program
from jaxscope.filters.coefficients import RunningMedian, Taps

NEAR = scipy.signal.butter(4, [1, 40], "band", fs=1000, output="sos")
FAR = scipy.signal.butter(4, 0.4, output="sos")
FEW, MANY = Taps((0.5, 0.5)), Taps(tuple(np.ones(2000) / 2000))


@pytest.fixture(autouse=True)
def read_again():
    method_costs.forget()
    yield
    method_costs.forget()


def chosen(design, n_channels: int = 8, n_samples: int | None = None, device: str = "cpu:0", precision="float64"):
    return choose(
        "auto", structure_of(design), [design], n_channels=n_channels, device=device, precision=precision,
        n_samples=n_samples,
    )  # fmt: skip


def write_own(ns: dict[str, float], kind: str = "taps") -> None:
    table = {"sizes": [1], "channels": [1], "samples": [1], "ns": {name: [[[value]]] for name, value in ns.items()}}
    told = {"device": "here", "tables": {table_name(kind, "float64"): table}}
    own_file().parent.mkdir(parents=True, exist_ok=True)
    content = {"format": "jaxscope-methods", "version": 1, "platforms": {"cpu": told}}
    own_file().write_text(json.dumps(content), encoding="utf-8")
    method_costs.forget()


def test_between_points_logarithms_are_interpolated_and_outside_the_nearest_counts() -> None:
    ns = np.array([[[1.0, 100.0]], [[4.0, 400.0]]])
    table = CostTable(axes=((1, 4), (8,), (10, 1000)), ns={"block": ns})
    for point, expected in [((1, 8, 10), 1), ((2, 8, 10), 2), ((1, 8, 100), 10), ((9, 1, 5), 4), ((4, 99, 9999), 400)]:
        assert table.at(*point)["block"] == pytest.approx(expected)


def test_what_ships_has_every_table(chain, sections) -> None:
    costs = costs_of("cpu")
    for kind in calibration.GRID:
        for precision in calibration.PRECISIONS:
            assert set(costs.of(kind, precision, 4, 8, 1000)) == set(calibration.GRID[kind][3])
    assert costs.of("median", "float64", 4, 8, 1000) == {}


def test_few_taps_are_products_and_many_are_transforms(chain, sections) -> None:
    assert chosen(chain(FEW), 64)[0] == "toeplitz"
    name, why = chosen(chain(MANY), 64)
    assert name == "overlap-save"
    assert why.startswith("measured ")
    assert "toeplitz" in why
    assert chosen(chain(sections(FAR), MANY), 64)[0] == "overlap-save"
    assert chosen(chain(sections(FAR), FEW), 64)[0] == "block"
    assert chosen(chain(RunningMedian(5))) == ("block", "nothing here is recursive or long")


def test_near_the_circle_nothing_in_direct_form_is_taken(chain, sections) -> None:
    for n_samples in (10, 1000, None):
        for precision in ("float32", "float64"):
            assert chosen(chain(sections(NEAR)), 1, n_samples, precision=precision)[0] == "block"
    structure = structure_of(chain(sections(FAR)))
    assert candidates(structure, 0.5, precision="float32", with_scipy=True) == ("block", "scipy")
    assert set(candidates(structure, 0.5, precision="float64", with_scipy=False)) == {"block", "scan", "associative"}


def test_scipy_is_for_short_signals_that_are_there_at_once(chain, sections) -> None:
    design = chain(sections(FAR))
    assert chosen(design, 1, 100, precision="float32")[0] == "scipy"
    for changes in ({"n_samples": None}, {"device": "cpu:1"}, {"device": "cpu:all"}, {"n_samples": 1 << 20}):
        wishes = {"n_channels": 64, "n_samples": 100, **changes}
        assert chosen(design, precision="float32", **wishes)[0] == "block"


def test_scipy_is_not_for_much_however_quick_it_was_measured(chain) -> None:
    write_own({"toeplitz": 9.0, "overlap-save": 9.0, "scipy": 0.01})
    assert chosen(chain(FEW), 8, 1000)[0] == "scipy"
    assert chosen(chain(FEW), 8, 1 << 20)[0] == "toeplitz"


def test_in_float32_nothing_adds_up_where_a_chain_never_forgets(chain, sections) -> None:
    rows = scipy.signal.cheby1(8, 1.0, [0.2, 0.8], "bandstop", output="sos").tolist()
    design = chain(sections([*rows[:4], [1.0, 0.0, 0.0, 1.0, -1.0, 0.0], *rows[4:]]), initial="rest")
    x = np.random.default_rng(5).standard_normal((1, 9000))
    wanted = make_program(design, n_channels=1, method="scipy").run(x)
    program = make_program(design, n_channels=1, precision="float32")
    np.testing.assert_allclose(program.run(x), wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())
    assert "would add up" in program.reason
    by_hand = make_program(design, n_channels=1, precision="float32", method="block")
    assert by_hand.reason == "chosen by hand; the chain never forgets, so the rounding of float32 adds up"
    assert chosen(design, device="gpu:0", precision="float32")[1].endswith("adds up")
    assert chosen(design)[0] == "block"


def test_pieces_of_any_length_meet_one_method(chain) -> None:
    x = np.random.default_rng(0).standard_normal((1, 5000))
    design = chain(FEW)
    first, state = filter_array(x[:, :10], design, return_state=True)
    rest, _ = filter_array(x[:, 10:], design, state=state, return_state=True)
    whole = filter_array(x, design)
    np.testing.assert_allclose(np.concatenate([first, rest], axis=1), whole, atol=1e-14)


def test_measurements_of_this_machine_take_the_place_of_ours(chain) -> None:
    write_own({"toeplitz": 9.0, "overlap-save": 2.5, "scipy": 100.0})
    assert chosen(chain(FEW)) == ("overlap-save", "measured 2.5 ns a sample, toeplitz 9")
    write_own({"toeplitz": 1.0, "overlap-save": 2.5, "scipy": 100.0})
    assert chosen(chain(MANY))[0] == "toeplitz"


def test_a_file_that_is_no_such_file_is_told_and_not_used(chain) -> None:
    own_file().parent.mkdir(parents=True, exist_ok=True)
    own_file().write_text('{"format": "something"}', encoding="utf-8")
    with pytest.warns(RuntimeWarning, match="bench --calibrate"):
        assert chosen(chain(FEW), 64)[0] == "toeplitz"


def test_where_nobody_has_measured_it_is_said(chain) -> None:
    assert chosen(chain(MANY), device="tpu:0") == ("toeplitz", "matrix products; nothing was measured on tpu")


def test_an_unstable_chain_runs_sample_after_sample(chain, sections) -> None:
    name, why = chosen(chain(sections([[1.0, 0, 0, 1.0, -2.2, 1.3]])))
    assert name == "scan"
    assert "unstable" in why


def test_every_exact_method_says_how_it_runs_parts() -> None:
    assert set(RUNS_BY) == set(METHODS) - {"truncated"}
    for name, by in RUNS_BY.items():
        made = METHODS[name]
        if name != "scipy":
            assert (made.sections_by, made.taps_by) == (by["sections"], by["taps"])


def test_calibration_writes_what_can_be_read(monkeypatch, tmp_path) -> None:
    grid = {kind: (sizes[:2], (2, 4), (64, 128), methods) for kind, (sizes, _, _, methods) in calibration.GRID.items()}
    monkeypatch.setattr(calibration, "GRID", {kind: grid[kind] for kind in ("taps", "sections by channel")})
    monkeypatch.setattr(calibration, "PRECISIONS", ("float64",))
    monkeypatch.setattr(calibration, "LEAST_S", 0.0)
    shares: list[float] = []
    told = calibration.calibrate(tmp_path / "m.json", report=lambda share, name: shares.append(share))
    assert told["platform"] == "cpu"
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    costs = decoded(json.loads((tmp_path / "m.json").read_text(encoding="utf-8")))["cpu"]
    assert set(costs.of("taps", "float64", 8, 2, 64)) == {"toeplitz", "overlap-save", "scipy"}
    assert set(costs.of("sections by channel", "float64", 1, 2, 64)) == {"block", "scan", "scipy"}


def test_a_program_says_why_it_was_taken(chain) -> None:
    program = make_program(chain(MANY), n_channels=2)
    assert program.method == "overlap-save"
    assert program.reason.startswith("measured ")
