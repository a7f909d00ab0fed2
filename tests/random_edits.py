"""A person who edits without sense: random actions, sound and unsound ones, from a seed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, get_args

from jaxscope.data.annotations import Annotation
from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.filters.limits import Limit
from jaxscope.filters.presets import PRESETS, fit_preset
from jaxscope.filters.spec import GapPolicy, Initial, Padding, PaddingKind, Phase
from jaxscope.session import actions as act
from jaxscope.session.state import ChannelLook, Face, ResponseView, SessionState

#: frequencies and sizes as a person may type them, from nothing to absurd
NUMBERS = (0.0, 1e-12, 1e-3, 0.1, 0.5, 1.0, 2.0, 7.0, 10.0, 40.0, 50.0, 99.0, 127.9, 128.0, 200.0, 1e4, 1e9, 1e300)
WRONG = (math.nan, math.inf, -math.inf, "40", "", None, True, (1.0,), (3.0, 2.0, 1.0), object)
#: taps and windows: enough to see every path, few enough for thousands of steps
MOST_COUNT = 401


class Editor:
    """Makes one action after another."""

    def __init__(self, seed: int, channels: tuple[str, ...], rate_hz: float) -> None:
        self.random = Random(seed)
        self.channels = channels
        self.rate_hz = rate_hz
        self._drag = 0

    def action(self, state: SessionState) -> act.Action:
        """Return another action; it may be refused, or be about what is not there."""
        kinds: tuple[Callable[[SessionState], act.Action], ...] = (
            *(self.turn,) * 8,
            *(self.add,) * 3,
            self.remove,
            self.move,
            self.enable,
            *(self.coefficient,) * 3,
            *(self.roots,) * 2,
            self.run_as,
            self.run_as,
            self.compare,
            self.limits,
            self.chains,
            self.look,
            self.view,
            self.view,
        )
        return self.random.choice(kinds)(state)

    def number(self) -> float:
        """Return a number as it may be typed or dragged."""
        if self.random.random() < 0.5:
            return self.random.choice(NUMBERS) * self.random.choice((1, 1, 1, -1))
        return 10 ** self.random.uniform(-2, 2.2)

    def where(self, state: SessionState) -> dict[str, int]:
        """Return a chain and a stage, mostly there."""
        chain = self.random.randrange(max(1, len(state.document.chains)) + (self.random.random() < 0.05))
        count = len(state.document.chains[chain].stages) if chain < len(state.document.chains) else 0
        return {"chain": chain, "stage": self.random.randrange(count + 1) if count else 0}

    def stage(self, state: SessionState, where: dict[str, int]) -> Stage | None:
        """Return the stage at a place, None where there is none."""
        chains = state.document.chains
        stages = chains[where["chain"]].stages if where["chain"] < len(chains) else ()
        return stages[where["stage"]] if where["stage"] < len(stages) else None

    def turn(self, state: SessionState) -> act.Action:
        where = self.where(state)
        stage = self.stage(state, where)
        knobs = stage.spec.knobs() if stage is not None else ()
        if not knobs:
            return act.TurnKnob(**where, name="order", value=3)
        knob = self.random.choice(knobs)
        if self.random.random() < 0.3:
            self._drag += 1
        key = self.random.choice((None, f"drag-{self._drag}"))
        return act.TurnKnob(**where, name=knob.name, value=self.value_of(knob), merge_key=key)

    def value_of(self, knob: Any) -> Any:
        """Return a value for a knob: likely, extreme, or of the wrong kind."""
        draw = self.random
        if draw.random() < 0.1:
            return draw.choice(WRONG)
        match knob.kind:
            case "count":
                return draw.choice((0, 1, 2, 3, 5, 8, 12, 33, 101, MOST_COUNT, -1))
            case "choice":
                return draw.choice(knob.choices or ("lowpass",))
            case "flag":
                return draw.random() < 0.5
            case "edges":
                low = abs(self.number())
                return draw.choice((low, (low, low * draw.uniform(0.5, 30))))
            case "numbers":
                return tuple(self.number() for _ in range(draw.randrange(1, 5)))
            case "points":
                return tuple((self.number(), self.number()) for _ in range(draw.randrange(3)))
            case "rows":
                return tuple(tuple(self.number() for _ in range(6)) for _ in range(draw.randrange(1, 3)))
            case _:
                return self.number()

    def add(self, state: SessionState) -> act.Action:
        where = self.where(state)
        family = FAMILIES[self.random.choice(list(FAMILIES))]
        spec = family()
        for knob in spec.knobs():
            if self.random.random() < 0.3:
                try:
                    spec = spec.with_value(knob.name, self.value_of(knob))
                except SpecError:
                    continue
        return act.AddStage(chain=where["chain"], at=where["stage"], stage=Stage(spec=spec))

    def remove(self, state: SessionState) -> act.Action:
        return act.RemoveStage(**self.where(state))

    def move(self, state: SessionState) -> act.Action:
        return act.MoveStage(**self.where(state), to=self.random.randrange(-1, 5))

    def enable(self, state: SessionState) -> act.Action:
        where = self.where(state)
        if self.random.random() < 0.3:
            return act.RenameStage(**where, name=self.random.choice(("", "mine", "a" * 300, "ü\n")))
        return act.EnableStage(**where, enabled=self.random.random() < 0.5)

    def coefficient(self, state: SessionState) -> act.Action:
        where, draw = self.where(state), self.random
        choice = draw.random()
        if choice < 0.15:
            return act.RevertToDesign(**where)
        if choice < 0.3:
            return act.MovePolesInside(**where)
        form = draw.choice(("sos", "ba", "taps"))
        return act.EditCoefficient(
            **where, form=form, row=draw.randrange(4), column=draw.randrange(6), value=self.number(),
            rate_hz=self.rate_hz, merge_key=draw.choice((None, "cell")),
        )  # fmt: skip

    def roots(self, state: SessionState) -> act.Action:
        def points() -> tuple[tuple[float, float], ...]:
            many = self.random.randrange(4)
            return tuple((self.random.uniform(-1.2, 1.2), self.random.uniform(-0.1, 1.2)) for _ in range(many))

        gain = self.random.choice((1.0, 0.0, -2.0, 1e-300, 1e300, math.nan))
        return act.EditRoots(**self.where(state), zeros=points(), poles=points(), gain=gain, merge_key="plane")

    def run_as(self, state: SessionState) -> act.Action:
        draw, chain = self.random, self.where(state)["chain"]
        samples = draw.choice((None, 0, 1, 64, 10**6))
        return draw.choice(
            (
                act.SetPhase(chain=chain, phase=draw.choice(get_args(Phase))),
                act.SetInitial(chain=chain, initial=draw.choice(get_args(Initial))),
                act.SetGaps(chain=chain, gaps=draw.choice(get_args(GapPolicy))),
                act.SetPadding(chain=chain, padding=Padding(kind=draw.choice(get_args(PaddingKind)), samples=samples)),
                act.ToggleFilter(on=draw.random() < 0.7),
            )
        )

    def compare(self, state: SessionState) -> act.Action:
        draw, pin = self.random, self.random.randrange(4)
        return draw.choice(
            (
                act.PinChain(chain=self.where(state)["chain"], name=f"pin {pin}"),
                act.RenamePin(pin=pin, name=draw.choice(("", "other"))),
                act.RemovePin(pin=pin),
                act.UsePin(pin=pin),
                act.ChoosePin(pin=pin),
                act.ShowPin(on=draw.random() < 0.7),
                act.SetDisplay(name="line_up", value=draw.random() < 0.5),
            )
        )

    def limits(self, state: SessionState) -> act.Action:
        made = []
        for _ in range(self.random.randrange(4)):
            low = abs(self.number())
            try:
                made.append(
                    Limit(
                        kind=self.random.choice(("pass", "stop")),
                        low_hz=low,
                        high_hz=self.random.choice((None, low * 2 + 1)),
                        level_db=abs(self.number()),
                        chain=self.random.randrange(2),
                    )
                )
            except SpecError:
                continue
        return act.SetLimits(limits=tuple(made))

    def chains(self, state: SessionState) -> act.Action:
        draw, chains = self.random, state.document.chains
        preset = fit_preset(draw.choice(PRESETS), self.rate_hz)
        more = FilterChain(name=preset.preset.title, stages=preset.stages, channels=draw.choice((None, ("*1",), ())))
        return draw.choice(
            (
                act.SetChains(chains=(*chains, more)[-3:]),
                act.SetChains(chains=chains[:1]),
                act.SetChains(chains=()),
                act.AssignChannel(
                    channel=draw.choice(self.channels),
                    chain=draw.choice((None, 0, 1, 7)),
                    data_channels=self.channels,
                ),
            )
        )

    def look(self, state: SessionState) -> act.Action:
        draw, name = self.random, self.random.choice(self.channels)
        return draw.choice(
            (
                act.SetLook(
                    channel=name, look=ChannelLook(gain=draw.choice((1e-6, 1.0, 3.0)), hidden=draw.random() < 0.2)
                ),
                act.HideChannels(names=(name,)),
                act.ShowAllChannels(),
                act.SetChannelOrder(names=tuple(draw.sample(self.channels, len(self.channels)))),
            )
        )

    def view(self, state: SessionState) -> act.Action:
        draw = self.random
        return draw.choice(
            (
                act.LookAt(start_s=draw.uniform(-5, 200), duration_s=abs(self.number()) + 1e-5, total_s=140.0),
                act.ChooseMode(mode=draw.choice(("overlay", "split", "curtain", "difference"))),
                act.ShowRaw(raw=draw.random() < 0.3),
                act.SelectStage(chain=draw.randrange(4), stage=draw.randrange(6)),
                act.ChooseFace(face=draw.choice(get_args(Face)), form=draw.choice((None, "sos", "ba", "zpk", "taps"))),
                act.ChooseResponse(view=draw.choice(get_args(ResponseView))),
                act.SelectChannels(names=(draw.choice(self.channels),)),
                act.ShowLanes(first=draw.randrange(30), count=draw.choice((None, 1, 4))),
                act.SetCursors(cursors_s=(draw.uniform(0, 20), draw.uniform(0, 20))),
            )
        )


def with_events(state: SessionState) -> SessionState:
    """Return a state whose document has events too."""
    events = (Annotation(onset_s=1.0, text="begin"), Annotation(onset_s=3.0, duration_s=2.0, text="later"))
    return replace(state, document=replace(state.document, annotations=events))
