"""The menus of the chain: stages that can be added, the shapes first; and the shelf of presets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from jaxscope.data.recording import Channel
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.filters.presets import PRESETS, FittedPreset, fit_preset
from jaxscope.filters.shapes import SHAPES, new_spec, stage_line, stage_title
from jaxscope.session.own_presets import OwnPreset

#: rate that a new stage is made to fit while no recording is open
FALLBACK_RATE_HZ = 256.0


def highest_rate_hz(channels: Iterable[Channel]) -> float | None:
    """Return the highest rate of the signals among channels, None where none has one."""
    return max((channel.rate_hz or 0.0 for channel in channels if channel.is_data), default=0.0) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class StageChoice:
    """A stage that can be added: what it is called and does, its family and band, whether a part of the list begins."""

    title: str
    summary: str
    family: str
    band: str | None = None
    begins_part: bool = False


def stage_choices() -> list[StageChoice]:
    """Return the stages that can be added: the shapes, then the other families."""
    *shapes, more = SHAPES
    choices = [
        StageChoice(title=shape.title, summary=shape.summary, family=shape.families[0], band=shape.band)
        for shape in shapes
    ]
    offered = dict.fromkeys(name for shape in shapes for name in shape.families[1:] if shape.band is None)
    for place, name in enumerate((*offered, *more.families)):
        family = FAMILIES[name]
        choices.append(StageChoice(title=family.title, summary=family.summary, family=name, begins_part=not place))
    return choices


def new_stage(choice: StageChoice, rate_hz: float | None) -> Stage:
    """Return a fresh stage of a choice that fits a rate."""
    return Stage(spec=new_spec(choice.family, rate_hz or FALLBACK_RATE_HZ, band=choice.band))


def stage_menu(parent: QWidget, rate_hz: float | None, add: Callable[[Stage], None]) -> QMenu:
    """Return a menu whose entries call ``add`` with a fresh stage that fits the rate."""
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    for choice in stage_choices():
        if choice.begins_part:
            menu.addSeparator()
        entry = menu.addAction(choice.title, partial(_add_new, add, choice, rate_hz))
        entry.setToolTip(choice.summary)
    return menu


def preset_menu(
    parent: QWidget,
    rate_hz: float | None,
    choose: Callable[[FittedPreset], None],
    own: Sequence[OwnPreset] = (),
    use_own: Callable[[OwnPreset], None] | None = None,
    manage: Callable[[], None] | None = None,
) -> QMenu:
    """Return a menu whose entries call ``choose`` with a preset fitted to the rate; one that does not fit is off.

    A person's own presets come after the shelf, and the way to save, rename and remove them last.
    """
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    rate = rate_hz or FALLBACK_RATE_HZ
    group = PRESETS[0].group
    for preset in PRESETS:
        if preset.group != group:
            menu.addSeparator()
            group = preset.group
        fitted = fit_preset(preset, rate)
        entry = menu.addAction(preset.title, partial(choose, fitted))
        entry.setEnabled(bool(fitted.stages))
        left_out = fitted.sentence(rate)
        words = f"{preset.summary}. Source: {preset.source}"
        entry.setToolTip(f"{words}. {left_out}" if left_out else words)
    if own and use_own is not None:
        menu.addSeparator()
        for kept in own:
            entry = menu.addAction(kept.name, partial(use_own, kept))
            entry.setToolTip(f"Your own: {chain_line(kept.chain)}")
    if manage is not None:
        menu.addSeparator()
        menu.addAction("Your presets…", manage)
    return menu


def chain_line(chain: FilterChain) -> str:
    """Return the stages of a chain as one line."""
    return ", ".join(f"{stage_title(stage)} {stage_line(stage)}" for stage in chain.stages) or "no stages"


def _add_new(add: Callable[[Stage], None], choice: StageChoice, rate_hz: float | None) -> None:
    add(new_stage(choice, rate_hz))
