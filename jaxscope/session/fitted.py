"""The stage that a fit leaves in a chain: sections under a name by which they are known when they are fitted again."""

from __future__ import annotations

from jaxscope.filters.manual import SectionsSpec
from jaxscope.filters.spec import Stage

#: what a fitted stage is called
FITTED = "Fitted"


def is_fitted(stage: Stage) -> bool:
    """Whether a fit has made a stage."""
    return stage.name == FITTED and isinstance(stage.spec, SectionsSpec)


def is_fitted_anew(before: Stage, after: Stage) -> bool:
    """Whether a fit has filled its stage anew: with more than one other number in each section."""
    old, new = before.spec, after.spec
    if not isinstance(old, SectionsSpec) or not isinstance(new, SectionsSpec) or not is_fitted(after):
        return False
    pairs = zip(old.rows, new.rows, strict=False)
    return all(sum(one != other for one, other in zip(*pair, strict=True)) > 1 for pair in pairs)
