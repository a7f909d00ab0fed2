"""The program to take away: it is read back by XLA alone, run, and equals what the chain is."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.engines.filter_array import filter_array
from jaxscope.engines.stablehlo import export_stablehlo
from jaxscope.errors import SpecError, UnstableError, UsageError
from jaxscope.filters import FAMILIES, FilterChain, Padding, Stage
from jaxscope.filters.design import design_chain

RATE_HZ = 200.0
SPECS = {
    "band": (FAMILIES["butterworth"](band="bandpass", cutoff_hz=(1.0, 40.0)), FAMILIES["notch"]()),
    "fir": (FAMILIES["fir_window"](taps=31), FAMILIES["gain"](gain=2.0)),
    "smoother": (FAMILIES["savitzky_golay"](),),
}
#: a leaky section, a running sum, and taps, which only rest can precede then
INTEGRATOR = (
    FAMILIES["sections"](rows=((0.5, 0, 0, 1, -0.5, 0), (1, 0, 0, 1, -1, 0))),
    FAMILIES["moving_average"](window=5),
)
OPTIONS = {
    "causal": {},
    "rest": {"initial": "rest"},
    "zero": {"phase": "zero"},
    "zero_even": {"phase": "zero", "padding": Padding(kind="even")},
    "zero_none": {"phase": "zero", "padding": Padding(kind="none")},
}


def run_artifact(blob, x):
    """Compile a portable artifact with XLA and run it, without jaxscope and without tracing anything."""
    import jax
    from jax._src.interpreters import mlir
    from jax.extend.backend import get_backend
    from jaxlib import xla_client
    from jaxlib.mlir.dialects import stablehlo

    with mlir.make_ir_context() as context:
        text = str(stablehlo.deserialize_portable_artifact(context, blob))
    client = get_backend("cpu")
    device = client.local_devices()[0]
    program = client.compile_and_load(text, xla_client.DeviceList((device,)))
    outcome = program.execute_sharded([jax.device_put(x, device)])
    return np.asarray(outcome.disassemble_into_single_device_arrays()[0][0])


def chain_of(specs, **options):
    return FilterChain(stages=tuple(Stage(spec=spec) for spec in specs), **options)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("specs", SPECS)
def test_what_is_read_back_equals_the_chain(specs, options):
    chain = chain_of(SPECS[specs], **OPTIONS[options])
    x = np.random.default_rng(2).normal(size=(2, 300)).cumsum(axis=1) + 5
    blob = export_stablehlo(design_chain(chain, RATE_HZ), n_channels=2, n_samples=300)
    y = run_artifact(blob, x)
    wanted = filter_array(x, chain, rate_hz=RATE_HZ, method="scipy")
    np.testing.assert_allclose(y, wanted, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.filterwarnings("ignore:pole at z = 1")
@pytest.mark.parametrize("initial", ["steady", "rest"])
def test_only_what_precedes_an_integrator_starts_steady(initial):
    chain = chain_of(INTEGRATOR, initial=initial)
    x = np.random.default_rng(3).normal(size=(2, 60)) + 3
    y = run_artifact(export_stablehlo(design_chain(chain, RATE_HZ), n_channels=2, n_samples=60), x)
    np.testing.assert_allclose(y, filter_array(x, chain, rate_hz=RATE_HZ, method="scipy"), atol=1e-10)


def test_zero_phase_that_would_be_nan_is_refused():
    design = design_chain(chain_of(INTEGRATOR, phase="zero"), RATE_HZ)
    with pytest.raises(SpecError, match="pole at z = 1 has no StableHLO"):
        export_stablehlo(design, n_channels=1, n_samples=100)


def test_padding_is_not_cut_in_silence():
    long = chain_of(SPECS["band"], phase="zero", padding=Padding(kind="constant", samples=200))
    with pytest.raises(UsageError, match="100 samples are not more than the padding of 200"):
        export_stablehlo(design_chain(long, RATE_HZ), n_channels=1, n_samples=100)


def test_what_has_no_program_is_said():
    median = design_chain(chain_of((FAMILIES["median"](),)), RATE_HZ)
    with pytest.raises(SpecError, match="a running median has no StableHLO"):
        export_stablehlo(median, n_channels=1, n_samples=100)
    wild = design_chain(chain_of((FAMILIES["sections"](rows=((1, 0, 0, 1, -2.5, 1),)),)), RATE_HZ)
    with pytest.raises(UnstableError):
        export_stablehlo(wild, n_channels=1, n_samples=100)
    with pytest.raises(UsageError, match="0 × 100 samples"):
        export_stablehlo(median, n_channels=0, n_samples=100)
