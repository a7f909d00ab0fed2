"""Ways on from what has gone wrong: the buttons of the banner, by what they are about.

Each is a label, an icon and what it does; none changes anything before it is pressed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxscope.compute.frames import Blocked, Failure
from jaxscope.gui.views.banner import Notice
from jaxscope.session import actions as act
from jaxscope.session.reduce import stage_spec
from jaxscope.session.roots import inside_radius, moved_inside

if TYPE_CHECKING:
    from jaxscope.gui.window_actions import WindowActions
    from jaxscope.session.store import Store

Way = tuple[str, str | None, Callable[[], None]]


def ways_of_blocked(blocked: Blocked, store: Store, actions: WindowActions | None) -> tuple[Way, ...]:
    """Return what can be done about a filter that is held."""
    if blocked.kind == "device":
        return () if actions is None else _ways_of_device(blocked, actions)
    undo: tuple[Way, ...] = (("Undo", "arrow-back-up", store.undo),) if store.can_undo else ()
    return (*undo, *_way_inside(blocked, store))


def _way_inside(blocked: Blocked, store: Store) -> tuple[Way, ...]:
    """Return the button that mirrors the poles outside the circle at it, where that can be done."""
    chain, stage, radius = blocked.chain, blocked.stage, blocked.pole_radius
    if chain is None or stage is None or radius is None:
        return ()
    spec = stage_spec(store.state, chain, stage)
    if spec is None or moved_inside(spec) is None:
        return ()
    action = act.MovePolesInside(chain=chain, stage=stage)
    return ((f"Move inside, to {inside_radius(radius):.4g}", None, lambda: store.dispatch(action)),)


def _ways_of_device(blocked: Blocked, actions: WindowActions) -> tuple[Way, ...]:
    engine = actions.shell.state.engine
    ways: list[Way] = []
    if engine.device != "cpu:0":
        ways.append(("Use the CPU", "cpu", lambda: actions.shell.dispatch(act.ChooseEngine(device="cpu:0"))))
    elif blocked.field == "memory":
        ways.append(("Half the window", "zoom-in", lambda: actions.shell.navigator.zoom(0.5)))
    elif engine.method != "scipy":
        ways.append(("Use SciPy", "cpu", lambda: actions.shell.dispatch(act.ChooseEngine(method="scipy"))))
    ways.append(("Try again", "refresh", actions.conductor.take_up))
    return tuple(ways)


def ways_of_failure(failure: Failure, actions: WindowActions | None) -> tuple[Way, ...]:
    """Return what can be done about a recording that cannot be read any more."""
    if actions is not None and failure.unknown is not None:
        path = failure.unknown
        return (("Open as raw numbers…", None, lambda: actions.ask_about_raw(path)),)
    if actions is None or failure.path is None:
        return ()
    return (
        ("Try again", "refresh", actions.reopen),
        ("Find…", "search", lambda: actions.find_open_recording()),
    )


def stalled_notice(name: str, seconds: float, actions: WindowActions) -> Notice:
    """Return what is said of a file that does not answer."""
    return Notice(
        cause="stalled",
        kind="warn",
        sentence=f"{name} has not answered for {seconds:.0f} s",
        hint="Its disk or network may be away. It goes on by itself when they are back",
        rank=2,
        actions=(("Close it", "x", actions.give_up_reading),),
    )


def slow_compile_notice(device: str, seconds: float, actions: WindowActions) -> Notice:
    """Return what is said of a compilation that takes long."""
    return Notice(
        cause="compiling",
        kind="warn",
        sentence=f"Preparing the filter for {device} takes longer than {seconds:.0f} s",
        hint="First time only; the recording is shown meanwhile",
        rank=1,
        actions=(("Use SciPy meanwhile", "cpu", actions.use_scipy_meanwhile),),
        can_close=True,
    )
