"""A shelf of chains for the usual signals, as data, each fitted to a rate.

What lies above half the rate is left out and said, never moved: a preset is a promise about frequencies. Cutoffs are
those of the sources named; orders are moderate, because a steep edge rings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.shapes import short_hz
from jaxscope.filters.spec import AbstractFilterSpec, Phase, Stage

#: Harmonics of the mains that a preset takes out, and the width of each notch in hertz.
MAINS_HARMONICS = 10
MAINS_WIDTH_HZ = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named chain. ``phase`` None leaves that of the chain as it is; ``adds`` puts the stages after those there."""

    name: str
    group: str
    title: str
    summary: str
    stages: tuple[AbstractFilterSpec, ...]
    #: where the band comes from
    source: str
    phase: Phase | None = "zero"
    adds: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedPreset:
    """A preset at a rate: the stages that fit, and what was left out, in words."""

    preset: Preset
    stages: tuple[Stage, ...]
    left_out: tuple[str, ...] = field(default=())

    def sentence(self, rate_hz: float) -> str:
        """Return what was left out as a sentence without a full stop, empty where nothing was."""
        if not self.left_out:
            return ""
        listed = ", ".join(self.left_out)
        return f"Left out, above what {short_hz(rate_hz)} Hz of rate can hold: {listed}"


def _band(family_order: int, band: str, cutoff_hz: float) -> AbstractFilterSpec:
    return FAMILIES["butterworth"](band=band, order=family_order, cutoff_hz=cutoff_hz)


def _between(low_hz: float, high_hz: float, low_order: int, high_order: int) -> tuple[AbstractFilterSpec, ...]:
    return _band(low_order, "highpass", low_hz), _band(high_order, "lowpass", high_hz)


def _notch(frequency_hz: float, width_hz: float = MAINS_WIDTH_HZ) -> AbstractFilterSpec:
    return FAMILIES["notch"](frequency_hz=frequency_hz, q=round(frequency_hz / width_hz, 3))


def _mains(base_hz: float) -> tuple[AbstractFilterSpec, ...]:
    return tuple(_notch(base_hz * harmonic) for harmonic in range(1, MAINS_HARMONICS + 1))


def _weighting(curve: str) -> tuple[AbstractFilterSpec, ...]:
    return (FAMILIES["weighting"](curve=curve),)


_ECG = "Kligfield et al., Recommendations for the standardization of the electrocardiogram, 2007"
_EEG = "Customary band; Widmann, Schröger and Maess, Digital filter design for electrophysiological data, 2015"
_ERP = "Luck, An Introduction to the Event-Related Potential Technique, 2014"
_SPIKES = "Quian Quiroga, Nadasdy and Ben-Shaul, Unsupervised spike detection and sorting, 2004"
_FIELD = "Customary band; Buzsáki, Anastassiou and Koch, The origin of extracellular fields and currents, 2012"
_EMG = "De Luca et al., Filtering the surface EMG signal, 2010; SENIAM"
_QUAKES = "Customary band; Bormann (ed.), New Manual of Seismological Observatory Practice, 2012"
_MACHINES = "Band of vibration severity, ISO 20816-1:2016; ISO 2954 sets how steep its edges are"
_LOUD = "IEC 61672-1:2013"
_PROGRAMME = "ITU-R BS.1770-5"
_MAINS = "Each harmonic 1.5 Hz wide; IEC 60038 for the frequency of the mains"

PRESETS: tuple[Preset, ...] = (
    Preset(name="ecg_monitor", group="Heart", title="ECG, monitor 0.5–40 Hz",
           summary="Steady baseline and little noise, for rhythm; it changes the ST segment",
           stages=_between(0.5, 40.0, 1, 4), source=_ECG),
    Preset(name="ecg_diagnostic", group="Heart", title="ECG, diagnostic 0.05–150 Hz",
           summary="The band for measuring a resting electrocardiogram",
           stages=_between(0.05, 150.0, 1, 4), source=_ECG),
    Preset(name="eeg_50", group="Brain", title="EEG 0.5–40 Hz, notch 50 Hz",
           summary="Rhythms of the brain without drift, muscle and mains",
           stages=(_notch(50.0), *_between(0.5, 40.0, 4, 4)), source=_EEG),
    Preset(name="eeg_60", group="Brain", title="EEG 0.5–40 Hz, notch 60 Hz",
           summary="Rhythms of the brain without drift, muscle and mains",
           stages=(_notch(60.0), *_between(0.5, 40.0, 4, 4)), source=_EEG),
    Preset(name="erp", group="Brain", title="ERP 0.1–30 Hz",
           summary="Slow enough an edge to leave the shape of evoked potentials",
           stages=_between(0.1, 30.0, 2, 4), source=_ERP),
    Preset(name="lfp", group="Brain", title="Local field potential 1–300 Hz",
           summary="What is left below the spikes",
           stages=_between(1.0, 300.0, 2, 4), source=_FIELD),
    Preset(name="spikes", group="Brain", title="Spike band 300–6000 Hz",
           summary="Action potentials without the field potential below them",
           stages=_between(300.0, 6000.0, 3, 3), source=_SPIKES),
    Preset(name="emg", group="Muscle", title="Surface EMG 20–450 Hz",
           summary="Muscle without movement of the skin and without what aliases",
           stages=_between(20.0, 450.0, 2, 4), source=_EMG),
    Preset(name="teleseismic", group="Earth", title="Teleseismic 0.01–0.1 Hz",
           summary="Surface waves of distant earthquakes, periods of 10 to 100 s",
           stages=_between(0.01, 0.1, 4, 4), source=_QUAKES),
    Preset(name="local_earthquake", group="Earth", title="Local earthquake 1–20 Hz",
           summary="Forward only, so that an onset stays where it is",
           stages=_between(1.0, 20.0, 4, 4), source=_QUAKES, phase="causal"),
    Preset(name="machine_vibration", group="Machine", title="Machine vibration 10–1000 Hz",
           summary="The band in which the severity of vibration is judged",
           stages=_between(10.0, 1000.0, 3, 3), source=_MACHINES),
    Preset(name="a_weighting", group="Sound", title="A-weighting", summary="Loudness at low levels, IEC 61672-1",
           stages=_weighting("A"), source=_LOUD, phase="causal"),
    Preset(name="c_weighting", group="Sound", title="C-weighting", summary="Loudness at high levels, IEC 61672-1",
           stages=_weighting("C"), source=_LOUD, phase="causal"),
    Preset(name="k_weighting", group="Sound", title="K-weighting", summary="Programme loudness, ITU-R BS.1770",
           stages=_weighting("K"), source=_PROGRAMME, phase="causal"),
    Preset(name="mains_50", group="Mains", title="50 Hz and harmonics",
           summary="Added to the chain: notches at 50, 100, 150 Hz and on",
           stages=_mains(50.0), source=_MAINS, phase=None, adds=True),
    Preset(name="mains_60", group="Mains", title="60 Hz and harmonics",
           summary="Added to the chain: notches at 60, 120, 180 Hz and on",
           stages=_mains(60.0), source=_MAINS, phase=None, adds=True),
)  # fmt: skip


def fit_preset(preset: Preset, rate_hz: float) -> FittedPreset:
    """Return the stages of a preset that a rate can hold, and the rest in words.

    Examples
    --------
    >>> emg = next(preset for preset in PRESETS if preset.name == "emg")
    >>> fitted = fit_preset(emg, 500.0)
    >>> len(fitted.stages), fitted.left_out
    (1, ('low-pass 450 Hz',))
    """
    stages: list[Stage] = []
    left_out: list[str] = []
    for spec in preset.stages:
        try:
            spec.check(rate_hz)
        except SpecError:
            left_out.append(_words(spec))
        else:
            stages.append(Stage(spec=spec))
    return FittedPreset(preset=preset, stages=tuple(stages), left_out=tuple(left_out))


def _words(spec: Any) -> str:
    match spec.family:
        case "butterworth":
            return f"{spec.band.replace('pass', '-pass')} {short_hz(spec.cutoff_hz)} Hz"
        case "notch":
            return f"{short_hz(spec.frequency_hz)} Hz"
        case _:
            return f"{spec.curve}-weighting"
