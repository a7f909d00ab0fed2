"""The calls of SciPy and MATLAB that design a filter, each as the spec of one of our families.

A call becomes a design in hertz, not its coefficients, so that it can be tuned on. With ``fs`` its edges are hertz
already; without, they are parts of half the rate, and the source's or the recording's rate turns them into hertz, which
is said. What no family of ours is (``firwin2``, several bands in ``firwin``) becomes taps, worked out by SciPy from the
plain numbers. Signatures: those of ``scipy.signal`` and of MATLAB's Signal Processing Toolbox.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.errors import ChainError
from jaxscope.filters import FAMILIES
from jaxscope.filters.fir import MAX_TAPS, WINDOWS
from jaxscope.filters.imports_numbers import RateNeededError, polynomial_spec, real_numbers
from jaxscope.filters.spec import AbstractFilterSpec
from jaxscope.filters.values import shown, whole

BANDS = {
    **dict.fromkeys(("low", "l", "lp", "lowpass", "DC-1"), "lowpass"),
    **dict.fromkeys(("high", "h", "hp", "highpass", "DC-0"), "highpass"),
    **dict.fromkeys(("band", "bandpass", "pass", "bp"), "bandpass"),
    **dict.fromkeys(("bandstop", "bands", "stop", "bs"), "bandstop"),
}
_REQUIRED = object()
WITHOUT_EFFECT = frozenset({"output", "x", "volume", "axis", "mode", "cval"})


@dataclass(frozen=True, slots=True)
class Designed:
    """A filter that a call has designed."""

    spec: AbstractFilterSpec


@dataclass(slots=True, kw_only=True)
class Call:
    """One call with its arguments as values; ``take`` gives one by its place or its name."""

    name: str
    given: tuple[Any, ...]
    named: dict[str, Any]
    #: rate of the recording, and the one that the source gives by a name such as fs
    rate_hz: float | None
    own_rate_hz: float | None = None
    notes: list[str] = field(default_factory=list)
    asked: set[int | str] = field(default_factory=set)

    def take(self, place: int, name: str, default: Any = _REQUIRED) -> Any:
        """Return an argument; ChainError where it is missing."""
        self.asked |= {place, name}
        value = self.given[place] if 0 <= place < len(self.given) else self.named.get(name, default)
        if value is _REQUIRED:
            raise ChainError(f"{self.name} has no {name}", hint="give it")
        return value

    def unread(self) -> list[str]:
        """Return the arguments that nobody asked for and that may change the filter."""
        last = max((place for place in self.asked if isinstance(place, int)), default=-1)
        words = [f"argument {place + 1}" for place in range(last + 1, len(self.given))]
        return words + [name for name in self.named if name not in self.asked and name not in WITHOUT_EFFECT]

    def number(self, place: int, name: str, default: Any = _REQUIRED) -> float:
        """Return one real number."""
        value = self.take(place, name, default)
        if isinstance(value, bool) or not isinstance(value, float | int | np.number | np.ndarray):
            reason = getattr(value, "reason", f"{shown(value)} is not a number")
            raise ChainError(f"{name} of {self.name}: {reason}", hint="give a number")
        flat = real_numbers(name, np.asarray(value)).ravel()
        if flat.size != 1:
            raise ChainError(f"{name} of {self.name} has {flat.size} numbers", hint="give one")
        return float(flat[0])

    def numbers(self, place: int, name: str) -> npt.NDArray[np.float64]:
        """Return real numbers, shape (n,)."""
        value = self.take(place, name)
        if isinstance(value, str) or not isinstance(value, float | int | np.number | np.ndarray):
            reason = getattr(value, "reason", f"{shown(value)} is not a list of numbers")
            raise ChainError(f"{name} of {self.name}: {reason}", hint="give numbers")
        return real_numbers(name, np.asarray(value)).ravel().astype(np.float64)

    def text(self, place: int, name: str, default: str) -> str:
        """Return a word."""
        value = self.take(place, name, default)
        if not isinstance(value, str):
            raise ChainError(f"{name} of {self.name} is {shown(value)}", hint="give a word in quotes")
        return value

    def count(self, place: int, name: str) -> int:
        """Return a whole number above 0."""
        number = whole(name, self.number(place, name))
        if not 0 < number <= MAX_TAPS:
            raise ChainError(f"{name} of {self.name} is {number}", hint=f"give 1 to {MAX_TAPS}")
        return number

    def hertz(self, values: npt.NDArray[np.float64], place: int, name: str = "fs") -> list[float]:
        """Return edges in Hz: they are with ``fs``, else they are parts of half the rate, and that is said."""
        fs = self.take(place, name, None)
        if fs is not None:
            fs_hz = self.number(place, name)
            if self.rate_hz is not None and fs_hz != self.rate_hz:
                self.notes.append(
                    f"written for {shown(fs_hz)} Hz: its edges in Hz are kept at {shown(self.rate_hz)} Hz"
                )
            return [float(value) for value in values]
        return self.parts_of_nyquist(values)

    def rate_of(self, name: str, place: int) -> float | None:
        """Return the rate that the call, the source or the recording gives."""
        if self.take(place, name, None) is not None:
            return self.number(place, name)
        return self.own_rate_hz or self.rate_hz

    def parts_of_nyquist(self, values: npt.NDArray[np.float64]) -> list[float]:
        """Return parts of half the rate in Hz: of the rate that the source gives, else of the recording's."""
        rate_hz = self.own_rate_hz or self.rate_hz
        if values.size and not (values.min() >= 0 and values.max() <= 1):
            raise ChainError(
                f"{shown(float(values.max()))} in {self.name} is no part of half the rate",
                hint="write fs=1000 in the call, so that it is hertz",
            )
        if rate_hz is None:
            raise RateNeededError(
                f"{shown(float(values[-1]))} in {self.name} is a part of half the rate, which is not known",
                hint="write fs=1000 in the call, or open a recording or give --rate",
            )
        # cutoffs that were divided by half the rate come back without the dust of the division
        hertz = [float(f"{value * rate_hz / 2:.14g}") for value in values]
        whose = f"fs = {shown(rate_hz)} Hz" if self.own_rate_hz else f"the recording's {shown(rate_hz)} Hz"
        listed = ", ".join(f"{value:.6g}" for value in values)
        self.notes.append(f"{listed} of half of {whose} is {', '.join(f'{value:.6g}' for value in hertz)} Hz")
        return hertz


DesignFunction = Callable[[Call], Any]


def _edge(call: Call, values: npt.NDArray[np.float64], place: int) -> float | tuple[float, float]:
    hertz = call.hertz(values, place)
    if len(hertz) > 2:
        raise ChainError(f"{call.name} has {len(hertz)} edges", hint="give one or two")
    return hertz[0] if len(hertz) == 1 else (hertz[0], hertz[1])


def _band(call: Call, word: str, edges: npt.NDArray[np.float64], *, double: str = "bandpass") -> str:
    """Return our name of a band; two edges with the default word are a band, as MATLAB has it."""
    if word == "" and edges.size == 2:
        return double
    if (word or "low") not in BANDS:
        raise ChainError(
            f"{shown(word)} is no band of {call.name}", hint=f"give {', '.join(sorted(set(BANDS.values())))}"
        )
    return BANDS[word or "low"]


def _refuse_analog(call: Call, *, analog: bool) -> None:
    if analog:
        raise ChainError(
            f"{call.name} is an analog design: it has no samples to filter", hint="leave analog out and give fs"
        )


def _classical(family: str, extras: tuple[str, ...], words: tuple[str, ...]) -> DesignFunction:
    """Return the reader of butter, cheby1, cheby2, ellip and bessel: order, extras, edges, band."""

    def read(call: Call) -> Designed:
        order = call.count(0, "N")
        values: dict[str, Any] = {
            ours: call.number(1 + at, word) for at, (ours, word) in enumerate(zip(extras, words, strict=True))
        }
        after = 1 + len(extras)
        edges = call.numbers(after, "Wn")
        is_analog = bool(call.take(after + 2, "analog", default=False)) or call.text(after + 1, "btype", "") == "s"
        _refuse_analog(call, analog=is_analog)
        band = _band(call, call.text(after + 1, "btype", ""), edges)
        fs_place = after + (5 if family == "bessel" else 4)
        if family == "bessel":
            values["norm"] = call.text(after + 4, "norm", "phase")
        return Designed(FAMILIES[family](band=band, order=order, cutoff_hz=_edge(call, edges, fs_place), **values))

    return read


_FTYPES = {
    **dict.fromkeys(("butter", "butterworth"), "butterworth"),
    **dict.fromkeys(("cheby1", "chebyshev1", "chebyshevi"), "chebyshev1"),
    **dict.fromkeys(("cheby2", "chebyshev2", "chebyshevii"), "chebyshev2"),
    **dict.fromkeys(("ellip", "elliptic", "cauer"), "elliptic"),
    **dict.fromkeys(("bessel", "bessel_phase"), "bessel"),
}


def _iirfilter(call: Call) -> Designed:
    edges = call.numbers(1, "Wn")
    _refuse_analog(call, analog=bool(call.take(5, "analog", default=False)))
    ftype = call.text(6, "ftype", "butter")
    if ftype not in _FTYPES:
        raise ChainError(f"{shown(ftype)} is not a kind of {call.name}", hint=f"give {', '.join(_FTYPES)}")
    family = _FTYPES[ftype]
    extras: dict[str, Any] = {}
    if family in ("chebyshev1", "elliptic"):
        extras["ripple_db"] = call.number(2, "rp")
    if family in ("chebyshev2", "elliptic"):
        extras["attenuation_db"] = call.number(3, "rs")
    band = _band(call, call.text(4, "btype", "band"), edges)
    return Designed(FAMILIES[family](band=band, order=call.count(0, "N"), cutoff_hz=_edge(call, edges, 8), **extras))


def _order_of(family: str, function: str) -> DesignFunction:
    """Return the reader of buttord and the like: the order and edges that SciPy finds, for the call that follows."""

    def read(call: Call) -> tuple[float, Any]:
        from scipy import signal

        _refuse_analog(call, analog=bool(call.take(4, "analog", default=False)))
        fs = None if call.take(5, "fs", None) is None else call.number(5, "fs")
        wp, ws = call.numbers(0, "wp"), call.numbers(1, "ws")
        order, edges = getattr(signal, function)(
            wp if wp.size > 1 else wp[0], ws if ws.size > 1 else ws[0],
            call.number(2, "gpass"), call.number(3, "gstop"), fs=fs,
        )  # fmt: skip
        return float(order), np.asarray(edges)

    return read


def _iirdesign(call: Call) -> Designed:
    ftype = _FTYPES.get(call.text(5, "ftype", "ellip"), "")
    orders = {"butterworth": "buttord", "chebyshev1": "cheb1ord", "chebyshev2": "cheb2ord", "elliptic": "ellipord"}
    if ftype not in orders:
        raise ChainError(f"{shown(call.take(5, 'ftype'))} is not a kind of {call.name}", hint="give butter or ellip")
    fs = call.take(7, "fs", None)
    asked = Call(name=call.name, given=call.given[:4], named={**call.named, "fs": fs}, rate_hz=None, notes=call.notes)
    order, edges = _order_of(ftype, orders[ftype])(asked)
    wp, ws = asked.numbers(0, "wp"), asked.numbers(1, "ws")
    # SciPy's own rule: two edges whose pass band lies inside the stop band are a band-pass
    band = (
        ("lowpass" if wp[0] < ws[0] else "highpass") if wp.size == 1 else ("bandstop" if wp[0] < ws[0] else "bandpass")
    )
    extras: dict[str, Any] = {}
    if ftype in ("chebyshev1", "elliptic"):
        extras["ripple_db"] = asked.number(2, "gpass")
    if ftype in ("chebyshev2", "elliptic"):
        extras["attenuation_db"] = asked.number(3, "gstop")
    cutoff = _edge(call, np.atleast_1d(edges), 7)
    return Designed(FAMILIES[ftype](band=band, order=order, cutoff_hz=cutoff, **extras))


def _resonator(family: str) -> DesignFunction:
    """Return the reader of iirnotch and iirpeak."""

    def read(call: Call) -> Designed:
        return Designed(FAMILIES[family](frequency_hz=call.hertz(call.numbers(0, "w0"), 2)[0], q=call.number(1, "Q")))

    return read


def _iircomb(call: Call) -> Designed:
    """Read a comb; one that stands halfway between ours, as pass_zero can have it, is kept as numbers."""
    kind, passes_zero = call.text(2, "ftype", "notch"), bool(call.take(-1, "pass_zero", default=False))
    hertz, q = call.hertz(call.numbers(0, "w0"), 3)[0], call.number(1, "Q")
    if (kind == "peak") == passes_zero:
        return Designed(FAMILIES["comb"](frequency_hz=hertz, q=q, kind=kind))
    from scipy import signal

    comb: Any = signal.iircomb
    rate_hz = call.rate_of("fs", 3)
    b, a = comb(hertz, q, ftype=kind, fs=rate_hz, pass_zero=passes_zero)
    call.notes.append(f"{call.name} is kept as b / a, which holds at {shown(rate_hz)} Hz")
    return Designed(polynomial_spec(b, a))


def window_of(call: Call, value: Any) -> str | tuple[str, float]:
    """Return a window as our families name it: a name, or a name with a number."""
    if isinstance(value, str):
        return value
    match value:
        case (str(name),):
            return name
        case (str(name), float() | int() as number):
            return name, float(number)
    raise ChainError(f"window of {call.name} is {shown(value)}", hint=f"give one of {', '.join(WINDOWS)}")


def fir_of(call: Call, taps: int, hertz: list[float], band: str, window: str | tuple[str, float]) -> AbstractFilterSpec:
    """Return a windowed design."""
    cutoff = hertz[0] if len(hertz) == 1 else (hertz[0], hertz[1])
    return FAMILIES["fir_window"](band=band, taps=taps, cutoff_hz=cutoff, window=window)


def _firwin(call: Call) -> Designed:
    taps, edges = call.count(0, "numtaps"), call.numbers(1, "cutoff")
    pass_zero = call.take(-1, "pass_zero", default=True)
    band = pass_zero if isinstance(pass_zero, str) else {
        (True, 1): "lowpass", (False, 1): "highpass", (True, 2): "bandstop", (False, 2): "bandpass",
    }.get((bool(pass_zero), edges.size), "")  # fmt: skip
    usual = call.take(-1, "width", None) is None and bool(call.take(-1, "scale", default=True))
    if usual and edges.size <= 2 and band in BANDS.values():
        hertz = call.hertz(edges, -1)
        return Designed(fir_of(call, taps, hertz, band, window_of(call, call.take(-1, "window", "hamming"))))
    width = call.take(-1, "width", None)
    return _taps_from(
        call, "firwin", taps, cutoff=call.hertz(edges, -1), pass_zero=pass_zero,
        width=None if width is None else call.hertz(call.numbers(-1, "width"), -1)[0],
        scale=bool(call.take(-1, "scale", default=True)), window=call.take(-1, "window", "hamming"),
    )  # fmt: skip


def _taps_from(call: Call, function: str, taps: int, **arguments: Any) -> Designed:
    """Return taps that SciPy works out from plain numbers, for what no family of ours is."""
    from scipy import signal

    rate_hz = call.rate_of("fs", -1)
    try:
        values = getattr(signal, function)(taps, fs=rate_hz, **arguments)
    except (ValueError, TypeError) as error:
        raise ChainError(f"{function} finds no filter: {error}", hint="check its numbers") from error
    call.notes.append(f"{call.name} is kept as {values.size} taps, which hold at {shown(rate_hz)} Hz")
    return Designed(FAMILIES["taps"](values=tuple(np.asarray(values).tolist())))


def _firwin2(call: Call) -> Designed:
    freq = call.hertz(call.numbers(1, "freq"), -1)
    return _taps_from(
        call, "firwin2", call.count(0, "numtaps"), freq=freq, gain=call.numbers(2, "gain").tolist(),
        window=call.take(-1, "window", "hamming"),
    )  # fmt: skip


def _remez(call: Call) -> Designed:
    weight = call.take(-1, "weight", None)
    bands = call.numbers(1, "bands")
    if call.take(-1, "fs", None) is None:
        bands = bands * 2  # SciPy's fs is 1 here where it is not given
    return Designed(
        FAMILIES["fir_equiripple"](
            taps=call.count(0, "numtaps"),
            edges_hz=tuple(call.hertz(bands, -1)),
            gains=tuple(call.numbers(2, "desired").tolist()),
            weights=None if weight is None else tuple(call.numbers(-1, "weight").tolist()),
            kind=call.text(-1, "type", "bandpass"),
        )
    )


def _firls(call: Call) -> Designed:
    weight = call.take(-1, "weight", None)
    return Designed(
        FAMILIES["fir_least_squares"](
            taps=call.count(0, "numtaps"),
            edges_hz=tuple(call.hertz(call.numbers(1, "bands"), -1)),
            gains=tuple(call.numbers(2, "desired").tolist()),
            weights=None if weight is None else tuple(call.numbers(-1, "weight").tolist()),
        )
    )


def _smoother(at: int) -> DesignFunction:
    def read(call: Call) -> Designed:
        window, degree = call.count(at, "window_length"), call.number(at + 1, "polyorder")
        return Designed(FAMILIES["savitzky_golay"](window=window, polynomial=degree))

    return read


def _median(call: Call) -> Designed:
    return Designed(FAMILIES["median"](window=call.number(1, "kernel_size", 3)))


SCIPY: Mapping[str, DesignFunction] = {
    "butter": _classical("butterworth", (), ()),
    "cheby1": _classical("chebyshev1", ("ripple_db",), ("rp",)),
    "cheby2": _classical("chebyshev2", ("attenuation_db",), ("rs",)),
    "ellip": _classical("elliptic", ("ripple_db", "attenuation_db"), ("rp", "rs")),
    "bessel": _classical("bessel", (), ()),
    "iirfilter": _iirfilter,
    "iirdesign": _iirdesign,
    "buttord": _order_of("butterworth", "buttord"),
    "cheb1ord": _order_of("chebyshev1", "cheb1ord"),
    "cheb2ord": _order_of("chebyshev2", "cheb2ord"),
    "ellipord": _order_of("elliptic", "ellipord"),
    "iirnotch": _resonator("notch"),
    "iirpeak": _resonator("peak"),
    "iircomb": _iircomb,
    "firwin": _firwin,
    "firwin2": _firwin2,
    "remez": _remez,
    "firls": _firls,
    "savgol_filter": _smoother(1),
    "savgol_coeffs": _smoother(0),
    "medfilt": _median,
}
