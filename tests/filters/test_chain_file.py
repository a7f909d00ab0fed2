"""Chain files: every family comes back to the last digit, and whatever is wrong is named with what would be right."""

from __future__ import annotations

import json
import math
import os
from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from jaxscope.errors import ChainError, SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.chain_file import (
    UnknownSpec,
    chain_from_dict,
    chain_to_dict,
    load_chain,
    save_chain,
    spec_from_dict,
)
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.json_file import MAX_FILE_BYTES
from jaxscope.filters.spec import FilterChain, Padding, Stage

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("family", FAMILIES)
def test_knobs_describe_every_field(family):
    spec_class = FAMILIES[family]
    assert spec_class.family == family
    assert spec_class.title
    assert spec_class.summary
    assert not spec_class.summary.endswith(".")
    spec = spec_class()
    assert [knob.name for knob in spec.knobs()] == [item.name for item in fields(spec)]
    for knob in spec.knobs():
        assert knob.label
        assert spec.with_value(knob.name, getattr(spec, knob.name)) == spec
    assert hash(spec) == hash(spec_class())


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_family_round_trips(specs_of, family, data):
    spec = data.draw(specs_of(family))
    origin = data.draw(st.one_of(st.none(), specs_of("butterworth")))
    chain = FilterChain(
        name=data.draw(st.text(max_size=10)),
        channels=data.draw(st.one_of(st.none(), st.lists(st.text(max_size=5), max_size=2).map(tuple))),
        phase=data.draw(st.sampled_from(["causal", "zero", "minimum"])),
        initial=data.draw(st.sampled_from(["rest", "steady"])),
        padding=Padding(
            kind=data.draw(st.sampled_from(["odd", "even", "constant", "none", "gustafsson"])),
            samples=data.draw(st.one_of(st.none(), st.integers(0, 10**6))),
        ),
        gaps=data.draw(st.sampled_from(["segment", "propagate"])),
        stages=(
            Stage(spec=spec, enabled=data.draw(st.booleans()), name=data.draw(st.text(max_size=5)), origin=origin),
        ),
    )
    text = json.dumps(chain_to_dict(chain), allow_nan=False)
    assert chain_from_dict(json.loads(text)) == chain


def test_the_example_of_the_documentation_loads(tmp_path):
    path = tmp_path / "clean.json"
    path.write_text(
        """{"format": "jaxscope-chain", "version": 1, "name": "EEG clean", "channels": ["EEG*", "Fp1"],
 "phase": "causal", "initial": "steady", "padding": {"kind": "odd", "samples": null}, "gaps": "segment",
 "stages": [
  {"family": "butterworth", "band": "bandpass", "order": 4, "cutoff_hz": [1.0, 40.0]},
  {"family": "notch", "frequency_hz": 50.0, "q": 30.0, "enabled": true},
  {"family": "sections", "rows": [[1, 0, 0, 1, -0.5, 0]]}]}"""
    )
    chain = load_chain(path)
    assert chain.channels == ("EEG*", "Fp1")
    assert chain.stages[0].spec == Butterworth(band="bandpass", order=4, cutoff_hz=(1.0, 40.0))
    assert [stage.enabled for stage in chain.stages] == [True] * 3
    assert chain.stages[2].spec.rows == ((1.0, 0.0, 0.0, 1.0, -0.5, 0.0),)


def test_no_channels_and_all_channels_are_two_things():
    everything = chain_from_dict(GOOD)
    nothing = chain_from_dict(GOOD | {"channels": []})
    assert (everything.channels, nothing.channels) == (None, ())
    assert "channels" not in chain_to_dict(everything)
    assert chain_to_dict(nothing)["channels"] == []


def test_what_is_left_out_has_the_defaults_of_the_public_face():
    for version in (1, 1.0):
        assert chain_from_dict({"format": "jaxscope-chain", "version": version, "stages": []}) == FilterChain()
    chain = chain_from_dict({"format": "jaxscope-chain", "version": 1, "stages": []})
    assert chain == FilterChain(
        phase="causal", initial="steady", padding=Padding(kind="odd", samples=None), gaps="segment"
    )


GOOD = {"format": "jaxscope-chain", "version": 1}


@pytest.mark.parametrize(
    ("data", "message", "hint"),
    [
        ([], "not an object", ""),
        ({}, "not a filter chain", "jaxscope-chain"),
        ({"format": "jaxscope-project", "version": 1}, "not a filter chain", "--project"),
        (GOOD | {"version": 2}, "newer", "update"),
        (GOOD | {"version": True}, "not a version", ""),
        (GOOD | {"version": "1"}, "not a version", ""),
        ({"format": "jaxscope-chain"}, "not a version", ""),
        (GOOD | {"stagse": []}, '"stagse"', '"stages"'),
        (GOOD | {"stages": {}}, "not a list", ""),
        (GOOD | {"stages": [3]}, "stage 1: a stage is 3", ""),
        (GOOD | {"stages": [{}]}, "has no family", "butterworth"),
        (GOOD | {"stages": [{"family": 3}]}, "not a text", ""),
        (
            GOOD | {"stages": [{"family": "notch"}, {"family": "butterwort"}]},
            'stage 2: family "butterwort"',
            '"butterworth"',
        ),
        (GOOD | {"stages": [{"family": "notch", "frequency": 50}]}, 'no field "frequency"', '"frequency_hz"'),
        (GOOD | {"stages": [{"family": "notch", "band": "lowpass"}]}, 'no field "band"', ""),
        (GOOD | {"stages": [{"family": "notch", "enabled": "yes"}]}, "enabled", "true or false"),
        (GOOD | {"stages": [{"family": "notch", "name": 3}]}, "name is 3", ""),
        (GOOD | {"stages": [{"family": "notch", "origin": 3}]}, "origin is 3", ""),
        (GOOD | {"stages": [{"family": "notch", "origin": {"family": "wavelet"}}]}, "wavelet", ""),
        (GOOD | {"stages": [{"family": "butterworth", "cutoff_hz": "40"}]}, "not a number", ""),
        (GOOD | {"stages": [{"family": "butterworth", "cutoff_hz": None}]}, "missing", ""),
        (GOOD | {"stages": [{"family": "butterworth", "order": True}]}, "not a number", ""),
        (GOOD | {"stages": [{"family": "butterworth", "band": "low"}]}, '"low"', "lowpass"),
        (GOOD | {"phase": "linear"}, '"linear"', "causal"),
        (GOOD | {"phase": ["zero"]}, "phase", "causal"),
        (GOOD | {"initial": None}, "initial", "rest"),
        (GOOD | {"gaps": "fill"}, '"fill"', "segment"),
        (GOOD | {"padding": "odd"}, "padding", ""),
        (GOOD | {"padding": {"kind": "zero"}}, '"zero"', "odd"),
        (GOOD | {"padding": {"samples": -1}}, "negative", ""),
        (GOOD | {"padding": {"samples": 1.5}}, "1.5", "whole"),
        (GOOD | {"padding": {"length": 1}}, '"length"', ""),
        (GOOD | {"channels": "EEG*"}, "not a list", ""),
        (GOOD | {"channels": [1]}, "not a text", ""),
        (GOOD | {"name": 1}, "name is 1", ""),
    ],
)
def test_what_is_wrong_is_named(data, message, hint):
    with pytest.raises(ChainError) as caught:
        chain_from_dict(data)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.exit_code == 4
    assert not caught.value.message.endswith(".")


def test_an_unknown_family_is_kept_off_with_its_data_in_the_window(tmp_path):
    stage = {"family": "wavelet", "levels": [1, 2], "name": "W", "enabled": True, "origin": {"family": "notch"}}
    data = GOOD | {"stages": [stage, {"family": "notch", "origin": {"family": "curvelet", "x": 1}}]}
    chain = chain_from_dict(data, tolerant=True)
    assert isinstance(chain.stages[0].spec, UnknownSpec)
    assert (chain.stages[0].enabled, chain.stages[0].name) == (False, "W")
    assert chain_to_dict(chain)["stages"][0] == stage
    assert chain_from_dict(chain_to_dict(chain), tolerant=True) == chain
    assert hash(chain)
    with pytest.raises(SpecError, match='stage "wavelet" is not known here'):
        replace(chain, stages=(replace(chain.stages[0], enabled=True),)).check(100.0)
    with pytest.raises(ChainError, match="wavelet"):
        chain_from_dict(data)


@pytest.mark.parametrize("family", [{"a": 1}, [[]], None, 5])
def test_a_family_that_is_no_text_is_refused_even_where_families_are_tolerated(family):
    for stage in ({"family": family}, {"family": "gain", "gain": 1, "origin": {"family": family}}):
        with pytest.raises(SpecError, match="which is not a text"):
            chain_from_dict(GOOD | {"stages": [stage]}, tolerant=True)


@pytest.mark.parametrize("data", [{"family": "x" * 100_000}, {"family": "butterworth", "y" * 100_000: 1}])
def test_what_is_not_known_is_told_in_a_sentence_that_can_be_read(data):
    with pytest.raises(SpecError) as caught:
        spec_from_dict(data)
    assert len(caught.value.message) < 200


def test_an_unknown_field_is_refused_even_where_families_are_tolerated():
    with pytest.raises(SpecError, match='no field "frequency"'):
        chain_from_dict(GOOD | {"stages": [{"family": "notch", "frequency": 1}]}, tolerant=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe\x00", "not a text file"),
        (b'{"format": "jaxscope-chain", "version": 1, "stages": [{"family": "gain", "gain": NaN}]}', "NaN"),
        (b'{"format": "jaxscope-chain", "version": 1, "version": 1}', '"version" is given twice'),
        (b"[" * 100_000, "not JSON"),
        (b'{"format": "jaxscope-chain", "version": 1, "stages": [{"family": "gain", "gain": 1e999}]}', "inf"),
        (b"null", "not an object"),
    ],
)
def test_files_that_are_no_chain(tmp_path, content, message):
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(ChainError, match=message) as caught:
        load_chain(path)
    assert "bad.json" in caught.value.message
    assert "\n" not in caught.value.sentence()


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ChainError, match="does not exist"):
        load_chain(tmp_path / "none.json")
    with pytest.raises(ChainError, match="is a folder"):
        load_chain(tmp_path)
    with pytest.raises(ChainError, match="is a pipe or a device"):
        load_chain(os.devnull)
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(ChainError, match="too much for a chain"):
        load_chain(huge)


def test_a_byte_order_mark_is_no_obstacle(tmp_path):
    path = tmp_path / "bom.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert load_chain(path) == FilterChain()


def test_saving_is_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "chain.json"
    chain = FilterChain(name="µ", stages=(Stage(spec=Butterworth(cutoff_hz=math.pi)),))
    save_chain(chain, path)
    assert load_chain(path) == chain
    assert list(tmp_path.iterdir()) == [path]

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ChainError, match="No space left"):
        save_chain(FilterChain(name="new"), path)
    assert load_chain(path) == chain
    assert list(tmp_path.iterdir()) == [path]


def test_saving_where_one_cannot_is_said(tmp_path):
    with pytest.raises(ChainError, match="cannot be written"):
        save_chain(FilterChain(), tmp_path / "none" / "chain.json")


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | FINITE | st.text(max_size=8) | st.sampled_from(["notch", "butterworth", "zpk"]),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["family", "stages", "q", "order", "origin", "padding", "zeros", "x"]), inner
            )
        ),
        max_leaves=12,
    )
)
def test_whatever_stands_in_a_file_is_a_chain_or_a_sentence(data):
    content = GOOD | data if isinstance(data, dict) else data
    for tolerant in (False, True):
        try:
            chain = chain_from_dict(content, tolerant=tolerant)
        except ChainError as error:
            assert error.message  # noqa: PT017
        else:
            assume(chain is not None)
            assert chain_from_dict(chain_to_dict(chain), tolerant=tolerant) == chain


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"channels": "EEG*"}, 'channels is "EEG'),
        ({"channels": 3}, "not a list"),
        ({"channels": ("Fp1", 2)}, "2 in channels is not a str"),
        ({"stages": Butterworth()}, "not a list"),
        ({"stages": (Butterworth(),)}, "is not a Stage"),
    ],
)
def test_a_chain_made_in_python_is_checked_too(fields, words):
    with pytest.raises(SpecError, match=words) as caught:
        FilterChain(**fields)
    assert caught.value.field == next(iter(fields))
    assert caught.value.hint


@pytest.mark.parametrize("rate_hz", [0.0, -1.0, math.nan, math.inf])
def test_a_rate_that_is_none_is_the_field_that_is_wrong(rate_hz):
    with pytest.raises(SpecError, match="is not a number above 0") as caught:
        Butterworth().check(rate_hz)
    assert caught.value.field == "rate_hz"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"stages": [{"family": "gain", "gain": True}]}, "gain is true, which"),
        ({"stages": [{"family": "fir_window", "window": [None, "hé"]}]}, 'window is [null, "hé"]'),
        ({"stages": None}, "stages is null, which"),
        ({"stages": [], "phase": False}, "phase is false, which"),
    ],
)
def test_a_value_is_told_as_the_file_has_it(content, words):
    with pytest.raises(ChainError) as caught:
        chain_from_dict({"format": "jaxscope-chain", "version": 1, **content})
    assert words in caught.value.message
