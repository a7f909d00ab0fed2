"""What the montage chooser offers, and with what each montage begins. Pure."""

from __future__ import annotations

from jaxscope.data.recording import RecordingInfo
from jaxscope.filters.montage import PAIR_NAMES, Montage, Others
from jaxscope.filters.montage_formula import quoted

RECORDED, FORMULAS = "recorded", "formulas"
#: (key, words) of what is offered; own montages follow
KINDS = (
    (RECORDED, "As recorded"),
    ("average", "Average reference"),
    ("reference", "Reference channels"),
    *PAIR_NAMES.items(),
    ("laplacian", "Laplacian"),
    (FORMULAS, "Formulas"),
)
OTHERS = (("unused", "Those that take no part"), ("all", "All recorded channels"), ("none", "Nothing else"))
#: which fields a kind has
FIELDS = {
    "average": ("channels", "excluded", "others"),
    "reference": ("reference", "channels", "others"),
    "bipolar": ("channels", "excluded", "others"),
    "laplacian": ("channels", "excluded", "neighbours", "others"),
    "formulas": ("others",),
}
NEIGHBOURS = tuple((str(count), f"{count} nearest") for count in (2, 3, 4, 5, 6, 8))
#: channels that often are the reference
_USUAL = ("Cz", "A2", "M2", "A1", "M1")


def key_of(montage: Montage | None) -> str:
    """Return the key of what is offered that a montage is of."""
    if montage is None:
        return RECORDED
    return montage.pairs if montage.kind == "bipolar" else montage.kind


def begun(key: str, others: Others, info: RecordingInfo | None) -> Montage | None:
    """Return the montage that a choice begins with; None shows the recording as it is, or has no signal to be of."""
    if key == RECORDED:
        return None
    if key in PAIR_NAMES:
        return Montage(kind="bipolar", pairs=key, others=others)  # type: ignore[arg-type]
    names = [] if info is None else [one.name for one in info.channels if one.is_data]
    if key == "reference":
        eeg = [one.name for one in info.channels if one.kind == "eeg"] if info is not None else []
        first = next((name for name in (*(n for n in _USUAL if n in names), *eeg, *names)), "Cz")
        return Montage(kind="reference", reference=(first,), others=others)
    if key == FORMULAS:
        return _first_formula(names)
    return Montage(kind=key, others=others)  # type: ignore[arg-type]


def _first_formula(names: list[str]) -> Montage | None:
    if not names:
        return None
    formula, name = quoted(names[0]), f"{names[0]}, again"
    if len(names) > 1:
        formula, name = f"{formula} - {quoted(names[1])}", f"{names[0]}-{names[1]}"
    return Montage(kind="formulas", rows=((name, formula),), others="all")
