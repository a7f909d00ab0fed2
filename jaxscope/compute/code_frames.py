"""Outcomes about a chain as code: what it is, and whether it gives the same numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeText:
    """A chain written down, to be looked at; ``problem`` says why it cannot be. What its design has is counted."""

    job: int
    target: str
    text: str
    problem: str = ""
    n_sections: int = 0
    n_taps: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeChecked:
    """What running exported code on the view gave; ``is_same`` is None where nothing was compared.

    Then ``unchecked`` says why it was not run, or ``problem`` what went wrong. ``difference`` and ``peak`` (of After)
    are in ``unit``, of the channel that differs most.
    """

    job: int
    target: str
    is_same: bool | None = None
    unchecked: str = ""
    problem: str = ""
    difference: float = 0.0
    peak: float = 0.0
    unit: str = ""
    seconds: float = 0.0
    channels: tuple[str, ...] = ()
    precision: str = ""
