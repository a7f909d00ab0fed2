"""Sections as a parallel prefix over time; see ``jaxscope.dsp.associative_iir``."""

from __future__ import annotations

from typing import ClassVar

from jaxscope.engines.jax_engine import JaxProgram


class AssociativeProgram(JaxProgram):
    """Sections as a tree of joined maps, for accelerators; chosen by hand."""

    method: ClassVar[str] = "associative"
    sections_by: ClassVar[str] = "associative"
