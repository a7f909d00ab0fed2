"""``--montage`` on the command line, alone, with chains and with a project: the numbers of the window."""

from __future__ import annotations

import json

import numpy as np
import pytest

from jaxscope.cli import run
from jaxscope.filters.chain_file import save_chain
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.montage import Montage
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.resource_files import resource_path
from jaxscope.session.project import Project, reference_to, save_project
from jaxscope.session.state import Document, EngineChoice, Viewport

BAND = FilterChain(stages=(Stage(spec=Butterworth(band="bandpass", order=2, cutoff_hz=(1.0, 40.0))),))
DEMO = str(resource_path("demo.edf"))


@pytest.fixture
def chain(tmp_path):
    save_chain(BAND, tmp_path / "chain.json")
    return str(tmp_path / "chain.json")


def test_a_difference_of_filtered_channels_is_the_filtered_difference(chain, tmp_path):
    both, one = tmp_path / "both.npy", tmp_path / "one.npy"
    assert run(("filter", DEMO, "-o", str(both), "--chain", chain, "--channels", "Fp1,F7")) == 0
    given = ("--chain", chain, "--montage", "bipolar", "--channels", "Fp1-F7")
    assert run(("filter", DEMO, "-o", str(one), *given)) == 0
    fp1, f7 = np.load(both)
    np.testing.assert_allclose(np.load(one)[0], fp1 - f7, atol=1e-9)


def test_a_montage_alone_is_written_without_a_filter(tmp_path):
    made, raw = tmp_path / "made.npy", tmp_path / "raw.npy"
    matrix = tmp_path / "m.csv"
    matrix.write_text(",Fp1,O1\nhalf,0.5,-0.5\n", encoding="utf-8")
    assert run(("filter", DEMO, "-o", str(made), "--montage", str(matrix), "--channels", "half")) == 0
    assert run(("filter", DEMO, "-o", str(raw), "--montage", "none", "--channels", "Fp1,O1")) == 0
    fp1, o1 = np.load(raw)
    np.testing.assert_allclose(np.load(made)[0], 0.5 * fp1 - 0.5 * o1, atol=1e-9)


def test_a_project_brings_its_montage_and_none_leaves_it_out(capsys, tmp_path):
    montage = Montage(kind="formulas", rows=(("front", "(Fp1 + Fp2)/2 - Cz"),), others="none")
    document = Document(recording=reference_to(DEMO), montage=montage, chains=(BAND,))
    path = str(tmp_path / "p.jaxscope")
    save_project(path, Project(document=document, viewport=Viewport(), engine=EngineChoice()))
    assert run(("filter", "--project", path, "-o", str(tmp_path / "a.npy"), "--json")) == 0
    assert json.loads(capsys.readouterr().out)["outputs"][0]["n_channels"] == 1
    told = json.loads((tmp_path / "a.npy.json").read_text())
    assert told["options"]["montage"]["rows"] == [["front", "(Fp1 + Fp2)/2 - Cz"]]
    assert told["output"]["channels"][0]["made_of"] == ["Fp1", "Fp2", "Cz"]
    given = ("--montage", "none", "--channels", "F*", "--json")
    assert run(("filter", "--project", path, "-o", str(tmp_path / "b.npy"), *given)) == 0
    assert json.loads(capsys.readouterr().out)["outputs"][0]["n_channels"] == 8
    assert "montage" not in json.loads((tmp_path / "b.npy.json").read_text())["options"]


def test_info_tells_the_channels_of_a_montage(capsys):
    assert run(("info", DEMO, "--quick", "--montage", "transverse", "--json")) == 0
    content = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in content["channels"]][:3] == ["F7-Fp1", "Fp1-Fp2", "Fp2-F8"]


@pytest.mark.parametrize(
    ("montage", "words"),
    [
        ("reference:Nope", "no channel is called Nope; there are Fp1, Fpz, Fp2, F7, F3, Fz and 18 more"),
        ("avrage", "no montage is called avrage; did you mean average?"),
        ("nowhere.json", "the montage file nowhere.json does not exist; check the path"),
        ('{"format": "jaxscope-montage", "version": 1, "kind": "formulas", "rows": [["x", "Fp1*O1"]]}', "character 4"),
    ],
)
def test_a_montage_that_cannot_be_is_one_line_and_exit_4(capsys, montage, words, chain, tmp_path):
    assert run(("filter", DEMO, "-o", str(tmp_path / "x.edf"), "--chain", chain, "--montage", montage)) == 4
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert words in captured.err
    assert not (tmp_path / "x.edf").exists()
