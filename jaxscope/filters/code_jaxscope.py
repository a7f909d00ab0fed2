"""A chain as a Python module that uses jaxscope itself: the chain file as a literal, and one call of the engine.

It is the shortest way from the window to a script: gaps, padding and start are those of the chain, and the design stays
a design, at the rate that is named.
"""

from __future__ import annotations

import json
import textwrap

from jaxscope.filters.chain_file import chain_to_dict
from jaxscope.filters.code import Export
from jaxscope.filters.coefficients import ChainDesign
from jaxscope.filters.spec import FilterChain


def write_jaxscope(chain: FilterChain, design: ChainDesign, sentence: str) -> str:
    """Return a module whose ``apply(x)`` filters channels by samples as the window does."""
    content = json.dumps(chain_to_dict(chain), indent=1, ensure_ascii=False)
    return (
        f'"""{textwrap.fill(sentence, 100)}"""\n\nimport json\n\nimport jaxscope\n'
        "from jaxscope.filters.chain_file import chain_from_dict\n\n"
        f'FS = {design.rate_hz!r}\nCHAIN = chain_from_dict(json.loads(r"""\n{content}\n"""))\n\n\n'
        'def apply(x):\n    """Filter x, channels by samples at FS; NaN are gaps."""\n'
        "    return jaxscope.filter_array(x, CHAIN, rate_hz=FS)\n"
    )


JAXSCOPE = Export(title="Python (jaxscope)", suffix=".py", write=write_jaxscope)
