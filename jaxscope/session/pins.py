"""Pinned chains and limits in the document: how actions change them, and when the traces go back to their own chain.

Invariant: while a pin is on the traces, an edit of a chain shows that chain again. What a person turns is what is seen.
"""

from __future__ import annotations

from dataclasses import replace

from jaxscope.errors import SpecError
from jaxscope.session import actions as act
from jaxscope.session.state import MOST_LIMITS, MOST_PINS, Document, Pin, Viewport


def with_pins(document: Document, action: act.PinChain | act.RenamePin | act.RemovePin | act.UsePin) -> Document:
    """Return the document after an action on its pins; the same where there is no such pin or chain.

    Raises
    ------
    SpecError
        More pins than can be kept.
    """
    pins, chains = document.pins, document.chains
    if isinstance(action, act.PinChain):
        if not 0 <= action.chain < len(chains):
            return document
        if len(pins) >= MOST_PINS:
            raise SpecError("pins", f"{MOST_PINS} chains are pinned already", hint="remove a pin first")
        return replace(document, pins=(*pins, Pin(name=action.name, chain=chains[action.chain], at=action.chain)))
    if not 0 <= action.pin < len(pins):
        return document
    pin, others = pins[action.pin], pins[: action.pin] + pins[action.pin + 1 :]
    match action:
        case act.RenamePin() if action.name:
            return replace(
                document, pins=(*pins[: action.pin], replace(pin, name=action.name), *pins[action.pin + 1 :])
            )
        case act.RemovePin():
            return replace(document, pins=others)
        case act.UsePin() if pin.at < len(chains):
            used = replace(pin.chain, name=chains[pin.at].name, channels=chains[pin.at].channels)
            return replace(document, chains=(*chains[: pin.at], used, *chains[pin.at + 1 :]))
        case _:
            return document


def with_limits(document: Document, action: act.SetLimits) -> Document:
    """Return the document with other limits.

    Raises
    ------
    SpecError
        More limits than can be kept.
    """
    if len(action.limits) > MOST_LIMITS:
        raise SpecError("limits", f"{len(action.limits)} limits are too many", hint=f"use up to {MOST_LIMITS}")
    return replace(document, limits=action.limits)


def looking_at_own_chains(viewport: Viewport, before: Document, after: Document) -> Viewport:
    """Return the viewport with a pin chosen that is there, and none on the traces once a chain was edited."""
    chosen = min(viewport.chosen_pin, max(len(after.pins) - 1, 0))
    shows = viewport.shows_pin and bool(after.pins) and before.chains == after.chains
    if (chosen, shows) == (viewport.chosen_pin, viewport.shows_pin):
        return viewport
    return replace(viewport, chosen_pin=chosen, shows_pin=shows)
