"""Which chain is for which channel."""

from __future__ import annotations

import pytest

from jaxscope.filters.channels import chain_for, is_for
from jaxscope.filters.spec import FilterChain


@pytest.mark.parametrize(
    ("patterns", "name", "is_data", "wanted"),
    [
        (("EEG*",), "EEG Fp1", True, True),
        (("EEG*",), "eeg Fp1", True, False),
        (("*",), "STATUS", False, False),
        (("STATUS",), "STATUS", False, True),
        (("STA?US",), "STATUS", False, False),
        (("EEG [1]",), "EEG [1]", True, True),
        (("EEG [12]",), "EEG 1", True, True),
        (("Fp1", "O?"), "O2", True, True),
        (("Fp1", "O?"), "Oz2", True, False),
        (None, "ECG", True, True),
        (None, "STATUS", False, False),
        ((), "ECG", True, False),
    ],
)
def test_names_globs_and_codes(patterns, name, is_data, wanted):
    assert is_for(FilterChain(channels=patterns), name, is_data=is_data) is wanted


def test_the_first_chain_that_matches_filters():
    chains = (FilterChain(channels=("EEG*",)), FilterChain(channels=("EEG Fp1", "ECG")), FilterChain())
    assert chain_for(chains, "EEG Fp1", is_data=True) == 0
    assert chain_for(chains, "ECG", is_data=True) == 1
    assert chain_for(chains, "EMG", is_data=True) == 2
    assert chain_for(chains, "STATUS", is_data=False) is None
    assert chain_for((), "ECG", is_data=True) is None
