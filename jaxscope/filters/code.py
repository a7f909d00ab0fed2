"""A chain as source code or a table: EXPORTS.

Each export is a function of the design alone and says in its head what it is. A new one is one function and one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from jaxscope.errors import UsageError
from jaxscope.filters.chain_file import chain_to_dict
from jaxscope.filters.coefficients import ChainDesign, RunningMedian, Sections, Taps
from jaxscope.filters.describe import describe
from jaxscope.filters.design import design_chain
from jaxscope.filters.report import report
from jaxscope.filters.spec import FilterChain
from jaxscope.filters.stability import as_float32, is_stable
from jaxscope.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One way to write a chain down. ``write`` gets the chain, its design and the report sentence."""

    title: str
    suffix: str
    write: Callable[[FilterChain, ChainDesign, str], str]


def export_code(chain: FilterChain, rate_hz: float, target: str) -> str:
    """Return a chain at a rate as the text of one export.

    Raises
    ------
    UsageError
        The target is not known; the nearest is named.
    SpecError
        The chain does not fit the rate.
    """
    if target not in EXPORTS:
        near = EXPORTS.nearest(target)
        hint = f'did you mean "{near}"?' if near else f"choose {', '.join(EXPORTS)}"
        raise UsageError(f'there is no export "{target}"', hint=hint, field="export")
    return EXPORTS[target].write(chain, design_chain(chain, rate_hz), report(chain, rate_hz))


def used_functions(helpers: str, code: str, *, between: str) -> str:
    r"""Return those of the helpers that code calls, and those that they call, as text that follows a whole line.

    Parameters
    ----------
    helpers : str
        Functions with ``between`` around each; what a function calls stands before it.
    code : str
    between : str
        Newlines.

    Examples
    --------
    >>> helpers = "\n\nint a(int x);\n\nint b(int x) { return a(x); }\n\nint c(int x);\n"
    >>> used_functions(helpers, "y = b(x);", between="\n\n")
    '\nint a(int x);\n\nint b(int x) { return a(x); }\n'
    """
    found: list[str] = []
    for text in reversed(helpers.strip("\n").split(between)):
        name = re.search(r"(\w+)\(", text)
        if name is not None and re.search(rf"\b{name[1]}\b", "\n".join([code, *found])):
            found.insert(0, text)
    return f"{between[1:]}{between.join(found)}\n" if found else ""


def _csv(chain: FilterChain, design: ChainDesign, sentence: str) -> str:
    lines = [f"# {sentence}"]
    for part in design.parts:
        match part:
            case Sections():
                lines.append("b0,b1,b2,a0,a1,a2")
                lines.extend(",".join(map(repr, row)) for row in part.rows)
            case Taps():
                lines.append("taps")
                lines.extend(map(repr, part.values))
            case RunningMedian():
                lines.append("median_window")
                lines.append(repr(part.window))
    return "\n".join(lines) + "\n"


def _json(chain: FilterChain, design: ChainDesign, sentence: str) -> str:
    content = {"rate_hz": design.rate_hz, **describe(chain, design.rate_hz), "chain": chain_to_dict(chain)}
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _float(value: float) -> str:
    text = f"{value:.9g}"
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def _table(name: str, values: list[float], per_line: int) -> str:
    lines = [
        "    " + ", ".join(map(_float, values[start : start + per_line])) for start in range(0, len(values), per_line)
    ]
    return f"static const float32_t {name}[{len(values)}] = {{\n" + ",\n".join(lines) + "\n};\n"


def _cmsis(chain: FilterChain, design: ChainDesign, sentence: str) -> str:
    """Return tables for arm_biquad_cascade_df2T_f32 (b0 b1 b2 -a1 -a2) and arm_fir_f32 (taps turned round)."""
    blocks = [f"/* {sentence}", f"   Sampling rate {design.rate_hz:g} Hz, float32."]
    if design.phase == "zero":
        blocks.append("   Zero phase needs the whole signal: run the tables forward, then backward.")
    if not is_stable(as_float32(design.parts)):
        blocks.append("   WARNING: rounded to float32 this filter is not stable.")
    blocks.append("*/\n#include \"arm_math.h\"\n")  # fmt: skip
    for number, part in enumerate(design.parts, start=1):
        match part:
            case Sections():
                values = [value for b0, b1, b2, _, a1, a2 in part.rows for value in (b0, b1, b2, -a1, -a2)]
                blocks.append(f"#define STAGES_{number} {len(part.rows)}")
                blocks.append(_table(f"biquad_{number}", values, 5))
            case Taps():
                blocks.append(f"#define TAPS_{number} {len(part.values)}")
                blocks.append(_table(f"fir_{number}", list(part.values[::-1]), 4))
            case RunningMedian():
                blocks.append(f"/* part {number} is a running median of {part.window} samples: CMSIS-DSP has none */")
    return "\n".join(blocks) + "\n"


CSV = Export(title="CSV", suffix=".csv", write=_csv)
JSON = Export(title="JSON", suffix=".json", write=_json)
CMSIS = Export(title="CMSIS-DSP", suffix=".h", write=_cmsis)

EXPORTS: Registry[Export] = Registry(
    "export",
    {
        "python": "jaxscope.filters.code_python:PYTHON",
        "jaxscope": "jaxscope.filters.code_jaxscope:JAXSCOPE",
        "matlab": "jaxscope.filters.code_matlab:MATLAB",
        "c": "jaxscope.filters.code_c:C",
        "c_header": "jaxscope.filters.code_c:C_HEADER",
        "csv": "jaxscope.filters.code:CSV",
        "json": "jaxscope.filters.code:JSON",
        "cmsis": "jaxscope.filters.code:CMSIS",
    },
)
