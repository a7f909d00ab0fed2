"""Signs, names and numbers of a text that a person typed, one after the other, for those who read a grammar from them.

Invariant: what cannot be read ends in ``fail``, with the place of what is wrong; nesting is bounded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NoReturn, TypeVar

MAX_DEPTH = 32


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text: ``kind`` is number, name or sign, ``start`` its place."""

    kind: str
    text: str
    start: int


T = TypeVar("T", bound=Token)


class TokenReader(ABC, Generic[T]):
    """One reading of one text, from left to right; ``begin`` takes its pieces."""

    #: what ``fail`` says where there is no piece at all
    nothing = "there is nothing here"

    @abstractmethod
    def fail(self, reason: str) -> NoReturn:
        """Raise ``SpecError`` about the text."""

    def begin(self, tokens: Sequence[T]) -> None:
        """Stand before the first piece."""
        self.tokens = tokens
        self.place = 0
        self.depth = 0

    def peek(self) -> str:
        """Return the next sign, "" where there is none."""
        if self.place < len(self.tokens) and self.tokens[self.place].kind == "sign":
            return self.tokens[self.place].text
        return ""

    def take(self) -> T:
        """Return the next piece and go behind it."""
        if self.place >= len(self.tokens):
            self.fail("something is missing at the end" if self.tokens else self.nothing)
        self.place += 1
        return self.tokens[self.place - 1]

    def left(self) -> T | None:
        """Return the piece that nobody took, None where all were; a bracket that closes nothing fails."""
        if self.place >= len(self.tokens):
            return None
        left = self.tokens[self.place]
        if left.text == ")":
            self.fail(f"the bracket at character {left.start + 1} closes nothing")
        return left

    def go_deeper(self, what: str = "brackets in each other") -> None:
        """Count one level of nesting."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"there are too many {what}")
