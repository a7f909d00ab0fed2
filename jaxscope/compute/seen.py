"""Which parts of a state decide what has to be worked out again: what two states differ in here, is another picture."""

from __future__ import annotations

from jaxscope.session.state import SessionState


def window_of(state: SessionState) -> tuple[object, ...]:
    """Return what decides which samples are on the screen."""
    viewport, document = state.viewport, state.document
    hidden = frozenset(name for name, look in document.looks if look.hidden)
    return (
        viewport.start_s,
        viewport.duration_s,
        viewport.first_lane,
        viewport.lane_count,
        viewport.together if viewport.arrangement == "butterfly" else None,
        document.channel_order,
        hidden,
        viewport.mode == "difference",
        viewport.line_up,
    )


def compared(state: SessionState) -> tuple[object, ...]:
    """Return what the response is compared with, and whether After is lined up."""
    document, viewport = state.document, state.viewport
    return document.pins, document.limits, viewport.chosen_pin, viewport.line_up, viewport.word
