"""Lines of MATLAB: matrices between brackets, ``[b,a] = butter(4,[1 40]/(fs/2),'bandpass')``, ``designfilt(…)``.

A line is rewritten as Python (commas between the numbers of a matrix, ``**`` for ``^``) and then read like Python: as a
tree, never run. MATLAB's own designs are tables beside SciPy's where they differ: orders for taps, widths for Q.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from jaxscope.errors import ChainError
from jaxscope.filters import FAMILIES
from jaxscope.filters.imports_designs import BANDS, SCIPY, Call, Designed, DesignFunction, fir_of, window_of
from jaxscope.filters.imports_numbers import Imported
from jaxscope.filters.imports_source import import_statements
from jaxscope.filters.values import shown

_OPERAND_END = re.compile(r"[\w.)\]'\"]")
_IMAGINARY = re.compile(r"(?<![\w.])(\d+\.?\d*(?:[eE][-+]?\d+)?)[ij]\b")
SAME_AS_SCIPY = ("butter", "cheby1", "cheby2", "ellip", "buttord", "cheb1ord", "cheb2ord", "ellipord")
#: windows by MATLAB's names
_WINDOWS = {
    **{name: name for name in ("hamming", "hann", "blackman", "kaiser", "chebwin", "bartlett", "triang")},
    **{"hanning": "hann", "tukeywin": "tukey", "gausswin": "gaussian", "rectwin": "boxcar"},
    **{"flattopwin": "flattop", "parzenwin": "parzen", "blackmanharris": "blackmanharris"},
}


def matlab_statements(text: str) -> list[tuple[int, str]]:
    """Return the statements of a source as Python, each with the number of its line.

    Examples
    --------
    >>> matlab_statements("[b,a] = butter(4, [1 40]/(fs/2), 'bandpass'); % ours")
    [(1, "[b,a] = butter(4, [1,40]/(fs/2), 'bandpass')")]
    """
    return [(line, rewritten) for line, piece in _pieces(text) if (rewritten := _rewritten(piece))]


def import_matlab(text: str, *, rate_hz: float | None = None) -> Imported:
    """Return the filters that lines of MATLAB describe, read from their tree and never run.

    Parameters
    ----------
    text : str
    rate_hz : float or None
        Rate of the recording: what normalised cutoffs are parts of half of.

    Raises
    ------
    ChainError
        They describe no filter, or one that cannot be; the line is named.
    """
    return import_statements(matlab_statements(text), MATLAB, rate_hz=rate_hz)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield statements: cut at semicolons and ends of lines that stand in no bracket, comments left out."""
    depth, start, line, piece, place = 0, 1, 1, "", 0
    while place < len(text):
        sign = text[place]
        if sign == "%" or (sign == "#" and not piece.strip()):
            place = _line_end(text, place)
            continue
        if text.startswith("...", place):
            place, line = _line_end(text, place) + 1, line + 1
            continue
        if sign in "'\"" and not _is_transpose(text, place):
            end = text.find(sign, place + 1)
            stop = place + 1 if end < 0 else end + 1
            piece, place = piece + text[place:stop], stop
            continue
        depth += (sign in "[({") - (sign in "])}")
        if sign in ";\n" and depth <= 0:
            yield start, piece
            piece = ""
        else:
            piece += ";" if sign == "\n" and depth > 0 else sign
        line += sign == "\n"
        if not piece.strip():
            start, depth = line, 0
        place += 1
    yield start, piece


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _is_transpose(text: str, place: int) -> bool:
    return text[place] == "'" and place > 0 and re.match(r"[\w.)\]']", text[place - 1]) is not None


def _rewritten(piece: str) -> str:
    """Return one statement as Python."""
    text, place = "", 0
    while place < len(piece):
        sign = piece[place]
        if sign == "[":
            inner, place = _matrix(piece, place + 1)
            text += inner
        elif sign in "'\"":
            if _is_transpose(piece, place):
                place += 1  # a row or a column: both are read
                continue
            end = piece.find(sign, place + 1)
            stop = len(piece) if end < 0 else end + 1
            text, place = text + piece[place:stop], stop
        else:
            text, place = text + sign, place + 1
    text = text.replace(".^", "**").replace("^", "**").replace(".*", "*").replace("./", "/")
    return _IMAGINARY.sub(r"\1j", text).strip()


def _matrix(piece: str, place: int) -> tuple[str, int]:
    """Return a matrix from behind its bracket as a list of Python, and where it ends."""
    rows: list[list[str]] = [[""]]
    depth = 0
    while place < len(piece):
        sign = piece[place]
        if sign == "]" and depth == 0:
            place += 1
            break
        if sign == "[":
            inner, place = _matrix(piece, place + 1)
            rows[-1][-1] += inner
            continue
        depth += (sign == "(") - (sign == ")")
        if sign == ";" and depth == 0:
            rows.append([""])
        elif (sign == "," or _parts(piece, place)) and depth == 0:
            rows[-1].append("")
        elif not sign.isspace() or depth:
            rows[-1][-1] += sign
        place += 1
    lists = [",".join(part for part in row if part) for row in rows]
    lists = [row for row in lists if row]
    return f"[{lists[0] if len(lists) == 1 else ','.join(f'[{row}]' for row in lists)}]" if lists else "[]", place


def _parts(piece: str, place: int) -> bool:
    """Return whether the blank here parts two numbers: ``1 -2`` are two, ``1 - 2`` is one."""
    if not piece[place].isspace() or place == 0 or not _OPERAND_END.match(piece[place - 1]):
        return False
    rest = piece[place:].lstrip()
    if not rest or rest[0] in ",;]":
        return False
    if rest[0] in "+-":
        return len(rest) > 1 and not rest[1].isspace()
    return rest[0] not in "*/^.)" or (rest[0] == "." and len(rest) > 1 and rest[1].isdigit())


def _fir1(call: Call) -> Designed:
    order, edges = call.count(0, "n"), call.numbers(1, "Wn")
    words = [value for value in call.given[2:] if isinstance(value, str) and not value.endswith("scale")]
    windows = [value for value in call.given[2:] if isinstance(value, tuple)]
    band = BANDS.get(words[0], "") if words else ("bandpass" if edges.size == 2 else "lowpass")
    if not band or edges.size > 2 or any(isinstance(value, str) and value == "noscale" for value in call.given):
        raise ChainError(f"{call.name} of this kind cannot be read", hint="give its taps as numbers")
    if order % 2 and band in ("highpass", "bandstop"):
        order += 1
        call.notes.append(f"fir1 raises the order to {order}: an odd one cannot pass half the rate")
    window = window_of(call, windows[0]) if windows else "hamming"
    return Designed(fir_of(call, order + 1, call.parts_of_nyquist(edges), band, window))


def _window(call: Call) -> tuple[str] | tuple[str, float]:
    """Read ``hann(n+1)``, ``kaiser(n+1, 8)``: the name, with its number where it has one."""
    name = _WINDOWS[call.name]
    return (name, call.number(1, "its number")) if name in ("kaiser", "chebwin", "tukey", "gaussian") else (name,)


def _firpm(call: Call) -> Designed:
    edges, gains = call.parts_of_nyquist(call.numbers(1, "f")), call.numbers(2, "a").tolist()
    if gains[::2] != gains[1::2]:
        raise ChainError(f"{call.name} with sloping bands cannot be read", hint="give its taps as numbers")
    weights = tuple(call.numbers(3, "w").tolist()) if len(call.given) > 3 else None
    return Designed(
        FAMILIES["fir_equiripple"](
            taps=call.count(0, "n") + 1, edges_hz=tuple(edges), gains=tuple(gains[::2]), weights=weights
        )
    )


def _firls(call: Call) -> Designed:
    edges, gains = call.parts_of_nyquist(call.numbers(1, "f")), call.numbers(2, "a").tolist()
    weights = tuple(call.numbers(3, "w").tolist()) if len(call.given) > 3 else None
    return Designed(
        FAMILIES["fir_least_squares"](
            taps=call.count(0, "n") + 1, edges_hz=tuple(edges), gains=tuple(gains), weights=weights
        )
    )


def _resonator(family: str) -> DesignFunction:
    """Return the reader of iirnotch(w0, bw) and iirpeak: Q is the frequency over the width."""

    def read(call: Call) -> Designed:
        w0 = call.numbers(0, "w0")
        return Designed(
            FAMILIES[family](frequency_hz=call.parts_of_nyquist(w0)[0], q=float(w0[0]) / call.number(1, "bw"))
        )

    return read


def _iircomb(call: Call) -> Designed:
    number, kind = call.count(0, "n"), call.text(2, "type", "notch")
    w0 = np.array([2 / number])
    return Designed(
        FAMILIES["comb"](frequency_hz=call.parts_of_nyquist(w0)[0], q=float(w0[0]) / call.number(1, "bw"), kind=kind)
    )


def _sgolay(call: Call) -> Designed:
    return Designed(FAMILIES["savitzky_golay"](window=call.count(2, "framelen"), polynomial=call.number(1, "order")))


_METHODS = {"butter": "butterworth", "cheby1": "chebyshev1", "cheby2": "chebyshev2", "ellip": "elliptic"}
_EDGE_NAMES = {
    "butterworth": "HalfPowerFrequency",
    "chebyshev1": "PassbandFrequency",
    "chebyshev2": "StopbandFrequency",
    "elliptic": "PassbandFrequency",
    "fir": "CutoffFrequency",
}


def _designfilt(call: Call) -> Designed:
    """Read ``designfilt('bandpassiir','FilterOrder',8,'HalfPowerFrequency1',…)``; a band's order counts both edges."""
    response = call.text(0, "response", "")
    options = dict(zip(call.given[1::2], call.given[2::2], strict=False))
    asked = Call(
        name=call.name, given=(), named=options, rate_hz=call.rate_hz, own_rate_hz=call.own_rate_hz, notes=call.notes
    )
    band = next((name for name in ("lowpass", "highpass", "bandpass", "bandstop") if response.startswith(name)), "")
    is_fir = response.endswith("fir")
    if not band or not (is_fir or response.endswith("iir")):
        raise ChainError(f"designfilt of {shown(response)} cannot be read", hint="export its numbers instead")
    method = asked.text(-1, "DesignMethod", "window" if is_fir else _usual_method(options))
    family = "fir" if is_fir and method == "window" else _METHODS.get(method, "")
    if not family:
        raise ChainError(f"designfilt by {shown(method)} cannot be read", hint="export its numbers instead")
    order, fields = asked.count(-1, "FilterOrder"), {}
    names = [_EDGE_NAMES[family]] if band in ("lowpass", "highpass") else [f"{_EDGE_NAMES[family]}{n}" for n in (1, 2)]
    edges = np.array([asked.number(-1, name) for name in names])
    hertz = asked.hertz(edges, -1, "SampleRate")
    if is_fir:
        return Designed(fir_of(asked, order + 1, hertz, band, "hamming"))
    if family in ("chebyshev1", "elliptic"):
        fields["ripple_db"] = asked.number(-1, "PassbandRipple")
    if family in ("chebyshev2", "elliptic"):
        fields["attenuation_db"] = asked.number(-1, "StopbandAttenuation")
    if len(hertz) == 2:
        order, odd = divmod(order, 2)
        if odd:
            raise ChainError("the order of a band in designfilt is odd", hint="give an even one")
    cutoff = hertz[0] if len(hertz) == 1 else (hertz[0], hertz[1])
    return Designed(FAMILIES[family](band=band, order=order, cutoff_hz=cutoff, **fields))


def _usual_method(options: Mapping[Any, Any]) -> str:
    """Return the method that MATLAB takes for a set of options: what is given decides."""
    has = {"ripple": "PassbandRipple" in options, "stop": "StopbandAttenuation" in options}
    if has["ripple"]:
        return "ellip" if has["stop"] else "cheby1"
    return "cheby2" if has["stop"] else "butter"


MATLAB: Mapping[str, DesignFunction] = {
    **{name: SCIPY[name] for name in SAME_AS_SCIPY},
    "fir1": _fir1,
    "firpm": _firpm,
    "firls": _firls,
    "iirnotch": _resonator("notch"),
    "iirpeak": _resonator("peak"),
    "iircomb": _iircomb,
    "sgolayfilt": _sgolay,
    "medfilt1": SCIPY["medfilt"],
    "designfilt": _designfilt,
    **dict.fromkeys(_WINDOWS, _window),
}
