"""Which chain each channel has: it follows from the channels of the chains, which no knob moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jaxscope.compute.designs import chain_numbers
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage


def chains(cutoff_hz=40.0, first=("c1",)):
    stages = (Stage(spec=Butterworth(cutoff_hz=cutoff_hz)),)
    return (FilterChain(channels=first, stages=stages), FilterChain(stages=stages))


def recorded(names=("c0", "c1", "STATUS"), kinds=("eeg", "eeg", "status")):
    x = np.zeros((len(names), 100))
    return ArrayRecording.from_array(x, rate_hz=100.0, names=list(names), kinds=list(kinds)).info


def test_it_is_the_first_chain_that_is_for_a_channel():
    assert chain_numbers(chains(), recorded(), [0, 1, 2]) == [1, 0, None]
    assert chain_numbers(chains(first=("STATUS",)), recorded(), [2, 0]) == [0, 1]


def test_a_knob_looks_at_no_channel_again(monkeypatch):
    info = recorded()
    chain_numbers(chains(), info, [0, 1])
    monkeypatch.setattr("jaxscope.filters.channels.first_for", None)
    assert chain_numbers(chains(55.0), info, [0, 1]) == [1, 0]


def test_what_is_known_of_a_recording_is_not_told_of_another():
    assert chain_numbers(chains(), recorded(), [0, 1]) == [1, 0]
    renamed = recorded()
    renamed = replace(renamed, channels=(renamed.channels[1], renamed.channels[0], renamed.channels[2]))
    assert chain_numbers(chains(), renamed, [0, 1]) == [0, 1]
