"""Montages: what each kind makes of channels, what it refuses, and how it is kept."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.data.recording import Channel
from jaxscope.errors import ChainError, SpecError
from jaxscope.filters.electrodes import PAIRS, POSITIONS, electrode_of
from jaxscope.filters.mixing import Mixing
from jaxscope.filters.montage import Montage
from jaxscope.filters.montage_file import (
    WORDS,
    load_montage,
    montage_from_dict,
    montage_of_matrix,
    montage_of_word,
    montage_to_dict,
    save_montage,
    word_of,
)
from jaxscope.filters.montage_formula import formula_of, weights_of
from jaxscope.filters.montage_rows import derive, words_of

TEN_TWENTY = [
    "Fp1",
    "Fp2",
    "F7",
    "F3",
    "Fz",
    "F4",
    "F8",
    "T3",
    "C3",
    "Cz",
    "C4",
    "T4",
    "T5",
    "P3",
    "Pz",
    "P4",
    "T6",
    "O1",
    "O2",
]


def channels(names, **other):
    kind = other.pop("kind", "eeg")
    given = {"unit": "uV", "rate_hz": 256.0, "n_samples": 50, **other}
    return [Channel(name=name, kind=kind, **given) for name in names]


HEAD = [
    *channels(TEN_TWENTY),
    *channels(["A1", "A2"]),
    *channels(["ECG"], kind="ecg"),
    *channels(["Mark"], kind="status"),
]


def outputs(montage, recorded, x):
    made = derive(montage, recorded).channels
    mixing = Mixing(made)
    return [one.name for one in made], mixing.apply(x[list(mixing.inputs)]), made


def samples():
    return np.random.default_rng(1).normal(size=(len(HEAD), 50))


def test_average_takes_the_mean_of_all_eeg_and_leaves_the_rest_alone():
    x = samples()
    names, y, _ = outputs(WORDS["average"], HEAD, x)
    assert names == [*(f"{name}-Av" for name in [*TEN_TWENTY, "A1", "A2"]), "ECG", "Mark"]
    np.testing.assert_allclose(y[:21], x[:21] - x[:21].mean(axis=0), atol=1e-12)
    np.testing.assert_array_equal(y[21:], x[21:])


def test_excluded_channels_are_not_in_the_mean_but_are_shown_against_it():
    x = samples()
    x[20] = 1e6
    names, y, _ = outputs(Montage(kind="average", excluded=("A2",)), HEAD, x)
    np.testing.assert_allclose(y[0], x[0] - x[:20].mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(y[names.index("A2-Av")], x[20] - x[:20].mean(axis=0), atol=1e-9)


def test_missing_samples_are_missing_where_they_are_used_and_nowhere_else():
    x = samples()
    x[0, 10], x[8, 20] = np.nan, np.nan
    names, y, made = outputs(WORDS["bipolar"], HEAD, x)
    for name, row, one in zip(names, y, made, strict=True):
        expected = np.isnan(x[list(one.inputs)]).any(axis=0)
        np.testing.assert_array_equal(np.isnan(row), expected, err_msg=name)
    names, y, _ = outputs(WORDS["average"], HEAD, x)
    assert np.isnan(y).sum() == 2
    np.testing.assert_allclose(y[1, 10], x[1, 10] - np.nanmean(x[:21, 10]), atol=1e-12)


@pytest.mark.parametrize("word", [*WORDS, "reference:Cz", "reference:A1,A2"])
def test_sparse_equals_dense(word):
    x = samples()
    made = derive(montage_of_word(word), HEAD).channels
    dense = np.zeros((len(made), len(HEAD)))
    for row, one in enumerate(made):
        for number, weight in one.terms:
            dense[row, number] += weight
        for number in one.mean_of:
            dense[row, number] -= 1.0 / len(one.mean_of)
    mixing = Mixing(made)
    np.testing.assert_allclose(mixing.apply(x[list(mixing.inputs)]), dense @ x, atol=1e-12)
    np.testing.assert_allclose(mixing.matrix.toarray(), dense[:, list(mixing.inputs)], atol=1e-15)


def test_double_banana_by_old_and_new_names():
    names = [one.name for one in derive(WORDS["bipolar"], HEAD).channels]
    assert " ".join(names[:18]) == (
        "Fp1-F7 F7-T3 T3-T5 T5-O1 Fp1-F3 F3-C3 C3-P3 P3-O1 Fz-Cz Cz-Pz "
        "Fp2-F4 F4-C4 C4-P4 P4-O2 Fp2-F8 F8-T4 T4-T6 T6-O2"
    )
    assert names[18:] == ["ECG", "Mark"]
    new = channels([f"EEG {name}-REF" for name in ("FP1", "F7", "T7", "P7", "O1")])
    found = derive(WORDS["bipolar"], new)
    assert [one.name for one in found.channels] == ["Fp1-F7", "F7-T7", "T7-P7", "P7-O1"]
    assert found.notes == (
        "pairs are left out because an electrode is not there: Fp1-F3, F3-C3, C3-P3, P3-O1, Fz-Cz, Cz-Pz and 8 more",
    )


def test_transverse_and_neighbouring_pairs():
    names = [one.name for one in derive(WORDS["transverse"], HEAD).channels]
    assert names[7:11] == ["T3-C3", "C3-Cz", "Cz-C4", "C4-T4"]
    near = derive(Montage(kind="bipolar", pairs="consecutive", channels=("C*",)), HEAD)
    assert [one.name for one in near.channels if not one.is_recorded] == ["C3-Cz", "Cz-C4"]


def test_every_pair_has_a_place_and_neighbours_are_near():
    for pairs in PAIRS.values():
        for one, other in pairs:
            assert np.linalg.norm(np.subtract(POSITIONS[one], POSITIONS[other])) < 1.2


def test_reference_leaves_no_row_of_its_own():
    x = samples()
    names, y, _ = outputs(montage_of_word("reference:A1,A2"), HEAD, x)
    assert "A1" not in names
    assert names[0] == "Fp1-A1+A2"
    np.testing.assert_allclose(y[0], x[0] - (x[19] + x[20]) / 2, atol=1e-12)


def test_laplacian_weights_neighbours_by_nearness():
    cross = channels(["Cz", "a", "b", "c"])
    places = (("Cz", 0, 0, 0), ("a", 1, 0, 0), ("b", 0, 2, 0), ("c", 9, 9, 9))
    made = derive(Montage(kind="laplacian", positions=places, neighbours=2), cross).channels
    assert made[0].name == "Cz-Lap"
    assert dict(made[0].terms) == pytest.approx({0: 1.0, 1: -2 / 3, 2: -1 / 3})
    assert sum(weight for _, weight in made[3].terms) == pytest.approx(0)
    near = derive(Montage(kind="laplacian"), HEAD).channels[TEN_TWENTY.index("Cz")]
    assert {HEAD[number].name for number, _ in near.terms} == {"Cz", "C3", "C4", "Fz", "Pz"}


def test_laplacian_says_what_has_no_place():
    made = derive(Montage(kind="laplacian"), channels(["C3", "C4", "Cz", "depth 1"]))
    assert made.notes == ("the place of depth 1 is not known: shown as recorded",)
    assert made.channels[3].is_recorded


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("C3 - (A1+A2)/2", {"C3": 1, "A1": -0.5, "A2": -0.5}),
        ("2*(C3 − C4)*3 / 4", {"C3": 1.5, "C4": -1.5}),
        ('-"EEG Fp1-REF" + .5 * \'a "b"\'', {"EEG Fp1-REF": -1, 'a "b"': 0.5}),
        ("C3 + 1 - 1", {"C3": 1}),
        ("--C3", {"C3": 1}),
    ],
)
def test_formulas_are_read(text, weights):
    assert weights_of(text) == pytest.approx(weights)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "write channels, such as C3 - A2"),
        ("C3 * C4", "the * at character 4 multiplies two channels: one side must be a number"),
        ("1 / C3", "the / at character 3 divides by a channel: only numbers may stand below"),
        ("C3 / (1 - 1)", "the / at character 4 divides by 0"),
        ("C3 + 5", "the number 5 stands without a channel"),
        ("C3 - (A1", "the bracket at character 6 is not closed"),
        ("C3) ", "the bracket at character 3 closes nothing"),
        ("C3 C4", "a sign is missing before C4 at character 4"),
        ("C3 -", "something is missing at the end"),
        ("C3 ** 2", "a channel or a number is missing before * at character 5"),
        ("2C3", "2C3 at character 1 is not understood: put names like this one in quotes"),
        ('C3 - "A1', "the quote at character 6 is not closed"),
        ("C3 & C4", "& at character 4 is not understood"),
        ("(" * 40 + "C3" + ")" * 40, "there are too many brackets in each other"),
        ("1+2-2", "the number 1 stands without a channel"),
        ("C3" + " " * 20_000, "it has 20002 characters: give 16384 or fewer"),
    ],
)
def test_formulas_that_cannot_be_are_told_with_their_place(text, hint):
    with pytest.raises(SpecError) as caught:
        weights_of(text)
    assert caught.value.hint == hint


def test_formulas_keep_numbers_to_the_last_digit():
    weights = {"C3": 1 / 3, "EEG A1-REF": -1.25e-17, "x": -1.0, "y": 2.0}
    assert weights_of(formula_of(weights)) == weights


@pytest.mark.parametrize(
    ("rows", "field", "message"),
    [
        ((("x", "C3 - Nope"),), "rows.0.formula", "no channel is called Nope"),
        ((("x", "C3 - C4"), ("y", "C3 - slow")), "rows.1.formula", "C3 and slow run at 256 Hz and 128 Hz"),
        ((("x", "C3 - mV"),), "rows.0.formula", "C3 and mV are in uV and mV"),
        ((("x", "C3 - Mark"),), "rows.0.formula", "Mark holds codes and not a signal"),
        ((("C4", "C3"),), "rows.0.name", "two channels would be called C4"),
    ],
)
def test_what_does_not_belong_together_is_not_mixed(rows, field, message):
    recorded = [
        *channels(["C3", "C4"]),
        *channels(["slow"], rate_hz=128.0),
        *channels(["mV"], unit="mV"),
        *channels(["Mark"], kind="status"),
    ]
    with pytest.raises(SpecError) as caught:
        derive(Montage(kind="formulas", rows=rows, others="all"), recorded)
    assert (caught.value.field, caught.value.message) == (field, message)


def test_average_of_two_rates_is_refused():
    with pytest.raises(SpecError, match="C3 and C4 run at 256 Hz and 128 Hz"):
        derive(WORDS["average"], [*channels(["C3"]), *channels(["C4"], rate_hz=128.0)])


def test_which_recorded_channels_stay():
    rows = (("left", "C3 - A1"),)
    small = channels(["C3", "A1", "C4"])
    stay = {
        others: [one.name for one in derive(Montage(kind="formulas", rows=rows, others=others), small).channels]
        for others in ("none", "all", "unused")
    }
    assert stay == {"none": ["left"], "all": ["left", "C3", "A1", "C4"], "unused": ["left", "C4"]}


def test_words_say_what_a_channel_is_made_of():
    made = derive(WORDS["average"], HEAD).channels[0]
    assert words_of(made, HEAD) == "Fp1 - mean of 21 channels"
    pair = derive(WORDS["bipolar"], HEAD).channels[0]
    assert words_of(pair, HEAD) == "Fp1 - F7"


@pytest.mark.parametrize(
    "montage",
    [
        *WORDS.values(),
        Montage(kind="average", name="mine", channels=("C*", "Pz"), excluded=("C3",), others="all"),
        Montage(kind="laplacian", positions=(("a", 0.1, 0.2, 0.3),), neighbours=2),
        Montage(kind="formulas", rows=(("x", "C3 - 0.1*C4"), ("y", '"EEG 1"'))),
        Montage(kind="reference", reference=("A1", "A2")),
    ],
)
def test_a_montage_is_kept_to_the_last_digit(montage, tmp_path):
    assert montage_from_dict(montage_to_dict(montage)) == montage
    save_montage(montage, tmp_path / "m.json")
    assert load_montage(tmp_path / "m.json") == montage
    assert montage_of_word(word_of(montage)) == montage


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"kind": "average"}, "this is not a montage"),
        ({"format": "jaxscope-montage", "version": 2}, "the montage has version 2, and this program knows 1"),
        ({"format": "jaxscope-montage", "version": 1}, "the montage has no kind"),
        (
            {"format": "jaxscope-montage", "version": 1, "kind": "magic"},
            'kind of the montage is "magic", which is not known',
        ),
        (
            {"format": "jaxscope-montage", "version": 1, "kind": "average", "chanels": []},
            'a montage has no field "chanels"',
        ),
        (
            {"format": "jaxscope-montage", "version": 1, "kind": "formulas", "rows": [["x"]]},
            '["x"] in rows is not a pair',
        ),
    ],
)
def test_wrong_files_are_told(content, message):
    with pytest.raises(ChainError) as caught:
        montage_from_dict(content)
    assert caught.value.message == message


def test_a_matrix_in_csv_becomes_formulas(tmp_path):
    path = tmp_path / "car.csv"
    path.write_text("new;C3;C4;ECG 1\na;0,5;-0,5;\nb;;1;-0.25\n", encoding="utf-8")
    montage = load_montage(path)
    assert montage.name == "car"
    assert montage.rows == (("a", "0.5*C3 - 0.5*C4"), ("b", 'C4 - 0.25*"ECG 1"'))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b", "there is no matrix"),
        (",C3,C3\nx,1,2", "line 1 has an empty or repeated channel"),
        (",C3,C4\nx,1", "line 2 has 1 numbers for 2 channels"),
        (",C3,C4\nx,1,two", 'line 2 has "two" for C4, which is not a number'),
        (",C3,C4\nx,0,0", "line 2 has only zeros"),
    ],
)
def test_what_is_no_matrix_is_told_with_its_line(text, message):
    with pytest.raises(SpecError) as caught:
        montage_of_matrix(text)
    assert caught.value.message == message


def test_a_word_that_is_not_known_names_the_nearest():
    with pytest.raises(ChainError) as caught:
        montage_of_word("averge")
    assert caught.value.sentence() == "no montage is called averge; did you mean average?"


@pytest.mark.parametrize(
    ("name", "electrode"),
    [("Fc5.", "FC5"), ("EEG A1-REF", "A1"), ("ECG", None), ("EEG Pz-Oz", None), ("fp1", "Fp1"), ("EEG F3-LE", "F3")],
)
def test_electrodes_are_known_by_their_many_names(name, electrode):
    assert electrode_of(name) == electrode
