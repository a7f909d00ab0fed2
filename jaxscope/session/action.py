"""The base of all actions.

``merge_key`` joins a run of actions into one undo step: while the key stays the same and not None (a drag, a spin),
the steps are one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Base of all actions."""

    merge_key: str | None = None
