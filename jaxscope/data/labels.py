"""Names and units as they are shown, whatever a file calls them.

Names are how users, chains and the command line address a channel, so within a recording they are unique. Units are
plain ASCII where they are micro-something, because three spellings of one prefix would be three units.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

#: Micro sign, Greek mu, and what is left of either after a wrong decoding.
_MICRO = ("\u00b5", "\u03bc", "\u00c2\u00b5")


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names with repeated ones made unique by ``" #2"``, ``" #3"`` and so on.

    Parameters
    ----------
    names : iterable of str
        In file order. A name that is already unique stays as it is, wherever it stands.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> unique_names(["RAW", "ECG", "RAW"])
    ('RAW', 'ECG', 'RAW #2')
    """
    wanted = list(names)
    taken = set(wanted)
    seen: set[str] = set()
    result: list[str] = []
    for name in wanted:
        candidate, number = name, 1
        while candidate in seen or (number > 1 and candidate in taken):
            number += 1
            candidate = f"{name} #{number}"
        seen.add(candidate)
        result.append(candidate)
    return tuple(result)


def plain_unit(unit: str) -> str:
    """Return a unit with micro written as ASCII ``u`` and surrounding blanks removed.

    Examples
    --------
    >>> plain_unit("\u00b5V "), plain_unit("\u03bcV"), plain_unit("mV")
    ('uV', 'uV', 'mV')
    """
    text = unit.strip()
    for sign in reversed(_MICRO):
        text = text.replace(sign, "u")
    return text


def found_name(names: Sequence[str], text: str) -> str | None:
    """Return the name that a search means: the exact one, else the first that begins so, else that contains it.

    Examples
    --------
    >>> found_name(["EEG Fp1", "Pz"], "fp"), found_name(["Fz"], "Pz")
    ('EEG Fp1', None)
    """
    wanted = text.casefold()
    for matches in (str.__eq__, str.startswith, str.__contains__):
        for name in names:
            if matches(name.casefold(), wanted):
                return name
    return None
