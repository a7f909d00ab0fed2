"""What a channel records, guessed from its name, its unit and what the file says about its sensor.

Few formats tell the kind of a channel, and every reader has to guess. The guess is made here once, so that a channel
gets one kind (colour, scale, default filter) whichever format it comes from. Only codes matter for correctness:
a trigger or status channel is shown raw and never filtered, so their rules are narrow and come first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from jaxscope.data.recording import CODE_KINDS, Channel, ChannelKind

#: Electrode positions of the 10-20, 10-10 and 10-5 systems, with their older names (T3, T4, T5, T6) and ears.
_ELECTRODE = re.compile(
    r"(?:nz|iz|fpz|afz|fz|fcz|cz|cpz|pz|poz|oz|"
    r"(?:fp|af|aff|f|ffc|ffs|ft|fft|fc|fcc|t|c|tp|ttp|cp|ccp|p|tpp|cpp|po|ppo|poo|o|i)(?:[1-9]|10)h?|"
    r"[am][12])",
    re.IGNORECASE,
)
#: One electrode against one or several others, such as ``Fp1-M2`` or ``C3-REF``.
_REFERENCE = re.compile(r"(?:ref|le|re|avg|av|a1a2|m1m2|\(.*\)|g\d*)", re.IGNORECASE)
#: The twelve leads of an electrocardiogram, such as ``II``, ``aVR``, ``V1``: so short that the unit must fit as well.
_LEAD = re.compile(r"i{1,3}|av[rlf]|v[1-6]", re.IGNORECASE)
_LEAD_UNITS = ("mv", "uv", "\N{MICRO SIGN}v", "\N{GREEK SMALL LETTER MU}v")
#: First match wins; matched against the name, then against the hint. Words end where letters end.
_WORDS: tuple[tuple[ChannelKind, re.Pattern[str]], ...] = (
    ("annotation", re.compile(r"(?:edf|bdf)\+?[ _]annotations?", re.IGNORECASE)),
    ("status", re.compile(r"status", re.IGNORECASE)),
    ("trigger", re.compile(r"(?:trig(?:ger)?s?|sti(?:m)?|stimulus|marker|markers|sti[ _]?\d+)", re.IGNORECASE)),
    ("eog", re.compile(r"[hvrlis]?eog[lrud]?|loc|roc", re.IGNORECASE)),
    ("ecg", re.compile(r"(?:ecg|ekg)[ivx]*|mlii|lead[ _]?[ivx]+", re.IGNORECASE)),
    ("emg", re.compile(r"i?emg|chin|submental", re.IGNORECASE)),
    ("resp", re.compile(r"resp|respiration|airflow|thor|thorax|abdo|abdomen|breath", re.IGNORECASE)),
    ("eeg", re.compile(r"i?eeg|ecog|seeg", re.IGNORECASE)),
    ("audio", re.compile(r"audio|microphone|mic", re.IGNORECASE)),
    ("seismic", re.compile(r"[bhels]h[zne12]", re.IGNORECASE)),
)
#: All words at once, and those that may stand anywhere; a name has dozens of tries else, and a file thousands of names.
_ANY_WORD = re.compile("|".join(f"(?P<{kind}>{one.pattern})" for kind, one in _WORDS), re.IGNORECASE)
_SIGNAL_WORD = re.compile(
    "|".join(f"(?P<{kind}>{one.pattern})" for kind, one in _WORDS if kind not in CODE_KINDS), re.IGNORECASE
)
_SPLIT = re.compile(r"[^A-Za-z0-9+]+|(?<=[A-Za-z])(?=\d+$)")


#: kinds as they are written within a sentence, where that is not their name
_WRITTEN = {"eeg": "EEG", "eog": "EOG", "ecg": "ECG", "emg": "EMG", "resp": "respiration", "misc": "other"}


def kind_words(kind: str) -> str:
    """Return a kind, also one of ``scale_kind``, as it is written within a sentence.

    Examples
    --------
    >>> kind_words("eeg"), kind_words("seismic"), kind_words("misc uV")
    ('EEG', 'seismic', 'other')
    """
    return _WRITTEN.get(kind.partition(" ")[0], kind)


def main_kind(channels: Iterable[Channel]) -> str:
    """Return the kind that most of the signals among channels are of; empty where there are none."""
    counts = Counter(channel.kind for channel in channels if channel.is_data)
    return next((kind for kind, _ in counts.most_common(1)), "")


def kind_of(name: str, unit: str = "", hint: str = "") -> ChannelKind:
    """Guess what a channel records.

    Parameters
    ----------
    name : str
        Name of the channel, such as ``"EEG Fpz-Cz"``, ``"Status"``, ``"VEOG"``.
    unit : str
        Its unit, ``""`` where there is none.
    hint : str
        What the file says about the sensor, such as the transducer field of EDF.

    Returns
    -------
    str
        One of ``CHANNEL_KINDS``; ``"misc"`` where nothing fits.

    Examples
    --------
    >>> kind_of("EEG Fpz-Cz", "uV"), kind_of("Cz"), kind_of("ECG1", "mV"), kind_of("Status")
    ('eeg', 'eeg', 'ecg', 'status')
    >>> kind_of("aVR", "mV"), kind_of("V1", "V"), kind_of("Temp rectal", "DegC")
    ('ecg', 'misc', 'misc')
    """
    text = name.strip()
    kind = _kind_by_word(text)
    if kind is not None:
        return kind
    if _is_electrode(text) and (not unit or unit.lower().endswith("v")):
        return "eeg"
    if _LEAD.fullmatch(text) and unit.lower() in _LEAD_UNITS:
        return "ecg"
    hinted = _kind_by_word(hint.strip())
    if hinted is not None and hinted not in ("annotation", "status", "trigger"):
        return hinted
    if "active electrode" in hint.lower() and unit.lower().endswith("v"):
        return "eeg"
    return "misc"


def signal_kind_of(name: str, unit: str = "", hint: str = "") -> ChannelKind:
    """Return what ``kind_of`` does, for formats that do not say that a channel holds codes: those are signals too.

    Examples
    --------
    >>> signal_kind_of("ECG1", "mV"), signal_kind_of("Status")
    ('ecg', 'misc')
    """
    kind = kind_of(name, unit, hint)
    return "misc" if kind in CODE_KINDS else kind


def _kind_by_word(text: str) -> ChannelKind | None:
    words = [text, *(word for word in _SPLIT.split(text) if word)]
    # A code in the middle of a sentence ("EEG stim site") is no code channel; only a first word is.
    matches = [(_ANY_WORD if at < 2 else _SIGNAL_WORD).fullmatch(word) for at, word in enumerate(words)]
    found = [match.lastgroup for match in matches if match is not None]
    return next((kind for kind, _ in _WORDS if kind in found), None)


def _is_electrode(text: str) -> bool:
    # some programs fill names up to four characters with dots, such as "Fc5." and "Cz.."
    parts = [part for part in text.rstrip(".").replace("_", "-").split("-") if part]
    return (
        bool(parts)
        and _ELECTRODE.fullmatch(parts[0]) is not None
        and all(_ELECTRODE.fullmatch(part) or _REFERENCE.fullmatch(part) for part in parts[1:])
    )
