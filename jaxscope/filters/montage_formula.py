"""A derived channel as people write it: ``C3 - (A1 + A2) / 2``. Read as a sum of channels times numbers, never run.

Invariant: what is read is linear in the channels and has no part without one, so it is one row of a mixing matrix;
anything else is refused in one sentence with its place in the text. Names of channels that hold more than letters,
digits and ``_`` stand in quotes: ``"EEG Fp1-REF" - "ECG 1"``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

from jaxscope.errors import SpecError
from jaxscope.filters.tokens import Token, TokenReader

#: A row of a matrix of 256 channels with all its digits.
MAX_CHARACTERS = 16_384
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?!\w)"
    r"|(?P<name>[^\W\d]\w*)"
    r"""|"(?P<double>[^"]+)"|'(?P<single>[^']+)'"""
    r"|(?P<sign>[-+*/()−×·÷]))"
)
_SAME = {"−": "-", "×": "*", "·": "*", "÷": "/"}
_PLAIN_NAME = re.compile(r"[^\W\d]\w*")

Weights = dict[str, float]


@dataclass(frozen=True, slots=True)
class _Sum:
    """Channels times numbers, and a number without a channel."""

    weights: Weights
    constant: float = 0.0

    def scaled(self, factor: float) -> _Sum:
        return _Sum({name: weight * factor for name, weight in self.weights.items()}, self.constant * factor)


class _Reader(TokenReader[Token]):
    """One reading of one text, from left to right."""

    nothing = "write channels, such as C3 - A2"

    def __init__(self, text: str, field: str) -> None:
        self.text, self.field = text, field
        if len(text) > MAX_CHARACTERS:
            self.fail(f"it has {len(text)} characters: give {MAX_CHARACTERS} or fewer")
        self.begin(self._cut())

    def fail(self, reason: str) -> NoReturn:
        shown = self.text if len(self.text) <= 60 else f"{self.text[:59]}…"
        raise SpecError(self.field, f"Can't read {shown}" if self.text.strip() else "Can't read nothing", hint=reason)

    def _cut(self) -> list[Token]:
        tokens, place, end = [], 0, len(self.text.rstrip())
        while place < end:
            match = _TOKEN.match(self.text, place)
            if match is None:
                rest = self.text[place:].lstrip()
                where = len(self.text) - len(rest) + 1
                word = rest.split(maxsplit=1)[0][:12]
                if rest[0] in "\"'":
                    self.fail(f"the quote at character {where} is not closed")
                hint = ": put names like this one in quotes" if word[0].isdigit() else ""
                self.fail(f"{word} at character {where} is not understood{hint}")
            kind = match.lastgroup or ""
            sign = match.group(kind)
            name = "name" if kind in ("double", "single") else kind
            quote = 1 if kind in ("double", "single") else 0
            tokens.append(Token(name, _SAME.get(sign, sign) if kind == "sign" else sign, match.start(kind) - quote))
            place = match.end()
        return tokens

    def whole(self) -> Weights:
        found = self.total()
        left = self.left()
        if left is not None:
            self.fail(f"a sign is missing before {left.text} at character {left.start + 1}")
        if abs(found.constant) > 0:
            self.fail(f"the number {found.constant:g} stands without a channel")
        if not found.weights:
            self.fail("there is no channel in it")
        return found.weights

    def total(self) -> _Sum:
        self.go_deeper()
        first = self.product()
        weights, constant = dict(first.weights), first.constant
        while self.peek() in ("+", "-"):
            factor = 1.0 if self.take().text == "+" else -1.0
            other = self.product()
            for name, weight in other.weights.items():
                weights[name] = weights.get(name, 0.0) + factor * weight
            constant += factor * other.constant
        self.depth -= 1
        return _Sum(weights, constant)

    def product(self) -> _Sum:
        value = self.signed()
        while self.peek() in ("*", "/"):
            sign = self.take()
            other = self.signed()
            where = f"the {sign.text} at character {sign.start + 1}"
            if sign.text == "/":
                if other.weights:
                    self.fail(f"{where} divides by a channel: only numbers may stand below")
                if other.constant == 0:
                    self.fail(f"{where} divides by 0")
                value = value.scaled(1.0 / other.constant)
            elif value.weights and other.weights:
                self.fail(f"{where} multiplies two channels: one side must be a number")
            else:
                value = value.scaled(other.constant) if value.weights else other.scaled(value.constant)
        return value

    def signed(self) -> _Sum:
        factor = 1.0
        while self.peek() in ("+", "-"):
            factor *= 1.0 if self.take().text == "+" else -1.0
        value = self.atom()
        return value if factor == 1.0 else value.scaled(factor)

    def atom(self) -> _Sum:
        token = self.take()
        if token.kind == "number":
            return _Sum({}, float(token.text))
        if token.kind == "name":
            return _Sum({token.text: 1.0})
        if token.text != "(":
            self.fail(f"a channel or a number is missing before {token.text} at character {token.start + 1}")
        value = self.total()
        if self.peek() != ")":
            self.fail(f"the bracket at character {token.start + 1} is not closed")
        self.take()
        return value


def weights_of(text: str, *, field: str = "rows") -> Weights:
    """Return the weight of each channel in a formula, by name, in the order of the text.

    Parameters
    ----------
    text : str
        Such as ``C3 - (A1 + A2) / 2``: ``+ - * /``, numbers, brackets, and names of channels.
    field : str
        Field that the error names.

    Raises
    ------
    SpecError
        It cannot be read, or is not linear in the channels; the hint says where and what.

    Examples
    --------
    >>> weights_of('C3 - ("EEG A1" + A2) / 2')
    {'C3': 1.0, 'EEG A1': -0.5, 'A2': -0.5}
    """
    try:
        return dict(_read(text))
    except SpecError as error:
        raise SpecError(field, error.message, hint=error.hint) from None


@lru_cache(maxsize=4096)  # a matrix is looked at as a whole at each letter that is typed into one of its rows
def _read(text: str) -> tuple[tuple[str, float], ...]:
    return tuple(_Reader(text, "rows").whole().items())


def quoted(name: str) -> str:
    """Return a name as it may stand in a formula; a name that holds both kinds of quotes cannot."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    return f'"{name}"' if '"' not in name else f"'{name}'"


def formula_of(weights: Weights) -> str:
    """Return weights as a formula that ``weights_of`` reads to the same numbers.

    Examples
    --------
    >>> formula_of({"C3": 1.0, "EEG A1": -0.5})
    'C3 - 0.5*"EEG A1"'
    """
    parts: list[str] = []
    for name, weight in weights.items():
        size = abs(weight)
        factor = "" if size == 1 else f"{size!r}*".replace(".0*", "*")
        sign = "-" if weight < 0 else "+"
        lead = ("-" if weight < 0 else "") if not parts else f" {sign} "
        parts.append(f"{lead}{factor}{quoted(name)}")
    return "".join(parts)
