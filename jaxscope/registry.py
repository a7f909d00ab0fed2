"""Registry: a table from a name to ``"module:attribute"``, imported on first use.

It lets a room list everything it offers (formats, families, methods, views) without importing any of it, so
that start-up stays light and a new member is one file and one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Generic, TypeVar, cast

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """A read-only mapping whose values are imported when they are first asked for.

    Parameters
    ----------
    noun : str
        What a member is called in sentences, such as ``"family"``.
    targets : mapping of str to str
        Name to ``"package.module:attribute"``.

    Examples
    --------
    >>> table = Registry("thing", {"sqrt": "math:sqrt"})
    >>> table["sqrt"](9.0)
    3.0
    >>> table.nearest("sqr")
    'sqrt'
    """

    def __init__(self, noun: str, targets: Mapping[str, str]) -> None:
        self.noun = noun
        self._targets = dict(targets)
        self._loaded: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            module, _, attribute = self._targets[name].partition(":")
            self._loaded[name] = cast(T, getattr(import_module(module), attribute))
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        # what a file says in place of a name may be anything, and nothing is imported to look for it
        return isinstance(name, str) and name in self._targets

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)

    def nearest(self, name: str) -> str | None:
        """Return the known name that is most like ``name``, or None."""
        matches = get_close_matches(name, list(self._targets), n=1, cutoff=0.5)
        return matches[0] if matches else None
