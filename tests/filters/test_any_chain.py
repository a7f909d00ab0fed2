"""Whatever can be typed or dragged: a chain has coefficients, facts and code at a rate, or a sentence why not."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.code import export_code
from jaxscope.filters.coefficients import Sections, Taps
from jaxscope.filters.describe import describe
from jaxscope.filters.design import design_chain
from jaxscope.filters.facts import facts
from jaxscope.filters.spec import FilterChain, Stage

RATES_HZ = st.sampled_from([0.5, 20.0, 100.0, 256.0, 1000.0, 44100.0])


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data(), rate_hz=RATES_HZ, phase=st.sampled_from(["causal", "zero", "minimum"]))
def test_it_has_coefficients_or_a_sentence(specs_of, family, data, rate_hz, phase):
    spec = data.draw(specs_of(family))
    chain = FilterChain(stages=(Stage(spec=spec),), phase=phase)
    try:
        design = design_chain(chain, rate_hz)
    except SpecError as error:
        assert error.message  # noqa: PT017
        assert error.hint  # noqa: PT017
        assert error.field  # noqa: PT017
        return
    for part in design.parts:
        if isinstance(part, Sections | Taps):
            assert np.isfinite(part.to_array()).all()
    if family == "comb" and rate_hz / spec.frequency_hz > 300:
        return
    json.dumps(describe(chain, rate_hz), allow_nan=False)
    assert facts(chain.stages[0], rate_hz, phase)
    assert export_code(chain, rate_hz, "c")


def test_filters_are_light_to_import_and_need_no_scipy_for_the_common_families():
    import subprocess
    import sys

    code = """
import sys
from jaxscope.filters import FAMILIES
from jaxscope.filters.describe import describe
from jaxscope.filters.spec import FilterChain, Stage
names = ("butterworth", "chebyshev1", "chebyshev2", "notch", "peak", "savitzky_golay", "median", "weighting")
chain = FilterChain(stages=tuple(Stage(spec=FAMILIES[name]()) for name in names))
describe(chain, 48000.0)
loaded = {name.split(".")[0] for name in sys.modules}
print(sorted(loaded & {"scipy", "jax", "PySide6", "pyqtgraph"}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
