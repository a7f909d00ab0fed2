"""Numbers as people type them: ``fs/8``, ``1.5k``, ``2*pi``, ``0,5``, ``0.5<45°``. A small recursive descent, no eval.

Bounded by construction: the text and its nesting are short, and every step is one operation of floats, so nothing that
can be typed takes long. What cannot be read raises SpecError, with the place and what is wrong there.
"""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from jaxscope.errors import SpecError
from jaxscope.filters.tokens import Token, TokenReader

MAX_CHARACTERS = 200

Number = float | complex

FUNCTIONS: dict[str, Callable[[complex], complex]] = {
    "sqrt": cmath.sqrt,
    "cos": cmath.cos,
    "sin": cmath.sin,
    "tan": cmath.tan,
    "exp": cmath.exp,
    "log": cmath.log,
    "log10": cmath.log10,
    "abs": lambda value: complex(abs(value)),
}
CONSTANTS: dict[str, complex] = {"pi": complex(math.pi), "π": complex(math.pi), "e": complex(math.e)}
SUFFIXES = {"k": 1e3, "m": 1e-3, "M": 1e6, "j": 1j, "i": 1j, "": 1.0}

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?)"
    r"(?:\s*(?P<scale>[kM])Hz|(?P<suffix>[kmMji])?(?:\s*(?:Hz|dB|s))?)(?![A-Za-z0-9_])"
    r"|(?P<name>[A-Za-zπ_][A-Za-z0-9_]*)|(?P<sign>\*\*|[-+*/^()<°∠−×·]))"
)
_SAME = {"−": "-", "×": "*", "·": "*", "^": "**", "∠": "<"}


@dataclass(frozen=True, slots=True)
class _Token(Token):
    value: complex = 0j


class _Reader(TokenReader[_Token]):
    """One reading of one text, from left to right."""

    def __init__(self, text: str, field: str, rate_hz: float | None) -> None:
        self.text = text
        self.field = field
        self.names = CONSTANTS if rate_hz is None else CONSTANTS | {"fs": complex(rate_hz)}
        if len(text) > MAX_CHARACTERS:
            raise SpecError(field, f"Can't read {len(text)} characters", hint=f"give {MAX_CHARACTERS} or fewer")
        self.begin(self._cut())

    def fail(self, reason: str) -> NoReturn:
        raise SpecError(self.field, f'Can\'t read "{self.text}"', hint=reason)

    def _cut(self) -> list[_Token]:
        tokens, place = [], 0
        end = len(self.text.rstrip())
        while place < end:
            match = _TOKEN.match(self.text, place)
            if match is None:
                odd = self.text[place:].lstrip()
                where = len(self.text) - len(self.text[place:].lstrip()) + 1
                self.fail(f'"{odd[:12]}" at character {where} is not understood')
            start = match.start(match.lastgroup or 0) if match.group("number") is None else match.start("number")
            if match.group("number") is not None:
                value = (
                    float(match.group("number").replace(",", "."))
                    * SUFFIXES[match.group("suffix") or match.group("scale") or ""]
                )
                tokens.append(_Token("number", match.group().strip(), start, complex(value)))
            elif match.group("name") is not None:
                tokens.append(_Token("name", match.group("name"), start))
            else:
                sign = match.group("sign")
                tokens.append(_Token("sign", _SAME.get(sign, sign), start))
            place = match.end()
        return tokens

    def whole(self) -> complex:
        value = self.total()
        left = self.left()
        if left is not None:
            self.fail(f'something is missing before "{left.text}" at character {left.start + 1}')
        return value

    def total(self) -> complex:
        self.go_deeper()
        value = self.product()
        while self.peek() in ("+", "-"):
            sign = self.take().text
            other = self.product()
            value = value + other if sign == "+" else value - other
        self.depth -= 1
        return value

    def product(self) -> complex:
        value = self.polar()
        while self.peek() in ("*", "/"):
            sign = self.take().text
            other = self.polar()
            if sign == "/" and other == 0:
                self.fail("it divides by 0")
            value = value * other if sign == "*" else value / other
        return value

    def polar(self) -> complex:
        """Read ``radius<angle``: radians, or degrees with °."""
        value = self.signed()
        if self.peek() != "<":
            return value
        self.take()
        angle = self.signed()
        while self.peek() in ("*", "/"):
            sign = self.take().text
            other = self.signed()
            if sign == "/" and other == 0:
                self.fail("it divides by 0")
            angle = angle * other if sign == "*" else angle / other
        if angle.imag != 0:
            self.fail("an angle must be a real number")
        return value * cmath.exp(1j * angle.real)

    def signed(self) -> complex:
        self.go_deeper("signs in a row")
        if self.peek() in ("+", "-"):
            sign = self.take().text
            value = self.signed()
            # 0 - value, for -value would put roots and logarithms on the other side of their cut
            value = 0 - value if sign == "-" else value
        else:
            value = self.power()
        self.depth -= 1
        return value

    def power(self) -> complex:
        base = self.atom()
        if self.peek() == "°":
            self.take()
            base = base * (math.pi / 180)
        if self.peek() != "**":
            return base
        self.take()
        exponent = self.signed()
        if base == 0 and (exponent.real < 0 or exponent.imag != 0):
            self.fail("it divides by 0")
        return _power(base, exponent)

    def atom(self) -> complex:
        token = self.take()
        if token.kind == "number":
            return token.value
        if token.kind == "name":
            return self.named(token)
        if token.text != "(":
            self.fail(f'something is missing before "{token.text}" at character {token.start + 1}')
        value = self.total()
        self.close(token)
        return value

    def close(self, opened: _Token) -> None:
        if self.peek() != ")":
            if self.place >= len(self.tokens):
                self.fail(f"the bracket at character {opened.start + 1} is not closed")
            left = self.tokens[self.place]
            self.fail(f'something is missing before "{left.text}" at character {left.start + 1}')
        self.take()

    def named(self, token: _Token) -> complex:
        if token.text in FUNCTIONS:
            if self.peek() != "(":
                self.fail(f"{token.text} needs a number in brackets")
            opened = self.take()
            value = self.total()
            self.close(opened)
            if token.text.startswith("log") and value == 0:
                self.fail("the logarithm of 0 is not a number")
            return FUNCTIONS[token.text](value)
        if token.text in self.names:
            return self.names[token.text]
        if token.text == "fs":
            self.fail("fs is not known before a recording is open")
        if token.text in ("j", "i"):
            return 1j
        known = ", ".join((*self.names, *FUNCTIONS))
        self.fail(f'"{token.text}" at character {token.start + 1} is not known; known are {known}')


def _power(base: complex, exponent: complex) -> complex:
    """Return a power, real where both are real: complex powers leave a trace in the imaginary part."""
    if base.imag == 0 and exponent.imag == 0 and (base.real >= 0 or exponent.real.is_integer()):
        return complex(base.real**exponent.real)
    return base**exponent


def evaluate_complex(text: str, *, rate_hz: float | None = None, field: str = "value") -> complex:
    """Return the complex value of an expression, for zeros and poles.

    Raises
    ------
    SpecError
        It cannot be read; the hint says where and what.

    Examples
    --------
    >>> evaluate_complex("2<90°").imag
    2.0
    """
    reader = _Reader(text, field, rate_hz)
    try:
        value = reader.whole()
    except (OverflowError, ValueError, ZeroDivisionError):
        reader.fail("the result is too large")
    if not cmath.isfinite(value):
        reader.fail("the result is too large")
    return value


def evaluate(text: str, *, rate_hz: float | None = None, field: str = "value") -> float:
    """Return the value of an expression in a number field.

    Parameters
    ----------
    text : str
        Such as ``"fs/8"``, ``"1.5k"``, ``"0,5"`` or ``"2*cos(pi/5)"``.
    rate_hz : float or None
        Value of ``fs``.
    field : str
        Field that the error names.

    Raises
    ------
    SpecError
        It cannot be read, or is not a real number; the hint says where and what.

    Examples
    --------
    >>> evaluate("fs/8", rate_hz=512.0), evaluate("1.5k"), evaluate("0,5")
    (64.0, 1500.0, 0.5)
    """
    value = evaluate_complex(text, rate_hz=rate_hz, field=field)
    if abs(value.imag) > 1e-12 * max(abs(value), 1e-300):
        raise SpecError(field, f'Can\'t read "{text}"', hint="it is not a real number")
    return value.real
