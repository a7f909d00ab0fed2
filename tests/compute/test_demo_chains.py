"""The chains of the demonstration suit what is opened with them."""

from __future__ import annotations

from jaxscope.compute.demo import demo_chains
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.filters.spec import FilterChain


def recording(rate_hz: float | None, **kinds: str) -> RecordingInfo:
    """Return a recording of channels by name and kind."""
    channels = tuple(
        Channel(name=name, unit="", kind=kind, rate_hz=rate_hz, n_samples=1000) for name, kind in kinds.items()
    )
    return RecordingInfo(format="x", duration_s=1.0, channels=channels)


def edges(chain: FilterChain) -> list[float]:
    """Return the edges of high-pass and low-pass."""
    return [stage.spec.cutoff_hz for stage in chain.stages if stage.spec.family == "butterworth"]


def test_sound_and_vibration_are_not_filtered_as_an_eeg():
    (chain,) = demo_chains(recording(25600.0, x="misc", y="audio"))
    assert (chain.name, chain.channels) == ("Signals", ("x", "y"))
    assert edges(chain) == [50.0, 4000.0]


def test_without_an_eeg_each_kind_has_its_own_chain():
    chains = demo_chains(recording(250.0, II="ecg", pleth="misc"))
    assert [(chain.name, chain.channels) for chain in chains] == [("Signals", ("pleth",)), ("ECG", ("II",))]
    assert [chain.name for chain in demo_chains(recording(250.0, II="ecg"))] == ["ECG"]


def test_an_eeg_has_the_chain_of_the_demonstration_and_the_rest_stays_raw():
    (chain,) = demo_chains(recording(250.0, Cz="eeg", trigger="misc"))
    assert (chain.name, chain.channels, edges(chain)) == ("EEG", ("Cz",), [0.5, 40.0])


def test_what_does_not_fit_the_rate_is_off():
    (chain,) = demo_chains(recording(60.0, x="misc"))
    assert [stage.enabled for stage in chain.stages] == [False, True, True]
    assert demo_chains(recording(None, x="misc"))[0].stages
