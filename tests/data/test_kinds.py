"""Guesses of what a channel records."""

from __future__ import annotations

import pytest

from jaxscope.data.kinds import kind_of


@pytest.mark.parametrize(
    ("name", "unit", "hint", "kind"),
    [
        ("EEG Fpz-Cz", "uV", "", "eeg"),
        ("Fp1", "uV", "", "eeg"),
        ("C3-M2", "uV", "", "eeg"),
        ("T8", "", "", "eeg"),
        ("Fc5.", "uV", "", "eeg"),
        ("Cz..", "uV", "", "eeg"),
        ("A1", "uV", "Active Electrode, pin type", "eeg"),
        ("B32", "uV", "Active Electrode, pin type", "eeg"),
        ("EOG horizontal", "uV", "", "eog"),
        ("VEOG", "uV", "", "eog"),
        ("HEOGR", "uV", "", "eog"),
        ("EMG submental", "uV", "", "emg"),
        ("EMG1", "V", "", "emg"),
        ("ECG", "mV", "", "ecg"),
        ("MLII", "mV", "", "ecg"),
        ("Resp oro-nasal", "", "", "resp"),
        ("BHZ", "", "", "seismic"),
        ("ch0", "", "audio", "audio"),
        ("Microphone", "V", "", "audio"),
        ("Status", "", "Triggers and Status", "status"),
        ("STI 014", "", "", "trigger"),
        ("Trigger", "uV", "", "trigger"),
        ("EDF Annotations", "", "", "annotation"),
        ("BDF Annotations", "", "", "annotation"),
        ("EEG stim site", "uV", "", "eeg"),
        ("Temp rectal", "DegC", "", "misc"),
        ("F3", "N", "", "misc"),
        ("sine 5Hz", "uV", "", "misc"),
        ("X", "uV", "EEG electrode", "eeg"),
        ("X", "uV", "Trigger box", "misc"),
    ],
)
def test_kind_of(name: str, unit: str, hint: str, kind: str) -> None:
    assert kind_of(name, unit, hint) == kind
