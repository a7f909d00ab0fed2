"""A chain as one MATLAB (or Octave) function file without toolboxes: ``y = jaxscope_filter(x)``, down the columns."""

from __future__ import annotations

import textwrap

from jaxscope.filters.code import Export, used_functions
from jaxscope.filters.code_python import edge_samples, starts_steady
from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections, Taps
from jaxscope.filters.spec import FilterChain

_HELPERS = """
function y = run_sections(sos, y, steady)
  for k = 1:size(sos, 1)
    b = sos(k, 1:3); a = sos(k, 4:6); z = zeros(2, 1);
    if steady && abs(sum(a)) > 1e-15
      g = sum(b) / sum(a); z = [b(2) - a(2) * g + b(3) - a(3) * g; b(3) - a(3) * g];
    else
      steady = false;
    end
    y = filter(b, a, y, z * y(1, :), 1);
  end
end

function y = run_taps(h, y, steady)
  z = zeros(numel(h) - 1, 1);
  if steady, z = flipud(cumsum(flipud(reshape(h(2:end), [], 1)))); end
  y = filter(h, 1, y, z * y(1, :), 1);
end

function [y, n] = extend(y, n, kind)
  if ~strcmp(kind, 'constant'), n = min(n, size(y, 1) - 1); end
  if strcmp(kind, 'none'), n = 0; end
  if n == 0, return; end
  if strcmp(kind, 'constant')
    y = [repmat(y(1, :), n, 1); y; repmat(y(end, :), n, 1)]; return;
  end
  top = y(n + 1:-1:2, :); bottom = y(end - 1:-1:end - n, :);
  switch kind
    case 'odd', y = [2 * y(1, :) - top; y; 2 * y(end, :) - bottom];
    case 'even', y = [top; y; bottom];
  end
end

function y = both_ways(f, y, n, kind)
  [y, n] = extend(y, n, kind);
  y = flipud(f(flipud(f(y))));
  y = y(n + 1:end - n, :);
end

function y = run_once(h, y, kind)
  n = floor(numel(h) / 2); rows = size(y, 1);
  [y, n] = extend(y, n, kind);
  y = conv2(y, h(:), 'full'); start = n + floor(numel(h) / 2);
  y = y(start + 1:start + rows, :);
end

function y = run_median(w, y, before, after, kind)
  if any(strcmp(kind, {'odd', 'even'})) && before < size(y, 1)
    p = extend(y, before, kind);
  elseif strcmp(kind, 'rest')
    p = [zeros(before, size(y, 2)); y];
  else
    p = [repmat(y(1, :), before, 1); y; repmat(y(end, :), after, 1)];
  end
  for k = 1:size(y, 1), y(k, :) = median(p(k:k + w - 1, :), 1); end
end
"""


def _matrix(part: Realisation) -> str:
    match part:
        case Sections():
            return "[\n" + "\n".join("  " + " ".join(map(repr, row)) for row in part.rows) + "\n]"
        case Taps():
            numbers = textwrap.fill(" ".join(map(repr, part.values)), 100, subsequent_indent="  ")
            return "[" + numbers.replace("\n", " ...\n") + "]"
        case RunningMedian():
            return str(part.window)


def _call(number: int, part: Realisation, design: ChainDesign) -> str:
    name, zero = f"c{number}", design.phase == "zero"
    # Gustafsson's choice of states is not written out: the constant continuation stands in, and the head says so
    kind = "constant" if design.padding_kind == "gustafsson" else design.padding_kind
    is_steady = zero or starts_steady(design, number)
    match part:
        case RunningMedian():
            before, after = (part.window // 2, part.window // 2) if zero else (part.window - 1, 0)
            past = kind if zero else "constant" if is_steady else "rest"
            return f"y = run_median({name}, y, {before}, {after}, '{past}');"
        case Taps(runs_once=True) if zero:
            return f"y = run_once({name}, y, '{kind}');"
        case _:
            runner = "run_sections" if isinstance(part, Sections) else "run_taps"
            if zero:
                return f"y = both_ways(@(u) {runner}({name}, u, true), y, {edge_samples(part, design)}, '{kind}');"
            return f"y = {runner}({name}, y, {str(is_steady).lower()});"


def write_matlab(chain: FilterChain, design: ChainDesign, sentence: str) -> str:
    """Return a function file; a row is turned to a column, columns are channels."""
    head = textwrap.fill(sentence, 98, initial_indent="% ", subsequent_indent="% ")
    if design.phase == "zero" and design.padding_kind == "gustafsson":
        head += "\n% Gustafsson's method is not written out here: the signal is continued by its end values instead."
    body = [f"  c{n} = {_matrix(part)};\n  {_call(n, part, design)}" for n, part in enumerate(design.parts, start=1)]
    code = "\n".join(body)
    helpers = used_functions(_HELPERS, code, between="\n\n")
    return (
        f"function y = jaxscope_filter(x)\n{head}\n% x: samples at {design.rate_hz:g} Hz, one channel a column.\n"
        f"  row = isrow(x); y = double(x); if row, y = y(:); end\n{code}\n  if row, y = y.'; end\nend\n"
        f"{helpers}"
    )


MATLAB = Export(title="MATLAB", suffix=".m", write=write_matlab)
