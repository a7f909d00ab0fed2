"""Filters of other programs: numbers, JSON, files, and lines of code become stages, checked against SciPy."""

from __future__ import annotations

import io
import json
import os
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import io as scipy_io
from scipy import signal

from jaxscope.errors import ChainError
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.filters.code import EXPORTS, export_code
from jaxscope.filters.design import design_chain
from jaxscope.filters.imports import RateNeededError, chain_of_file, import_file, import_text
from jaxscope.filters.response import frequency_response

RATE_HZ = 256.0
FREQUENCIES_HZ = np.linspace(0.5, 127, 40)


def response(imported, rate_hz=RATE_HZ):
    return frequency_response(design_chain(FilterChain(stages=imported.stages), rate_hz), FREQUENCIES_HZ)


def scipy_response(b, a, rate_hz=RATE_HZ):
    return signal.freqz(b, a, FREQUENCIES_HZ, fs=rate_hz)[1]


LINES = [
    ("sos = signal.butter(4, [1, 40], 'bandpass', fs=256, output='sos')", signal.butter(4, [1, 40], "band", fs=256)),
    ("b, a = butter(3, 40/(fs/2), 'low')", signal.butter(3, 40, fs=256)),
    ("b, a = signal.cheby1(4, 0.5, 30, 'high', fs=256)", signal.cheby1(4, 0.5, 30, "high", fs=256)),
    ("b, a = scipy.signal.cheby2(N=4, rs=40, Wn=30, fs=256)", signal.cheby2(4, 40, 30, fs=256)),
    ("sos = signal.ellip(4, 0.5, 40, [20, 30], btype='bandstop', fs=256)",
     signal.ellip(4, 0.5, 40, [20, 30], "bandstop", fs=256)),
    ("b, a = signal.bessel(3, 30, norm='mag', fs=256)", signal.bessel(3, 30, norm="mag", fs=256)),
    ("b, a = signal.iirfilter(2, [10, 20], rs=60, btype='band', ftype='cheby2', fs=256)",
     signal.iirfilter(2, [10, 20], rs=60, btype="band", ftype="cheby2", fs=256)),
    ("z, p, k = signal.iirdesign(20, 30, 1, 40, ftype='ellip', output='zpk', fs=256)",
     signal.iirdesign(20, 30, 1, 40, ftype="ellip", fs=256)),
    ("n, w = signal.buttord(20, 40, 1, 40, fs=256)\nsos = signal.butter(n, w, output='sos', fs=256)",
     signal.butter(*signal.buttord(20, 40, 1, 40, fs=256), fs=256)),
    ("b, a = signal.iirnotch(50, 30, fs)", signal.iirnotch(50, 30, 256)),
    ("b, a = signal.iirpeak(10, Q=5, fs=256)", signal.iirpeak(10, 5, 256)),
    ("b, a = signal.iircomb(32, 20, ftype='peak', fs=256)", signal.iircomb(32, 20, "peak", 256)),
    ("b, a = signal.iircomb(32, 20, ftype='peak', fs=256, pass_zero=True)",
     signal.iircomb(32, 20, "peak", 256, pass_zero=True)),
    ("h = signal.firwin(31, [10, 20], pass_zero=False, window=('kaiser', 5.0), fs=256)",
     (signal.firwin(31, [10, 20], pass_zero=False, window=("kaiser", 5.0), fs=256), 1)),
    ("h = signal.firwin(31, 30, scale=False, fs=256)", (signal.firwin(31, 30, scale=False, fs=256), 1)),
    ("h = signal.firwin2(65, [0, 20, 40, 128], [1, 1, 0, 0], fs=256)",
     (signal.firwin2(65, [0, 20, 40, 128], [1, 1, 0, 0], fs=256), 1)),
    ("h = signal.remez(31, [0, 20, 30, 128], [1, 0], fs=256)", (signal.remez(31, [0, 20, 30, 128], [1, 0], fs=256), 1)),
    ("h = signal.firls(31, [0, 20, 30, 128], [1, 1, 0, 0], fs=256)",
     (signal.firls(31, [0, 20, 30, 128], [1, 1, 0, 0], fs=256), 1)),
    ("y = signal.savgol_filter(x, 11, 3)", (signal.savgol_coeffs(11, 3), 1)),
    ("[b,a] = butter(4,[1 40]/(fs/2),'bandpass');", signal.butter(4, [1, 40], "band", fs=256)),
    ("[z, p, k] = cheby1(4, .5, 0.25, 'high');\n[sos, g] = zp2sos(z, p, k); % run it\ny = filtfilt(sos, g, x);",
     signal.cheby1(4, 0.5, 0.25, "high")),
    ("d = designfilt('bandpassiir', 'FilterOrder', 8, ...\n 'HalfPowerFrequency1', 10, 'HalfPowerFrequency2', 20, ...\n"
     " 'SampleRate', 256);", signal.butter(4, [10, 20], "band", fs=256)),
    ("b = fir1(30, [0.2 0.4], hann(31));", (signal.firwin(31, [0.2, 0.4], pass_zero=False, window="hann"), 1)),
    ("w0 = 50/(fs/2); bw = w0/35;\n[b,a] = iirnotch(w0,bw);", signal.iirnotch(50, 35, 256)),
    ("b = firpm(30, [0 .2 .3 1], [1 1 0 0]);", (signal.remez(31, np.array([0, 0.2, 0.3, 1]) / 2, [1, 0]), 1)),
    ("[b,a] = iircomb(8, (2/8)/20);", signal.iircomb(32, 20, "notch", 256)),
    ("sos = [1 2 1 1 -.5 .2\n 1 -2 1 1 -.9 .8]; g = [0.5; 0.25; 2];",
     signal.sos2tf([[0.5, 1, 0.5, 1, -0.5, 0.2], [0.5, -1, 0.5, 1, -0.9, 0.8]])),
    ("b0,b1,b2,a0,a1,a2\n1,2,1,1,-0.5,0.2", ([1, 2, 1], [1, -0.5, 0.2])),
    ("sos: 1 2 1 2 -1 0.4", ([0.5, 1, 0.5], [1, -0.5, 0.2])),
    ("2\t2\t1\t-0.5\t0.2\n1\t0\t0\t-0.9\t0.5\n1\t0\t0\t0\t0",
     signal.sos2tf([[2, 2, 1, 1, -0.5, 0.2], [1, 0, 0, 1, -0.9, 0.5], [1, 0, 0, 1, 0, 0]])),
    ("b: 1 2 3\na: 1 -0.5", ([1, 2, 3], [1, -0.5])),
    ("b;a\n0,5;1\n0,25;-0,5", ([0.5, 0.25], [1, -0.5])),
    ("# taps\n0.25\n0.5\n0.25", ([0.25, 0.5, 0.25], 1)),
    ('{"num": [1, 2], "den": [2, -1]}', ([1, 2], [2, -1])),
    ('{"sos": [[1, 2, 1, 1, -0.5, 0.2]], "fs": 256}', ([1, 2, 1], [1, -0.5, 0.2])),
    ('{"_id": ["pyfda", 1], "f_S": 256, "sos": [], "ba": [[0.25, 0.5, 0.25], [1, 0, 0]]}', ([0.25, 0.5, 0.25], 1)),
    ('{"z": [-1], "p": ["0.5+0.3j", "0.5-0.3j"], "k": 2}', signal.zpk2tf([-1], [0.5 + 0.3j, 0.5 - 0.3j], 2)),
    ("const double b[3] = {1, 2.0f, 3e0};\nstatic double a[] = { 1.0, -0.5 };", ([1, 2, 3], [1, -0.5])),
    ("/* arm_math.h */ float32_t coeffs_biquad[5] = {1, 2, 1, 0.5, -0.2};", ([1, 2, 1], [1, -0.5, 0.2])),
    ("/* arm_math.h */ float32_t biquad_coeffs[10] = {1, 2, 1, 0.5, -0.2, 1, 0, 0, 0, 0};",
     ([1, 2, 1], [1, -0.5, 0.2])),
    ("float32_t iir[5] = {1, 2, 1, 0.5, -0.2};\narm_biquad_cascade_df1_init_f32(&s, 1, (float32_t *)iir, state);",
     ([1, 2, 1], [1, -0.5, 0.2])),
    ("b = signal.firwin(int(7.9), round(19.6), fs=256)", (signal.firwin(7, 20, fs=256), 1)),
    ("const q15_t taps[2] = { 16384, -8192 };", ([0.5, -0.25], 1)),
    ("const real64_T NUM[2][3] = {{0.5,0,0},{1,2,1}};\nconst real64_T DEN[2][3] = {{1,0,0},{1,-.5,.2}};",
     ([0.5, 1, 0.5], [1, -0.5, 0.2])),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), LINES, ids=[text.split("\n")[0][:40] for text, _ in LINES])
def test_a_text_becomes_the_filter_that_it_describes(text, wanted):
    found = response(import_text(text, rate_hz=RATE_HZ))
    reference = scipy_response(*wanted)
    if "zpk" in text or '"z"' in text or "iirdesign" in text:  # a delay more or less
        found, reference = np.abs(found), np.abs(reference)
    np.testing.assert_allclose(found, reference, atol=2e-8 * np.abs(reference).max())


def test_code_becomes_a_design_that_can_be_tuned_on():
    found = import_text("sos = signal.butter(4, [1, 40], 'bandpass', fs=1000, output='sos')", rate_hz=RATE_HZ)
    assert found.stages == (Stage(spec=FAMILIES["butterworth"](band="bandpass", order=4, cutoff_hz=(1.0, 40.0))),)
    assert found.notes == ("written for 1000 Hz: its edges in Hz are kept at 256 Hz",)


def test_what_is_not_read_of_a_call_is_said():
    assert "deriv of savgol_filter is not read" in import_text("y = savgol_filter(x, 11, 3, deriv=1)").notes[0]
    told = import_text("b = firwin(101, 20, None, 'hann', fs=256)").notes
    assert [note[:22] for note in told] == ["argument 3 of firwin i", "argument 4 of firwin i"]
    assert import_text("sos = butter(4, 20, output='sos', fs=256)").notes == ()


def test_parts_of_half_the_rate_take_the_rate_of_the_source_first_and_that_is_said():
    own = import_text("fs = 500\nnyq = fs / 2\nb, a = butter(3, [0.5 / nyq, 40 / nyq], btype='band')", rate_hz=RATE_HZ)
    assert own.stages[0].spec.cutoff_hz == (0.5, 40.0)
    assert "half of fs = 500 Hz" in own.notes[0]
    ours = import_text("b, a = signal.butter(4, 0.1)", rate_hz=RATE_HZ)
    assert ours.stages[0].spec.cutoff_hz == 12.8
    assert ours.notes == ("0.1 of half of the recording's 256 Hz is 12.8 Hz",)
    with pytest.raises(RateNeededError, match=r"line 1: 0\.1 in butter is a part of half the rate, which is not known"):
        import_text("b, a = signal.butter(4, 0.1)")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 2 3\n4 x 6", 'line 2: "x" is not a number'),
        ("1 2 3 4\n1 2", None),
        ("q31_t biquad[5] = {500, 1000, 500, 900, -500};", "biquad holds sections as fractions"),
        ("b, a = butter(round(2.5), 20, fs=256)", "2.5 is rounded up or down"),
        ("1 2 3\n1 2\n1 2 3", "row 2 has 2 numbers and the first has 3"),
        ("b = [2, 8, 5]\na = [0, -1, 0.5]", "a0 is 0"),
        ("b0,b1,b2,a0,a1,a2\n1,2,1,0,-0.5,0.2", "a0 of section 1 in the table is 0"),
        ("sos = signal.butter(4, 10, analog=True)", "line 1: butter is an analog design"),
        ("[b,a] = butter(4, 10, 's');", "line 1: butter is an analog design"),
        ("\nb, a = signal.buttr(4, 0.1)", "line 2: buttr is not a filter design that can be read; did you mean butter"),
        ("b = 5 * x", "line 1: x is not given"),
        ("b, a = signal.butter(4, 10, 'lowpas', fs=256)", 'line 1: "lowpas" is no band of butter'),
        ("b, a = signal.butter(fs=256)", "line 1: butter has no N"),
        ("b, a = signal.butter(4, [1, 2, 3], 'band', fs=256)", "line 1: butter has 3 edges"),
        ("b, a = signal.butter(4, 40, fs='x')", "line 1: fs of butter"),
        ("h = signal.firwin(10**9, 40, fs=256)", "line 1: numtaps of firwin is 1000000000"),
        ("import os\nos.system('touch /tmp/x')", "line 2: system is not a filter design"),
        ("const double b[2] = {1, two};", 'line 1: "two" in b is not a number'),
        ('{"b": ["x"]}', "holds a text that is not a number"),
        ('{"level": 3}', "no filter was found, only level"),
        ("hello world", "there are no numbers"),
        ("", "there are no numbers"),
        ("1e999 2", 'line 1: "1e999" is not finite'),
        ("x\0y", "this is not text"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_with_its_line(text, sentence):
    if sentence is None:
        assert import_text(text).stages[0].spec.family == "transfer_function"
        return
    with pytest.raises(ChainError) as caught:
        import_text(text, rate_hz=RATE_HZ)
    assert sentence in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_what_is_assumed_is_said():
    assert "outermost pole is at radius 1.5" in import_text("1 0 0 1 -1.5 0").notes[0]
    assert "other sign" in import_text("1 2 1 1.9 -0.95\n1 2 1 1.8 -0.9\n1 2 1 1.7 -.8").notes[0]
    assert "name no rate" in import_text("0.1\n0.2").notes[-1]
    assert import_text('{"taps": [1, 2], "rate_hz": 1000}', rate_hz=RATE_HZ).notes == (
        "made for 1000 Hz: at 256 Hz its edges lie elsewhere",
    )
    notes = import_text("b, a = butter(2, 30, fs=256)\ny = filtfilt(b, a, x)", rate_hz=RATE_HZ).notes
    assert notes == ("filtfilt filters forward and backward: choose zero-phase for the same",)


def test_nothing_that_is_read_is_run(monkeypatch):
    monkeypatch.setattr("builtins.exec", lambda *_: pytest.fail("run"))
    monkeypatch.setattr("builtins.eval", lambda *_: pytest.fail("run"))
    text = "__import__('os').system('x')\nsos = signal.butter(2, (lambda: 40)(), fs=256)"
    with pytest.raises(ChainError):
        import_text(text)
    assert import_text("x = open('/etc/passwd')\nsos = signal.butter(2, 40, fs=256)").stages[0].spec.order == 2
    with pytest.raises(ChainError, match="a power is too large"):
        import_text("b = [9**99999999, 1]\na = [1]")


CHAIN = FilterChain(
    stages=(
        Stage(spec=FAMILIES["butterworth"](band="bandpass", cutoff_hz=(1.0, 40.0))),
        Stage(spec=FAMILIES["fir_window"](taps=31)),
    )
)


@pytest.mark.parametrize(
    "target", [name for name in EXPORTS if name in ("python", "matlab", "c", "csv", "json", "cmsis")]
)
def test_our_own_exports_come_back(tmp_path, target):
    path = tmp_path / f"chain{EXPORTS[target].suffix}"
    path.write_text(export_code(CHAIN, RATE_HZ, target), encoding="utf-8")
    chain, _ = chain_of_file(path, rate_hz=RATE_HZ)
    wanted = frequency_response(design_chain(CHAIN, RATE_HZ), FREQUENCIES_HZ)
    tolerance = 1e-5 if target == "cmsis" else 1e-12
    np.testing.assert_allclose(frequency_response(design_chain(chain, RATE_HZ), FREQUENCIES_HZ), wanted, atol=tolerance)


SOS = signal.butter(4, 40, fs=RATE_HZ, output="sos")
B, A = signal.butter(2, 40, fs=RATE_HZ)


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({"sos": SOS}, signal.sos2tf(SOS)),
        (
            {"SOS": SOS[:, :], "G": np.array([2.0])},
            (lambda b, a: (2 * b if len(SOS) == 1 else None, a))(*signal.sos2tf(SOS)),
        ),
        ({"b": B, "a": A, "fs": 256.0}, (B, A)),
        ({"num": B, "den": A}, (B, A)),
        ({"Hd": {"sosMatrix": SOS, "ScaleValues": np.array([[0.5], [0.25], [4.0]])}}, None),
        ({"h": np.array([0.25, 0.5, 0.25])}, ([0.25, 0.5, 0.25], 1)),
    ],
    ids=["sos", "sos_gain", "ba", "numden", "dfilt", "taps"],
)
def test_mat_files(tmp_path, variables, wanted):
    path = tmp_path / "filter.mat"
    scipy_io.savemat(path, variables)
    found = response(import_file(path, rate_hz=RATE_HZ))
    if "G" in variables:
        rows = SOS.copy()
        rows[0, :3] *= 2
        wanted = signal.sos2tf(rows)
    if "Hd" in variables:
        rows = SOS.copy()
        rows[0, :3] *= 0.5
        rows[1, :3] *= 1.0
        wanted = signal.sos2tf(rows)
    np.testing.assert_allclose(found, scipy_response(*wanted), atol=1e-9)


def test_numpy_and_pyfda_files(tmp_path):
    np.save(tmp_path / "sos.npy", SOS)
    wanted = scipy_response(*signal.sos2tf(SOS))
    np.testing.assert_allclose(response(import_file(tmp_path / "sos.npy")), wanted, atol=1e-9)
    np.savez(tmp_path / "ba.npz", ba=np.vstack([B, A]))
    np.testing.assert_allclose(response(import_file(tmp_path / "ba.npz")), scipy_response(B, A), atol=1e-12)
    # pyfda: plain arrays beside pickled ones, which are not read
    np.savez(
        tmp_path / "fil.npz", sos=SOS, ba=np.vstack([B, A]), f_S=1000.0, creator=np.array(["x", None], dtype=object)
    )
    found = import_file(tmp_path / "fil.npz", rate_hz=RATE_HZ)
    np.testing.assert_allclose(response(found), wanted, atol=1e-9)
    assert found.notes == ("made for 1000 Hz: at 256 Hz its edges lie elsewhere",)


@pytest.mark.parametrize("suffix", [".mat", ".npy", ".npz", ".json", ".csv", ".py", ".m", ".c"])
def test_damaged_files_are_one_sentence_that_names_them(tmp_path, suffix):
    path = tmp_path / f"broken{suffix}"
    path.write_bytes(b"\x93NUMPY\x01\x00garbage \xff\xfe (")
    with pytest.raises(ChainError, match=f"broken{suffix}"):
        import_file(path)
    path.write_bytes(b"")
    with pytest.raises(ChainError):
        import_file(path)
    with pytest.raises(ChainError, match="does not exist"):
        import_file(tmp_path / f"none{suffix}")
    with pytest.raises(ChainError, match="is a pipe or a device"):
        import_file(os.devnull)


def test_a_version_73_file_and_a_lying_archive_are_told(tmp_path):
    (tmp_path / "new.mat").write_bytes(b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n")
    with pytest.raises(ChainError, match=r"version 7\.3"):
        import_file(tmp_path / "new.mat")
    part = io.BytesIO()
    np.save(part, np.zeros(8))
    lying = part.getvalue().replace(b"(8,)", b"(8000000000,)"[:13].ljust(4))
    with zipfile.ZipFile(tmp_path / "lies.npz", "w") as archive:
        archive.writestr("sos.npy", lying)
    with pytest.raises(ChainError):
        import_file(tmp_path / "lies.npz")


def test_a_chain_file_stays_strict_and_other_json_is_imported(tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"format": "jaxscope-chain", "version": 1, "stages": [{"family": "wavelet"}]}))
    with pytest.raises(ChainError, match='family "wavelet" is not known'):
        chain_of_file(path)
    path.write_text(json.dumps({"b": [1, 2], "a": [1, -0.5]}))
    chain, notes = chain_of_file(path)
    assert chain.name == "c"
    assert chain.stages[0].spec.family == "transfer_function"
    assert "name no rate" in notes[-1]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80) | st.text(alphabet="0123456789.,;-+*/()[]{}='%\nabfsutr e", max_size=120))
def test_any_text_is_a_filter_or_a_sentence(text):
    try:
        found = import_text(text, rate_hz=RATE_HZ)
    except ChainError:
        return
    assert found.stages


def test_what_grows_when_it_is_unpacked_is_refused_before_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr("jaxscope.filters.imports_files.MAX_BYTES", 1_000_000)
    scipy_io.savemat(tmp_path / "deep.mat", {"Hd": {"inner": {"x": np.zeros(900_000)}}}, do_compression=True)
    many = {f"x{number}": np.zeros(50_000) for number in range(9)}
    np.savez_compressed(tmp_path / "many.npz", **many)
    scipy_io.savemat(tmp_path / "many.mat", many, do_compression=True)
    for name in ("many.npz", "deep.mat", "many.mat"):
        with pytest.raises(ChainError, match="too large"):
            import_file(tmp_path / name)


def table_of(rows, mark=",", point="."):
    """Return rows of coefficients as text that keeps every digit."""
    return "\n".join(mark.join(repr(float(value)).replace(".", point) for value in row) for row in rows) + "\n"


EXACT_SOS = signal.butter(4, 0.1, output="sos")
EXACT_BA = signal.butter(4, 0.1)
EXACT_TAPS = signal.firwin(9, 0.3)
EXACT_TABLES = [
    (table_of([EXACT_TAPS]), "values", EXACT_TAPS),
    (table_of([[tap] for tap in EXACT_TAPS]), "values", EXACT_TAPS),
    (table_of(EXACT_BA), ("b", "a"), EXACT_BA),
    (table_of(zip(*EXACT_BA, strict=True)), ("b", "a"), EXACT_BA),
    (table_of(EXACT_SOS), "rows", EXACT_SOS),
    (table_of(EXACT_SOS, ";", ","), "rows", EXACT_SOS),
]


@pytest.mark.parametrize(
    ("text", "names", "wanted"), EXACT_TABLES, ids=["row", "column", "rows", "columns", "sections", "decimal_commas"]
)
def test_c101_tables_of_coefficients_keep_every_bit(text, names, wanted):
    (stage,) = import_text(text).stages
    found = [getattr(stage.spec, name) for name in names] if isinstance(names, tuple) else getattr(stage.spec, names)
    np.testing.assert_array_equal(found, wanted)


def test_c101_sections_and_taps_come_back_bit_by_bit_and_a_bad_line_has_its_number(tmp_path):
    chain = FilterChain(
        stages=(
            Stage(spec=FAMILIES["sections"](rows=tuple(map(tuple, EXACT_SOS.tolist())))),
            Stage(spec=FAMILIES["taps"](values=tuple(EXACT_TAPS.tolist()))),
        )
    )
    path = tmp_path / "chain.csv"
    path.write_text(export_code(chain, RATE_HZ, "csv"), encoding="utf-8")
    sections, taps = import_file(path, rate_hz=RATE_HZ).stages
    np.testing.assert_array_equal(sections.spec.rows, EXACT_SOS)
    np.testing.assert_array_equal(taps.spec.values, EXACT_TAPS)
    zpk = import_text('{"z": [-1, -1], "p": ["0.5+0.3j", "0.5-0.3j"], "k": 0.123456789012345678}').stages[0].spec
    assert zpk.gain == 0.123456789012345678
    with pytest.raises(ChainError, match="line 2"):
        import_text("1,2\n3,x\n")
