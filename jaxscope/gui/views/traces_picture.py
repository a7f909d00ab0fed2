"""What a picture of the traces depends on: where its panes are, its colours, and when another one is needed."""

from __future__ import annotations

from jaxscope.gui.painting.geometry import PaneRect
from jaxscope.gui.painting.scene import Pane
from jaxscope.gui.theme import colour, theme
from jaxscope.session.state import SessionState

#: how much is left of traces that others stand out of
_FADED = 0.35


def painted_panes(panes: tuple[PaneRect, ...], ratio: float, *, is_plain: bool) -> tuple[Pane, ...]:
    """Return where panes are in the picture, in device pixels.

    Both sides of the curtain are painted whole and side by side, so that the curtain moves without a new picture.
    """
    shift = 0
    painted: list[Pane] = []
    for pane in panes:
        left, right = round(pane.left * ratio) + shift, round((pane.left + pane.width) * ratio) + shift
        painted.append(Pane(left_px=left, width_px=right - left, content="before" if is_plain else pane.content))
        if pane.shown_right < pane.left + pane.width:
            shift += right - left
    return tuple(painted)


def picture_width(panes: tuple[PaneRect, ...], width: float, ratio: float) -> int:
    """Return the device pixels across of the picture for some panes."""
    painted = painted_panes(panes, ratio, is_plain=False)
    return max(round(width * ratio), painted[-1].left_px + painted[-1].width_px)


def window_key(state: SessionState) -> tuple[float, float]:
    """Return the window in time that is looked at: another one has another frame."""
    return state.viewport.start_s, state.viewport.duration_s


def look_key(state: SessionState) -> tuple:
    """Return what the picture of the traces depends on, apart from the frame and the window."""
    viewport, document = state.viewport, state.document
    return (
        viewport.mode,
        viewport.split_share,
        viewport.arrangement,
        viewport.together,
        viewport.selected_channels if viewport.arrangement != "stacked" else (),
        viewport.show_before,
        viewport.sensitivities,
        viewport.lock_scales,
        viewport.raw,
        viewport.first_lane,
        viewport.lane_count,
        viewport.scales,
        viewport.remove_offset,
        viewport.negative_up,
        viewport.antialias,
        viewport.clip_lanes,
        viewport.line_up,
        document.filter_on,
        document.looks,
        document.channel_order,
        tuple(chain.channels for chain in document.chains),
    )


def trace_colours(lane_tokens: set[str]) -> dict[str, int]:
    """Return the opaque colours of traces in the theme of now, as 0xFFRRGGBB."""
    is_mixed = theme().is_dark and not theme().is_high_contrast
    colours = {
        "before": colour("before").rgb(),
        "before_mixed": _mixed("before", 0.8) if is_mixed else colour("before").rgb(),
        "difference": _mixed("diff", 0.9),
    }
    for token in lane_tokens:
        colours[token] = colour(token).rgb()
        colours[f"held_{token}"] = _mixed(token, 0.8)
    faded = {"before": "before", "before_mixed": "before", "difference": "diff"}
    faded |= {f"{held}{token}": token for token in lane_tokens for held in ("", "held_")}
    return colours | {f"faded_{name}": _mixed(token, _FADED) for name, token in faded.items()}


def _mixed(token: str, share: float) -> int:
    """Return a colour over the canvas as an opaque one: overlapping parts of a translucent line would show."""
    front, back = colour(token), colour("canvas")
    red, green, blue = (
        round(one * share + other * (1 - share))
        for one, other in ((front.red(), back.red()), (front.green(), back.green()), (front.blue(), back.blue()))
    )
    return 0xFF000000 | red << 16 | green << 8 | blue
