"""A chain as a Python module that needs numpy and SciPy only: ``apply(x)`` along the last axis.

It follows the rules of the chain: steady or rest, zero phase with its padding. What it does not know are gaps: give it
stretches without NaN.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from jaxscope.filters.code import Export, used_functions
from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections, Taps
from jaxscope.filters.design import has_integrator
from jaxscope.filters.spec import FilterChain

_HELPERS = '''

def _steady(sos):
    """Return states after an endless past of 1, from a pole at z = 1 on at rest, as sosfilt_zi does without one."""
    states, level = np.zeros((len(sos), 2)), 1.0
    for k, (b0, b1, b2, _, a1, a2) in enumerate(sos):
        below = 1.0 + a1 + a2
        if abs(below) <= 1e-15:
            break
        out = level * (b0 + b1 + b2) / below
        states[k] = out - b0 * level, b2 * level - a2 * out
        level = out
    return states


def _sections(sos, y, steady):
    zi = (_steady(sos) if steady else np.zeros((len(sos), 2))).reshape((len(sos),) + (1,) * (y.ndim - 1) + (2,))
    return signal.sosfilt(sos, y, axis=-1, zi=zi * y[..., :1])[0]


def _taps(taps, y, steady):
    if len(taps) == 1:
        return taps[0] * y
    zi = np.cumsum(taps[:0:-1])[::-1] if steady else np.zeros(len(taps) - 1)
    return signal.lfilter(taps, 1.0, y, axis=-1, zi=zi * y[..., :1])[0]


def _padded(y, edge, kind):
    edge = edge if kind == "constant" else min(edge, y.shape[-1] - 1)
    if edge <= 0 or kind == "none":
        return y, 0
    width = [(0, 0)] * (y.ndim - 1) + [(edge, edge)]
    if kind == "odd":
        return np.pad(y, width, mode="reflect", reflect_type="odd"), edge
    return np.pad(y, width, mode="reflect" if kind == "even" else "edge"), edge


def _both_ways(forward, coefficients, y, edge):
    y, edge = _padded(y, edge, PADDING)
    y = forward(coefficients, y, True)
    y = forward(coefficients, y[..., ::-1], True)[..., ::-1]
    return y[..., edge : y.shape[-1] - edge]


def _once(taps, y):
    half = len(taps) // 2
    width = [(0, 0)] * (y.ndim - 1) + [(half, half)]
    if half >= y.shape[-1]:
        y = np.pad(y, width, mode="edge")
    else:
        y, _ = _padded(y, half, PADDING if PADDING in ("odd", "even") else "constant")
    return signal.oaconvolve(y, taps.reshape((1,) * (y.ndim - 1) + (-1,)), mode="valid", axes=-1)


def _median(window, y, before, after, kind="constant"):
    if kind in ("odd", "even") and before < y.shape[-1]:
        y, _ = _padded(y, before, kind)
    else:
        mode = "constant" if kind == "rest" else "edge"
        y = np.pad(y, [(0, 0)] * (y.ndim - 1) + [(before, after)], mode=mode)
    return np.median(np.lib.stride_tricks.sliding_window_view(y, window, axis=-1), axis=-1)
'''


def _numbers(values: Iterable[float]) -> str:
    return textwrap.fill(", ".join(map(repr, values)), 100, initial_indent="    ", subsequent_indent="    ")


def _constant(number: int, part: Realisation) -> str:
    match part:
        case Sections():
            rows = "\n".join(f"    [{', '.join(map(repr, row))}]," for row in part.rows)
            return f"SOS_{number} = np.array([\n{rows}\n])\n"
        case Taps():
            return f"TAPS_{number} = np.array([\n{_numbers(part.values)},\n])\n"
        case RunningMedian():
            return f"WINDOW_{number} = {part.window}\n"


def edge_samples(part: Realisation, design: ChainDesign) -> int:
    """Return SciPy's padding of one part, or what the chain says."""
    if design.padding_samples is not None:
        return design.padding_samples
    if isinstance(part, Taps):
        return 3 * len(part.values)
    rows = part.rows if isinstance(part, Sections) else ()
    short = min(sum(row[2] == 0 for row in rows), sum(row[5] == 0 for row in rows))
    return 3 * (2 * len(rows) + 1 - short)


def starts_steady(design: ChainDesign, number: int) -> bool:
    """Return whether part ``number``, from 1, of a causal chain has an endless past: none after a pole at z = 1."""
    return design.initial == "steady" and not any(map(has_integrator, design.parts[: number - 1]))


def _call(number: int, part: Realisation, design: ChainDesign) -> str:
    zero = design.phase == "zero"
    match part:
        case Sections() if zero and design.padding_kind == "gustafsson":
            return f'signal.filtfilt(*signal.sos2tf(SOS_{number}), y, axis=-1, method="gust")'
        case Taps(runs_once=False) if zero and design.padding_kind == "gustafsson":
            return f'signal.filtfilt(TAPS_{number}, 1.0, y, axis=-1, method="gust")'
        case Sections() if zero:
            return f"_both_ways(_sections, SOS_{number}, y, {edge_samples(part, design)})"
        case Taps(runs_once=True) if zero:
            return f"_once(TAPS_{number}, y)"
        case Taps() if zero:
            return f"_both_ways(_taps, TAPS_{number}, y, {edge_samples(part, design)})"
        case Sections():
            return f"_sections(SOS_{number}, y, {starts_steady(design, number)})"
        case Taps():
            return f"_taps(TAPS_{number}, y, {starts_steady(design, number)})"
        case RunningMedian() if zero:
            return f"_median(WINDOW_{number}, y, {part.window // 2}, {part.window // 2}, PADDING)"
        case RunningMedian():
            kind = "constant" if starts_steady(design, number) else "rest"
            return f'_median(WINDOW_{number}, y, {part.window - 1}, 0, "{kind}")'


def write_python(chain: FilterChain, design: ChainDesign, sentence: str) -> str:
    """Return a module whose ``apply(x)`` filters the last axis of ``x`` as the chain does."""
    numbered = list(enumerate(design.parts, start=1))
    head = textwrap.fill(sentence, 100)
    constants = "\n".join(_constant(number, part) for number, part in numbered)
    calls = "".join(f"    y = {_call(number, part, design)}\n" for number, part in numbered)
    helpers = used_functions(_HELPERS, calls, between="\n\n\n")
    return (
        f'"""{head}"""\n\nimport numpy as np\nfrom scipy import signal\n\n'
        f'FS = {design.rate_hz!r}\nPADDING = "{design.padding_kind}"\n{constants}{helpers}\n\n'
        f'def apply(x):\n    """Filter the last axis of x, sampled at FS; no NaN in it."""\n'
        f"    y = np.asarray(x, dtype=float)\n{calls}    return y\n"
    )


PYTHON = Export(title="Python (SciPy)", suffix=".py", write=write_python)
