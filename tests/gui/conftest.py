"""What the tests of the window share: the theme, and a dock on a store with real design frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from jaxscope.compute.frames import DesignFrame, SpectrumFrame, StageCurve
from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.filters.coefficients import RunningMedian, Sections, Taps
from jaxscope.filters.stability import plane_of
from jaxscope.gui.theme import theme
from jaxscope.gui.views.coefficients import CoefficientsFace
from jaxscope.gui.views.coefficients_model import Address
from jaxscope.session.actions import Action
from jaxscope.session.state import Document, SessionState, Viewport
from jaxscope.session.store import Store

RATE_HZ = 512.0


@pytest.fixture(autouse=True)
def dressed(qapp: QApplication) -> None:
    """Dress the application once, and go back to dark at text scale 1 before each test."""
    if not theme()._installed:
        theme().install(qapp)
    if theme().mode != "dark" or theme().text_scale != 1.0:
        theme().set_mode("dark")
        theme().set_text_scale(1.0)


def curve_of(stage: Stage, frequencies_hz: np.ndarray, rate_hz: float) -> StageCurve:
    """Return a stage as the dock shows it, worked out here by hand."""
    blank = {
        "title": "",
        "subtitle": "",
        "magnitude_db": np.zeros(0),
        "realisation": None,
        "b": (),
        "a": (),
        "facts": (),
    }
    try:
        made = stage.spec.design(rate_hz)
    except SpecError as error:
        return StageCurve(**blank, is_stable=True, pole_radius=0.0, problem=error.message, problem_field=error.field)
    z = np.exp(-2j * np.pi * frequencies_hz / rate_hz)
    gain, b, a, radius = np.ones_like(z), np.ones(1), np.ones(1), 0.0
    if isinstance(made, Sections):
        for row in made.rows:
            gain = gain * np.polyval(row[2::-1], z) / np.polyval(row[:2:-1], z)
            b, a = np.convolve(b, row[:3]), np.convolve(a, row[3:])
            radius = max(radius, *np.abs(np.roots(row[3:])), 0.0)
    elif isinstance(made, Taps):
        gain, b = np.polyval(made.to_array()[::-1], z), made.to_array()
    level = 20 * np.log10(np.maximum(np.abs(gain), 1e-12))
    return StageCurve(
        **(blank | {"magnitude_db": level, "realisation": made, "b": tuple(b), "a": tuple(a)}),
        is_stable=radius <= 1.0,
        pole_radius=float(radius),
        plane=plane_of(stage.spec.parts(rate_hz)) if not isinstance(made, RunningMedian) else None,
    )


def design_frame(state: SessionState, revision: int, rate_hz: float = RATE_HZ) -> DesignFrame:
    """Return the frame of the active chain with a handle per edge."""
    at = state.viewport.active_chain
    chain = state.document.chains[at]
    frequencies = np.geomspace(0.12, rate_hz / 2, 600)
    curves = tuple(curve_of(stage, frequencies, rate_hz) for stage in chain.stages)
    total = sum((curve.magnitude_db for curve in curves if curve.magnitude_db.size), np.zeros_like(frequencies))
    handles = []
    for number, stage in enumerate(chain.stages):
        edges = getattr(stage.spec, "cutoff_hz", None)
        pair = isinstance(edges, tuple)
        for index, edge in enumerate(() if edges is None else edges if pair else (edges,)):
            level = float(np.interp(edge, frequencies, total))
            handles.append((edge, level, number, "cutoff_hz", index if pair else None))
    radius = max((curve.pole_radius for curve in curves), default=0.0)
    return DesignFrame(
        revision=revision,
        chain=at,
        rate_hz=rate_hz,
        frequencies_hz=frequencies,
        magnitude_db=total,
        stages=curves,
        handles=tuple(handles),
        is_stable=radius <= 1.0,
        pole_radius=radius,
        delay_text="No delay",
        report="A sentence.",
    )


def spectrum_frame() -> SpectrumFrame:
    """Return spectra that fall with frequency."""
    frequencies = np.geomspace(0.12, 255, 200)
    before = -10 * np.log10(1 + frequencies)
    return SpectrumFrame(
        revision=1, frequencies_hz=frequencies, before_db=before, after_db=before - 6, difference_db=before - 9
    )


class Rig:
    """A view on a store: records what is dispatched, reduces it, and shows the next state and design frame."""

    def __init__(self, make: Callable[[Callable[[Action], None]], object], state: SessionState) -> None:
        self.log: list[Action] = []
        self.store = Store(state)
        self.view = make(self.dispatch)
        self.store.subscribe(lambda following, previous: self.show(following, previous))
        self.show(state, SessionState())

    @property
    def state(self) -> SessionState:
        return self.store.state

    def stage(self, number: int = 0) -> Stage:
        return self.state.document.chains[self.state.viewport.active_chain].stages[number]

    @property
    def cells(self):
        """The cells of a Coefficients face."""
        return self.view.table.cells

    def go_to(self, address: Address) -> None:
        """Give the focus to a cell of a Coefficients face."""
        self.cells.setFocus()
        self.cells.setCurrentIndex(self.view.model.index_of(address))

    def number(self, row: int, column: int) -> float:
        """Return a number of the first stage's sections."""
        return self.stage().spec.design(RATE_HZ).rows[row][column]

    def dispatch(self, action: Action) -> None:
        self.log.append(action)
        self.store.dispatch(action)

    def show(self, state: SessionState, previous: SessionState) -> None:
        self.view.show_state(state, previous)
        if state.document.chains:
            self.view.show_frame(design_frame(state, self.store.revision))


def state_with(stages: Sequence[Stage], **viewport: object) -> SessionState:
    """Return a state with one zero-phase chain."""
    chain = FilterChain(name="EEG", phase="zero", stages=tuple(stages))
    return SessionState(document=Document(chains=(chain,)), viewport=replace(Viewport(), **viewport))


@pytest.fixture
def make_rig() -> Callable[..., Rig]:
    """Return a maker of rigs: the view's class, the specs of its stages, fields of the viewport."""

    def make(view: Callable[..., object], *specs: object, **viewport: object) -> Rig:
        stages = [spec if isinstance(spec, Stage) else Stage(spec=spec) for spec in specs]
        return Rig(view, state_with(stages, **viewport))

    return make


@pytest.fixture
def lowpass():
    """Return a Butterworth low-pass of order 4 at 40 Hz."""
    return FAMILIES["butterworth"](order=4, cutoff_hz=40.0)


@pytest.fixture
def spectra() -> SpectrumFrame:
    """Return spectra for the response."""
    return spectrum_frame()


@pytest.fixture
def frame_of() -> Callable[..., DesignFrame]:
    """Return the maker of design frames: state, revision and maybe rate."""
    return design_frame


@pytest.fixture
def shown(qtbot):
    """Return what shows the face of a rig on the screen, its log empty."""

    def show(rig: Rig) -> Rig:
        qtbot.addWidget(rig.view)
        theme().dress(rig.view)
        rig.view.resize(368, 560)
        rig.view.show()
        rig.view.activateWindow()
        qtbot.waitUntil(rig.view.isActiveWindow)
        rig.log.clear()
        return rig

    return show


@pytest.fixture
def sos(shown, make_rig):
    """Return a rig with a Coefficients face on four sections."""
    return shown(make_rig(CoefficientsFace, FAMILIES["butterworth"](order=8, cutoff_hz=40.0), face="coefficients"))


@pytest.fixture
def taps(shown, make_rig):
    """Return a rig with a Coefficients face on 21 taps."""
    return shown(make_rig(CoefficientsFace, FAMILIES["fir_window"](taps=21), face="coefficients"))
