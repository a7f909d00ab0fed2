"""Where the electrodes of the 10-20 and 10-10 systems lie, what they are called, and the chains that readers know.

Files write one electrode in many ways (``Fp1``, ``FP1.``, ``EEG Fp1-REF``); montages are about the electrode. A name
that stands for a pair of electrodes already (``EEG Fpz-Cz``) is none: a difference of it would not be what it says.
"""

from __future__ import annotations

import re
from math import cos, radians, sin

Position = tuple[float, float, float]

#: Inclination from the vertex and azimuth in degrees on a sphere, of the electrodes on the midline and on the right.
#: The azimuth counts from the right ear (0) to the nose (90); those on the left are mirrored. After the spherical
#: coordinates of the 10-10 system as amplifier makers print them (Chatrian et al. 1985; Oostenveld and Praamstra 2001).
_RIGHT: dict[str, tuple[float, float]] = {
    **{"Nz": (115, 90), "Fpz": (92, 90), "AFz": (69, 90), "Fz": (46, 90), "FCz": (23, 90), "Cz": (0, 0)},
    **{"CPz": (23, -90), "Pz": (46, -90), "POz": (69, -90), "Oz": (92, -90), "Iz": (115, -90)},
    **{"Fp2": (92, 72), "AF4": (74, 65), "AF8": (92, 54), "F2": (50, 68), "F4": (60, 51), "F6": (75, 41)},
    **{"F8": (92, 36), "F10": (115, 36), "FC2": (32, 45), "FC4": (53, 33), "FC6": (72, 21), "FT8": (92, 18)},
    **{"FT10": (115, 18), "C2": (23, 0), "C4": (46, 0), "C6": (69, 0), "T8": (92, 0), "T10": (115, 0)},
    **{"CP2": (32, -45), "CP4": (53, -33), "CP6": (72, -21), "TP8": (92, -18), "TP10": (115, -18)},
    **{"P2": (50, -68), "P4": (60, -51), "P6": (75, -41), "P8": (92, -36), "P10": (115, -36)},
    **{"PO4": (74, -65), "PO8": (92, -54), "O2": (92, -72), "A2": (115, -9), "M2": (115, -18)},
}
#: Older names of the 10-20 system, and the newer ones.
SAME = {"T3": "T7", "T4": "T8", "T5": "P7", "T6": "P8"}

#: Pairs by 10-20 names, in the order in which they are read: left temporal, left parasagittal, middle, right.
PAIRS: dict[str, tuple[tuple[str, str], ...]] = {
    "double_banana": (
        *(("Fp1", "F7"), ("F7", "T7"), ("T7", "P7"), ("P7", "O1")),
        *(("Fp1", "F3"), ("F3", "C3"), ("C3", "P3"), ("P3", "O1")),
        *(("Fz", "Cz"), ("Cz", "Pz")),
        *(("Fp2", "F4"), ("F4", "C4"), ("C4", "P4"), ("P4", "O2")),
        *(("Fp2", "F8"), ("F8", "T8"), ("T8", "P8"), ("P8", "O2")),
    ),
    "transverse": (
        *(("F7", "Fp1"), ("Fp1", "Fp2"), ("Fp2", "F8")),
        *(("F7", "F3"), ("F3", "Fz"), ("Fz", "F4"), ("F4", "F8")),
        *(("T7", "C3"), ("C3", "Cz"), ("Cz", "C4"), ("C4", "T8")),
        *(("P7", "P3"), ("P3", "Pz"), ("Pz", "P4"), ("P4", "P8")),
        *(("P7", "O1"), ("O1", "O2"), ("O2", "P8")),
    ),
}

_PREFIX = re.compile(r"^(?:EEG|eeg|Eeg)[\s_:-]*")
#: What stands after an electrode where it was recorded against the reference that all share.
_SHARED = re.compile(r"(?:ref|reference|le|re|avg?|av|a1|a2|m1|m2|a1a2|m1m2|lre?|cz?ref|g\d*|0|org)", re.IGNORECASE)


def _mirrored(name: str) -> str:
    """Return the electrode on the other side: ``F4`` and ``F3``."""
    letters = name.rstrip("0123456789")
    return f"{letters}{int(name[len(letters) :]) - 1}"


def _all_positions() -> dict[str, Position]:
    found: dict[str, Position] = {}
    for name, (inclination, azimuth) in _RIGHT.items():
        out, around = radians(inclination), radians(azimuth)
        place = sin(out) * cos(around), sin(out) * sin(around), cos(out)
        found[name] = place
        if not name.endswith("z"):
            found[_mirrored(name)] = (-place[0], place[1], place[2])
    for old, new in SAME.items():
        found[old] = found[new]
    return found


#: Places on a sphere of radius 1: x to the right ear, y to the nose, z to the vertex.
POSITIONS: dict[str, Position] = _all_positions()
_BY_FOLDED = {name.casefold(): name for name in POSITIONS}


def electrode_of(name: str) -> str | None:
    """Return the electrode that a channel was recorded from, None where its name is no electrode's.

    Examples
    --------
    >>> electrode_of("EEG Fp1-REF"), electrode_of("FC5."), electrode_of("T3"), electrode_of("EEG Fpz-Cz")
    ('Fp1', 'FC5', 'T3', None)
    """
    text = _PREFIX.sub("", name.strip()).rstrip(". ")
    head, sign, rest = text.partition("-")
    if sign and not _SHARED.fullmatch(rest.strip()):
        return None
    return _BY_FOLDED.get(head.strip().casefold())


def modern(electrode: str) -> str:
    """Return the newer name of an electrode: ``T7`` for ``T3``."""
    return SAME.get(electrode, electrode)
