"""Which coefficients each channel has: chains and a rate to designs, or the reason why not.

Designs are kept by (chain, rate), so a drag designs only what it changes and panning designs nothing. A chain that does
not fit a rate, or is unstable, is a value here (``Refusal``) and not an exception: a person may pass through it while
typing. The command line turns the same value into an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import ChainError, SpecError, UnstableError
from jaxscope.filters.coefficients import ChainDesign
from jaxscope.filters.spec import FilterChain


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a chain cannot run at a rate, with the stage and the field where they are known."""

    reason: str
    hint: str
    kind: Literal["unstable", "design"]
    stage: int | None = None
    field: str | None = None
    pole_radius: float | None = None

    def at_channel(self, name: str) -> Refusal:
        """Return the refusal with the channel that it is about in the sentence."""
        return replace(self, reason=f"{self.reason} (channel {name})")

    def in_chain(self, chain: FilterChain) -> Refusal:
        """Return the refusal with the stage that it is about in the sentence, where one is known."""
        from jaxscope.filters.shapes import stage_title

        if self.stage is None:
            return self
        title = stage_title(chain.stages[self.stage])
        return replace(self, reason=f"stage {self.stage + 1} ({title}): {self.reason}")

    def to_error(self) -> ChainError:
        """Return the refusal as the error that the command line reports."""
        if self.kind == "unstable":
            return UnstableError(self.reason, pole_radius=self.pole_radius or 1.0, hint=self.hint)
        return SpecError(self.field or "chain", self.reason, hint=self.hint)


def distinct(designs: Iterable[ChainDesign | None]) -> tuple[ChainDesign, ...]:
    """Return the designs that there are, each once; the channels of a chain share one, which is no work to see."""
    return tuple({id(design): design for design in designs if design is not None}.values())


def chain_numbers(chains: Sequence[FilterChain], info: RecordingInfo, channels: Sequence[int]) -> list[int | None]:
    """Return for each channel the number of the first chain that is for it, or None."""
    return list(_numbers(_Same(info), tuple(chain.channels for chain in chains), tuple(channels)))


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """A description of a recording as a key: the same one, and not one that is alike, as to compare takes longer."""

    info: RecordingInfo

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.info is self.info

    def __hash__(self) -> int:
        return id(self.info)


@lru_cache(maxsize=32)  # asked for all channels on every move of a knob, which moves none of them
def _numbers(
    same: _Same, patterns: tuple[tuple[str, ...] | None, ...], channels: tuple[int, ...]
) -> tuple[int | None, ...]:
    from jaxscope.filters.channels import first_for

    every = same.info.channels
    return tuple(first_for(patterns, every[number].name, is_data=every[number].is_data) for number in channels)


@lru_cache(maxsize=512)
def design_or_refusal(chain: FilterChain, rate_hz: float) -> ChainDesign | Refusal:
    """Return the coefficients of a chain at a rate, or why it has none that can run."""
    from jaxscope.filters.design import design_chain
    from jaxscope.filters.stability import require_stable

    try:
        design = design_chain(chain, rate_hz)
    except SpecError as error:
        return Refusal(
            reason=error.message,
            hint=error.hint,
            kind="design",
            stage=_stage_that_fails(chain, rate_hz),
            field=error.field,
        )
    try:
        require_stable(design)
    except UnstableError as error:
        return Refusal(
            reason=error.message,
            hint=error.hint,
            kind="unstable",
            stage=_stage_that_is_unstable(chain, rate_hz),
            pole_radius=error.pole_radius,
        )
    return design


def _stage_that_fails(chain: FilterChain, rate_hz: float) -> int | None:
    from jaxscope.filters.design import design_stage

    for number, stage in enumerate(chain.stages):
        if stage.enabled:
            try:
                design_stage(stage.spec, rate_hz)
            except SpecError:
                return number
    return None


def _stage_that_is_unstable(chain: FilterChain, rate_hz: float) -> int | None:
    from jaxscope.filters.design import design_stage
    from jaxscope.filters.stability import is_stable

    for number, stage in enumerate(chain.stages):
        if stage.enabled and not is_stable(design_stage(stage.spec, rate_hz)):
            return number
    return None
