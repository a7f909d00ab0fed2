"""Random chains on random samples against the oracle: ``python tests/soak.py`` runs 10,200 cases over 300 structures.

A structure is everything that needs a compilation of its own: kinds and sizes of the parts, orders, phase, edges,
method, precision, device, channels, and whether each channel has a chain of its own. Its cases differ in coefficients,
samples, lengths, gaps and in how they are cut into blocks, so that thousands of them share what has been compiled. A
few cases are part of the tests; the whole takes some half an hour and is run by hand
(``nice -n 15``). Each case has a number, by which it is repeated alone (``--first 1234 --cases 1``). Ends with exit
code 1 where a result differs, and names the cases.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import scipy.signal

from jaxscope.engines.program import make_program
from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections, Taps

Array = np.ndarray
N_STRUCTURES, CASES_OF_ONE = 300, 34
#: structures after which compiled programs are dropped: a process may hold only so many pieces of memory with code
DROP_AFTER = 20
#: error relative to the larger of output and input; SciPy's own is up to 1e-8 with poles close to the circle
LIMIT = {"float64": 1e-7, "float32": 1e-5}
#: recursions in direct form, which lose digits of float32 near the circle: there they are tried far from it, and so far
DIRECT, DIRECT_LIMIT = ("scan", "associative"), 1e-3
#: float32 by a method chosen by hand where a pole lies on the circle: what is rounded off adds up, as the program says
LASTING_LIMIT = 1e-2
METHODS = ("auto", "auto", "block", "block", "scan", "associative", "toeplitz", "overlap-save")
#: for a single causal cascade; it says itself how wrong it is
TRUNCATED = "truncated:200"
PARTS = ("sections", "taps", "median")
PADDINGS = ("odd", "even", "constant", "none", "gustafsson")
FAMILIES = {
    "butter": lambda order, cutoff, band: scipy.signal.butter(order, cutoff, band, output="sos"),
    "cheby1": lambda order, cutoff, band: scipy.signal.cheby1(order, 1.0, cutoff, band, output="sos"),
    "cheby2": lambda order, cutoff, band: scipy.signal.cheby2(order, 40.0, cutoff, band, output="sos"),
    "ellip": lambda order, cutoff, band: scipy.signal.ellip(order, 1.0, 40.0, cutoff, band, output="sos"),
    "bessel": lambda order, cutoff, band: scipy.signal.bessel(order, cutoff, band, output="sos"),
}
#: nothing, a delay, a section of finite length, one with an a0, an integrator
ODD_ROWS = (
    (1.0, 0.0, 0.0, 1.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 1.0, 0.0, 0.0),
    (1.0, 2.0, 3.0, 1.0, 0.0, 0.0),
    (2.0, 0.0, 0.0, 2.0, 0.5, 0.0),
    (1.0, 0.0, 0.0, 1.0, -1.0, 0.0),
)
CUTOFFS = np.geomspace(0.002, 0.95, 40)


@dataclass(frozen=True, kw_only=True)
class Part:
    """What of a part is compiled: its kind and size, and how its coefficients are drawn."""

    kind: str
    size: int
    family: str = "butter"
    band: str = "lowpass"
    odd_row: int | None = None
    runs_once: bool = False


@dataclass(frozen=True, kw_only=True)
class Structure:
    """What the cases of one structure share."""

    parts: tuple[Part, ...]
    rules: dict[str, Any]
    wishes: dict[str, Any]
    is_by_channel: bool
    lengths: tuple[int, ...]


def random_part(rng: np.random.Generator, before: str) -> Part:
    """Draw a part that may follow one of the kind ``before``: never two cascades or two sets of taps in a row."""
    kind = str(rng.choice(PARTS, p=[0.6, 0.3, 0.1]))
    if kind == before:
        kind = "median"
    if kind == "median":
        return Part(kind=kind, size=int(rng.choice([1, 3, 5, 9])))
    if kind == "taps":
        size = int(rng.choice([1, 2, 5, 31, 32, 33, 34, 100, 257, 600]))
        return Part(kind=kind, size=size, runs_once=bool(rng.random() < 0.15) and size % 2 == 1)
    order = int(rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 20], p=[0.1, 0.2, 0.15, 0.2, 0.1, 0.1, 0.05, 0.05, 0.05]))
    return Part(
        kind=kind,
        size=order,
        family=str(rng.choice(list(FAMILIES))),
        band=str(rng.choice(["lowpass", "highpass", "bandpass", "bandstop"])),
        odd_row=int(rng.integers(len(ODD_ROWS))) if rng.random() < 0.3 else None,
    )


def structure(number: int) -> Structure:
    """Return the structure of a number; always the same."""
    rng = np.random.default_rng((7, number))
    parts: list[Part] = []
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.03, 0.5, 0.3, 0.17]))):
        parts.append(random_part(rng, parts[-1].kind if parts else ""))
    phase = str(rng.choice(["causal", "zero"], p=[0.6, 0.4]))
    method = str(rng.choice(METHODS))
    if phase == "causal" and [part.kind for part in parts] == ["sections"] and rng.random() < 0.2:
        method = TRUNCATED
    few, many = rng.choice([31, 32, 33, 100, 255, 256, 257]), rng.choice([1000, 4097, 9000])
    return Structure(
        parts=tuple(parts),
        rules={
            "phase": phase,
            "initial": str(rng.choice(["steady", "rest"])),
            "padding_kind": str(rng.choice(PADDINGS, p=[0.4, 0.2, 0.2, 0.15, 0.05])),
            "padding_samples": None if rng.random() < 0.7 else int(rng.integers(0, 200)),
            "gaps": str(rng.choice(["segment", "propagate"])),
        },
        wishes={
            "n_channels": int(rng.choice([1, 2, 3, 5])),
            "precision": str(rng.choice(["float64", "float64", "float32"])),
            "device": str(rng.choice(["cpu:0", "cpu:0", "cpu:all"])),
            "method": method,
        },
        is_by_channel=bool(rng.random() < 0.3),
        lengths=(int(rng.choice([0, 1, 2, 7])), int(few), int(many), int(many)),
    )


def drawn(part: Part, rng: np.random.Generator, *, is_narrow: bool) -> Realisation:
    """Draw the coefficients of a part."""
    if part.kind == "median":
        return RunningMedian(part.size)
    if part.kind == "taps":
        return Taps(tuple((rng.standard_normal(part.size) / np.sqrt(part.size)).tolist()), runs_once=part.runs_once)
    known = CUTOFFS if is_narrow and part.size <= 6 else CUTOFFS[15:]  # longer designs have no low band in float64
    low, high = np.sort(rng.choice(known, 2, replace=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.signal.BadCoefficients)
        cutoff = [low, high] if part.band.startswith("band") else low
        rows = [tuple(row) for row in FAMILIES[part.family](part.size, cutoff, part.band).tolist()]
    if part.odd_row is not None:
        rows.insert(int(rng.integers(len(rows) + 1)), ODD_ROWS[part.odd_row])
    return Sections(tuple(rows))


def random_samples(rng: np.random.Generator, n_channels: int, n: int) -> Array:
    x = rng.standard_normal((n_channels, n))
    if rng.random() < 0.5:
        x = x.cumsum(axis=1)
    x += rng.choice([0.0, 100.0, -1e5])
    if rng.random() < 0.3 and n:
        for _ in range(int(rng.integers(1, 4))):
            first, length = int(rng.integers(n)), int(rng.integers(1, 50))
            x[rng.integers(n_channels) if rng.random() < 0.5 else slice(None), first : first + length] = np.nan
    return x.astype(np.float32) if rng.random() < 0.2 else x


def in_blocks(program: Any, x: Array, rng: np.random.Generator) -> Array:
    """Run a causal program block by block, cut at random places."""
    places = np.sort(rng.integers(0, x.shape[1] + 1, 2)).tolist()
    state, pieces = program.start(), []
    for start, stop in zip([0, *places], [*places, x.shape[1]], strict=True):
        y, state = program.step(x[:, start:stop], state)
        pieces.append(y)
    return np.concatenate(pieces, axis=1)


def scale_of(x: Array, expected: Array, rules: dict[str, Any]) -> float:
    """Return what an error is measured by: the larger of output and input, less the offset that is taken off."""
    is_moved = rules["initial"] == "steady" or rules["phase"] == "zero"
    spread = x - np.nanmedian(x, axis=1, keepdims=True) if is_moved and np.isfinite(x).any() else x
    sizes = [np.abs(np.nan_to_num(values)).max(initial=0.0) for values in (expected, spread, 1e-7 * x)]
    return max(float(max(sizes)), 1e-300)


def run_case(number: int) -> str | None:
    """Run one case; return what is wrong with it, or None."""
    own = structure(number // CASES_OF_ONE)
    rng = np.random.default_rng(number)
    wishes, n_channels = own.wishes, own.wishes["n_channels"]
    is_cut = wishes["method"] == TRUNCATED
    is_rough = wishes["method"] in DIRECT and wishes["precision"] == "float32"
    designs = []
    for _ in range(n_channels if own.is_by_channel else 1):
        parts = tuple(drawn(part, rng, is_narrow=not (is_cut or is_rough)) for part in own.parts)
        designs.append(ChainDesign(rate_hz=1000.0, parts=parts, **own.rules))
    x = random_samples(rng, n_channels, int(rng.choice(own.lengths)))
    said = f"{own} {x.shape} {x.dtype}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        program = make_program(designs, **wishes)
        y = in_blocks(program, x, rng) if program.is_causal and rng.random() < 0.5 else program.run(x)
        expected = make_program(designs, n_channels=n_channels, method="scipy").run(x)
        scale = scale_of(np.asarray(x, dtype=np.float64), expected, own.rules)
    if y.shape != expected.shape or y.dtype != wishes["precision"]:
        return f"{y.shape} {y.dtype} | {said}"
    if not np.array_equal(np.isnan(y), np.isnan(expected)):
        return f"NaN in other places | {said}"
    adds_up = "adds up" in program.reason
    if "amplify" in program.reason:  # what is left is what the program says
        return None if np.isfinite(y).any() == np.isfinite(expected).any() else f"nothing is left | {said}"
    limit = (DIRECT_LIMIT if is_rough else LASTING_LIMIT if adds_up else LIMIT[wishes["precision"]]) * scale
    if is_cut:
        told = float(program.reason.rpartition("at most ")[2].partition(" ")[0])
        limit += 1.1 * told * np.abs(np.nan_to_num(x)).max(initial=0.0)
    error = float(np.nan_to_num(np.abs(y - expected)).max(initial=0.0))
    return None if error <= limit else f"error {error:.3g} of {scale:.3g} | {said}"


def failure_of(number: int) -> str | None:
    """Do ``run_case``; an error is a failure too, as whatever happens is what is looked for."""
    try:
        return run_case(number)
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {error} | {structure(number // CASES_OF_ONE)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--cases", type=int, default=N_STRUCTURES * CASES_OF_ONE)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    begun, number, wrong = time.monotonic(), asked.first, 0
    while number < asked.first + asked.cases and time.monotonic() - begun < asked.seconds:
        failure = failure_of(number)
        wrong += failure is not None
        if failure:
            sys.stdout.write(f"case {number}: {failure}\n")
        number += 1
        if number % CASES_OF_ONE == 0:
            sys.stdout.write(f"{number} after {time.monotonic() - begun:.0f} s\n")
        if number % (DROP_AFTER * CASES_OF_ONE) == 0:
            jax.clear_caches()
        sys.stdout.flush()
    n_structures = len({case // CASES_OF_ONE for case in range(asked.first, number)})
    sys.stdout.write(f"{number - asked.first} cases of {n_structures} structures, {wrong} wrong\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
