"""What is heavy to import, brought in on the worker, so that the window shows first."""

from __future__ import annotations

from jaxscope.compute.scheduler import CancelToken, Steps


def prepare(token: CancelToken) -> Steps:
    """Import what designing and the usual method need."""
    from jaxscope.filters import design

    yield
    token.check()
    from jaxscope.engines.methods import METHODS

    yield
    token.check()
    # the imports are the point: what design and the usual method need is there before it is asked for
    _ = (design, METHODS["block"])
