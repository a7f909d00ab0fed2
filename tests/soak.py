"""Random chains on random samples against the oracle, for as long as one likes: ``python tests/soak.py --seconds 600``.

Not part of the tests: it is run by hand, or for a night. Each case has a number, by which it is repeated alone
(``--first 1234 --cases 1``). Ends with exit code 1 where a result differs, and names the cases.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.signal

from jaxscope.engines.program import make_program
from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections, Taps

#: error relative to the larger of output and input; SciPy's own is up to 1e-8 with poles close to the circle
LIMIT = {"float64": 1e-7, "float32": 1e-4}
METHODS = ("auto", "block", "scan", "associative", "toeplitz", "overlap-save")


def random_sections(rng: np.random.Generator) -> Sections:
    """A design of a random family and order, sometimes with odd sections added."""
    band = str(rng.choice(["lowpass", "highpass", "bandpass", "bandstop"]))
    low, high = np.sort(rng.choice(np.geomspace(0.002, 0.95, 40), 2, replace=False))
    cutoff: Any = [low, high] if band.startswith("band") else low
    order = int(rng.integers(1, 7))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.signal.BadCoefficients)
        designs = {
            "butter": lambda: scipy.signal.butter(order, cutoff, band, output="sos"),
            "cheby1": lambda: scipy.signal.cheby1(order, 1.0, cutoff, band, output="sos"),
            "cheby2": lambda: scipy.signal.cheby2(order, 40.0, cutoff, band, output="sos"),
            "ellip": lambda: scipy.signal.ellip(order, 1.0, 40.0, cutoff, band, output="sos"),
            "bessel": lambda: scipy.signal.bessel(order, cutoff, band, output="sos"),
        }
        rows = [*designs[str(rng.choice(list(designs)))]()]
    odd = [
        [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 1.0, 0.0, 0.0],
        [1.0, 2.0, 3.0, 1.0, 0.0, 0.0],
        [2.0, 0.0, 0.0, 2.0, 0.5, 0.0],
        [1.0, 0.0, 0.0, 1.0, -1.0, 0.0],
    ]
    if rng.random() < 0.3:
        rows.insert(int(rng.integers(len(rows) + 1)), np.array(odd[int(rng.integers(len(odd)))]))
    return Sections(tuple(tuple(float(value) for value in row) for row in rows))


def random_part(rng: np.random.Generator, before: Realisation | None) -> Realisation:
    """A part that may follow ``before``: never two cascades or two sets of taps in a row."""
    kind = rng.random()
    if kind < 0.55 and not isinstance(before, Sections):
        return random_sections(rng)
    if kind < 0.9 and not isinstance(before, Taps):
        count = int(rng.choice([1, 2, 5, 31, 32, 33, 34, 100, 257, 600]))
        once = bool(rng.random() < 0.1) and count % 2 == 1  # a smoother has a middle
        return Taps(tuple((rng.standard_normal(count) / np.sqrt(count)).tolist()), runs_once=once)
    return RunningMedian(int(rng.choice([1, 3, 5, 9])))


def random_design(rng: np.random.Generator) -> ChainDesign:
    parts: list[Realisation] = []
    for _ in range(int(rng.integers(0, 4))):
        parts.append(random_part(rng, parts[-1] if parts else None))
    padding = None if rng.random() < 0.7 else int(rng.integers(0, 200))
    return ChainDesign(
        rate_hz=1000.0,
        parts=tuple(parts),
        phase=str(rng.choice(["causal", "zero"])),
        initial=str(rng.choice(["steady", "rest"])),
        padding_kind=str(rng.choice(["odd", "even", "constant", "none"])),
        padding_samples=padding,
        gaps=str(rng.choice(["segment", "propagate"])),
    )


def random_samples(rng: np.random.Generator, n_channels: int) -> np.ndarray:
    n = int(rng.choice([0, 1, 2, 7, 31, 32, 33, 100, 255, 256, 257, 1000, 4097, 9000]))
    x = rng.standard_normal((n_channels, n))
    if rng.random() < 0.5:
        x = x.cumsum(axis=1)
    x += rng.choice([0.0, 100.0, -1e5])
    if rng.random() < 0.3 and n:
        for _ in range(int(rng.integers(1, 4))):
            first, length = int(rng.integers(n)), int(rng.integers(1, 50))
            x[rng.integers(n_channels) if rng.random() < 0.5 else slice(None), first : first + length] = np.nan
    return x


def in_blocks(program: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Run a causal program block by block, cut at random places."""
    places = np.sort(rng.integers(0, x.shape[1] + 1, 2)).tolist()
    state, pieces = program.start(), []
    for start, stop in zip([0, *places], [*places, x.shape[1]], strict=True):
        y, state = program.step(x[:, start:stop], state)
        pieces.append(y)
    return np.concatenate(pieces, axis=1)


def run_case(number: int) -> str | None:
    """Run one case; return what is wrong with it, or None."""
    rng = np.random.default_rng(number)
    design = random_design(rng)
    x = random_samples(rng, int(rng.choice([1, 2, 3, 5])))
    precision = str(rng.choice(["float64", "float64", "float32"]))
    method, device = str(rng.choice(METHODS)), str(rng.choice(["cpu:0", "cpu:all"]))
    wishes = {"n_channels": x.shape[0], "precision": precision, "device": device, "method": method}
    said = f"{[type(p).__name__ for p in design.parts]} {replace(design, parts=())} {x.shape} {wishes}"
    try:
        program = make_program(design, **wishes)
        y = in_blocks(program, x, rng) if program.is_causal and rng.random() < 0.5 else program.run(x)
        expected = make_program(design, n_channels=x.shape[0], method="scipy").run(x)
    except Exception as error:  # noqa: BLE001  whatever happens is what is looked for
        return f"{type(error).__name__}: {error} | {said}"
    if not np.array_equal(np.isnan(y), np.isnan(expected)):
        return f"NaN in other places | {said}"
    spread = np.nan_to_num(x - np.nan_to_num(x[:, :1])) if precision == "float64" else np.nan_to_num(x)
    scale = max(
        np.abs(np.nan_to_num(expected)).max(initial=0.0),
        np.abs(spread).max(initial=0.0),
        1e-9 * np.abs(np.nan_to_num(x)).max(initial=0.0),
    )
    error = float(np.nan_to_num(np.abs(y - expected)).max(initial=0.0))
    return None if error <= LIMIT[precision] * max(scale, 1e-300) else f"error {error:.3g} of {scale:.3g} | {said}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--cases", type=int, default=sys.maxsize)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    end, number, wrong = time.monotonic() + asked.seconds, asked.first, 0
    while number < asked.first + asked.cases and time.monotonic() < end:
        failure = run_case(number)
        if failure:
            wrong += 1
            sys.stdout.write(f"case {number}: {failure}\n")
            sys.stdout.flush()
        number += 1
    sys.stdout.write(f"{number - asked.first} cases, {wrong} wrong\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
