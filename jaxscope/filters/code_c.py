"""A chain as one C99 file that needs nothing: ``int jaxscope_filter(double *x, size_t n)``, in place.

A causal chain also has a streaming form, one sample in and one out, with its state in a struct.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from jaxscope.filters.code import Export, used_functions
from jaxscope.filters.code_python import edge_samples, starts_steady
from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections, Taps
from jaxscope.filters.spec import FilterChain

_HELPERS = """
/* One sample through second-order sections (transposed direct form II). */
static double jx_section_step(const double (*c)[6], double (*s)[2], int count, double x)
{
    for (int k = 0; k < count; ++k) {
        const double y = c[k][0] * x + s[k][0];
        s[k][0] = c[k][1] * x - c[k][4] * y + s[k][1];
        s[k][1] = c[k][2] * x - c[k][5] * y;
        x = y;
    }
    return x;
}

/* States after an endless past of the value x; at rest from a pole at z = 1 on. Returns what comes out. */
static double jx_section_start(const double (*c)[6], double (*s)[2], int count, double x)
{
    for (int k = 0; k < count; ++k) {
        const double below = 1.0 + c[k][4] + c[k][5];
        const double y = fabs(below) > 1e-15 ? x * (c[k][0] + c[k][1] + c[k][2]) / below : 0.0;
        if (fabs(below) <= 1e-15) x = 0.0;
        s[k][1] = c[k][2] * x - c[k][5] * y;
        s[k][0] = y - c[k][0] * x;
        x = y;
    }
    return x;
}

/* One sample through taps; past holds the last count inputs, newest first. */
static double jx_taps_step(const double *h, double *past, int count, double x)
{
    double y = 0.0;
    memmove(past + 1, past, (size_t)(count - 1) * sizeof *past);
    past[0] = x;
    for (int k = 0; k < count; ++k) y += h[k] * past[k];
    return y;
}

static double jx_taps_start(const double *h, double *past, int count, double x)
{
    double y = 0.0;
    for (int k = 0; k < count; ++k) { past[k] = x; y += h[k] * x; }
    return y;
}

static int jx_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One sample through a running median; past as for taps, sorted is room for as many. */
static double jx_median_step(double *past, double *sorted, int count, double x)
{
    memmove(past + 1, past, (size_t)(count - 1) * sizeof *past);
    past[0] = x;
    memcpy(sorted, past, (size_t)count * sizeof *past);
    qsort(sorted, (size_t)count, sizeof *sorted, jx_compare);
    return sorted[count / 2];
}

static void jx_reverse(double *x, size_t n)
{
    for (size_t i = 0; i < n / 2; ++i) { const double t = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = t; }
}

/* x continued by edge samples on both sides: 'o' odd, 'e' even, else the end values. */
static double *jx_padded(const double *x, size_t n, size_t edge, char kind)
{
    double *y = malloc((n + 2 * edge) * sizeof *y);
    if (!y) return NULL;
    memcpy(y + edge, x, n * sizeof *x);
    for (size_t i = 1; i <= edge; ++i) {
        const double a = x[0], b = x[n - 1];
        const int mirrored = kind == 'o' || kind == 'e';
        const double left = mirrored ? x[i] : a, right = mirrored ? x[n - 1 - i] : b;
        y[edge - i] = kind == 'o' ? 2 * a - left : left;
        y[edge + n - 1 + i] = kind == 'o' ? 2 * b - right : right;
    }
    return y;
}
"""


def _array(values: Iterable[float]) -> str:
    return textwrap.fill(", ".join(map(repr, values)), 100, initial_indent="    ", subsequent_indent="    ")


def _constant(number: int, part: Realisation) -> str:
    match part:
        case Sections():
            rows = ",\n".join("    {" + ", ".join(map(repr, row)) + "}" for row in part.rows)
            return f"static const double jx_sos_{number}[{len(part.rows)}][6] = {{\n{rows}\n}};\n"
        case Taps():
            return f"static const double jx_taps_{number}[{len(part.values)}] = {{\n{_array(part.values)}\n}};\n"
        case RunningMedian():
            return ""


def _member(number: int, part: Realisation) -> str:
    match part:
        case Sections():
            return f"    double s{number}[{len(part.rows)}][2];\n"
        case Taps():
            return f"    double s{number}[{len(part.values)}];\n"
        case RunningMedian():
            return f"    double s{number}[{part.window}], sorted{number}[{part.window}];\n"


def _start(number: int, part: Realisation) -> str:
    match part:
        case Sections():
            return f"x = jx_section_start(jx_sos_{number}, s->s{number}, {len(part.rows)}, x);"
        case Taps():
            return f"x = jx_taps_start(jx_taps_{number}, s->s{number}, {len(part.values)}, x);"
        case RunningMedian():
            return f"for (int k = 0; k < {part.window}; ++k) s->s{number}[k] = x;"


def _step(number: int, part: Realisation) -> str:
    match part:
        case Sections():
            return f"x = jx_section_step(jx_sos_{number}, s->s{number}, {len(part.rows)}, x);"
        case Taps():
            return f"x = jx_taps_step(jx_taps_{number}, s->s{number}, {len(part.values)}, x);"
        case RunningMedian():
            return f"x = jx_median_step(s->s{number}, s->sorted{number}, {part.window}, x);"


def _causal(design: ChainDesign) -> str:
    numbered = list(enumerate(design.parts, start=1))
    members = "".join(_member(n, part) for n, part in numbered) or "    int nothing;\n"
    starts = "".join(f"    {_start(n, part)}\n" for n, part in numbered if starts_steady(design, n))
    steps = "".join(f"    {_step(n, part)}\n" for n, part in numbered)
    return f"""
typedef struct {{
{members}}} jaxscope_state;

/* Make ready for a signal that begins with x. */
void jaxscope_start(jaxscope_state *s, double x)
{{
    memset(s, 0, sizeof *s);
{starts}    (void)x;
}}

/* Filter one sample. */
double jaxscope_step(jaxscope_state *s, double x)
{{
    (void)s;
{steps}    return x;
}}

/* Filter n samples in place. Returns 0, or 1 where memory ran out. */
int jaxscope_filter(double *x, size_t n)
{{
    jaxscope_state *s = malloc(sizeof *s);
    if (!s) return 1;
    if (n) jaxscope_start(s, x[0]);
    for (size_t i = 0; i < n; ++i) x[i] = jaxscope_step(s, x[i]);
    free(s);
    return 0;
}}
"""


def _zero_part(number: int, part: Realisation, design: ChainDesign) -> str:
    once = isinstance(part, RunningMedian) or (isinstance(part, Taps) and part.runs_once)
    kind = {"odd": "o", "even": "e"}.get(design.padding_kind, "c")
    if once:
        length = part.window if isinstance(part, RunningMedian) else len(part.values)  # type: ignore[union-attr]
        edge, late, passes = length // 2, length // 2, 1
    else:
        edge = 0 if design.padding_kind in ("none", "gustafsson") else edge_samples(part, design)
        late, passes = 0, 2
    turn = "        jx_reverse(y, m);\n" if passes == 2 else ""
    clamp = "" if kind == "c" else "    if (edge > n - 1) edge = n - 1;\n"
    return f"""
static int jx_run_{number}(double *x, size_t n)
{{
    size_t edge = {edge};
{clamp}    const size_t m = n + 2 * edge;
    double *y = jx_padded(x, n, edge, '{kind}');
    jx_state_{number} *s = malloc(sizeof *s);
    if (!y || !s) {{ free(y); free(s); return 1; }}
    for (int pass = 0; pass < {passes}; ++pass) {{
        double x = y[0];
        {_start(number, part)}
        (void)x;
        for (size_t i = 0; i < m; ++i) {{ double x = y[i]; {_step(number, part)} y[i] = x; }}
{turn}    }}
    for (size_t i = 0; i < n; ++i) x[i] = y[i + edge + {late} < m ? i + edge + {late} : m - 1];
    free(y); free(s);
    return 0;
}}
"""


def _zero_phase(design: ChainDesign) -> str:
    numbered = list(enumerate(design.parts, start=1))
    states = "".join(f"typedef struct {{\n{_member(n, part)}}} jx_state_{n};\n" for n, part in numbered)
    runs = "".join(_zero_part(n, part, design) for n, part in numbered)
    calls = "".join(f"    if (jx_run_{n}(x, n)) return 1;\n" for n, _ in numbered)
    return f"""
{states}{runs}
/* Filter n samples in place, forward and backward. Returns 0, or 1 where memory ran out. */
int jaxscope_filter(double *x, size_t n)
{{
    if (n == 0) return 0;
{calls}    return 0;
}}
"""


def write_c(chain: FilterChain, design: ChainDesign, sentence: str) -> str:
    """Return a C99 source file."""
    head = textwrap.fill(sentence, 98, initial_indent="/* ", subsequent_indent="   ")
    if design.phase == "zero" and design.padding_kind == "gustafsson":
        head += "\n   Gustafsson's choice of states is not written out: both passes start from the end values instead."
    if design.phase == "zero":
        head += "\n   Zero phase needs the whole signal: there is no form that takes one sample at a time."
    constants = "".join(_constant(number, part) for number, part in enumerate(design.parts, start=1))
    body = _zero_phase(design) if design.phase == "zero" else _causal(design)
    helpers = used_functions(_HELPERS, body, between="\n\n")
    return (
        f"{head}\n   Sampling rate {design.rate_hz:g} Hz. Give stretches without NaN. */\n"
        "#include <math.h>\n#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
        f"{constants}{helpers}{body}"
    )


def write_header(chain: FilterChain, design: ChainDesign, sentence: str) -> str:
    """Return the same as a header alone: include it where it is used; its functions are static."""
    body = write_c(chain, design, sentence)
    for name in ("void jaxscope_start", "double jaxscope_step", "int jaxscope_filter"):
        body = body.replace(f"\n{name}", f"\nstatic inline {name}")
    body = body.replace("\nstatic double jx_", "\nstatic inline double jx_").replace(
        "\nstatic int jx_", "\nstatic inline int jx_"
    )
    body = body.replace("\nstatic void jx_", "\nstatic inline void jx_").replace(
        "\nstatic double *jx_", "\nstatic inline double *jx_"
    )
    return f"#ifndef JAXSCOPE_FILTER_H\n#define JAXSCOPE_FILTER_H\n\n{body}\n#endif\n"


C = Export(title="C", suffix=".c", write=write_c)
C_HEADER = Export(title="C header", suffix=".h", write=write_header)
